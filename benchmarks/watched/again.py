"""Counts fifty bytes in a file: reading it for each of them, or once."""

import sys


def content() -> bytes:
    with open("part", "rb") as file:
        return file.read()


data = content()
print(sum((content() if sys.argv[1] == "bad" else data).count(bytes([each])) for each in range(50)))
