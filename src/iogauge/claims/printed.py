"""The numbers that a publication printed, and how far they can be trusted."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from iogauge.claims.comparable import Comparable, Entry
from iogauge.decision.comparison import Comparison, as_comparison
from iogauge.model.case import variant_name
from iogauge.model.workload import Conditions, Workload
from iogauge.statistics.intervals import Interval
from iogauge.statistics.special import students_t
from iogauge.study.schema import PublishedTable, Study, resolved

ERROR = 0.05
"""The error of a verdict whose comparisons rest on repetitions or on printed numbers."""

JMH_CONFIDENCE = 0.999
"""The confidence level of the errors that JMH prints."""

_NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
_APPROXIMATE = math.log(3.0)  # a number such as "about 10⁻⁴" is rounded to an order of magnitude


@dataclass(frozen=True)
class Cell:
    """One published number, as printed and in ns per operation.

    `along` names what varies from row to row of its table: `size` or a parameter. `row` is the
    value of it in this row. Both are None in a table with a single number.
    """

    table: str
    group: str
    workload: Workload
    conditions: Conditions
    strategy: str
    parameters: dict[str, int]
    along: str | None
    row: int | None
    value: float
    error: float | None
    unit: str
    approximate: bool
    doubtful: bool  # it looks like an outlier: no comparison uses it
    ns: float
    error_ns: float | None

    @property
    def variant(self) -> str:
        return variant_name(self.strategy, self.parameters)

    @property
    def size(self) -> int:
        return self.workload.size


def cells(study: Study) -> list[Cell]:
    """Every published number of a study."""
    return [cell for table in study.published for cell in cells_of(study, table)]


def cells_of(study: Study, table: PublishedTable) -> Iterator[Cell]:
    """The numbers of one published table."""
    group = next(each for each in study.group if each.id == table.group)
    for values in table.values:
        row = int(values[0]) if table.along else None
        value, *rest = map(float, values[1:] if table.along else values)
        error = rest[0] if rest else None
        chosen = next(group.combinations())
        if table.along == "size":
            chosen["size"] = row
        parameters = {
            name: resolved(extent, chosen["size"]) for name, extent in table.parameters.items()
        }
        if table.along not in (None, "size") and row is not None:
            parameters[table.along] = row
        ns = in_ns(value, table.unit)
        yield Cell(
            table=table.table,
            group=group.identifier(chosen),
            workload=Workload(
                operation=group.operation,
                medium=group.medium,
                **{key: chosen[key] for key in ("size", "content", "consume", "accesses", "mode")},
            ),
            conditions=Conditions(**{key: chosen[key] for key in Conditions.model_fields}),
            strategy=table.strategy,
            parameters=parameters,
            along=table.along,
            row=row,
            value=value,
            error=error,
            unit=table.unit,
            approximate=table.approximate,
            doubtful=row in table.doubtful,
            ns=ns,
            error_ns=None if error is None else ns * error / value,
        )


def in_ns(value: float, unit: str) -> float:
    """ns per operation, from a number in a published unit."""
    return 1e6 / value if unit == "ops/ms" else value * _NS[unit]


def in_unit(ns: float, unit: str) -> float:
    """A number in a published unit, from ns per operation."""
    return 1e6 / ns if unit == "ops/ms" else ns / _NS[unit]


@dataclass(frozen=True)
class Spread:
    """Standard deviation of the log of one number, and its degrees of freedom."""

    sd: float
    degrees: int


def repeated_spread(study: Study) -> Spread | None:
    """How far apart a publication's own numbers for the same thing lie, pooled over all of them.

    Two numbers are for the same thing if they stand in different tables for one case, or if the
    study lists their cases under `repeated`. None if no number was printed twice.
    """
    alike = {variant: names[0] for names in study.repeated for variant in names}
    templates = {identifier: group for group in study.group for identifier in group.identifiers()}
    found: dict[tuple[str, int, str], list[float]] = defaultdict(list)
    for cell in cells(study):
        axes = templates[cell.group].axes()
        elsewise = str({axis: values for axis, values in axes.items() if axis != "size"})
        if not cell.doubtful:
            variant = alike.get(cell.variant, cell.variant)
            found[variant, cell.size, elsewise].append(math.log(cell.ns))
    degrees = sum(len(values) - 1 for values in found.values())
    squares = sum(
        (value - statistics.fmean(values)) ** 2 for values in found.values() for value in values
    )
    return Spread(math.sqrt(squares / degrees), degrees) if degrees else None


def comparables(study: Study) -> list[Comparable]:
    """The published numbers, one Comparable per group.

    If a case has several numbers in a group, the first one counts. Doubtful numbers are left out.
    """
    by_group: dict[str, dict[str, Cell]] = defaultdict(dict)
    for cell in cells(study):
        if not cell.doubtful:
            by_group[cell.group].setdefault(cell.variant, cell)
    noise = repeated_spread(study)
    iterations = study.published_protocol.iterations if study.published_protocol else 1

    def comparable(group: str, found: list[Cell]) -> Comparable:
        def compare(case: int, reference: int, comparisons: int) -> Comparison | None:
            a, b = found[case], found[reference]
            center, half = math.log(a.ns / b.ns), _half_width(a, b, noise, iterations, comparisons)
            interval = Interval(center, center - half, center + half, 1)
            return as_comparison(case, reference, interval, 0.0, math.log1p(study.precision))

        entries = (Entry(each.variant, each.strategy, each.parameters, each.ns) for each in found)
        return Comparable(group, tuple(entries), compare)

    return [comparable(group, list(found.values())) for group, found in by_group.items()]


def _half_width(a: Cell, b: Cell, noise: Spread | None, iterations: int, comparisons: int) -> float:
    """Half of the interval of the log ratio.

    It comes from the printed errors or else from the numbers that were printed twice. It is
    infinite without either.
    """
    error = ERROR / comparisons
    if a.error_ns is not None and b.error_ns is not None and iterations > 1:
        quantile = students_t(iterations - 1, 1 - JMH_CONFIDENCE)
        printed = math.hypot(a.error_ns / a.ns, b.error_ns / b.ns)
        return float(students_t(iterations - 1, error) * printed / quantile)
    if a.approximate or b.approximate:
        return _APPROXIMATE
    if noise:
        return float(students_t(noise.degrees, error) * noise.sd * math.sqrt(2))
    return math.inf
