"""The columns of a large run file, written to its end when it is whole: to decode a gigabyte of
lines takes several times as long as to read these.

They are lines of the run file like others, a part of a column each, and a last one, the *seal*,
which says where they are and what all that lies before it was when they were made: whoever finds
something else there has to decode the file.
"""

from __future__ import annotations

import base64
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import fields
from typing import Any, BinaryIO, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from iogauge.model.text import visible
from iogauge.runfile import samples
from iogauge.runfile.samples import Table

T = TypeVar("T")
BEGIN = b'{"record":"columns",'
MEANING = 1
"""What the columns of a Table are, and how they come from the lines: another number whenever that
changes. Columns of another meaning are not read.
"""
LONGEST_SEAL = 16 << 20  # bytes: one that would be longer is not written
_SEAL = b'{"record":"seal",'
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
_UNUSABLE = (
    ValueError,
    TypeError,
    KeyError,
    OverflowError,
    OSError,
    MemoryError,
    RuntimeError,
    zlib.error,
    msgspec.MsgspecError,
)


class Changed(Exception):
    """What lies before a seal is not what it was when the file was sealed."""


class _Part(msgspec.Struct):
    name: str
    type: str
    packed: bool
    data: bytes  # base64 in the line


class Seal(msgspec.Struct, tag="seal", tag_field="record"):
    """`samples`: how many; `reasons` of those that are void; `columns`: first byte and length of
    the lines of each; `crc32` of each 16 MiB of all that comes before the seal, the rest in the
    last one.
    """

    meaning: int
    samples: int
    reasons: list[str]
    columns: dict[str, list[tuple[int, int]]]
    crc32: list[int]


_part = msgspec.json.Decoder(_Part).decode
_seal = msgspec.json.Decoder(Seal).decode


def records(table: Table, others: Sequence[tuple[int, int]]) -> Iterator[dict[str, Any]]:
    """The lines to be written but for the seal, column by column. `others`: where in the file the
    other lines begin and end.
    """
    columns = {
        each.name: getattr(table, each.name)
        for each in fields(table)
        if each.name not in ("known", "reasons")
    } | table.known
    for name, values in {**columns, _OTHERS: np.array(others, dtype=np.int64).reshape(-1)}.items():
        narrow = _narrowed(values)
        narrow = narrow.astype(narrow.dtype.newbyteorder("<"), copy=False)
        content = narrow.tobytes()
        packed = len(zlib.compress(content[:_TRIED], 1)) < _WORTH * min(_TRIED, len(content))
        for start in range(0, max(1, len(content)), _PART):
            part = content[start : start + _PART]
            data = base64.b64encode(zlib.compress(part, 1) if packed else part).decode()
            yield {
                "record": "columns",
                "name": name,
                "type": narrow.dtype.str,
                "packed": packed,
                "data": data,
            }


def seal_record(
    file: BinaryIO, table: Table, places: dict[str, list[tuple[int, int]]]
) -> dict[str, Any]:
    """Of a file that holds the lines of `records` at these places, and nothing after them."""
    end = os.fstat(file.fileno()).st_size
    with _threads() as threads:
        checks = list(threads.map(lambda start: _check(file, start, end), range(0, end, _CHECKED)))
    return msgspec.to_builtins(Seal(MEANING, len(table), list(table.reasons), places, checks))


def read(file: BinaryIO, meanwhile: Callable[[bytes], T]) -> tuple[Table, T] | None:
    """The samples, and what `meanwhile` makes of the lines after the first that are no samples, and
    no columns.

    It is asked while the rest is looked through, and what it made is dropped where it turns out
    that these are not the lines that were sealed. None for a file without a seal at its end, or
    with one that is of no use here. Raises Changed where the seal is of something else: it tells
    what happened by chance or by hand, and is no proof against who means to deceive.
    """
    length = os.fstat(file.fileno()).st_size
    tail = os.pread(file.fileno(), LONGEST_SEAL, max(0, length - LONGEST_SEAL))
    line = tail[tail.rfind(b"\n", 0, -1) + 1 :]
    if not line.startswith(_SEAL) or not line.endswith(b"\n"):
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
        made = (
            None if others is None else meanwhile(others)
        )  # it keeps Python busy, and the threads do not
        try:
            if list(checks) != found.crc32:
                raise Changed
            return (
                None
                if others is None
                else (_table({name: part.result() for name, part in parts.items()}, found), made)
            )
        except _UNUSABLE:
            return None


def _table(columns: dict[str, NDArray[Any]], found: Seal) -> Table:
    _check_columns(columns, found)
    known = {name: columns.pop(name) for name in _KNOWN}
    return Table(**columns, known=known, reasons=tuple(map(visible, found.reasons)))


def _other_lines(file: BinaryIO, found: Seal, end: int) -> bytes:
    places = _column(file, _OTHERS, found, end).reshape(-1, 2)
    if (places[:, 1] < places[:, 0]).any() or (places[:, 1] - places[:, 0]).sum() > end:
        raise ValueError
    return b"".join(os.pread(file.fileno(), stop - start, start) for start, stop in places.tolist())


def _check(file: BinaryIO, start: int, end: int) -> int:
    return zlib.crc32(os.pread(file.fileno(), min(_CHECKED, end - start), start))


@contextmanager
def _threads() -> Iterator[ThreadPoolExecutor]:
    """Who stops it waits for what is under way, not for all."""
    threads = ThreadPoolExecutor(min(_MOST_THREADS, os.cpu_count() or 1))
    try:
        yield threads
    finally:
        threads.shutdown(cancel_futures=True)


def _check_places(found: Seal, end: int) -> None:
    """Raises ValueError for what cannot be in a file whose seal begins there."""
    places = [each for of in found.columns.values() for each in of]
    inside = all(start >= 0 and length > 0 and start + length <= end for start, length in places)
    if (
        not inside
        or sum(length for _, length in places) > end
        or not 0 <= found.samples <= end // len(samples.BEGIN)
    ):
        raise ValueError


def _check_columns(columns: dict[str, NDArray[Any]], found: Seal) -> None:
    """Each has a value for each sample, or span; whole numbers are none that no line could have.
    Raises ValueError.
    """
    spans = int(columns["spans"].sum())
    whole = (columns[name] for name in (*samples.INDEXES, *samples.BYTES, "spans", "void"))
    right = all(
        len(values) == (spans if name.startswith("span_") else found.samples)
        for name, values in columns.items()
    )
    if (
        not right
        or any(values.min(initial=0) < 0 for values in whole)
        or columns["void"].max(initial=0) > len(found.reasons)
    ):
        raise ValueError


def _column(file: BinaryIO, name: str, found: Seal, end: int) -> NDArray[Any]:
    many = name == _OTHERS or name.startswith("span_")
    parts, left = (
        [],
        end // 2 if many else found.samples,
    )  # numbers: in a line, each takes two bytes at least
    for start, length in found.columns[name]:
        part = _part(os.pread(file.fileno(), length, start))
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


_KNOWN = (*(name for names in samples.KNOWN.values() for name in names), *samples.COUNTERS)


def _narrowed(values: NDArray[Any]) -> NDArray[Any]:
    """The same numbers in fewer bytes where they are small and whole; nothing where none is known."""
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
    if name == _OTHERS:
        return values.astype(np.int64)
    if name.startswith("span_"):
        return values
    if not values.size:
        return np.broadcast_to(np.nan, count)
    return values if name in _KNOWN else values.astype(_NUMBERS.get(name, np.float64), copy=False)


_NUMBERS = {**samples.NUMBERS, "void": np.int32}
