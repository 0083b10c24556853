"""Ratios and intervals as text. Nothing else in iogauge writes one."""

from __future__ import annotations

import math
from collections.abc import Callable

from iogauge.model.units import share, significant

FRACTION = 0.5
"""Of what is less, a part is told: `1/40`."""


def ratio(value: float) -> str:
    """`1.57`, `0.301`, `46`: three digits, two from ten on."""
    return significant(value, 3 if value < 10 else 2)


def between(lo: float, hi: float, say: Callable[[float], str]) -> str:
    """`3.20 ms–3.60 ms`, as `say` writes one value."""
    return f"{say(lo)}–{say(hi)}"


def bounds(lo: float, hi: float, say: Callable[[float], str] = ratio) -> str:
    """`1.42–1.74`, `at least 1.42`, `at most 1.74`, or `not known how sure`."""
    if lo > 0 and math.isfinite(hi):
        return between(lo, hi, say)
    if lo > 0:
        return f"at least {say(lo)}"
    return f"at most {say(hi)}" if math.isfinite(hi) else "not known how sure"


def with_bounds(center: float, lo: float, hi: float) -> str:
    """`1.57 (1.42–1.74)`."""
    return f"{ratio(center)} ({bounds(lo, hi)})"


def known(
    center: float, lo: float | None, hi: float | None, say: Callable[[float], str] = significant
) -> str:
    """`3.41 ms (3.20 ms–3.60 ms)`, or the centre alone where a bound is None."""
    if lo is None or hi is None:
        return say(center)
    return f"{say(center)} ({between(lo, hi, say)})"


def eliminated(lo: float, center: float, say: Callable[[float], str] = ratio) -> str:
    """`≥ 2, about 4.32`: a case that is surely slower, and was not measured to the end."""
    return f"≥ {_short(_rounded(lo, math.floor))}, about {say(center)}"


def times(lo: float, hi: float | None = None) -> str:
    """`1.4-1.7x`, or `3x` where both are the same, or where there is one only."""
    low, high = _short(lo), _short(lo if hi is None else hi)
    return f"{low}x" if low == high else f"{low}-{high}x"


def over(lo: float) -> str:
    """`over 1.5x`: rounded down, as it is surely exceeded."""
    return f"over {_short(_rounded(lo, math.floor))}x"


def up_to(hi: float) -> str:
    """`up to 1.6x`: rounded up."""
    return f"up to {_short(_rounded(hi, math.ceil))}x"


def apart(floor: float) -> str:
    """`20 %`, or `2.7x` of what differs by more than all of it: how far identical code may be."""
    return share(floor, 2) if floor < 1 else times(1 + floor)


def from_one(hi: float) -> str:
    """`1-1.6x`: rounded up."""
    return f"1-{_short(_rounded(hi, math.ceil))}x"


def about(center: float) -> str:
    """`about 8x`, `about 0.8x`: what is hardly known has one digit where that is near enough."""
    if 4 <= center < 10:
        return f"about {significant(center, 1)}x"
    return f"about {_short(center) if center >= 1 else significant(center, 2)}x"


def either_way(lo: float, hi: float) -> str:
    """`1.4-1.7x`, `41-58x`, `3x`; `1/60-1/40` of what is less than half."""
    if hi >= FRACTION:
        return times(lo, hi)
    least, most = (_short(1 / each) for each in (hi, lo))
    return f"1/{least}" if least == most else f"1/{most}-1/{least}"


def _short(value: float) -> str:
    """Two digits without a zero after the point; three near 1, where the third one tells."""
    return significant(value, _digits(value), bare=True)


def _digits(value: float) -> int:
    return 3 if 0.9 <= value < 1.1 else 2


def _rounded(value: float, to: Callable[[float], int]) -> float:
    unit = 10.0 ** (math.floor(math.log10(value)) - (_digits(value) - 1))
    return to(round(value / unit, 6)) * unit
