"""A group's report in sentences: which is fastest, how sure that is, what stayed open. Says nothing
the figures do not.
"""

from __future__ import annotations

from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport
from iogauge.model.units import duration, rate, significant

_MOST_NAMES = 3


def answers(group: GroupReport) -> list[str]:
    """One sentence per language (or runtime), one across them, one about what stayed open; without
    final stops for none.
    """
    measured = [case for case in group.cases if case.ns_per_op]
    if not measured:
        waits = (
            group.provisional
            and not group.samples
            and not any(case.failure for case in group.cases)
        )
        return ["Not measured yet." if waits else "Nothing could be measured."]
    if group.suspended:
        return [_suspended(group)]
    if len(group.data.unusable) == len(group.data.group.cases):
        return ["No verdict: the baseline, or its twin, seems faster than the machine can be."]
    says = [_best_of(group, each) for each in group.sets]
    if len(group.sets) > 1:
        says.append(_across(group))
    says += _open(group)
    return says


def _suspended(group: GroupReport) -> str:
    twin = group.twin
    return (
        f"No verdict: the A/A twin, identical code, came out {_times(twin.center)} times its double"
        f" ({_times(twin.lo)}–{_times(twin.hi)}); something disturbs this group."
    )


def _best_of(group: GroupReport, name: str) -> str:
    best = group.best_of[name]
    where = _title(name)
    speed = _speed(group, best)
    others = [
        case for case in group.cases if case.rank_set == name and case is not best and case.vs_best
    ]
    if not others:
        alone = (
            sum(case.rank_set == name and case.ns_per_op is not None for case in group.cases) == 1
        )
        return f"{where}: {best.case.label}{speed}, the only one {'measured' if alone else 'that can be compared'}."
    level = [case for case in others if case.vs_best.outcome in ("undecided", "same")]
    ahead = [case for case in others if case.vs_best.outcome == "faster"]
    behind = [case for case in others if case.vs_best.outcome == "slower"]
    if group.provisional:
        return f"{where}: {best.case.label}{speed} leads so far."
    if ahead:  # measured in too few replicates to be the best
        return f"{where}: {best.case.label}{speed} leads, but {_names(ahead)} came out faster in the few replicates they have."
    if level:
        return f"{where}: {best.case.label}{speed} leads, but {_names(level)} {_not_told_apart(best, level)}."
    return f"{where}: {best.case.label}{speed} is fastest; next is {_behind(best, min(behind, key=_ratio))}."


def _speed(group: GroupReport, case: CaseReport) -> str:
    if group.conditions.durable and case.ns_per_op:
        return f" ({duration(case.ns_per_op.center / 1e9)})"
    return f" ({rate(case.bytes_per_s.center)})" if case.bytes_per_s else ""


def _not_told_apart(best: CaseReport, level: list[CaseReport]) -> str:
    if any(
        case.vs_best_key != best.case.key for case in level
    ):  # compared with what was the best when they were decided
        return f"{'is' if len(level) == 1 else 'are'} not decided against it, having been compared with what led before"
    reach = (
        max(
            max(case.vs_best.hi, 1 / case.vs_best.lo) if case.vs_best.lo else float("inf")
            for case in level
        )
        - 1
    )
    verb = "is" if len(level) == 1 else "are"
    if all(case.vs_best.outcome == "same" for case in level):
        return f"{verb} as fast, within {_percent(reach)}"
    return (
        f"cannot be told apart from it (up to {_percent(reach)} apart)"
        if reach < 10
        else "cannot be told apart from it yet"
    )


def _behind(best: CaseReport, case: CaseReport) -> str:
    found = case.vs_best
    whose = "its" if case.vs_best_key == best.case.key else f"{_variant(case.vs_best_key)}'s"
    if found.settled:
        than = "" if whose == "its" else f" as {_variant(case.vs_best_key)}"
        return f"{case.case.label}, more than {_times(found.lo)} times as slow{than} (about {_times(found.center)})"
    return f"{case.case.label} at {_times(found.center)} times {whose} time ({_times(found.lo)}–{_times(found.hi)})"


def _variant(key: str) -> str:
    return key.partition(" ")[0]


def _across(group: GroupReport) -> str:
    first = _named(group, group.sets[0])
    parts = []
    for name in group.sets[1:]:
        found = group.vs_overall[name]
        if found is None:
            continue
        best = _named(group, name)
        if found.outcome == "slower" and not group.provisional:
            span = (
                f"more than {_times(found.lo)}"
                if found.settled
                else f"{_times(found.lo)}–{_times(found.hi)}"
            )
            parts.append(f"{best} takes {_times(found.center)} times its time ({span})")
        elif found.outcome == "same":
            parts.append(f"{best} is as fast")
        elif group.provisional:
            parts.append(f"{best} is at {_times(found.center)} times its time so far")
        else:
            parts.append(f"{best} cannot be told apart from it")
    return f"Of all: {first}; {'; '.join(parts)}." if parts else f"Of all: {first}."


def _named(group: GroupReport, name: str) -> str:
    """The best of a set, with its runtime where the label alone could be any's."""
    runtime = name.partition(" on ")[2]
    return group.best_of[name].case.label + (f" on {runtime}" if runtime else "")


def _open(group: GroupReport) -> list[str]:
    if not group.undecided or group.provisional:
        return []
    count = f"{group.undecided} comparison{'s' if group.undecided > 1 else ''} stayed undecided"
    if group.seconds_needed is None:
        return [
            f"{count}; more replicates are not likely to decide {'them all' if group.undecided > 1 else 'it'}."
        ]
    return [
        f"{count}; deciding takes about {group.replicates_needed} replicates, {duration(group.seconds_needed)} more."
    ]


def _names(cases: list[CaseReport]) -> str:
    names = [case.case.label for case in cases[:_MOST_NAMES]]
    if len(cases) > _MOST_NAMES:
        return f"{', '.join(names)} and {len(cases) - _MOST_NAMES} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def _title(name: str) -> str:
    return name[0].upper() + name[1:]


def _ratio(case: CaseReport) -> float:
    return case.vs_best.center


def _times(ratio: float) -> str:
    return significant(ratio, 3) if ratio < 10 else significant(ratio, 2)


def _percent(fraction: float) -> str:
    return f"{significant(fraction * 100, 2)} %"
