def unique_lines(path):
    return set(open(path).read().splitlines())


def sorted_lines(path):
    with open(path) as f:
        return sorted(f)


def first_fields(path):
    return [line.split(" ")[0] for line in open(path)]


def without_blank(path):
    return [line for line in open(path) if line.strip()]


def upper(path):
    return open(path).read().upper()
