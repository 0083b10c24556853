"""Processes: how we start and end others, read what they write to pipes, and which signals end us.
Each system has its own ways.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar

import psutil

from iogauge.host import kernel

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

_PR_SET_PDEATHSIG = 1
_SETS_SIGNAL = ("setpriv", "--pdeathsig", "KILL", "--")
_GROUPS = hasattr(os, "killpg")
_SIGNALLED = kernel.known("prctl")  # a process can be sent a signal when its parent ends
_prctl = kernel.libc("prctl")
_ENDS = ("SIGINT", "SIGTERM", "SIGHUP")  # not every system has all
_AT_ONCE = 1 << 20  # bytes that are read ahead
_PART, _KEPT = 64 << 10, 64 << 10  # bytes: of one read of what a process says, and of what is kept
_END = 0.2  # seconds until the end of a pipe is read whose process has ended
_USUALLY_OPEN = 16  # files of this process, where the system does not tell
_POLLED = hasattr(select, "poll")
_Key = TypeVar("_Key")


def apart() -> dict[str, Any]:
    """Arguments for Popen: Ctrl-C does not reach the process, and end() ends its children, too."""
    if _GROUPS:
        return {"start_new_session": True}
    return {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}  # Windows


def spawn(command: list[str], **settings: Any) -> subprocess.Popen[bytes]:
    """A process apart that is killed when the thread that started it ends. Raises OSError.

    A program sets that signal, because a function of ours between fork and exec makes Python copy
    its page tables: 18 ms instead of 0.3 for a process of 250 MiB, which then writes into its
    memory at a page fault each. It does so within a millisecond; of a host that dies before, a
    runner finds the end of its input. Where there is no such signal, that is all it finds.
    """
    settings |= apart()
    if not _SIGNALLED:
        return subprocess.Popen(command, **settings)
    if not _sets_signal() or shutil.which(command[0]) is None:  # so that it raises by itself
        return subprocess.Popen(command, preexec_fn=_die_with(os.getpid()), **settings)
    return subprocess.Popen([*_SETS_SIGNAL, *command], **settings)


@cache
def _sets_signal() -> bool:
    """Whether there is such a program: that of util-linux is, that of BusyBox is not."""
    command = [*_SETS_SIGNAL, "true"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0


def _die_with(host: int) -> Any:
    def in_child() -> None:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != host:  # the host died before the signal was set
            os._exit(1)

    return in_child


def thread_seconds(pid: int, names: tuple[str, ...]) -> float | None:
    """Processor time so far of those of a process's threads whose names begin so; None where the
    kernel does not tell.
    """
    total, beginnings = 0.0, tuple(each.encode() for each in names)
    try:
        for thread in os.scandir(f"/proc/{pid}/task"):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
                if Path(thread.path, "comm").read_bytes().startswith(beginnings):
                    total += int(Path(thread.path, "schedstat").read_bytes().split()[0]) / 1e9
    except OSError:
        return None
    return total


def end(process: subprocess.Popen[Any]) -> None:
    """End a process that was started apart, with all that it may have started, at once."""
    if _GROUPS:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        return
    started: list[psutil.Process] = []
    with contextlib.suppress(psutil.NoSuchProcess):
        started = psutil.Process(process.pid).children(recursive=True)
    for each in (process, *started):
        with contextlib.suppress(OSError, psutil.NoSuchProcess):
            each.kill()


def ends(process: subprocess.Popen[Any], timeout: float) -> bool:
    """Whether a process ends in time. Python would look at ever longer intervals, up to 50 ms."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except (AttributeError, OSError):  # no Linux, or one before 5.3; or it was waited for already
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout)
        return process.returncode is not None
    try:
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        return bool(waiting.poll(timeout * 1000))
    finally:
        os.close(descriptor)


def how_ended(status: int) -> str:
    """How a process ended, by its return code."""
    if status < 0:
        return f"died of {signal.Signals(-status).name}"
    return f"exited with status {status}"


class Files(NamedTuple):
    """How many files this process may have open at a time, and how many more than it has now."""

    limit: int
    left: int


def allow_many_files() -> None:
    """Dozens of forks pass the usual soft limit of open files: it is raised as far as it may be."""
    if resource is None:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):  # macOS has a limit below its hard limit
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def files() -> Files | None:
    """The files that this process may open, after raising the limit; None where there is none."""
    if resource is None:
        return None
    allow_many_files()
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        used = len(os.listdir("/dev/fd"))
    except OSError:  # no /proc is mounted, or none of it is left
        used = _USUALLY_OPEN
    return Files(limit, max(0, limit - used))


