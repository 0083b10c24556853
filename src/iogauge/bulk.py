"""The samples of a large run file as columns, decoded by DuckDB: on all cores, and without a Python object for each.

Only where every sample is as it should be: what is wrong with one is found, and told, by `samples.of_lines`.
"""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from iogauge import samples
from iogauge.samples import Floats, Table
from iogauge.text import visible

_MOST_COLUMNS = 6  # fetched at a time: a result is in memory twice


def _struct(names: tuple[str, ...], kind: str) -> str:
    return f"STRUCT({', '.join(f'{name} {kind}' for name in names)})"


_TYPES = {
    "record": "VARCHAR", **dict.fromkeys(samples.INDEXES, "BIGINT"), **dict.fromkeys(samples.BYTES, "BIGINT"),
    "ns": "DOUBLE[]", "operations": "BIGINT[]", "prelude_ns": "DOUBLE[]", "resident_before": "DOUBLE", "ended": "DOUBLE", "void": "VARCHAR",
    "counters": _struct(samples.COUNTERS, "DOUBLE[]"), **{part: _struct(names, "DOUBLE") for part, names in samples.KNOWN.items()},
}  # fmt: skip


def _total(of: str) -> str:
    return f"CASE WHEN {of} IS NOT NULL THEN coalesce(list_sum({of}), 0) END"


_EXPRESSIONS = {
    **{name: f'"{name}"' for name in (*samples.INDEXES, *samples.BYTES, "resident_before", "void")},
    "ended": "coalesce(ended, 0)",
    "ns": _total("ns"),
    "operations": _total("operations"),
    "prelude": "len(prelude_ns) * coalesce(operations[1], 0)",
    "prelude_ns": _total("prelude_ns"),
    "spans": "len(ns)",
    **{name: f"{part}.{name}" for part, names in samples.KNOWN.items() for name in names},
    **{name: _total(f"counters.{name}") for name in samples.COUNTERS},
    "span_ns": "ns",
    "span_operations": "operations",
}
_WHOLE = " AND ".join(
    (
        *(f'"{name}" BETWEEN 0 AND {samples.MOST_INDEX}' for name in samples.INDEXES),
        *(f'"{name}" BETWEEN 0 AND {samples.MOST_BYTES}' for name in samples.BYTES),
        *("evidence IS NOT NULL", "counters IS NOT NULL", "prelude_ns IS NOT NULL", "len(ns) = len(operations)"),
        *("list_count(ns) = len(ns)", "list_count(operations) = len(operations)", f"coalesce(list_min(operations), 0) BETWEEN 0 AND {samples.MOST_BYTES}"),
    )
)


def table(path: str, count: int) -> Table | None:
    """All samples of the run file with this path, which has no `*`, `?` or `[`, in its order; None unless there are so many, all well-formed."""
    types = ", ".join(f"'{name}': '{kind}'" for name, kind in _TYPES.items())
    values = ", ".join(f'{value} AS "{name}"' for name, value in _EXPRESSIONS.items())
    lines = f"read_json(?, format = 'newline_delimited', columns = {{{types}}}, ignore_errors = true)"
    with duckdb.connect(":memory:") as database:
        try:
            database.execute(f"CREATE TEMP TABLE sample AS SELECT {values}, coalesce({_WHOLE}, false) AS whole FROM {lines} WHERE record = 'sample'", [path])
        except duckdb.Error:
            return None
        found, whole = database.execute("SELECT count(*), count(*) FILTER (whole) FROM sample").fetchall()[0]
        return _fetched(database) if found == whole == count else None


def _fetched(database: duckdb.DuckDBPyConnection) -> Table:
    names = [name for name in _EXPRESSIONS if name not in ("void", "span_ns", "span_operations")]
    columns: dict[str, NDArray[Any]] = {}
    for start in range(0, len(names), _MOST_COLUMNS):
        some = ", ".join(f'"{name}"' for name in names[start : start + _MOST_COLUMNS])
        for name, values in database.execute(f"SELECT {some} FROM sample").fetchnumpy().items():
            columns[name] = values.astype(samples.NUMBERS[name]) if name in samples.NUMBERS else _floats(values)
    spans = database.execute("SELECT unnest(span_ns) AS span_ns, unnest(span_operations) AS span_operations FROM sample").fetchnumpy()
    void, reasons = _numbered(database.execute("SELECT void FROM sample").fetchnumpy()["void"])
    known = {name: columns.pop(name) for name in (*(each for part in samples.KNOWN.values() for each in part), *samples.COUNTERS)}
    return Table(**columns, **{name: _floats(values) for name, values in spans.items()}, void=void, known=known, reasons=reasons)


def _floats(values: NDArray[Any]) -> Floats:
    """What is not known is NaN."""
    return np.ma.filled(np.ma.asarray(values, dtype=float), np.nan)


def _numbered(void: NDArray[Any]) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Per sample 0, or one more than the index of its reason in what is returned with it."""
    number = np.zeros(len(void), np.int32)
    said = np.flatnonzero(~np.ma.getmaskarray(void))
    reasons = list(dict.fromkeys(np.ma.getdata(void)[said]))
    number[said] = [1 + reasons.index(each) for each in np.ma.getdata(void)[said]]
    return number, tuple(map(visible, reasons))
