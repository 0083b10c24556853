import sys


def run(path):
    try:
        with open(path) as f:
            print(len(f.read()))
    except FileNotFoundError:
        sys.exit(1)
    sys.exit(0)
