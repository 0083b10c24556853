"""Reads 100 bytes at a time, unbuffered or through a buffer."""

import sys

with open("data", "rb", buffering=0 if sys.argv[1] == "bad" else 131072) as file:
    total = 0
    for _ in range(960_000):
        total += len(file.read(100))
print(total)
