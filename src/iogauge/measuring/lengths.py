"""How long what a publication measured may take here, such that all of it fits into the budget."""

from __future__ import annotations

import math

from iogauge.measuring.cases import Cases
from iogauge.measuring.schedule import Schedule
from iogauge.model.plan import PublishedProtocol
from iogauge.model.units import chosen_duration, rounded
from iogauge.planning.cost import counted_seconds, timed_seconds


class Lengths:
    """Shortens a published procedure to fit the budget. `share` is how much of the published length
    of iterations fits.
    """

    def __init__(self, protocol: PublishedProtocol, cases: Cases, schedule: Schedule):
        self.protocol, self._cases, self._schedule = protocol, cases, schedule
        self._plan, self._method = cases.plan, cases.method
        self._seen: dict[tuple[str, str], float] = {}
        self.share = 1.0
        if protocol.iteration:  # then it is known beforehand how long all of them take
            whole = timed_seconds(self._plan, tuple(cases.runtimes.values()))
            self.share = min(1.0, self._plan.budget / whole)

    def caveat(self) -> str | None:
        """What is shortened; None where iterations are as long as published."""
        if self.share == 1:
            return None
        protocol = self.protocol
        says = [
            f"{what} of {rounded(self.iteration_seconds(then), 2)} s"
            f" instead of {chosen_duration(then)}"
            for what, then in (("iterations", protocol.iteration), ("warm-ups", protocol.warm_up))
            if then
        ]
        return f"{', '.join(says)}, to fit the budget"

    def iteration_seconds(self, published: float) -> float:
        """How long an iteration lasts here that lasted so many seconds."""
        return max(self._method.shortest_iteration, published * self.share)

    def saw(self, case: int, seconds: float) -> None:
        """An operation of a case took so many seconds."""
        found = self._cases[case]
        self._seen[found.setting, found.variant] = seconds / max(1, found.workload.size)

    def share_of(self, case: int, cases: list[int], start: float, repetition: int) -> float:
        """The share of its published length that a case gets, such that the `cases` that are left
        of a repetition, and the repetitions still needed, fit into the budget. The repetition began
        at `start`. The longest cases are shortened first, so that most are measured as published.
        """
        needed = max(1, self._method.fewest_repetitions - repetition)
        left = start + (self._plan.budget - start) / needed - self._schedule.elapsed
        most = _longest([self._expected(each) for each in cases], left)
        return min(1.0, most / self._expected(case))

    def _expected(self, case: int) -> float:
        """Seconds that the case takes at its published length, by what was seen of its variant so
        far.
        """
        found, group = self._cases[case], self._cases.group(case)
        seen = self._seen.get((found.setting, found.variant))
        return counted_seconds(self._plan, group, case, self._cases.strategy(case), seen)


def _longest(seconds: list[float], left: float) -> float:
    """How long any one may take, such that all of them take the seconds that are left; infinite
    where all fit.
    """
    for number, each in enumerate(sorted(seconds)):
        most = max(0.0, left) / (len(seconds) - number)
        if each > most:
            return most
        left -= each
    return math.inf
