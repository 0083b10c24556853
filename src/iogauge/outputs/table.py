"""The table of a group for a terminal of 80 columns: a row per case, then the ceilings."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.ceilings import Ceiling
from iogauge.analysis.groupreport import GroupReport
from iogauge.decision.comparison import Comparison
from iogauge.decision.costs import too_wide
from iogauge.model.ratios import eliminated, ratio, with_bounds
from iogauge.model.units import (
    ago,
    compact_count,
    compact_size,
    deviation,
    duration,
    rate,
    short_size,
    whole_share,
)
from iogauge.outputs.bars import in_time

# Widths. With the 13 of the columns of the group, and a space between any two: 80.
_LABEL, _SPEED, _RATIO, _SHARE, _OPERATION = 29, 16, 19, 7, 9
# What stands in the place of ` ±26 %`, and of ` (1.42–1.74) ~`, so that centres are aligned.
_NO_DEVIATION, _NO_BOUNDS = " " * 6, " " * 17


@dataclass(frozen=True)
class _Column:
    """A figure of the evidence, told beside a case's speed and its ratio: bytes if `sized`, else a
    count. Without calls there are no bytes per call, which is no lack of knowledge.
    """

    header: str
    width: int
    figure: str
    sized: bool = True
    unknown: str = "?"

    def cell(self, case: CaseReport) -> Text:
        value = case.evidence.figures[self.figure] if case.evidence else None
        if value is None:
            return Text(self.unknown if case.evidence else "?")
        return Text(compact_size(value) if self.sized else compact_count(value))


def _columns(group: GroupReport) -> tuple[_Column, ...]:
    if group.workload.medium == "memory":
        return (_Column("allocates", 13, "allocated_bytes_per_op"),)
    cold = group.conditions.cache == "cold"
    way = "read" if cold or group.workload.operation == "read" else "write"
    calls = _Column("calls", 6, f"{way}_calls_per_op", sized=False)
    if cold:
        return calls, _Column("dev rd", 6, "device_read_bytes_per_op")
    if way == "write" and group.conditions.durable:
        return calls, _Column("dev wr", 6, "device_writes_per_op", sized=False)
    return calls, _Column("B/call", 6, f"bytes_per_{way}_call", unknown="–")


def of(group: GroupReport) -> Table:
    columns, shares = _columns(group), any(case.compute for case in group.cases)
    width = _LABEL - (_SHARE + 1 if shares else 0)
    table = empty(
        ("", width),
        ("time" if in_time(group) else "throughput", _SPEED),
        ("time, best = 1", _RATIO),
        *((column.header, column.width) for column in columns),
        *[("compute", _SHARE)] * shares,
    )
    for name, cases in group.members.items():
        if group.is_version(name):  # each runtime of a language has a heading, and its own best
            table.add_row(Text(group.called(name), style="italic"))
        for case in cases:
            cells = _row(group, case, columns, shares=shares)
            mark = " failed" if case.failure and case.ns_per_op else ""
            best = case.is_best and not group.suspended and not group.provisional
            style = "bold green" if best and case.ns_per_op else ""
            label = Text(_folded(case.label + mark, width), style=style)
            table.add_row(label, *cells, style="dim" if not case.ns_per_op else None)
    for ceiling in (group.ceiling, group.ceiling_of_threads):
        if ceiling and (ceiling is group.ceiling or ceiling.threads > 1):
            when = "" if ceiling.age is None else f", measured {ago(ceiling.age)}"
            label = Text(_folded(f"ceiling: {ceiling.label}{when}", width))
            table.add_row(label, *_ceiling_row(group, ceiling), style="dim")
    return table


def across(group: GroupReport) -> Table:
    """The same variants on two runtimes."""
    reference = group.across[0].reference.setting
    table = empty((f"time, {reference} = 1", _LABEL), ("", _SPEED), ("", _RATIO))
    table.columns[1].overflow = "fold"
    for each in group.across:
        compared = _compared(each.comparison, group.suspended or group.provisional)
        table.add_row(Text(each.case.label), Text(each.case.setting), compared)
    return table


def empty(*columns: tuple[str, int]) -> Table:
    """A table without lines: its columns, each a header and a width, are told apart by one space.
    What is too long is folded in the first one; in the others all is on the right.
    """
    table = Table(
        box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim", show_edge=False
    )
    for number, (header, width) in enumerate(columns):
        table.add_column(
            header,
            width=width,
            justify="right" if number else "left",
            overflow="ellipsis" if number else "fold",
        )
    return table


def _ceiling_row(group: GroupReport, ceiling: Ceiling) -> list[Text]:
    speed = duration(ceiling.ns_per_op / 1e9) if in_time(group) else rate(ceiling.bytes_per_s)
    best = group.best_of[group.sets[0]] if group.sets else None
    if best is None or best.ns_per_op is None:
        return [Text(f"{speed}{_NO_DEVIATION}"), Text("")]
    # Pairs are more exact, but only the ceiling for as many threads was paired with the best.
    paired = best.of_ceiling and best.threads == ceiling.threads
    reached = (
        best.of_ceiling.center
        if paired and best.of_ceiling
        else ceiling.ns_per_op / best.ns_per_op.center
    )
    return [Text(f"{speed}{_NO_DEVIATION}"), Text(f"{ratio(reached)}{_NO_BOUNDS}")]


def _row(
    group: GroupReport, case: CaseReport, columns: tuple[_Column, ...], *, shares: bool
) -> list[Text]:
    """All cells but the label."""
    if case.ns_per_op is None:
        return [Text("failed" if case.failure else "no data")]
    ratio = Text("")
    if case.is_best:
        ratio = Text(f"1{_NO_BOUNDS}")
    elif case.vs_best:
        ratio = _compared(case.vs_best, group.provisional, judged=not case.strategy.imported)
    compute = "–"
    if case.compute:
        share = case.compute.share.center
        compute = ">100 %" if share > 1 else whole_share(share)
    cells = [column.cell(case) for column in columns]
    return [Text(_speed(group, case)), ratio, *cells, *[Text(compute)] * shares]


def _folded(label: str, width: int) -> str:
    """Lines that end after a hyphen or a space, not inside a word."""
    return "\n".join(textwrap.wrap(label, width, subsequent_indent="  "))


def _speed(group: GroupReport, case: CaseReport) -> str:
    found, timed = case.ns_per_op, in_time(group) or not case.bytes_per_s
    assert found is not None
    if case.bytes_per_s and not timed:
        found = case.bytes_per_s
    text = duration(found.center / 1e9) if timed else rate(found.center)
    if found.lo <= 0 or math.isinf(found.hi):
        return f"{text}{_NO_DEVIATION}"
    return f"{text} {deviation(math.sqrt(found.hi / found.lo) - 1)}"


def _compared(found: Comparison, no_verdict: bool, *, judged: bool = True) -> Text:
    """A ratio with its interval and what it amounts to: nothing (decided, or not judged at all), =
    (the same), or ~ (not told apart).
    """
    if found.eliminated:
        return Text(eliminated(found.lo, found.center))
    text = with_bounds(found.center, found.lo, found.hi)
    if too_wide(found.center, found.hi):
        text = f"{ratio(found.center)} (unsure)"
    if judged and (no_verdict or found.outcome == "undecided"):
        return Text(f"{text} ~", style="dim")
    return Text(f"{text} {'=' if found.outcome == 'same' else ' '}")


def operations(group: GroupReport) -> Table | None:
    """What single operations of a group take: how long the slowest of durable ones take, and what
    one record takes. None where operations neither wait for the device to have written nor have
    records.
    """
    cases = [case for case in group.cases if case.ns_per_op]
    durable = group.conditions.durable and any(case.latency for case in cases)
    record = group.record_bytes if (group.records_per_operation or 1) > 1 else None
    if not cases or not (durable or record):
        return None
    says = f"a record is {short_size(record)}" if record else "single operations"
    headers = [*_RECORD] * bool(record) + [*_LATENCY] * durable
    table = empty((says, _LABEL), *((header, _OPERATION) for header in headers))
    for case in cases:
        cells, seen = [*of_record(case)] * bool(record), case.latency
        for each in (seen.p50, seen.p95, seen.p99) if seen else (None,) * 3:
            cells += ["–" if each is None else duration(each / 1e9)] * durable
        table.add_row(Text(case.label), *cells)
    return table


_RECORD = ("1 record", "records/s")
_LATENCY = ("half", "95 %", "99 %")
"""By what time so many operations are over."""


def of_record(case: CaseReport) -> tuple[str, str]:
    """The time of a record, and how many are written per second."""
    found = case.per_record
    if found is None:
        return "", ""
    return duration(found.ns.center / 1e9), compact_count(found.per_s.center)
