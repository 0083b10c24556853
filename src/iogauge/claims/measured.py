"""The cases of a run, and how to compare them.

A comparison in a sound run rests on replicates and on the error of its group. In a run as published
it rests on repetitions of the whole procedure, or else on iterations.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.data import by_case
from iogauge.analysis.groupreport import GroupReport
from iogauge.analysis.report import Report
from iogauge.claims.comparable import Comparable, Compare, Entry
from iogauge.claims.printed import ERROR, JMH_CONFIDENCE, Cell, in_unit
from iogauge.decision.comparison import Comparison, as_comparison
from iogauge.decision.group import compare as compare_in_group
from iogauge.runfile.run import Run
from iogauge.statistics import intervals, paired
from iogauge.statistics.intervals import Interval
from iogauge.statistics.special import students_t

_FEWEST = 3  # repetitions or iterations

Array = NDArray[np.float64]


def comparables(report: Report) -> list[Comparable]:
    """One Comparable per group of the report, in the same order. It includes failed cases, but not
    the A/A control.
    """
    plan, made = report.run.plan, []
    for group in report.groups:
        data, reports = group.data, {each.case.key: each for each in group.cases}
        cases = [number for number in data.group.cases if number != data.group.control]
        entries = tuple(_entry(reports[plan.cases[number].key]) for number in cases)
        columns = [data.column(number) for number in cases]
        made.append(
            Comparable(
                group.id,
                entries,
                _as_published(report.run, group, columns)
                if plan.published
                else _soundly(group, columns),
            )
        )
    return made


def _entry(found: CaseReport) -> Entry:
    case, level = found.case, found.ns_per_op.center if found.ns_per_op else None
    ran = case.setting, found.failure, found, case.runtime
    return Entry(case.variant, case.strategy, case.parameters, level, *ran)


# a sound run


def _soundly(group: GroupReport, columns: list[int]) -> Compare:
    """Compares at the error of the group, which is shared by every pair already."""
    decision, unusable = group.decision, set(group.data.unusable)

    def compare(case: int, reference: int, _: int) -> Comparison | None:
        pair = columns[case], columns[reference]
        if unusable & set(pair):
            return _of_no_use(group.data.log_ns, *pair)
        found = compare_in_group(decision, *pair, group.precision)
        if found is None:
            return None
        if group.suspended or group.provisional:
            return _unsure(found)
        if found.outcome == "undecided":  # below the noise floor
            return replace(found, lo=min(found.lo, 1.0), hi=max(found.hi, 1.0))
        return found

    return compare


def _of_no_use(log_ns: Array, case: int, reference: int) -> Comparison | None:
    """The typical ratio of a pair that nothing may rest on; None if nothing was measured."""
    ratios = paired.paired_log_ratios(log_ns, case, reference, None)
    ratios = ratios[np.isfinite(ratios)]
    if not len(ratios):
        return None
    center = math.exp(float(np.median(ratios)))
    return Comparison(case, reference, center, 0.0, math.inf, len(ratios), "undecided", False)


def _unsure(found: Comparison) -> Comparison:
    """The comparison without bounds, so that no verdict can rest on it."""
    return replace(found, lo=0.0, hi=math.inf, outcome="undecided", final=False, eliminated=False)


# a run as published


def _as_published(run: Run, group: GroupReport, columns: list[int]) -> Compare:
    """Compares by repetitions of the procedure if there are enough of them, else by iterations."""
    data, rows = group.data, by_case(run)
    iterations = [np.log(run.columns.levels[rows[case]]) for case in data.group.cases]  # by column

    def compare(case: int, reference: int, comparisons: int) -> Comparison | None:
        a, b = columns[case], columns[reference]
        ratios = data.log_ns[:, 0, a] - data.log_ns[:, 0, b]
        ratios = ratios[np.isfinite(ratios)]
        if not len(ratios):
            return None
        center = float(ratios.mean())
        if len(ratios) >= _FEWEST:
            found = intervals.interval(ratios, ERROR / comparisons)
        elif min(len(iterations[a]), len(iterations[b])) >= _FEWEST:
            found = _of_iterations(iterations[a], iterations[b], center, ERROR / comparisons)
        else:
            found = Interval(center, -math.inf, math.inf, len(ratios))
        clock_error = float(data.clock_error[a] + data.clock_error[b])
        found = Interval(found.center, found.lo - clock_error, found.hi + clock_error, found.n)
        compared = as_comparison(case, reference, found, 0.0, math.log1p(group.precision))
        return compared if run.complete else _unsure(compared)

    return compare


def _of_iterations(a: Array, b: Array, center: float, error: float) -> Interval:
    """Welch's interval over iterations, shape (n,) each.

    It treats iterations as independent, as the authors' tool does. The spread between processes is
    not in it.
    """
    parts = np.array([each.var(ddof=1) / len(each) for each in (a, b)])
    degrees = parts.sum() ** 2 / (parts**2 / np.array([len(a) - 1, len(b) - 1])).sum()
    half = float(students_t(degrees, error) * math.sqrt(parts.sum()))
    return Interval(center, center - half, center + half, min(len(a), len(b)))


def iterations_of(run: Run) -> dict[str, Array]:
    """ns per operation of each iteration, by the key of the case.

    Empty unless the run is as published and its protocol has iterations.
    """
    if not run.plan.published or run.plan.published.iterations < _FEWEST:
        return {}
    return {
        case.key: run.columns.levels[rows]
        for case, rows in zip(run.plan.cases, by_case(run), strict=True)
    }


def printed_error(ns: Array, unit: str) -> float | None:
    """The error that JMH would print beside the mean of these iterations, in a published unit.

    It is half of the 99.9 % interval over iterations, taken as independent. None for fewer than
    three iterations.
    """
    if len(ns) < _FEWEST:
        return None
    values = [in_unit(float(each), unit) for each in ns]
    quantile = students_t(len(values) - 1, 1 - JMH_CONFIDENCE)
    return float(quantile * statistics.stdev(values) / math.sqrt(len(values)))


def measured_beside(cell: Cell, report: Report) -> list[CaseReport]:
    """The cases of a run that measured the same as a published number, one for each setting."""
    return [
        case
        for group in report.groups
        if group.id == cell.group
        for case in group.cases
        if (case.case.strategy, case.case.parameters) == (cell.strategy, cell.parameters)
    ]
