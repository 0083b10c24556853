"""Run → Report: everything that outputs show, computed once, without any formatting of tables or
pages.

Outputs render a Report and compute nothing. Numbers are ns, bytes, fractions and ratios time(case)
/ time(reference).
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from iogauge.analysis import caveats, data, disturbance, groupreport, spans
from iogauge.analysis.casereport import Samples
from iogauge.analysis.disturbance import Disturbance
from iogauge.analysis.groupreport import GroupReport
from iogauge.analysis.spans import SpanReport
from iogauge.runfile.dataset import SOURCES, Dataset, KnownGroup, KnownRun, distinct_cases
from iogauge.runfile.header import identity, pool_key
from iogauge.runfile.run import Run

_LATEST = 3  # replicates show what one costs
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
        """Cases that failed, A/A controls among them."""
        reasons = [
            reason
            for group in self.groups
            for reason in (group.control_failure, *(case.failure for case in group.cases))
        ]
        return sum(1 for reason in reasons if reason)

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

    @property
    def of_arrays(self) -> list[str]:
        """Its caveats on processors for which the place of an array in memory matters."""
        return caveats.noted(self.run, "slow-alignment")

    @cached_property
    def dataset(self) -> Dataset:
        """What was measured, to be compared with other runs."""
        return _dataset(self.run, self.groups)


def make(run: Run) -> Report:
    """The report of a run, also of one that is not over."""
    groups = data.all_data(run)
    columns, voids = run.columns, defaultdict[int, list[str]](list)  # their reasons, by case
    for row in np.flatnonzero(columns.void):
        voids[int(columns.case[row])].append(columns.reasons[columns.void[row] - 1])
    measured = Samples(data.by_case(run), voids)
    # Two pools, because the threads of groups wait for those of their cases.
    with ThreadPoolExecutor(_THREADS) as of_cases, ThreadPoolExecutor(_THREADS) as threads:
        observed = threads.submit(disturbance.observe, run, groups)
        reports = tuple(
            threads.map(
                lambda index: groupreport.make(run, index, groups[index], measured, of_cases),
                range(len(groups)),
            )
        )
        disturbed = observed.result()
    says = (*caveats.of_run(run), *disturbance.caveats(disturbed))
    return Report(run, reports, spans.make(run, reports), disturbed, says)


def _dataset(run: Run, groups: Sequence[GroupReport]) -> Dataset:
    """Every valid value of the run, group after group. Cases that no comparison may use have none,
    nor have controls.
    """
    published = run.plan.published is not None
    known = KnownRun(identity(run.header), pool_key(run.header), published)
    cases, numbers = distinct_cases(run.plan.cases)
    none = np.array([], dtype=np.int32)
    described, columns = [], [(none, none, none, none, np.array([]))]  # so that there are some
    for index, group in enumerate(groups):
        data, planned = group.data, group.data.group
        usable = {  # the number of each case that may be compared, by its column
            column: int(numbers[case])
            for column, case in enumerate(planned.cases)
            if case != planned.control and column not in data.unusable
        }
        of = (group.id, group.workload, group.conditions, int(numbers[planned.baseline]))
        described.append(KnownGroup(0, *of, group.has_verdicts, tuple(usable.values())))
        log_ns = data.log_ns[:, :, [*usable]]
        replicate, number, column = np.nonzero(np.isfinite(log_ns))
        columns.append(
            (
                np.full(len(column), index, dtype=np.int32),
                np.array([*usable.values()], dtype=np.int32)[column],
                np.array(data.replicates, dtype=np.int32)[replicate],
                number.astype(np.int32),
                log_ns[replicate, number, column],
            )
        )
    of_group, case, replicate, round_, log_ns = map(np.concatenate, zip(*columns, strict=True))
    source = np.full(len(log_ns), SOURCES.index("measured"), dtype=np.int8)
    rows = (of_group, case, replicate, round_, log_ns, source)
    return Dataset((known,), tuple(described), cases, *rows)
