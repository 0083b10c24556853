"""A group's report in sentences: which case is fastest, how sure that is, and what stayed open.

The sentences say nothing that the figures do not say. The terminal, the page, Markdown and the JSON
export share them.
"""

from __future__ import annotations

import math

from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport
from iogauge.model.ratios import bounds, ratio
from iogauge.model.units import duration, rate, share
from iogauge.statistics.comparing import Comparison

_MOST_NAMES = 3
_MOST_APART = 10.0  # times as slow; a wider reach says nothing


def answers(group: GroupReport) -> list[str]:
    """One sentence per language (or runtime), one across them, and one about what stayed open."""
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
    assert twin is not None  # it is what suspends the group
    return (
        f"No verdict: the A/A twin, identical code, came out {ratio(twin.center)} times its double "
        f"({bounds(twin.lo, twin.hi)}); something disturbs this group."
    )


def _best_of(group: GroupReport, name: str) -> str:
    best = group.best_of[name]
    leader = f"{_title(name)}: {best.case.label}{_speed(group, best)}"
    same_set = [case for case in group.cases if case.rank_set == name]
    others = [(case, case.vs_best) for case in same_set if case is not best and case.vs_best]
    if not others:
        alone = sum(case.ns_per_op is not None for case in same_set) == 1
        return f"{leader}, the only one {'measured' if alone else 'that can be compared'}."
    if group.provisional:
        return f"{leader} leads so far."
    level = [each for each in others if each[1].outcome in ("undecided", "same")]
    ahead = [case for case, found in others if found.outcome == "faster"]
    if ahead:  # measured in too few replicates to be the best
        return (
            f"{leader} leads, but {_names(ahead)} came out faster in the few replicates they have."
        )
    if level:
        return (
            f"{leader} leads, but {_names([case for case, _ in level])} "
            f"{_not_told_apart(best, level)}."
        )
    behind = min(others, key=lambda each: each[1].center)
    return f"{leader} is fastest; next is {_behind(best, *behind)}."


def _speed(group: GroupReport, case: CaseReport) -> str:
    if group.conditions.durable and case.ns_per_op:
        return f" ({duration(case.ns_per_op.center / 1e9)})"
    return f" ({rate(case.bytes_per_s.center)})" if case.bytes_per_s else ""


def _not_told_apart(best: CaseReport, level: list[tuple[CaseReport, Comparison]]) -> str:
    verb = "is" if len(level) == 1 else "are"
    if any(case.vs_best_key != best.case.key for case, _ in level):
        return f"{verb} not decided against it, having been compared with what led before"
    reach = max(max(found.hi, 1 / found.lo) if found.lo else math.inf for _, found in level) - 1
    if all(found.outcome == "same" for _, found in level):
        return f"{verb} as fast, within {share(reach, 2)}"
    if reach < _MOST_APART:
        return f"cannot be told apart from it (up to {share(reach, 2)} apart)"
    return "cannot be told apart from it yet"


def _behind(best: CaseReport, case: CaseReport, found: Comparison) -> str:
    other = "" if case.vs_best_key == best.case.key else _variant(case.vs_best_key or "")
    if found.settled:
        than = f" as {other}" if other else ""
        return (
            f"{case.case.label}, more than {ratio(found.lo)} times as slow{than} "
            f"(about {ratio(found.center)})"
        )
    whose = f"{other}'s" if other else "its"
    return (
        f"{case.case.label} at {ratio(found.center)} times {whose} time "
        f"({bounds(found.lo, found.hi)})"
    )


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
            span = f"more than {ratio(found.lo)}" if found.settled else bounds(found.lo, found.hi)
            parts.append(f"{best} takes {ratio(found.center)} times its time ({span})")
        elif found.outcome == "same":
            parts.append(f"{best} is as fast")
        elif group.provisional:
            parts.append(f"{best} is at {ratio(found.center)} times its time so far")
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
        them = "them all" if group.undecided > 1 else "it"
        return [f"{count}; more replicates are not likely to decide {them}."]
    return [
        f"{count}; deciding takes about {group.replicates_needed} replicates, "
        f"{duration(group.seconds_needed)} more."
    ]


def _names(cases: list[CaseReport]) -> str:
    names = [case.case.label for case in cases[:_MOST_NAMES]]
    if len(cases) > _MOST_NAMES:
        return f"{', '.join(names)} and {len(cases) - _MOST_NAMES} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def _title(name: str) -> str:
    return name[0].upper() + name[1:]
