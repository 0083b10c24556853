"""What a running process is in the middle of: its stacks, as its runtime or strace can tell them
without a debugger.

Each way looks once, in some milliseconds, at a process of one's own. What it cannot see is no
stack. Frames begin with the innermost.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, Self

from iogauge.host import proctree, strace

_MOMENT = 0.1  # s: most virtual machines that are asked to listen do by then
_ATTACHES = 2.0  # s that others may take at the end
_GLANCE = 0.01  # s between looks whether it does
_LOOKS = 2.0  # s that a helper may take
_LENGTH, _LINES = 0.012, 150  # s and lines of a look by strace
_FRAME = re.compile(r" > (?P<file>.*?)\((?P<function>.*)\+0x[0-9a-f]+\) \[0x(?P<at>[0-9a-f]+)\]")
_AT = re.compile(r"^\tat (?P<function>[^(]+)\((?P<where>[^)]*)\)")
_RUNNING = "java.lang.Thread.State: RUNNABLE"
_LOADABLE = 1


class Frame(NamedTuple):
    """A function, with the file and line of its source, or with the program that has it and the
    offset of its code in there, which `lines` turns into a line.
    """

    function: str
    file: str = ""
    line: int | None = None
    offset: int | None = None


class Stacks(NamedTuple):
    """The stacks of threads that work, and what the look cost: processor time of a helper, and how
    long the process may have stood still.
    """

    stacks: list[list[Frame]]
    processor: float = 0.0
    stopped: float = 0.0
    is_asked: bool = False


def of_interpreter(pid: int) -> Stacks:
    """By py-spy, which reads the memory of an interpreter from outside, and does not stop it."""
    program = _spy()
    if program is None:
        return Stacks([])
    before = strace.of_children()
    try:
        done = subprocess.run(
            [program, "dump", "--pid", str(pid), "--json", "--nonblocking"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_LOOKS,
        )
        told = json.loads(done.stdout) if done.returncode == 0 else []
    except (OSError, subprocess.SubprocessError, ValueError):
        told = []
    found = [
        [Frame(each["name"], each["filename"], each["line"]) for each in thread["frames"]]
        for thread in told
        if thread.get("active") and thread["frames"]
    ]
    return Stacks(found, strace.of_children() - before)


@cache
def _spy() -> str | None:
    beside = Path(sys.executable).with_name("py-spy")
    return str(beside) if beside.exists() else shutil.which("py-spy")


class VirtualMachines:
    """Java virtual machines, by the interface through which they tell their threads, as jcmd uses
    it: a file asks one to listen, and SIGQUIT to look for that file. One that does not handle that
    signal would end by it, and is left alone.

    A machine that finds no file when it handles the signal, or listens already, prints its threads
    into the output of its program. It may handle it late, so the file stays until it listens, and
    no machine gets a second signal. A look waits for it a moment, and a later one may find it.
    """

    def __init__(self) -> None:
        self._asked: dict[tuple[int, float], _Asked] = {}  # by pid and start

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the files, after some time for machines that have not looked for theirs yet. What
        is left after that stays: an empty file is better than threads in a program's output.
        """
        until = time.monotonic() + _ATTACHES
        while self._remove() and time.monotonic() < until:
            time.sleep(_GLANCE)
        for each in self._asked.values():
            each.close()

    def _remove(self) -> bool:
        """Remove the files of those that listen now, or are gone; whether some are left."""
        for (pid, began), each in self._asked.items():
            state = proctree.state(pid)
            if state is None or state.began != began or state.letter in "ZX" or each.is_answered():
                each.remove()
        return any(each.folder is not None for each in self._asked.values())

    def look(self, pid: int) -> Stacks:
        path = f"/proc/{pid}/root/tmp/.java_pid{_inner(pid)}"
        if not os.path.exists(path) and not self._asked_now(pid, path):
            return Stacks([], is_asked=self._is_asked(pid))
        self._remove()
        began = time.monotonic()
        try:
            with socket.socket(socket.AF_UNIX) as end:
                end.settimeout(_LOOKS)
                end.connect(path)
                end.sendall(b"1\0threaddump\0\0\0\0")
                parts = []
                while part := end.recv(1 << 16):
                    parts.append(part)
        except OSError:
            return Stacks([])
        text = b"".join(parts).decode("utf-8", "replace")
        # All its threads stand still while it writes them down.
        return Stacks(_of_dump(text), 0.0, time.monotonic() - began)

    def _is_asked(self, pid: int) -> bool:
        state = proctree.state(pid)
        return state is not None and (pid, state.began) in self._asked

    def _asked_now(self, pid: int, path: str) -> bool:
        """Ask it to listen, unless it was asked before; whether it does within a moment."""
        if not self._ask(pid):
            return False
        until = time.monotonic() + _MOMENT
        while not os.path.exists(path) and time.monotonic() < until:
            time.sleep(0.002)
        return os.path.exists(path)

    def _ask(self, pid: int) -> bool:
        """Ask it to listen, unless it was asked before; whether it was asked now."""
        state = proctree.state(pid)
        if state is None or (pid, state.began) in self._asked:
            return False
        if not proctree.handles(pid, signal.SIGQUIT):
            return False
        if any("DisableAttachMechanism" in each for each in proctree.words(pid)):
            return False
        asked = _Asked(f"/proc/{pid}/root/tmp", _inner(pid))
        if not asked.made(pid):
            return False
        self._asked[pid, state.began] = asked
        try:
            os.kill(pid, signal.SIGQUIT)
        except OSError:
            asked.remove()
            return False
        return True


