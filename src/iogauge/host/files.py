"""Files, with operations and facts that not every system has."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from iogauge.host import kernel
from iogauge.host.kernel import BINARY

_NAMELESS = getattr(os, "O_TMPFILE", None)
_syncfs = kernel.libc("syncfs")
_seeking = threading.Lock()


def owned_by_another(found: os.stat_result) -> bool:
    """Whether a file belongs to another user. Not where there are no owners with numbers."""
    return hasattr(os, "geteuid") and found.st_uid != os.geteuid()


def may_run(program: str) -> bool:
    """Whether to run a program that another process was seen to run: root runs none of somebody
    else's.
    """
    try:
        found = os.stat(program)
    except OSError:
        return True  # nor can it be run
    return not owned_by_another(found) or os.geteuid() != 0


def may_be_observed(path: Path, found: os.stat_result) -> bool:
    """Whether the kernel shows us which pages of the file are cached (pagecache.observe)."""
    own = not owned_by_another(found) or os.geteuid() == 0
    return own or os.access(path, os.W_OK)


def make_private(fd: int) -> None:
    """Let only its owner read a file that is open, where rights are those of Unix."""
    if hasattr(os, "fchmod"):
        os.fchmod(fd, 0o600)


def sync_data(fd: int) -> None:
    """Write the data of a file to its device."""
    (os.fdatasync if hasattr(os, "fdatasync") else os.fsync)(fd)


def without_read_ahead(fd: int) -> None:
    """Where the system takes such advice, a read brings in nothing but what it asks for."""
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)


def sync_all(directory: int | None) -> None:
    """Write all data of the file system of an open directory to its device, or those of all."""
    if directory is not None and kernel.known("syncfs"):
        _syncfs(directory)
    elif hasattr(os, "sync"):
        os.sync()


def _seek_and_read(fd: int, length: int, offset: int, /) -> bytes:
    with _seeking:
        at = os.lseek(fd, 0, os.SEEK_CUR)
        try:
            os.lseek(fd, offset, os.SEEK_SET)
            return os.read(fd, length)
        finally:
            os.lseek(fd, at, os.SEEK_SET)


read_at = os.pread if hasattr(os, "pread") else _seek_and_read
"""Bytes of an open file from an offset on: `read_at(fd, length, offset)`."""


def name_of(file: BinaryIO) -> str:
    """A path by which this very file can be opened again, even if another has taken its name."""
    held = f"/proc/self/fd/{file.fileno()}"
    return held if os.path.exists(held) else file.name


@contextmanager
def opened(path: Path, flags: int = os.O_RDONLY, mode: int = 0o600) -> Iterator[int]:
    """A file as a descriptor, to be read where the flags do not say otherwise. Raises OSError."""
    fd = os.open(path, flags | BINARY, mode)
    try:
        yield fd
    finally:
        os.close(fd)


@contextmanager
def nameless(directory: Path, mode: int) -> Iterator[tuple[int, Path] | None]:
    """A new file without a name, and a path that opens it; None where there are no such files."""
    fd = None
    if _NAMELESS is not None:
        with suppress(OSError):
            fd = os.open(directory, _NAMELESS | os.O_RDWR, mode)
    try:
        yield None if fd is None else (fd, Path(f"/proc/self/fd/{fd}"))
    finally:
        if fd is not None:
            os.close(fd)


@contextmanager
def probe(directory: Path) -> Iterator[tuple[int, Path]]:
    """A temporary file to try things on, and its path. It has no name where that is possible."""
    with nameless(directory, 0o600) as made:
        if made:
            yield made
            return
    path = directory / f".iogauge-probe-{os.getpid()}"
    with opened(path, os.O_CREAT | os.O_EXCL | os.O_RDWR) as fd:
        try:
            yield fd, path
        finally:
            path.unlink()


@contextmanager
def appearing(path: Path, partial: Path) -> Iterator[int]:
    """A new file, as a descriptor to write to. It has its name when the block ends, and until then
    none, or that of `partial`.
    """
    with nameless(path.parent, 0o644) as made:
        if made:
            fd, held = made
            yield fd
            # A directory descriptor makes Python call linkat, the only call that follows the link
            # in /proc.
            os.link(held, path, src_dir_fd=fd, follow_symlinks=True)
            return
    try:
        with opened(partial, os.O_CREAT | os.O_TRUNC | os.O_RDWR, 0o644) as fd:
            yield fd
        partial.rename(path)  # once it is closed: an open file keeps its name on Windows
    finally:
        partial.unlink(missing_ok=True)
