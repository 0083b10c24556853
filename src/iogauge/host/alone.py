"""Measuring alone: locks of the operating system, which the kernel opens when their holder ends."""

from __future__ import annotations

import errno
import os
import re
import stat
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from iogauge.host import kernel
from iogauge.model.errors import UserError, cause

FOLDER = "IOGAUGE_LOCKS"
"""A variable of the environment: the folder in which that of the locks is."""
_AGAIN = 1.0  # seconds between looks whether a lock is free
_LONGEST = 200  # bytes of what a holder says


class Lock(NamedTuple):
    """A file that is locked, and what for, in words: `this host`, `its disk`."""

    path: Path
    of: str


def folder() -> Path:
    """Where all users of this machine find the locks, whatever is the temporary folder of each."""
    usual = Path("/tmp")
    given = os.environ.get(FOLDER) or (usual if usual.is_dir() else tempfile.gettempdir())
    return Path(given) / "iogauge-locks"


def _made(path: Path) -> None:
    """Our folder, where it is not there. Raises OSError for one in which somebody else may replace
    what is ours.
    """
    if path != folder():
        return
    if not path.exists():
        with suppress(FileExistsError):
            path.mkdir()
            path.chmod(0o1777)
    found = path.lstat()
    is_safe = found.st_uid in (0, os.geteuid()) or found.st_mode & stat.S_ISVTX
    if not (stat.S_ISDIR(found.st_mode) and is_safe):
        raise OSError(errno.EPERM, "another user's folder; have its owner remove it", str(path))


def of_host(name: str, directory: Path) -> list[Lock]:
    """The locks of a host with this name that measures on the device of a directory. Hosts that are
    one machine under several names take turns, too.
    """
    number = kernel.device_number(os.stat(directory).st_dev).replace(":", "-")
    return [
        Lock(folder() / f"host-{name}.lock", "this host"),
        Lock(folder() / "machine.lock", "this machine"),
        Lock(folder() / f"device-{number}.lock", "its disk"),
    ]


def must_be_a_lock(path: Path, where: str) -> None:
    """Raises UserError for a file that has something else in it than a lock of ours: that is
    overwritten.
    """
    if not path.parent.is_dir():
        raise UserError(f"{where} {path}: {path.parent} is not a folder")
    try:
        with path.open("rb") as file:
            text = file.read(_LONGEST + 1)
    except FileNotFoundError:
        return
    except OSError as error:
        raise UserError(f"{where} {cause(error)}; name another file") from None
    if not re.fullmatch(rb"[a-z0-9-]{0,%d}" % _LONGEST, text):
        raise UserError(f"{where} {path}: has something in it; name a new file")


@contextmanager
def held(locks: Sequence[Lock], says: str, waits: Callable[[Lock, str], None]) -> Iterator[None]:
    """Hold these locks, taken in their order, with what the holder `says` in them. While one is
    held by another, `waits` is called now and then with what that one says.
    """
    with ExitStack() as open_:
        for each in locks:
            while (fd := _taken(each.path)) is None:
                waits(each, _said(each.path))
                time.sleep(_AGAIN)
            open_.callback(os.close, fd)
            with suppress(OSError):  # another user's: nobody learns who holds it
                os.ftruncate(fd, 0)
                os.pwrite(fd, says.encode(), 0)
        yield


def _taken(path: Path) -> int | None:
    """The file, locked; None where another has it. One that was removed meanwhile is no lock."""
    while True:
        fd = _opened(path)
        if not is_free(fd):
            os.close(fd)
            return None
        if _is(fd, path):
            return fd
        os.close(fd)


def _is(fd: int, path: Path) -> bool:
    """Whether this is the file at the path."""
    with suppress(OSError):
        return os.path.samestat(os.fstat(fd), path.stat())
    return False


def clean() -> None:
    """Remove the locks of our folder that nobody holds, as far as they are ours."""
    for path in folder().glob("*.lock"):
        with suppress(OSError):
            if (fd := _taken(path)) is not None:
                path.unlink()
                os.close(fd)
    with suppress(OSError):  # somebody holds one
        folder().rmdir()


def is_free(fd: int) -> bool:
    """Lock the file, if nobody holds it; whether that was so. Raises OSError for one that cannot
    be locked.
    """
    try:
        kernel.lock(fd)
    except (BlockingIOError, PermissionError):
        return False
    return True


def is_held(path: Path) -> bool:
    """Whether somebody holds the lock of a file, which need not exist."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        return not is_free(fd)
    finally:
        os.close(fd)


def _opened(path: Path) -> int:
    """The file, to be locked, for writing if it may be: NFS locks no other. One that is there is
    not made, which the kernel refuses for a file of another user's. Raises OSError.
    """
    _made(path.parent)
    with suppress(FileNotFoundError):
        try:
            return os.open(path, os.O_RDWR | os.O_NOFOLLOW)
        except PermissionError:
            return os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
    with suppress(OSError):
        os.fchmod(fd, 0o666)
    return fd


def _said(path: Path) -> str:
    with suppress(OSError, UnicodeDecodeError), path.open("rb") as file:
        text = file.read(_LONGEST).decode()
        return text if text.isprintable() else ""
    return ""
