"""Pauses: a laptop that sleeps, a control group that is frozen, a process that is stopped. What
they take counts for no limit and for no budget, which are of the time in which iogauge itself ran.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

QUIET, TICK = 2.0, 1.0
"""Seconds of the first wait for something, in which an ordinary sample ends, and of further ones: a
pause is noticed at their ends.
"""
LATE = 3.0  # seconds: who wakes up later than that stood still; a busy machine is late by less
_LEAST = 1.0  # seconds: the system never sleeps for less, and two clocks are not read at once

Result = TypeVar("Result")


def _asleep() -> float:
    """Seconds for which the system has slept so far, where it tells: only the clock `boot` goes on
    then.
    """
    if not hasattr(time, "CLOCK_BOOTTIME"):
        return 0.0
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)


class Running:
    """A clock that stands still while this process does; call it for its seconds. It notices a
    pause when something waits by it.
    """

    def __init__(
        self,
        monotonic: Callable[[], float] = time.monotonic,
        asleep: Callable[[], float] = _asleep,
    ):
        self._monotonic, self._asleep = monotonic, asleep
        self._slept_before = asleep()
        self._stood = 0.0  # seconds that the other clock counted meanwhile
        self._until = monotonic()  # no pause before this is counted again: several threads wait
        self._lock = threading.Lock()

    def __call__(self) -> float:
        return self._monotonic() - self._stood

    @property
    def stood_still(self) -> float:
        """Seconds of all pauses so far."""
        slept = self._asleep() - self._slept_before
        return self._stood + (slept if slept >= _LEAST else 0.0)

    def since(self, before: float) -> float | None:
        """Seconds of pauses since `stood_still` was so many; None where there was none."""
        seconds = self.stood_still - before
        return seconds if seconds >= _LEAST else None

    def wait(self, waiting: Callable[[float], Result], seconds: float) -> Result:
        """What `waiting(seconds)` gives; where that takes much longer, this process stood still."""
        due = self._monotonic() + seconds
        try:
            return waiting(seconds)
        finally:
            with self._lock:
                now = self._monotonic()
                late = now - max(due, self._until)
                if late > LATE:
                    self._stood, self._until = self._stood + late, now


RUNNING = Running()
"""The clock of this process."""
