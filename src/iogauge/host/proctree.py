"""Processes of others as /proc shows them: who descends from whom, what each has read and written,
in which call its threads wait, and what its descriptors are.

Each function looks once. Of a process that is gone or may not be looked at it tells nothing.
"""

from __future__ import annotations

import os
import platform
import random
import re
from contextlib import suppress
from typing import NamedTuple

from iogauge.model.watched import Target

_TICK = 1 / (os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100)
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_IGNORES_CHILDREN = 1 << 16  # SIGCHLD, in a mask of signals
_PART = 2048  # bytes of a file of /proc: of more, the first read may not have all
_READABLE = re.compile(rb"\S+ r(?:--[ps]|w-p) \S+ \S+ ([1-9]\d*) +(/.*)", re.DOTALL)
"""A line of /proc/PID/maps: a file that is mapped to be read."""
_MOST_THREADS = 32  # of a process that are looked at, of more a part
_FILES = {
    "x86_64": {
        **{0: "read", 1: "write", 17: "pread64", 18: "pwrite64", 19: "readv", 20: "writev"},
        **{295: "preadv", 296: "pwritev", 327: "preadv2", 328: "pwritev2"},
        **{74: "fsync", 75: "fdatasync", 277: "sync_file_range", 306: "syncfs", 26: "msync"},
        **{40: "sendfile", 326: "copy_file_range", 275: "splice", 285: "fallocate"},
        **{2: "open", 257: "openat", 3: "close", 4: "stat", 5: "fstat", 262: "newfstatat"},
        **{77: "ftruncate", 78: "getdents", 217: "getdents64", 87: "unlink", 263: "unlinkat"},
        **{82: "rename", 264: "renameat", 316: "renameat2", 73: "flock", 162: "sync"},
    },
    "aarch64": {
        **{63: "read", 64: "write", 65: "readv", 66: "writev", 67: "pread64", 68: "pwrite64"},
        **{69: "preadv", 70: "pwritev", 286: "preadv2", 287: "pwritev2"},
        **{82: "fsync", 83: "fdatasync", 84: "sync_file_range", 267: "syncfs", 227: "msync"},
        **{71: "sendfile", 285: "copy_file_range", 76: "splice", 47: "fallocate"},
        **{56: "openat", 57: "close", 79: "newfstatat", 80: "fstat", 46: "ftruncate"},
        **{61: "getdents64", 35: "unlinkat", 38: "renameat", 276: "renameat2", 32: "flock"},
        **{81: "sync"},
    },
}
_NAMES = _FILES.get(platform.machine(), {})
"""Calls for files by their numbers."""
_WITHOUT_FILE = {"open", "openat", "stat", "newfstatat", "sync", "unlink", "unlinkat", "msync"}
_WITHOUT_FILE |= {"rename", "renameat", "renameat2"}
_DURABLE = {"fsync", "fdatasync", "syncfs", "sync_file_range"}


class Did(NamedTuple):
    """What a process did since it began, with the children that it waited for."""

    read_calls: int
    write_calls: int
    read_bytes: int
    written_bytes: int
    device_read_bytes: int
    device_written_bytes: int


class Waiting(NamedTuple):
    """A thread that waits in a call for files, and its descriptor, where the call has one."""

    name: str
    descriptor: int | None


class Look(NamedTuple):
    """At the threads of a process: how many were looked at, of how many, and what they wait in."""

    threads: int
    seen: int
    waiting: list[Waiting]
    refused: bool


class State(NamedTuple):
    """Its parent, its state (one letter), its threads, and in seconds its processor time, that of
    the children that it waited for, and its start after that of the machine. Faults have those of
    the children, too. `stack` is where its stack begins, which is elsewhere after an exec; 0 where
    that may not be seen. `own_minor_faults` are those without the children's.
    """

    parent: int
    letter: str
    threads: int
    user: float
    system: float
    children_user: float
    children_system: float
    minor_faults: int
    major_faults: int
    began: float
    stack: int = 0
    own_minor_faults: int = 0


def read(path: str) -> bytes:
    """The content of a file of /proc that has one page at most; nothing where it cannot be read."""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(file, 1 << 14)
    except OSError:
        return b""
    finally:
        os.close(file)


def _whole(path: str) -> bytes:
    """The same of one that may be longer, which the kernel gives page by page."""
    if len(text := read(path)) < _PART:
        return text
    with suppress(OSError), open(path, "rb", buffering=0) as file:
        return file.read()
    return b""


