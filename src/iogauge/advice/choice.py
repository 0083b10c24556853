"""From runs to advice, for each language or runtime: the simplest way, with the smallest block or
buffer, that is surely within the tolerance of the best; while none is, the way to use for now.
`decision` says which one that is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from iogauge.advice import reasons
from iogauge.advice.wanted import FEWEST, Wanted, advisable, group_distance
from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport
from iogauge.analysis.report import Report
from iogauge.claims import measured
from iogauge.claims.comparable import Comparable
from iogauge.decision import ceiling, pooled
from iogauge.decision.comparison import Comparison
from iogauge.decision.verdict import SetAnswer, answer_of
from iogauge.runfile import dataset
from iogauge.runfile.dataset import KnownGroup
from iogauge.runfile.header import Header
from iogauge.runners import hints

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
    """The group, with those of other runs that measured the same and may be pooled."""
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

    answer: SetAnswer[CaseReport] | None
    if len(same) == 1:
        keys = [each.measured.case.key if each.measured else "" for each in comparable.entries]
        column = {key: number for number, key in enumerate(keys)}
        answer = group.answer_of(cases)

        def compare(one: CaseReport, other: CaseReport) -> Comparison | None:
            return comparable.compare(column[one.case.key], column[other.case.key])

    else:
        keys = [each.case.key for each in group.cases]
        column = {key: number for number, key in enumerate(keys)}
        noise, baseline = group.decision.noise, column.get(group.baseline)
        pool = pooled.pool(dataset.replicates_of(same, keys), baseline, noise)
        ordered = sorted(cases, key=lambda each: each.simplicity)
        members = [column[each.case.key] for each in ordered]
        found = pool.answer(members, group.tolerance)
        costs = pool.costs(found, group.tolerance)
        by_column = {
            number: replace(each, vs_best=costs[number], is_best=number == found.costs.best)
            for number, each in zip(members, ordered, strict=True)
        }
        answer = answer_of(found, members, by_column, group.tolerance)

        def compare(one: CaseReport, other: CaseReport) -> Comparison | None:
            return pool.compare(column[one.case.key], column[other.case.key], group.precision)

    return Ways(answer, compare, in_most, len(same)) if answer else None


Other = tuple[CaseReport, Comparison]
"""Another way, with its time over that of the choice."""


@dataclass(frozen=True)
class Advice:
    """A choice, how sure it is, and the other ways worth naming."""

    header: Header
    caveats: tuple[str, ...]  # of the run
    group: GroupReport
    choice: CaseReport
    among: int  # ways that were compared
    uncompared: int  # ways with too few valid samples
    beyond_ceiling: int  # ways left out: they seem faster than the machine, so a time is wrong
    worst: float  # at most so many times the best's time does the choice take
    sure: bool  # it is surely within the tolerance of the best
    leads: bool  # it is the best so far
    fastest: Other | None  # None if the choice itself came out fastest
    in_most: bool  # the `fastest` took less time in most replicates
    simpler: Other | None  # the fastest of the ways that are easier to write
    simplest: Other | None  # the easiest to write, if that is neither the choice nor `simpler`
    smaller: Other | None  # the choice itself with a smaller block or buffer
    reason: str | None
    hint: str | None  # code; None if the code that is known would not do what was asked
    runs: int  # the comparisons rest on so many runs


def choose(
    report: Report, group: GroupReport, ways: Ways, considered: int, beyond_ceiling: int = 0
) -> Advice:
    """Advice from the ways of a set; `considered` counts those without data, too."""
    answer = ways.answer
    chosen, members = answer.chosen, answer.members
    # What was eliminated, and is surely slower, was measured too little to be the fastest.
    slow = {id(each) for each in answer.surely_slower if each.eliminated}
    easier = [each for each in members if each.strategy.effort < chosen.strategy.effort]
    fastest = _fastest(group, ways, (each for each in members if id(each) not in slow))
    simpler = _fastest(group, ways, easier)
    simplest = _fastest(group, ways, [answer.simplest])
    if simpler and simplest and simplest[0] is simpler[0]:
        simplest = None
    return Advice(
        header=report.run.header,
        caveats=report.caveats,
        group=group,
        choice=_of(group, chosen),
        among=len(members),
        uncompared=considered - len(members),
        beyond_ceiling=beyond_ceiling,
        worst=answer.worst(chosen),
        sure=answer.recommended is not None,
        leads=chosen is answer.best,
        fastest=fastest if fastest and fastest[1].center < 1 else None,
        in_most=fastest is not None and ways.faster_in_most(fastest[0], chosen),
        simpler=simpler,
        simplest=simplest,
        smaller=_fastest(group, ways, (each for each in members if _is_smaller(each, chosen))),
        reason=reasons.first(chosen),
        hint=hints.of_case(chosen.case),
        runs=ways.runs,
    )


def _is_smaller(one: CaseReport, than: CaseReport) -> bool:
    """Whether it is the same strategy with no parameter larger."""
    return one.case.strategy == than.case.strategy and all(
        value <= than.case.parameters[name] for name, value in one.case.parameters.items()
    )


def _fastest(group: GroupReport, ways: Ways, others: Iterable[CaseReport]) -> Other | None:
    """The fastest of the others, with its time over that of the choice."""
    chosen = ways.answer.chosen  # where that is the best, the ratio is what all outputs show
    found = [
        (_of(group, each), ratio)
        for each in others
        if each is not chosen
        and (ratio := (each.vs_best if chosen.is_best else None) or ways.compare(each, chosen))
    ]
    return min(found, key=lambda each: each[1].center, default=None)


def _of(group: GroupReport, case: CaseReport) -> CaseReport:
    """The case as its own run has it: several runs may have been compared."""
    return next(each for each in group.cases if each.case.key == case.case.key)


def recommend(
    report: Report, wanted: Wanted, known: Sequence[KnownGroup] = ()
) -> dict[str, Advice]:
    """Advice by language, or by runtime where these are ranked apart.

    It comes from the group nearest in size; among equally near ones, from the group with most
    strategies. A language is missing if no group with verdicts covers what is wanted. Ways are
    compared by the replicates of this run, and of all groups in `known` that measured the same and
    may be pooled with it.
    """
    plan = report.run.plan
    found: dict[str, tuple[tuple[float, int], Advice]] = {}
    for group, planned, comparable, own in zip(
        report.groups, plan.groups, measured.comparables(report), report.dataset, strict=True
    ):
        apart = group_distance(planned, wanted)
        if plan.published or not group.has_verdicts or apart is None:
            continue
        keys = {
            plan.cases[case].key
            for case in advisable(plan, planned, report.run.header.runtimes, wanted)
        }
        same = the_same(known, own)
        for name, cases in _by_set(group, keys).items():
            within = [
                each
                for each in cases
                if not each.impossible and not ceiling.doubtful(each.of_ceiling)
            ]
            rank = apart, -len({each.case.strategy for each in within})
            if len(within) < FEWEST or (name in found and rank >= found[name][0]):
                continue
            if ways := ways_of(group, within, comparable, same):
                beyond = len(cases) - len(within)
                found[name] = rank, choose(report, group, ways, len(within), beyond)
    return {name: advice for name, (_, advice) in found.items()}


def _by_set(group: GroupReport, keys: set[str]) -> dict[str, list[CaseReport]]:
    """The measured cases with these keys, by the set in which they are ranked."""
    found: dict[str, list[CaseReport]] = {each.rank_set: [] for each in group.cases}
    for each in group.cases:
        if each.ns_per_op and not each.failure and each.case.key in keys:
            found[each.rank_set].append(each)
    return found
