"""What the same case takes across the groups of a span, in sentences and as a table: what fsync
costs, cold against warm, what a batch brings per record.
"""

from __future__ import annotations

from typing import NamedTuple

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import Across
from iogauge.analysis.spans import SpanReport
from iogauge.decision.costs import is_known
from iogauge.model.case import runtimes_differ
from iogauge.model.ratios import FRACTION, about, either_way
from iogauge.model.strategy import told_with
from iogauge.model.units import counted, duration, rate, share, short_size, size
from iogauge.model.workload import CACHED_BY_WORDS
from iogauge.outputs import headings, states
from iogauge.outputs.phrases import NOT_SURE_YET
from iogauge.outputs.table import empty, of_record

_LABEL, _VALUE, _TIME, _RATE, _RATIO = 28, 11, 8, 10, 19  # with a space between any two: 80


def of(span: SpanReport, next_step: str) -> list[RenderableType]:
    """For a terminal of 80 columns: the question, the answers, the table."""
    counts = sorted(each.comparison.replicates for each in span.across)
    sure = counted(counts[-1], "repeat") if counts else "no repeat has both yet"
    if counts and counts[0] < counts[-1]:
        sure = f"{counts[0]} to {sure}"
    of_states = [f"{name}: {says}" for name, says in states.of(span).items()]
    parts: list[RenderableType] = [
        Text(span.question, style="bold"),
        Text(f"{title(span)}; {sure}", style="dim"),
        *(Padding(Text(each), (0, 0, 0, 2)) for each in of_states),
        *(Padding(Text(each), (0, 0, 0, 2)) for each in answers(span, next_step)),
    ]
    return [*parts, Text(""), _table(span)] if span.across else parts


def answers(span: SpanReport, next_step: str = "") -> list[str]:
    """A sentence for each further value: what it takes against the first one; then the
    `next_step` that would tell more.
    """
    others = names(span)[1:]
    says = [f"{name}: {text}" for name, text in zip(others, compared(span), strict=True)]
    return [*says, next_step] if next_step else says


def briefly(span: SpanReport) -> list[str]:
    """What there is to say where it need not be complete: of states of the cache what to use in
    each language, where that is known.
    """
    return [f"{name}: {says}" for name, says in states.of(span).items()] or answers(span)


def compared(span: SpanReport) -> list[str]:
    """What each further value takes against the first one: `7.1-8.2x the time of warm`."""
    return [_answer(span, place) for place in range(1, len(span.values))]


def where(span: SpanReport) -> str:
    """What all its groups are, and other spans of the question may not be: `1 MiB`, `cached`."""
    workload, conditions = span.groups[0].workload, span.groups[0].conditions
    if span.along == "size":
        return ", ".join(headings.state(conditions))
    if span.along == "cache":
        conditions = conditions.model_copy(update={"cached_by": None})
    if span.along == "cached_by":
        return f"{size(workload.size)}, cached in {counted(len(span.groups), 'way')}"
    alike = conditions.model_copy(update={span.along: None})
    return ", ".join([size(workload.size), *headings.state(alike)])


def title(span: SpanReport) -> str:
    """`1 MiB, cold against warm: time per operation`."""
    if span.along == "cached_by":
        return f"{where(span)}: time per operation"
    first, *others = names(span)
    record = span.groups[0].record_bytes if span.per == "record" and _alike(span) else None
    of = f"{span.per} of {short_size(record)}" if record else span.per
    compared = f"{', '.join(others)} against {first}: time per {of}"
    return f"{where(span)}, {compared}" if where(span) else compared


def names(span: SpanReport) -> tuple[str, ...]:
    """What its values are called: `warm` and `cold`, `not durable` and `fsync`."""
    return tuple(_name(span, place) for place in range(len(span.values)))


def value_name(value: int | str) -> str:
    """`cold`, `not durable`, `64K`, `written in small pieces`."""
    if isinstance(value, int):
        return short_size(value)
    return "not durable" if value == "none" else CACHED_BY_WORDS.get(value, value)


def cost(found: Across, tolerance: float) -> str:
    """What a case takes against itself in the first group: `7.1-8.2x`, `not sure yet`."""
    if found.comparison.outcome == "same":
        return f"within {share(tolerance)}"
    return str(_told(found) or NOT_SURE_YET)


def of_reader(span: SpanReport) -> list[str]:
    """What small writes cost whoever reads the file next, against large ones, which are the first
    group of the span: a line for each way of reading.
    """
    second = span.groups[1]
    if not span.across:
        return ["Reading it next: no repeat has both states yet."]
    lines = ["Reading it next: a file written in small pieces takes, against one in large pieces:"]
    for each in span.across:
        case = next(case for case in second.cases if case.case.key == each.case.key)
        told = cost(each, span.tolerance)
        if told == NOT_SURE_YET:
            told = f"{told}, {about(each.comparison.center)} the time so far"
        elif each.comparison.outcome == "same":
            told = f"the same time, {told}"
        else:
            told = f"{told} the time"
        how = " (mapped)" if case.strategy.reads_mapped else ""
        lines.append(f"  {told} with {second.name_of(case)}{how}")
    counts = [each.comparison.replicates for each in span.across]
    return [*lines, f"  ({counted(min(counts), 'repeat')}, ranges 95 % sure)"]


