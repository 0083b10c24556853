"""Samples as columns: of every sample record what estimates and reports need, as arrays. A run may
hold a million, which as dictionaries would not fit into memory.

`Table` is made of records by `of_records` (dictionaries) or `of_lines` (lines of a run file, which
are decoded into slots, never into dictionaries); of a large file that is in order, by `bulk`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from iogauge.model.text import visible

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BEGIN = b'{"record":"sample",'

MOST_INDEX, MOST_BYTES = (1 << 31) - 1, 1 << 53
_SPARSE = 2  # times as many numbers as there are: to count them would take more memory than to sort

_Index = Annotated[int, msgspec.Meta(ge=0, le=MOST_INDEX)]
_Bytes = Annotated[int, msgspec.Meta(ge=0, le=MOST_BYTES)]


class NoSample(Exception):
    """A line that is no sample record: its index among those given, and why."""

    def __init__(self, index: int, why: str):
        super().__init__(why)
        self.index, self.why = index, why


class _Evidence(msgspec.Struct, gc=False):
    rchar: int | None = None
    wchar: int | None = None
    syscr: int | None = None
    syscw: int | None = None
    read_bytes: int | None = None
    write_bytes: int | None = None
    user_ns: int | None = None
    system_ns: int | None = None
    minor_faults: int | None = None
    major_faults: int | None = None
    context_switches: int | None = None
    peak_rss_bytes: int | None = None


class _Machine(msgspec.Struct, gc=False):
    busy_ns: int | None = None
    steal_ns: int | None = None


class _Device(msgspec.Struct, gc=False):
    writes: int | None = None
    written_bytes: int | None = None
    flushes: int | None = None


class _Counters(msgspec.Struct, gc=False):
    allocated_bytes: list[float] | None = None
    gc_ns: list[float] | None = None
    gc_count: list[float] | None = None


class _Record(msgspec.Struct, gc=False):
    case: _Index
    group: _Index
    fork: _Index
    bundle: _Index
    replicate: _Index
    attempt: _Index
    part: _Index
    round: _Index
    position: _Index
    request_bytes: _Bytes
    reply_bytes: _Bytes
    ns: list[float]
    operations: list[_Bytes]
    prelude_ns: list[float]
    counters: _Counters
    evidence: _Evidence
    machine: _Machine | None
    device: _Device | None
    resident_before: float | None
    void: str | None
    ended: float = 0.0

    def __post_init__(self) -> None:
        if len(self.ns) != len(self.operations):
            raise ValueError(f"{len(self.ns)} spans with the operations of {len(self.operations)}")


INDEXES = ("case", "group", "fork", "bundle", "replicate", "attempt", "part", "round", "position")
BYTES = ("request_bytes", "reply_bytes")
NUMBERS = {**dict.fromkeys(INDEXES, np.int32), **dict.fromkeys(BYTES, np.int64), "spans": np.int32}
"""The columns that are no floats."""
KNOWN = {
    part: of.__struct_fields__
    for part, of in (("evidence", _Evidence), ("machine", _Machine), ("device", _Device))
}
"""What is counted around a sample, by the part of its record."""
COUNTERS = _Counters.__struct_fields__
_decode = msgspec.json.Decoder(_Record).decode


@dataclass(frozen=True)
class Table:
    """Each column has shape (n,), a row per sample, in the order of the run; what is not known is
    NaN.

    `operations` and `ns` are totals over a sample's spans; those of single spans are
    `span_operations` and `span_ns`, shape (m,), of which a sample has `spans`, one sample after
    another. `prelude` is the number of operations before the spans, `prelude_ns` their time. `void`
    is 0 for a valid sample, else one more than the index of its reason in `reasons`. `known` are
    the counts of the kernel, the device, the machine and the runtime (over a sample's spans) by
    their names in the run file. They and the columns of spans are of as few bytes as a sealed file
    has them: unsigned numbers of any width, or floats. Whoever calculates with them takes `counts`
    and `span_levels`.
    """

    case: Ints
    group: Ints
    fork: Ints
    bundle: Ints
    replicate: Ints
    attempt: Ints
    part: Ints
    round: Ints
    position: Ints
    request_bytes: Ints
    reply_bytes: Ints
    ns: Floats
    operations: Floats
    prelude: Floats
    prelude_ns: Floats
    resident_before: Floats
    ended: Floats
    void: Ints
    spans: Ints
    span_ns: NDArray[Any]
    span_operations: NDArray[Any]
    known: dict[str, NDArray[Any]]
    reasons: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.case)

    @property
    def levels(self) -> Floats:
        """ns per operation, by sample."""
        return self.ns / self.operations

    def counts(self, name: str) -> Floats:
        """One of those that are known, by sample."""
        return self.known[name].astype(np.float64, copy=False)

    def span_levels(self, rows: NDArray[Any]) -> Floats:
        """ns per operation of the spans of these rows, one sample after another."""
        places = self.span_places(rows)
        return np.true_divide(self.span_ns[places], self.span_operations[places], dtype=np.float64)

    def take(self, rows: NDArray[Any]) -> Table:
        """The samples of these rows, in this order."""
        places = self.span_places(rows)
        taken = {
            each.name: getattr(self, each.name)[rows]
            for each in fields(self)
            if each.name not in ("span_ns", "span_operations", "known", "reasons")
        }
        return Table(
            **taken,
            span_ns=self.span_ns[places],
            span_operations=self.span_operations[places],
            known={name: values[rows] for name, values in self.known.items()},
            reasons=self.reasons,
        )

    def span_places(self, rows: NDArray[Any]) -> Ints:
        """Where the spans of these rows are among all, one sample after another."""
        spans = self.spans[rows]
        return np.repeat(self._starts[rows] - (np.cumsum(spans) - spans), spans) + np.arange(
            spans.sum()
        )

    @cached_property
    def _starts(self) -> Ints:
        """Where the spans of each row begin."""
        return np.cumsum(self.spans) - self.spans

    def total(self, name: str) -> float | None:
        """The sum of a count over all samples; None where it is not known of each, or there are
        none.
        """
        total = self.known[name].sum(dtype=np.float64)
        return float(total) if len(self) and not np.isnan(total) else None


def of_records(records: Iterable[dict[str, Any]]) -> Table:
    """Raises ValueError for what is no sample."""
    try:
        return _table([msgspec.convert(each, _Record) for each in records])
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None


def of_lines(lines: Sequence[bytes]) -> Table:
    """Raises NoSample for the first line that is none."""
    records = []
    try:
        for line in lines:  # noqa: PERF401 - the index of a line that cannot be decoded is told
            records.append(_decode(line))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise NoSample(len(records), str(error)) from None
    return _table(records)


def joined(tables: list[Table]) -> Table:
    """One after another. Takes them out of the list, so that not all is there twice."""
    if len(tables) == 1:
        return tables.pop()
    reasons = list(dict.fromkeys(reason for table in tables for reason in table.reasons))
    number = {reason: 1 + place for place, reason in enumerate(reasons)}
    places = [np.array([0, *(number[each] for each in table.reasons)]) for table in tables]
    void = np.concatenate([place[table.void] for place, table in zip(places, tables, strict=True)])
    parts = {
        each.name: [getattr(table, each.name) for table in tables]
        for each in fields(Table)
        if each.name not in ("void", "known", "reasons")
    }
    of_known = {name: [table.known[name] for table in tables] for name in tables[0].known}
    tables.clear()
    columns = {name: np.concatenate(parts.pop(name)) for name in list(parts)}
    known = {name: np.concatenate(of_known.pop(name)) for name in list(of_known)}
    return Table(**columns, void=void, known=known, reasons=tuple(reasons))


def numbered(*columns: NDArray[Any]) -> Ints:
    """One number for each combination of these columns of numbers from 0, shape (n,); the same ones
    have the same.
    """
    found = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        found = found * (int(column.max(initial=0)) + 1) + column
    return found


def distinct(keys: NDArray[Any]) -> tuple[Ints, Ints]:
    """The different ones among whole numbers in their order, shape (k,), and the place among them
    of each, shape (n,): by counting, where NumPy would sort.
    """
    most = int(keys.max(initial=-1))
    if keys.min(initial=0) < 0 or most > _SPARSE * len(keys):
        return np.unique(keys, return_inverse=True)
    there = np.zeros(most + 1, dtype=bool)
    there[keys] = True
    found = np.flatnonzero(there)
    place = np.empty(most + 1, dtype=np.int64)
    place[found] = np.arange(len(found))
    return found, place[keys]


def firsts(places: NDArray[Any], count: int) -> Ints:
    """Where each place 0 … count - 1 is found first, shape (count,). Each is found."""
    first = np.empty(count, dtype=np.int64)
    first[places[::-1]] = np.arange(len(places))[
        ::-1
    ]  # of several, the last one that is assigned stays
    return first


def medians(values: Floats, keys: NDArray[Any], count: int) -> Floats:
    """The median of the values of each key 0 … count - 1; NaN where there are none. Values are not
    NaN.
    """
    ordered = values[
        np.lexsort((values, keys.astype(np.min_scalar_type(count))))
    ]  # NumPy sorts short integers much faster
    sizes = np.bincount(keys, minlength=count)
    ends = np.cumsum(sizes)
    found = np.full(count, np.nan)
    some = sizes > 0
    first = ends[some] - sizes[some]
    found[some] = (ordered[first + (sizes[some] - 1) // 2] + ordered[first + sizes[some] // 2]) / 2
    return found


def _table(records: list[_Record]) -> Table:
    count = len(records)
    reasons = list(dict.fromkeys(each.void for each in records if each.void is not None))
    place = {None: 0, **{reason: 1 + number for number, reason in enumerate(reasons)}}
    spans = np.fromiter((len(each.ns) for each in records), np.int32, count)
    prelude = np.fromiter(
        (len(each.prelude_ns) * each.operations[0] if each.operations else 0 for each in records),
        float,
        count,
    )
    known = {name: _floats(records, f"evidence.{name}") for name in KNOWN["evidence"]}
    for part, none in (("machine", _Machine()), ("device", _Device())):
        parts = [getattr(each, part) or none for each in records]
        known |= {name: _floats(parts, name) for name in KNOWN[part]}
    for name in COUNTERS:
        arrays = map(attrgetter(f"counters.{name}"), records)
        known[name] = np.fromiter(
            (np.nan if each is None else sum(each) for each in arrays), float, count
        )
    return Table(
        **{
            name: np.fromiter(map(attrgetter(name), records), NUMBERS[name], count)
            for name in (*INDEXES, *BYTES)
        },
        ns=np.fromiter((sum(each.ns) for each in records), float, count),
        operations=np.fromiter((sum(each.operations) for each in records), float, count),
        prelude=prelude,
        prelude_ns=np.fromiter((sum(each.prelude_ns) for each in records), float, count),
        resident_before=_floats(records, "resident_before"),
        ended=np.fromiter(map(attrgetter("ended"), records), float, count),
        void=np.fromiter((place[each.void] for each in records), np.int32, count),
        spans=spans,
        span_ns=np.fromiter(
            chain.from_iterable(each.ns for each in records), float, int(spans.sum())
        ),
        span_operations=np.fromiter(
            chain.from_iterable(each.operations for each in records), float, int(spans.sum())
        ),
        known=known,
        reasons=tuple(map(visible, reasons)),
    )


def _floats(records: Sequence[Any], name: str) -> Floats:
    return np.array(list(map(attrgetter(name), records)), dtype=float)
