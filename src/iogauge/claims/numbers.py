"""Numbers that claims are judged by: of a run, sound or as published, and of the publication's own
tables. All as tables of cases.

What a comparison rests on differs, and its interval says so: replicates and the group's error in a
sound run; repetitions of the procedure, or else its iterations, in one as published; the printed
errors, or else the spread of what was measured twice, in a publication.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.data import by_case
from iogauge.analysis.groupreport import GroupReport
from iogauge.analysis.report import Report
from iogauge.model.case import Case, variant_name
from iogauge.model.workload import Conditions, Workload
from iogauge.runfile.run import Run
from iogauge.statistics import stats
from iogauge.statistics.stats import Comparison, Interval
from iogauge.study.study import PublishedTable, Study

ERROR = 0.05  # of a verdict, where its comparisons rest on repetitions or on what is printed
JMH_CONFIDENCE = 0.999  # of the errors that JMH prints
_FEWEST = 3  # repetitions or iterations
_NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


@dataclass(frozen=True)
class Entry:
    """A case in a table; `ns` per operation. `setting` is the runtime with its options, and
    `measured` the case's report: both None in a publication.
    """

    variant: str
    strategy: str
    parameters: dict[str, int]
    ns: float | None
    setting: str | None = None
    failure: str | None = None
    measured: CaseReport | None = None

    @property
    def sound(self) -> bool:
        """Whether a time is known that is not impossible."""
        return self.ns is not None and not (self.measured and self.measured.impossible)


@dataclass(frozen=True)
class Table:
    """Cases that can be compared. `of_pair` gives time(first) / time(second) of two indexes of
    entries, one of so many comparisons that a claim rests on; None where nothing is known.
    """

    group: str
    entries: tuple[Entry, ...]
    of_pair: Callable[[int, int, int], Comparison | None]
    comparisons: int = 1

    def compare(self, case: int, reference: int) -> Comparison | None:
        """At the error shared by all comparisons: for what one of them alone can say."""
        return self.of_pair(case, reference, self.comparisons)

    def alone(self, case: int, reference: int) -> Comparison | None:
        """At the whole error: for what all of them have to say. Where one is wrong, it says so
        wrongly no more often than that.
        """
        return self.of_pair(case, reference, 1)


@dataclass(frozen=True)
class Cell:
    """A published number, as printed and in ns per operation. `place` is its row: a value of what
    `along` names (`size`, or a parameter).
    """

    table: str
    group: str
    workload: Workload
    conditions: Conditions
    strategy: str
    parameters: dict[str, int]
    along: str | None
    place: int | None
    value: float
    error: float | None
    unit: str
    approximate: bool
    doubtful: bool  # it looks like an outlier: nothing rests on it
    ns: float
    error_ns: float | None

    @property
    def variant(self) -> str:
        return variant_name(self.strategy, self.parameters)

    @property
    def size(self) -> int:
        return self.workload.size


# of the publication


def cells(study: Study) -> list[Cell]:
    """Every published number of a study."""
    return [cell for table in study.published for cell in cells_of(study, table)]


def cells_of(study: Study, table: PublishedTable) -> Iterable[Cell]:
    """Those of one table of it."""
    group = next(each for each in study.group if each.id == table.group)
    for row in table.values:
        place = int(row[0]) if table.along else None
        value, *rest = row[1:] if table.along else row
        error = float(rest[0]) if rest else None
        chosen = {axis: values[0] for axis, values in group.axes().items()}
        parameters = dict(table.parameters)
        if table.along == "size":
            chosen["size"] = place
        elif table.along:
            parameters[table.along] = place
        ns = in_ns(float(value), table.unit)
        yield Cell(
            table=table.table,
            group=group.identifier(chosen),
            workload=Workload(
                operation=group.operation,
                medium=group.medium,
                **{key: chosen[key] for key in ("size", "content", "consume", "accesses", "mode")},
            ),
            conditions=Conditions(
                **{key: chosen[key] for key in ("cache", "durability", "lifetime")}
            ),
            strategy=table.strategy,
            parameters=parameters,
            along=table.along,
            place=place,
            value=float(value),
            error=error,
            unit=table.unit,
            approximate=table.approximate,
            doubtful=place in table.doubtful,
            ns=ns,
            error_ns=None if error is None else ns * error / float(value),
        )


def in_ns(value: float, unit: str) -> float:
    """ns per operation of a number in a published unit."""
    return 1e6 / value if unit == "ops/ms" else value * _NS[unit]


def in_unit(ns: float, unit: str) -> float:
    """The other way round."""
    return 1e6 / ns if unit == "ops/ms" else ns / _NS[unit]


def of_publication(study: Study) -> list[Table]:
    """The published tables, one per group; what is printed twice for one case of a group counts
    with its first number.
    """
    by_group: dict[str, dict[str, Cell]] = defaultdict(dict)
    for cell in cells(study):
        if not cell.doubtful:
            by_group[cell.group].setdefault(cell.variant, cell)
    noise = repeated_spread(study)
    iterations = study.published_protocol.iterations if study.published_protocol else 1
    return [
        _published_table(study, group, list(found.values()), noise, iterations)
        for group, found in by_group.items()
    ]


@dataclass(frozen=True)
class Spread:
    """SD of the log of one number, and its degrees of freedom."""

    sd: float
    degrees: int


def repeated_spread(study: Study) -> Spread | None:
    """How far a publication's own numbers for one thing lie apart, pooled: cells of one case in
    several tables that are alike, and cases that do the same.
    """
    alike = {variant: names[0] for names in study.repeated for variant in names}
    templates = {identifier: group for group in study.group for identifier in group.identifiers()}
    found: dict[tuple[str, int, str], list[float]] = defaultdict(list)
    for cell in cells(study):
        elsewise = str(
            {
                axis: values
                for axis, values in templates[cell.group].axes().items()
                if axis != "size"
            }
        )
        if not cell.doubtful:
            found[alike.get(cell.variant, cell.variant), cell.size, elsewise].append(
                math.log(cell.ns)
            )
    degrees = sum(len(values) - 1 for values in found.values())
    squares = sum(
        (value - statistics.fmean(values)) ** 2 for values in found.values() for value in values
    )
    return Spread(math.sqrt(squares / degrees), degrees) if degrees else None


def _published_table(
    study: Study, group: str, found: list[Cell], noise: Spread | None, iterations: int
) -> Table:
    from scipy.stats import t

    entries = tuple(Entry(cell.variant, cell.strategy, cell.parameters, cell.ns) for cell in found)

    def compare(case: int, reference: int, comparisons: int) -> Comparison | None:
        a, b = found[case], found[reference]
        center, sure = math.log(a.ns / b.ns), 1 - ERROR / comparisons / 2
        if a.error_ns is not None and b.error_ns is not None and iterations > 1:
            quantile = t.ppf(0.5 + JMH_CONFIDENCE / 2, iterations - 1)
            half = (
                t.ppf(sure, iterations - 1)
                * math.hypot(a.error_ns / a.ns, b.error_ns / b.ns)
                / quantile
            )
        elif noise and not (a.approximate or b.approximate):
            half = t.ppf(sure, noise.degrees) * noise.sd * math.sqrt(2)
        elif a.approximate or b.approximate:
            half = math.log(3.0)  # an order of magnitude, rounded
        else:
            half = math.inf
        return stats.as_comparison(
            case,
            reference,
            Interval(center, center - half, center + half, 1),
            0.0,
            math.log1p(study.precision),
        )

    return Table(group, entries, compare)


# of a run


def of_run(report: Report) -> list[Table]:
    """One table per group, failed cases included."""
    plan, tables = report.run.plan, []
    for group in report.groups:
        data, reports = group.data, {each.case.key: each for each in group.cases}
        cases = [number for number in data.group.cases if number != data.group.twin]
        entries = tuple(
            _entry(plan.cases[number], reports[plan.cases[number].key]) for number in cases
        )
        columns = [data.column(number) for number in cases]
        compare = (
            _as_published(report.run, group, columns)
            if plan.published
            else _soundly(group, columns)
        )
        tables.append(Table(group.id, entries, compare))
    return tables


def _entry(case: Case, found: CaseReport) -> Entry:
    level = found.ns_per_op.center if found.ns_per_op else None
    return Entry(
        case.variant, case.strategy, case.parameters, level, case.setting, found.failure, found
    )


def _soundly(
    group: GroupReport, columns: list[int]
) -> Callable[[int, int, int], Comparison | None]:
    """At the error of the group, whose family holds every pair. Of a settled case there are a few
    replicates only: what is far from it in each of them is settled too.
    """
    data, judgement = group.data, group.judgement
    settled = [
        each
        for each in (
            *judgement.versus_baseline,
            *judgement.versus_language,
            *judgement.versus_overall.values(),
        )
        if each and each.settled
    ]
    known = {(each.case, each.reference): each for each in (*map(_inverse, settled), *settled)}
    baseline, unusable = data.column(data.group.baseline), set(data.unusable)

    def far(case: int, reference: int) -> Comparison | None:
        if not {case, reference} & set(judgement.settled):
            return None
        ratio = settled[0].lo
        for a, b, turn in ((case, reference, lambda found: found), (reference, case, _inverse)):
            found = stats.far(stats.paired_log_ratios(data.log_ns, a, b, baseline), a, b, ratio)
            if found:
                return turn(found)
        return None

    def compare(case: int, reference: int, _: int) -> Comparison | None:
        pair = columns[case], columns[reference]
        found = (
            known.get(pair)
            or far(*pair)
            or stats.compare(data.log_ns, *pair, baseline, judgement, group.precision)
        )
        if found is None:
            return None
        if group.suspended or group.provisional or unusable & set(pair):
            return _unsure(found)
        if (
            found.outcome == "undecided" and not found.lo <= 1 <= found.hi
        ):  # it is below the noise floor
            return replace(found, lo=min(found.lo, 1.0), hi=max(found.hi, 1.0))
        return found

    return compare


def _inverse(found: Comparison) -> Comparison:
    """The same comparison, the other way round."""
    turned = {"faster": "slower", "slower": "faster"}.get(found.outcome, found.outcome)
    center, lo, hi = (1 / each if each else math.inf for each in (found.center, found.hi, found.lo))
    return replace(
        found,
        case=found.reference,
        reference=found.case,
        center=center,
        lo=lo,
        hi=hi,
        outcome=turned,
    )


def _unsure(found: Comparison) -> Comparison:
    """No verdict may rest on it."""
    return replace(found, lo=0.0, hi=math.inf, outcome="undecided", final=False, settled=False)


def _as_published(
    run: Run, group: GroupReport, columns: list[int]
) -> Callable[[int, int, int], Comparison | None]:
    data, rows = group.data, by_case(run)
    iterations = [np.log(run.columns.levels[rows[case]]) for case in data.group.cases]  # by column

    def compare(case: int, reference: int, comparisons: int) -> Comparison | None:
        a, b = columns[case], columns[reference]
        ratios = data.log_ns[:, 0, a] - data.log_ns[:, 0, b]
        ratios = ratios[np.isfinite(ratios)]
        if not len(ratios):
            return None
        if len(ratios) >= _FEWEST:
            found = stats.interval(ratios, ERROR / comparisons)
        elif min(len(iterations[a]), len(iterations[b])) >= _FEWEST:
            found = _of_iterations(
                iterations[a], iterations[b], float(ratios.mean()), ERROR / comparisons
            )
        else:
            found = Interval(float(ratios.mean()), -math.inf, math.inf, len(ratios))
        blur = float(data.blur[a] + data.blur[b])
        found = Interval(found.center, found.lo - blur, found.hi + blur, found.n)
        compared = stats.as_comparison(case, reference, found, 0.0, math.log1p(group.precision))
        return compared if run.complete else _unsure(compared)

    return compare


def _of_iterations(a: np.ndarray, b: np.ndarray, center: float, error: float) -> Interval:
    """Welch's interval, the iterations taken as independent, as the authors' tool does: what one
    process cannot show is not in it.
    """
    from scipy.stats import ttest_ind

    bounds = ttest_ind(a, b, equal_var=False).confidence_interval(1 - error)
    half = (bounds.high - bounds.low) / 2
    return Interval(center, center - half, center + half, min(len(a), len(b)))


def iterations_of(run: Run) -> dict[str, np.ndarray]:
    """By the key of a case, ns per operation of each of its iterations: of a run as published whose
    protocol iterates, nothing of others.
    """
    if not run.plan.published or run.plan.published.iterations < _FEWEST:
        return {}
    return {
        case.key: run.columns.levels[rows]
        for case, rows in zip(run.plan.cases, by_case(run), strict=True)
    }


def printed_error(ns: np.ndarray, unit: str) -> float | None:
    """What JMH prints beside a mean, in a published unit: half of the 99.9 % interval over
    iterations, these taken as independent.
    """
    from scipy.stats import t

    if len(ns) < _FEWEST:
        return None
    values = [in_unit(float(each), unit) for each in ns]
    return float(
        t.ppf(0.5 + JMH_CONFIDENCE / 2, len(values) - 1)
        * statistics.stdev(values)
        / math.sqrt(len(values))
    )


def measured_beside(cell: Cell, report: Report) -> list[CaseReport]:
    """The cases of a run that measured what a published number is of, one per setting."""
    return [
        case
        for group in report.groups
        if group.id == cell.group
        for case in group.cases
        if (case.case.strategy, case.case.parameters) == (cell.strategy, cell.parameters)
    ]
