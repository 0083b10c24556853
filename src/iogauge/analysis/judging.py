"""Judging the cases of a group: who is the best of which set, and what is still open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from iogauge.analysis import casereport
from iogauge.analysis.data import GroupData
from iogauge.analysis.forks import FEWEST_OTHERS
from iogauge.decision import priors
from iogauge.decision.best import noise_of
from iogauge.decision.comparison import Comparison
from iogauge.decision.group import GroupDecision, GroupQuestion, compare, decide, pivot_of
from iogauge.decision.shrinkage import Noise, Prior, in_run
from iogauge.decision.versions import VersionQuestion
from iogauge.model.plan import Group, Plan
from iogauge.runfile.arrays import Floats
from iogauge.runfile.run import Run
from iogauge.statistics import fork_states, quantiles


def languages(plan: Plan, group: Group) -> list[str]:
    """The set of each case, in which it is to be the best: its language, or its runtime (with
    options) where one language has several.
    """
    cases = [plan.cases[each] for each in group.cases]
    settings: dict[str, set[str]] = {}
    for case in cases:
        settings.setdefault(case.language, set()).add(case.setting)
    return [
        f"{case.language} on {case.setting}" if len(settings[case.language]) > 1 else case.language
        for case in cases
    ]


def question(run: Run, group: Group) -> GroupQuestion:
    """What is asked of a group. Cases are columns of its array, the simplest of a set first: the
    one that takes the least effort to write (see `casereport.simplicity`).
    """
    plan, header = run.plan, run.header

    def simplicity(column: int) -> tuple[int, int, float]:
        case = plan.cases[group.cases[column]]
        return casereport.simplicity(header.declared(case), case)

    sets: dict[str, list[int]] = {}
    for column, name in enumerate(languages(plan, group)):
        if group.cases[column] != group.control:
            sets.setdefault(name, []).append(column)
    return GroupQuestion(
        sets={name: sorted(members, key=simplicity) for name, members in sets.items()},
        baseline=group.cases.index(group.baseline),
        control=None if group.control is None else group.cases.index(group.control),
        precision=plan.precision,
        tolerance=plan.tolerance,
        all_pairs=group.compare == "all" or group.to_the_end or plan.published is not None,
        to_the_end=group.to_the_end or plan.published is not None,
        between_sets=group.compare == "languages",
        versions=versions(run, group),
    )


def versions(run: Run, group: Group) -> VersionQuestion:
    """The pairs of a group, without those of which a case failed. All of a run are one family, with
    those of the other runs that its plan knows of.
    """
    asked, failed = run.plan.versions, run.failed()
    if asked is None:
        return VersionQuestion()
    return VersionQuestion(
        tuple(
            (group.cases.index(pair.old), group.cases.index(pair.new))
            for pair in group.pairs
            if not failed.keys() & {pair.old, pair.new}
        ),
        asked.max_slowdown,
        asked.runs * sum(len(each.pairs) for each in run.plan.groups),
    )


def decisions(run: Run, groups: Sequence[GroupData], *, last: bool) -> list[GroupDecision]:
    """The decisions of the groups of a run, in order; cases in them are columns of the arrays.
    `last`: no more replicates will come. How noisy each group is says something of the others.
    """
    found = [_Judged.of(run, data) for data in groups]
    said = [each.noise for each in found]
    return [
        each.decided(run, last, [other for other in said[:at] + said[at + 1 :] if other])
        for at, each in enumerate(found)
    ]


@dataclass(frozen=True)
class _Judged:
    """A group with what its decision rests on, but for what other groups say."""

    data: GroupData
    log_ns: Floats
    prior: Prior | None
    apart: list[int]

    @classmethod
    def of(cls, run: Run, data: GroupData) -> _Judged:
        log_ns = data.log_ns.copy()
        log_ns[:, :, data.unusable] = np.nan
        return cls(data, log_ns, prior_of(run, data.group), two_states(log_ns))

    @property
    def noise(self) -> Noise | None:
        if self.prior is None or not len(self.log_ns):
            return None
        return noise_of(self.log_ns, pivot_of(self.log_ns, self._baseline), self.prior, self.apart)

    @property
    def _baseline(self) -> int:
        return self.data.column(self.data.group.baseline)

    def decided(self, run: Run, last: bool, others: Sequence[Noise]) -> GroupDecision:
        found = decide(
            self.log_ns,
            question(run, self.data.group),
            in_run(self.prior, others) if self.prior else None,
            apart=self.apart,
            clock_error=self.data.clock_error,
            last=last,
        )
        return found.unjudged() if run.header.imported else found


def prior_of(run: Run, group: Group) -> Prior | None:
    """What is known of the variances of a group before it is measured."""
    cases = (run.plan.cases[case] for case in group.cases)
    ways = [priors.way_of(run.header.declared(case)) for case in cases]
    return priors.with_rounds(run.plan, group, ways)


def decided(run: Run, data: GroupData, *, last: bool) -> GroupDecision:
    """The decision of a group by itself; cases in it are columns of its array."""
    return decisions(run, [data], last=last)[0]


def two_states(log_ns: Floats) -> list[int]:
    """The columns of cases whose forks settled on two levels; log_ns has shape (R, K, C)."""
    levels = quantiles.median(log_ns, axis=1)
    if len(levels) < fork_states.FEWEST_FORKS or levels.shape[1] <= FEWEST_OTHERS:
        return []
    usual = quantiles.median(levels, axis=0)
    machine = quantiles.median(levels - usual, axis=1)
    return [
        column
        for column in range(levels.shape[1])
        if len(fork_states.states(levels[:, column] - machine).centers) > 1
    ]


def across_runtimes(plan: Plan, data: GroupData, decision: GroupDecision) -> list[Comparison]:
    """Each variant on a further runtime compared with the same variant on the first runtime that
    has it; where two versions are the question, these. Cases are columns of the array.
    """
    if plan.versions:
        return [each.comparison for each in decision.versions if each.comparison]
    first: dict[str, int] = {}
    found = []
    for column, number in enumerate(data.group.cases):
        case = plan.cases[number]
        if number == data.group.control or column in data.unusable:
            continue
        reference = first.setdefault(case.variant, column)
        if reference != column:
            found.append(compare(decision, column, reference, plan.precision))
    return [each for each in found if each]


def open_pairs(plan: Plan, decision: GroupDecision) -> list[Comparison]:
    """The pairs about which more replicates could say something."""
    found = (compare(decision, *pair, plan.precision) for pair in decision.open_pairs)
    return [each for each in found if each]


def levels(run: Run, group: int) -> dict[int, float]:
    """The median ns per operation by case, over all valid samples of a group: those of a replicate
    that is not complete are included.
    """
    columns = run.columns
    rows = np.flatnonzero((columns.group == group) & (columns.void == 0))
    return {
        int(case): float(np.median(columns.levels[rows[columns.case[rows] == case]]))
        for case in np.unique(columns.case[rows])
    }
