"""Figures that compare the cases of a group, those of several sizes, and those of a publication."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator

import iogauge.outputs.html.charts as charts
from iogauge.model.units import duration, short_size, significant, size
from iogauge.outputs.contract import Case, Export, Group
from iogauge.outputs.html.figure import (
    INTERVAL,
    INTERVAL_PER_MIB,
    NAMES,
    OF_CEILING,
    PER_MIB,
    SPEED,
    TIME,
    Column,
    Figure,
    no_verdict,
)
from iogauge.outputs.html.rows import Row, add_names, by, common, of_cases

_MOST_CROSSOVERS = 6  # that a caption names


def rankings(export: Export) -> Iterator[Figure]:
    """Per group every case with its interval, the fastest first."""
    every = of_cases(export)
    for group in export.groups:
        rows = [row for row in every if row["group"] == group.id]
        if any(not row["impossible"] for row in rows):
            yield _ranking(group, rows)


def _ranking(group: Group, every: list[Row]) -> Figure:
    rows = sorted((row for row in every if not row["impossible"]), key=lambda row: row["ns"])
    add_names(rows)
    for row in rows:
        for ms, ns in (("ms", "ns"), ("ms_lo", "lo"), ("ms_hi", "hi")):
            row[ms] = row[ns] and row[ns] / 1e6
    drawn = bool(group.ceiling and rows[0]["bytes_per_s"])
    if group.ceiling and drawn:
        factor = rows[0]["bytes_per_s"] / group.ceiling.bytes_per_s
        for row in rows:
            row["ceiling_ms"] = rows[0]["ms"] * factor
    alone = any(row["lo"] is None for row in rows)
    says = [
        f"Time per operation with its 95 % interval"
        f"{', which a point alone was measured too seldom for' if alone else ''}"
        f"{'; the dashed line is the ceiling' if drawn else ''}."
    ]
    if group.suspended:
        says.append("No verdict rests on this group: its A/A control differs from the baseline.")
    left_out = [row["label"] for row in every if row["impossible"]]
    if left_out:
        says.append(f"Left out, as faster than the machine: {', '.join(left_out)}.")
    return Figure(
        "ranking",
        f"{group.question} {group.title}",
        " ".join(says),
        charts.ranking(len(rows), ceiling=drawn),
        rows,
        (*NAMES, TIME, INTERVAL, SPEED, *([OF_CEILING] if drawn else [])),
    )


def over_size(export: Export) -> Iterator[Figure]:
    """Time per MiB over the size of the file, a line per variant, where a run has several sizes.
    Where two lines cross, the choice depends on the size.
    """
    measured = [row for row in of_cases(export) if row["per_mib"] and not row["impossible"]]
    for (shape, state), every in by(measured, "shape", "state").items():
        # Of several groups with the same case, the first.
        once = {(row["variant"], row["setting"], row["size"]): row for row in reversed(every)}
        lines = by(once.values(), "variant", "setting").values()
        rows = [row for line in lines if len(line) > 1 for row in line]
        if not rows:
            continue
        rows.sort(key=lambda row: (row["variant"], row["setting"], row["size"]))
        add_names(rows)
        says = [
            "A line per strategy and its parameters; where two cross, the choice depends on the "
            "size.",
            *_crossovers(export, rows),
            *no_verdict(sorted(rows, key=lambda row: row["size"]), "size"),
        ]
        of_size = Column("size", lambda row: size(row["size"]))
        yield Figure(
            "sizes",
            f"Time per MiB over the size of the file: {shape}, {state}",
            " ".join(says),
            charts.over_size(sorted({row["size"] for row in rows})),
            rows,
            (*NAMES, of_size, PER_MIB, INTERVAL_PER_MIB),
        )


def _crossovers(export: Export, rows: list[Row]) -> list[str]:
    """Which two change places, and between which sizes, where the comparisons on both sides are
    decided.
    """
    names = {row["key"]: row["name"] for row in rows}
    faster: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)  # of two names, by size
    for group in (each for each in export.groups if not each.suspended):
        for case, outcome, reference in _decided(group):
            if case.key in names and reference in names:
                a, b = names[case.key], names[reference]
                first = a if outcome == "faster" else b
                faster[min(a, b), max(a, b)][case.workload.size] = first
    says = [
        f"{first[at]} is faster than {next(each for each in pair if each != first[at])} at "
        f"{short_size(at)} and slower at {short_size(beyond)}"
        for pair, first in faster.items()
        for at, beyond in itertools.pairwise(sorted(first))
        if first[at] != first[beyond]
    ]
    more = f"; and {len(says) - _MOST_CROSSOVERS} more" if len(says) > _MOST_CROSSOVERS else ""
    return [f"They change places: {'; '.join(says[:_MOST_CROSSOVERS])}{more}."] if says else []


def _decided(group: Group) -> Iterator[tuple[Case, str, str | None]]:
    """Decided comparisons of a group: the case, the outcome, and the key of the other case."""
    for case in group.cases:
        for outcome, reference in (
            (case.vs_best.outcome, case.vs_best.reference),
            (case.vs_baseline.outcome, group.baseline),
        ):
            if outcome in ("faster", "slower"):
                yield case, outcome, reference


def dumbbells(export: Export) -> Iterator[Figure]:
    """Per published table each number beside those that were measured by the same procedure."""
    cases = {case.key: case for group in export.groups for case in group.cases}
    for table in dict.fromkeys(cell.table for cell in export.published):
        rows: list[Row] = []
        for cell in (each for each in export.published if each.table == table):
            place = f", {short_size(cell.size)}" if cell.along == "size" else ""
            doubts = " (outlier?)" if cell.doubtful else " (about)" if cell.approximate else ""
            rows += [
                {
                    **common(cases[each.key]),
                    "name": f"{cell.name}{place}",
                    "setting": cases[each.key].setting,
                    "doubts": doubts,
                    "published_ms": cell.ns_per_op / 1e6,
                    "ms": each.ns_per_op.center / 1e6,
                }
                for each in cell.measured
                if each.ns_per_op.center is not None
            ]
        if rows:
            yield _dumbbell(table, rows)


def _dumbbell(table: str, rows: list[Row]) -> Figure:
    return Figure(
        "published",
        f"Published beside measured: {table}",
        "A grey point is the published number, a coloured one what the same procedure gives here.",
        charts.dumbbells(len({row["name"] for row in rows})),
        rows,
        (
            Column("case", lambda row: row["name"], False),
            Column("runtime", lambda row: row["setting"], False),
            Column("published", lambda row: duration(row["published_ms"] / 1e3) + row["doubts"]),
            Column("here", lambda row: duration(row["ms"] / 1e3)),
            Column("here / published", lambda row: significant(row["ms"] / row["published_ms"])),
        ),
    )
