"""The same case compared across the groups of a span: what fsync costs, cold against warm.

The groups of a span are measured by the same forks, one after another in each replicate, in random
order. So a case has one number per replicate: the log of its time in one group over its time in the
first. docs/decisions/0016-across-groups.md says why.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from iogauge.analysis import casereport, judging
from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.data import GroupData
from iogauge.analysis.groupreport import Across, GroupReport
from iogauge.decision import next_steps, priors, repeats
from iogauge.decision.across import AcrossGroups, compared, noise_floor, of_interest, prior_of
from iogauge.decision.comparison import as_comparison
from iogauge.decision.group import GroupDecision
from iogauge.decision.next_steps import NextStep
from iogauge.decision.shrinkage import Prior
from iogauge.decision.states import OverStates, over_states
from iogauge.decision.status import Pending
from iogauge.decision.verdict import SetAnswer
from iogauge.model.case import Case
from iogauge.model.plan import Span
from iogauge.runfile.arrays import Floats
from iogauge.runfile.run import Run
from iogauge.statistics import quantiles

Unit = Literal["operation", "byte", "record"]


@dataclass(frozen=True)
class SpanReport:
    """The groups of a span in their order, and the cases of the others compared with the same case
    of the first: ratios of times per unit. `per` is the unit, and `units` how many of it an
    operation has, by group. `next_step` is what would tell more;
    None where nothing is open. `states` has by set what to use where nobody knows which of the
    states a cached file is in; only along `cached_by`, and of sets that have an answer in each.
    """

    along: str
    question: str
    groups: tuple[GroupReport, ...]
    values: tuple[int | str, ...]
    per: Unit
    units: tuple[float, ...]
    across: tuple[Across, ...]
    tolerance: float
    next_step: NextStep | None
    states: Mapping[str, OverStates[CaseReport]] = field(default_factory=dict)


class _Pair(NamedTuple):
    """A case (a number of the plan) of a group and its reference, the same case of the first group,
    and how they compare.
    """

    group: int
    case: int
    reference: int
    across: AcrossGroups


def make(run: Run, groups: Sequence[GroupReport]) -> tuple[SpanReport, ...]:
    """The report of every span of a run from those of its groups, which are as many as the plan
    has.
    """
    return tuple(_report(run, span, groups) for span in run.plan.spans)


def pending(
    run: Run, span: Span, data: Sequence[GroupData], decisions: Mapping[int, GroupDecision]
) -> dict[int, Pending]:
    """What more replicates may say of a span, by group: of the cases that can be the answer in any
    of the groups (of all cases, where a group is measured to the end). Both sides of such a case
    are measured in every replicate.
    """
    found = _pairs(run, span, data)
    margin, comparisons = math.log1p(run.plan.tolerance), len(found)
    wanted = set()
    for index in (each for each in span.groups if each in decisions):
        group, columns = data[index].group, of_interest(decisions[index])
        if group.to_the_end or group.compare == "all":  # nothing is to be dropped
            columns = set(range(len(group.cases)))
        wanted |= {_name(run.plan.cases[group.cases[column]]) for column in columns}
    cases: dict[int, set[int]] = {}
    goals: list[int | None] = []
    for pair in found:
        if _name(run.plan.cases[pair.case]) not in wanted:
            continue
        if pair.across.is_open(margin, comparisons):
            cases.setdefault(pair.group, set()).add(pair.case)
            cases.setdefault(span.groups[0], set()).add(pair.reference)
            goals.append(pair.across.goal(margin, comparisons))
    goal = repeats.most(goals)
    return {group: Pending(tuple(sorted(each)), goal) for group, each in cases.items()}


def _report(run: Run, span: Span, groups: Sequence[GroupReport]) -> SpanReport:
    data = [each.data for each in groups]
    planned = [run.plan.groups[each] for each in span.groups]
    found, margin = _pairs(run, span, data), math.log1p(run.plan.tolerance)
    floors = {group: _floor(run, span, data, group) for group in span.groups[1:]}
    per, units = _units(run, span)
    across = []
    for pair in found:
        case, reference = run.plan.cases[pair.case], run.plan.cases[pair.reference]
        interval, floor = pair.across.interval(len(found)), floors[pair.group]
        ratio = as_comparison(pair.case, pair.reference, interval, floor, margin)
        across.append(Across(case, reference, ratio))
    decisions = {index: each.decision for index, each in enumerate(groups) if each.data.replicates}
    left = [*pending(run, span, data, decisions).values()]
    states = in_states([groups[each] for each in span.groups]) if span.along == "cached_by" else {}
    answered = bool(states) and all(each.kind != "open" for each in states.values())
    return SpanReport(
        along=span.along,
        question=planned[0].question,
        groups=tuple(groups[each] for each in span.groups),
        values=tuple(map(span.value, planned)),
        per=per,
        units=units,
        across=tuple(across),
        tolerance=run.plan.tolerance,
        next_step=next_steps.of_span(left[0].goal)
        if run.complete and left and not answered
        else None,
        states=states,
    )


def in_states(groups: Sequence[GroupReport]) -> dict[str, OverStates[CaseReport]]:
    """By set what to use where a file may be cached in any of the states of these groups."""
    found = {}
    for name in groups[0].answers:
        answers = [_answer_of(each, name) for each in groups]
        known = [each for each in answers if each is not None]
        over = over_states(known, _way) if len(known) == len(groups) else None
        if over:
            found[name] = over
    return dict(sorted(found.items()))


def _answer_of(group: GroupReport, name: str) -> SetAnswer[CaseReport] | None:
    """The answer of a set, if there is a verdict on it: none where a way is beyond the limit."""
    kinds = {each.set: each.kind for each in group.verdicts}
    return group.answers[name] if kinds.get(name) in ("decided", "open") else None


def _way(case: CaseReport) -> tuple[str, str]:
    return _name(case.case)


def _pairs(run: Run, span: Span, data: Sequence[GroupData]) -> list[_Pair]:
    """Each case of each further group against the same case of the first, where replicates have
    both.
    """
    reference = data[span.groups[0]]
    columns, two_states = _columns(run, reference), judging.two_states(reference.log_ns)
    found = []
    for group in span.groups[1:]:
        other, prior = data[group], _prior(run, reference, data[group])
        here, there = _levels(run, span, data, group)
        unlike = judging.two_states(other.log_ns)
        for name, column in _columns(run, other).items():
            first = columns.get(name)
            if first is None:
                continue
            two = column in unlike or first in two_states
            both = compared(here[:, column], there[:, first], None if two else prior)
            if both.replicates:
                numbers = other.group.cases[column], reference.group.cases[first]
                found.append(_Pair(group, *numbers, both))
    return found


def _floor(run: Run, span: Span, data: Sequence[GroupData], group: int) -> float:
    """By how much the ratio across of the same code may differ, as a log: that of the control
    against that of the baseline. 0 where the two groups have no control of the same case.
    """
    one, other = data[span.groups[0]], data[group]
    same = _name(run.plan.cases[one.group.baseline]) == _name(run.plan.cases[other.group.baseline])
    if one.control is None or other.control is None or not same:
        return 0.0
    here, there = _levels(run, span, data, group)
    control = here[:, other.control] - there[:, one.control]
    baseline = (
        here[:, other.column(other.group.baseline)] - there[:, one.column(one.group.baseline)]
    )
    return noise_floor(control, baseline, _prior(run, one, other))


def _prior(run: Run, *groups: GroupData) -> Prior | None:
    return prior_of(priors.of_group(run.plan, each.group) for each in groups)


def _levels(run: Run, span: Span, data: Sequence[GroupData], group: int) -> tuple[Floats, Floats]:
    """The logs of ns per unit in a group and in the first one, shape (R, C) each, in the replicates
    that both have.
    """
    units = dict(zip(span.groups, _units(run, span)[1], strict=True))
    first = span.groups[0]
    common = sorted(set(data[group].replicates) & set(data[first].replicates))

    def of(index: int) -> Floats:
        rows = [data[index].replicates.index(each) for each in common]
        return quantiles.median(data[index].log_ns[rows], axis=1) - math.log(units[index])

    return of(group), of(first)


def _columns(run: Run, data: GroupData) -> dict[tuple[str, str], int]:
    """The columns that may be compared, by what makes a case the same in all groups."""
    return {
        _name(run.plan.cases[case]): column
        for column, case in enumerate(data.group.cases)
        if case != data.group.control and column not in data.unusable
    }


def _name(case: Case) -> tuple[str, str]:
    return case.variant, case.setting


def _units(run: Run, span: Span) -> tuple[Unit, tuple[float, ...]]:
    """Of which unit times are compared, and how many of them an operation has, by group: operations
    where these do the same, records where all groups have some, else bytes.
    """
    groups = [run.plan.groups[each] for each in span.groups]
    if span.along != "size":
        return "operation", (1.0,) * len(groups)
    counted = [casereport.records_per_operation(run, each) for each in groups]
    known = [float(each) for each in counted if each is not None]
    if len(known) == len(groups):
        return "record", tuple(known)
    sizes = [run.plan.cases[each.baseline].bytes_per_operation for each in groups]
    return "byte", tuple(map(float, sizes))
