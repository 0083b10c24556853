"""strace: its lines taken apart, and short looks by it at processes that run already."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from iogauge.host import proctree

_LINE = re.compile(
    r"(?P<thread>\d+) +(?P<resumed><\.\.\. )?(?P<name>\w+)(?: resumed>|\()(?P<arguments>.*)",
    re.DOTALL,
)
_RESULT = re.compile(
    r"(?P<arguments>.*)\) += (?P<result>-?\d+|0x[0-9a-f]+|\?)(?P<rest>.*)", re.DOTALL
)
_NAMED = re.compile(r"(?:AT_FDCWD|-?\d+)<((?:[^>\\]|\\.)*)>")
_TOOK = re.compile(r"<(\d+\.\d+)>$")
_REFUSED = re.compile(r"attach: .*?\): ([^\n]*)")
_UNFINISHED = "<unfinished ...>"
_ESCAPE = re.compile(r"\\([0-7]{1,3}|x[0-9a-f]{2}|.)")
_PLAIN = {"n": 10, "t": 9, "r": 13, "f": 12, "v": 11, "a": 7, "b": 8}
_ENDS = 1.0  # s: longer than any window lasts, so that none outlives us
_BEGINS = 0.1  # s until a first call is seen: a busy machine starts it late
_LEAVES = 2.0  # s until a strace that was asked to end is killed


class Call(NamedTuple):
    """A call that ended: its thread, its arguments, its result, and in seconds what it took, where
    strace was asked for that. `opened` is the path of the descriptor that it returned.
    """

    thread: int
    name: str
    arguments: str
    result: int | None
    seconds: float | None = None
    opened: str = ""

    @property
    def path(self) -> str:
        """What its first argument, a descriptor, is; empty where it is none."""
        found = _NAMED.match(self.arguments)
        return unescaped(found[1]) if found else ""

    @property
    def failed(self) -> bool:
        return self.result is not None and self.result < 0


def find() -> str | None:
    """The strace of this machine, if it has one."""
    return shutil.which("strace")


def completed(lines: Iterable[str]) -> Iterator[Call]:
    """The calls that begin and end in these lines of `strace -f`."""
    begun: dict[tuple[str, str], str] = {}  # by thread and name, the arguments of calls that go on
    for line in lines:
        found = _LINE.fullmatch(line)
        if found is None:
            continue  # the rest of a line that began before, a signal, an exit
        thread = found["thread"]
        key, arguments = (thread, found["name"]), found["arguments"]
        if found["resumed"]:
            if key not in begun:
                continue  # it began before
            arguments = begun.pop(key) + arguments
        if arguments.endswith(_UNFINISHED):
            begun[key] = arguments.removesuffix(_UNFINISHED)
        elif ended := _RESULT.match(arguments):
            result, rest = ended["result"], ended["rest"]
            took, opened = _TOOK.search(rest), _NAMED.match(result + rest)
            yield Call(
                int(thread),
                found["name"],
                ended["arguments"],
                _number(result),
                float(took[1]) if took else None,
                unescaped(opened[1]) if opened else "",
            )


def _number(text: str) -> int | None:
    """A result: strace writes that of umask in octal digits."""
    if text == "?":
        return None
    return int(text, 8 if re.fullmatch("0[0-7]+", text) else 0)


def unescaped(text: str) -> str:
    """A path as strace writes it, with what it escapes as it is."""

    def plain(found: re.Match[str]) -> str:
        code = found[1]
        if code[0].isdigit():
            return chr(int(code, 8))
        if code[0] == "x" and len(code) == 3:
            return chr(int(code[1:], 16))
        return chr(_PLAIN.get(code, ord(code)))

    if "\\" not in text:
        return text
    return os.fsdecode(_ESCAPE.sub(plain, text).encode("latin-1", "replace"))


class Window(NamedTuple):
    """What a look by strace saw: its lines, for how long it slowed what it looked at, and the
    processor time that strace took; `why` it saw nothing, where it was refused or not started.
    """

    lines: list[str]
    seconds: float
    processor: float
    why: str | None = None


def look(
    strace: str,
    pids: Sequence[int],
    seconds: float,
    *,
    most: int,
    options: Sequence[str] = (),
    calls: str = "",
) -> Window:
    """Attach to processes with all their threads and children for so many seconds from the first
    call on, or until there are `most` lines. `calls` selects as `-e trace=` does.

    `timeout` ends strace, whatever becomes of us. A process whose strace is killed while it starts
    stays stopped, so it is asked to end, and only killed if that takes very long.
    """
    source, target = os.pipe()
    # To a file each line begins with its thread; without one only if there are several.
    command = ["timeout", "-k", "2", str(_ENDS + seconds), strace, "-f", "-qq", "-s", "0"]
    command += [*options, "-o", f"/dev/fd/{target}"]
    command += ["-e", f"trace={calls}"] if calls else []
    command += [word for pid in pids for word in ("-p", str(pid))]
    before, stopped = of_children(), {each for each in pids if _is_stopped(each)}
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=[target],
            process_group=0,  # `timeout` and strace, to end both
        )
    except OSError as error:
        os.close(source)
        return Window([], 0.0, 0.0, f"it cannot be started: {error.strerror}")
    finally:
        os.close(target)
    try:
        text = _read(source, _BEGINS, 1)
        first = time.monotonic()
        text += _read(source, seconds, most - 1) if text else b""
        process.terminate()
        _read(source, _LEAVES, sys.maxsize)  # until it has closed it
    finally:
        os.close(source)
    try:
        _, said = process.communicate(timeout=_LEAVES)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        _, said = process.communicate()
        _go_on(each for each in pids if each not in stopped)
    took, spent = time.monotonic() - first, of_children() - before
    lines = text.decode("ascii", "replace").splitlines()
    why = _REFUSED.search(said.decode("utf-8", "replace"))
    return Window(lines, took, spent, why[1] if why and not lines else None)


def _is_stopped(pid: int) -> bool:
    state = proctree.state(pid)
    return state is not None and state.letter in "Tt"


def _go_on(pids: Iterable[int]) -> None:
    """Let processes go on that a killed strace has left stopped."""
    for pid in pids:
        if _is_stopped(pid):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGCONT)


def end(pids: Iterable[int], output: str) -> list[int]:
    """End what of these is a strace that writes to `output`; the others. What it traces goes on
    without it. One that was started with `-D` heeds no other signal.
    """
    others = []
    for pid in pids:
        if output in proctree.words(pid) and proctree.executable(pid).endswith("/strace"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        else:
            others.append(pid)
    return others


def of_children() -> float:
    """Seconds of processor time of all that this process has waited for."""
    found = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found.ru_utime + found.ru_stime


def _read(source: int, seconds: float, most: float) -> bytes:
    """What comes in so many seconds, until the end, or until there are so many lines."""
    until = time.monotonic() + seconds
    waiting = select.poll()
    waiting.register(source, select.POLLIN)
    parts: list[bytes] = []
    lines = 0
    while lines < most and (left := until - time.monotonic()) > 0:
        if not waiting.poll(left * 1000):
            continue
        part = os.read(source, 1 << 16)
        if not part:
            break
        parts.append(part)
        lines += part.count(b"\n")
    return b"".join(parts)
