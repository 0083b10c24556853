"""Did a saving come true? Both commands are run in turns; pairs of runs tell what the other one
saves.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal

from iogauge.model.watched import Finding, Span
from iogauge.statistics.intervals import interval

Outcome = Literal["true", "false", "undecided"]

_FEWEST, _MOST = 5, 15  # pairs
_ERROR = 0.05


def pairs(seconds: float, budget: float) -> int:
    """How many pairs of runs are made of commands that take so many seconds."""
    return max(_FEWEST, min(_MOST, math.floor(budget / max(0.001, 2 * seconds))))


def promised(findings: Iterable[Finding], seconds: float) -> Span | None:
    """What all findings together would save of a run of so many seconds: no more than those. None
    without any.
    """
    sums: Span | None = None
    for each in findings:
        sums = each.saves if sums is None else sums.plus(each.saves)
    if sums is None:
        return None
    if sums.middle > seconds:  # it keeps its width, in proportion
        sums = sums.times(seconds / sums.middle)
    return sums.model_copy(update={"high": min(sums.high, seconds)})


def saved(one: Sequence[float], other: Sequence[float]) -> Span:
    """Seconds by which the other command takes less, from the run times of pairs."""
    found = interval([a - b for a, b in zip(one, other, strict=True)], _ERROR)
    return Span(low=found.lo, middle=found.center, high=found.hi)


def typical(times: Sequence[float]) -> Span:
    """Seconds that a run takes."""
    found = interval(times, _ERROR)
    return Span(low=found.lo, middle=found.center, high=found.hi)


def outcome(measured: Span, promise: Span | None) -> Outcome:
    """True: surely faster, and by as much as was promised, as far as both are known; false: surely
    not, or by surely less.
    """
    least = promise.low if promise else 0.0
    if measured.high <= 0 or measured.high < least:
        return "false"
    return "true" if measured.low > 0 else "undecided"
