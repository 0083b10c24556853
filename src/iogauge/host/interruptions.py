"""The signals that end a run."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

_ENDS = ("SIGINT", "SIGTERM", "SIGHUP")  # not every system has all


@contextmanager
def interruptions() -> Iterator[list[int]]:
    """Let a polite kill end a run as Ctrl-C does: forks are ended, and the run file is closed off.
    Yields the signals that arrived.
    """
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
