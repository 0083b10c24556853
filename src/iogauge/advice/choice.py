"""From runs to advice, for each language or runtime: the simplest way, with the smallest block or
buffer, that is surely within the tolerance of the best; while none is, the way to use for now.
`decision` says which one that is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from iogauge.advice import reasons
from iogauge.advice.wanted import (
    FEWEST,
    Wanted,
    advisable,
    group_distance,
    is_of_unknown_state,
)
from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport
from iogauge.analysis.report import Report
from iogauge.claims import measured
from iogauge.claims.comparable import Comparable
from iogauge.decision import ceiling, pooled
from iogauge.decision.comparison import Comparison
from iogauge.decision.states import OverStates, over_states
from iogauge.decision.verdict import SetAnswer, answer_of
from iogauge.model.workload import USUAL, CachedBy, Conditions, Workload
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
    worst: float  # at most so many times the best's time does the choice take, in any state
    sure: bool  # it is surely within the tolerance of the best, in each state
    settled: bool  # it is, or it is sure that no way is in each state
    leads: bool  # it is the best so far
    fastest: Other | None  # None if the choice itself came out fastest
    in_most: bool  # the `fastest` took less time in most replicates
    simpler: Other | None  # the fastest of the ways that are easier to write
    simplest: Other | None  # the easiest to write, if that is neither the choice nor `simpler`
    smaller: Other | None  # the choice itself with a smaller block or buffer
    reason: str | None
    hint: str | None  # code; None if the code that is known would not do what was asked
    runs: int  # the comparisons rest on so many runs
    over: OverStates[CaseReport] | None = None
    """What the ways cost in each of the states in which a cached file was measured; None of one."""
    states: tuple[CachedBy, ...] = ()
    """These, in the order of the costs. The other figures are of the state of the `group`."""
    unanswered: tuple[CachedBy, ...] = ()
    """Further states that were measured, of which there is no answer."""

    @property
    def is_of_one_state(self) -> bool:
        """Whether a mapping is the choice or near it, and the cached file was in one state alone
        into which we brought it: in another a mapping may cost a multiple.
        """
        conditions = self.group.conditions
        if self.states or conditions.cache != "warm" or conditions.as_left or self.group.all_alike:
            return False
        named = (self.fastest, self.simpler, self.simplest, self.smaller)
        ways = [self.choice, *(each[0] for each in named if each)]
        return any(each.strategy.reads_mapped for each in ways)


def choose(
    report: Report,
    group: GroupReport,
    ways: Ways,
    considered: int,
    beyond_ceiling: int = 0,
    chosen: CaseReport | None = None,
) -> Advice:
    """Advice from the ways of a set; `considered` counts those without data, too. `chosen`, one of
    the members, is the choice where the answer of this group alone does not make it.
    """
    answer = ways.answer
    members, chosen = answer.members, chosen or answer.chosen
    # What was eliminated, and is surely slower, was measured too little to be the fastest.
    slow = {id(each) for each in answer.surely_slower if each.eliminated}
    easier = [each for each in members if each.strategy.effort < chosen.strategy.effort]
    fastest = _fastest(group, ways, chosen, (each for each in members if id(each) not in slow))
    simpler = _fastest(group, ways, chosen, easier)
    simplest = _fastest(group, ways, chosen, [answer.simplest])
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
        sure=chosen is answer.recommended,
        settled=chosen is answer.recommended,
        leads=chosen is answer.best,
        fastest=fastest if fastest and fastest[1].center < 1 else None,
        in_most=fastest is not None and ways.faster_in_most(fastest[0], chosen),
        simpler=simpler,
        simplest=simplest,
        smaller=_fastest(
            group, ways, chosen, (each for each in members if _is_smaller(each, chosen))
        ),
        reason=reasons.first(chosen),
        hint=hints.of_case(chosen.case),
        runs=ways.runs,
    )


def _is_smaller(one: CaseReport, than: CaseReport) -> bool:
    """Whether it is the same strategy with no parameter larger."""
    return one.case.strategy == than.case.strategy and all(
        value <= than.case.parameters[name] for name, value in one.case.parameters.items()
    )


def _fastest(
    group: GroupReport, ways: Ways, chosen: CaseReport, others: Iterable[CaseReport]
) -> Other | None:
    """The fastest of the others, with its time over that of the choice."""
    # Where that is the best, the ratio is what all outputs show.
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
    strategies. Of a cached file, groups of which nobody knows how it came into the cache come last.
    Where there are several for one workload, in each of which it came so in another way, the choice
    is the simplest way that is good enough in each, or else the one that is least behind where it
    is worst. A language is missing if no group with verdicts covers what is wanted. Ways are
    compared by the replicates of this run, and of all groups in `known` that measured the same and
    may be pooled with it.
    """
    candidates = candidates_of(report, wanted, known)
    return {name: _over_states(report, each) for name, each in candidates.items()}


