"""Why a case takes its time, and why one takes longer than another: sentences made from the figures
of their evidence.

No sentence says more than its figures carry."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.evidence import CaseEvidence, Waiting
from iogauge.decision.verdict import SetAnswer
from iogauge.host.evidence import TICK_NS
from iogauge.host.folios import LARGE, SMALL
from iogauge.model.units import count, duration, shares, significant, size, whole_share

_SLACK = 0.01  # of a call: counts are means, and now and then a runtime reads for itself
_WITH_AN_EMPTY_ONE = 1.5  # of fewer calls none is to spare


@dataclass(frozen=True)
class Calls:
    """How many calls moved data, how many bytes each, and how many more moved nothing (0 or 1)."""

    number: float
    per_call: float
    empty: int = 0


def read_calls(case: CaseReport) -> Calls | None:
    """The calls that read, per operation. None if they are not known, or if there are none."""
    seen = case.evidence
    if seen is None or not seen.read_calls_per_op or not seen.bytes_per_read_call:
        return None
    number, per_call = seen.read_calls_per_op, seen.bytes_per_read_call
    moved, fewer, workload = number * per_call, number - 1, case.case.workload
    to_the_end = workload.reads_file and workload.accesses is None
    asked = [each for each in (case.value("buffer"), case.value("piece")) if each]
    most = (fewer + _SLACK) * max(asked, default=math.inf)  # that fewer calls can move
    if to_the_end and number >= _WITH_AN_EMPTY_ONE and moved <= most:
        return Calls(fewer, moved / fewer, empty=1)
    return Calls(number, per_call)


def write_calls(case: CaseReport) -> Calls | None:
    """The calls that write, per operation. None if they are not known, or if there are none."""
    seen = case.evidence
    if seen is None or not seen.write_calls_per_op or not seen.bytes_per_write_call:
        return None
    return Calls(seen.write_calls_per_op, seen.bytes_per_write_call)


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
    seen, expected = case.evidence, case.case.bytes_per_operation
    yield from _calls(case, seen)
    for name, per_op in (("program", seen.user_ns_per_op), ("kernel", seen.system_ns_per_op)):
        part = processor_share(seen, per_op)
        if part is not None and part >= _LEAST_PROCESSOR:
            yield name, whole_share(part) if part <= 1 else f"{significant(part, 2)} cores"
    from_device = seen.device_read_bytes_per_op or expected
    as_asked = abs(from_device - expected) <= _AS_ASKED * expected
    counts: tuple[tuple[str, float | None, float, Callable[[float], str]], ...] = (
        ("faults", faults(seen), _FEWEST_FAULTS, count),
        ("switches", seen.context_switches_per_op, _FEWEST_SWITCHES, count),
        ("from the device", None if as_asked else from_device, 0, size),
        ("device writes", seen.device_writes_per_op, _FEWEST_WRITES, count),
        ("allocates", seen.allocated_bytes_per_op, _LEAST_ALLOCATED, size),
    )
    for name, number, fewest, shown in counts:
        if number is not None and number >= fewest:
            yield name, shown(number)
    collecting = processor_share(seen, seen.gc_ns_per_op)
    if seen.gc_ns_per_op and (collecting is None or collecting >= _LEAST_COLLECTING):
        yield "collectors", _ns(seen.gc_ns_per_op)
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


_FEWEST = 3  # replicates, before a share has an interval
_NOTEWORTHY = 0.10  # of the time
_SEVERAL = 1.25
"""So many cores at least are called several: the work of a request around its operations is
in the processor time too.
"""

_SMALL_CALL, _LARGE_CALL = 32 << 10, 64 << 10
"""Where calls take the time, smaller ones than the first are worth a word, and the second would be
large enough (bytes).
"""

_WORTH_SAVING = 0.2  # of the time, before larger calls are proposed
_PAGE = 4096
_AT_ONCE = 64 << 10  # bytes that a fault maps at most of folios that are smaller (fault-around)
_SEVERAL_FOLIOS = 4  # of a call, before it is said that it copies them one by one
_FEW_FAULTS = 16
_FEW_PAGES = 64
_WORTH_FAULTING = 0.9  # of the data, in fresh pages
_OWN_WORK = 0.5  # of the time, from where on a function of the user's is told to have it
_WORTH_COLLECTING = 0.02  # of the time
_ALL = 0.99  # of the time: by clock ticks nobody can tell more from all of it
_OF_A_FAULT = 500.0  # ns, at least: what a page fault takes that no device serves


@dataclass(frozen=True)
class Reason:
    """Why a case takes its time. `weight` is the share of the time that it accounts for, and
    `tells` are the figures of the case that its sentence has, too.
    """

    weight: float
    says: str
    tells: tuple[str, ...] = ()


def first(case: CaseReport) -> str | None:
    """The reason with the most weight; None if there is none."""
    return next((each.says for each in of_case(case)), None)


def of_case(case: CaseReport) -> list[Reason]:
    """All reasons, those with the most weight first; none if the time is impossible."""
    if case.impossible:
        return []
    return sorted(_reasons(case), key=lambda each: each.weight, reverse=True)


def of_limit(case: CaseReport) -> str | None:
    """`88 % of the limit (52-100 %)`, without the range where that says nothing; None if the limit
    of the machine is not known.
    """
    found = case.of_ceiling
    if found is None:
        return None
    if case.impossible:
        return (
            f"{significant(found.center, 2)} times this machine's limit, so something is wrong: "
            "see the notes of `iogauge show --details`"
        )
    reached, lo, hi = (min(each, 1.0) for each in (found.center, found.lo, found.hi))
    known = lo > 0 and 0.005 <= found.hi < math.inf
    told = shares(lo, hi) if known else ""
    between = f" ({told})" if told not in ("", whole_share(reached)) else ""
    threads = f" with {case.threads} threads" if case.threads > 1 else ""
    return f"{whole_share(reached)} of the limit{threads}{between}"


def _reasons(case: CaseReport) -> Iterator[Reason]:
    if case.evidence is None or case.ns_per_op is None:
        return
    seen, ns = case.evidence, case.ns_per_op.center
    user = processor_share(seen, seen.user_ns_per_op)
    system = processor_share(seen, seen.system_ns_per_op)
    if user is not None and system is not None:
        busy, off = user + system, _uncertainty(seen)
        if case.case.conditions.waits_for_device and busy * (1 + off) < 1 - _NOTEWORTHY:
            says = f"The process waits for at least about {whole_share(1 - busy)} of the time."
            yield Reason(1 - busy, says)
        elif busy * (1 - off) > _SEVERAL:
            says = f"The process keeps about {significant(busy, 2)} cores busy at a time."
            yield Reason(0.0, says)
    if seen.waiting:
        yield Reason(seen.waiting.share, _of_waiting(case, seen.waiting))
    if system is not None:
        yield from _of_calls(case, seen, system, ns)
    untold = case.strategy.is_own and not case.strategy.is_checked
    if untold and user is not None and user >= _OWN_WORK:
        says = f"The function's own work takes about {whole_share(min(user, 1.0))} of the time."
        yield Reason(user, says)
    if seen.why_uncounted:
        yield Reason(0.0, f"Its calls are not known: {seen.why_uncounted}.")
    yield from _of_faults(case, seen, system)
    if case.compute and case.compute.share.center >= _NOTEWORTHY:
        few = ", in few repeats" if case.compute.share.n < _FEWEST else ""
        share = min(case.compute.share.center, 1.0)
        much = f"about {whole_share(share)}" if share < 1 else "all"
        says = f"The program's own work takes {much} of the time (measured alone{few})."
        yield Reason(share, says, ("not I/O",))
    collecting, allocated = seen.gc_ns_per_op, seen.allocated_bytes_per_op
    if collecting and allocated and collecting / ns >= _WORTH_COLLECTING:
        yield Reason(
            collecting / ns,
            f"Garbage collection takes {_ns(collecting)}, for {size(allocated)} that each "
            "operation allocates.",
            ("allocates", "collectors"),
        )


def _of_waiting(case: CaseReport, found: Waiting) -> str:
    """`The process waits for 98 % of the time, neither for the processor nor for the disk: for …`

    The disk is not named where it may be that.
    """
    who = "command" if case.strategy.command else "process"
    share = "over 99 %" if found.share > _ALL else whole_share(found.share)
    says = f"The {who} waits for {share} of the time"
    if not found.not_for_device:
        return f"{says}, not for the processor."
    other = "for a timer, a lock, another program or the network"
    return f"{says}, neither for the processor nor for the disk: {other}."


def _of_calls(case: CaseReport, seen: CaseEvidence, system: float, ns: float) -> Iterator[Reason]:
    """What the system calls cost at most, from the kernel's share of the time."""
    workload = case.case.workload
    if workload.medium == "memory" or workload.operation == "copy":
        return
    writes = workload.operation == "write"
    way, calls = ("write", write_calls(case)) if writes else ("read", read_calls(case))
    if calls is None or system < _NOTEWORTHY:
        return
    if system <= 1:
        kernel = f"The kernel takes about {whole_share(system)} of the time"
    elif system <= 1 + _uncertainty(seen):
        kernel = "The kernel takes all of the time"
    else:
        kernel = f"The kernel keeps about {significant(system)} cores busy"
    fresh = _fresh_pages(case, seen)
    if fresh is not None and fresh > _NOTEWORTHY:
        yield Reason(system, f"{kernel}, page faults included.", ("kernel",))
        return
    number = count(calls.number)
    each = "" if number == "1" else " each"
    average = " on average" if "." in number else ""
    what = f"{number} {way} call{'' if number == '1' else 's'} of {size(calls.per_call)}{average}"
    other = 0.0 if writes else processor_share(seen, seen.beyond_calls_ns_per_op) or 0.0
    if other:
        text = (
            f"{kernel}: {what}, {_part(system - other, system)}, and {_others(case, seen, other)}"
        )
        text += f", {_part(other, system)}; {_named_by(case)}."
    else:
        text = f"{kernel}, in {what} (at most {_ns(system * ns / calls.number)}{each})."
    folio = _folio(case, seen)
    if folio and folio <= SMALL and calls.per_call >= _SEVERAL_FOLIOS * folio and not writes:
        text += f" The file lies in folios of {size(folio)}, which it copies one by one."
    if calls.per_call < _SMALL_CALL and not workload.accesses:
        text += _larger_calls(case, calls, system - other)
    yield Reason(system, text, ("kernel", f"{way} calls"))


