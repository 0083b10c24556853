"""Run → Report: everything that outputs show, computed once, without any formatting of tables or
pages.

Outputs render a Report and compute nothing. Numbers are ns, bytes, fractions and ratios time(case)
/ time(reference).
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from iogauge.analysis import caveats, data, disturbance, groupreport, judging, spans, unread
from iogauge.analysis.casereport import Samples
from iogauge.analysis.disturbance import Disturbance
from iogauge.analysis.groupreport import GroupReport, VersionPair
from iogauge.analysis.spans import SpanReport
from iogauge.decision.versions import GateKind, gate_of
from iogauge.runfile.dataset import KnownGroup
from iogauge.runfile.run import Run

_LATEST = 3  # replicates show what one costs
SLACK = 1.2
"""A replicate is begun only if the slower of the last two would fit, too: more time by this."""
# NumPy lets others work while it does; each thread holds the samples of a case.
_THREADS = min(4, os.cpu_count() or 1)


@dataclass(frozen=True)
class Report:
    run: Run
    groups: tuple[GroupReport, ...]
    spans: tuple[SpanReport, ...]
    disturbance: Disturbance
    caveats: tuple[str, ...]

    @property
    def failures(self) -> int:
        """Cases that failed, A/A controls among them; of those that read nothing of the file only a
        group where all are such.
        """
        failed = sum(
            bool(case.failure) and not case.unread for group in self.groups for case in group.cases
        )
        controls = sum(bool(group.control_failure) for group in self.groups)
        return failed + controls + sum(group.is_unread for group in self.groups)

    def seconds_until(self, goals: Mapping[int, int]) -> float:
        """How long it takes until each of these groups, by its index, has so many replicates, and
        one more at least. What else is open is measured as often meanwhile, and groups of one
        bundle in one go.
        """
        last, seconds = max(goals.values(), default=0), 0.0
        across = {group.id for span in self.spans if span.next_step for group in span.groups}
        for number, bundle in enumerate(self.run.plan.bundles):
            more = [
                max(int(each in goals), goals.get(each, last) - self.groups[each].replicates)
                for each in bundle.groups
                if each in goals or self.groups[each].undecided or self.groups[each].id in across
            ]
            costs = [one.seconds for one in self.run.replicates if one.bundle == number][-_LATEST:]
            if costs:
                seconds += max([0, *more]) * sum(costs) / len(costs)
        return seconds

    def budget(self, group: GroupReport, replicates: int | None) -> float | None:
        """Seconds in all, with those of this run, until one of its groups has so many replicates;
        None where these are not known, as where time is not likely to help.
        """
        if replicates is None:
            return None
        place = next(place for place, each in enumerate(self.groups) if each is group)
        return self.run.seconds + SLACK * self.seconds_until({place: replicates})

    @property
    def versions(self) -> list[tuple[GroupReport, VersionPair]]:
        """Every pair of two versions, where these are the question, with its group."""
        return [(group, pair) for group in self.groups for pair in group.versions]

    @property
    def gate(self) -> GateKind | None:
        """Whether the new version is slower than is allowed; None where nobody asked that."""
        asked = self.run.plan.versions
        if asked is None or asked.max_slowdown is None:
            return None
        return gate_of(pair.kind for _, pair in self.versions)

    @property
    def of_arrays(self) -> list[str]:
        """Its caveats on processors for which the place of an array in memory matters."""
        return caveats.noted(self.run, "slow-alignment")

    @cached_property
    def dataset(self) -> tuple[KnownGroup, ...]:
        """What was measured, to be compared with other runs."""
        return tuple(_known(self.run, group) for group in self.groups)


def make(run: Run) -> Report:
    """The report of a run, also of one that is not over."""
    none = unread.cases(run)
    groups = data.all_data(run, none)
    decisions = judging.decisions(run, groups, last=run.complete)
    columns, voids = run.columns, defaultdict[int, list[str]](list)  # their reasons, by case
    for row in np.flatnonzero(columns.void):
        voids[int(columns.case[row])].append(columns.reasons[columns.void[row] - 1])
    measured = Samples(data.by_case(run), voids, none)
    # Two pools, because the threads of groups wait for those of their cases.
    with ThreadPoolExecutor(_THREADS) as of_cases, ThreadPoolExecutor(_THREADS) as threads:
        observed = threads.submit(disturbance.observe, run, groups)
        reports = tuple(
            threads.map(
                lambda group, decision: groupreport.make(run, group, decision, measured, of_cases),
                groups,
                decisions,
            )
        )
        disturbed = observed.result()
    says = (*caveats.of_run(run), *disturbance.caveats(disturbed))
    return Report(run, reports, spans.make(run, reports), disturbed, says)


def _known(run: Run, group: GroupReport) -> KnownGroup:
    """The valid values of a group. Controls and what no comparison may use are not compared."""
    cases, planned = run.plan.cases, group.data.group
    return KnownGroup(
        run=run.header,
        id=group.id,
        workload=group.workload,
        conditions=group.conditions,
        baseline=cases[planned.baseline].key,
        verdicts=group.has_verdicts,
        cases=tuple(
            cases[case]
            for column, case in enumerate(planned.cases)
            if case != planned.control and column not in group.data.unusable
        ),
        columns={cases[case].key: column for column, case in enumerate(planned.cases)},
        log_ns=group.data.log_ns,
    )
