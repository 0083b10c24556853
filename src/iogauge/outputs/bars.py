"""The table of a group with bars, for a terminal of 80 columns: the cases, then the machine."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rich.text import Text

from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.ceilings import Ceiling
from iogauge.analysis.groupreport import GroupReport
from iogauge.decision.verdict import CaseVerdict, SetVerdict
from iogauge.model.units import duration, rate
from iogauge.outputs import phrases
from iogauge.outputs.narrow import WIDTH

_BAR = 10
_LONG_SET = 20  # characters of the name of a set
_SHORT_BAR, _SHORTEST_BAR, _NARROWEST_NAME = 6, 4, 16
_EIGHTHS = " ▏▎▍▌▋▊▉"
_OF_SPEED = "speed", "longer is faster"
_MOST_BEYOND = 2.0  # times the fastest case; a faster machine would leave the cases no bars


@dataclass(frozen=True)
class Row:
    """A line of a table. `length` is that of the bar, as a share; above 1 it goes on beyond it.
    `aside` follows the note where there is room. Of a case `verdict` is what the note says; of the
    machine `reached` whether a case is as fast.
    """

    set: str
    name: str
    figure: str = ""
    length: float = 0.0
    note: str = ""
    style: str = ""
    aside: str = ""
    verdict: CaseVerdict | None = None
    of_machine: bool = False
    reached: bool = False


@dataclass(frozen=True)
class Layout:
    """Where the columns of all tables are, how wide they are together, and whether bars are drawn
    in block characters. On a narrow screen all is `stacked`: figure, bar and note are below the
    name.
    """

    set: int
    name: int
    figure: int
    blocks: bool
    width: int = WIDTH
    bar: int = _BAR
    stacked: bool = False

    def header(self, group: GroupReport) -> Text:
        """What the columns are: above the first table, and where bars change their meaning."""
        figure, bars = ("time", "longer is slower") if in_time(group) else _OF_SPEED
        if self.stacked:
            return Text(f"  {figure}; {bars}", style="dim")
        before = f"  {'':{self.set + self.name}} {figure:>{self.figure}}  "
        return Text(f"{before}{bars}", style="dim")

    def line(self, row: Row) -> Text:
        """The row, with a name that is too long on further lines."""
        if not row.figure:  # a heading
            return Text(f"  {'':{self.set}}{row.name}", style=row.style)
        name, *others = _folded(row.name, self.name)
        bar = draw(row.length, self.blocks, self.bar)
        if self.stacked:
            names = "".join(f"{each}\n{'':{self.set + 2}}" for each in (name, *others))
            before = f"  {row.set:<{self.set}}{names}  {row.figure:>{self.figure}}  "
            others = []
        else:
            before = f"  {row.set:<{self.set}}{name:<{self.name}} {row.figure:>{self.figure}}  "
        further = "".join(f"\n  {'':{self.set}}  {each}" for each in others)
        text = Text(before, style=row.style)
        text.append(bar, style="" if row.style else "cyan")
        text.append(f"{'':{self.bar + 1 - len(bar)}}  ")
        used = len(text.plain.rpartition("\n")[2])
        if self.stacked and used + len(row.note) > self.width:
            text.append(f"\n{'':{self.set + 4}}")
        whole = row.note + row.aside
        text.append(whole if used + len(whole) <= self.width else row.note)
        text.rstrip()
        text.append(further)
        return text


def _folded(name: str, width: int) -> list[str]:
    """Lines that end at blanks, before a point, or before a parenthesis."""
    if len(name) <= width:
        return [name]
    parts = re.sub(r"(?<=\w)(?=[.(]\D)", " \a", name)
    return [line.replace(" \a", "").replace("\a", "") for line in textwrap.wrap(parts, width)]


def draw(length: float, blocks: bool, longest: int = _BAR) -> str:
    """A bar; what is there has one, however short."""
    if length <= 0:
        return ""
    beyond, length = ">" if length > 1 else "", min(length, 1.0)
    if not blocks:
        return "#" * max(1, round(length * longest)) + beyond
    full, rest = divmod(max(1, round(length * longest * 8)), 8)
    return "█" * full + _EIGHTHS[rest].strip() + beyond


def layout(tables: Iterable[Sequence[Row]], blocks: bool, width: int = WIDTH) -> Layout:
    """The columns that suit all these tables."""
    rows = [row for table in tables for row in table]
    sets, figures, notes, names = (
        max([0, *(len(getattr(row, each)) for row in rows if row.figure)])
        for each in ("set", "figure", "note", "name")
    )
    of_set, beside = sets + 2 if sets else 0, 2 + figures + 2 + 1 + 2 + notes
    if width < WIDTH and width < 2 + of_set + _NARROWEST_NAME + beside + _BAR:
        bar = max(_SHORTEST_BAR, min(_BAR, width - of_set - 2 - beside))
        name = max(_NARROWEST_NAME, width - 2 - of_set)
        return Layout(of_set, name, figures, blocks, width, bar, stacked=True)
    notes = max(notes, len(_OF_SPEED[1]) - _SHORT_BAR - 3)  # the header must fit, too
    room = width - (2 + of_set) - 1 - figures - 2 - 1 - 2 - notes  # of names and bars
    bar = max(_SHORT_BAR, min(_BAR, room - names))  # a shorter one before a name is folded
    name = max(_NARROWEST_NAME, min(names, room - bar))
    return Layout(of_set, name, figures, blocks, width, bar)


def in_time(group: GroupReport) -> bool:
    """Whether bars are times: of operations that wait for a device, of empty files, of commands and
    functions whose byte count is unverified, and of functions, whose users think in times.
    """
    own = any(each.strategy.is_own for each in group.cases)
    return group.conditions.durable or not group.workload.size or not group.is_checked or own


def rows(
    group: GroupReport,
    found: Sequence[SetVerdict[CaseReport]],
    most: int,
    *,
    told: bool,
    machine: bool = True,
) -> list[Row]:
    """At most about so many cases, then the `machine`. `told`: with what they cost. Where languages
    are compared, a row for the best of each.
    """
    scale = _scale(group)
    of_machine = _machine(group, scale) if machine else []
    if told and group.compares_sets:
        return [*_of_languages(group, scale), *of_machine]
    chosen, made = _worth_a_row(group, found, most), []
    for each in found:
        cases = [case for case in group.members[each.set] if case in chosen]
        if told:  # what to use comes first
            cases.sort(key=lambda case: case is not each.use)
        else:  # nothing else says in which order they are
            cases.sort(key=lambda case: case.ns_per_op.center if case.ns_per_op else math.inf)
        heading = group.called(each.set) if cases and group.is_version(each.set) else ""
        if heading:
            made.append(Row("", heading))
        for number, case in enumerate(cases):
            alone = group.of_commands or case.strategy.imported
            first = "" if number or heading or alone else each.set
            made.append(_of_case(group, case, each, first, scale, told=told))
    return made + of_machine


def _of_languages(group: GroupReport, scale: float) -> list[Row]:
    """The best of each language, the fastest first, with what it costs against that."""
    made = []
    above = max(len(group.called(name)) for name in group.sets) > _LONG_SET
    for name in group.sets:
        if above:  # beside it there would be no room for the rest
            made.append(Row("", group.called(name)))
        case, verdict = group.best_of[name], group.verdict_on(name)
        same = verdict.cost is not None and verdict.cost.kind == "same"
        style = "bold green" if same or verdict.kind == "fastest" else ""
        value = _value(group, case)
        assert value is not None  # the best of a set was measured
        first, figure = "" if above else group.called(name), _figure(group, value)
        row = Row(first, group.name_of(case), figure, value / scale, style=style)
        made.append(replace(row, note=phrases.note(verdict), verdict=verdict))
    return made


def _worth_a_row(
    group: GroupReport, found: Sequence[SetVerdict[CaseReport]], most: int
) -> list[CaseReport]:
    """All cases, or of each set as many as fit: the one to use, the simplest, those that may be
    the best, the nearest first, the slowest, then the next ones.
    """
    if len(group.cases) <= most:
        return list(group.cases)
    kept: list[CaseReport] = []
    for each in found:
        cases, answer = group.members[each.set], each.answer
        can_be = [case for case in cases if answer and case in answer.can_be_best]
        simplest = [answer.simplest] if answer else []
        unique: list[CaseReport] = []
        for case in (each.use, *simplest, *can_be, cases[-1], *cases):
            if case and case not in unique:
                unique.append(case)
        kept += unique[: max(2, most // len(found))]
    return [case for case in group.cases if case in kept]


def _scale(group: GroupReport) -> float:
    """What the longest bar stands for: bytes per second, or ns."""
    values = [value for case in group.cases if (value := _value(group, case))]
    if not values:
        return 1.0
    longest = max(values)
    if group.ceiling and not in_time(group):
        beyond = group.ceiling.bytes_per_s
        longest = beyond if longest < beyond <= _MOST_BEYOND * longest else longest
    return longest


def _value(group: GroupReport, case: CaseReport) -> float | None:
    if in_time(group):
        return case.ns_per_op.center if case.ns_per_op else None
    return case.bytes_per_s.center if case.bytes_per_s else None


def _figure(group: GroupReport, value: float) -> str:
    return duration(value / 1e9) if in_time(group) else rate(value)


def limit(group: GroupReport) -> str:
    """What the machine reaches with one thread, as the tables tell it, and whether a way does, too:
    `7.87 GB/s, reached`; empty if not known.
    """
    if group.ceiling is None:
        return ""
    value = _limit(group, group.ceiling)
    return _figure(group, value) + (f", {phrases.REACHED}" if _is_reached(group, value) else "")


def _limit(group: GroupReport, of: Ceiling) -> float:
    return of.ns_per_op if in_time(group) else of.bytes_per_s


def _is_reached(group: GroupReport, limit: float) -> bool:
    """Whether a way is faster than what was measured as the machine's limit."""
    known = [_value(group, case) for case in group.cases if not case.impossible]
    return any(each and (each < limit if in_time(group) else each > limit) for each in known)


