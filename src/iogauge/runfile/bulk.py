"""The samples of a large run file as columns, decoded by DuckDB: on all cores, and without a Python
object for each.

This works only where every sample is as it should be. What is wrong with one is found by reading
line by line. A missing key counts as null here.
"""

from __future__ import annotations

import os
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from iogauge.model.text import visible
from iogauge.runfile.arrays import Floats, Ints
from iogauge.runfile.columns import BYTES, COLUMNS, COUNTERS, INDEXES, KNOWN, WHOLE, SampleColumns
from iogauge.runfile.records import MOST_BYTES, MOST_INDEX

_MOST_COLUMNS = 6  # fetched at a time: a result is in memory twice
_MOST_THREADS = 4  # each has buffers of its own
_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "threads": min(_MOST_THREADS, os.cpu_count() or 1),
    "preserve_insertion_order": True,
    "temp_directory": "",  # by default in the current folder
    "autoinstall_known_extensions": False,  # nothing is fetched
    "autoload_known_extensions": False,
}


def _struct(names: tuple[str, ...], kind: str) -> str:
    return f"STRUCT({', '.join(f'{name} {kind}' for name in names)})"


_TYPES = {
    "record": "VARCHAR",
    **dict.fromkeys(INDEXES, "BIGINT"),
    **dict.fromkeys(BYTES, "BIGINT"),
    "ns": "DOUBLE[]",
    "operations": "BIGINT[]",
    "prelude_ns": "DOUBLE[]",
    "resident_before": "DOUBLE",
    "folio_bytes": "BIGINT",
    "ended": "DOUBLE",
    "void": "VARCHAR",
    "counters": _struct(COUNTERS, "DOUBLE[]"),
    **{part: _struct(names, "DOUBLE") for part, names in KNOWN.items()},
}


_EXPRESSIONS = {
    **{name: each.sql for name, each in COLUMNS.items()},
    "void": '"void"',
    "span_ns": "ns",
    "span_operations": "operations",
}
_LISTS = ("ns", "operations", "prelude_ns", *(f"counters.{name}" for name in COUNTERS))
_GIVEN = "evidence", "counters", "prelude_ns"
_WHOLE = " AND ".join(
    (
        *(f'"{name}" BETWEEN 0 AND {MOST_INDEX}' for name in INDEXES),
        *(f'"{name}" BETWEEN 0 AND {MOST_BYTES}' for name in BYTES),
        *(f"{name} IS NOT NULL" for name in _GIVEN),
        "len(ns) = len(operations)",
        *(f"({name} IS NULL OR list_count({name}) = len({name}))" for name in _LISTS),
        f"coalesce(list_min(operations), 0) BETWEEN 0 AND {MOST_BYTES}",
        f"coalesce(list_max(operations), 0) BETWEEN 0 AND {MOST_BYTES}",
    )
)
FAILURES = (duckdb.Error, MemoryError)  # after which a file can still be read line by line


def connected() -> duckdb.DuckDBPyConnection:
    """The decoder, in memory; a context manager. Raises one of FAILURES."""
    return duckdb.connect(":memory:", config=_SETTINGS)


def columns_of(database: duckdb.DuckDBPyConnection, path: str) -> SampleColumns | None:
    """The samples of the run file, in order; the path has no `*?[`. None if one is not whole."""
    types = ", ".join(f"'{name}': '{kind}'" for name, kind in _TYPES.items())
    values = ", ".join(f'{value} AS "{name}"' for name, value in _EXPRESSIONS.items())
    lines = (
        f"read_json(?, format = 'newline_delimited', columns = {{{types}}}, ignore_errors = true)"
    )
    try:
        database.execute(
            f"CREATE TEMP TABLE sample AS SELECT {values}, coalesce({_WHOLE}, false) AS whole"
            f" FROM {lines} WHERE record = 'sample'",
            [path],
        )
        found, whole = database.execute(
            "SELECT count(*), count(*) FILTER (whole) FROM sample"
        ).fetchall()[0]
        return _fetched(database) if found == whole else None
    except FAILURES:
        return None


def _fetched(database: duckdb.DuckDBPyConnection) -> SampleColumns | None:
    names, arrays = list(COLUMNS), dict[str, NDArray[Any]]()
    for start in range(0, len(names), _MOST_COLUMNS):
        some = ", ".join(f'"{name}"' for name in names[start : start + _MOST_COLUMNS])
        for name, values in database.execute(f"SELECT {some} FROM sample").fetchnumpy().items():
            arrays[name] = (
                values.astype(WHOLE[name], copy=False) if name in WHOLE else _floats(values)
            )
            # Its memory is for the next ones.
            database.execute(f'ALTER TABLE sample DROP COLUMN "{name}"')
    spans = database.execute(
        "SELECT unnest(span_ns) AS span_ns, unnest(span_operations) AS span_operations FROM sample"
    ).fetchnumpy()
    arrays |= {name: _floats(values) for name, values in spans.items()}
    if not _in_order(arrays["span_ns"], arrays["spans"], arrays["ns"]):
        return None
    void = database.execute("SELECT void FROM sample").fetchnumpy()["void"]
    arrays["void"], reasons = _numbered(void)
    return SampleColumns(arrays, reasons)


def _in_order(span_ns: Floats, spans: NDArray[Any], ns: Floats) -> bool:
    """Whether the spans are those of the rows, in their order: they come from two queries."""
    some = spans > 0
    starts = (np.cumsum(spans) - spans)[some]
    return len(span_ns) == spans.sum() and np.allclose(
        np.add.reduceat(span_ns, starts) if len(starts) else [], ns[some]
    )


def _floats(values: NDArray[Any]) -> Floats:
    """What is not known is NaN."""
    return np.ma.filled(np.ma.asarray(values, dtype=float), np.nan)


def _numbered(void: NDArray[Any]) -> tuple[Ints, tuple[str, ...]]:
    """Per sample 0, or one more than the index of its reason in what is returned with it."""
    number = np.zeros(len(void), np.int32)
    said = np.flatnonzero(~np.ma.getmaskarray(void))
    texts = np.ma.getdata(void)[said]
    places = {reason: 1 + place for place, reason in enumerate(dict.fromkeys(texts))}
    number[said] = [places[each] for each in texts]
    return number, tuple(map(visible, places))