def _part(share: float, of: float) -> str:
    """A part of the kernel's share of the time: `about 33 %`; of several cores, of that."""
    told, of_that = whole_share(share / max(of, 1.0)), " of that" if of > 1 else ""
    return f"{told.replace('<', 'under ') if told[0] == '<' else f'about {told}'}{of_that}"


def _others(case: CaseReport, seen: CaseEvidence, share: float) -> str:
    """What the kernel does besides calls that read, which no counter tells apart."""
    says = "other calls to the kernel"
    number, elapsed = faults(seen) or 0.0, seen.elapsed_ns_per_op or math.inf
    if number * _OF_A_FAULT >= _NOTEWORTHY * share * elapsed:
        says += " and page faults"
    return f"{says} (its start among them)" if case.strategy.command else says


def _named_by(case: CaseReport) -> str:
    of_command = "`strace -c -f` counts them"
    return of_command if case.strategy.command else "`explain --trace` names them"


def _larger_calls(case: CaseReport, calls: Calls, system: float) -> str:
    """What larger calls may save; nothing if that is little. `system` is the kernel's share of the
    time for these calls.

    They save kernel time only, and no more than other work leaves; and they make nothing faster
    than the ceiling.
    """
    fewer = calls.number / max(1.0, calls.number * calls.per_call / _LARGE_CALL)
    io = 1 - case.compute.share.center if case.compute else 1.0
    saved = min(system, io) * (1 - 1 / fewer)
    if case.of_ceiling:
        saved = min(saved, 1 - case.of_ceiling.center)
    if saved < _WORTH_SAVING:
        return ""
    return (
        f" With calls of {size(_LARGE_CALL)} there would be {count(fewer)} times fewer, "
        f"which saves at most about {whole_share(saved)} of the time."
    )


