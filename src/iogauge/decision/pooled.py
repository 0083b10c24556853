"""What replicates of several runs say together, by the rule of one run.

They are judged as if one run had all of them, by their own spread alone: several runs have more of
it than the one that a prior is for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from iogauge.decision.best import Pairs, pairs_of
from iogauge.decision.comparison import Comparison
from iogauge.decision.group import Costing, floor_of, pair_of
from iogauge.decision.sets import Control, SetDecision, decide_set, widened
from iogauge.statistics.quantiles import Array


@dataclass(frozen=True, slots=True)
class Pooled:
    """The `pairs` of a group's cases over all replicates. `comparisons` are those with the best,
    `noise` is the control of the run that is asked.
    """

    pairs: Pairs
    noise: Control | None
    comparisons: int

    def answer(self, members: Sequence[int], tolerance: float) -> SetDecision:
        """Of these cases, the simplest first. `tolerance` is a fraction."""
        wider = widened(self.pairs, self.noise)
        return decide_set(wider, members, self.comparisons, math.log1p(tolerance), self.noise)

    def costs(self, answer: SetDecision, tolerance: float) -> tuple[Comparison | None, ...]:
        """By case, against the best of the answer."""
        return Costing(self.pairs, self.noise, tolerance, frozenset()).to_best({"": answer})

    def compare(self, case: int, reference: int, precision: float) -> Comparison | None:
        """Any two cases, in a family of all pairs; None if they share no replicate."""
        cases = len(self.pairs.centers)
        family, floor = max(1, cases * (cases - 1) // 2), floor_of(self.noise)
        found = pair_of(self.pairs, case, reference, family, floor, math.log1p(precision))
        alarm = self.noise is not None and self.noise.alarm
        return replace(found, outcome="undecided") if found and alarm else found


def pool(log_ns: Array, pivot: int | None, noise: Control | None) -> Pooled:
    """Of the logs of ns per operation, shape (R, K, C), replicates of one run after those of
    another. `pivot` is the column that links the parts of a replicate.
    """
    return Pooled(pairs_of(log_ns, pivot, None), noise, max(1, log_ns.shape[2] - 1))


def most_often_faster(log_ratios: ArrayLike) -> bool:
    """Whether a case took less time than another in most replicates, from its log ratios, shape
    (R,); a mean would not do, which a single slow replicate can decide.
    """
    found = np.asarray(log_ratios, dtype=float)
    return bool(len(found)) and float(np.median(found)) < 0
