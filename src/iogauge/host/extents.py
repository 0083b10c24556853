"""How a file lies on its device: which bytes are stored there, and which the kernel makes up.

Linux, without root. What the file system does not tell is taken to be stored.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from iogauge.host import calls
from iogauge.model.folders import occupied

_FIEMAP = 0xC020660B  # FS_IOC_FIEMAP
_HEAD = struct.Struct("=QQLLLL")  # start, length, flags, mapped extents, room for extents, reserved
_EXTENT = struct.Struct("=QQQ16xL12x")  # in the file, on the device, length, flags
_AT_ONCE = 512
_TO_THE_END = (1 << 64) - 1
_LAST, _ENCODED, _INLINE, _UNWRITTEN = 0x1, 0x8, 0x200, 0x800


class Extent(NamedTuple):
    """A piece of a file, as the file system tells: where it begins in the file, its length in
    bytes, and its flags (FIEMAP_EXTENT_*).
    """

    start: int
    length: int
    flags: int = 0


@dataclass(frozen=True)
class Layout:
    """How `size` bytes of a file are stored.

    `holes` were never written: the kernel gives zeros for them. `inline` bytes lie in the metadata
    of the file. `encoded` says that the rest is compressed or encrypted, so that its length on the
    device is not known. `begins` is the offset of the first byte that is on the device; None where
    none is.
    """

    size: int
    holes: int = 0
    inline: int = 0
    encoded: bool = False
    begins: int | None = 0

    @property
    def stored(self) -> int:
        """Bytes of the file that a reader gets from the device."""
        return self.size - self.holes - self.inline


def layout(path: Path) -> Layout:
    """The layout of a file whose data have been written back. Raises OSError."""
    fd = os.open(path, os.O_RDONLY)
    try:
        found = os.fstat(fd)
        try:
            return told(found.st_size, _extents(fd))
        except OSError:  # a file system without FIEMAP
            pieces = [Extent(start, length) for start, length in _pieces(fd, found.st_size)]
        told_by_seeking = told(found.st_size, pieces)
        # Fewer blocks than data: they are compressed, or not written yet.
        encoded = occupied(found) < told_by_seeking.stored
        return Layout(found.st_size, told_by_seeking.holes, 0, encoded, told_by_seeking.begins)
    finally:
        os.close(fd)


def told(size: int, extents: Iterable[Extent]) -> Layout:
    """The layout of a file of `size` bytes with these extents. What lies in none is a hole."""
    stored = inline = 0
    encoded, begins = False, None
    for each in extents:
        length = max(0, min(each.start + each.length, size) - each.start)
        if each.flags & _UNWRITTEN:
            continue
        if each.flags & _INLINE:
            inline += length
            continue
        stored += length
        encoded = encoded or bool(each.flags & _ENCODED)
        begins = each.start if begins is None else min(begins, each.start)
    return Layout(size, size - stored - inline, inline, encoded, begins)


def _extents(fd: int) -> Iterable[Extent]:
    """By the ioctl FIEMAP. Raises OSError where the file system does not know it."""
    found: list[Extent] = []
    start = 0
    while True:
        asked = bytearray(_HEAD.size + _AT_ONCE * _EXTENT.size)
        _HEAD.pack_into(asked, 0, start, _TO_THE_END - start, 0, 0, _AT_ONCE, 0)
        calls.ioctl(fd, _FIEMAP, asked)
        mapped = _HEAD.unpack_from(asked)[3]
        for number in range(mapped):
            place = _HEAD.size + number * _EXTENT.size
            begins, _, length, flags = _EXTENT.unpack_from(asked, place)
            found.append(Extent(begins, length, flags))
        behind = found[-1].start + found[-1].length if mapped else start
        if behind <= start or found[-1].flags & _LAST:
            return found
        start = behind


def _pieces(fd: int, size: int) -> Iterable[tuple[int, int]]:
    """Start and length of what is no hole, by seeking. All of it where that is not known."""
    if not hasattr(os, "SEEK_DATA"):
        yield 0, size
        return
    at = 0
    while at < size:
        try:
            start = os.lseek(fd, at, os.SEEK_DATA)
            at = os.lseek(fd, start, os.SEEK_HOLE)
        except OSError as error:
            if error.errno != errno.ENXIO:  # ENXIO: no data behind `at`
                yield at, size - at
            return
        yield start, at - start
