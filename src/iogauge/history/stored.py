"""The index of a folder: what is kept of its run files, as columns, in one file beside them.

The file is one line that names it, the CRC-32 of the rest, and the rest as MessagePack. It is
replaced as a whole, so that whoever reads it finds the old or the new one.
"""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from iogauge import __version__
from iogauge.history.entries import Entry, Row, Stamp
from iogauge.model.text import visible

MEANING = 2
"""What the columns are, and how they come from a run: another number whenever that changes."""

Kind = Literal["word", "whole", "number", "flag"]
TABLES: dict[str, dict[str, Kind]] = {
    "runs": {
        "path": "word",
        **dict.fromkeys(Stamp._fields, "whole"),
        "problem": "word",
        "run": "word",
        "study": "word",
        "protocol": "word",
        "started": "number",
        "seconds": "number",
        "complete": "flag",
        "replicates": "whole",
        "failures": "whole",
        "iogauge": "word",
        "method": "word",
        "host": "word",
        "host_name": "word",
        "processor": "word",
        "system": "word",
        "kernel": "word",
        "file_system": "word",
    },
    "groups": {
        "file": "whole",
        "group_id": "word",
        "question": "word",
        "workload": "word",
        "conditions": "word",
        "operation": "word",
        "size": "whole",
        "content": "word",
        "medium": "word",
        "accesses": "whole",
        "cache": "word",
        "cached_by": "word",
        "durability": "word",
        "replicates": "whole",
    },
    "cases": {
        "file": "whole",
        "group_id": "word",
        "case_key": "word",
        "key": "word",
        "strategy": "word",
        "name": "word",
        "language": "word",
        "runtime": "word",
        "runner": "word",
        "version": "word",
        "failure": "word",
        "replicates": "whole",
        "ns_per_op": "number",
        "lo": "number",
        "hi": "number",
        "bytes_per_s": "number",
    },
}
"""The columns of each table. `file` is the row of the run. A word is kept as its place in the list
of all words, -1 for none; a number that is not known is NaN.
"""

_MAGIC = b"iogauge history\n"
_TYPES: dict[Kind, str] = {"word": "<i4", "whole": "<i8", "number": "<f8", "flag": "|u1"}
_DATES = -62135596800.0, 253402300800.0  # since 1970: the years 1 to 9999, which can be written

Columns = dict[str, NDArray[Any]]


class _Stored(msgspec.Struct):
    meaning: int
    iogauge: str
    words: list[str]
    tables: dict[str, dict[str, bytes]]


class Unusable(Exception):
    """Why an index is not used, in a few words."""


class Index:
    """Columns of every table, shape (n,) each, and the words that they name."""

    def __init__(self, words: list[str], tables: dict[str, Columns]):
        self.words, self.tables = words, tables

    def __len__(self) -> int:
        return len(self.tables["runs"]["path"])

    def texts(self, table: str, column: str) -> list[str | None]:
        words: list[str | None] = [*self.words, None]  # -1 is the last one
        return [words[place] for place in self.tables[table][column].tolist()]

    @property
    def stamps(self) -> dict[str | None, Stamp]:
        """By what each file is known, by its name."""
        runs = self.tables["runs"]
        known = zip(*(runs[name].tolist() for name in Stamp._fields), strict=True)
        return dict(zip(self.texts("runs", "path"), map(Stamp._make, known), strict=True))

    def updated(self, keep: Iterable[bool], entries: Sequence[Entry]) -> Index:
        """The rows of the files to keep, and those of new entries behind them."""
        kept = np.fromiter(keep, bool, len(self))
        place = np.cumsum(kept) - 1
        old: dict[str, Columns] = {}
        for name, columns in self.tables.items():
            rows = kept if name == "runs" else kept[columns["file"]]
            old[name] = {column: values[rows] for column, values in columns.items()}
            if name != "runs":
                old[name]["file"] = place[old[name]["file"]]
        fresh, start = _Writer(self.words), int(kept.sum())
        for number, entry in enumerate(entries, start):
            fresh.add("runs", entry.run)
            for each in entry.groups:
                fresh.add("groups", each | {"file": number})
            for each in entry.cases:
                fresh.add("cases", each | {"file": number})
        joined = {
            name: {
                column: np.concatenate([old[name][column], values])
                for column, values in fresh.columns(name).items()
            }
            for name in TABLES
        }
        return _without_unused(Index(fresh.words, joined))