def candidates_of(
    report: Report, wanted: Wanted, known: Sequence[KnownGroup] = ()
) -> dict[str, list[Candidate]]:
    """The groups that answer, by set."""
    plan = report.run.plan
    found: dict[str, list[Candidate]] = {}
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
            unknown = is_of_unknown_state(group.conditions)
            rank = unknown, apart, -len({each.case.strategy for each in within})
            if len(within) < FEWEST:
                continue
            if ways := ways_of(group, within, comparable, same):
                beyond = len(cases) - len(within)
                candidate = Candidate(rank, group, ways, len(within), beyond)
                found.setdefault(name, []).append(candidate)
    return found


@dataclass(frozen=True)
class Candidate:
    """A group that answers, for one set; the least `rank` is the nearest."""

    rank: tuple[bool, float, int]
    group: GroupReport
    ways: Ways
    within: int
    beyond: int


def _over_states(report: Report, candidates: Sequence[Candidate]) -> Advice:
    """From the nearest group, and those that differ from it in the state of the file alone. Its
    figures are of the usual state, if that is among them.
    """
    nearest = min(candidates, key=lambda each: each.rank)
    by_state: dict[CachedBy | None, Candidate] = {}
    for each in candidates:
        if but_for_state(each.group) == but_for_state(nearest.group):
            by_state.setdefault(each.group.conditions.cached_by, each)
    by_state.pop(None, None)
    of_each = [each.ways.answer for each in by_state.values()]
    over = over_states(of_each, lambda each: (each.case.variant, each.case.setting))
    if len(by_state) < 2 or over is None:
        return _chosen(report, nearest)
    usual = next((each for each in USUAL if each in by_state), next(iter(by_state)))
    place = [*by_state].index(usual)
    unanswered = _unanswered(report, nearest.group, by_state)
    sure = over.kind == "same" and not unanswered
    decided = not unanswered and all(each.recommended for each in of_each)
    return replace(
        _chosen(report, by_state[usual], over.use.cases[place]),
        worst=max(map(SetAnswer.worst, of_each, over.use.cases)),
        sure=sure,
        settled=sure or (over.kind == "turns" and decided),
        over=over,
        states=tuple(state for state in by_state if state),
        unanswered=unanswered,
    )


def _unanswered(
    report: Report, nearest: GroupReport, answered: Collection[CachedBy | None]
) -> tuple[CachedBy, ...]:
    """The other states in which the run measured the same."""
    alike = (each for each in report.groups if but_for_state(each) == but_for_state(nearest))
    states = dict.fromkeys(each.conditions.cached_by for each in alike)
    return tuple(state for state in states if state and state not in answered)


def _chosen(report: Report, of: Candidate, chosen: CaseReport | None = None) -> Advice:
    return choose(report, of.group, of.ways, of.within, of.beyond, chosen)


def but_for_state(group: GroupReport) -> tuple[Workload, Conditions]:
    return group.workload, group.conditions.model_copy(update={"cached_by": None})


def _by_set(group: GroupReport, keys: set[str]) -> dict[str, list[CaseReport]]:
    """The measured cases with these keys, by the set in which they are ranked."""
    found: dict[str, list[CaseReport]] = {each.rank_set: [] for each in group.cases}
    for each in group.cases:
        if each.ns_per_op and not each.failure and each.case.key in keys:
            found[each.rank_set].append(each)
    return found