def _of_faults(case: CaseReport, seen: CaseEvidence, system: float | None) -> Iterator[Reason]:
    number, moved = faults(seen), case.case.bytes_per_operation
    if number is None or moved < _FEW_PAGES * _PAGE or number < _FEW_FAULTS:
        return
    weight = system or 0.0
    if seen.uncounted and case.case.workload.operation == "read":
        says = (
            "The file is read without system calls: "
            f"{count(number)} page faults map {size(moved / number)} each."
        )
        folio = _folio(case, seen)
        if folio and folio < LARGE and moved / number <= _AT_ONCE * _MORE:
            says += f" {of_folios(folio)}"
        yield Reason(weight, says, ("faults",))
        return
    fresh = _fresh_pages(case, seen)
    if fresh is not None and fresh >= _WORTH_FAULTING:
        says = (
            f"Each operation touches {count(number)} fresh pages of memory, "
            f"{significant(fresh, 2)} times as many as the data fill."
        )
        yield Reason(weight, says, ("faults",))


def of_folios(folio: float) -> str:
    """Why a mapping is slow over small folios, and fast over large ones."""
    says = f"The file lies in folios of {size(folio)}."
    if folio >= LARGE:
        return f"{says} A fault maps a whole one at once."
    each = ", page by page" if folio < _AT_ONCE else ""
    return f"{says} A fault maps {size(_AT_ONCE)} of such a file at most{each}."


def _folio(case: CaseReport, seen: CaseEvidence) -> float | None:
    """The bytes of the folios in which the file was cached; None where it was not, or nobody saw
    them.
    """
    return seen.folio_bytes if case.case.conditions.cache == "warm" else None


def _fresh_pages(case: CaseReport, seen: CaseEvidence) -> float | None:
    """The memory that page faults brought, as a multiple of the data.

    None if it is not known, or if the calls are not known by which the case reads or writes: then
    the pages may be the file's.
    """
    number, workload = faults(seen), case.case.workload
    unknown = (
        seen.uncounted
        or (workload.operation != "write" and seen.read_calls_per_op is None)
        or (workload.operation != "read" and seen.write_calls_per_op is None)
    )
    known = workload.medium == "memory" or not unknown
    if not known or number is None:
        return None
    return number * _PAGE / max(case.case.bytes_per_operation, 1)


