"""The runs of a folder as tables that DuckDB can be asked about. docs/history.md describes them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np

from iogauge.history import changes
from iogauge.history.series import Series
from iogauge.history.stored import TABLES, Index
from iogauge.model.errors import UserError

_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "threads": min(4, os.cpu_count() or 1),
    "memory_limit": "400MB",
    "temp_directory": "",  # by default in the current folder
    "autoinstall_known_extensions": False,  # nothing is fetched
    "autoload_known_extensions": False,
    "python_enable_replacements": False,  # a name in a query is a table, never one of our variables
}
_LOCKED = ("SET enable_external_access = false", "SET lock_configuration = true")
_VIEWS = """
CREATE TABLE seen AS
  SELECT *, row_number() OVER (PARTITION BY run, epoch, host ORDER BY path) AS copy
  FROM kept_runs WHERE problem IS NULL;
CREATE VIEW runs AS
  SELECT run, path AS file, study, protocol, to_timestamp(epoch) AT TIME ZONE 'UTC' AS started,
    seconds, complete, replicates, failures, iogauge, method, host, host_name, processor,
    system, kernel, file_system
  FROM seen WHERE copy = 1;
CREATE VIEW groups AS
  SELECT s.run, s.study, to_timestamp(s.epoch) AT TIME ZONE 'UTC' AS started,
    g.* EXCLUDE (row, file)
  FROM kept_groups g JOIN seen s ON s.row = g.file WHERE s.copy = 1;
CREATE TABLE placed AS
  SELECT c.*, s.row AS run_row, s.run, s.study, s.protocol, s.epoch, s.host, s.host_name,
    s.file_system, s.system, s.method,
    CASE WHEN count(*) OVER (PARTITION BY c.file, c.group_id, c.case_key, c.runner) > 1
      THEN c.version ELSE '' END AS beside
  FROM kept_cases c JOIN seen s ON s.row = c.file WHERE s.copy = 1;
CREATE TABLE numbered AS
  SELECT *, dense_rank() OVER (
    ORDER BY protocol, case_key, runner, beside, host, system, file_system, method) AS series
  FROM placed;
CREATE VIEW cases AS
  SELECT series, run, study, to_timestamp(epoch) AT TIME ZONE 'UTC' AS started, group_id, key,
    case_key, strategy, name, language, runtime, replicates, ns_per_op, lo, hi, bytes_per_s,
    failure, host, host_name, file_system
  FROM numbered;
"""
# A case that two groups of a run have is one point, that of the first group.
_POINTS = """
SELECT series, row, run_row, epoch, ns_per_op FROM numbered
WHERE ns_per_op IS NOT NULL AND ($case = '' OR contains(lower(name || ' ' || key), lower($case)))
  AND ($study = '' OR study = $study)
QUALIFY row_number() OVER (PARTITION BY series, run_row ORDER BY row) = 1
ORDER BY series, epoch, run_row
"""


@dataclass(frozen=True)
class Answer:
    """The columns of a result by name, and its rows."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


class Database:
    """The tables of an index, in memory. Queries can neither write, nor see a file or a setting."""

    def __init__(self, index: Index):
        self._index = index
        self._connection = duckdb.connect(":memory:", config=_SETTINGS)
        self._load("words", {"word": np.array(index.words, dtype=object)})
        for table in TABLES:
            self._load_table(table)
        self._connection.execute(_VIEWS)
        for each in _LOCKED:
            self._connection.execute(each)

    def series(self, case: str = "", study: str = "") -> list[Series]:
        """All series, or those of cases with this text in name or key, and of this study."""
        given = {"case": case, "study": study}
        found = self._connection.execute(_POINTS, given).fetchnumpy()
        columns = [np.asarray(found[name]) for name in ("row", "run_row", "epoch", "ns_per_op")]
        cuts = np.flatnonzero(np.diff(found["series"])) + 1
        if not len(columns[0]):
            return []
        split = [np.split(each, cuts) for each in columns]
        every = changes.of_all(split[-1])
        return [Series(self._index, *each) for each in zip(*split, every, strict=True)]

    @property
    def copies(self) -> int:
        """How many files are copies of runs that others hold."""
        found = self._connection.execute("SELECT count(*) FROM seen WHERE copy > 1").fetchone()
        return int(found[0]) if found else 0

    def ask(self, sql: str) -> Answer:
        """The answer to one SELECT. Raises UserError for anything else."""
        try:
            statements = self._connection.extract_statements(sql)
        except duckdb.Error as error:
            raise UserError(f"--sql: {_first_line(error)}") from None
        kinds = [each.type for each in statements]
        if kinds != [duckdb.StatementType.SELECT]:
            raise UserError("--sql: one SELECT is allowed, nothing else; see docs/history.md")
        try:
            result = self._connection.execute(statements[0])
            names = tuple(each[0] for each in result.description or ())
            return Answer(names, result.fetchall())
        except (duckdb.Error, MemoryError) as error:
            raise UserError(f"--sql: {_first_line(error)}") from None

    def _load(self, name: str, columns: dict[str, np.ndarray]) -> None:
        count = len(next(iter(columns.values())))
        self._connection.register("given", {"row": np.arange(count, dtype=np.int64), **columns})
        self._connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
        self._connection.unregister("given")

    def _load_table(self, table: str) -> None:
        """With words in the place of their numbers, and NULL for what is not known."""
        columns, shown, joined = self._index.tables[table], ["row"], []
        for name, kind in TABLES[table].items():
            called = "epoch" if name == "started" else name
            if kind == "word":
                shown.append(f"{name}_word.word AS {name}")
                joined.append(f"LEFT JOIN words {name}_word ON {name}_word.row = given.{name}")
            elif kind == "flag":
                shown.append(f"given.{name} = 1 AS {called}")
            elif kind == "number":
                shown.append(f"CASE WHEN NOT isnan(given.{name}) THEN given.{name} END AS {called}")
            else:
                shown.append(f"given.{name}")
        shown[0] = "given.row"
        self._connection.register(
            "given", {"row": np.arange(len(columns["replicates"]), dtype=np.int64), **columns}
        )
        self._connection.execute(
            f"CREATE TABLE kept_{table} AS SELECT {', '.join(shown)} FROM given {' '.join(joined)}"
        )
        self._connection.unregister("given")


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