def empty() -> Index:
    return Index([], {name: _Writer([]).columns(name) for name in TABLES})


def read(path: Path) -> Index | None:
    """The index in a file; None without one. Raises Unusable where it is torn, or not of this
    version.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unusable(error.strerror or "it cannot be read") from None
    head, body = content[: len(_MAGIC) + 4], content[len(_MAGIC) + 4 :]
    if head != _MAGIC + zlib.crc32(body).to_bytes(4, "little"):
        raise Unusable("it was torn or changed")
    try:
        found = msgspec.msgpack.decode(body, type=_Stored)
    except msgspec.MsgspecError:
        raise Unusable("it is of another version of iogauge") from None
    if (found.meaning, found.iogauge) != (MEANING, __version__):
        raise Unusable("it is of another version of iogauge")
    try:
        return _checked(found)
    except (ValueError, KeyError):
        raise Unusable("it was changed") from None


def write(path: Path, index: Index) -> bool:
    """Keep the index. Returns whether that could be done."""
    tables = {
        name: {
            column: index.tables[name][column].astype(_TYPES[kind]).tobytes()
            for column, kind in columns.items()
        }
        for name, columns in TABLES.items()
    }
    body = msgspec.msgpack.encode(_Stored(MEANING, __version__, index.words, tables))
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with partial.open("xb") as file:
                file.write(_MAGIC + zlib.crc32(body).to_bytes(4, "little"))
                file.write(body)
            partial.replace(path)
        finally:
            with contextlib.suppress(OSError):
                partial.unlink(missing_ok=True)
    except OSError:
        return False
    return True


class _Writer:
    """New rows, by table. Words that are there already keep their places."""

    def __init__(self, words: Sequence[str]):
        self._places = {word: place for place, word in enumerate(words)}
        self._rows: dict[str, dict[str, list[Any]]] = {
            name: {column: [] for column in columns} for name, columns in TABLES.items()
        }

    @property
    def words(self) -> list[str]:
        return [*self._places]

    def add(self, table: str, row: Row) -> None:
        for column, kind in TABLES[table].items():
            value = row.get(column)
            if kind == "word":
                value = -1 if value is None else self._place(str(value))
            elif kind == "number":
                value = np.nan if value is None else value
            self._rows[table][column].append(value or 0)

    def columns(self, table: str) -> Columns:
        return {
            column: np.array(self._rows[table][column], _TYPES[kind])
            for column, kind in TABLES[table].items()
        }

    def _place(self, word: str) -> int:
        return self._places.setdefault(word, len(self._places))


def _without_unused(index: Index) -> Index:
    """Without words that nothing names any more."""
    named = [
        (columns, column)
        for table, columns in index.tables.items()
        for column, kind in TABLES[table].items()
        if kind == "word"
    ]
    used = np.zeros(len(index.words) + 1, bool)  # the last one is for -1, none
    for columns, column in named:
        used[columns[column]] = True
    used[-1] = False
    place = np.cumsum(used) - 1
    place[-1] = -1
    for columns, column in named:
        columns[column] = place[columns[column]].astype(_TYPES["word"])
    return Index([index.words[at] for at in np.flatnonzero(used)], index.tables)


def _checked(found: _Stored) -> Index:
    """Raises ValueError or KeyError for what no index holds."""
    tables: dict[str, Columns] = {}
    for name, columns in TABLES.items():
        tables[name] = {
            column: np.frombuffer(found.tables[name][column], _TYPES[kind])
            for column, kind in columns.items()
        }
        if len({len(values) for values in tables[name].values()}) != 1:
            raise ValueError
        for column, kind in columns.items():
            values = tables[name][column]
            if kind == "word" and ((values < -1) | (values >= len(found.words))).any():
                raise ValueError
            if kind == "flag" and (values > 1).any():
                raise ValueError
    runs = tables["runs"]
    files = len(runs["path"])
    for name in ("groups", "cases"):
        rows = tables[name]["file"]
        if ((rows < 0) | (rows >= files)).any():
            raise ValueError
    started = runs["started"][runs["problem"] < 0]
    first, end = _DATES
    if (runs["path"] < 0).any() or not ((started >= first) & (started < end)).all():
        raise ValueError
    if any(visible(word) != word for word in found.words):
        raise ValueError
    return Index(found.words, tables)
