"""The ways of one set to choose from, by the replicates of one run or of several alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from iogauge.advice.covering import FEWEST
from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport
from iogauge.claims.comparable import Comparable
from iogauge.decision import pooled
from iogauge.decision.comparison import Comparison
from iogauge.decision.verdict import SetAnswer, answer_of
from iogauge.runfile.dataset import Dataset

Compare = Callable[[CaseReport, CaseReport], Comparison | None]


@dataclass(frozen=True)
class Ways:
    """`answer` is what is known of the ways. `compare` gives the time of one over that of another;
    `faster_in_most` tells whether one took less time than another in most replicates. `runs` is how
    many runs tell.
    """

    answer: SetAnswer[CaseReport]
    compare: Compare
    faster_in_most: Callable[[CaseReport, CaseReport], bool]
    runs: int


def the_same(known: Dataset, group: int) -> Dataset:
    """The group of this index, and the groups of other runs that measured the same cases and may be
    pooled with it.
    """
    own = known.groups[group]
    others = (
        number
        for number in known.measuring(own.workload, own.conditions)
        if known.groups[number].run != own.run and known.groups[number].verdicts
    )
    found = known.of_groups((group, *others)).poolable_with(own.run)
    return found.of_groups(
        number
        for number, each in enumerate(found.groups)
        if each.run == own.run or len(each.cases) >= FEWEST
    )


def ways_of(
    group: GroupReport, cases: Sequence[CaseReport], comparable: Comparable, same: Dataset
) -> Ways | None:
    """The ways among these cases of a group, by all replicates of `same`. None without data."""

    def in_most(one: CaseReport, other: CaseReport) -> bool:
        return pooled.most_often_faster(same.paired(one.case.key, other.case.key))

    if len(same.groups) > 1:
        return _of_runs(group, cases, same, in_most)
    places = {
        each.measured.case.key: number
        for number, each in enumerate(comparable.entries)
        if each.measured
    }

    def compare(one: CaseReport, other: CaseReport) -> Comparison | None:
        return comparable.compare(places[one.case.key], places[other.case.key])

    answer = group.answer_of(cases)
    return Ways(answer, compare, in_most, 1) if answer else None


def _of_runs(
    group: GroupReport,
    cases: Sequence[CaseReport],
    same: Dataset,
    in_most: Callable[[CaseReport, CaseReport], bool],
) -> Ways | None:
    keys = [each.case.key for each in group.cases]
    column = {key: number for number, key in enumerate(keys)}
    pool = pooled.pool(same.replicates_of(keys), column.get(group.baseline), group.decision.noise)
    ordered = sorted(cases, key=lambda each: each.simplicity)
    members = [column[each.case.key] for each in ordered]
    found = pool.answer(members, group.tolerance)
    costs = pool.costs(found, group.tolerance)
    by_column = {
        number: replace(each, vs_best=costs[number], is_best=number == found.costs.best)
        for number, each in zip(members, ordered, strict=True)
    }

    def compare(one: CaseReport, other: CaseReport) -> Comparison | None:
        return pool.compare(column[one.case.key], column[other.case.key], group.precision)

    answer = answer_of(found, members, by_column, group.tolerance)
    return Ways(answer, compare, in_most, len(same.groups)) if answer else None
