"""A question's cases as dots with intervals: how many times as long as the best of its language
each takes. It is drawn as rows of a table, without a script.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from iogauge.decision.costs import MOST_APART
from iogauge.model.ratios import times
from iogauge.model.units import duration, rate
from iogauge.outputs import phrases
from iogauge.outputs.contract import AcrossGroups, Case, Group, Set
from iogauge.outputs.html.drawing import LogScale

APART = 18.0  # per cent of the width between two ticks, at least
ENDS = 3.0, 97.0  # of the scale, in per cent of the width
_TOLERANCE = 0.1  # where a run says none
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
    """A case of a set in one panel. `ratio` is its time over that of the best, None of what is not
    drawn; `interval` is None where nothing was compared. `faded`: the interval is so wide that it
    says little more than that. `usual` is the ratio of the usual way, which has a ring.
    """

    case: Case
    set: Set
    ratio: float | None
    interval: tuple[float, float] | None
    cost: str
    faded: bool = False
    use: str = ""  # `use this`, or `for now`; empty of a case that is not to be used
    usual: float | None = None
    panel: int = 0

    @property
    def row(self) -> tuple[Set, str]:
        """Which row it is drawn in."""
        return self.set, self.case.label

    @property
    def chosen(self) -> bool:
        return self.use == phrases.USE


@dataclass(frozen=True)
class Row:
    """A case over the panels; None where a panel does not have it. Over several panels `speed` is
    from the slowest to the fastest, and `cost` the highest. `simplest`: of its set, where that is
    not the one to use.
    """

    case: Case
    dots: tuple[Dot | None, ...]
    cost: str
    speed: str
    simplest: bool = False

    @property
    def chosen(self) -> bool:
        return any(dot and dot.chosen for dot in self.dots)


@dataclass(frozen=True)
class Dots:
    """Rows by set, on a scale in per cent of the width. `figure` says what their speeds are. `zone`
    is where the same begins and ends; `left_out` counts cases that only the details show.
    """

    sets: Mapping[Set, Sequence[Row]]
    scale: LogScale
    ticks: Sequence[tuple[float, str]]
    zone: tuple[float, float]
    panels: Sequence[str] = ("",)
    figure: str = "time each"
    left_out: int = 0


def of(groups: Sequence[Group], panels: Sequence[str]) -> Dots:
    """The cases of groups that ask one question, a panel per group."""
    every = [dot for panel, group in enumerate(groups) for dot in _dots(panel, group)]
    rows: dict[tuple[Set, str], list[Dot]] = {}
    for dot in every:
        rows.setdefault(dot.row, []).append(dot)
    shown = _shown(every)
    in_time = are_times(dot.case for dot in every)
    sets: dict[Set, list[Row]] = {dot.set: [] for dot in every}
    for row, same in rows.items():
        if row in shown:
            of_panel = {dot.panel: dot for dot in same}
            places = tuple(of_panel.get(panel) for panel in range(len(groups)))
            cost = max(same, key=lambda dot: dot.ratio or 0.0).cost
            case = same[0].case
            simplest = case.simplest and not any(dot.use for dot in same)
            sets[row[0]].append(Row(case, places, cost, _speed(same, in_time), simplest))
    # Of all intervals those that say something.
    known = [dot.case.vs_best.hi or 1.0 for dot in every if _known(dot.case)]
    most = max((*(dot.ratio or 1.0 for dot in every), *known), default=1.0)
    return _against_best(sets, most, groups, in_time, panels, len(rows) - len(shown))


def of_languages(group: Group) -> Dots:
    """A row for the best way of each language, with a ring for the usual one."""
    cases, in_time = {each.key: each for each in group.cases}, are_times(group.cases)
    sets, most = {}, 1.0
    for each in group.languages:
        case, ratio = cases[each.case], each.ratio or 1.0
        behind = cases[each.usual].vs_best.ratio if each.usual else None
        usual = None if behind is None else behind * ratio
        interval = None if each.ratio is None else (each.lo or 1.0, each.hi or math.inf)
        faded = each.outcome == "undecided"
        dot = Dot(case, each.of, ratio, interval, each.cost, faded, usual=usual)
        sets[each.of] = [Row(case, (dot,), each.cost, _speed([dot], in_time))]
        most = max(most, ratio, usual or 1.0)
    return _against_best(sets, most, [group], in_time)


def _against_best(
    sets: Mapping[Set, Sequence[Row]],
    most: float,
    groups: Iterable[Group],
    in_time: bool,
    panels: Sequence[str] = ("",),
    left_out: int = 0,
) -> Dots:
    """On a scale from a little below the best to so many times its time; at most ten times."""
    scale = LogScale(_LEAST, next((end for end in _MOST if end >= most), _MOST[-1]), *ENDS)
    ticks = [
        (scale.place(tick), "best" if tick == 1 else times(tick))
        for tick in scale.ticks(_TICKS, APART)
    ]
    zone = scale.place(1.0), scale.place(1 + tolerance_of(groups))
    return Dots(sets, scale, ticks, zone, panels, "time each" if in_time else "speed", left_out)


def tolerance_of(groups: Iterable[Group]) -> float:
    """How much slower is as fast."""
    return next((each.tolerance for each in groups if each.tolerance), _TOLERANCE)


def across(of: Set, case: Case, found: AcrossGroups) -> Dot:
    """A case against itself in the first group."""
    known = found.lo is not None or found.hi is not None
    interval = (found.lo or 0.0, found.hi or math.inf) if known else None
    return Dot(case, of, found.ratio, interval, found.cost, found.outcome == "undecided")


def _dots(panel: int, group: Group) -> Iterator[Dot]:
    found = {each.of: each for each in group.recommendations}
    languages = {each.of: each for each in group.languages} if group.one_each else {}
    for case in group.cases:
        alone = Set(case.language, case.setting)
        name = alone if alone in found else Set(case.language)
        use, state = "", found[name].state if name in found else ""
        if state in ("decided", "open"):
            for_now = found[name].for_now
            if case.key == (for_now or found[name].case):
                use = phrases.FOR_NOW if for_now else phrases.USE
        beside = languages.get(name)  # of a set of one case, against the best of all
        ratio = (beside.ratio or 1.0) if beside else _ratio(group, case)
        compared = case.vs_best.ratio is not None and not case.best
        yield Dot(
            case,
            name,
            ratio,
            (case.vs_best.lo or 1.0, case.vs_best.hi or math.inf) if compared else None,
            _cost(case, state, use, beside.cost if beside else ""),
            compared and not _known(case),
            use,
            panel=panel,
        )


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


def _shown(every: Sequence[Dot]) -> set[tuple[Set, str]]:
    """The rows that are drawn: all, or what is recommended and the best one of each strategy."""
    rows = {dot.row for dot in every}
    if len(rows) <= _MOST_ROWS:
        return rows
    kept = {dot.row for dot in every if dot.use}
    best = sorted(every, key=lambda dot: math.inf if dot.ratio is None else dot.ratio)
    strategies: set[tuple[Set, str]] = set()
    for dot in [*(each for each in best if each.row in kept), *best]:
        strategy = dot.set, dot.case.strategy
        if strategy not in strategies:
            strategies.add(strategy)
            kept.add(dot.row)
    return kept


def _known(case: Case) -> bool:
    """Whether its interval says more than that little is known: it ends near the best, or begins
    beyond it.
    """
    return (case.vs_best.lo or 0.0) > 1 or (case.vs_best.hi or math.inf) <= MOST_APART


def _cost(case: Case, state: str, use: str, beside: str) -> str:
    if case.failures:
        return "failed"
    if case.impossible:
        return "faster than the machine: not used"
    if not case.measured:
        return "not measured"
    own = use if use and not case.note else case.note or case.cost
    return beside or own or (_LEADS.get(state, "") if case.best else "")


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


def _speed(dots: Iterable[Dot], in_time: bool) -> str:
    cases = [dot.case for dot in dots if dot.case.measured]
    if in_time:
        said = [duration(ns / 1e9) for ns in sorted(each.ns_per_op.center or 0 for each in cases)]
    else:
        said = [rate(speed) for speed in sorted(each.bytes_per_s.center or 0 for each in cases)]
    return " - ".join(dict.fromkeys([*said[:1], *said[-1:]]))
