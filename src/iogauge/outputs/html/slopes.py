"""The ways of each language over the states of a cached file: a line for each way, from the time in
one state to that in the next. Where lines cross, the ranking turns over. Drawn without a script.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from iogauge.model.units import duration
from iogauge.outputs.contract import Case, Group, InStates, Set, Span
from iogauge.outputs.html.drawing import LogScale

_MOST_WAYS = 6
_ENDS = 94.0, 8.0  # of the height in per cent: from the longest time, at the top, to the shortest
_TICKS_APART = 22.0
_DASHES = ("", "7 3", "2 3", "9 3 2 3", "4 2", "12 4")
_TIMES = [digit * 10.0**power for power in range(2, 12) for digit in (1, 2, 5)]  # ns


@dataclass(frozen=True)
class Point:
    """A way in a state (its `place` among them): where it is drawn in per cent, and whether it is
    the best there.
    """

    place: int
    x: float
    y: float
    best: bool
    says: str


@dataclass(frozen=True)
class Line:
    """A way over the states, a point for each in which it was measured. `turning`: good in one and
    slow in another; `use`: what to use where nobody knows the state.
    """

    name: str
    points: tuple[Point, ...]
    turning: bool
    use: bool
    dash: str

    @property
    def pieces(self) -> list[tuple[Point, Point]]:
        """Between neighbours: none across a state in which it was not measured."""
        both = zip(self.points, self.points[1:], strict=False)
        return [(one, other) for one, other in both if other.place == one.place + 1]


@dataclass(frozen=True)
class Slopes:
    """The ways of one language. `ticks` are times by their places."""

    set: Set
    says: str
    states: tuple[str, ...]
    lines: tuple[Line, ...]
    ticks: tuple[tuple[float, str], ...]


def of(span: Span, groups: Sequence[Group]) -> list[Slopes]:
    """A drawing for each language, all on one scale; none where nothing is known of the states."""
    by_id = {each.id: each for each in groups}
    spanned = [by_id[each] for each in span.groups if each in by_id]
    every = [case.ns_per_op.center for group in spanned for case in group.cases]
    times = [each for each in every if each]
    if not span.by_language or not times:
        return []
    scale = LogScale(min(times), max(times), *_ENDS)
    ticks = tuple((scale.place(each), duration(each / 1e9)) for each in _ticks(scale))
    return [
        Slopes(each.of, each.says, span.names, _lines(each, spanned, span.names, scale), ticks)
        for each in span.by_language
    ]


def _ticks(scale: LogScale) -> list[float]:
    return scale.ticks(_TIMES, _TICKS_APART)


def _lines(
    found: InStates, groups: Sequence[Group], names: Sequence[str], scale: LogScale
) -> tuple[Line, ...]:
    """What is named first, then others in their order, as many as can be told apart."""
    ways: dict[str, list[Case | None]] = {}
    for place, group in enumerate(groups):
        for case in group.cases:
            if Set(case.language, case.setting if found.setting else None) == found.of:
                ways.setdefault(case.label, [None] * len(groups))[place] = case
    turning = {key for each in found.turning for key in each}

    def named(cases: Sequence[Case | None]) -> tuple[bool, bool]:
        keys = {each.key for each in cases if each}
        return bool(keys & turning), bool(keys & set(found.use))

    order = sorted(ways.values(), key=lambda cases: not any(named(cases)))[:_MOST_WAYS]
    return tuple(
        Line(
            next(each.name for each in cases if each),
            tuple(
                _point(case, place, len(groups), scale, names[place])
                for place, case in enumerate(cases)
                if case and case.ns_per_op.center
            ),
            *named(cases),
            _DASHES[number],
        )
        for number, cases in enumerate(order)
    )


def _point(case: Case, place: int, count: int, scale: LogScale, state: str) -> Point:
    ns = case.ns_per_op.center or 0.0
    says = f"{case.name}, {state}: {duration(ns / 1e9)}{f', {case.note}' if case.note else ''}"
    return Point(place, round((place + 0.5) / count * 100, 1), scale.place(ns), case.best, says)
