"""What can be proven here about reads from a device and from the page cache: how a file is stored,
and whether a short probe of it is seen. Linux, without root.

A file system may lie over another one, keep a cache of its own, compress, or ask a program for the
data. So nothing is concluded from its name: a piece of a file is read, looked for in the cache,
evicted, and read again. What the file system does not tell is taken to be stored.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from iogauge.host import files, kernel, pagecache
from iogauge.host.bringing_in import write_back
from iogauge.host.files import opened
from iogauge.host.kernel import mount_of
from iogauge.model.folders import occupied
from iogauge.model.units import size

_FIEMAP = 0xC020660B  # FS_IOC_FIEMAP
_HEAD = struct.Struct("=QQLLLL")  # start, length, flags, mapped extents, room for extents, reserved
_EXTENT = struct.Struct("=QQQ16xL12x")  # in the file, on the device, length, flags
_AT_ONCE = 512
_TO_THE_END = (1 << 64) - 1
_LAST, _ENCODED, _INLINE, _UNWRITTEN = 0x1, 0x8, 0x200, 0x800
_PIECE = 1 << 20  # bytes: as much is read
_NOTEWORTHY = 0.01  # of a file
_PROBE_BYTES = 256 << 10


class Extent(NamedTuple):
    """A piece of a file: where it begins, its length in bytes, its flags (FIEMAP_EXTENT_*)."""

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
    with opened(path) as fd:
        found = os.fstat(fd)
        try:
            return of_extents(found.st_size, _extents(fd))
        except OSError:  # a file system without FIEMAP
            seen = of_extents(found.st_size, _pieces(fd, found.st_size))
    # Fewer blocks than data: they are compressed, or not written yet.
    encoded = occupied(found) < seen.stored
    return Layout(found.st_size, seen.holes, 0, encoded, seen.begins)


def of_extents(size: int, extents: Iterable[Extent]) -> Layout:
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


def _extents(fd: int) -> list[Extent]:
    """By the ioctl FIEMAP. Raises OSError where the file system does not know it."""
    found: list[Extent] = []
    start = 0
    while True:
        buffer = bytearray(_HEAD.size + _AT_ONCE * _EXTENT.size)
        _HEAD.pack_into(buffer, 0, start, _TO_THE_END - start, 0, 0, _AT_ONCE, 0)
        kernel.ioctl(fd, _FIEMAP, buffer)
        mapped = _HEAD.unpack_from(buffer)[3]
        for number in range(mapped):
            at = _HEAD.size + number * _EXTENT.size
            begins, _, length, flags = _EXTENT.unpack_from(buffer, at)
            found.append(Extent(begins, length, flags))
        behind = found[-1].start + found[-1].length if mapped else start
        if behind <= start or found[-1].flags & _LAST:
            return found
        start = behind


def _pieces(fd: int, size: int) -> Iterator[Extent]:
    """What is no hole, by seeking. All of it where that is not known."""
    if not hasattr(os, "SEEK_DATA"):
        yield Extent(0, size)
        return
    at = 0
    while at < size:
        try:
            start = os.lseek(fd, at, os.SEEK_DATA)
            at = os.lseek(fd, start, os.SEEK_HOLE)
        except OSError as error:
            if error.errno != errno.ENXIO:  # ENXIO: no data behind `at`
                yield Extent(at, size - at)
            return
        yield Extent(start, at - start)


def holes(path: Path) -> int:
    """Bytes of a file that were never written; 0 where nobody can tell. Raises OSError."""
    with opened(path) as fd:
        size = os.fstat(fd).st_size
        return of_extents(size, _pieces(fd, size)).holes


def why_not_observed(path: Path) -> str | None:
    """The reason why nobody can tell which pages of this file are cached; None if one can.

    Leaves in the cache what was there, and nothing else. Raises OSError.
    """
    if pagecache.WHY_NOT:
        return pagecache.WHY_NOT
    if not files.may_be_observed(path, path.stat()):
        return (
            "the kernel tells which parts of a file are in the cache only to a user who owns the"
            " file or may write to it"
        )
    if pagecache.observe(path).share:
        return None
    _read_piece(path, 0)
    seen = pagecache.observe(path).share
    pagecache.evict(path, patience=0)
    if seen:
        return None
    return f"{_kind(path)} does not show which parts of a file are in the cache"


def why_not_cold(path: Path) -> str | None:
    """The reason why no read of this file can be shown to come from its device; None if one can.

    Evicts the file. Raises OSError.
    """
    if unseen := why_not_observed(path):
        return unseen
    left = pagecache.evict(path)
    if left.pages:
        return _why_kept(path, left)
    if nothing := why_not_stored(path):
        return nothing
    if reads_are_counted() and not reads_are_seen(path):
        return f"{_kind(path)} does not show that a read came from the device"
    return None


def why_hardly_cold(path: Path) -> str | None:
    """The same as far as it can be told without evicting anything of the file. Raises OSError."""
    if unseen := why_not_observed(path):
        return unseen
    mount = mount_of(path)
    if mount.in_memory or mount.volatile:
        return _why_kept(path, pagecache.observe(path))
    write_back(path)
    return why_not_stored(path)


def reads_are_seen(path: Path) -> bool:
    """Whether a read of this file from the device is counted. Evicts the file. Raises OSError."""
    pagecache.evict(path, patience=0)
    before = _read_bytes()
    _read_piece(path, layout(path).begins or 0)
    after = _read_bytes()
    pagecache.evict(path, patience=0)
    return before is not None and before != after


def why_not_stored(path: Path) -> str | None:
    """The reason why nothing of this file comes from the device when it is read; None if some does.
    Its data have been written back. Raises OSError.
    """
    found = layout(path)
    if found.begins is not None or not found.size:
        return None
    if found.inline:
        return (
            "the file lies in its metadata, which is cached apart from files: that a read came"
            " from the device is not seen"
        )
    return "the file has nothing on the disk: it is all holes, for which the kernel gives zeros"


def why_not_cold_in(directory: Path) -> str | None:
    """The same for files that are made in this directory."""
    return _probed(directory, why_not_cold)


def why_not_observed_in(directory: Path) -> str | None:
    """The reason why nobody can tell what is cached of files that are made in this directory."""
    return _probed(directory, why_not_observed)


def _probed(directory: Path, why_not: Callable[[Path], str | None]) -> str | None:
    with files.probe(directory) as (fd, path):
        os.write(fd, os.urandom(_PROBE_BYTES))
        return why_not(path)


def device_bytes(path: Path) -> int:
    """How many bytes a cold read of the whole file must at least get from the device: those that
    the file occupies there. For one that is compressed it is tried. Raises OSError.
    """
    found = layout(path)
    if not found.encoded or pagecache.evict(path).pages:
        return found.stored
    before = _read_bytes()
    pagecache.cache(path)
    after = _read_bytes()
    if before is None or after is None:
        return 0
    return min(found.stored, (after - before) * 9 // 10)  # read-ahead is not always the same


def remarks(path: Path, cold_bytes: int | None) -> list[str]:
    """What a reader of figures must know about how this file is stored: a sentence each.
    `cold_bytes` are its device_bytes, where it is read cold.
    """
    found, says = layout(path), []
    if found.holes > _NOTEWORTHY * found.size:
        says.append(
            f"{size(found.holes)} of the file's {size(found.size)} are holes: the kernel gives"
            " zeros for them without reading"
        )
    if found.encoded and cold_bytes is not None:
        says.append(
            f"the file system stores the file's {size(found.size)} compressed: a cold read gets"
            f" {size(cold_bytes)} from the device, and decompresses them"
        )
    return says


def reads_are_counted() -> bool:
    """Whether the kernel counts reads from devices. Else only the cache shows what was cold."""
    return _read_bytes() is not None


def _why_kept(path: Path, left: pagecache.Residency) -> str:
    mount = mount_of(path)
    if mount.in_memory:
        return f"{mount.kind} keeps its files in memory: they cannot be evicted"
    if mount.volatile:
        return (
            "the overlay is mounted volatile: what was written to a file stays in memory, and"
            " cannot be evicted"
        )
    return f"{left.pages} of {left.of} pages of the file stay in the cache: a process maps it"


def _kind(path: Path) -> str:
    return f"the file system ({mount_of(path).kind or 'unknown'})"


def _read_piece(path: Path, start: int) -> None:
    with opened(path) as fd:
        os.pread(fd, _PIECE, start)


def _read_bytes() -> int | None:
    """What this process had read from devices so far; None if the kernel does not tell."""
    counted = dict(line.split(": ") for line in kernel.lines("/proc/self/io"))
    return int(counted["read_bytes"]) if "read_bytes" in counted else None
