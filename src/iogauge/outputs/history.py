"""The first screen of a history: what changed, when, by how much and between which runs; then how
the times of each case went on. And the list of runs.
"""

from __future__ import annotations

import datetime
import textwrap
from collections.abc import Iterable, Sequence

import numpy as np
from rich.console import Group
from rich.text import Text

from iogauge.history.history import History, RunInShort
from iogauge.history.series import Changed, Event, Point, Series
from iogauge.model.ratios import either_way
from iogauge.model.text import listed
from iogauge.model.units import count, counted, duration, share
from iogauge.outputs import headings, host_words
from iogauge.outputs.narrow import WIDTH
from iogauge.statistics.change_points import FEWEST_POINTS

BARS, DIGITS = "▁▂▃▄▅▆▇█", "12345678"
_MOST_LINES, _MOST_TRENDS, _ALL_TRENDS = 10, 6, 12
_BARS = 14  # of a trend
_LEAST_RANGE = 1.25  # times: what differs by less is noise, and fills no bar
_LEAST_NAME = 12
_NAME = 45  # characters of what a trend is of
_FIRST = 12  # characters of a line before what is said


def screen(found: History, *, bars: str = BARS, chosen: bool = False) -> Group:
    """At most 24 lines. `chosen`: the user chose the cases, and sees more of their trends."""
    if not found.series:
        return Group(Text(_head(found)), Text("Nothing was measured in them that fits."))
    most = _ALL_TRENDS if chosen else _MOST_TRENDS
    several = len({(each.about.host, each.about.file_system) for each in _newest(found)}) > 1
    trends = sorted(found.series, key=_interest)[:most]
    names = [_name(each, several=several, most=_NAME) for each in trends]
    width = max(map(len, names))
    lines = [_trend(each, name, width, bars) for each, name in zip(trends, names, strict=True)]
    more = len(found.series) - len(trends)
    title = "Times of each run, the oldest first" + (
        f" ({count(more)} more: --case TEXT)" if more else ""
    )
    return Group(
        Text(_head(found)),
        Text("\nWhat changed", style="bold"),
        *map(Text, _changes(found, trends, several=several)),
        Text(f"\n{title}", style="bold"),
        *map(Text, lines),
    )


def runs(found: Sequence[RunInShort]) -> Group:
    """A line per run, the newest first."""
    return Group(*(Text(_run(each)) for each in found))


def problems(found: Sequence[tuple[str, str]], most: int = 5) -> list[str]:
    """A line for each file that is no run, but for no more than so many."""
    lines = [f"skipped {path}: {why}" for path, why in found[:most]]
    more = len(found) - most
    return lines + (
        [f"skipped {counted(more, 'more file')} (--json names all)"] if more > 0 else []
    )


def date(seconds: float) -> str:
    """`2026-11-03`, in UTC."""
    return _when(seconds).strftime("%Y-%m-%d")


def moment(seconds: float) -> str:
    """`2026-11-03T20:14:00+00:00`."""
    return _when(seconds).isoformat()


def _when(seconds: float) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC)


def _head(found: History) -> str:
    runs = found.runs
    hosts = len({each.host for each in runs})
    parts = [f"{counted(len(runs), 'run')} of {counted(len(found.series), 'case')}"]
    if runs:
        first, last = date(runs[-1].started), date(runs[0].started)
        parts.append(first if first == last else f"{first} to {last}")
        parts.append(counted(hosts, "host"))
    if found.copies:
        copies = "copies count" if found.copies > 1 else "copy counts"
        parts.append(f"{count(found.copies)} {copies} once")
    return ", ".join(parts)


def _changes(found: History, trends: Sequence[Series], *, several: bool) -> list[str]:
    if not found.events:
        return _nothing(found, trends)
    lines, shown = _event(found.events[0], several=several), 1
    for event in found.events[1:]:
        more = _event(event, several=several)
        if len(lines) + len(more) > _MOST_LINES:
            break
        lines, shown = lines + more, shown + 1
    if older := len(found.events) - shown:
        lines.append(f"{counted(older, 'older change')}: --json has all")
    return lines


def _nothing(found: History, trends: Sequence[Series]) -> list[str]:
    short = sum(not each.is_long_enough for each in found.series)
    if short == len(found.series):
        most = max(map(len, found.series))
        return [
            f"Not known yet: it takes {FEWEST_POINTS} runs of one case on one machine, and there "
            f"are {most}."
        ]
    says = "No case changed."
    if short:
        says = f"Of the cases with {FEWEST_POINTS} runs none changed; {count(short)} have fewer."
    known = sorted(each.can_see - 1 for each in trends if each.can_see is not None)
    if known:
        steps = " to ".join(dict.fromkeys(share(each) for each in (known[0], known[-1])))
        says += f" A step of {steps} that stays would"
        says += " have been seen:\nso much was tried in the middle of the series below."
    return says.split("\n")


