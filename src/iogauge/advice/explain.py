"""Why a case takes the time it takes, in words: sentences from the figures of its evidence. No
sentence says more than they carry.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from iogauge.advice.sweeps import DeadKnob, Knee, dead_knobs, knees
from iogauge.analysis.analysis import CaseEvidence
from iogauge.analysis.report import CaseReport, GroupReport
from iogauge.claims.numbers import Table
from iogauge.host.evidence import TICK_NS
from iogauge.model.units import count, duration, share, short_size, significant, size

_FEWEST = 3  # replicates, before a share has an interval
_NOTEWORTHY = 0.10  # of the time
# processors at least, before that is said: what a request takes around its operations is in their
# time too
_SEVERAL = 1.25
_SMALL_CALL, _LARGE_CALL = (
    32 << 10,
    64 << 10,
)  # bytes: smaller ones are worth a word where calls take the time
_PAGE = 4096
_WORTH_COLLECTING = 0.02
_NEXT_TO_NONE = 0.05  # per operation: not worth a word


@dataclass(frozen=True)
class Explanation:
    case: CaseReport
    figures: tuple[tuple[str, str], ...]  # (what, how much), as a line
    says: tuple[str, ...]


@dataclass(frozen=True)
class GroupExplained:
    group: GroupReport
    cases: tuple[Explanation, ...]
    knees: tuple[Knee, ...]
    dead: tuple[DeadKnob, ...]


def of_group(group: GroupReport, table: Table) -> GroupExplained:
    cases = tuple(of_case(case) for case in group.cases if case.ns_per_op and case.evidence)
    if not group.has_verdicts or group.provisional:
        return GroupExplained(
            group, cases, (), tuple(dead_knobs(table))
        )  # what is overridden needs no verdict
    return GroupExplained(
        group, cases, tuple(knees(table, group.noise_floor)), tuple(dead_knobs(table))
    )


def of_case(case: CaseReport) -> Explanation:
    return Explanation(case, tuple(_figures(case)), tuple(_sentences(case)))


# figures


def _figures(case: CaseReport) -> Iterator[tuple[str, str]]:
    seen = case.evidence
    for way in ("read", "write"):
        calls, per_call = (
            getattr(seen, f"{way}_calls_per_op"),
            getattr(seen, f"bytes_per_{way}_call"),
        )
        if calls and calls >= _NEXT_TO_NONE:
            yield f"{way} calls", count(calls) + (f" of {size(per_call)}" if per_call else "")
    for what, share in (
        ("user", _share(seen, seen.user_ns_per_op)),
        ("system", _share(seen, seen.system_ns_per_op)),
    ):
        if share is not None:
            yield what, _percent(share)
    for what, so_many in (
        ("faults", _sum(seen.minor_faults_per_op, seen.major_faults_per_op)),
        ("switches", seen.context_switches_per_op),
    ):
        if so_many is not None and so_many >= _NEXT_TO_NONE:
            yield what, count(so_many)
    if seen.device_read_bytes_per_op:
        yield "from the device", size(seen.device_read_bytes_per_op)
    if seen.device_writes_per_op and seen.device_writes_per_op >= _NEXT_TO_NONE:
        yield "device writes", count(seen.device_writes_per_op)
    if seen.allocated_bytes_per_op and seen.allocated_bytes_per_op >= 1:
        yield "allocates", size(seen.allocated_bytes_per_op)
    if seen.gc_ns_per_op:
        yield "collectors", _ns(seen.gc_ns_per_op)
    if case.other_work:
        yield "other work", _percent(case.other_work.share.center)
    if case.of_ceiling:
        yield "of the ceiling", _percent(case.of_ceiling.center)


# sentences


def reason(case: CaseReport) -> str | None:
    """The first thing to say of why it takes as long as it does; None where the evidence tells
    nothing, or cannot be.
    """
    return next(_reasons(case), None) if case.evidence and not case.impossible else None


def _sentences(case: CaseReport) -> Iterator[str]:
    if not case.impossible:
        yield from _reasons(case)
    if case.of_ceiling:
        yield _of_ceiling(case)


def _reasons(case: CaseReport) -> Iterator[str]:
    seen, ns = case.evidence, case.ns_per_op.center
    user, system = _share(seen, seen.user_ns_per_op), _share(seen, seen.system_ns_per_op)
    if user is not None and system is not None:
        busy, off = user + system, _off(seen)
        if case.case.conditions.waits_for_device and busy * (1 + off) < 1 - _NOTEWORTHY:
            yield f"For at least about {1 - busy:.0%} of the time its process uses no processor."
        elif busy * (1 - off) > _SEVERAL:
            yield f"About {significant(busy, 2)} processors work for it at a time."
    yield from _of_calls(case, system)
    yield from _of_faults(case)
    if (
        case.other_work
        and case.other_work.share.n >= _FEWEST
        and case.other_work.share.center >= _NOTEWORTHY
    ):
        share, name = case.other_work.share.center, case.other_work.companion
        if share <= 1:
            yield f"About {share:.0%} of the time is other work of the same loop ({name} alone)."
        else:
            yield f"The other work of the same loop ({name}) takes as long alone as all of it."
    if (
        seen.gc_ns_per_op
        and seen.allocated_bytes_per_op
        and seen.gc_ns_per_op / ns >= _WORTH_COLLECTING
    ):
        yield f"Each operation allocates {size(seen.allocated_bytes_per_op)}, for which collectors work {_ns(seen.gc_ns_per_op)}."


def _of_calls(case: CaseReport, system: float | None) -> Iterator[str]:
    """What the calls cost at most; only where the processor's time is known."""
    seen, workload = case.evidence, case.case.workload
    way = "write" if workload.operation == "write" else "read"
    calls, per_call = getattr(seen, f"{way}_calls_per_op"), getattr(seen, f"bytes_per_{way}_call")
    if (
        workload.medium == "memory"
        or workload.operation == "copy"
        or not calls
        or not per_call
        or system is None
        or system < _NOTEWORTHY
    ):
        return
    whose = (
        "All of the time is the kernel's"
        if 1 < system <= 1 + _off(seen)
        else f"About {system:.0%} of the time is the kernel's"
        + (", on several processors" if system > 1 else "")
    )
    fresh = _fresh_pages(case)
    if fresh is not None and fresh > _NOTEWORTHY:
        yield f"{whose}, page faults among it."
        return
    number, longest = count(calls), f"at most {_ns(system * case.ns_per_op.center / calls)} of that"
    text = f"{whose}; " + (
        f"1 {way} call of {size(per_call)} takes {longest}"
        if number == "1"
        else f"{number} {way} calls of {size(per_call)} take {longest} each"
    )
    if per_call < _SMALL_CALL and workload.size > _SMALL_CALL and not workload.accesses:
        fewer = calls * per_call / _LARGE_CALL
        yield f"{text}. Calls of {size(_LARGE_CALL)} would be {count(calls / max(1.0, fewer))} times fewer."
    else:
        yield f"{text}."


