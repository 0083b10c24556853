"""A question's cases as dots with intervals: how many times as long as the best of its language
each takes. It is drawn as rows of a table, without a script.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from iogauge.model.ratios import times
from iogauge.model.units import duration, rate
from iogauge.outputs.contract import Case, Group

_MOST_ROWS = 14
_LEAST = 0.9  # times the best, at the left end
_ENDS = (1.5, 2.0, 3.0, 5.0, 10.0)  # of the scale, to choose from; what is beyond has an arrow
_TICKS = (1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0)
_APART = 18.0  # per cent of the width between two ticks, at least
_MARGIN = 3.0  # per cent of the width left of the scale and right of it
_TOLERANCE = 0.1  # where a run says none


@dataclass(frozen=True)
class Dot:
    """A case in one panel. Places are per cent of the width. An interval without an upper bound
    reaches to the end of the scale; `left` and `right` are None where nothing is known. `beyond`:
    it lies right of the scale.
    """

    at: float
    left: float | None
    right: float | None
    beyond: bool
    chosen: bool
    says: str


@dataclass(frozen=True)
class Row:
    """A case over the panels; None where a panel does not have it."""

    case: Case
    name: str
    dots: tuple[Dot | None, ...]
    cost: str
    speed: str

    @property
    def chosen(self) -> bool:
        return any(dot and dot.chosen for dot in self.dots)


@dataclass(frozen=True)
class Dots:
    """Rows by set. `zone` is where the same begins and ends; `left_out` counts cases that only the
    details show.
    """

    panels: tuple[str, ...]
    sets: tuple[tuple[str, tuple[Row, ...]], ...]
    ticks: tuple[tuple[float, str], ...]
    zone: tuple[float, float]
    left_out: int


@dataclass(frozen=True)
class _Scale:
    end: float

    def place(self, ratio: float) -> float:
        share = math.log(max(ratio, _LEAST) / _LEAST) / math.log(self.end / _LEAST)
        return round(_MARGIN + (100 - 2 * _MARGIN) * min(share, 1.0), 1)


@dataclass(frozen=True)
class _Place:
    """A case of a panel, and the set in which it is compared."""

    panel: int
    case: Case
    set: str
    ratio: float | None  # times the best of the set
    decided: bool  # for its set
    chosen: bool

    @property
    def row(self) -> tuple[str, str]:
        """Which row it is drawn in."""
        return self.set, self.case.label


def of(groups: Sequence[Group], panels: Sequence[str]) -> Dots:
    """The cases of groups that ask one question, a panel per group."""
    every = [place for panel, group in enumerate(groups) for place in _places(panel, group)]
    rows: dict[tuple[str, str], list[_Place]] = {}
    for place in every:
        rows.setdefault(place.row, []).append(place)
    shown = _shown(every)
    scale = _Scale(_end(every))
    named: dict[str, list[Row]] = {place.set: [] for place in every}
    for row, places in rows.items():
        if row in shown:
            named[row[0]].append(_row(places, len(groups), scale))
    tolerance = next((each.tolerance for each in groups if each.tolerance), _TOLERANCE)
    return Dots(
        panels=tuple(panels),
        sets=tuple((name, tuple(found)) for name, found in named.items()),
        ticks=tuple(_ticks(scale)),
        zone=(scale.place(1.0), scale.place(1 + tolerance)),
        left_out=len(rows) - len(shown),
    )


def _places(panel: int, group: Group) -> Iterator[_Place]:
    sets = {each.set for each in group.recommendations}
    decided = {each.set: each.case for each in group.recommendations if each.state == "decided"}
    for case in group.cases:
        alone = f"{case.language} on {case.setting}"
        name = alone if alone in sets else case.language
        chosen = decided.get(name) == case.key
        yield _Place(panel, case, name, _ratio(group, case), name in decided, chosen)


def _ratio(group: Group, case: Case) -> float | None:
    """Times the best of its set. Without a comparison (a publication's procedure has none) the
    ratio of the levels.
    """
    if case.best:
        return 1.0
    if case.vs_best.ratio is not None:
        return case.vs_best.ratio
    if case.ns_per_op.center is None or case.impossible:
        return None
    levels = [each.ns_per_op.center for each in group.cases if each.language == case.language]
    return case.ns_per_op.center / min(level for level in levels if level is not None)


def _shown(every: Sequence[_Place]) -> set[tuple[str, str]]:
    """The rows that are drawn: all, or what is recommended and the best one of each strategy."""
    rows = {place.row for place in every}
    if len(rows) <= _MOST_ROWS:
        return rows
    kept = {place.row for place in every if place.chosen}
    best = sorted(every, key=lambda place: math.inf if place.ratio is None else place.ratio)
    strategies: set[tuple[str, str]] = set()
    for place in [*(each for each in best if each.row in kept), *best]:
        strategy = place.set, place.case.strategy
        if strategy not in strategies:
            strategies.add(strategy)
            kept.add(place.row)
    return kept


def _end(every: Sequence[_Place]) -> float:
    """The smallest end of the scale that holds all intervals."""
    most = max((max(each.ratio or 1.0, each.case.vs_best.hi or 1.0) for each in every), default=1.0)
    return next((end for end in _ENDS if end >= most), _ENDS[-1])


def _row(places: Sequence[_Place], panels: int, scale: _Scale) -> Row:
    of_panel = {place.panel: _dot(place, scale) for place in places}
    case = places[0].case
    dots = tuple(of_panel.get(panel) for panel in range(panels))
    return Row(case, case.name, dots, _cost(places[0]), _speed(case))


def _dot(place: _Place, scale: _Scale) -> Dot | None:
    if place.ratio is None:
        return None
    lo, hi = place.case.vs_best.lo, place.case.vs_best.hi
    known = not place.case.best and (hi is not None or (lo or 0.0) > 1)
    left = scale.place(lo or 0.0) if known else None
    right = scale.place(hi or math.inf) if known else None
    return Dot(
        at=scale.place(place.ratio),
        left=left,
        right=right,
        beyond=place.ratio > scale.end,
        chosen=place.chosen,
        says=_cost(place),
    )


def _cost(of: _Place) -> str:
    case = of.case
    if case.failures:
        return "failed"
    if case.impossible:
        return "faster than the machine: not used"
    if not case.measured:
        return "not measured"
    best = "best" if of.decided else "ahead"
    return case.cost or (best if case.best else "")


def _speed(case: Case) -> str:
    if not case.measured:
        return ""
    if case.conditions.durable or not case.bytes_per_s.center:
        return duration((case.ns_per_op.center or 0) / 1e9)
    return rate(case.bytes_per_s.center)


def _ticks(scale: _Scale) -> Iterator[tuple[float, str]]:
    last = -math.inf
    for tick in _TICKS:
        if tick <= scale.end and scale.place(tick) - last >= _APART:
            last = scale.place(tick)
            yield last, "best" if tick == 1 else times(tick)
