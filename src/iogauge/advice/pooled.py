"""Replicates of several runs that measured the same, taken together."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from iogauge.advice.covering import FEWEST
from iogauge.claims.comparable import Comparable
from iogauge.decision.best import error_at
from iogauge.decision.comparison import Comparison
from iogauge.decision.looks import family_size
from iogauge.runfile.dataset import Dataset
from iogauge.statistics.intervals import interval

_LARGEST_LOG = 700.0

Typical = Callable[[int, int], float | None]
"""The typical time of a case over that of a reference, by their indexes among the entries of a
Comparable. None if they have no replicate in common.
"""


def the_same(known: Dataset, group: int) -> Dataset:
    """The group of this index, and the groups of other runs that measured the same cases and may be
    pooled with it.
    """
    own = known.groups[group]
    others = (
        number
        for number in known.measuring(own.workload, own.conditions)
        if known.groups[number].run != own.run and known.groups[number].verdicts
    )
    found = known.of_groups((group, *others)).poolable_with(own.run)
    return found.of_groups(
        number
        for number, each in enumerate(found.groups)
        if each.run == own.run or len(each.cases) >= FEWEST
    )


def together(comparable: Comparable, same: Dataset) -> Comparable:
    """The same cases, compared by the replicates of several runs: those of the groups of `same`.

    The ratio of a replicate is its own, whenever it was measured, so replicates can be pooled. They
    are judged as if one run had all of them, by their own spread alone: several runs have more of
    it than the one that a prior is for.
    """
    pairs = family_size(len(same.groups[0].cases))

    def of_pair(case: int, reference: int, comparisons: int) -> Comparison | None:
        alone = comparable.of_pair(case, reference, comparisons)
        ratios = _log_ratios(comparable, same, case, reference)
        if alone is None or alone.eliminated or len(ratios) <= alone.replicates:
            return alone
        found = interval(ratios, float(error_at(len(ratios))) / max(2, pairs))
        return Comparison(
            alone.case,
            alone.reference,
            center=_ratio(found.center),
            lo=_ratio(found.lo),
            hi=_ratio(found.hi),
            replicates=found.n,
            outcome="undecided",
            final=False,
        )

    return replace(comparable, of_pair=of_pair)


def medians(comparable: Comparable, same: Dataset) -> Typical:
    """Compares by the median of all replicates.

    The centre of the interval would not do: with few replicates it is a mean, which a single slow
    replicate can decide.
    """

    def typical(case: int, reference: int) -> float | None:
        ratios = _log_ratios(comparable, same, case, reference)
        if len(ratios):
            return _ratio(float(np.median(ratios)))
        found = comparable.compare(case, reference)  # too few samples of one of them are valid
        return None if found is None else found.center

    return typical


def _log_ratios(
    comparable: Comparable, same: Dataset, case: int, reference: int
) -> NDArray[np.float64]:
    keys = [next(iter(comparable.entries[each].keys), "") for each in (case, reference)]
    return same.paired(*keys)


def _ratio(log_ratio: float) -> float:
    return math.exp(min(log_ratio, _LARGEST_LOG))