@contextlib.contextmanager
def interruptions() -> Iterator[list[int]]:
    """Let SIGTERM and SIGHUP end a run as Ctrl-C does. Yields the signals that arrived."""
    arrived: list[int] = []

    def interrupt(number: int, frame: object) -> None:
        arrived.append(number)
        raise KeyboardInterrupt

    ends = [getattr(signal, name) for name in _ENDS if hasattr(signal, name)]
    # What the user had ignored (nohup) stays ignored.
    heeded = [each for each in ends if signal.getsignal(each) is not signal.SIG_IGN]
    before = {number: signal.signal(number, interrupt) for number in heeded}
    try:
        yield arrived
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def leave_interrupts() -> None:
    """Leave Ctrl-C to the process that started this one: it reaches both."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class Pipe:
    """The end of a pipe that is read as data comes, without waiting. The file that a process was
    started with is closed with it.

    Windows can neither read without waiting nor wait for several: there a thread reads ahead.
    """

    _changed = threading.Condition()  # of any of them: who waits, waits for several

    def __init__(self, file: IO[bytes]):
        self.file = file
        self._received, self._ended = bytearray(), False
        if _POLLED:
            os.set_blocking(file.fileno(), False)
        else:
            threading.Thread(target=self._read_on, daemon=True).start()

    def read(self, most: int) -> bytes | None:
        """So many bytes of what is there; None where nothing is, b"" at its end. Raises OSError."""
        if _POLLED:
            return self.file.read(most)
        with self._changed:
            chunk = bytes(self._received[:most])
            del self._received[:most]
            return chunk if chunk or self._ended else None

    def close(self) -> None:
        """A thread that reads ahead closes it at its end. Until then nobody else may."""
        if _POLLED:
            self.file.close()

    def _read_on(self) -> None:
        chunk = b"begin"
        while chunk:
            try:
                chunk = os.read(self.file.fileno(), _AT_ONCE)
            except (OSError, ValueError):  # closed
                chunk = b""
            with self._changed:
                self._received += chunk
                self._ended = not chunk
                self._changed.notify_all()
        self.file.close()

    @classmethod
    def ready(cls, pipes: Mapping[_Key, Pipe], seconds: float) -> list[_Key]:
        """Wait until some have something to read, or have ended; their keys. None after a while."""
        if _POLLED:
            numbers = {each.file.fileno(): key for key, each in pipes.items()}
            waiting = select.poll()
            for number in numbers:
                waiting.register(number, select.POLLIN)
            return [numbers[number] for number, _ in waiting.poll(seconds * 1000)]

        def found() -> list[_Key]:
            return [key for key, each in pipes.items() if each._received or each._ended]

        with cls._changed:
            cls._changed.wait_for(found, seconds)
            return found()


class Said:
    """What a process writes to a pipe: how much, and the end of it. A thread reads it as it comes,
    so that no writer waits for long, nothing is written to a disk and no memory fills up. It sleeps
    in one call while nothing is written. A child that keeps the pipe open holds nobody up.
    """

    def __init__(self, file: IO[bytes]):
        self._file, self._read, self._tail = file, 0, b""
        self._taking = threading.Lock()  # else what is read, but not counted yet, is in neither
        self._thread = threading.Thread(target=self._read_on, daemon=True)
        self._thread.start()

    @property
    def count(self) -> int:
        """Bytes so far, with those that are still in the pipe."""
        with self._taking:
            waiting = kernel.unread(self._file) if self._thread.is_alive() else 0
            return self._read + waiting

    def end(self) -> bytes:
        """The last bytes. Of a process that has ended, all of them are there."""
        self._thread.join(_END)
        return self._tail

    def _read_on(self) -> None:
        with self._file as file, contextlib.suppress(OSError):
            while self._take(file.fileno()):
                pass

    def _take(self, descriptor: int) -> bool:
        """Take a part, once there is one; whether there may be more."""
        if not _POLLED:  # it waits in the read, which may hold no lock
            part = os.read(descriptor, _PART)
            self._count(part)
            return bool(part)
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        waiting.poll()
        with self._taking:
            part = os.read(descriptor, _PART)
            self._count(part)
        return bool(part)

    def _count(self, part: bytes) -> None:
        self._tail = (self._tail + part)[-_KEPT:]
        self._read += len(part)