def _event(event: Event, *, several: bool) -> list[str]:
    """When and by how much, which case, between which runs, and what else differs in these."""
    first, others = event.first, event.cases - 1
    before, after = first.before, first.after
    case = _name(first.series, several=several and len(event.hosts) < 2)
    if others:
        case += f", and {counted(others, 'more case')}"
    runs = [fleet or one.run for fleet, one in zip(first.fleets, (before, after), strict=True)]
    between = f"from {runs[0]} to {runs[1]}{_differing(before, after)}"
    indent = " " * _FIRST
    return [
        f"{date(after.started):<{_FIRST}}{_by(event)}",
        _cut(f"{indent}{case}"),
        *([_cut(f"{indent}on {host_words.names(event.hosts)}")] if len(event.hosts) > 1 else []),
        *textwrap.wrap(between, WIDTH, initial_indent=indent, subsequent_indent=indent)[:2],
    ]


def _by(event: Event) -> str:
    change = event.first.change
    word = "slower" if change.ratio > 1 else "faster"
    ratios = [each.change.ratio for each in event.changed]
    says = f"{word}: takes {either_way(change.lo, change.hi)} as long"
    if len(ratios) > 1:
        mixed = min(ratios) < 1 < max(ratios)
        word = "slower or faster" if mixed else word
        takes = f"{event.cases} cases take" if event.cases > 1 else "takes"
        says = f"{word}: {takes} {either_way(min(ratios), max(ratios))} as long"
    return f"{says}, in the {counted(event.first.since, 'run')} since"


def _differing(before: Point, after: Point) -> str:
    """What else is another one in the two runs: `; jvm-17.0.15, then jvm-17.0.16`."""
    pairs = [
        (before.runtime, after.runtime),
        (f"kernel {before.kernel}", f"kernel {after.kernel}"),
        (f"iogauge {before.iogauge}", f"iogauge {after.iogauge}"),
    ]
    told = [f"{one}, then {other}" for one, other in pairs if one != other]
    return f"; {listed(told)}" if told else ""


def _newest(found: History) -> Iterable[Series]:
    return found.series[:1000]  # whether there are several places is soon known


def _interest(series: Series) -> tuple[bool, bool, float, int]:
    """What changed comes first, then what is still measured, then the longest."""
    changed = bool(series.changes)
    largest = max((abs(np.log(each.ratio)) for each in series.changes), default=0.0)
    return not changed, not series.is_long_enough, -float(largest), -len(series)


def _name(series: Series, *, several: bool, most: int = WIDTH - _FIRST) -> str:
    """What was measured, in so many characters: of a long name the workload is what stays."""
    about = series.about
    try:
        work = headings.of_work(about.workload, about.conditions)
    except KeyError:  # of an index that somebody edited
        return about.case_key[:most]
    work = f", {work[:1].lower()}{work[1:]}"
    host = about.host_name or about.host[:6]
    where = f" ({host}, {about.file_system})" if several else ""
    room = max(most - len(work) - len(where), _LEAST_NAME)
    return f"{_short(about.name, room)}{work}"[: most - len(where)] + where


def _short(name: str, room: int) -> str:
    """In so many characters: its last word, which may be a block or a buffer, stays if it can."""
    if len(name) <= room:
        return name
    _, blank, last = name.rpartition(" ")
    end = f"{blank}{last}" if len(last) < room // 2 else ""
    return f"{name[: room - 1 - len(end)]}…{end}"


def _trend(series: Series, name: str, width: int, bars: str) -> str:
    says = duration(float(series.ns[-1]) / 1e9)
    if series.changes:
        says += ", slower" if series.changes[-1].ratio > 1 else ", faster"
    elif not series.is_long_enough:
        says += f", {counted(len(series), 'run')}"
    return f"{name:<{width}}  {sparkline(series.ns, bars):<{_BARS}}  {says}"


def sparkline(ns: np.ndarray, bars: str = BARS) -> str:
    """A bar for each value, or for the median of neighbours, from the least to the largest."""
    parts = np.array_split(np.log(ns), min(_BARS, len(ns)))
    levels = np.array([np.median(each) for each in parts])
    least = levels.min()
    reach = max(levels.max() - least, float(np.log(_LEAST_RANGE)))
    places = np.minimum((levels - least) / reach * len(bars), len(bars) - 1).astype(int)
    return "".join(bars[place] for place in places.tolist())


def _run(each: RunInShort) -> str:
    when = _when(each.started).strftime("%Y-%m-%d %H:%M")
    state = "" if each.complete else ", stopped early"
    how = " as published" if each.protocol == "published" else ""
    return f"{when}  {each.file}  {counted(each.replicates, 'repeat')}{how}{state}"


def _cut(line: str) -> str:
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"


def changed_at(series: Series) -> dict[int, Changed]:
    """The changes of a series by the place of the first point after each."""
    return {each.at: Changed(series, each) for each in series.changes}
