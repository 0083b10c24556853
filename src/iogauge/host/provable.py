"""What can be proven here about the state of the page cache, found out by a short probe.

A file system may lie over another one, keep a cache of its own, compress, or ask a program for the
data. So nothing is concluded from its name: a piece of a file is read, looked for in the cache,
evicted, and read again.
"""

from __future__ import annotations

import os
from pathlib import Path

from iogauge.host import extents, files, kernel, pagecache
from iogauge.host.mounts import mount_of
from iogauge.host.probing import probe
from iogauge.model.units import size

_PIECE = 1 << 20  # bytes: as much is read
_NOTEWORTHY = 0.01  # of a file
_PROBE_BYTES = 256 << 10


def why_not_observed(path: Path) -> str | None:
    """The reason why nobody can tell here what of this file is in the cache; None if one can.

    Reads a piece of the file. Raises OSError.
    """
    if pagecache.WHY_NOT:
        return pagecache.WHY_NOT
    if not files.may_be_observed(path, path.stat()):
        return (
            "the kernel tells which parts of a file are in the cache only to a user who owns the"
            " file or may write to it"
        )
    _read_piece(path, 0)
    if pagecache.observe(path).share:
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


def reads_are_seen(path: Path) -> bool:
    """Whether a read of this file that comes from the device is counted as one of its process.
    Evicts the file. Raises OSError.
    """
    pagecache.evict(path, patience=0)
    before = _read_bytes()
    _read_piece(path, extents.layout(path).begins or 0)
    after = _read_bytes()
    pagecache.evict(path, patience=0)
    return before is not None and before != after


def why_not_stored(path: Path) -> str | None:
    """The reason why nothing of this file comes from the device when it is read; None if some does.
    Its data have been written back. Raises OSError.
    """
    found = extents.layout(path)
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
    with probe(directory) as (fd, path):
        os.write(fd, os.urandom(_PROBE_BYTES))
        return why_not_cold(path)


def why_not_observed_in(directory: Path) -> str | None:
    """The reason why nobody can tell what is cached of files that are made in this directory."""
    with probe(directory) as (fd, path):
        os.write(fd, os.urandom(_PROBE_BYTES))
        return why_not_observed(path)


def device_bytes(path: Path) -> int:
    """How many bytes a cold read of the whole file must at least get from the device: those that
    the file occupies there. For one that is compressed it is tried. Raises OSError.
    """
    found = extents.layout(path)
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
    found, says = extents.layout(path), []
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
    """Whether the kernel tells what a process reads from devices. Where it does not, that a read
    was cold is seen by the cache before it alone.
    """
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
    fd = os.open(path, os.O_RDONLY)
    try:
        os.pread(fd, _PIECE, start)
    finally:
        os.close(fd)


def _read_bytes() -> int | None:
    """What this process had read from devices so far; None if the kernel does not tell."""
    counted = dict(line.split(": ") for line in (kernel.text("/proc/self/io") or "").splitlines())
    return int(counted["read_bytes"]) if "read_bytes" in counted else None
