"""The table of a group with bars, for a terminal of 80 columns: a row per case, then the machine."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.text import Text

from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport
from iogauge.model.units import duration, rate, share
from iogauge.outputs import headings, recommendation
from iogauge.outputs.recommendation import Recommendation

WIDTH, _BAR = 80, 10
_EIGHTHS = " ▏▎▍▌▋▊▉"
_MOST_BEYOND = 2.0  # times the fastest case; a faster machine would leave the cases no bars


@dataclass(frozen=True)
class Row:
    """A line of a table. `length` is that of the bar, as a share; above 1 it goes on beyond it."""

    set: str
    name: str
    figure: str = ""
    length: float = 0.0
    note: str = ""
    style: str = ""


@dataclass(frozen=True)
class Layout:
    """Where the columns of all tables are, and whether bars are drawn in block characters."""

    set: int
    name: int
    figure: int
    blocks: bool

    def line(self, row: Row) -> Text:
        """The row, with a name that is too long on further lines."""
        name, *others = textwrap.wrap(row.name, self.name) or [""]
        bar = draw(row.length, self.blocks)
        before = f"  {row.set:<{self.set}}{name:<{self.name}} {row.figure:>{self.figure}}  "
        further = "".join(f"\n  {'':{self.set}}  {each}" for each in others)
        text = Text(before, style=row.style)
        text.append(bar, style="" if row.style else "cyan")
        text.append(f"{'':{_BAR + 1 - len(bar)}}  {row.note}".rstrip() if row.note else "")
        text.append(further)
        return text


def draw(length: float, blocks: bool) -> str:
    """A bar; what is there has one, however short."""
    if length <= 0:
        return ""
    beyond, length = ">" if length > 1 else "", min(length, 1.0)
    if not blocks:
        return "#" * max(1, round(length * _BAR)) + beyond
    full, rest = divmod(max(1, round(length * _BAR * 8)), 8)
    return "█" * full + _EIGHTHS[rest].strip() + beyond


def layout(tables: Iterable[Sequence[Row]], blocks: bool) -> Layout:
    """The columns that suit all these tables."""
    rows = [row for table in tables for row in table]
    sets, figures, notes, names = (
        max([0, *(len(getattr(row, each)) for row in rows)])
        for each in ("set", "figure", "note", "name")
    )
    room = WIDTH - (2 + sets + 2) - 1 - figures - 2 - _BAR - 1 - 2 - notes
    return Layout(sets + 2 if sets else 0, max(16, min(names, room)), figures, blocks)


def in_time(group: GroupReport) -> bool:
    """Whether bars are times: those of waiting for a device, or of nothing to move."""
    return group.conditions.durable or not group.workload.size


def rows(group: GroupReport, found: Sequence[Recommendation], most: int) -> list[Row]:
    """At most about so many cases, then the machine."""
    scale, chosen = _scale(group), _worth_a_row(group, found, most)
    made = []
    for each in found:
        cases = [case for case in group.cases if case.rank_set == each.set and case in chosen]
        heading = each.set.replace(" on ", ", ") if " on " in each.set else ""
        if heading:
            made.append(Row("", heading))
        for number, case in enumerate(cases):
            first = "" if number or heading else each.set
            made.append(_of_case(group, case, each, first, scale))
    hidden = len(group.cases) - len(chosen)
    if hidden:
        made.append(Row("", f"... {hidden} more: show --details", style="dim"))
    return made + _machine(group, scale)


def _worth_a_row(
    group: GroupReport, found: Sequence[Recommendation], most: int
) -> list[CaseReport]:
    """All cases, or of each set the one to use, the fastest, the simplest, the next ones that fit,
    and the slowest.
    """
    if len(group.cases) <= most:
        return list(group.cases)
    kept: list[CaseReport] = []
    for each in found:
        cases = [case for case in group.cases if case.rank_set == each.set]
        room = max(2, most // len(found))
        answer = each.answer
        first = [each.case, *([answer.best, answer.simplest] if answer else []), cases[-1], *cases]
        unique: list[CaseReport] = []
        for case in first:
            if case and case not in unique:
                unique.append(case)
        kept += unique[:room]
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


def _of_case(
    group: GroupReport, case: CaseReport, found: Recommendation, first: str, scale: float
) -> Row:
    value, name = _value(group, case), group.name_of(case)
    if value is None:
        return Row(first, name, "failed" if case.failure else "no data", style="dim")
    note, style = recommendation.cost(case, group.tolerance), ""
    if found.state in ("decided", "open", "only one") and case is found.case:
        answer = found.answer
        sure = answer is not None and answer.recommended is case
        note, style = ("ahead, not surely", "") if not sure else ("use this", "bold green")
        if sure and not case.is_best:
            note = f"use this (within {share(group.tolerance)})"
    elif case.is_best:
        note = "fastest" if found.state == "decided" else "ahead so far"
    return Row(first, name, _figure(group, value), value / scale, note, style)


def _machine(group: GroupReport, scale: float) -> list[Row]:
    one, many = group.ceiling, group.ceiling_of_threads
    if one is None:
        return []
    value = one.ns_per_op if in_time(group) else one.bytes_per_s
    note = ""
    if many and many.threads > 1:
        of_many = many.ns_per_op if in_time(group) else many.bytes_per_s
        note = f"{headings.in_words(many.threads)} threads: {_figure(group, of_many)}"
    return [Row("", "machine, one thread", _figure(group, value), value / scale, note, "dim")]