def _of_case(
    group: GroupReport,
    case: CaseReport,
    found: SetVerdict[CaseReport],
    first: str,
    scale: float,
    *,
    told: bool,
) -> Row:
    value, name = _value(group, case), group.name_of(case)
    if value is None:
        why = "no number" if case.unread else "failed" if case.failure else "no data"
        return Row(first, name, why, style="dim" if told else "")
    row = Row(first, name, _figure(group, value), value / scale)
    if not told:
        return row
    verdict = found.of_case(case, group.tolerance)
    simplest = found.is_simplest(case) and case is not found.use
    return replace(
        row,
        name=name + phrases.SIMPLEST if simplest else name,
        note=phrases.note(verdict),
        style={"use": "bold green", "for now": "bold"}.get(verdict.kind, ""),
        aside=phrases.DROPPED if verdict.kind == "cost" and case.eliminated else "",
        verdict=verdict,
    )


def _machine(group: GroupReport, scale: float) -> list[Row]:
    one, many = group.ceiling, group.ceiling_of_threads
    if one is None:
        return []
    value, threads = _limit(group, one), ""
    if many and many.threads > 1:
        threads = f"{many.threads} threads {_figure(group, _limit(group, many))}"
    reached = _is_reached(group, value)
    note, aside = (phrases.REACHED, "") if reached else ("", threads)
    name, figure = f"{phrases.MACHINE}, 1 thread", _figure(group, value)
    row = Row("", name, figure, value / scale, note, "dim", aside)
    return [replace(row, of_machine=True, reached=reached)]
