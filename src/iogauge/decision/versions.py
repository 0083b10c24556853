"""Two versions of a way: is the new one slower than is allowed?

Each pair is a question of its own, and all of them together are one family: an interval holds the
ratio of its pair while those of all pairs do, at the error of a look (`looks.error_at`). Nobody is
to be stopped by noise, so a pair is called slower only where its interval says so and the control
of its group does not differ; and one is called not slower only where its interval says that. Where
there is no control, nothing is decided.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from iogauge.decision.best import Pairs
from iogauge.decision.comparison import Comparison, as_comparison
from iogauge.decision.looks import FEWEST_REPLICATES, until
from iogauge.decision.sets import Control, widened
from iogauge.statistics.intervals import Interval

VersionKind = Literal[
    "slower",  # surely, by more than is allowed
    "not slower",  # surely, than is allowed
    "undecided",
    "fails only in new",
    "fails only in old",
    "fails in both",
]


@dataclass(frozen=True, slots=True)
class VersionQuestion:
    """Which cases are two versions of one, as (old, new), without those that failed; by how much
    the new one may be slower, a fraction, None where nobody said; and of how many pairs the family
    is, none where versions are not the question.
    """

    pairs: tuple[tuple[int, int], ...] = ()
    allowed: float | None = None
    comparisons: int = 0


@dataclass(frozen=True, slots=True)
class VersionDecision:
    """What is known of a pair. `comparison` is time(new) / time(old); None where the two share no
    replicate. `open`: more replicates may decide it, or tell it as precisely as was asked; `needed`
    is how many, in all, that likely takes, None where it cannot be said. `control_differs`: it
    would be called slower, had the control of its group not differed.
    """

    old: int
    new: int
    comparison: Comparison | None
    kind: VersionKind
    open: bool
    needed: int | None = None
    control_differs: bool = False


def decide_versions(
    pairs: Pairs, question: VersionQuestion, noise: Control | None, precision: float
) -> tuple[VersionDecision, ...]:
    """Of all pairs of a group. `precision` is a fraction: where nothing is said of what is allowed,
    a pair is measured until it differs, or is known so precisely.
    """
    made = _Decide(pairs, question, noise, math.log1p(precision))
    return tuple(made.of(old, new) for old, new in question.pairs)


@dataclass(frozen=True, slots=True)
class _Decide:
    pairs: Pairs
    question: VersionQuestion
    noise: Control | None
    precision: float  # a log

    def of(self, old: int, new: int) -> VersionDecision:
        count = int(self.pairs.counts[new, old])
        if not count:
            return VersionDecision(old, new, None, "undecided", True, FEWEST_REPLICATES)
        lo, hi = self.pairs.interval(new, old, self.question.comparisons)
        found = Interval(float(self.pairs.centers[new, old]), lo, hi, count)
        alarm = bool(self.noise and self.noise.alarm)
        floor = math.inf if alarm else self.noise.floor if self.noise else 0.0
        said = as_comparison(new, old, found, floor, self.precision)
        allowed = math.log1p(self.question.allowed or 0.0)
        slower = lo > allowed and (alarm or found.center > floor)
        kind: VersionKind = "undecided"
        if self.noise and slower and not alarm:
            kind = "slower"
        elif self.noise and self._most(new, old) <= allowed:
            kind = "not slower"
        still = not said.final if self.question.allowed is None else kind == "undecided"
        needed = self._needed(found, old, new, allowed, floor) if still else count
        return VersionDecision(old, new, said, kind, still, needed, slower and alarm)

    def _most(self, new: int, old: int) -> float:
        """The upper bound of the log, wider by what identical code seems to differ."""
        return widened(self.pairs, self.noise).interval(new, old, self.question.comparisons)[1]

    def _needed(
        self, found: Interval, old: int, new: int, allowed: float, floor: float
    ) -> int | None:
        if found.n < FEWEST_REPLICATES:
            return FEWEST_REPLICATES
        reach = (found.hi - found.lo) / 2
        gained = max(0.0, float(self.pairs.degrees[new, old]) - (found.n - 1))
        enough = abs(found.center - allowed)
        if self.question.allowed is None:
            enough = max(self.precision, enough if abs(found.center) > floor else 0.0)
        return until(found.n, gained, self.question.comparisons, reach, enough)


GateKind = Literal[
    "slower",  # a pair surely is, or fails only in the new version
    "failed",  # a way fails in both versions
    "undecided",
    "not slower",  # no pair is
]


def gate_of(kinds: Iterable[VersionKind]) -> GateKind:
    """What follows from all pairs: the first of slower, failed, undecided and not slower. What
    fails only in the old version was mended: nobody is to be stopped by that.
    """
    found = set(kinds)
    if found & {"slower", "fails only in new"}:
        return "slower"
    if "fails in both" in found:
        return "failed"
    return "not slower" if found and "undecided" not in found else "undecided"


def kind_with_failures(kind: VersionKind, *, old: bool, new: bool) -> VersionKind:
    """The kind of a pair of which the old or the new version failed."""
    if old and new:
        return "fails in both"
    return "fails only in new" if new else "fails only in old" if old else kind


def open_cases(found: Sequence[VersionDecision]) -> set[int]:
    """The cases of the pairs that are open."""
    return {case for each in found if each.open for case in (each.old, each.new)}
