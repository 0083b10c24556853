"""The columns of large run files, kept in our cache folder: to decode a gigabyte of lines takes many times as long as to read what it says.

What is kept belongs to one state of one file (which one, how long, when last changed) and to the code that decoded it; of anything else nothing is found, and the
file is decoded. A cache that cannot be read or written is no error.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from importlib import metadata
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from iogauge import folders, samples
from iogauge.samples import Table

MOST_FILES = 3
_ROOM = 4  # times what is to be kept: so much has to be free, as a run may be writing to the same disk
SETTLED_NS = 1_000_000_000  # of changes that follow another sooner than the clock of a file system ticks, times tell nothing
_MADE_BY = ("samples.py", "bulk.py", "columns.py", "runfile.py", "text.py")
_LIBRARIES = ("numpy", "duckdb")
_NARROW = (np.uint8, np.uint16, np.uint32)


@dataclass(frozen=True)
class Kept:
    """`others`: the lines after the first that are no samples."""

    table: Table
    others: bytes


def state(file: BinaryIO) -> str | None:
    """What tells this state of this file from any other; None while it may be changing."""
    found = os.fstat(file.fileno())
    if time.time_ns() - found.st_mtime_ns < SETTLED_NS:
        return None
    code = hashlib.sha256(b"".join((Path(__file__).parent / name).read_bytes() for name in _MADE_BY)).hexdigest()
    which = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns, code, *map(metadata.version, _LIBRARIES))
    return hashlib.sha256(repr(which).encode()).hexdigest()[:32]


def find(of: str) -> Kept | None:
    path = _path(of)
    try:
        with np.load(path, allow_pickle=False) as stored:
            count, names = stored["case"].size, stored.files
        with ThreadPoolExecutor(2) as threads:
            columns = dict(zip(names, threads.map(lambda name: _column(path, name, count), names), strict=True))
        others, reasons = columns.pop("others"), columns.pop("reasons")
        known = {name: columns.pop(name) for name in [*columns] if name in _KNOWN}
        kept = Kept(Table(**columns, known=known, reasons=tuple(json.loads(reasons.tobytes()))), others.tobytes())
    except Exception:  # noqa: BLE001 - whatever is wrong with it, the file itself is there
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # it was of use: others go first
    return kept


def _column(path: Path, name: str, count: int) -> NDArray[Any]:
    with np.load(path, allow_pickle=False) as stored:  # a file of its own for each thread
        return _widened(name, stored[name], count)


def keep(file: BinaryIO, of: str, kept: Kept) -> None:
    """What was decoded of a file, unless it is not in that state any more. What was of use longest ago goes for it."""
    if state(file) != of:
        return
    table = kept.table
    columns = {each.name: getattr(table, each.name) for each in fields(table) if each.name not in ("known", "reasons")} | table.known
    columns |= {"others": np.frombuffer(kept.others, np.uint8), "reasons": np.frombuffer(json.dumps(table.reasons).encode(), np.uint8)}
    with contextlib.suppress(OSError, ValueError, MemoryError):
        folder = _folder()
        folder.mkdir(parents=True, exist_ok=True)
        for old in sorted(folder.glob("*.npz"), key=_used)[: 1 - MOST_FILES]:
            old.unlink(missing_ok=True)
        if shutil.disk_usage(folder).free > _ROOM * sum(values.nbytes for values in columns.values()):
            _write(columns, _path(of))


def _used(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # another process was faster
        return 0.0


def _write(columns: dict[str, NDArray[Any]], path: Path) -> None:
    """The file has no name until it is whole, so that nothing is left of it when the process is killed."""
    place = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with os.fdopen(os.open(path.parent, os.O_TMPFILE | os.O_RDWR, 0o600), "w+b") as unnamed:
            with zipfile.ZipFile(unnamed, "w") as archive:
                for name, values in columns.items():  # one by one: narrowed, all of them together would take as much memory again
                    with archive.open(f"{name}.npy", "w", force_zip64=True) as part:
                        np.lib.format.write_array(part, _narrowed(values), allow_pickle=False)
            unnamed.flush()
            path.unlink(missing_ok=True)  # a damaged one
            os.link(f"/proc/self/fd/{unnamed.fileno()}", path, src_dir_fd=place)  # with a folder, or it would not follow the link
    finally:
        os.close(place)


_KNOWN = {*(name for names in samples.KNOWN.values() for name in names), *samples.COUNTERS}


def _folder() -> Path:
    return folders.cache() / "columns"


def _path(of: str) -> Path:
    return _folder() / f"{of}.npz"


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
    if name in ("others", "reasons"):
        return values
    if not values.size and not name.startswith("span_"):
        return np.full(count, np.nan)
    return values.astype(_NUMBERS.get(name, np.float64), copy=False)


_NUMBERS = {**samples.NUMBERS, "void": np.int32}