class _Asked:
    """The file that asks a machine to listen. Its folder is kept open, since a path through /proc
    is gone with the process.
    """

    def __init__(self, folder: str, number: int):
        self.folder: int | None = None
        self._path, self._name = folder, f".attach_pid{number}"
        self._listens = f".java_pid{number}"

    def made(self, pid: int) -> bool:
        """Make it; whether that was possible. One that is there already is of somebody else."""
        try:
            owner = os.stat(f"/proc/{pid}")
            self.folder = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY)
            flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
            file = os.open(self._name, flags, 0o600, dir_fd=self.folder)
        except OSError:
            self.close()
            return False
        with contextlib.suppress(OSError):  # it takes a file of root, too
            os.fchown(file, owner.st_uid, owner.st_gid)
        os.close(file)
        return True

    def is_answered(self) -> bool:
        try:
            os.stat(self._listens, dir_fd=self.folder)
        except OSError:
            return False
        return True

    def remove(self) -> None:
        if self.folder is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._name, dir_fd=self.folder)
        self.close()

    def close(self) -> None:
        if self.folder is not None:
            os.close(self.folder)
        self.folder = None


def _inner(pid: int) -> int:
    """The number that a process has for itself, in a container of its own."""
    for line in proctree.read(f"/proc/{pid}/status").split(b"\n"):
        if line.startswith(b"NSpid:"):
            return int(line.split()[-1])
    return pid


def _of_dump(text: str) -> list[list[Frame]]:
    """The stacks of threads that run, in a dump of all."""
    found = []
    for part in text.split("\n\n"):
        if _RUNNING not in part:
            continue
        frames = []
        for line in part.split("\n"):
            if at := _AT.match(line):
                file, _, number = at["where"].rpartition("/")[2].partition(":")
                frames.append(
                    Frame(at["function"], file, int(number) if number.isdigit() else None)
                )
        if frames:
            found.append(frames)
    return found


def at_calls(pid: int, calls: str, tracer: str | None = None) -> Stacks:
    """Of compiled code, by strace: stacks of its calls for files."""
    tracer = tracer or strace.find()
    if tracer is None:
        return Stacks([])
    look = strace.look(tracer, [pid], _LENGTH, most=_LINES, options=("-k",), calls=calls)
    found: list[list[Frame]] = []
    for line in look.lines:
        frame = _FRAME.fullmatch(line)
        if frame is None:
            found.append([])
        elif found:
            found[-1].append(Frame(frame["function"], frame["file"], None, int(frame["at"], 16)))
    return Stacks([each for each in found if each], look.processor, look.seconds)


def lines(program: str, offsets: Sequence[int]) -> list[tuple[str, int | None]]:
    """The source file and line of each offset in a program's file, behind a call; an empty name
    where nobody can tell. It may take a second for a large program.
    """
    nothing: list[tuple[str, int | None]] = [("", None)] * len(offsets)
    tool, places = shutil.which("addr2line"), _addresses(program, offsets)
    if tool is None or not places:
        return nothing
    try:
        done = subprocess.run(
            [tool, "-e", program, *[hex(each - 1) for each in places]],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=10 * _LOOKS,
        )
    except (OSError, subprocess.SubprocessError):
        return nothing
    told = done.stdout.splitlines()
    if len(told) != len(offsets):
        return nothing
    return [_place(each) for each in told]


def _place(told: str) -> tuple[str, int | None]:
    """`/x/main.c:12 (discriminator 3)` as a path and a number."""
    file, _, number = told.partition(" (")[0].rpartition(":")
    if not file or file.startswith("??"):
        return "", None
    return file, int(number) if number.isdigit() and number != "0" else None


def _addresses(program: str, offsets: Sequence[int]) -> list[int]:
    """The addresses that a program's file gives to what is at these offsets in it."""
    try:
        with open(program, "rb") as file:
            head = file.read(64)
            if head[:5] != b"\x7fELF\x02":
                return []
            table, size, count = (
                *struct.unpack_from("<Q", head, 32),
                *struct.unpack_from("<HH", head, 54),
            )
            file.seek(table)
            segments = [file.read(size) for _ in range(count)]
    except (OSError, struct.error):
        return []
    known = []
    for each in segments:
        kind, _, begins, address, _, length = struct.unpack_from("<IIQQQQ", each)
        if kind == _LOADABLE:
            known.append((begins, begins + length, address))
    found = [
        next((address + at - begins for begins, ends, address in known if begins <= at < ends), at)
        for at in offsets
    ]
    return found