def _uncertainty(seen: CaseEvidence) -> float:
    """By what share of itself processor time may be off.

    It is counted in clock ticks; this is twice the standard deviation of such a count.
    """
    busy = (seen.user_ns_per_op or 0.0) + (seen.system_ns_per_op or 0.0)
    return 2 / math.sqrt(max(busy * seen.operations / TICK_NS, 1.0))


def _ns(value: float) -> str:
    return duration(value / 1e9)


_WORTH_TELLING = 1.25  # times as long, at least
_MOST = 0.5  # of the difference, at least
_MORE = 1.5  # times as many calls, or faults, at least: then they are named


@dataclass(frozen=True)
class Difference:
    """A case that takes longer than the one to use, and what most of the difference is."""

    case: CaseReport
    why: str


def of_answer(answer: SetAnswer[CaseReport]) -> Difference | None:
    """Why the simplest case takes longer than the one to use, or else the slowest that does."""
    chosen = answer.chosen
    timed = [each for each in answer.members if each.ns_per_op]
    timed.sort(key=lambda each: each.ns_per_op.center if each.ns_per_op else 0.0, reverse=True)
    found = (
        Difference(each, why)
        for each in (answer.simplest, *timed)
        if (why := main_reason(each, chosen))
    )
    return next(found, None)


def main_reason(slower: CaseReport, faster: CaseReport) -> str | None:
    """`80 % of the difference is time in the kernel (65 536 read calls of 1 B, not 8 of 8 KiB)`.

    None where they hardly differ, where nothing is most of the difference, or where the figures
    are not known.
    """
    parts = _parts(slower), _parts(faster)
    if not parts[0] or not parts[1] or slower.impossible or faster.impossible:
        return None
    total = sum(parts[0].values()), sum(parts[1].values())
    if total[0] < _WORTH_TELLING * total[1]:
        return None
    more = {name: parts[0][name] - parts[1][name] for name in parts[0]}
    name = max(more, key=more.__getitem__)
    share = more[name] / (total[0] - total[1])
    if share < _MOST:
        return None
    what = {
        "kernel": f"time in the kernel{_for_what(slower, faster, more['kernel'])}",
        "program": "time in the program itself",
        "other work": "work that is not I/O",
        "waiting": "waiting",
    }[name]
    return f"{whole_share(min(share, 1.0))} of the difference is {what}"


def _parts(case: CaseReport) -> dict[str, float]:
    """What an operation consists of, in ns; nothing if that is not known."""
    seen = case.evidence
    if seen is None or case.ns_per_op is None:
        return {}
    user = processor_share(seen, seen.user_ns_per_op)
    system = processor_share(seen, seen.system_ns_per_op)
    if user is None or system is None:
        return {}
    ns = case.ns_per_op.center
    work = min(case.compute.share.center, user, 1.0) if case.compute else 0.0
    waits = max(0.0, 1 - user - system)
    parts = {"kernel": system, "program": user - work, "other work": work, "waiting": waits}
    return {name: part * ns for name, part in parts.items()}


def _for_what(slower: CaseReport, faster: CaseReport, more: float) -> str:
    """What the kernel does more of, if that was counted; it takes so many ns `more`."""
    writes = slower.case.workload.operation == "write"
    way, calls_of = ("write", write_calls) if writes else ("read", read_calls)
    many, few = calls_of(slower), calls_of(faster)
    beyond = 0.0 if writes else _beyond_calls(slower) - _beyond_calls(faster)
    if beyond >= _MOST * more:
        return " (calls that do not read)"
    if many and many.number >= _MORE * (few.number if few else 1):
        return f" ({_told(many, f' {way} calls')}, not {_told(few) if few else 'any'})"
    pages = [faults(each.evidence) if each.evidence else None for each in (slower, faster)]
    if pages[0] and pages[1] is not None and pages[0] >= max(_FEW_FAULTS, _MORE * pages[1]):
        return f" ({count(pages[0])} page faults, not {count(pages[1])})"
    return ""


def _beyond_calls(case: CaseReport) -> float:
    """The ns of an operation in the kernel that are surely not for its calls that read; none where
    it has much fresh memory: what that costs is not known.
    """
    if case.evidence is None or (_fresh_pages(case, case.evidence) or 0.0) > _NOTEWORTHY:
        return 0.0
    return case.evidence.beyond_calls_ns_per_op or 0.0


def _told(calls: Calls, noun: str = "") -> str:
    """`8 read calls of 8 KiB`."""
    return f"{count(calls.number)}{noun} of {size(calls.per_call)}"
