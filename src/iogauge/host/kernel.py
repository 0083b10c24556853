"""What the kernel shows of its settings, its devices and the mounted file systems; and calls that
not every system has. Where one is missing, it raises OSError as a file system does that does not
support it: callers need no other case.
"""

from __future__ import annotations

import array
import ctypes
import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import psutil

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LINUX = sys.platform == "linux"
"""Whether numbers of Linux (of ioctls and system calls) mean here what they mean there."""
BINARY = getattr(os, "O_BINARY", 0)
"""Goes into the flags of os.open: without it Windows writes ends of lines in its own way."""

_LOCKED_BYTE = 1 << 40  # Windows locks bytes against readers too: one that no file of ours has
_IN_MEMORY = ("tmpfs", "ramfs")
_UNREAD = 0x541B  # FIONREAD, of all machines that iogauge is built for


def chosen(path: str) -> str | None:
    """The chosen word of a setting such as `always [madvise] never`; None if there is none."""
    words = (text(path) or "").split()
    return next((word.strip("[]") for word in words if word.startswith("[")), None)


def text(path: str | Path) -> str | None:
    """The text of a file without white space around it; None if it cannot be read."""
    try:
        return Path(path).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None


def lines(path: str | Path) -> list[str]:
    """The lines of a file; none if it cannot be read."""
    return (text(path) or "").splitlines()


def device_number(device: int) -> str:
    """The number of a device as the names of files show it: `8:1`."""
    if not hasattr(os, "major"):  # Windows
        return str(device)
    return f"{os.major(device)}:{os.minor(device)}"


class Mount(NamedTuple):
    """Type, options and source of a mounted file system. The source may be a device."""

    kind: str | None = None
    options: frozenset[str] = frozenset()
    source: str = ""

    @property
    def in_memory(self) -> bool:
        return self.kind in _IN_MEMORY

    @property
    def sync(self) -> bool:
        """Whether every write waits for the device."""
        return "sync" in self.options

    @property
    def volatile(self) -> bool:
        """Whether it makes nothing durable, as an overlay can. Linux 6.10 renamed the option."""
        return not self.options.isdisjoint({"volatile", "fsync=volatile"})

    @property
    def unflushed(self) -> bool:
        """Whether it never tells the device to write its cache to the medium."""
        return not self.options.isdisjoint({"nobarrier", "barrier=0", "fsync_mode=nobarrier"})


def mount_of(path: Path) -> Mount:
    """The file system that holds a file or a folder."""
    longest, found = -1, Mount()
    resolved = str(path.resolve())
    for mount in psutil.disk_partitions(all=True):
        point = mount.mountpoint.rstrip("/")
        if (resolved == point or resolved.startswith(point + "/")) and len(point) >= longest:
            options = frozenset(mount.opts.split(","))
            longest, found = len(point), Mount(mount.fstype, options, mount.device)
    return found


def same_file_system(one: Path, other: Path) -> bool:
    """Also where they are on two subvolumes of it, which have device numbers of their own. Raises
    OSError.
    """
    if one.stat().st_dev == other.stat().st_dev:
        return True
    source = mount_of(one).source
    return source.startswith("/dev/") and source == mount_of(other).source


def noexec(path: Path) -> bool:
    """Whether no program starts on the file system of a path. False where nobody can tell."""
    return hasattr(os, "statvfs") and bool(os.statvfs(path).f_flag & getattr(os, "ST_NOEXEC", 0))


def _loaded() -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(None, use_errno=True)
    except (OSError, TypeError):  # a process of Windows is no library
        return None


_libc = _loaded()


def known(name: str) -> bool:
    """Whether the C library is that of Linux and has this function."""
    return LINUX and hasattr(_libc, name)


def libc(name: str, *arguments: Any, result: Any = ctypes.c_int) -> Callable[..., Any]:
    """A function of the C library, with the types of its arguments and its result. It says by its
    result whether it failed, as in C; where it is not known, it raises OSError.
    """
    if not known(name):
        return _missing
    function = getattr(_libc, name)
    function.restype = result
    if arguments:
        function.argtypes = arguments
    return cast(Callable[..., Any], function)


def _missing(*arguments: object) -> None:
    raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))


def last_error() -> OSError:
    """Why the last call of a function of the C library failed."""
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))


def ioctl(fd: int, request: int, argument: Any) -> None:
    """An ioctl of Linux that fills its argument. Raises OSError."""
    if fcntl is None or not LINUX:
        _missing()
    fcntl.ioctl(fd, request, argument)


def unread(file: IO[bytes]) -> int:
    """Bytes that wait in a pipe; 0 where the system does not tell, or it was closed meanwhile."""
    found = array.array("i", [0])
    with suppress(OSError, ValueError):
        ioctl(file.fileno(), _UNREAD, found)
    return found[0]


def lock(fd: int, *, shared: bool = False) -> None:
    """Lock a file against other processes until it is closed; `shared`, only against those that
    want it for themselves. Raises OSError if one holds it.
    """
    if fcntl is not None:
        fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        return
    import msvcrt  # Windows

    at = os.lseek(fd, 0, os.SEEK_CUR)
    os.lseek(fd, _LOCKED_BYTE, os.SEEK_SET)
    try:
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
    finally:
        os.lseek(fd, at, os.SEEK_SET)
