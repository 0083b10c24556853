"""Looks a word up 20 000 times: in a file that it opens each time, or in what it has read once."""

import sys


def words() -> list[str]:
    with open("words", encoding="ascii") as file:
        return file.read().split()


known = words()
found = 0
for number in range(20_000):
    found += f"word{number % 100}" in (words() if sys.argv[1] == "bad" else known)
print(found)
