"""This process while it measures: its limits, and the signals that end a run."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager


def allow_many_files() -> None:
    """A fork takes six descriptors; dozens of forks pass the usual soft limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


@contextmanager
def interruptions() -> Iterator[list[int]]:
    """Let a polite kill end a run as Ctrl-C does: forks are ended, and the run file is closed off.
    Yields the signals that arrived.
    """
    arrived: list[int] = []

    def interrupt(number: int, frame: object) -> None:
        arrived.append(number)
        raise KeyboardInterrupt

    # What the user had ignored (nohup) stays ignored.
    ends = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    heeded = [each for each in ends if signal.getsignal(each) is not signal.SIG_IGN]
    before = {number: signal.signal(number, interrupt) for number in heeded}
    try:
        yield arrived
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
