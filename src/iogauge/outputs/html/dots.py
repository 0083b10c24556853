"""A question's cases as dots with intervals: how many times as long as the best of its language
each takes. It is drawn as rows of a table, without a script.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from iogauge.decision.costs import MOST_APART
from iogauge.model.ratios import times
from iogauge.model.units import duration, rate
from iogauge.outputs.contract import Case, Group, Set
from iogauge.outputs.html.drawing import LogScale

APART = 18.0  # per cent of the width between two ticks, at least
ENDS = 3.0, 97.0  # of the scale, in per cent of the width
TOLERANCE = 0.1  # where a run says none
_MOST_ROWS = 14
_LEAST = 0.9  # times the best, at the left end
_MOST = (1.5, 2.0, 3.0, 5.0, 10.0)  # at the right end, to choose from; what is beyond has an arrow
_TICKS = (1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0)
_LEADS = {
    "decided": "fastest",
    "open": "fastest so far",
    "too few repeats": "fastest so far",
    "only one": "the only one",
}


@dataclass(frozen=True)
class Dot:
    """A case in one panel. Places are per cent of the width. An interval without an upper bound
    reaches to the end of the scale; `left` and `right` are None where nothing was compared.
    `faded`: the interval is so wide that it says little more than that. `beyond`: the dot lies
    right of the scale.
    """

    at: float
    left: float | None
    right: float | None
    faded: bool
    beyond: bool
    chosen: bool
    says: str
    usual: float | None = None  # where the usual way is, which has a ring


@dataclass(frozen=True)
class Row:
    """A case over the panels; None where a panel does not have it. Over several panels `speed` is
    from the slowest to the fastest, and `cost` the highest. `simplest`: of its set, where that is
    not the one to use.
    """

    case: Case
    name: str
    simplest: bool
    dots: tuple[Dot | None, ...]
    cost: str
    speed: str

    @property
    def chosen(self) -> bool:
        return any(dot and dot.chosen for dot in self.dots)


@dataclass(frozen=True)
class Dots:
    """Rows by set. `figure` says what their speeds are. `zone` is where the same begins and ends;
    `left_out` counts cases that only the details show.
    """

    panels: tuple[str, ...]
    sets: tuple[tuple[Set, tuple[Row, ...]], ...]
    ticks: tuple[tuple[float, str], ...]
    zone: tuple[float, float]
    figure: str = "time each"
    left_out: int = 0


def scale_of(most: float) -> LogScale:
    """From a little below the best to so many times its time; at most ten times."""
    return LogScale(_LEAST, next((end for end in _MOST if end >= most), _MOST[-1]), *ENDS)


def ticks_of(scale: LogScale) -> tuple[tuple[float, str], ...]:
    """Places and labels."""
    return tuple(
        (scale.place(tick), "best" if tick == 1 else times(tick))
        for tick in scale.ticks(_TICKS, APART)
    )


def zone_of(scale: LogScale, groups: Iterable[Group]) -> tuple[float, float]:
    """Where what is as fast as the best begins and ends."""
    tolerance = next((each.tolerance for each in groups if each.tolerance), TOLERANCE)
    return scale.place(1.0), scale.place(1 + tolerance)


@dataclass(frozen=True)
class _Place:
    """A case of a panel, and the set in which it is compared."""

    panel: int
    case: Case
    set: Set
    ratio: float | None  # times the best of the set
    state: str  # of what is recommended for its set
    use: str  # `use this`, or `for now`; empty of a case that is not to be used
    cost: str = ""  # against the best of all, where a set has only this case

    @property
    def row(self) -> tuple[Set, str]:
        """Which row it is drawn in."""
        return self.set, self.case.label


def of(groups: Sequence[Group], panels: Sequence[str]) -> Dots:
    """The cases of groups that ask one question, a panel per group."""
    every = [place for panel, group in enumerate(groups) for place in _places(panel, group)]
    rows: dict[tuple[Set, str], list[_Place]] = {}
    for place in every:
        rows.setdefault(place.row, []).append(place)
    shown = _shown(every)
    scale = scale_of(_most(every))
    in_time = are_times(place.case for place in every)
    named: dict[Set, list[Row]] = {place.set: [] for place in every}
    for row, places in rows.items():
        if row in shown:
            named[row[0]].append(_row(places, len(groups), scale, in_time))
    return Dots(
        panels=tuple(panels),
        figure="time each" if in_time else "speed",
        sets=tuple((name, tuple(found)) for name, found in named.items()),
        ticks=ticks_of(scale),
        zone=zone_of(scale, groups),
        left_out=len(rows) - len(shown),
    )


def _places(panel: int, group: Group) -> Iterator[_Place]:
    found = {each.of: each for each in group.recommendations}
    for case in group.cases:
        alone = Set(case.language, case.setting)
        name = alone if alone in found else Set(case.language)
        state = found[name].state if name in found else ""
        use = ""
        if state in ("decided", "open"):
            chosen, for_now = found[name].case, found[name].for_now
            use = "for now" if for_now == case.key else ""
            use = "use this" if not for_now and chosen == case.key else use
        beside = next((each for each in group.languages if each.of == name), None)
        if group.one_each and beside:
            yield _Place(panel, case, name, beside.ratio or 1.0, state, use, beside.cost)
        else:
            yield _Place(panel, case, name, _ratio(group, case), state, use)


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


def _shown(every: Sequence[_Place]) -> set[tuple[Set, str]]:
    """The rows that are drawn: all, or what is recommended and the best one of each strategy."""
    rows = {place.row for place in every}
    if len(rows) <= _MOST_ROWS:
        return rows
    kept = {place.row for place in every if place.use}
    best = sorted(every, key=lambda place: math.inf if place.ratio is None else place.ratio)
    strategies: set[tuple[Set, str]] = set()
    for place in [*(each for each in best if each.row in kept), *best]:
        strategy = place.set, place.case.strategy
        if strategy not in strategies:
            strategies.add(strategy)
            kept.add(place.row)
    return kept


def _most(every: Sequence[_Place]) -> float:
    """The largest of all dots, and of all intervals that say something."""
    known = (each.case.vs_best.hi or 1.0 for each in every if _known(each.case))
    return max((*(each.ratio or 1.0 for each in every), *known), default=1.0)


def _known(case: Case) -> bool:
    """Whether its interval says more than that little is known: it ends near the best, or begins
    beyond it.
    """
    return (case.vs_best.lo or 0.0) > 1 or (case.vs_best.hi or math.inf) <= MOST_APART


def _row(places: Sequence[_Place], panels: int, scale: LogScale, in_time: bool) -> Row:
    of_panel = {place.panel: _dot(place, scale) for place in places}
    case = places[0].case
    dots = tuple(of_panel.get(panel) for panel in range(panels))
    dearest = max(places, key=lambda place: place.ratio or 0.0)
    simplest = case.simplest and not any(place.use for place in places)
    return Row(case, case.name, simplest, dots, _cost(dearest), _speed(places, in_time))


def _dot(place: _Place, scale: LogScale) -> Dot | None:
    if place.ratio is None:
        return None
    found = place.case.vs_best
    compared = found.ratio is not None and not place.case.best
    return Dot(
        at=scale.place(place.ratio),
        left=scale.place(found.lo or 1.0) if compared else None,
        right=scale.place(found.hi or math.inf) if compared else None,
        faded=compared and not _known(place.case),
        beyond=place.ratio > scale.most,
        chosen=place.use == "use this",
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
    if of.cost:
        return of.cost
    if of.use and not case.note:
        return of.use
    return case.note or case.cost or (_LEADS.get(of.state, "") if case.best else "")


def are_times(cases: Iterable[Case]) -> bool:
    """Whether the speeds are times: of waiting for a device, of nothing to move, of cases whose
    byte count is unverified, or of user functions.
    """
    return any(
        each.measured
        and (
            each.conditions.durable or each.is_own or not each.tells or not each.bytes_per_s.center
        )
        for each in cases
    )


def _speed(places: Sequence[_Place], in_time: bool) -> str:
    cases = [place.case for place in places if place.case.measured]
    if in_time:
        said = [duration(ns / 1e9) for ns in sorted(each.ns_per_op.center or 0 for each in cases)]
    else:
        said = [rate(speed) for speed in sorted(each.bytes_per_s.center or 0 for each in cases)]
    return " - ".join(dict.fromkeys(each for each in (*said[:1], *said[-1:])))
