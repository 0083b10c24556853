"""On which processor a thread runs that measures.

On a virtual machine one processor may be a fifth slower than another for some milliseconds, as
others use what it shares with them. Processes that take turns stay on processors of their own, so
this would be a difference between them. So the thread that runs is moved, before a sample, to the
processor on which the first one of its replicate ran; the system chose that. It is not bound there:
threads and processes that it starts would be, too.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
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
    """Moves threads, `after` so many seconds of a request; with 0, and where there is one processor
    or no way to move, it does nothing.
    """

    def __init__(self, after: float):
        able = hasattr(os, "sched_setaffinity") and Path("/proc/self/task").is_dir()
        self._after = after if able and len(os.sched_getaffinity(0)) > 1 else 0.0
        self._replicate: object = None
        self._processor: int | None = None

    def move(self, pid: int, replicate: object) -> None:
        """Called once a process has its request."""
        if not self._after:
            return
        time.sleep(self._after)  # until the thread that answers runs
        # Of several the one that measures has worked most.
        running = max(_running(pid), default=None)
        if running is None:
            return
        if replicate != self._replicate:
            self._replicate, self._processor = replicate, running.processor
        if self._processor is not None and self._processor != running.processor:
            _move(pid, running.thread, self._processor)


def _move(pid: int, thread: int, processor: int) -> None:
    """A thread that is bound moves at once. It is free again before it has done much; what it may
    have started in between is freed, too.
    """
    with contextlib.suppress(OSError):  # it has ended
        allowed = os.sched_getaffinity(thread)
        if processor not in allowed:
            return
        try:
            os.sched_setaffinity(thread, {processor})
        finally:
            os.sched_setaffinity(thread, allowed)
        for each in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError):
                if os.sched_getaffinity(int(each)) == {processor}:
                    os.sched_setaffinity(int(each), allowed)


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
