"""Separate runs of the same: is a way slower in a new run than in the runs of the base?

Runs differ by more than their replicates tell. So a run counts as one value per way, and the error
term is the variance between runs of the base, shrunken towards that of such ways in stored runs
(`anchors`). With one run of the base nothing is known but the latter, and nothing is decided.
docs/decisions/0028-compare.md has the simulations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from iogauge.decision import shrinkage
from iogauge.decision.anchors import Known, prior_of
from iogauge.decision.comparison import Comparison, as_comparison
from iogauge.decision.versions import VersionKind
from iogauge.statistics.intervals import Interval
from iogauge.statistics.quantiles import Array
from iogauge.statistics.special import students_t, trigamma

FEWEST_BASES = 2
"""One run does not show how much runs differ."""
MOST_BASES = 12
"""Nobody is asked for more: what the new run itself varies by stays."""
ERROR = 0.025
"""Of all intervals of a comparison together, both sides: half of what is to be kept, as runs have
heavier tails than the normal ones, and stored ones may be unlike them."""

_DRAWS = 20_000
_LEAST_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class Level:
    """What a run says of a way: the log of its time over that of the anchor, and the variance of
    this number by the run's own replicates.
    """

    center: float
    variance: float
    replicates: int


@dataclass(frozen=True, slots=True)
class Series:
    """A way in the runs of the base, and in the new one; None where that one has too little of it.
    `floor` is the largest noise floor of the runs, a log, `alarm` says that a control differs.
    `may_decide` is False where there is no control or no anchor, or where something differs between
    the runs that no anchor takes out.
    """

    bases: tuple[Level, ...]
    new: Level | None
    known: Known
    floor: float = 0.0
    alarm: bool = False
    may_decide: bool = True


@dataclass(frozen=True, slots=True)
class SeparateDecision:
    """What is known of a way. `comparison` is time(new) / time(base), None where there is none, and
    `error` the standard error of its log; `bases` are its runs, and `needed` how many, in all,
    likely decide it, None where that is not known; `hopeless`: no number does. `control_differs`:
    it would be called slower, had no control differed.
    """

    kind: VersionKind
    comparison: Comparison | None
    bases: int
    needed: int | None = None
    control_differs: bool = False
    hopeless: bool = False
    error: float = math.inf


@dataclass(frozen=True, slots=True)
class SeparateQuestion:
    """By how much the new run may be slower, a fraction, None where nobody said; `precision` is the
    margin within which two are the same, another fraction. The same is asked on so many `hosts`,
    which share the error.
    """

    allowed: float | None
    precision: float
    hosts: int = 1


def decide(
    groups: Sequence[Sequence[Series]], question: SeparateQuestion
) -> list[list[SeparateDecision]]:
    """Of all ways, group by group; they are one family."""
    spreads = _shrunken(groups)
    factor = _of_family([[each for each in of if each] for of in spreads])
    family = _Family(factor, ERROR / question.hosts)
    return [
        [
            _decided(each, spread, question, family)
            for each, spread in zip(group, of_group, strict=True)
        ]
        for group, of_group in zip(groups, spreads, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Spread:
    """How much the values of runs vary: the variance of one run of the base, and of the new one.
    `gained` are degrees of freedom that the `bases` do not give. What is not known of the variance
    is `shared` by all ways of the group, as a fraction, and `common` is that fraction of it.
    """

    base: float
    new: float
    bases: int
    gained: float
    shared: float
    common: float

    @property
    def degrees(self) -> float:
        return self.gained + self.bases - 1

    def error(self, bases: int | None = None) -> float:
        """The standard error, perhaps with another number of runs of the base."""
        return math.sqrt(self.base / (bases or self.bases) + self.new)

    def reach(self, family: _Family, bases: int | None = None) -> float:
        """The half-width of an interval."""
        degrees = self.gained + (bases or self.bases) - 1
        return family.factor * float(students_t(degrees, family.error)) * self.error(bases)


class _Family(NamedTuple):
    """How many times as wide as those of single ways the intervals of a family are, and the error
    of one of those. The factor hardly depends on the error, so it is that of one host.
    """

    factor: float
    error: float


def _of_family(groups: Sequence[Sequence[_Spread]]) -> float:
    """How many times as wide as intervals of single ways all of a family are, so that all hold.

    Drawn, not computed: ways of a group share a part of what differs from run to run, and of what
    is not known of its variance. To divide the error by their number would be right, too, but with
    few degrees of freedom twice as wide.
    """
    if sum(map(len, groups)) < 2:
        return 1.0
    rng, largest = np.random.default_rng(1), np.zeros(_DRAWS)
    for group in filter(None, groups):
        shared = _scales(rng, [_part(group[0], group[0].shared)])
        together = rng.normal(size=(_DRAWS, 1))
        quantiles = [float(students_t(each.degrees, ERROR)) for each in group]
        common = np.array([each.common for each in group])
        apart = _scales(rng, [_part(each, 1 - each.shared) for each in group])
        values = np.sqrt(common) * together
        values += np.sqrt(1 - common) * rng.normal(size=(_DRAWS, len(group)))
        found = np.abs(values) * np.sqrt(shared * apart) / quantiles
        largest = np.maximum(largest, found.max(axis=1))
    return max(1.0, float(np.quantile(largest, 1 - ERROR)))


def _part(spread: _Spread, share: float) -> float:
    """The degrees of freedom of this share of what is not known of a variance."""
    unknown = max(share, _LEAST_SHARE) * float(trigamma(spread.degrees / 2))
    return shrinkage.degrees_of(unknown)


def _scales(rng: np.random.Generator, degrees: Sequence[float]) -> Array:
    """What a variance may be, as a multiple of what it is taken to be, shape (draws, ways)."""
    found: Array = np.array(degrees) / rng.chisquare(degrees, (_DRAWS, len(degrees)))
    return found


def _shrunken(groups: Sequence[Sequence[Series]]) -> list[list[_Spread | None]]:
    """By way; None where there is nothing to compare."""
    usable = [[each for each in group if each.bases and each.new] for group in groups]
    found = [_Variances(group) for group in usable if group]
    said = [each.noise for each in found]
    spreads: dict[int, _Spread] = {}
    places = [place for place, group in enumerate(usable) if group]
    for at, place in enumerate(places):
        others = [each for other, each in enumerate(said) if each and other != at]
        for series, spread in zip(usable[place], found[at].shrunken(said[at], others), strict=True):
            spreads[id(series)] = spread
    return [[spreads.get(id(each)) for each in group] for group in groups]


class _Variances:
    """The variances between runs of the ways of a group, each of shape (C,): `relative` to what is
    `expected` of stored runs and of the replicates.
    """

    def __init__(self, group: Sequence[Series]):
        self.prior, self._common = prior_of(each.known for each in group)
        centers = [[one.center for one in each.bases] for each in group]
        self._bases = self.prior.expected(
            np.array([np.mean([one.variance for one in each.bases]) for each in group])
        )
        self._new = self.prior.expected(
            np.array([each.new.variance if each.new else math.nan for each in group])
        )
        self._degrees = np.array([len(each) - 1.0 for each in centers])
        own = [np.var(each, ddof=1) if len(each) > 1 else math.nan for each in centers]
        self.relative: Array = np.nan_to_num(np.array(own) / self._bases)
        self._values = len(group) / (1 + (len(group) - 1) * self._common)

    @property
    def noise(self) -> shrinkage.Noise | None:
        """What the runs of the base say of how noisy the group is. Ways have a share of it in
        common, so they count as fewer values.
        """
        return shrinkage.noise(self.relative, self._degrees, self._values, self.prior)

    def shrunken(
        self, said: shrinkage.Noise | None, others: Sequence[shrinkage.Noise]
    ) -> list[_Spread]:
        prior = shrinkage.in_run(self.prior, others)
        typical, uncertain = shrinkage.location(said, prior)
        mixed, gained = shrinkage.shrink_variances(
            self.relative, self._degrees, typical, uncertain, prior
        )
        # A new run with fewer replicates than those of the base is known less well than they are.
        new = mixed * np.maximum(self._bases, self._new)
        shared = uncertain / (uncertain + float(trigamma(prior.degrees / 2)))
        return [
            _Spread(float(base), float(other), int(degrees) + 1, gained, shared, self._common)
            for base, other, degrees in zip(mixed * self._bases, new, self._degrees, strict=True)
        ]


def _decided(
    series: Series, spread: _Spread | None, question: SeparateQuestion, family: _Family
) -> SeparateDecision:
    count = len(series.bases)
    if spread is None or series.new is None:
        return SeparateDecision("undecided", None, count)
    center = series.new.center - float(np.mean([each.center for each in series.bases]))
    reach = spread.reach(family)
    replicates = min(each.replicates for each in (*series.bases, series.new))
    found = Interval(center, center - reach, center + reach, replicates)
    floor = math.inf if series.alarm else series.floor
    said = as_comparison(0, 0, found, floor, math.log1p(question.precision))
    if not series.may_decide or count < FEWEST_BASES:
        said = replace(said, outcome="undecided")
        return SeparateDecision("undecided", said, count, error=spread.error())
    allowed = math.log1p(question.allowed or 0.0)
    slower = found.lo > allowed and (series.alarm or center > series.floor)
    kind: VersionKind = "undecided"
    if slower and not series.alarm:
        kind = "slower"
    elif found.hi <= allowed and not series.alarm:
        kind = "not slower"
    made = SeparateDecision(kind, said, count, error=spread.error())
    if kind != "undecided":
        return replace(made, needed=count)
    if series.alarm:
        return replace(made, control_differs=slower)
    needed = _needed(spread, family, center - allowed)
    return replace(made, needed=needed, hopeless=needed is None)


def _needed(spread: _Spread, family: _Family, distance: float) -> int | None:
    """How many runs of the base likely decide what is so far from what is allowed, a log."""
    numbers = range(spread.bases + 1, MOST_BASES + 1)
    return next((each for each in numbers if spread.reach(family, each) < abs(distance)), None)
