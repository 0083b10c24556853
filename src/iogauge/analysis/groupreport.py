"""The report of a group: one question and its answer."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from iogauge.analysis import casereport, ceilings, evidence, forks, judging
from iogauge.analysis.casereport import CaseReport, Samples
from iogauge.analysis.ceilings import Ceiling
from iogauge.analysis.data import GroupData
from iogauge.decision import next_steps, repeats, sets
from iogauge.decision.comparison import Comparison
from iogauge.decision.group import GroupDecision
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.decision.next_steps import NextStep
from iogauge.decision.verdict import (
    CaseVerdict,
    SetAnswer,
    SetVerdict,
    answer_of,
    verdict_of,
    verdict_on_first,
    verdict_on_other,
)
from iogauge.decision.versions import VersionDecision, VersionKind, kind_with_failures
from iogauge.host.folios import LARGE, SMALL
from iogauge.model.case import Case, worth_showing
from iogauge.model.plan import Group
from iogauge.model.strategy import set_name
from iogauge.model.workload import Conditions, Workload, in_several_states
from iogauge.runfile.arrays import Floats
from iogauge.runfile.run import Run
from iogauge.statistics import quantiles


@dataclass(frozen=True)
class Across:
    """One variant on two runtimes, or in two groups of a span: `comparison` is time(case) /
    time(reference).
    """

    case: Case
    reference: Case
    comparison: Comparison


@dataclass(frozen=True)
class VersionPair:
    """A way in two versions. `found` is None where one of them failed."""

    old: CaseReport
    new: CaseReport
    found: VersionDecision | None

    @property
    def kind(self) -> VersionKind:
        kind = self.found.kind if self.found else "undecided"
        return kind_with_failures(kind, old=bool(self.old.failure), new=bool(self.new.failure))

    @property
    def comparison(self) -> Comparison | None:
        """time(new) / time(old)"""
        return self.found.comparison if self.found else None


@dataclass(frozen=True)
class GroupReport:
    """One question and its answer. `cases` are sorted fastest of its set first, failed ones last;
    the control is not among them.

    `best_of` is by set, `sets` begins with the set of the best of all, and `vs_overall` compares
    the best of each set with it (None for that one itself). `ceiling` is for one thread,
    `ceiling_of_threads` for as many as work best. `resident_before` is the smallest and the largest
    share observed before valid samples, and `folio_bytes` the median of how large the folios were.
    `of_states`: the run has files that came into the cache in several ways. `all_alike`: it was to
    have some, but they are all alike here.
    """

    id: str
    question: str
    title: str
    workload: Workload
    conditions: Conditions
    baseline: str  # key
    record_bytes: int | None  # None where the workload has no records
    records_per_operation: int | None
    cases: tuple[CaseReport, ...]
    sets: tuple[str, ...]
    best_of: dict[str, CaseReport]
    answers: dict[str, SetAnswer[CaseReport]]  # of sets with data
    vs_overall: dict[str, Comparison | None]
    across: tuple[Across, ...]
    ceiling: Ceiling | None
    ceiling_of_threads: Ceiling | None
    replicates: int
    precision: float
    tolerance: float
    noise_floor: float | None
    control: Comparison | None
    control_failure: str | None
    suspended: bool
    provisional: bool  # the run is not over: preliminary, no verdicts
    undecided: int  # answers, and pairs, about which more replicates could say something
    open_pairs: tuple[Comparison, ...]  # of all pairs, where these are asked for
    replicates_needed: int | None
    resident_before: tuple[float, float] | None
    samples: int
    data: GroupData  # what all this rests on,
    decision: GroupDecision  # and how it was judged
    language_names: Mapping[str, str] = field(default_factory=dict)
    of_states: bool = False
    folio_bytes: int | None = None
    all_alike: bool = False
    versions: tuple[VersionPair, ...] = ()

    @property
    def is_in_other_folios(self) -> bool:
        """Whether the file was seen in folios of another kind than its way into the cache is to
        leave: large writes large ones; small writes and reads at random small ones.
        """
        seen, by = self.folio_bytes, self.conditions.cached_by
        if seen is None or self.conditions.cache != "warm" or self.all_alike:
            return False
        if by == "write-large":
            return seen < LARGE <= self.workload.size
        return by in ("write-small", "read-random") and seen > SMALL

    def answer_of(self, cases: Collection[CaseReport]) -> SetAnswer[CaseReport] | None:
        """The answer of a set that has these of its cases only, by the same rule: a case that is
        recommended in one output is so in all. None without data.
        """
        by_column = {each.column: each for each in cases}
        members = sorted(sorted(by_column), key=lambda column: by_column[column].simplicity)
        found = sets.among(
            self.decision.pairs,
            members,
            self.decision.comparisons_with_best,
            self.tolerance,
            self.data.column(self.data.group.baseline),
            self.data.control,
        )
        return answer_of(found, members, by_column, self.tolerance)

    def set_of(self, name: str) -> tuple[str, str | None]:
        """Which language the set of this name has, and which runtime, where it has only one."""
        case = self.members[name][0].case
        return case.language, None if name == case.language else case.setting

    def called(self, name: str) -> str:
        """What people call a set: `C++`, or `Java (17.0.15)`."""
        return set_name(*self.set_of(name), self.language_names)

    def is_version(self, name: str) -> bool:
        """Whether a set is one of several runtimes of its language."""
        return self.set_of(name)[1] is not None

    def name_of(self, case: CaseReport) -> str:
        """The case for people: its call, with the parameters in which cases of its set differ."""
        return case.display(self._shown[case.rank_set])

    @cached_property
    def members(self) -> dict[str, list[CaseReport]]:
        """The cases of each set, that of the best of all first; sets without data come last."""
        members: dict[str, list[CaseReport]] = {name: [] for name in self.sets}
        for each in self.cases:
            members.setdefault(each.rank_set, []).append(each)
        return members

    @cached_property
    def _shown(self) -> dict[str, set[str]]:
        """The parameters that tell the cases of each set apart."""
        return {
            name: worth_showing((each.case, each.strategy) for each in cases)
            for name, cases in self.members.items()
        }

    @cached_property
    def verdicts(self) -> tuple[SetVerdict[CaseReport], ...]:
        """One per set: by name where each has several cases to choose from, else the set of the
        best case first; those without data last.
        """
        names = list(self.members)
        if all(len(answer.members) > 1 for answer in self.answers.values()):
            names.sort(key=lambda name: (name not in self.answers, name))
        return tuple(
            self.verdict_among(name, self.members[name], self.answers.get(name)) for name in names
        )

    def verdict_among(
        self, name: str, cases: Sequence[CaseReport], answer: SetAnswer[CaseReport] | None
    ) -> SetVerdict[CaseReport]:
        """On a set that has these of its cases only, of which the answer is known."""
        return verdict_of(
            name,
            cases,
            answer,
            suspended=self.suspended,
            usable=self.has_verdicts,
            pending=self.provisional and not self.samples,
        )

    def verdict_on(self, name: str) -> CaseVerdict:
        """What the best of a set costs against the best of all."""
        first, *others = self.sets
        if name == first:
            compared = [self.vs_overall.get(each) for each in others]
            return verdict_on_first(compared, provisional=self.provisional)
        return verdict_on_other(self.vs_overall.get(name), self.tolerance)

    @property
    def next_step(self) -> NextStep | None:
        """What would decide the group; None where nothing is open, or nothing can be decided."""
        if not (self.has_verdicts and not self.provisional and self.undecided and self.replicates):
            return None
        if self.versions:
            return next_steps.of_span(self.replicates_needed)
        return next_steps.of_group(
            [*self.answers.values()],
            self.open_pairs,
            self.vs_overall.values(),
            self.replicates_needed,
        )

    @property
    def one_each(self) -> bool:
        """Whether each of several sets has one case, so that only the sets can be compared."""
        return len(self.answers) > 1 and all(
            len(each.members) == 1 for each in self.answers.values()
        )

    @property
    def compares_sets(self) -> bool:
        """Whether the question is how the best of each set compares with the others, as where
        languages are compared.
        """
        return self.one_each or (self.data.group.compare == "languages" and len(self.sets) > 1)

    @property
    def of_commands(self) -> bool:
        """Whether whole commands are compared."""
        return any(each.strategy.command for each in self.cases)

    @property
    def is_checked(self) -> bool:
        """Whether the cases tell how much they read. Of others none is simpler than another."""
        return all(each.strategy.is_checked for each in self.cases)

    @property
    def is_unread(self) -> bool:
        """Whether no case reads anything of the file."""
        return bool(self.cases) and all(each.unread for each in self.cases)

    @property
    def has_verdicts(self) -> bool:
        """Not where the control differs from the baseline, nor where one of these two is faster
        than the machine.
        """
        return not self.suspended and len(self.data.unusable) < len(self.data.group.cases)


def make(
    run: Run, data: GroupData, decision: GroupDecision, measured: Samples, threads: Executor
) -> GroupReport:
    """Of a group that is decided so; the reports of its cases are made in `threads`."""
    plan, group, over = run.plan, data.group, run.complete
    sets = judging.languages(plan, group)
    cases = _cases(run, data, decision, sets, measured, threads)
    best_of = {each.rank_set: each for each in cases if each.is_best}
    by_column = {each.column: each for each in cases}
    pairs = [] if plan.protocol != "sound" else judging.open_pairs(plan, decision)
    undecided = _undecided(run, decision, pairs)
    needed = repeats.to_decide(decision, plan.precision, plan.tolerance) if undecided else None
    used = np.concatenate([measured.valid[case] for case in group.cases])
    return GroupReport(
        id=group.id,
        question=group.question,
        title=group.title,
        workload=group.workload,
        conditions=group.conditions,
        baseline=plan.cases[group.baseline].key,
        record_bytes=casereport.record_bytes(run, group),
        records_per_operation=casereport.records_per_operation(run, group),
        cases=cases,
        sets=_order(best_of, _first(decision, sets)),
        best_of=best_of,
        answers=_answers(run, group, decision, by_column),
        vs_overall=dict(decision.versus_overall),
        across=tuple(
            Across(
                plan.cases[group.cases[each.case]], plan.cases[group.cases[each.reference]], each
            )
            for each in judging.across_runtimes(plan, data, decision)
        ),
        ceiling=ceilings.of_group(run, group, 1),
        ceiling_of_threads=ceilings.of_group(run, group),
        replicates=len(data.replicates),
        precision=plan.precision,
        tolerance=plan.tolerance,
        noise_floor=decision.noise_floor,
        control=decision.control,
        control_failure=_control_failure(run, group, measured),
        suspended=decision.suspended,
        provisional=not over and not decision.done,
        undecided=undecided,
        open_pairs=tuple(pairs),
        replicates_needed=needed,
        resident_before=_least_and_most(run.columns.resident_before[used]),
        samples=len(used),
        data=data,
        decision=decision,
        language_names=run.header.language_names,
        of_states=in_several_states(each.conditions for each in plan.groups),
        all_alike=any(each.alike for each in plan.skipped),
        folio_bytes=quantiles.middle(run.columns.folio_bytes[used]),
        versions=_versions(group, decision, by_column),
    )


def _answers(
    run: Run, group: Group, decision: GroupDecision, cases: Mapping[int, CaseReport]
) -> dict[str, SetAnswer[CaseReport]]:
    """Of each set with data."""
    simplest_first, tolerance = judging.question(run, group).sets, run.plan.tolerance
    return {
        name: answer
        for name, each in decision.answers.items()
        if (answer := answer_of(each, simplest_first[name], cases, tolerance))
    }


def _versions(
    group: Group, decision: GroupDecision, cases: Mapping[int, CaseReport]
) -> tuple[VersionPair, ...]:
    found = {(each.old, each.new): each for each in decision.versions}
    columns = [tuple(map(group.cases.index, pair)) for pair in group.pairs]
    return tuple(VersionPair(cases[old], cases[new], found.get((old, new))) for old, new in columns)


def _undecided(run: Run, decision: GroupDecision, pairs: Sequence[Comparison]) -> int:
    """None of what another tool measured: no repeat of ours could follow."""
    if run.header.imported:
        return 0
    return len(decision.open) + len(pairs) + sum(each.open for each in decision.versions)


def _least_and_most(shares: Floats) -> tuple[float, float] | None:
    known = shares[~np.isnan(shares)]
    return (float(known.min()), float(known.max())) if len(known) else None


def _control_failure(run: Run, group: Group, measured: Samples) -> str | None:
    """Not where it reads nothing: then its baseline does not either, and says so."""
    if group.control is None or group.control in measured.unread:
        return None
    return measured.failure(run, group.control)


def _cases(
    run: Run,
    data: GroupData,
    decision: GroupDecision,
    sets: list[str],
    measured: Samples,
    threads: Executor,
) -> tuple[CaseReport, ...]:
    """All but the control, in their order."""
    group = data.group
    others = evidence.compute(run, data)
    beside = None if run.plan.protocol != "sound" else forks.others(data)

    def of_column(column: int) -> CaseReport:
        work = others.get(group.cases[column])
        return casereport.make(run, data, decision, column, sets[column], measured, work, beside)

    columns = [column for column, case in enumerate(group.cases) if case != group.control]
    return tuple(sorted(threads.map(of_column, columns), key=casereport.rank))


def _first(decision: GroupDecision, sets: list[str]) -> str | None:
    """The set with the best of all. Few replicates do not tell it: then times alone order them."""
    few = decision.replicates < FEWEST_REPLICATES
    return None if few or decision.best is None else sets[decision.best]


def _order(best_of: dict[str, CaseReport], first: str | None) -> tuple[str, ...]:
    """The sets, the `first` one, if any, then by the time of their best."""

    def key(name: str) -> tuple[bool, float]:
        level = best_of[name].ns_per_op
        return name != first, level.center if level else math.inf

    return tuple(sorted(best_of, key=key))
