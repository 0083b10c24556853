"""On which processor a thread runs that measures.

On a virtual machine one processor may be a fifth slower than another for some milliseconds, as
others use what it shares with them. Processes that take turns stay on processors of their own, so
this would be a difference between them. So the thread that runs is bound for as long as a sample
takes to the processor on which the first one of its replicate ran; the system chose that. Other
threads of the process, such as those that collect garbage, run where they like.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

_STATE, _USER, _SYSTEM, _PROCESSOR = 0, 11, 12, 36  # fields of `stat` behind the name
_AT_ONCE = 1024  # bytes of it


class _Running(NamedTuple):
    """A thread that runs; `ticks` of processor time so far."""

    ticks: int
    thread: int
    processor: int


class Placement:
    """Binds threads, `after` so many seconds of a request; with 0, and where there is one processor
    or no way to bind, it does nothing.
    """

    def __init__(self, after: float):
        able = hasattr(os, "sched_setaffinity") and Path("/proc/self/task").is_dir()
        self._after = after if able and len(os.sched_getaffinity(0)) > 1 else 0.0
        self._replicate: object = None
        self._processor: int | None = None

    @contextlib.contextmanager
    def together(self, pid: int, replicate: object) -> Iterator[Callable[[], None]]:
        """Gives what is to be called once a process has its request. At the end its thread is free
        again.
        """
        bound = list[tuple[int, set[int]]]()

        def bind() -> None:
            if self._after:
                time.sleep(self._after)  # until the thread that answers runs
                bound.extend(self._bind(pid, replicate))

        try:
            yield bind
        finally:
            for thread, allowed in bound:
                with contextlib.suppress(OSError):  # it has ended
                    os.sched_setaffinity(thread, allowed)

    def _bind(self, pid: int, replicate: object) -> Iterator[tuple[int, set[int]]]:
        """The thread that was bound, with the processors that it may use otherwise."""
        # Of several the one that measures has worked most.
        running = max(_running(pid), default=None)
        if running is None:
            return
        if replicate != self._replicate:
            self._replicate, self._processor = replicate, running.processor
        assert self._processor is not None
        with contextlib.suppress(OSError):
            allowed = os.sched_getaffinity(running.thread)
            if self._processor in allowed:
                os.sched_setaffinity(running.thread, {self._processor})
                yield running.thread, allowed


def _running(pid: int) -> Iterator[_Running]:
    """The threads of a process that run now."""
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError):  # it has just ended
                with open(f"/proc/{pid}/task/{thread}/stat", "rb", buffering=0) as file:
                    fields = file.read(_AT_ONCE).rpartition(b")")[2].split()
                if fields[_STATE] == b"R":
                    ticks = int(fields[_USER]) + int(fields[_SYSTEM])
                    yield _Running(ticks, int(thread), int(fields[_PROCESSOR]))
