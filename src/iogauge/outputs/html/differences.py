"""Two versions against each other, drawn: a line per way, on one scale, with what is allowed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from iogauge.model.ratios import ratio
from iogauge.outputs.differences import Difference, Differences, Question
from iogauge.outputs.html.drawing import LogScale

_MOST = 2.0  # times as long, at the ends of the scale at most
_LEAST = 1.1
_TICKS = (1.0, 1.5, 1 / 1.5, 1.2, 1 / 1.2, 1.1, 1 / 1.1, 1.05, 1 / 1.05)
_APART = 12.0  # per cent of the width between two ticks, at least
_TONES = {"slower": "bad", "fails only in new": "bad", "not slower": "good"}


@dataclass(frozen=True)
class Line:
    """A way: places are in per cent of the width, None where nothing is known. `tone` is the colour
    of the verdict.
    """

    way: str
    bounds: str
    says: str
    tone: str
    lo: float | None = None
    hi: float | None = None
    center: float | None = None
    failure: str = ""


@dataclass(frozen=True)
class Drawn:
    """All lines by question; `one` is where both versions take the same time, `allowed` where the
    new one takes as much more as it may.
    """

    found: Differences
    questions: list[tuple[Question, list[Line]]]
    one: float
    allowed: float | None
    ticks: list[tuple[float, str]]


def drawn(found: Differences) -> Drawn:
    """The differences on a scale that shows what is known of them."""
    known = [each.comparison for each in found.all if each.is_known and each.comparison]
    reach = max([_LEAST, *(max(each.hi, 1 / each.lo) for each in known)])
    most = min(_MOST, max(reach, 1 + 2 * (found.allowed or 0)))
    scale = LogScale(1 / most, most, 2.0, 98.0)
    allowed = None if found.allowed is None else scale.place(1 + found.allowed)
    ticks = [(scale.place(each), ratio(each)) for each in scale.ticks(_TICKS, _APART)]
    lines = [
        (question, [_line(found, each, scale) for each in question.differences])
        for question in found.questions
    ]
    return Drawn(found, lines, scale.place(1.0), allowed, ticks)


def _line(found: Differences, each: Difference, scale: LogScale) -> Line:
    tone = _TONES.get(each.kind, "") if found.gate else ""
    line = Line(each.way, each.bounds, found.in_words(each), tone, failure=each.failure)
    at = each.comparison
    if not each.is_known or at is None:
        return line
    lo, hi, center = map(scale.place, (at.lo, at.hi, at.center))
    return replace(line, lo=lo, hi=hi, center=center)
