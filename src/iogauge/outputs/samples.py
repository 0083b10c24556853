"""One row per sample, tidy: a column for each thing that varies, and one value in each cell.

Times are nanoseconds and sizes bytes. What was not measured is empty. Void samples, and those of
replicates that were cut short or of cases that failed, are there, and not `used`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

import numpy as np

from iogauge.model.units import rounded
from iogauge.outputs.csv import cell
from iogauge.outputs.document import Document
from iogauge.runfile.columns import COUNTED
from iogauge.runfile.run import Run

_INDEXES = ("bundle", "replicate", "attempt", "part", "round", "position", "fork")
_DIGITS = 15
WHOLE = ("size", "accesses", "access_bytes")
"""Whole numbers, whether or not a run has any; parameters of strategies are such, too."""

Column = np.ndarray | list[Any]


def render(document: Document) -> str:
    """Comma-separated (RFC 4180), with a header line, without the last line end."""
    columns, text = table(document.run), io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(columns)
    for row in zip(*(_plain(values) for values in columns.values()), strict=True):
        writer.writerow([cell(value) for value in row])
    return text.getvalue().removesuffix("\r\n")


def left_out(document: Document) -> list[str]:
    """Cases without a row: they failed before their first sample."""
    run = document.run
    compared = {case for group in run.plan.groups for case in group.cases}
    without = compared - {*run.columns.case.tolist()}
    failed = [each for each in run.failed().items() if each[0] in without]
    return [f"left out: {run.plan.cases[case].key}: {why}" for case, why in failed]


def table(run: Run) -> dict[str, Column]:
    """The columns of all samples: arrays of numbers with NaN, or lists of texts with None."""
    found, used = run.columns, run.used()
    of_case = _of_cases(run)
    failed = run.failed()
    made: dict[str, Column] = {"run": [run.header.id] * len(found)}
    made["group"] = [run.plan.groups[each].id for each in found.group.tolist()]
    cases = found.case.tolist()
    for name, values in of_case.items():
        made[name] = [values[case] for case in cases]
    for name in _INDEXES:
        made[name] = getattr(found, name)
    made["sample"] = np.arange(len(found))
    made["used"] = used
    reasons: list[str | None] = [None, *found.reasons]
    made["void"] = [reasons[each] for each in found.void.tolist()]
    made["failure"] = [failed.get(case) for case in cases]
    made["ended_s"] = found.ended
    made["ns"], made["operations"] = found.ns, found.operations
    with np.errstate(divide="ignore", invalid="ignore"):
        made["ns_per_op"] = np.where(found.operations > 0, found.ns / found.operations, np.nan)
    made["resident_before"] = found.resident_before
    made["folio_bytes"] = found.folio_bytes
    for name in COUNTED:
        made[name] = found.counts(name)
    return made


def _of_cases(run: Run) -> dict[str, list[Any]]:
    """What each case is, by column: a parameter of the strategy is `param_block`."""
    rows = []
    for case in run.plan.cases:
        imported = run.header.declared(case).imported
        params = dict[str, Any](imported.parameters if imported else case.parameters)
        rows.append(
            {
                "key": case.key,
                "strategy": imported.benchmark if imported else case.strategy,
                "language": case.language,
                "runtime": case.runtime,
                "options": " ".join(case.options) or None,
                "control": case.control,
                **{f"param_{name}": value for name, value in params.items()},
                **case.workload.model_dump(),
                **case.conditions.model_dump(),
            }
        )
    first = ("key", "strategy", "language", "runtime", "options", "control")
    of_strategies = sorted({name for row in rows for name in row if name.startswith("param_")})
    rest = [name for name in rows[0] if name not in (*first, *of_strategies)] if rows else []
    return {name: [row.get(name) for row in rows] for name in (*first, *of_strategies, *rest)}


def _plain(values: Column) -> Iterator[Any]:
    if isinstance(values, list):
        return iter(values)
    if values.dtype.kind in "iub":
        return iter(values.tolist())
    return (_number(each) for each in values.tolist())


def _number(value: float) -> str | None:
    """Whole numbers without a point."""
    return None if np.isnan(value) else rounded(value, _DIGITS)
