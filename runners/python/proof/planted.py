"""Reads a file, and a share of it once more: `iogauge gate --prove` writes how much."""

EXTRA = 0.0
BLOCK = 64 << 10


def read(path):
    total = 0
    with open(path, "rb", buffering=0) as file:
        while block := file.read(BLOCK):
            total += len(block)
        file.seek(0)
        again = int(EXTRA * total)
        while again > 0 and (block := file.read(min(again, BLOCK))):
            again -= len(block)
    return total
