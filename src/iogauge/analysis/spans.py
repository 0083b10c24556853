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

from iogauge.analysis import judging, priors, records
from iogauge.analysis.data import GroupData
from iogauge.analysis.groupreport import Across, GroupReport
from iogauge.model.case import Case
from iogauge.model.plan import Group, Span
from iogauge.model.ratios import MOST_TOLD
from iogauge.runfile.arrays import Floats
from iogauge.runfile.run import Run
from iogauge.statistics import deciding, quantiles
from iogauge.statistics.best import FEWEST_REPLICATES, Pairs, pairs_of
from iogauge.statistics.comparing import as_comparison
from iogauge.statistics.intervals import Interval
from iogauge.statistics.looks import MOST_REPLICATES
from iogauge.statistics.moderation import Prior
from iogauge.statistics.sequential import Judgement

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
    operation has, by group.
    """

    along: str
    question: str
    groups: tuple[GroupReport, ...]
    values: tuple[int | str, ...]
    per: Unit
    units: tuple[float, ...]
    across: tuple[Across, ...]
    tolerance: float


@dataclass(frozen=True)
class Open:
    """What more replicates may say of a span: which cases they must measure, by group, and how many
    replicates, in all, are likely to do; None where that cannot be said.
    """

    cases: Mapping[int, tuple[int, ...]]
    goal: int | None


@dataclass(frozen=True)
class _Pair:
    """A case (a number of the plan) of one group and the same case of the first group. `column` and
    `first` are their columns; `pairs` is of these two, the case before its reference.
    """

    group: int
    column: int
    first: int
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
    data = [each.data for each in groups]
    judgements = dict(enumerate(each.judgement for each in groups))
    return tuple(_report(run, span, groups, data, judgements) for span in run.plan.spans)


def open_of(
    run: Run, span: Span, data: Sequence[GroupData], judgements: Mapping[int, Judgement]
) -> Open:
    """What is still open, of the cases that can be the answer in any of the groups: both sides of
    such a case are measured in every replicate.
    """
    found = _pairs(run, span, data)
    margin, comparisons = math.log1p(run.plan.tolerance), len(found)
    wanted = {
        _name(run.plan.cases[data[group].group.cases[column]])
        for group in span.groups
        if group in judgements
        for column in _may_answer(judgements[group])
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


def _report(
    run: Run,
    span: Span,
    groups: Sequence[GroupReport],
    data: Sequence[GroupData],
    judgements: Mapping[int, Judgement],
) -> SpanReport:
    planned = [run.plan.groups[each] for each in span.groups]
    found, margin = _pairs(run, span, data), math.log1p(run.plan.tolerance)
    per, units = _units(run, span)
    across = []
    for pair in found:
        floor = max(
            math.log1p(judgements[group].noise_floor or 0.0)
            for group in (pair.group, span.groups[0])
        )
        compared = as_comparison(
            pair.case, pair.reference, pair.interval(len(found)), floor, margin
        )
        across.append(Across(run.plan.cases[pair.case], run.plan.cases[pair.reference], compared))
    return SpanReport(
        along=span.along,
        question=planned[0].question,
        groups=tuple(groups[each] for each in span.groups),
        values=tuple(map(span.value, planned)),
        per=per,
        units=units,
        across=tuple(across),
        tolerance=run.plan.tolerance,
    )


def _pairs(run: Run, span: Span, data: Sequence[GroupData]) -> list[_Pair]:
    """Each case of each further group against the same case of the first, where replicates have
    both.
    """
    per_operation = dict(zip(span.groups, _units(run, span)[1], strict=True))
    levels = {
        group: quantiles.median(data[group].log_ns, axis=1) - math.log(per_operation[group])
        for group in span.groups
    }
    reference = data[span.groups[0]]
    columns = _columns(run, reference)
    at_first = {number: row for row, number in enumerate(reference.replicates)}
    found = []
    for group in span.groups[1:]:
        other, prior = data[group], _prior(run, reference.group, data[group].group)
        rows = [
            (row, at_first[number])
            for row, number in enumerate(other.replicates)
            if number in at_first
        ]
        here, there = np.array(rows, dtype=np.int64).reshape(-1, 2).T
        apart = [set(judging.two_states(each.log_ns)) for each in (other, reference)]
        for name, column in _columns(run, other).items():
            if name not in columns:
                continue
            first = columns[name]
            both: Floats = np.stack(
                [levels[group][here, column], levels[span.groups[0]][there, first]], axis=1
            )
            two_states = column in apart[0] or first in apart[1]
            pairs = pairs_of(both[:, None, :], None, prior, [0] if two_states else [])
            if pairs.counts[0, 1]:
                numbers = other.group.cases[column], reference.group.cases[first]
                found.append(_Pair(group, column, first, *numbers, pairs))
    return found


def _columns(run: Run, data: GroupData) -> dict[tuple[str, str], int]:
    """The columns that may be compared, by what makes a case the same in all groups."""
    return {
        _name(run.plan.cases[case]): column
        for column, case in enumerate(data.group.cases)
        if case != data.group.twin and column not in data.unusable
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


def _may_answer(judgement: Judgement) -> set[int]:
    """The columns of cases that can be the best of their set, or are recommended."""
    return {
        column
        for answer in judgement.answers.values()
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
    return deciding.replicates_until(found.n, gained, comparisons, reach, enough)
