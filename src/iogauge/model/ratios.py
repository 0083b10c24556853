"""Ratios and their intervals as text. Nothing else in iogauge formats one."""

from __future__ import annotations

import math

from iogauge.model.units import significant

TOO_WIDE = 4.0
"""An interval that reaches further than this many times its centre says only that little is
known: then a word stands in its place.
"""


def ratio(value: float) -> str:
    """`1.57`, `0.301`, `46`: three digits, two from ten on."""
    return significant(value, 3 if value < 10 else 2)


def bounds(lo: float, hi: float) -> str:
    """`1.42–1.74`; `at least 1.42` or `at most 1.74` where only one bound is known; `not known how
    sure` without any.
    """
    if lo > 0 and math.isfinite(hi):
        return f"{ratio(lo)}–{ratio(hi)}"
    if lo > 0:
        return f"at least {ratio(lo)}"
    return f"at most {ratio(hi)}" if math.isfinite(hi) else "not known how sure"


def with_bounds(center: float, lo: float, hi: float) -> str:
    """`1.57 (1.42–1.74)`."""
    return f"{ratio(center)} ({bounds(lo, hi)})"


def told(center: float, lo: float, hi: float, *, settled: bool = False) -> str:
    """`1.57 (1.42–1.74)`, `1.57 (unsure)` where the interval is too wide to say anything, and
    `≥ 2, about 4.32` for a case that was settled early.
    """
    if settled:
        return f"≥ {significant(lo, 1)}, about {ratio(center)}"
    return with_bounds(center, lo, hi) if hi < TOO_WIDE * center else f"{ratio(center)} (unsure)"
