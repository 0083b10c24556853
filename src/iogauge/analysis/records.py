"""Records: what a program writes with one call, where all cases of a group write the same."""

from __future__ import annotations

import math
from dataclasses import dataclass

from iogauge.model.plan import Group
from iogauge.runfile.run import Run
from iogauge.statistics.intervals import Interval


def record_bytes(run: Run, group: Group) -> int | None:
    """The bytes of a record; None where the group has no records.

    It has some where all cases that write in pieces write equal ones, several in an operation, and
    where operations append to a file.
    """
    workload = group.workload
    if workload.operation != "write" or not workload.size:
        return None
    cases = [run.plan.cases[case] for case in group.cases]
    pieces = {run.header.declared(case).value("piece", case.parameters, None) for case in cases}
    pieces.discard(None)
    if len(pieces) > 1:
        return None
    record = min(workload.size, next(iter(pieces)) or workload.size) if pieces else workload.size
    return record if record < workload.size or workload.mode == "append" else None


def records_per_operation(run: Run, group: Group) -> int | None:
    """How many records an operation writes, the last one of which may be shorter; None where the
    group has no records.
    """
    record = record_bytes(run, group)
    return None if record is None else math.ceil(group.workload.size / record)


@dataclass(frozen=True)
class PerRecord:
    """The ns of a record, and records per second."""

    ns: Interval
    per_s: Interval


def per_record(run: Run, group: Group, level: Interval | None) -> PerRecord | None:
    """Of a case of the group whose operation takes so many ns; None where either is not known."""
    records = records_per_operation(run, group)
    if level is None or records is None:
        return None
    center, lo, hi = (ns / records for ns in (level.center, level.lo, level.hi))
    fast, slow, fastest = (1e9 / ns if ns > 0 else math.inf for ns in (center, hi, lo))
    rate = Interval(fast, slow, fastest, level.n)
    return PerRecord(Interval(center, lo, hi, level.n), rate)
