"""Unpacks a gzip file, reading 512 bytes or 128 KiB at a time."""

import sys
import zlib

size, total, unpack = (512 if sys.argv[1] == "bad" else 131072), 0, zlib.decompressobj(31)
with open("text.gz", "rb", buffering=0) as file:
    while piece := file.read(size):
        total += len(unpack.decompress(piece))
print(total)
