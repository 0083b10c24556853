"""The rows of `samples` as a Parquet file, written by DuckDB. Numbers and truth values have their
types, and what was not measured is null.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from iogauge.model.errors import UserError
from iogauge.outputs import samples
from iogauge.outputs.document import Document

left_out = samples.left_out


def render(document: Document) -> bytes:
    """Raises UserError where DuckDB is not installed."""
    try:
        import duckdb
    except ImportError:
        raise UserError(
            "--format parquet: this needs DuckDB, which writes it: pip install 'iogauge[large]'"
        ) from None
    columns = {name: _column(name, values) for name, values in samples.table(document.run).items()}
    chosen = ", ".join(_expression(name, values) for name, values in columns.items())
    with tempfile.TemporaryDirectory(prefix="iogauge-") as folder, duckdb.connect() as database:
        path = Path(folder) / "samples.parquet"
        # DuckDB finds `columns` by its name here.
        target = str(path).replace("'", "''")
        database.execute(f"COPY (SELECT {chosen} FROM columns) TO '{target}' (FORMAT parquet)")
        return path.read_bytes()


def _column(name: str, values: samples.Column) -> np.ndarray[Any, Any]:
    """Of one type; whole numbers with gaps are floats here, and cast by DuckDB."""
    if isinstance(values, np.ndarray):
        return np.ascontiguousarray(values)
    if values and all(isinstance(each, bool) for each in values):
        return np.array(values, dtype=bool)
    if name in samples.WHOLE or _are_whole(name, values):
        return np.array([np.nan if each is None else each for each in values], dtype=float)
    found = np.empty(len(values), dtype=object)
    found[:] = [None if each is None else str(each) for each in values]
    return found


def _are_whole(name: str, values: list[Any]) -> bool:
    """Of a parameter: those of other tools are texts."""
    known = [each for each in values if each is not None]
    return name.startswith("param_") and all(isinstance(each, int) for each in known)


def _expression(name: str, values: np.ndarray[Any, Any]) -> str:
    quoted = '"' + name.replace('"', '""') + '"'
    if values.dtype == object:
        return f"{quoted}::VARCHAR AS {quoted}"
    if values.dtype.kind != "f":
        return quoted
    whole = name in samples.WHOLE or name.startswith("param_")
    kind = "BIGINT" if whole else "DOUBLE"
    return f"CASE WHEN isnan({quoted}) THEN NULL ELSE {quoted}::{kind} END AS {quoted}"
