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

from iogauge.statistics.intervals import TRIM, UNTRIMMED, Interval, exp
from iogauge.statistics.looks import LOOKS, error_per_comparison
from iogauge.statistics.quantiles import Array, median

SETTLING_REPLICATES = 3
SETTLING_RATIO = 2.0
"""A case that takes this many times as long as its best in each of the first replicates is settled:
it is not measured any more.
"""

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
    provisional: bool = False
    """It was computed between looks, and is no verdict."""
    settled: bool = False
    """The ratio was above `SETTLING_RATIO` in each of the first replicates. `lo` and `hi` say only
    that.
    """


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


def far(log_ratios: Array, case: int, reference: int, settling_ratio: float) -> Comparison | None:
    """The settled comparison, if the ratio is above `settling_ratio` in each of the first
    replicates. `log_ratios` has shape (R,).
    """
    first = log_ratios[:SETTLING_REPLICATES]
    if len(first) < SETTLING_REPLICATES or not (first > math.log(settling_ratio)).all():
        return None
    return Comparison(
        case,
        reference,
        exp(float(np.median(first))),
        settling_ratio,
        math.inf,
        len(first),
        "slower",
        final=True,
        settled=True,
    )


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


def replicates_needed(
    comparison: Comparison, precision: float, comparisons: int, noise_floor: float | None = None
) -> int | None:
    """The planned look at which a comparison will probably be decided, or be as precise as asked.

    A final comparison returns its own number of replicates. None if no planned look is enough, or
    if the interval has no bounds. The half-width, and the noise floor with it, is taken to shrink
    like t(n) / sqrt(n), where t is the quantile at the error of the look at n.
    """
    n = comparison.replicates
    if comparison.final:
        return n
    if not 0 < comparison.lo <= comparison.hi < math.inf:
        return None
    from scipy.special import stdtrit

    def width(at: int) -> float:
        cut = int(TRIM * at) if at >= UNTRIMMED else 0
        return float(
            stdtrit(at - 2 * cut - 1, 1 - error_per_comparison(at, comparisons) / 2)
        ) / math.sqrt(at)

    center = abs(math.log(comparison.center))
    reach = math.log(comparison.hi / comparison.lo) / 2
    for look in LOOKS:
        shrunk = width(look) / width(n)
        decided = center > max(reach, math.log1p(noise_floor or 0.0)) * shrunk
        # A difference is measured until it is decided; being precise is not enough for it.
        precise = center <= reach * shrunk <= math.log1p(precision)
        if look > n and (decided or precise):
            return look
    return None
