from .patterns import ERROR


def count_errors(logfile):
    with open(logfile) as f:
        return sum(1 for line in f if ERROR.search(line))