def _answer(span: SpanReport, place: int) -> str:
    """`7.1-8.2x the time of warm`."""
    found = _of_group(span, place)
    time = "the time" if span.per == "operation" else f"the time per {span.per}"
    file = "a file " if span.along == "cached_by" else ""
    first = f"{time} of {file}{_name(span, 0)}"
    if span.values[0] == "none":
        first = f"{time} without it"
    if not found:
        return f"no repeat has measured it and {file}{_name(span, 0)} yet"
    if all(each.comparison.outcome == "same" for each in found):
        return f"the same as {_name(span, 0)}, within {share(span.tolerance)}"
    bounds = [(each.comparison.lo, each.comparison.hi) for each in found]
    lo, hi = min(lo for lo, _ in bounds), max(hi for _, hi in bounds)
    if is_known(lo, hi) and all(map(_told, found)):
        return f"{_Range(lo, hi).of} {first}"
    told = [(each, known) for each in found if (known := _told(each))]
    told.sort(key=lambda each: each[0].comparison.center)
    if not told:
        return f"{NOT_SURE_YET} how it compares with {file}{_name(span, 0)}"
    (least, few), (most, many) = told[0], told[-1]
    says = f"{few.of} {first} with {_case(span, least)}"
    if most is not least:
        says += f", {many} with {_case(span, most)}"
    unsure = len(found) - len(told)
    return says + (f"; {unsure} of {len(found)} cases {NOT_SURE_YET}" if unsure else "")


class _Range(NamedTuple):
    """Times as long; where it is wide, only the end that is sure, as `over` or `under` it."""

    lo: float
    hi: float
    word: str = ""

    def __str__(self) -> str:
        return f"{self.word} {either_way(self.lo, self.hi)}".lstrip()

    @property
    def of(self) -> str:
        """`1/40 of` the time, but `1.5x` the time."""
        return f"{self} of" if self.hi < FRACTION else str(self)


def _told(each: Across) -> _Range | None:
    """None where the same code may differ by as much."""
    found = each.comparison
    if found.outcome == "undecided" and not found.lo <= 1 <= found.hi:
        return None
    if is_known(found.lo, found.hi):
        return _Range(found.lo, found.hi)
    match found.outcome:
        case "slower":
            return _Range(found.lo, found.lo, "over")
        case "faster":
            return _Range(found.hi, found.hi, "under")
    return None


def _name(span: SpanReport, place: int) -> str:
    """What a value is called: `cold`, `fsync`, `64K`; `100 at once` of equal records."""
    value = span.values[place]
    if span.per == "record" and _alike(span):
        return f"{int(span.units[place])} at once"
    return value_name(value)


def _case(span: SpanReport, found: Across) -> str:
    """What its users call a case, with its runtime where there are several."""
    cases = [(group, case) for group in span.groups for case in group.cases]
    name = next(group.name_of(case) for group, case in cases if case.case.key == found.case.key)
    several = runtimes_differ((case.case.language, case.case.setting) for _, case in cases)
    return told_with(name, found.case.setting) if several else name


def _alike(span: SpanReport) -> bool:
    """Whether records are of one size."""
    return len({group.record_bytes for group in span.groups}) == 1


def _of_group(span: SpanReport, place: int) -> list[Across]:
    keys = {case.case.key for case in span.groups[place].cases}
    return [each for each in span.across if each.case.key in keys]


def _table(span: SpanReport) -> Table:
    """A few rows for each case: one for each value."""
    in_records = span.per == "record"
    headers = ("1 record", "records/s") if in_records else ("time", "throughput")
    columns = zip(headers, (_TIME, _RATE), strict=True)
    table = empty(("", _LABEL), ("", _VALUE), *columns, (f"{_name(span, 0)} = 1", _RATIO))
    table.columns[1].justify = "left"
    cases = {case.case.key: case for group in span.groups for case in group.cases}
    for reference in dict.fromkeys(each.reference.key for each in span.across):
        case = cases[reference]
        figures = _figures(case, in_records=in_records)
        table.add_row(Text(case.label), _name(span, 0), *figures, "1")
        for place in range(1, len(span.groups)):
            for found in _of_group(span, place):
                if found.reference.key == reference:
                    figures = _figures(cases[found.case.key], in_records=in_records)
                    says = cost(found, span.tolerance)
                    table.add_row("", _name(span, place), *figures, says)
    return table


def _figures(case: CaseReport, *, in_records: bool) -> tuple[str, str]:
    if in_records:
        return of_record(case)
    if case.ns_per_op is None:
        return "", ""
    speed = rate(case.bytes_per_s.center) if case.bytes_per_s else ""
    return duration(case.ns_per_op.center / 1e9), speed
