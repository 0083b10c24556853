"""Figures of a case's evidence, each with its name."""

from __future__ import annotations

from collections.abc import Iterator

from iogauge.advice.calls import read_calls, write_calls
from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.evidence import CaseEvidence
from iogauge.model.units import count, duration, significant, size, whole_share

_NEXT_TO_NONE = 0.05  # per operation: not worth a word


def figures(case: CaseReport) -> Iterator[tuple[str, str]]:
    """What was counted for one operation, as (name, figure); nothing without evidence."""
    if case.evidence is None:
        return
    yield from _calls(case, case.evidence)
    yield from _processor(case.evidence)
    yield from _memory_and_device(case.evidence)
    if case.other_work:
        yield "not I/O", whole_share(min(case.other_work.share.center, 1.0))


def _calls(case: CaseReport, seen: CaseEvidence) -> Iterator[tuple[str, str]]:
    for name, number, of_data in (
        ("read calls", seen.read_calls_per_op, read_calls(case)),
        ("write calls", seen.write_calls_per_op, write_calls(case)),
    ):
        if not number or number < _NEXT_TO_NONE:
            continue
        if of_data is None:
            yield name, count(number)
            continue
        empty = " and an empty one" if of_data.empty else ""
        yield name, f"{count(of_data.number)} of {size(of_data.per_call)}{empty}"


def _processor(seen: CaseEvidence) -> Iterator[tuple[str, str]]:
    for name, per_op in (("user", seen.user_ns_per_op), ("system", seen.system_ns_per_op)):
        part = processor_share(seen, per_op)
        if part is not None:
            yield name, whole_share(part) if part <= 1 else f"{significant(part, 2)} processors"
    for name, number in (("faults", faults(seen)), ("switches", seen.context_switches_per_op)):
        if number is not None and number >= _NEXT_TO_NONE:
            yield name, count(number)


def _memory_and_device(seen: CaseEvidence) -> Iterator[tuple[str, str]]:
    if seen.device_read_bytes_per_op:
        yield "from the device", size(seen.device_read_bytes_per_op)
    if seen.device_writes_per_op and seen.device_writes_per_op >= _NEXT_TO_NONE:
        yield "device writes", count(seen.device_writes_per_op)
    if seen.allocated_bytes_per_op and seen.allocated_bytes_per_op >= 1:
        yield "allocates", size(seen.allocated_bytes_per_op)
    if seen.gc_ns_per_op:
        yield "collectors", duration(seen.gc_ns_per_op / 1e9)


def processor_share(seen: CaseEvidence, per_op: float | None) -> float | None:
    """Processor time as a share of the time that passed; above 1 on several processors."""
    if per_op is None or not seen.elapsed_ns_per_op:
        return None
    return per_op / seen.elapsed_ns_per_op


def faults(seen: CaseEvidence) -> float | None:
    """All page faults of one operation; None if either kind is not known."""
    if seen.minor_faults_per_op is None or seen.major_faults_per_op is None:
        return None
    return seen.minor_faults_per_op + seen.major_faults_per_op