def _of_faults(case: CaseReport) -> Iterator[str]:
    faults = _sum(case.evidence.minor_faults_per_op, case.evidence.major_faults_per_op)
    if faults is None or case.case.bytes_per_operation < 64 * _PAGE or faults < 16:
        return
    if case.evidence.uncounted and case.case.workload.operation == "read":
        yield f"It reads without calls: {count(faults)} page faults map {size(case.case.bytes_per_operation / faults)} each."
    elif (fresh := _fresh_pages(case)) is not None and fresh >= 0.9:
        yield f"It touches {count(faults)} fresh pages in each operation, {significant(fresh, 2)} times what the data fills."


def _fresh_pages(case: CaseReport) -> float | None:
    """What its page faults brought, as a multiple of its data; None where that is not known, or
    calls are not: then they may be the file's pages.
    """
    seen = case.evidence
    faults = _sum(seen.minor_faults_per_op, seen.major_faults_per_op)
    known = case.case.workload.medium == "memory" or not (
        seen.uncounted or (seen.read_calls_per_op is None and seen.write_calls_per_op is None)
    )
    return (
        faults * _PAGE / max(case.case.bytes_per_operation, 1)
        if known and faults is not None
        else None
    )


def _of_ceiling(case: CaseReport) -> str:
    found = case.of_ceiling
    if case.impossible:
        return f"It seems {significant(found.center, 2)} times as fast as the machine: something is wrong (see the notes of `iogauge show`)."
    bounds = (
        f" ({found.lo:.0%} to {found.hi:.0%})"
        if found.lo > 0 and 0.005 <= found.hi < float("inf")
        else ""
    )
    threads = case.threads
    return f"It has {_percent(found.center)}{bounds} of the speed of the ceiling for {threads} thread{'' if threads == 1 else 's'}."


# knees, dead knobs


def of_knee(knee: Knee, several: bool = False) -> str:
    """`java/file-input-stream: block 256K cannot be told from the best, 1M; 64K is the smallest
    that is surely within 5 %.`
    """
    others = [short_size(value) for value in knee.level if value != knee.best]
    what = f"{_named(knee, several)}: {knee.parameter} "
    what += (
        f"{', '.join(others)} cannot be told from the best, {short_size(knee.best)}"
        if others
        else f"{short_size(knee.best)} is the best"
    )
    if knee.near is None:
        return f"{what}; which is the smallest that is surely within 5 % is not known."
    if not others and knee.near == knee.best:
        return f"{what}; no smaller one is surely within 5 %."
    return f"{what}; {short_size(knee.near)} is the smallest that is surely within 5 %."


def of_dead_knob(knob: DeadKnob, precision: float, several: bool = False) -> str:
    if knob.seen is not None:
        values = ", ".join(short_size(each) for each in knob.values)
        return f"{_named(knob, several)}: {knob.parameter} {values} was asked for, {size(knob.seen)} per call were seen: the API overrides it."
    values = f"{short_size(knob.values[0])} to {short_size(knob.values[-1])}"
    return f"{_named(knob, several)}: {knob.parameter} does nothing from {values}: neither the calls change nor, by more than {share(precision)}, the time."


def _named(sweep: Knee | DeadKnob, several: bool) -> str:
    """With the runtime where there are several of them."""
    inside = ", ".join(f"{name} {short_size(value)}" for name, value in sweep.others.items())
    return (
        sweep.strategy
        + (f" ({inside})" if inside else "")
        + (f" @{sweep.setting}" if several else "")
    )


def _share(seen: CaseEvidence, per_op: float | None) -> float | None:
    """Processor time as a share of the time that passed."""
    return (
        per_op / seen.elapsed_ns_per_op if per_op is not None and seen.elapsed_ns_per_op else None
    )


def _off(seen: CaseEvidence) -> float:
    """By what share of it processor time may be off, as counts of so many ticks are: twice their
    standard deviation.
    """
    return (
        2
        / max((seen.user_ns_per_op + seen.system_ns_per_op) * seen.operations / TICK_NS, 1.0) ** 0.5
    )


def _percent(share: float) -> str:
    """A little is not nothing."""
    return "<1%" if 0 < share < 0.005 else f"{share:.0%}"


def _sum(*values: float | None) -> float | None:
    return None if None in values else sum(values)


def _ns(value: float) -> str:
    return duration(value / 1e9)
