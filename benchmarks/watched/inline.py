"""Hashes what a gzip file holds: unpacking it on the same thread, or on one beside it."""

import hashlib
import queue
import sys
import threading
import zlib
from collections.abc import Iterator

PIECE = 1 << 18


def pieces() -> Iterator[bytes]:
    unpack = zlib.decompressobj(31)
    with open("text.gz", "rb") as file:
        while packed := file.read(PIECE):
            yield unpack.decompress(packed)


def beside() -> Iterator[bytes]:
    """The same pieces, made by another thread: zlib lets others run meanwhile."""
    made: queue.Queue[bytes | None] = queue.Queue(8)

    def make() -> None:
        for piece in pieces():
            made.put(piece)
        made.put(None)

    threading.Thread(target=make).start()
    while (piece := made.get()) is not None:
        yield piece


total = hashlib.sha512()
for _ in range(4):
    for piece in pieces() if sys.argv[1] == "bad" else beside():
        total.update(piece)
print(total.hexdigest())
