"""Comparisons as text."""

from __future__ import annotations

from typing import Literal

from iogauge.claims.comparable import Entry
from iogauge.decision.comparison import Comparison
from iogauge.model.ratios import bounds
from iogauge.model.units import significant

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
    """`1.57 times (1.42–1.74)`; `4.30 times (at least 2.00)`; `7.50 times (not known how sure)`."""
    return f"{significant(found.center)} times ({bounds(found.lo, found.hi, significant)})"
