"""Samples as columns: what estimates and reports need of every sample, as arrays.

A run may hold a million samples, which would not fit into memory as one object each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from iogauge.model import figures
from iogauge.model.text import visible
from iogauge.runfile.arrays import Floats, Ints
from iogauge.runfile.records import Sample

INDEXES = ("case", "group", "fork", "bundle", "replicate", "attempt", "part", "round", "position")
BYTES = ("request_bytes", "reply_bytes")
SPANS = ("span_ns", "span_operations")
"""The columns that have a row for each span."""
KNOWN = {part: figures.names(part) for part in ("evidence", "machine", "device")}
"""What is counted around a sample, by the part of its record."""
COUNTERS = figures.names("counters")
"""What a runtime counts in each span."""
COUNTED = (*(name for names in KNOWN.values() for name in names), *COUNTERS)


class Column(NamedTuple):
    """A column with a row for each sample: its type, and its value in a record, None where that is
    not known; `sql` is the same in terms of the record's keys.
    """

    type: type[np.generic]
    value: Callable[[Sample], float | None]
    sql: str


def _total_sql(of: str) -> str:
    return f"CASE WHEN {of} IS NOT NULL THEN coalesce(list_sum({of}), 0)::DOUBLE END"


def _key(name: str, kind: type[np.generic], sql: str | None = None) -> Column:
    return Column(kind, attrgetter(name), sql or f'"{name}"')


def _total(name: str) -> Column:
    return Column(np.float64, lambda each: sum(getattr(each, name)), _total_sql(name))


def _known(part: str, name: str) -> Column:
    return Column(np.float64, lambda each: (getattr(each, part) or {}).get(name), f"{part}.{name}")


def _counter(name: str) -> Column:
    def total(sample: Sample) -> float | None:
        by_span = sample.counters.get(name)
        return None if by_span is None else sum(by_span)

    return Column(np.float64, total, _total_sql(f"counters.{name}"))


def _prelude(sample: Sample) -> float:
    return len(sample.prelude_ns) * sample.operations[0] if sample.operations else 0


COLUMNS = {
    **{name: _key(name, np.int32, f'"{name}"::INTEGER') for name in INDEXES},
    **{name: _key(name, np.int64) for name in BYTES},
    "ns": _total("ns"),
    "operations": _total("operations"),
    "prelude": Column(np.float64, _prelude, "len(prelude_ns) * coalesce(operations[1], 0)"),
    "prelude_ns": _total("prelude_ns"),
    "resident_before": _key("resident_before", np.float64),
    "folio_bytes": _key("folio_bytes", np.float64),
    "ended": _key("ended", np.float64, "coalesce(ended, 0)"),
    "spans": Column(np.int32, lambda each: len(each.ns), "len(ns)::INTEGER"),
    **{name: _known(part, name) for part, names in KNOWN.items() for name in names},
    **{name: _counter(name) for name in COUNTERS},
}
"""The one table of columns with a row per sample; `void` is made apart, of all reasons."""
WHOLE = {name: each.type for name, each in COLUMNS.items() if each.type is not np.float64}
WHOLE["void"] = np.int32
"""The columns of whole numbers from 0, and their types."""


class SampleColumns:
    """A column of shape (n,) for each key, with a row per sample, in the order of the run. NaN
    stands for what is not known. `arrays` has all of them by name.

    `operations` and `ns` are totals over the spans of a sample. `span_operations` and `span_ns`,
    shape (m,), hold the single spans of all samples, one sample after another; `spans` says how
    many each sample has. `prelude` is the number of operations before the spans, `prelude_ns` their
    time. `void` is 0 for a valid sample, else one more than the index of its reason in `reasons`.

    Counters have their names in the run file, those of the runtime as totals over the spans. These
    columns and those of spans take as few bytes as a sealed file stores: unsigned numbers of any
    width, or floats. Calculate with `counts` and `span_levels`, which widen them.
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
    folio_bytes: Floats
    ended: Floats
    void: Ints
    spans: Ints
    span_ns: NDArray[Any]
    span_operations: NDArray[Any]

    def __init__(self, arrays: dict[str, NDArray[Any]], reasons: tuple[str, ...]):
        self.arrays, self.reasons = arrays, reasons
        vars(self).update(arrays)

    def __len__(self) -> int:
        return len(self.case)

    @property
    def levels(self) -> Floats:
        """ns per operation, by sample."""
        return self.ns / self.operations

    def counts(self, name: str) -> Floats:
        """A counter by sample, shape (n,)."""
        return self.arrays[name].astype(np.float64, copy=False)

    def span_levels(self, rows: NDArray[Any]) -> Floats:
        """ns per operation of the spans of these rows, one sample after another."""
        places = self.span_places(rows)
        ns, operations = self.span_ns[places], self.span_operations[places]
        levels: Floats = np.true_divide(ns, operations, dtype=np.float64)
        return levels

    def take(self, rows: NDArray[Any]) -> SampleColumns:
        """The samples of these rows, in this order."""
        places = self.span_places(rows)
        taken = {
            name: values[places if name in SPANS else rows] for name, values in self.arrays.items()
        }
        return SampleColumns(taken, self.reasons)

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
        """The sum of a counter over all samples; None if one does not know it, or without any."""
        total = self.arrays[name].sum(dtype=np.float64)
        return float(total) if len(self) and not np.isnan(total) else None


def of_samples(samples: Sequence[Sample]) -> SampleColumns:
    """The columns of these samples, in their order."""
    reasons = list(dict.fromkeys(each.void for each in samples if each.void is not None))
    numbers = {reason: number for number, reason in enumerate([None, *reasons])}
    arrays: dict[str, NDArray[Any]] = {
        name: _column(map(column.value, samples), column.type) for name, column in COLUMNS.items()
    }
    arrays["void"] = _column((numbers[each.void] for each in samples), np.int32)
    arrays["span_ns"] = _column(chain.from_iterable(each.ns for each in samples))
    arrays["span_operations"] = _column(chain.from_iterable(each.operations for each in samples))
    return SampleColumns(arrays, tuple(map(visible, reasons)))


def _column(
    values: Iterable[float | None], kind: type[np.generic] = np.float64
) -> NDArray[np.generic]:
    return np.fromiter((np.nan if each is None else each for each in values), kind)


def joined(parts: list[SampleColumns]) -> SampleColumns:
    """One after another. Takes them out of the list, so that not all is there twice."""
    if len(parts) == 1:
        return parts.pop()
    reasons = list(dict.fromkeys(reason for part in parts for reason in part.reasons))
    numbers = {reason: number for number, reason in enumerate(reasons, 1)}
    pieces = {name: [part.arrays[name] for part in parts] for name in parts[0].arrays}
    pieces["void"] = [
        np.array([0, *(numbers[each] for each in part.reasons)])[part.void] for part in parts
    ]
    parts.clear()
    arrays = {name: np.concatenate(pieces.pop(name)) for name in list(pieces)}
    return SampleColumns(arrays, tuple(reasons))