def descendants(of: int) -> list[int]:
    """The pids of all processes below this one."""
    found, waiting = list[int](), [of]
    while waiting:
        parent = waiting.pop()
        with suppress(OSError):
            for thread in os.listdir(f"/proc/{parent}/task"):
                children = _whole(f"/proc/{parent}/task/{thread}/children").split()
                waiting += map(int, children)
                found += map(int, children)
    return found


def threads(pid: int) -> list[int]:
    """The numbers of its threads."""
    try:
        return [*map(int, os.listdir(f"/proc/{pid}/task"))]
    except OSError:
        return []


def did(pid: int) -> Did | None:
    """Its account; None where the kernel does not tell, as of programs that change their user."""
    fields = read(f"/proc/{pid}/io").split()
    if len(fields) < 14:
        return None
    read_bytes, written, reads, writes, from_device, to_device = map(int, fields[1:12:2])
    return Did(reads, writes, read_bytes, written, from_device, to_device)


def is_ours(pid: int) -> bool:
    """Whether a process belongs to our own user."""
    try:
        return os.stat(f"/proc/{pid}").st_uid == os.geteuid()
    except OSError:
        return False


def has_accounts() -> bool:
    """Whether this kernel keeps accounts of what processes read and write."""
    return did(os.getpid()) is not None


def state(pid: int) -> State | None:
    fields = read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    if len(fields) < 20:
        return None
    return State(
        parent=int(fields[1]),
        letter=fields[0].decode(),
        threads=int(fields[17]),
        user=int(fields[11]) * _TICK,
        system=int(fields[12]) * _TICK,
        children_user=int(fields[13]) * _TICK,
        children_system=int(fields[14]) * _TICK,
        minor_faults=int(fields[7]) + int(fields[8]),
        major_faults=int(fields[9]) + int(fields[10]),
        began=int(fields[19]) * _TICK,
        stack=int(fields[25]) if len(fields) > 25 else 0,
        own_minor_faults=int(fields[7]),
    )


def look(pid: int) -> Look:
    """In which calls for files its threads wait now. One that computes, or reads what is in the
    cache, is seen running.
    """
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return Look(0, 0, [], refused=False)
    some = threads if len(threads) <= _MOST_THREADS else _part(threads)
    waiting, refused = list[Waiting](), False
    for thread in some:
        try:
            file = os.open(f"/proc/{pid}/task/{thread}/syscall", os.O_RDONLY)
        except OSError:
            continue
        try:
            fields = os.read(file, 256).split()
        except PermissionError:
            refused = True
            continue
        except OSError:
            continue
        finally:
            os.close(file)
        name = _NAMES.get(int(fields[0])) if fields and fields[0].isdigit() else None
        if name:
            at = None if name in _WITHOUT_FILE else int(fields[1], 16)
            waiting.append(Waiting(name, at))
    return Look(len(threads), len(some), waiting, refused)


