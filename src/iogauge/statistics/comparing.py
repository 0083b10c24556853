"""How long one case takes relative to another: paired ratios, and what their interval decides.

A pair of cases yields one number per replicate: the median, over the rounds that both have, of the
paired log ratios. Only the spread *between* replicates enters an interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from iogauge.statistics.intervals import Interval, exp
from iogauge.statistics.quantiles import Array, median

Outcome = Literal["faster", "slower", "same", "undecided"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """How long `case` takes relative to `reference`.

    `center`, `lo` and `hi` are ratios time(case) / time(reference), so `case` is faster below 1.
    """

    case: int
    reference: int
    center: float
    lo: float
    hi: float
    replicates: int
    outcome: Outcome
    final: bool
    """It is decided, as precise as asked, or not measured any more: replicates add nothing."""
    settled: bool = False
    """The case was so far behind that it was not measured to the end."""


def paired_log_ratios(log_ns: ArrayLike, case: int, reference: int, baseline: int | None) -> Array:
    """log(time(case) / time(reference)) per replicate, shape (R,), from log_ns of shape (R, K, C).

    A value is the median of the paired log ratios over the rounds that both cases have. If the two
    cases were in different parts of a replicate, it is the difference of their medians against the
    baseline, which is in every part. NaN if there is neither.
    """
    columns = [case, reference, *([] if baseline in (None, reference) else [baseline])]
    return ratios_to(
        np.asarray(log_ns, dtype=float)[:, :, columns], 1, 2 if len(columns) > 2 else None
    )[:, 0]


def ratios_to(log_ns: Array, reference: int, pivot: int | None) -> Array:
    """Every case's paired log ratios to one reference, shape (R, C); see `paired_log_ratios`."""
    ratios = median(log_ns - log_ns[:, :, [reference]], axis=1)
    if pivot is not None and pivot != reference:
        linked = median(log_ns - log_ns[:, :, [pivot]], axis=1)
        ratios = np.where(np.isnan(ratios), linked - linked[:, [reference]], ratios)
    return ratios


def as_comparison(
    case: int, reference: int, found: Interval, floor: float, margin: float
) -> Comparison:
    """Make a comparison of an interval of log ratios, and decide it if possible.

    `floor` is the noise floor and `margin` the margin of `same`, both as log ratios.
    """
    outcome: Outcome = "undecided"
    differs = found.lo > 0 or found.hi < 0
    if differs and abs(found.center) > floor:
        outcome = "slower" if found.center > 0 else "faster"
    elif max(-found.lo, found.hi) <= margin:
        outcome = "same"
    # More replicates may lower the noise floor too, so a difference that only the floor hides is
    # not final. Under an alarm the floor is infinite.
    hidden = differs and outcome == "undecided" and floor < math.inf
    final = outcome != "undecided" or ((found.hi - found.lo) / 2 <= margin and not hidden)
    ratios = (exp(found.center), exp(found.lo), exp(found.hi))
    return Comparison(case, reference, *ratios, found.n, outcome, final)
