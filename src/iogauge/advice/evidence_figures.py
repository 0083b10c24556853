"""Figures of a case's evidence, each with its name."""

from __future__ import annotations

from collections.abc import Iterator

from iogauge.advice.calls import read_calls, write_calls
from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.evidence import CaseEvidence
from iogauge.model.units import count, duration, significant, size, whole_share

# Per operation; less is not worth a word.
_NEXT_TO_NONE = 0.05
_FEWEST_FAULTS, _FEWEST_SWITCHES, _FEWEST_WRITES = 16, 100, 1
_LEAST_ALLOCATED = 4096  # bytes
_LEAST_COLLECTING, _LEAST_OTHER_WORK, _LEAST_PROCESSOR = 0.01, 0.05, 0.05  # of the time
_AS_ASKED = 0.01  # of the data: what the device read is told where it differs by more


def figures(case: CaseReport) -> Iterator[tuple[str, str]]:
    """What was counted for one operation, as (name, figure); nothing without evidence."""
    if case.evidence is None:
        return
    yield from _calls(case, case.evidence)
    yield from _processor(case.evidence)
    yield from _memory_and_device(case, case.evidence)
    if case.compute and case.compute.share.center >= _LEAST_OTHER_WORK:
        yield "not I/O", whole_share(min(case.compute.share.center, 1.0))


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
    for name, per_op in (("program", seen.user_ns_per_op), ("kernel", seen.system_ns_per_op)):
        part = processor_share(seen, per_op)
        if part is not None and part >= _LEAST_PROCESSOR:
            yield name, whole_share(part) if part <= 1 else f"{significant(part, 2)} cores"
    for name, number, fewest in (
        ("faults", faults(seen), _FEWEST_FAULTS),
        ("switches", seen.context_switches_per_op, _FEWEST_SWITCHES),
    ):
        if number is not None and number >= fewest:
            yield name, count(number)


def _memory_and_device(case: CaseReport, seen: CaseEvidence) -> Iterator[tuple[str, str]]:
    asked = case.case.bytes_per_operation
    if abs((seen.device_read_bytes_per_op or asked) - asked) > _AS_ASKED * asked:
        yield "from the device", size(seen.device_read_bytes_per_op or 0)
    if seen.device_writes_per_op and seen.device_writes_per_op >= _FEWEST_WRITES:
        yield "device writes", count(seen.device_writes_per_op)
    if seen.allocated_bytes_per_op and seen.allocated_bytes_per_op >= _LEAST_ALLOCATED:
        yield "allocates", size(seen.allocated_bytes_per_op)
    collecting = processor_share(seen, seen.gc_ns_per_op)
    if seen.gc_ns_per_op and (collecting is None or collecting >= _LEAST_COLLECTING):
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
