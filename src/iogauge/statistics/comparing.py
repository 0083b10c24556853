"""TODO"""

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
"""A case this many times slower than its best in each of the first replicates is settled."""

Outcome = Literal["faster", "slower", "same", "undecided"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """How long `case` takes relative to `reference`: ratios time(case) / time(reference), so below
    1 is faster.
    """

    case: int
    reference: int
    center: float
    lo: float
    hi: float
    replicates: int
    outcome: Outcome
    final: bool
    """Nothing more to learn: decided, as precise as asked, or not measured any more."""
    provisional: bool = False
    """Computed between looks: a standing, not a verdict."""
    settled: bool = False
    """The ratio was beyond `SETTLING_RATIO` in each of the first replicates; lo and hi say no more
    than that.
    """


# pairs


def paired_log_ratios(log_ns: ArrayLike, case: int, reference: int, baseline: int | None) -> Array:
    """log(time(case) / time(reference)) per replicate, shape (R,), NaN where there is none.

    The median over the common rounds of the paired log ratios. Where a replicate has no common
    round (it was cut into blocks), the difference of both cases' medians against the baseline,
    which is in every block.
    """
    columns = [case, reference, *([] if baseline in (None, reference) else [baseline])]
    return ratios_to(
        np.asarray(log_ns, dtype=float)[:, :, columns], 1, 2 if len(columns) > 2 else None
    )[:, 0]


def far(log_ratios: Array, case: int, reference: int, settling_ratio: float) -> Comparison | None:
    """The settled comparison, if in each of the first replicates the log ratio, shape (R,), is
    beyond the settling ratio.
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
    """Every case's paired log ratios to one reference, shape (R, C)."""
    ratios = median(log_ns - log_ns[:, :, [reference]], axis=1)
    if pivot is not None and pivot != reference:
        linked = median(log_ns - log_ns[:, :, [pivot]], axis=1)
        ratios = np.where(np.isnan(ratios), linked - linked[:, [reference]], ratios)
    return ratios


def as_comparison(
    case: int, reference: int, found: Interval, floor: float, margin: float
) -> Comparison:
    """An interval of log ratios as a comparison, decided if it can be; `floor` is the noise floor
    of the log ratio.
    """
    outcome: Outcome = "undecided"
    differs = found.lo > 0 or found.hi < 0
    if differs and abs(found.center) > floor:
        outcome = "slower" if found.center > 0 else "faster"
    elif max(-found.lo, found.hi) <= margin:
        outcome = "same"
    # A difference that only the noise floor hides is worth more replicates: they lower the floor
    # too. (Under an alarm it is infinite.)
    hidden = differs and outcome == "undecided" and floor < math.inf
    final = outcome != "undecided" or ((found.hi - found.lo) / 2 <= margin and not hidden)
    ratios = (exp(found.center), exp(found.lo), exp(found.hi))
    return Comparison(case, reference, *ratios, found.n, outcome, final)


def replicates_needed(
    comparison: Comparison, precision: float, comparisons: int, noise_floor: float | None = None
) -> int | None:
    """The planned look at which a comparison would likely be decided, or be as precise as asked;
    its own, if final.

    The half-width shrinks like t(n) / sqrt(n), t being the quantile at the error share of the look
    at n; so does the noise floor. None when no planned look would do, or when the interval is
    unbounded.
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
        precise = (
            center <= reach * shrunk <= math.log1p(precision)
        )  # a difference is not left at being precise
        if look > n and (decided or precise):
            return look
    return None
