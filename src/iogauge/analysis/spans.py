"""The same case compared across the groups of a span: what fsync costs, cold against warm.

The groups of a span are measured by the same forks, one after another in each replicate, in random
order. So a case has one number per replicate: the log of its time in one group over its time in the
first. docs/decisions/0016-across-groups.md says why.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from iogauge.analysis import judging, records
from iogauge.analysis.data import GroupData
from iogauge.analysis.groupreport import Across, GroupReport
from iogauge.decision import priors, repeats
from iogauge.decision.best import Pairs, pairs_of
from iogauge.decision.comparison import as_comparison
from iogauge.decision.group import GroupDecision
from iogauge.decision.looks import FEWEST_REPLICATES, MOST_REPLICATES
from iogauge.decision.shrinkage import Prior
from iogauge.model.case import Case
from iogauge.model.plan import Group, Span
from iogauge.model.ratios import MOST_TOLD
from iogauge.runfile.arrays import Floats
from iogauge.runfile.run import Run
from iogauge.statistics import quantiles
from iogauge.statistics.intervals import Interval

Unit = Literal["operation", "byte", "record"]
_TELLING = math.log(MOST_TOLD)
_UNLIKE = math.log(4)
"""The log of how many times as large a variance across groups is as one within a group: samples of
one group take turns, those of two groups are seconds apart.
"""


@dataclass(frozen=True)
class SpanReport:
    """The groups of a span in their order, and the cases of the others compared with the same case
    of the first: ratios of times per unit. `per` is the unit, and `units` how many of it an
    operation has, by group. `open`: more replicates may say more, likely after
    `replicates_needed`, in all; None where that cannot be said.
    """

    along: str
    question: str
    groups: tuple[GroupReport, ...]
    values: tuple[int | str, ...]
    per: Unit
    units: tuple[float, ...]
    across: tuple[Across, ...]
    tolerance: float
    open: bool
    replicates_needed: int | None


@dataclass(frozen=True)
class Open:
    """What more replicates may say of a span: which cases they must measure, by group, and how many
    replicates, in all, are likely to do; None where that cannot be said.
    """

    cases: Mapping[int, tuple[int, ...]]
    goal: int | None


@dataclass(frozen=True)
class _Pair:
    """A case (a number of the plan) of a group and its reference, the same case of the first group;
    `pairs` is of these two, in this order.
    """

    group: int
    case: int
    reference: int
    pairs: Pairs

    def interval(self, comparisons: int) -> Interval:
        lo, hi = self.pairs.interval(0, 1, comparisons)
        return Interval(float(self.pairs.centers[0, 1]), lo, hi, int(self.pairs.counts[0, 1]))


def make(run: Run, groups: Sequence[GroupReport]) -> tuple[SpanReport, ...]:
    """The report of every span of a run from those of its groups, which are as many as the plan
    has.
    """
    return tuple(_report(run, span, groups) for span in run.plan.spans)


def open_of(
    run: Run, span: Span, data: Sequence[GroupData], decisions: Mapping[int, GroupDecision]
) -> Open:
    """What is still open, of the cases that can be the answer in any of the groups (of all cases,
    where a group is measured to the end): both sides of such a case are measured in every
    replicate.
    """
    found = _pairs(run, span, data)
    margin, comparisons = math.log1p(run.plan.tolerance), len(found)
    wanted = {
        _name(run.plan.cases[data[group].group.cases[column]])
        for group in span.groups
        if group in decisions
        for column in _asked(data[group].group, decisions[group])
    }
    cases: dict[int, set[int]] = {}
    goals: list[int | None] = []
    for pair in found:
        interval = pair.interval(comparisons)
        if _name(run.plan.cases[pair.case]) not in wanted or _known(interval, margin):
            continue
        if not 0 < interval.n < MOST_REPLICATES:
            continue
        cases.setdefault(pair.group, set()).add(pair.case)
        cases.setdefault(span.groups[0], set()).add(pair.reference)
        goals.append(_goal(pair, interval, margin, comparisons))
    known = [each for each in goals if each is not None]
    return Open(
        {group: tuple(sorted(each)) for group, each in cases.items()},
        max(known, default=0) if len(known) == len(goals) else None,
    )


def _report(run: Run, span: Span, groups: Sequence[GroupReport]) -> SpanReport:
    data = [each.data for each in groups]
    planned = [run.plan.groups[each] for each in span.groups]
    found, margin = _pairs(run, span, data), math.log1p(run.plan.tolerance)
    floors = {group: _floor(run, span, data, group) for group in span.groups[1:]}
    per, units = _units(run, span)
    across = []
    for pair in found:
        case, reference = run.plan.cases[pair.case], run.plan.cases[pair.reference]
        interval, floor = pair.interval(len(found)), floors[pair.group]
        compared = as_comparison(pair.case, pair.reference, interval, floor, margin)
        across.append(Across(case, reference, compared))
    decisions = {index: each.decision for index, each in enumerate(groups) if each.data.replicates}
    left = open_of(run, span, data, decisions)
    return SpanReport(
        along=span.along,
        question=planned[0].question,
        groups=tuple(groups[each] for each in span.groups),
        values=tuple(map(span.value, planned)),
        per=per,
        units=units,
        across=tuple(across),
        tolerance=run.plan.tolerance,
        open=run.complete and bool(left.cases),
        replicates_needed=left.goal if left.cases else None,
    )


def _pairs(run: Run, span: Span, data: Sequence[GroupData]) -> list[_Pair]:
    """Each case of each further group against the same case of the first, where replicates have
    both.
    """
    reference = data[span.groups[0]]
    columns, two_states = _columns(run, reference), judging.two_states(reference.log_ns)
    found = []
    for group in span.groups[1:]:
        other, prior = data[group], _prior(run, reference.group, data[group].group)
        here, there = _levels(run, span, data, group)
        unlike = judging.two_states(other.log_ns)
        for name, column in _columns(run, other).items():
            first = columns.get(name)
            if first is None:
                continue
            two = column in unlike or first in two_states
            pairs = _compared(here[:, column], there[:, first], None if two else prior)
            if pairs.counts[0, 1]:
                numbers = other.group.cases[column], reference.group.cases[first]
                found.append(_Pair(group, *numbers, pairs))
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
    pairs = _compared(control, baseline, _prior(run, one.group, other.group))
    lo, hi = pairs.interval(0, 1, 2)
    return max(-lo, hi)


def _compared(one: Floats, other: Floats, prior: Prior | None) -> Pairs:
    """Two series of logs, shape (R,) each, one value per replicate. What is known beforehand makes
    no standard error smaller than the series' own scatter does: on a busy machine that is far
    larger.
    """
    both = np.stack([one, other], axis=1)[:, None, :]
    alone, moderated = pairs_of(both, None, None), pairs_of(both, None, prior)
    scattered = alone.standard_errors[0, 1] > moderated.standard_errors[0, 1]
    return alone if scattered else moderated


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
    counted = [records.records_per_operation(run, each) for each in groups]
    known = [float(each) for each in counted if each is not None]
    if len(known) == len(groups):
        return "record", tuple(known)
    sizes = [run.plan.cases[each.baseline].bytes_per_operation for each in groups]
    return "byte", tuple(map(float, sizes))


def _prior(run: Run, one: Group, other: Group) -> Prior | None:
    """What is known of the variances across two groups: those within the noisier one are smaller by
    a factor.
    """
    found = [each for each in (priors.of_group(run.plan, group) for group in (one, other)) if each]
    if not found:
        return None
    return Prior(
        max(each.log_variance for each in found) + _UNLIKE,
        max(each.spread for each in found),
        min(each.degrees for each in found),
    )


def _asked(group: Group, decision: GroupDecision) -> set[int]:
    """The columns of cases that can be the best of their set, or are recommended; all columns where
    nothing is to be dropped.
    """
    if group.to_the_end or group.compare == "all":
        return set(range(len(group.cases)))
    return {
        column
        for answer in decision.answers.values()
        for column in (*answer.costs.can_be_best, answer.recommended)
        if column is not None
    }


def _known(found: Interval, margin: float) -> bool:
    """Whether a ratio can be told: surely beyond the tolerance or within it, and in numbers."""
    beyond = found.lo > margin or found.hi < -margin
    within = found.lo >= -margin and found.hi <= margin
    return within or (beyond and found.hi - found.lo <= _TELLING)


def _goal(pair: _Pair, found: Interval, margin: float, comparisons: int) -> int | None:
    if found.n < FEWEST_REPLICATES:
        return FEWEST_REPLICATES
    gained = max(0.0, float(pair.pairs.degrees[0, 1]) - (found.n - 1))
    enough = min(abs(abs(found.center) - margin), _TELLING / 2)
    reach = (found.hi - found.lo) / 2
    return repeats.until(found.n, gained, comparisons, reach, enough)
