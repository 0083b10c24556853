"""Samples as columns: what estimates and reports need of every sample, as arrays.

A run may hold a million samples, which would not fit into memory as one object each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from iogauge.model import figures
from iogauge.model.errors import UserError
from iogauge.model.text import visible
from iogauge.runfile.arrays import Floats, Ints
from iogauge.runfile.lines import NoRecord, Torn, decode, is_sample, may_be_sample
from iogauge.runfile.records import Sample

INDEXES = ("case", "group", "fork", "bundle", "replicate", "attempt", "part", "round", "position")
BYTES = ("request_bytes", "reply_bytes")
NUMBERS = {**dict.fromkeys(INDEXES, np.int32), **dict.fromkeys(BYTES, np.int64), "spans": np.int32}
"""The columns that are not floats."""
KNOWN = {part: figures.names(part) for part in ("evidence", "machine", "device")}
"""What is counted around a sample, by the part of its record."""
COUNTERS = figures.names("counters")
"""What a runtime counts in each span."""
COUNTED = (*(name for names in KNOWN.values() for name in names), *COUNTERS)


@dataclass(frozen=True)
class SampleColumns:
    """A column of shape (n,) for each key, with a row per sample, in the order of the run. NaN
    stands for what is not known.

    `operations` and `ns` are totals over the spans of a sample. `span_operations` and `span_ns`,
    shape (m,), hold the single spans of all samples, one sample after another; `spans` says how
    many each sample has. `prelude` is the number of operations before the spans, `prelude_ns` their
    time. `void` is 0 for a valid sample, else one more than the index of its reason in `reasons`.

    `known` holds the counters by their names in the run file, those of the runtime as totals over
    the spans. These columns and those of spans take as few bytes as a sealed file stores: unsigned
    numbers of any width, or floats. Calculate with `counts` and `span_levels`, which widen them.
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
        """A counter by sample, shape (n,)."""
        return self.known[name].astype(np.float64, copy=False)

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
            each.name: getattr(self, each.name)[rows]
            for each in fields(self)
            if each.name not in ("span_ns", "span_operations", "known", "reasons")
        }
        return SampleColumns(
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
        """The sum of a counter over all samples; None if one does not know it, or without any."""
        total = self.known[name].sum(dtype=np.float64)
        return float(total) if len(self) and not np.isnan(total) else None


def of_samples(samples: Sequence[Sample]) -> SampleColumns:
    """The columns of these samples, in their order."""
    count = len(samples)
    reasons = list(dict.fromkeys(each.void for each in samples if each.void is not None))
    numbers: dict[str | None, int] = {
        None: 0,
        **{reason: number for number, reason in enumerate(reasons, 1)},
    }
    spans = _whole(map(len, map(attrgetter("ns"), samples)), count)
    prelude = (
        len(each.prelude_ns) * each.operations[0] if each.operations else 0 for each in samples
    )
    return SampleColumns(
        **{
            name: np.fromiter(map(attrgetter(name), samples), NUMBERS[name], count)
            for name in (*INDEXES, *BYTES)
        },
        ns=_floats((sum(each.ns) for each in samples), count),
        operations=_floats((sum(each.operations) for each in samples), count),
        prelude=_floats(prelude, count),
        prelude_ns=_floats((sum(each.prelude_ns) for each in samples), count),
        resident_before=_floats((each.resident_before for each in samples), count),
        ended=_floats((each.ended for each in samples), count),
        void=_whole((numbers[each.void] for each in samples), count),
        spans=spans,
        span_ns=_floats(chain.from_iterable(each.ns for each in samples), int(spans.sum())),
        span_operations=_floats(
            chain.from_iterable(each.operations for each in samples), int(spans.sum())
        ),
        known=_known(samples),
        reasons=tuple(map(visible, reasons)),
    )


def joined(parts: list[SampleColumns]) -> SampleColumns:
    """One after another. Takes them out of the list, so that not all is there twice."""
    if len(parts) == 1:
        return parts.pop()
    reasons = list(dict.fromkeys(reason for part in parts for reason in part.reasons))
    numbers = {reason: number for number, reason in enumerate(reasons, 1)}
    renumbered = [np.array([0, *(numbers[each] for each in part.reasons)]) for part in parts]
    void = np.concatenate(
        [number[part.void] for number, part in zip(renumbered, parts, strict=True)]
    )
    pieces = {
        each.name: [getattr(part, each.name) for part in parts]
        for each in fields(SampleColumns)
        if each.name not in ("void", "known", "reasons")
    }
    pieces_known = {name: [part.known[name] for part in parts] for name in parts[0].known}
    parts.clear()
    columns = {name: np.concatenate(pieces.pop(name)) for name in list(pieces)}
    known = {name: np.concatenate(pieces_known.pop(name)) for name in list(pieces_known)}
    return SampleColumns(**columns, void=void, known=known, reasons=tuple(reasons))


def _known(samples: Sequence[Sample]) -> dict[str, Floats]:
    known: dict[str, Floats] = {}
    for part, names in KNOWN.items():
        counts = [getattr(each, part) or {} for each in samples]
        for name in names:
            known[name] = _floats((each.get(name) for each in counts), len(samples))
    for name in COUNTERS:
        by_span = (each.counters.get(name) for each in samples)
        known[name] = _floats(
            (None if each is None else sum(each) for each in by_span), len(samples)
        )
    return known


def _floats(values: Iterable[float | None], count: int) -> Floats:
    return np.fromiter((np.nan if each is None else each for each in values), np.float64, count)


def _whole(values: Iterable[int], count: int) -> Ints:
    return np.fromiter(values, np.int32, count)


class FileSamples(Sequence[Sample]):
    """The samples of a large run file: only their columns are kept, and a record is read again when
    it is used. `more` are those that were added since.

    `begins` says where the records begin in the file, shape (n,). Without it, this is looked for
    when the first record is used.
    """

    def __init__(self, path: Path, columns: SampleColumns, begins: Sequence[int] | None = None):
        self.path, self.columns, self.more = path, columns, list[Sample]()
        self._stored, self._begins = len(columns), begins

    def __len__(self) -> int:
        return self._stored + len(self.more)

    @overload
    def __getitem__(self, index: int) -> Sample: ...

    @overload
    def __getitem__(self, index: slice) -> list[Sample]: ...

    def __getitem__(self, index: int | slice) -> Sample | list[Sample]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        index %= len(self)
        if index >= self._stored:
            return self.more[index - self._stored]
        return self._read(index)

    def append(self, sample: Sample) -> None:
        self.more.append(sample)

    def _read(self, index: int) -> Sample:
        if self._begins is None:
            self._begins = _begins(self.path)
        if len(self._begins) != self._stored:
            raise UserError(f"{self.path}: it changed while it was read; run the command again")
        with self.path.open("rb") as file:
            file.seek(self._begins[index])
            line = file.readline()
        try:
            found = decode(line)
        except (Torn, NoRecord):
            found = None
        if type(found) is not Sample:
            raise UserError(f"{self.path}: it changed while it was read; run the command again")
        return found


def _begins(path: Path) -> list[int]:
    """Where the lines begin that hold a sample, in a file whose samples are all whole."""
    begins, at = [], 0
    with path.open("rb") as file:
        for line in file:
            if may_be_sample(line) or (b"sample" in line and is_sample(line)):
                begins.append(at)
            at += len(line)
    return begins
