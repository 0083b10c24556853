"""A figure: a chart, the rows that it is drawn from, and the same rows as a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from iogauge.model.ratios import between, known
from iogauge.model.units import duration, rate, size, whole_share
from iogauge.outputs.html.charts import fields
from iogauge.outputs.html.rows import FILTERS, Row

UNKNOWN = "–"


@dataclass(frozen=True)
class Column:
    """Of the table behind a chart."""

    title: str
    cell: Callable[[Row], str]
    number: bool = True


@dataclass(frozen=True)
class Figure:
    """`spec` is Vega-Lite without its data, which are `rows`. `kind` is what `iogauge chart` calls
    it.
    """

    kind: str
    title: str
    says: str
    spec: dict[str, Any]
    rows: list[Row]
    columns: tuple[Column, ...]

    @property
    def table(self) -> list[tuple[Row, list[str]]]:
        """Each row with its cells, as text."""
        return [(row, [column.cell(row) for column in self.columns]) for row in self.rows]

    @property
    def packed(self) -> dict[str, Any]:
        """The keys that the chart or a filter uses, and per key the values of all rows. Texts are
        stored once, as thousands of samples have few names.
        """
        drawn = fields(self.spec) | FILTERS.keys()
        used = [
            key for key in dict.fromkeys(key for row in self.rows for key in row) if key in drawn
        ]
        return {"rows": len(self.rows), "columns": [self._packed(key) for key in used]}

    def _packed(self, key: str) -> dict[str, Any]:
        values = [row.get(key) for row in self.rows]
        if not any(isinstance(value, str) for value in values):
            return {"key": key, "words": None, "values": [_six_digits(value) for value in values]}
        words = list(dict.fromkeys(values))
        place = {word: number for number, word in enumerate(words)}
        return {"key": key, "words": words, "values": [place[value] for value in values]}


def _six_digits(value: Any) -> Any:
    """A picture does not show more."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def of_ns(key: str) -> Callable[[Row], str]:
    """A cell with the time that a row has under this key, in ns."""
    return lambda row: duration(row[key] / 1e9)


def interval_of_ns(lo: str, hi: str) -> Callable[[Row], str]:
    """A cell with the interval between two keys, in ns."""
    return lambda row: (
        between(row[lo], row[hi], lambda ns: duration(ns / 1e9))
        if row.get(lo) and row.get(hi)
        else UNKNOWN
    )


NAMES = (
    Column("case", lambda row: row["label"], False),
    Column("runtime", lambda row: row["setting"], False),
    Column("state", lambda row: row["state"], False),
)
TIME = Column("time", of_ns("ns"))
INTERVAL = Column("95 %", interval_of_ns("lo", "hi"))
PER_MIB = Column("time per MiB", of_ns("per_mib"))
INTERVAL_PER_MIB = Column("95 %", interval_of_ns("per_mib_lo", "per_mib_hi"))
OVER_FIRST = Column(
    "over the first", lambda row: known(row["over_first"], row["over_lo"], row["over_hi"])
)
SPEED = Column(
    "throughput", lambda row: rate(row["bytes_per_s"]) if row["bytes_per_s"] else UNKNOWN
)
OF_CEILING = Column(
    "of the ceiling",
    lambda row: (
        UNKNOWN
        if row["of_ceiling"] is None
        else "reached"
        if row["of_ceiling"] > 1
        else whole_share(row["of_ceiling"])
    ),
)


def sentence(text: str) -> str:
    return text if text.endswith(("?", ".", "!")) else f"{text}."


def no_verdict(rows: list[Row], name: str) -> list[str]:
    """A sentence on the rows whose group is suspended. `name` is the key, `size` or `state`, by
    which it names them.
    """
    suspended = list(dict.fromkeys(row[name] for row in rows if row["suspended"]))
    if not suspended:
        return []
    where = ", ".join(size(each) if name == "size" else each for each in suspended)
    return [
        f"No valid comparison of what was measured {'at' if name == 'size' else 'in the state'} "
        f"{where}: the A/A control differs from its baseline there."
    ]