def _part(threads: list[str]) -> list[str]:
    """So many of them, others each time."""
    step = -(-len(threads) // _MOST_THREADS)
    return threads[random.randrange(step) :: step]


RING = "anon_inode:[io_uring]"
"""What the kernel calls an io_uring: no call shows what a program does by it."""


class Open(NamedTuple):
    """A file that is open: its path, and for what; or an io_uring, for neither."""

    path: str
    reads: bool
    writes: bool


def open_files(pid: int, most: int = 64) -> list[Open]:
    """The files that it has open, and its io_uring, of so many descriptors."""
    found = []
    with suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd")[:most]:
            with suppress(OSError):
                path = os.readlink(f"/proc/{pid}/fd/{name}")
                if target(path) == "file":
                    # The rights of the link are those of the descriptor.
                    mode = os.lstat(f"/proc/{pid}/fd/{name}").st_mode
                    found.append(Open(path, bool(mode & 0o400), bool(mode & 0o200)))
                elif path == RING:
                    found.append(Open(path, reads=False, writes=False))
    return found


class Mapped(NamedTuple):
    """A file that a process has mapped to read it: its path, and its number on its file system."""

    path: str
    inode: int


def mapped_files(pid: int, least: int) -> dict[Mapped, int]:
    """The files of which it has mapped at least so many bytes in a piece to read them, and how many
    in all such pieces. Programs and libraries are none of them, nor are files that are written
    through their mapping.
    """
    found: dict[Mapped, int] = {}
    lines: list[bytes] = []
    with suppress(OSError), open(f"/proc/{pid}/maps", "rb", buffering=0) as file:
        lines = file.read().split(b"\n")
    for line in lines:
        begins, _, ends = line.partition(b" ")[0].partition(b"-")
        length = int(ends or b"0", 16) - int(begins or b"0", 16)
        if length >= least and (one := _READABLE.fullmatch(line)):
            path = os.fsdecode(one[2]).replace(r"\012", "\n")
            if target(path) == "file" and not path.endswith(" (deleted)"):
                mapped = Mapped(path, int(one[1]))
                found[mapped] = found.get(mapped, 0) + length
    others = {
        int(fields[4])
        for fields in (line.split(maxsplit=5) for line in lines if found)
        if len(fields) == 6 and (b"x" in fields[1] or fields[1].endswith(b"w-s"))
    }
    return {file: length for file, length in found.items() if file.inode not in others}


class Resident(NamedTuple):
    """Bytes that a process has in memory now: of its own, and of files and what it shares."""

    own: int
    files: int


def resident(pid: int) -> Resident:
    fields = read(f"/proc/{pid}/statm").split()
    if len(fields) < 3:
        return Resident(0, 0)
    return Resident(max(0, int(fields[1]) - int(fields[2])) * _PAGE, int(fields[2]) * _PAGE)


def descriptor(pid: int, number: int) -> str:
    """What one of them is; empty where nobody can tell."""
    try:
        return os.readlink(f"/proc/{pid}/fd/{number}")
    except OSError:
        return ""


def executable(pid: int) -> str:
    """The path of its program; empty where nobody can tell."""
    try:
        return os.readlink(f"/proc/{pid}/exe").removesuffix(" (deleted)")
    except OSError:
        return ""


def text(pid: int, part: int) -> bytes:
    """The beginning and the end of its program, so many bytes each; nothing where it may not be
    read.
    """
    try:
        with open(f"/proc/{pid}/exe", "rb") as file:
            head = file.read(part)
            if len(head) == part:
                file.seek(max(part, os.fstat(file.fileno()).st_size - part))
                head += file.read(part)
            return head
    except OSError:
        return b""


def words(pid: int) -> list[str]:
    """Its command line."""
    text = _whole(f"/proc/{pid}/cmdline")
    return [os.fsdecode(word) for word in text.split(b"\0")[:-1]]


def folder(pid: int) -> str:
    """Its current folder; empty where nobody can tell."""
    try:
        return os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return ""


def libraries(pid: int) -> set[str]:
    """The names of the files that it has mapped as code."""
    found: set[str] = set()
    with suppress(OSError), open(f"/proc/{pid}/maps", "rb") as file:
        for line in file:
            fields = line.split(maxsplit=5)
            if len(fields) == 6 and b"x" in fields[1] and fields[5].startswith(b"/"):
                found.add(os.path.basename(os.fsdecode(fields[5].rstrip(b"\n"))))
    return found


def hides_children(pid: int) -> bool:
    """Whether it ignores the ends of its children: then nobody gets their account."""
    for line in read(f"/proc/{pid}/status").split(b"\n"):
        if line.startswith(b"SigIgn:"):
            return bool(int(line.split()[1], 16) & _IGNORES_CHILDREN)
    return False


def handles(pid: int, number: int) -> bool:
    """Whether it has a handler for a signal."""
    for line in read(f"/proc/{pid}/status").split(b"\n"):
        if line.startswith(b"SigCgt:"):
            return bool(int(line.split()[1], 16) >> (number - 1) & 1)
    return False


def is_for_file(name: str, path: str) -> bool:
    """Whether a call on this waits for a file or a device; on a pipe, a socket or a terminal it
    waits for somebody.
    """
    return name in _WITHOUT_FILE | _DURABLE or target(path) in ("file", "device")


def target(path: str) -> Target:
    """What a call on this goes to, by the name that the kernel gives it."""
    if path == os.devnull:
        return "null"
    if path.startswith(("/dev/pts/", "/dev/tty", "/dev/console")):
        return "terminal"
    if path.startswith(("/proc/", "/sys/", "anon_inode:")):
        return "kernel"
    if path.startswith("pipe:"):
        return "pipe"
    if path.startswith("socket:"):
        return "socket"
    if path.startswith("/dev/") and not path.startswith("/dev/shm/"):
        return "device"
    if path.startswith("/"):
        return "file"
    return "unknown"
