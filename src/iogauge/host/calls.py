"""Calls that not every system has. Where one is missing, it raises OSError as a file system does
that does not support it: callers need no other case.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from typing import Any, cast

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LINUX = sys.platform == "linux"
"""Whether numbers of Linux (of ioctls and system calls) mean here what they mean there."""
BINARY = getattr(os, "O_BINARY", 0)
"""Goes into the flags of os.open: without it Windows writes ends of lines in its own way."""

_LOCKED_BYTE = 1 << 40  # Windows locks bytes against readers too: one that no file of ours has


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


def lock(fd: int) -> None:
    """Lock a file against other processes until it is closed. Raises OSError if one holds it."""
    if fcntl is not None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    import msvcrt  # Windows

    at = os.lseek(fd, 0, os.SEEK_CUR)
    os.lseek(fd, _LOCKED_BYTE, os.SEEK_SET)
    try:
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
    finally:
        os.lseek(fd, at, os.SEEK_SET)
