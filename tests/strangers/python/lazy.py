def stripped(path):
    return map(str.strip, open(path))


def non_empty(path):
    return filter(None, (line.strip() for line in open(path)))


def pairs(path):
    return zip(open(path), open(path))
