"""What is in a gzip file: the data of its complete members, and what lies behind the last of them.

`gzip -d` does the same. Python's own reader refuses a file with something behind its last member.
"""

from __future__ import annotations

import zlib
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import BinaryIO

MAGIC = b"\x1f\x8b"
_WINDOW = 31  # zlib's largest, with the header and the trailer of gzip
_PACKED = 64 << 10  # bytes that are read at a time
_UNPACKED = 4 << 20  # bytes that are given at a time, at most


class Members:
    """The members of a gzip file. `count`, `behind` and `zeros` hold what was found so far: how
    many members, how many bytes behind the last one, and how many of these are zeros.
    """

    def __init__(self, path: Path):
        self._path = path
        self.count = self.behind = self.zeros = 0

    def pieces(self) -> Iterator[bytes]:
        """The data, in pieces of any size. Raises EOFError or zlib.error where a member ends too
        early or is damaged, and OSError.
        """
        with self._path.open("rb") as file:
            rest = file.read(_PACKED)
            while rest.startswith(MAGIC) or not self.count:
                rest = yield from _member(rest, file)
                self.count += 1
                if len(rest) < len(MAGIC):
                    rest += file.read(_PACKED)
            while rest:
                self.behind += len(rest)
                self.zeros += rest.count(0)
                rest = file.read(_PACKED)


def _member(packed: bytes, file: BinaryIO) -> Generator[bytes, None, bytes]:
    """The data of the member that begins with `packed`; returns what was read beyond its end."""
    unpacker = zlib.decompressobj(_WINDOW)
    while not unpacker.eof:
        data = unpacker.decompress(packed, _UNPACKED)
        if data:
            yield data
        packed = unpacker.unconsumed_tail
        if not (packed or unpacker.eof):
            packed = file.read(_PACKED)
            if not (packed or data):
                raise EOFError("it ends before its data do")
    return unpacker.unused_data
