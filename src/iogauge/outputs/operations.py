"""What single operations of a group take, for who asks for details: how long the slowest of durable
ones take, and what one record takes.
"""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport
from iogauge.model.units import compact_count, duration, short_size

_LABEL, _FIGURE = 29, 9  # with a space between any two, six columns: 79


def of(group: GroupReport) -> Table | None:
    """None where operations neither wait for the device to have written nor have records."""
    cases = [case for case in group.cases if case.ns_per_op]
    durable = group.conditions.durable and any(case.latency for case in cases)
    record = group.record_bytes if (group.records_per_operation or 1) > 1 else None
    if not cases or not (durable or record):
        return None
    says = f"a record is {short_size(record)}" if record else "single operations"
    table = Table(
        box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim", show_edge=False
    )
    table.add_column(says, width=_LABEL, overflow="fold")
    for header in [*_RECORD] * bool(record) + [*_LATENCY] * durable:
        table.add_column(header, width=_FIGURE, justify="right")
    for case in cases:
        cells = _of_record(case) * bool(record) + _latency(case) * durable
        table.add_row(Text(case.label), *cells)
    return table


_RECORD = ("1 record", "records/s")
_LATENCY = ("half", "95 %", "99 %")
"""By what time so many operations are over."""


def _of_record(case: CaseReport) -> list[str]:
    found = case.per_record
    if found is None:
        return ["", ""]
    return [duration(found.ns.center / 1e9), compact_count(found.per_s.center)]


def _latency(case: CaseReport) -> list[str]:
    seen = case.latency
    known = (seen.p50, seen.p95, seen.p99) if seen else (None, None, None)
    return ["–" if each is None else duration(each / 1e9) for each in known]
