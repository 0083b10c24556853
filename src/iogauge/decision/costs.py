"""What a case costs against another one, usually the best of its set, as far as that is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from iogauge.decision.comparison import Comparison
from iogauge.decision.looks import FEWEST_REPLICATES

MOST_APART = 3.0
"""A range whose ends are further apart, as a factor, gives way to a word: it says only that little
is known.
"""
LOOKS_SLOWER = 1.3
"""A case that takes more than so many times as long looks slower, sure or not."""
NEVER = 20.0
"""A case that surely takes so many times as long is out of the question."""
_HARDLY = 1.1  # times as long: a lower bound below it is not worth reporting

CostKind = Literal[
    "same",  # within the tolerance
    "slower",  # surely
    "open",  # it may be as fast
    "unknown",  # too few replicates
]


@dataclass(frozen=True, slots=True)
class Cost:
    """Times as long, between `lo` and `hi`; a bound that is not worth reporting is None.
    `looks_slower`: nothing is sure, but the center is clearly above 1.
    """

    kind: CostKind
    lo: float | None = None
    hi: float | None = None
    looks_slower: bool = False


def cost_of(found: Comparison, tolerance: float) -> Cost:
    """`tolerance` is a fraction: costs up to it count as the same."""
    if found.hi <= 1 + tolerance and found.outcome != "undecided":
        return Cost("same", found.lo, found.hi)
    if found.outcome == "slower":
        return slowdown(found)
    if found.replicates < FEWEST_REPLICATES:
        return Cost("unknown")
    if found.hi <= MOST_APART:
        return Cost("open", 1.0, found.hi)
    return Cost("open", looks_slower=found.center > LOOKS_SLOWER)


def slowdown(found: Comparison) -> Cost:
    """The cost of a case that is surely slower: only the lower bound where the interval is wide or
    the case was eliminated, and no bound where that one is hardly above 1.
    """
    wide = not found.hi <= MOST_APART * found.lo
    if wide and found.lo < _HARDLY:
        return Cost("slower")
    if wide or (found.eliminated and found.lo < NEVER):
        return Cost("slower", found.lo)
    return Cost("slower", found.lo, found.hi)


def is_known(lo: float, hi: float) -> bool:
    """Whether the bounds of a ratio are close enough to be reported as numbers."""
    return 0 < lo <= hi <= lo * MOST_APART


def too_wide(center: float, hi: float) -> bool:
    """Whether an interval of a ratio says only that little is known."""
    return hi >= MOST_APART * center
