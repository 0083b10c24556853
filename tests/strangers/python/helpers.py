import re

TIMESTAMP = re.compile(r"^\d{4}-\d{2}-\d{2}")


def is_valid(line):
    return bool(TIMESTAMP.match(line))


def chunked(items, size):
    for i in range(0, len(items), size):
        yield items[i : i + size]


def clean(text):
    return text.strip().lower()


def serial_read(f_in):
    valid = 0
    with open(f_in) as fh:
        for line in fh:
            valid += is_valid(line)
    return valid
