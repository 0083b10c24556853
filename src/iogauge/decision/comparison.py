"""A comparison of two cases: the ratio of their times, and what its interval decides."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from iogauge.statistics.intervals import Interval, exp

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
    eliminated: bool = False
    """The case was so far behind that it was not measured to the end."""


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
