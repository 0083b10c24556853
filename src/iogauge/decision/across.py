"""Deciding the same case across the groups of a span: what fsync costs, cold against warm.

A case has one number per replicate: the log of its time in one group over its time in the first.
docs/decisions/0016-across-groups.md says why.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from iogauge.decision.best import Pairs, pairs_of
from iogauge.decision.costs import MOST_APART
from iogauge.decision.group import GroupDecision
from iogauge.decision.looks import FEWEST_REPLICATES, MOST_REPLICATES, until
from iogauge.decision.shrinkage import Prior
from iogauge.statistics.intervals import Interval

_REPORTED = math.log(MOST_APART)
_UNLIKE = math.log(4)
"""The log of how many times as large a variance across groups is as one within a group: samples of
one group take turns, those of two groups are seconds apart.
"""

Series = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AcrossGroups:
    """A case in one group against itself in the first: `pairs` is of these two, in this order."""

    pairs: Pairs

    @property
    def replicates(self) -> int:
        return int(self.pairs.counts[0, 1])

    def interval(self, comparisons: int) -> Interval:
        """Of the log of the ratio, in a family of so many comparisons."""
        lo, hi = self.pairs.interval(0, 1, comparisons)
        return Interval(float(self.pairs.centers[0, 1]), lo, hi, self.replicates)

    def is_open(self, margin: float, comparisons: int) -> bool:
        """Whether more replicates may say more: the ratio is neither surely beyond the `margin`, a
        log, and known well enough to be reported, nor surely within it.
        """
        found = self.interval(comparisons)
        beyond = found.lo > margin or found.hi < -margin
        within = found.lo >= -margin and found.hi <= margin
        known = within or (beyond and found.hi - found.lo <= _REPORTED)
        return not known and 0 < found.n < MOST_REPLICATES

    def goal(self, margin: float, comparisons: int) -> int | None:
        """After how many replicates, in all, it is likely known; None where that cannot be said."""
        found = self.interval(comparisons)
        if found.n < FEWEST_REPLICATES:
            return FEWEST_REPLICATES
        gained = max(0.0, float(self.pairs.degrees[0, 1]) - (found.n - 1))
        enough = min(abs(abs(found.center) - margin), _REPORTED / 2)
        return until(found.n, gained, comparisons, (found.hi - found.lo) / 2, enough)


def compared(one: Series, other: Series, prior: Prior | None) -> AcrossGroups:
    """Two series of logs, shape (R,) each, one value per replicate. What is known beforehand makes
    no standard error smaller than the series' own scatter does: on a busy machine that is far
    larger.
    """
    both = np.stack([one, other], axis=1)[:, None, :]
    alone, shrunk = pairs_of(both, None, None), pairs_of(both, None, prior)
    scattered = alone.standard_errors[0, 1] > shrunk.standard_errors[0, 1]
    return AcrossGroups(alone if scattered else shrunk)


def noise_floor(control: Series, baseline: Series, prior: Prior | None) -> float:
    """By how much the ratio across groups of the same code may differ, a log."""
    lo, hi = compared(control, baseline, prior).pairs.interval(0, 1, 2)
    return max(-lo, hi)


def prior_of(groups: Iterable[Prior | None]) -> Prior | None:
    """What is known of the variances across groups: those within the noisier one are smaller by a
    factor.
    """
    found = [each for each in groups if each]
    if not found:
        return None
    return Prior(
        max(each.log_variance for each in found) + _UNLIKE,
        max(each.spread for each in found),
        min(each.degrees for each in found),
    )


def of_interest(decision: GroupDecision) -> set[int]:
    """The columns of cases that can be the best of their set, or are recommended: only these are
    measured for the sake of a span.
    """
    return {
        column
        for answer in decision.answers.values()
        for column in (*answer.costs.can_be_best, answer.recommended)
        if column is not None
    }
