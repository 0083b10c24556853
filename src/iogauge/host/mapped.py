"""The cached pages of a file, mapped into this process by windows. Linux 5.14, without root.

Nothing that is not cached is brought in: mincore(2) tells what is, only that is populated, and
MADV_RANDOM keeps the kernel from reading ahead. MADV_POPULATE_READ reports an error where a touch
of a page that was cut off meanwhile would kill this process.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from iogauge.host import kernel
from iogauge.host.files import may_be_observed

PAGE = mmap.PAGESIZE
PIECE = 4 << 20
"""Bytes: a large file is looked at in pieces of this length. No folio is larger (2 MiB on x86)."""
MOST = 64 << 20
"""Bytes of a file that are looked at."""

_ALIGNED = 2 << 20
_FIXED, _NO_RESERVE = 0x10, 0x4000  # MAP_FIXED, MAP_NORESERVE
_RANDOM, _DONT_NEED, _POPULATE_READ = 1, 4, 22  # MADV_*
_FAILED = ctypes.c_void_p(-1).value
_LOWEST_BIT = bytes(number & 1 for number in range(256))
_map = kernel.libc(
    "mmap",
    *(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long),
    result=ctypes.c_void_p,
)
_unmap = kernel.libc("munmap", ctypes.c_void_p, ctypes.c_size_t)
_ask_mincore = kernel.libc("mincore", ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p)
_advise = kernel.libc("madvise", ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


@dataclass(frozen=True)
class Window:
    """A part of a file: `length` bytes from `offset`, mapped at `address`; and which of its pages
    are cached, a byte (0 or 1) for each.
    """

    offset: int
    length: int
    address: int
    cached: bytes

    @property
    def cached_bytes(self) -> int:
        return min(self.cached.count(1) * PAGE, self.length)


@cache
def why_not() -> str | None:
    """The reason why nothing can be mapped in this way on this system; None if it can."""
    if not (kernel.known("mincore") and kernel.known("madvise")):
        return "this system does not show how the pages of a cached file lie together"
    try:
        address = _mapped(None, PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    except OSError as error:
        return f"this system maps no memory: {error.strerror}"
    try:
        populate(address, PAGE)
    except OSError:
        return (
            "this kernel is older than Linux 5.14: it does not show how the pages of a cached file"
            " lie together"
        )
    finally:
        _unmap(address, PAGE)
    return None


def pieces(length: int) -> list[tuple[int, int]]:
    """Offset and length of the parts of a file that are looked at: all of it up to 64 MiB; of a
    larger file as much in pieces of 4 MiB, evenly spread.
    """
    of, taken = -(-length // PIECE), MOST // PIECE
    numbers = range(of) if of <= taken else [(2 * k + 1) * of // (2 * taken) for k in range(taken)]
    return [(k * PIECE, min(PIECE, length - k * PIECE)) for k in numbers]


def cut(parts: Sequence[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    """The same parts in ones of at most `size` bytes."""
    return [
        (at, min(size, offset + length - at))
        for offset, length in parts
        for at in range(offset, offset + length, size)
    ]


@contextmanager
def view(
    fd: int, size: int, *, whole: bool = False, populated: bool = True
) -> Iterator[list[Window]]:
    """The cached pages of a file, in windows of `size` bytes, in this process's page table until
    the block ends. The windows are in the order of the file, and those without a cached page are
    left out. Their addresses are aligned as the file is, where `size` is a multiple of 2 MiB.

    Where the kernel does not tell this user what of a file is cached, it says that all is: then a
    caller who knows that it is says so (`whole`), and all others get no window. Raises OSError.
    """
    parts = cut(pieces(os.fstat(fd).st_size), size)
    if not parts or not (whole or may_be_observed(Path(f"/proc/self/fd/{fd}"), os.fstat(fd))):
        yield []
        return
    # A later part of the file gets a lower address: the kernel would make one area of two that are
    # neighbours here and there, and it counts by areas.
    parts.reverse()
    room = -(-size // PAGE) * PAGE
    length = len(parts) * room
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
    reserved = _mapped(None, length + _ALIGNED, flags, -1, 0, protection=0)
    try:
        base = -(-reserved // _ALIGNED) * _ALIGNED
        for number, part in enumerate(parts):
            _mapped(base + number * room, part[1], mmap.MAP_SHARED | _FIXED, fd, part[0])
        _advise(base, length, _RANDOM)
        windows = [
            Window(*part, address, _cached(address, part[1], whole))
            for part, address in zip(parts, range(base, base + length, room), strict=True)
        ]
        if populated:
            for each in windows:
                _populated(each)
        yield [each for each in reversed(windows) if each.cached_bytes]
    finally:
        _unmap(reserved, length + _ALIGNED)


def populate(address: int, length: int) -> None:
    """Have pages in the page table; in the sight of the kernel, each was used. Raises OSError."""
    if _advise(address, length, _POPULATE_READ) != 0:
        raise kernel.last_error()


def drop(address: int, length: int) -> None:
    """Take pages out of the page table: what munmap(2) does to them. They stay cached."""
    _advise(address, length, _DONT_NEED)


def _cached(address: int, length: int, whole: bool) -> bytes:
    pages = -(-length // PAGE)
    if whole:
        return b"\x01" * pages
    vector = ctypes.create_string_buffer(pages)
    if _ask_mincore(address, length, vector) != 0:
        raise kernel.last_error()
    return vector.raw[:pages].translate(_LOWEST_BIT)


def _populated(window: Window) -> None:
    for run in re.finditer(b"\x01+", window.cached):
        with suppress(OSError):  # cut off meanwhile
            populate(window.address + run.start() * PAGE, len(run.group()) * PAGE)


def _mapped(
    address: int | None,
    length: int,
    flags: int,
    fd: int,
    offset: int,
    protection: int = mmap.PROT_READ if hasattr(mmap, "PROT_READ") else 0,
) -> int:
    found: int = _map(address, length, protection, flags, fd, offset)
    if found == _FAILED:
        raise kernel.last_error()
    return found
