"""Processes: how we start and end others, read what they write to pipes, and which signals end us.
Each system has its own ways.
"""

from __future__ import annotations

import contextlib
import os
import select
import selectors
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from functools import cache
from typing import IO, Any, Generic, Protocol, TypeVar, cast

import psutil

from iogauge.host import calls

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

_PR_SET_PDEATHSIG = 1
_SETS_SIGNAL = ("setpriv", "--pdeathsig", "KILL", "--")
_GROUPS = hasattr(os, "killpg")
_SIGNALLED = calls.known("prctl")  # a process can be sent a signal when its parent ends
_prctl = calls.libc("prctl")
_ENDS = ("SIGINT", "SIGTERM", "SIGHUP")  # not every system has all
_AT_ONCE = 1 << 20  # bytes that are read ahead
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


def allow_many_files() -> None:
    """A fork takes six descriptors; dozens of forks pass the usual soft limit."""
    if resource is None:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):  # macOS has a limit below its hard limit
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


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


class Pipe(Protocol):
    """The end of a pipe that is read as data comes, without waiting."""

    def read(self, most: int) -> bytes | None:
        """So many bytes of what is there; None where nothing is, b"" at its end. Raises OSError."""

    def close(self) -> None: ...


def opened(file: IO[bytes]) -> Pipe:
    """The pipe that a process was started with. It is closed with what is returned."""
    return _Polled(file) if _POLLED else _ReadAhead(file)


class _Polled:
    def __init__(self, file: IO[bytes]):
        self.read, self.close, self.fileno = file.read, file.close, file.fileno
        os.set_blocking(file.fileno(), False)


class _ReadAhead:
    """A thread reads ahead: Windows can neither read without waiting nor wait for several."""

    changed = threading.Condition()  # of any of them: who waits, waits for several

    def __init__(self, file: IO[bytes]):
        self._file = file
        self._received, self._ended = bytearray(), False
        threading.Thread(target=self._read_on, daemon=True).start()

    def _read_on(self) -> None:
        while True:
            try:
                chunk = os.read(self._file.fileno(), _AT_ONCE)
            except (OSError, ValueError):  # closed
                chunk = b""
            with self.changed:
                self._received += chunk
                self._ended = not chunk
                self.changed.notify_all()
            if not chunk:
                self._file.close()
                return

    @property
    def ready(self) -> bool:
        return bool(self._received) or self._ended

    def read(self, most: int) -> bytes | None:
        with self.changed:
            if not self.ready:
                return None
            chunk = bytes(self._received[:most])
            del self._received[:most]
            return chunk

    def close(self) -> None:
        """Nothing: its thread closes it at its end. Until then nobody else may."""


class Waiting(Generic[_Key]):
    """Waits for several pipes, each known by a key. Close it when done."""

    def __init__(self) -> None:
        self._pipes: dict[_Key, Pipe] = {}
        self._selector = selectors.DefaultSelector() if _POLLED else None

    def add(self, key: _Key, pipe: Pipe) -> None:
        self._pipes[key] = pipe
        if self._selector:
            self._selector.register(cast(_Polled, pipe), selectors.EVENT_READ, key)

    def remove(self, key: _Key) -> None:
        pipe = self._pipes.pop(key)
        if self._selector:
            self._selector.unregister(cast(_Polled, pipe))

    def wait(self, seconds: float) -> list[_Key]:
        """The keys of the pipes that have something to read, or have ended."""
        if self._selector:
            return [key.data for key, _ in self._selector.select(seconds)]
        with _ReadAhead.changed:
            _ReadAhead.changed.wait_for(self._ready, seconds)
            return self._ready()

    def _ready(self) -> list[_Key]:
        return [key for key, pipe in self._pipes.items() if cast(_ReadAhead, pipe).ready]

    def close(self) -> None:
        if self._selector:
            self._selector.close()
