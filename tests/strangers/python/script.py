#!/usr/bin/env python3
import argparse
import sys


def word_count(infile, verbose=False):
    words = 0
    with open(infile) as fh:
        for line in fh:
            words += len(line.split())
    if verbose:
        print(words, file=sys.stderr)
    return words


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("infile")
    parser.add_argument("-v", "--verbose", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    args = parse_args()
    print(word_count(args.infile, args.verbose))
