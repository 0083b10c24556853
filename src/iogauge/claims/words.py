"""Comparisons as text."""

from __future__ import annotations

import math
from typing import Literal

from iogauge.claims.comparable import Entry
from iogauge.model.ratios import TOO_WIDE, bounds, ratio
from iogauge.statistics.stats import Comparison

Answer = Literal["holds", "refuted", "undecided", "answered", "not-testable"]

SAID: dict[Answer, str] = {
    "holds": "say so",
    "refuted": "speak against it",
    "undecided": "are undecided",
    "not-testable": "cannot be had",
}
"""What so many comparisons say, by their answer."""


def takes(a: Entry, b: Entry, found: Comparison) -> str:
    """`x/a takes 1.57 times (1.42–1.74) the time of x/b on jvm-17.0.15`."""
    where = f" on {a.setting}" if a.setting and a.setting == b.setting else ""
    first, second = (
        f"{each.variant} on {each.setting}" if not where and each.setting else each.variant
        for each in (a, b)
    )
    return f"{first} takes {times(found)} the time of {second}{where}"


def times(found: Comparison) -> str:
    """`1.57 times (1.42–1.74)`; `4.3 times (at least 2)`; `7.5 times (open)`.

    An interval that is far too wide is shown by the bound that excludes 1, if one does.
    """
    lo, hi = found.lo, found.hi
    if hi > TOO_WIDE**2 * lo:
        lo, hi = (lo, math.inf) if lo > 1 else (0.0, hi) if hi < 1 else (0.0, math.inf)
    sure = bounds(lo, hi) if lo > 0 or math.isfinite(hi) else "open"
    return f"{ratio(found.center)} times ({sure})"
