"""Replicates of several runs that measured the same, taken together."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from iogauge.advice.covering import FEWEST
from iogauge.analysis.groupreport import GroupReport
from iogauge.analysis.report import Report
from iogauge.claims.comparable import Comparable
from iogauge.runfile.header import Header
from iogauge.runfile.pooling import pool_key, poolable_runtimes
from iogauge.statistics.best import error_at
from iogauge.statistics.comparing import Comparison, paired_log_ratios
from iogauge.statistics.intervals import interval
from iogauge.statistics.looks import family_size

_LARGEST_LOG = 700.0

Typical = Callable[[int, int], float | None]
"""The typical time of a case over that of a reference, by their indexes among the entries of a
Comparable. None if they have no replicate in common.
"""


@dataclass(frozen=True)
class Replicates:
    """The replicates of a group in one run: log_ns, shape (R, K, C), the column of each case by its
    key, and the column of the baseline.
    """

    log_ns: NDArray[np.float64]
    columns: dict[str, int]
    baseline: int

    @classmethod
    def of(
        cls, report: Report, group: GroupReport, runtimes: Collection[str] | None = None
    ) -> Replicates:
        """Leaves out cases that may not be compared, and those of other `runtimes`, where these are
        given.
        """
        data, cases = group.data, report.run.plan.cases
        usable = [
            case
            for case in data.group.cases
            if case != data.group.twin and data.column(case) not in data.unusable
        ]
        return cls(
            data.log_ns,
            {
                cases[case].key: data.column(case)
                for case in usable
                if runtimes is None or cases[case].runtime in runtimes
            },
            data.column(data.group.baseline),
        )

    def log_ratios(self, case: str, reference: str) -> NDArray[np.float64]:
        """The log ratios of two cases, given by key, one for each replicate that has both."""
        if not {case, reference} <= self.columns.keys():
            return np.array([])
        found = paired_log_ratios(
            self.log_ns, self.columns[case], self.columns[reference], self.baseline
        )
        return found[np.isfinite(found)]


def identity(header: Header) -> tuple[str, str, object]:
    """What all copies of a run have in common, whatever their files are called."""
    return header.id, header.started, header.host.get("identity")


def the_same(report: Report, group: GroupReport, others: Sequence[Report]) -> list[Replicates]:
    """The replicates of other runs that measured the same cases as this group.

    Only runs that may be pooled count, and only one of several copies of a run.
    """
    asked, key = (group.workload, group.conditions), pool_key(report.run.header)
    distinct = {identity(each.run.header): each for each in reversed((report, *others))}
    return [
        found
        for other in reversed(distinct.values())
        if other is not report
        and not other.run.plan.published
        and (runtimes := poolable_runtimes(key, pool_key(other.run.header)))
        for each in other.groups
        if (each.workload, each.conditions) == asked and each.has_verdicts
        if len((found := Replicates.of(other, each, runtimes)).columns) >= FEWEST
    ]


def together(comparable: Comparable, same: list[Replicates]) -> Comparable:
    """The same cases, compared by the replicates of several runs.

    The ratio of a replicate is its own, whenever it was measured, so replicates can be pooled. With
    k runs a pair gets the error of one run's pair divided by k (k + 1): however often a run is
    added and looked at, all these looks together add half of the error of the first run.
    """
    pairs = family_size(len(same[0].columns))

    def of_pair(case: int, reference: int, comparisons: int) -> Comparison | None:
        alone = comparable.of_pair(case, reference, comparisons)
        ratios = _log_ratios(comparable, same, case, reference)
        if alone is None or alone.settled or len(ratios) <= alone.replicates:
            return alone
        found = interval(ratios, float(error_at(len(ratios))) / pairs)
        return Comparison(
            alone.case,
            alone.reference,
            center=_ratio(found.center),
            lo=_ratio(found.lo),
            hi=_ratio(found.hi),
            replicates=found.n,
            outcome="undecided",
            final=False,
        )

    return replace(comparable, of_pair=of_pair)


def medians(comparable: Comparable, same: Sequence[Replicates]) -> Typical:
    """Compares by the median of all replicates.

    The centre of the interval would not do: with few replicates it is a mean, which a single slow
    replicate can decide.
    """

    def typical(case: int, reference: int) -> float | None:
        ratios = _log_ratios(comparable, same, case, reference)
        if len(ratios):
            return _ratio(float(np.median(ratios)))
        found = comparable.compare(case, reference)  # too few samples of one of them are valid
        return None if found is None else found.center

    return typical


def _log_ratios(
    comparable: Comparable, same: Sequence[Replicates], case: int, reference: int
) -> NDArray[np.float64]:
    keys = [next(iter(comparable.entries[each].keys), "") for each in (case, reference)]
    return np.concatenate([each.log_ratios(keys[0], keys[1]) for each in same])


def _ratio(log_ratio: float) -> float:
    return math.exp(min(log_ratio, _LARGEST_LOG))
