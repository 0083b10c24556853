import sys


def process():
    filename = sys.argv[1]
    with open(filename) as f:
        return len(f.read())
