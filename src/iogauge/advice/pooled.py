"""The ways of one set to choose from, by the replicates of one run or of several alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from iogauge.advice.covering import FEWEST
from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport
from iogauge.claims.comparable import Comparable
from iogauge.decision import pooled
from iogauge.decision.comparison import Comparison
from iogauge.decision.verdict import SetAnswer, answer_of
from iogauge.runfile import dataset
from iogauge.runfile.dataset import KnownGroup

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


def the_same(known: Iterable[KnownGroup], own: KnownGroup) -> list[KnownGroup]:
    """The group, and the groups of other runs that measured the same cases and may be pooled with
    it.
    """
    others = (each for each in dataset.alike(known, own) if len(each.cases) >= FEWEST)
    return [own, *others]


def ways_of(
    group: GroupReport,
    cases: Sequence[CaseReport],
    comparable: Comparable,
    same: Sequence[KnownGroup],
) -> Ways | None:
    """The ways among these cases of a group, by all replicates of `same`. None without data."""

    def in_most(one: CaseReport, other: CaseReport) -> bool:
        ratios = dataset.paired_of(same, one.case.key, other.case.key)
        return pooled.most_often_faster(ratios)

    if len(same) > 1:
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
    same: Sequence[KnownGroup],
    in_most: Callable[[CaseReport, CaseReport], bool],
) -> Ways | None:
    keys = [each.case.key for each in group.cases]
    column = {key: number for number, key in enumerate(keys)}
    logs = dataset.replicates_of(same, keys)
    pool = pooled.pool(logs, column.get(group.baseline), group.decision.noise)
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
    return Ways(answer, compare, in_most, len(same)) if answer else None
