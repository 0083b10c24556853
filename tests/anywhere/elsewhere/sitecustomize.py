"""This system as if it were macOS or Windows: with this folder in PYTHONPATH, iogauge lacks what
the system that `IOGAUGE_TEST_ELSEWHERE` names (macos, windows) does not have.

Modules of iogauge, and only these, are given an `os`, `sys`, `signal`, `select` and `ctypes` without
it, and cannot import modules that are not there: what the standard library and other packages do
elsewhere is not ours to test, and their code for elsewhere cannot be loaded here. For the same
reason `os.name` stays. Files in /proc and /sys exist for nobody but psutil, which has other sources
elsewhere. Calls are taken away, none behaves in another way: this shows what iogauge needs of
Linux, and is no proof that it works elsewhere.
"""

from __future__ import annotations

import builtins
import ctypes
import errno
import io
import os
import select
import signal
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

_HIDDEN = ("/proc", "/sys")
_MACOS = {
    "os": (
        *("posix_fadvise", "posix_fallocate", "sched_getaffinity", "sched_setaffinity"),
        *("memfd_create", "fdatasync", "pidfd_open", "O_TMPFILE", "O_DIRECT", "copy_file_range"),
        *("splice", "eventfd", "listxattr", "getxattr", "setxattr", "getrandom"),
        *("POSIX_FADV_SEQUENTIAL", "POSIX_FADV_DONTNEED", "POSIX_FADV_NORMAL"),
    ),
    "select": ("epoll",),
    "signal": ("SIGRTMIN", "SIGRTMAX"),
}
_WINDOWS = {
    "os": (
        *_MACOS["os"],
        *("sysconf", "statvfs", "fstatvfs", "ST_NOEXEC", "O_CLOEXEC", "SEEK_DATA", "SEEK_HOLE"),
        *("geteuid", "getuid", "getgid", "getegid", "chown", "fchown", "fchmod", "uname", "nice"),
        *("pread", "pwrite", "readv", "writev", "preadv", "pwritev", "sync", "set_blocking"),
        *("killpg", "getpgid", "setsid", "getsid", "fork", "mkfifo", "mknod", "getloadavg"),
        *("major", "minor"),
    ),
    "select": ("epoll", "poll"),
    "signal": (
        *("SIGHUP", "SIGKILL", "SIGPIPE", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGQUIT", "SIGCHLD"),
        *("SIGSTOP", "SIGCONT", "SIGTSTP", "SIGWINCH", "pthread_sigmask", "sigwait"),
    ),
}
_NO_MODULES = {
    "macos": (),
    "windows": ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog"),
}


class _Lacking(types.ModuleType):
    """A module without some of its names, and with others in their place."""

    def __init__(self, module: Any, without: Iterable[str], **instead: Any):
        super().__init__(module.__name__)
        vars(self)["_lacking"] = (module, frozenset(without), instead)

    def __getattr__(self, name: str) -> Any:
        module, without, instead = vars(self)["_lacking"]
        if name in without:
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        return instead[name] if name in instead else getattr(module, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(vars(self)["_lacking"][0], name, value)


def _as_if_on(system: str) -> None:
    windows = system == "windows"
    lacking = _WINDOWS if windows else _MACOS
    given: dict[str, Any] = {
        "os": _Lacking(os, lacking["os"]),
        "select": _Lacking(select, lacking["select"]),
        "signal": _Lacking(signal, lacking["signal"]),
        "sys": _Lacking(sys, (), platform="win32" if windows else "darwin"),
        "ctypes": _Lacking(ctypes, (), CDLL=_no_library if windows else _LibraryOfMacOS),
    }
    if windows:
        given["msvcrt"] = _msvcrt()
        _without_groups()
    builtins.__import__ = _importing(builtins.__import__, given, _NO_MODULES[system])
    _hide_files()
    _show_one_mount("NTFS" if windows else "apfs")


def _importing(before: Callable[..., Any], given: dict[str, Any], without: Iterable[str]) -> Any:
    def importing(name: str, names: Any = None, *others: Any, **named: Any) -> Any:
        if (names or {}).get("__name__", "").partition(".")[0] == "iogauge":
            if name in given:
                return given[name]
            if name in without:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return before(name, names, *others, **named)

    return importing


def _hide_files() -> None:
    for module, name in (
        *((builtins, "open"), (io, "open"), (io, "FileIO"), (os, "access")),
        *((os, each) for each in ("open", "stat", "lstat", "listdir", "scandir", "readlink")),
    ):
        if name != "FileIO":  # a class: others inherit from it
            setattr(module, name, _hiding(getattr(module, name), answers=name == "access"))


def _hiding(call: Callable[..., Any], *, answers: bool) -> Callable[..., Any]:
    def hiding(path: Any = ".", *others: Any, **named: Any) -> Any:
        if not isinstance(path, int):
            text = os.fsdecode(path)
            if text.startswith(_HIDDEN) and f"{text}/".startswith(_FOLDERS) and not _for_psutil():
                if answers:
                    return False
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), text)
        return call(path, *others, **named)

    return hiding


_FOLDERS = tuple(f"{each}/" for each in _HIDDEN)


def _for_psutil() -> bool:
    frame: types.FrameType | None = sys._getframe(2)
    while frame:
        if frame.f_globals.get("__name__", "").partition(".")[0] == "psutil":
            return True
        frame = frame.f_back
    return False


def _show_one_mount(kind: str) -> None:
    import psutil

    shown = types.SimpleNamespace(mountpoint="/", fstype=kind, opts="rw", device="")
    psutil.disk_partitions = lambda all=False: [shown]  # noqa: A002


class _LibraryOfMacOS(ctypes.CDLL):
    def __getattr__(self, name: str) -> Any:
        if name in ("syncfs", "prctl", "cachestat"):
            raise AttributeError(name)
        return super().__getattr__(name)


def _no_library(name: str | None, **named: Any) -> Any:
    raise TypeError("LoadLibrary() argument 1 must be str, not None")


def _msvcrt() -> Any:
    """A module as Windows has: it locks bytes."""
    import fcntl

    def locking(fd: int, mode: int, length: int) -> None:
        fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB, length, os.lseek(fd, 0, os.SEEK_CUR))

    return types.SimpleNamespace(locking=locking, LK_NBLCK=2)


def _without_groups() -> None:
    """What Popen does not take on Windows, and what waits for sockets only."""
    import selectors
    import subprocess

    begin = subprocess.Popen.__init__

    def without_groups(self: Any, *arguments: Any, **named: Any) -> None:
        if named.get("preexec_fn") or named.get("start_new_session"):
            raise ValueError("preexec_fn and start_new_session are not supported on Windows")
        begin(self, *arguments, **{**named, "creationflags": 0})

    subprocess.Popen.__init__ = without_groups  # type: ignore[method-assign]
    del selectors.DefaultSelector


if "IOGAUGE_TEST_ELSEWHERE" in os.environ:
    _as_if_on(os.environ["IOGAUGE_TEST_ELSEWHERE"])
