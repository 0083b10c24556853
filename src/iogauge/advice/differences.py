"""Why one case takes longer than another: the one thing that most of the difference is."""

from __future__ import annotations

from dataclasses import dataclass

from iogauge.advice.calls import Calls, read_calls, write_calls
from iogauge.advice.evidence_figures import faults, processor_share
from iogauge.analysis.casereport import CaseReport
from iogauge.decision.verdict import SetAnswer
from iogauge.model.units import count, size, whole_share

_WORTH_TELLING = 1.25  # times as long, at least
_MOST = 0.5  # of the difference, at least
_MORE = 1.5  # times as many calls, or faults, at least: then they are named
_FEW_FAULTS = 16


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
        "kernel": f"time in the kernel{_for_what(slower, faster)}",
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


def _for_what(slower: CaseReport, faster: CaseReport) -> str:
    """What the kernel does more of, if that was counted."""
    writes = slower.case.workload.operation == "write"
    way, calls_of = ("write", write_calls) if writes else ("read", read_calls)
    many, few = calls_of(slower), calls_of(faster)
    if many and many.number >= _MORE * (few.number if few else 1):
        return f" ({_told(many, f' {way} calls')}, not {_told(few) if few else 'any'})"
    pages = [faults(each.evidence) if each.evidence else None for each in (slower, faster)]
    if pages[0] and pages[1] is not None and pages[0] >= max(_FEW_FAULTS, _MORE * pages[1]):
        return f" ({count(pages[0])} page faults, not {count(pages[1])})"
    return ""


def _told(calls: Calls, noun: str = "") -> str:
    """`8 read calls of 8 KiB`."""
    return f"{count(calls.number)}{noun} of {size(calls.per_call)}"
