"""A file's pages in the page cache: cache them, evict them, observe them. Linux, without root.

`posix_fadvise(DONTNEED)` evicts no page of a file that a live process maps, and reports no error
(docs/methodology.md, "Cold"). So an eviction counts only if it was observed.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from iogauge.host import kernel
from iogauge.host.files import opened, probe

_PAGE = mmap.PAGESIZE
_CACHESTAT = 451  # the same number on every architecture (Linux 6.5)
_CHUNK = 1 << 20  # bytes: always cached by reads of this size, because it decides the folio sizes
_syscall = kernel.libc("syscall")
_map = kernel.libc(
    "mmap",
    *(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long),
    result=ctypes.c_void_p,
)
_unmap = kernel.libc("munmap", ctypes.c_void_p, ctypes.c_size_t)
_ask_mincore = kernel.libc("mincore", ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p)
_UNSEEN = "this system does not tell which parts of a file are in the cache"
WHY_NOT = None if kernel.known("mincore") and hasattr(os, "posix_fadvise") else _UNSEEN
"""The reason why nothing can be observed or evicted on this system; None if it can."""
_buffer = bytearray(_CHUNK)


@dataclass(frozen=True)
class Residency:
    """How many pages of a file are cached, `of` how many, and how many of them are dirty.

    `dirty` includes pages under write-back. It is None if the kernel does not tell.
    """

    pages: int
    of: int
    dirty: int | None

    @property
    def share(self) -> float:
        """The cached share of the file, 0 to 1; 1 for an empty file."""
        return self.pages / self.of if self.of else 1.0


def observe(path: Path) -> Residency:
    """The residency of a file, by cachestat(2), or by mincore(2) where that sees nothing.

    Only for files that the caller owns or may write: for others mincore reports that all pages are
    resident. The bytes that a process reads from the device are the evidence there. Raises OSError.
    """
    with opened(path) as fd:
        length = os.fstat(fd).st_size
        pages = -(-length // _PAGE)
        if not pages:
            return Residency(0, 0, 0)
        try:
            seen = _cachestat(fd, pages)
        except OSError as error:
            if error.errno not in (errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM, errno.EINVAL):
                raise
            return Residency(_mincore(fd, length, pages), pages, None)
        if not seen.pages:
            # A file of an overlay has no pages: those of the file below it are counted where it is
            # mapped. A file that cannot be mapped has none either.
            with suppress(OSError):
                if mapped := _mincore(fd, length, pages):
                    return Residency(mapped, pages, None)
        return seen


def _cachestat(fd: int, pages: int) -> Residency:
    whole = (ctypes.c_uint64 * 2)(0, 0)  # offset and length; 0: to the end of the file
    found = (ctypes.c_uint64 * 5)()  # cached, dirty, under write-back, evicted, recently evicted
    if _syscall(_CACHESTAT, fd, ctypes.byref(whole), ctypes.byref(found), 0) != 0:
        raise kernel.last_error()
    cached, dirty, writing = found[:3]
    return Residency(min(cached, pages), pages, dirty + writing)


def _mincore(fd: int, length: int, pages: int) -> int:
    # Our mapping is gone before we return, because a mapping pins the pages.
    address = _map(None, length, mmap.PROT_READ, mmap.MAP_SHARED, fd, 0)
    if address == ctypes.c_void_p(-1).value:
        raise kernel.last_error()
    try:
        vector = ctypes.create_string_buffer(pages)
        if _ask_mincore(address, length, vector) != 0:
            raise kernel.last_error()
        # Only the lowest bit of each byte is defined.
        lowest = int.from_bytes(vector.raw[:pages]) & int.from_bytes(b"\x01" * pages)
        return lowest.bit_count()
    finally:
        _unmap(address, length)


def cache(path: Path) -> None:
    """Cache the whole file, always in the same way: by sequential reads. Raises OSError."""
    with opened(path) as fd:
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_SEQUENTIAL)
        with open(fd, "rb", buffering=0, closefd=False) as file:
            while file.readinto(_buffer):
                pass


def evict(path: Path, patience: float = 0.5) -> Residency:
    """Evict the file from the cache, and return what was still cached afterwards.

    It tries again for `patience` seconds, because a read or a write-back that is about to end may
    hold pages. Raises OSError.
    """
    with opened(path) as fd:
        os.fdatasync(fd)
        deadline = time.monotonic() + patience
        while True:
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            left = observe(path)
            if not left.pages or time.monotonic() > deadline:
                return left
            time.sleep(0.005)


def observer(directory: Path) -> str:
    """The system call that tells residency in this directory."""
    if WHY_NOT:
        return "not possible"
    with probe(directory) as (fd, _):
        os.write(fd, bytes(_PAGE))
        try:
            if _cachestat(fd, 1).pages:
                return "cachestat"
        except OSError as error:
            return f"mincore (no cachestat: {error.strerror})"
        with suppress(OSError):
            if _mincore(fd, _PAGE, 1):
                return "mincore (cachestat sees nothing of this file system)"
    return "not possible"
