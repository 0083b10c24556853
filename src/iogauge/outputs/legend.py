"""What the signs and words of the tables mean, for a terminal."""

from __future__ import annotations

from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport
from iogauge.analysis.report import Report
from iogauge.decision.costs import too_wide
from iogauge.model.units import share

_MOST_FLOOR = 10.0  # a share of the time; a noise floor that is larger says nothing


def of(report: Report) -> str:
    """Signs and words that most tables have, and of the others those that these have."""
    cases = [case for group in report.groups for case in group.cases]
    says = {
        **_of_ratios(report, cases),
        **_of_cases(report, cases),
        **_of_evidence(report, cases),
        **_of_the_machine(report),
    }
    return "; ".join(text for text, there in says.items() if there)


def floor_known(group: GroupReport) -> bool:
    """Whether the group has a noise floor that says something."""
    return group.noise_floor is not None and 0 < group.noise_floor < _MOST_FLOOR


def _of_ratios(report: Report, cases: list[CaseReport]) -> dict[str, bool]:
    sound = report.run.plan.protocol == "sound"
    what_of = "replicates" if sound else "repetitions of the procedure (three at least)"
    compared = [case for case in cases if case.vs_best]
    same = share(report.groups[0].precision)
    return {
        f"± and (…): 95 % intervals over {what_of}, those of ratios simultaneous": True,
        "best = 1: that of its language; a ratio is of times in the same rounds, not of the "
        "levels beside it": bool(compared),
        "~ not told apart (the interval holds 1, or the noise floor hides the difference), "
        f"= the same within {same}": True,
        "unsure: the interval is too wide to be of use": any(map(_unsure, compared)),
        "≥: surely slower, and so not measured to the end": any(
            case.vs_best and case.vs_best.eliminated for case in compared
        ),
        "a time below 1: ahead of that best where both were measured, but not of all others": any(
            case.vs_best and case.vs_best.center < 0.995 for case in compared
        ),
    }


def _unsure(case: CaseReport) -> bool:
    found = case.vs_best
    return bool(found and not found.eliminated and too_wide(found.center, found.hi))


def _of_cases(report: Report, cases: list[CaseReport]) -> dict[str, bool]:
    reading = (group for group in report.groups if group.workload.operation == "read")
    consumed = {group.workload.consume for group in reading}
    told = ", ".join(says for consume, says in _CONSUMED.items() if consume in consumed)
    return {
        f"consume: of what was read {told}": bool(told),
        "fork: a process that measures, in each replicate a new one": any(
            case.forks and case.forks.has_caveats for case in cases
        ),
    }


def _of_evidence(report: Report, cases: list[CaseReport]) -> dict[str, bool]:
    return {
        "calls: system calls of one operation, B/call: bytes of each": True,
        "?: not known (the kernel does not count what is mapped)": any(map(_calls_unknown, cases)),
        "dev rd, dev wr: bytes read and writes made by the device per operation": any(
            map(_shows_device, report.groups)
        ),
        "compute: share of the time that the program's own work takes alone (summing, decoding, "
        "drawing numbers), an estimate": any(case.compute for case in cases),
    }


def _of_the_machine(report: Report) -> dict[str, bool]:
    sound = report.run.plan.protocol == "sound"
    return {
        "ceiling: the fastest plain way to move these bytes that was tried here": any(
            group.ceiling for group in report.groups
        ),
        "no ceilings: measuring them needs Rust, which this run did not have": sound
        and not _has_ceilings(report),
        "noise floor: by so much the same code measured twice may differ (A/A control)": any(
            map(floor_known, report.groups)
        ),
    }


def _calls_unknown(case: CaseReport) -> bool:
    calls = "read_calls_per_op" if case.case.workload.reads_file else "write_calls_per_op"
    return bool(case.evidence) and getattr(case.evidence, calls) is None


def _shows_device(group: GroupReport) -> bool:
    return group.conditions.durable or group.conditions.cache == "cold"


def _has_ceilings(report: Report) -> bool:
    """Whether a runtime of the run offers any."""
    return any(
        strategy.role == "ceiling"
        for runtime in report.run.header.runtimes
        for strategy in runtime.strategies.values()
    )


_CONSUMED = {
    "touch": "every 64th byte is looked at (touch)",
    "sum": "every byte, character or line is (sum)",
}
