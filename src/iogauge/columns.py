"""The columns of a large run file, written to its end when it is whole: to decode a gigabyte of lines takes several times as long as to read these.

They are lines of the run file like others, a part of a column each, and a last one, the *seal*, which says where they are and what all that lies before it was when they were
made: whoever finds something else there has to decode the file.
"""

from __future__ import annotations

import base64
import hashlib
import os
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import Any, BinaryIO

import msgspec
import numpy as np
from numpy.typing import NDArray

from iogauge import samples
from iogauge.samples import Table
from iogauge.text import visible

BEGIN = b'{"record":"columns",'
_SEAL = b'{"record":"seal",'
_PART = 4 << 20  # bytes of a column in a line, before they are packed
_TRIED = 64 << 10  # bytes: whether they shrink tells whether the column is packed
_WORTH = 0.7  # of its size: what shrinks less is not worth the time
_DIGESTED = 16 << 20  # bytes of the file for one digest
_TAIL = 1 << 20  # bytes: no seal is longer
_MOST_THREADS = 4
_NARROW = (np.uint8, np.uint16, np.uint32)
_TYPES = frozenset(np.dtype(each).str for each in (*_NARROW, np.int32, np.int64, np.float64))
_OTHERS = "others"


class Changed(Exception):
    """What lies before a seal is not what it was when the file was sealed."""


class _Part(msgspec.Struct):
    name: str
    type: str
    packed: bool
    data: bytes  # base64 in the line


class Seal(msgspec.Struct, tag="seal", tag_field="record"):
    """`samples`: how many; `reasons` of those that are void; `columns`: first byte and length of the lines of each; `sha256` of each 16 MiB of all that comes before the seal, the rest in the last one."""

    samples: int
    reasons: list[str]
    columns: dict[str, list[tuple[int, int]]]
    sha256: list[str]


_part = msgspec.json.Decoder(_Part).decode
_seal = msgspec.json.Decoder(Seal).decode


@dataclass(frozen=True)
class Decoded:
    """`others`: the lines after the first that are no samples."""

    table: Table
    others: bytes


def records(table: Table, others: NDArray[np.int64]) -> Iterator[dict[str, Any]]:
    """The lines to be written but for the seal, column by column. `others`, shape (k, 2): where in the file lines that are no samples begin and end."""
    columns = {each.name: getattr(table, each.name) for each in fields(table) if each.name not in ("known", "reasons")} | table.known
    for name, values in {**columns, _OTHERS: others.reshape(-1)}.items():
        narrow = _narrowed(values)
        content = narrow.tobytes()
        packed = len(zlib.compress(content[:_TRIED], 1)) < _WORTH * min(_TRIED, len(content))
        for start in range(0, max(1, len(content)), _PART):
            part = content[start : start + _PART]
            data = base64.b64encode(zlib.compress(part, 1) if packed else part).decode()
            yield {"record": "columns", "name": name, "type": narrow.dtype.str, "packed": packed, "data": data}


def seal(file: BinaryIO, table: Table, places: dict[str, list[tuple[int, int]]]) -> dict[str, Any]:
    """Of a file that holds the lines of `records` at these places, and nothing after them."""
    length = os.fstat(file.fileno()).st_size
    with ThreadPoolExecutor(_threads()) as threads:
        digests = list(threads.map(lambda start: _digest(file, start, length), range(0, length, _DIGESTED)))
    return msgspec.to_builtins(Seal(len(table), list(table.reasons), places, digests))


def read(file: BinaryIO) -> Decoded | None:
    """None for a file without a seal at its end. Raises Changed where the seal is of something else."""
    length = os.fstat(file.fileno()).st_size
    tail = os.pread(file.fileno(), _TAIL, max(0, length - _TAIL))
    line = tail[tail.rfind(b"\n", 0, -1) + 1 :]
    if not line.startswith(_SEAL) or not line.endswith(b"\n"):
        return None
    end = length - len(line)
    with ThreadPoolExecutor(_threads()) as threads:
        try:
            found = _seal(line)
            digests = threads.map(lambda start: _digest(file, start, end), range(0, end, _DIGESTED))
            columns = dict(zip(found.columns, threads.map(lambda name: _column(file, name, found), found.columns), strict=True))
            if list(digests) != found.sha256:
                raise Changed
            others = b"".join(os.pread(file.fileno(), stop - start, start) for start, stop in columns.pop(_OTHERS).reshape(-1, 2).tolist())
            if not _whole(columns, found.samples):
                raise Changed
            known = {name: columns.pop(name) for name in _KNOWN}
            return Decoded(Table(**columns, known=known, reasons=tuple(map(visible, found.reasons))), others)
        except (ValueError, TypeError, KeyError, OverflowError, OSError, zlib.error, msgspec.MsgspecError):
            raise Changed from None


def _threads() -> int:
    return min(_MOST_THREADS, os.cpu_count() or 1)


def _digest(file: BinaryIO, start: int, end: int) -> str:
    return hashlib.sha256(os.pread(file.fileno(), min(_DIGESTED, end - start), start)).hexdigest()


def _column(file: BinaryIO, name: str, seal: Seal) -> NDArray[Any]:
    parts = []
    for start, length in seal.columns[name]:
        part = _part(os.pread(file.fileno(), length, start))
        if part.name != name or part.type not in _TYPES:
            raise Changed
        parts.append(np.frombuffer(zlib.decompressobj().decompress(part.data, _PART) if part.packed else part.data, part.type))
    return _widened(name, np.concatenate(parts), seal.samples)


def _whole(columns: dict[str, NDArray[Any]], count: int) -> bool:
    """Whether each column has a value for each sample, and spans are as many as samples have."""
    spans = columns["spans"].sum()
    return all(len(values) == (spans if name.startswith("span_") else count) for name, values in columns.items())


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
    if not values.size and not name.startswith("span_"):
        return np.full(count, np.nan)
    return values.astype(_NUMBERS.get(name, np.float64))


_NUMBERS = {**samples.NUMBERS, "void": np.int32}
