"""The columns of a large run file, stored at its end: to decode a gigabyte of lines takes several
times as long as to read these.

They are lines of the run file like others, each with a part of a column. The last line, the *seal*,
says where they are, and holds checksums of all that came before it. Where these do not agree, the
file has to be decoded.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, BinaryIO, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from iogauge.host.files import read_at
from iogauge.model.text import visible
from iogauge.runfile.columns import COLUMNS, COUNTED, SPANS, WHOLE, SampleColumns
from iogauge.runfile.records import SAMPLE_LINE, SEAL_LINE, Columns, Seal

T = TypeVar("T")
MEANING = 3
"""What the columns are, and how they come from the lines: another number whenever that changes.
Columns of another meaning are not read. (A counter more or less needs no other number: a seal
without a column is not used.)
"""
LONGEST_SEAL = 16 << 20  # bytes: one that would be longer is not written
_PART = 4 << 20  # bytes of a column in a line, before they are packed; no line has more
_TRIED = 64 << 10  # bytes: whether they shrink tells whether the column is packed
_WORTH = 0.7  # of its size: what shrinks less is not worth the time
_CHECKED = 16 << 20  # bytes of the file for one check: part of the format, as docs/run-file.md says
_MOST_THREADS = 4
_NARROW = (np.uint8, np.uint16, np.uint32)
_TYPES = frozenset(
    np.dtype(each).newbyteorder("<").str for each in (*_NARROW, np.int32, np.int64, np.float64)
)
_OTHERS = "others"
_ERRORS = ValueError, TypeError, KeyError, OverflowError, OSError, MemoryError, RuntimeError
_UNUSABLE = (*_ERRORS, zlib.error, msgspec.MsgspecError)


class Changed(Exception):
    """What lies before a seal is not what it was when the file was sealed."""


_part = msgspec.json.Decoder(Columns).decode
_seal = msgspec.json.Decoder(Seal).decode


def records(samples: SampleColumns, others: Sequence[tuple[int, int]]) -> Iterator[Columns]:
    """The lines before the seal, by column; `others` are the places of the other lines."""
    at = np.array(others, dtype=np.int64).reshape(-1)
    for name, values in {**samples.arrays, _OTHERS: at}.items():
        narrow = _narrowed(values)
        narrow = narrow.astype(narrow.dtype.newbyteorder("<"), copy=False)
        content = narrow.tobytes()
        packed = len(zlib.compress(content[:_TRIED], 1)) < _WORTH * min(_TRIED, len(content))
        for start in range(0, max(1, len(content)), _PART):
            part = content[start : start + _PART]
            data = zlib.compress(part, 1) if packed else part
            yield Columns(name=name, type=narrow.dtype.str, packed=packed, data=data)


def seal_of(
    file: BinaryIO, samples: SampleColumns, places: dict[str, list[tuple[int, int]]]
) -> Seal:
    """The seal of a file with the lines of `records` at these places and nothing after them."""
    end = os.fstat(file.fileno()).st_size
    with _threads() as threads:
        checks = list(threads.map(lambda start: _check(file, start, end), range(0, end, _CHECKED)))
    return Seal(MEANING, len(samples), list(samples.reasons), places, checks)


def read(file: BinaryIO, meanwhile: Callable[[bytes], T]) -> tuple[SampleColumns, T] | None:
    """The samples, and what `meanwhile` makes of the lines after the first that are neither samples
    nor columns.

    `meanwhile` is called while the rest of the file is checked; its result is dropped where these
    turn out not to be the lines that were sealed. None for a file without a seal at its end, or
    with one that is of no use here. Raises Changed where the file is not what was sealed: this
    finds what happened by chance or by hand, and is no proof against deceit.
    """
    length = os.fstat(file.fileno()).st_size
    tail = read_at(file.fileno(), LONGEST_SEAL, max(0, length - LONGEST_SEAL))
    line = tail[tail.rfind(b"\n", 0, -1) + 1 :]
    if not line.startswith(SEAL_LINE) or not line.endswith(b"\n"):
        return None
    end = length - len(line)
    try:
        found = _seal(line)
    except _UNUSABLE:
        return None
    if found.meaning != MEANING:
        return None
    with _threads() as threads:
        checks = threads.map(lambda start: _check(file, start, end), range(0, end, _CHECKED))
        try:
            _check_places(found, end)
            parts = {
                name: threads.submit(_column, file, name, found, end)
                for name in found.columns
                if name != _OTHERS
            }
            others = _other_lines(file, found, end)
        except _UNUSABLE:
            parts, others = {}, None
        # It keeps Python busy, and the threads do not.
        made = None if others is None else meanwhile(others)
        try:
            if list(checks) != found.crc32:
                raise Changed
            if made is None:
                return None
            arrays = {name: part.result() for name, part in parts.items()}
            _check_columns(arrays, found)
            return SampleColumns(arrays, tuple(map(visible, found.reasons))), made
        except _UNUSABLE:
            return None


def _other_lines(file: BinaryIO, found: Seal, end: int) -> bytes:
    places = _column(file, _OTHERS, found, end).reshape(-1, 2)
    if (places[:, 1] < places[:, 0]).any() or (places[:, 1] - places[:, 0]).sum() > end:
        raise ValueError
    return b"".join(read_at(file.fileno(), stop - start, start) for start, stop in places.tolist())


def _check(file: BinaryIO, start: int, end: int) -> int:
    return zlib.crc32(read_at(file.fileno(), min(_CHECKED, end - start), start))


@contextmanager
def _threads() -> Iterator[ThreadPoolExecutor]:
    """On an exception, only what is under way is waited for."""
    threads = ThreadPoolExecutor(min(_MOST_THREADS, os.cpu_count() or 1))
    try:
        yield threads
    finally:
        threads.shutdown(cancel_futures=True)


def _check_places(found: Seal, end: int) -> None:
    """Raises ValueError for places that a file whose seal begins at `end` cannot have."""
    places = [each for of in found.columns.values() for each in of]
    inside = all(start >= 0 and length > 0 and start + length <= end for start, length in places)
    if (
        not inside
        or sum(length for _, length in places) > end
        or not 0 <= found.samples <= end // len(SAMPLE_LINE)
    ):
        raise ValueError


def _check_columns(columns: dict[str, NDArray[Any]], found: Seal) -> None:
    """Raises ValueError unless there is each column, with the right length and plausible whole
    numbers.
    """
    spans = int(columns["spans"].sum())
    if (
        columns.keys() != {*COLUMNS, *SPANS, "void"}
        or any(
            len(values) != (spans if name in SPANS else found.samples)
            for name, values in columns.items()
        )
        or any(columns[name].min(initial=0) < 0 for name in WHOLE)
        or columns["void"].max(initial=0) > len(found.reasons)
    ):
        raise ValueError


def _column(file: BinaryIO, name: str, found: Seal, end: int) -> NDArray[Any]:
    many = name in (_OTHERS, *SPANS)
    # Numbers that may still come: in a line, each takes two bytes at least.
    parts, left = [], end // 2 if many else found.samples
    for start, length in found.columns[name]:
        part = _part(read_at(file.fileno(), length, start))
        if part.name != name or part.type not in _TYPES:
            raise ValueError
        parts.append(
            np.frombuffer(
                zlib.decompressobj().decompress(part.data, _PART) if part.packed else part.data,
                part.type,
            )
        )
        left -= len(parts[-1])
        if left < 0:
            raise ValueError
    return _widened(name, np.concatenate(parts), found.samples)


def _narrowed(values: NDArray[Any]) -> NDArray[Any]:
    """The same numbers in fewer bytes where they are small and whole; none where all are NaN."""
    if not values.size:
        return values
    if np.isnan(values).all():
        return np.empty(0)
    least, most = values.min(), values.max()
    if least >= 0 and most <= np.iinfo(_NARROW[-1]).max:  # no NaN either
        narrow = values.astype(next(each for each in _NARROW if most <= np.iinfo(each).max))
        if (narrow == values).all():
            return narrow
    return values


def _widened(name: str, values: NDArray[Any], count: int) -> NDArray[Any]:
    if name in SPANS:
        return values
    if name == _OTHERS or name in WHOLE:
        return values.astype(WHOLE.get(name, np.int64), copy=False)
    if not values.size:
        return np.broadcast_to(np.nan, count)
    return values if name in COUNTED else values.astype(np.float64, copy=False)
