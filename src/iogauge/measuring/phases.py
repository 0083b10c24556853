"""What the time of a replicate goes into."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from iogauge.runfile.records import Phase


class Phases:
    """Adds up the seconds of each phase of a replicate. `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float]):
        self._clock = clock
        self._seconds: dict[Phase, float] = defaultdict(float)

    @contextmanager
    def of(self, phase: Phase) -> Iterator[None]:
        """What is done meanwhile belongs to this phase. Phases are not nested."""
        start = self._clock()
        try:
            yield
        finally:
            self._seconds[phase] += self._clock() - start

    def __getitem__(self, phase: Phase) -> float:
        """Seconds so far in this replicate."""
        return self._seconds[phase]

    def taken(self) -> dict[Phase, float]:
        """The seconds of all phases since the last call."""
        found = {phase: round(seconds, 3) for phase, seconds in self._seconds.items()}
        self._seconds.clear()
        return found
