"""Sealing a large run file: its columns are written to its end, so that nobody who reads it has to
decode it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

from iogauge.model.errors import UserError
from iogauge.runfile import header, large, reading, sealed
from iogauge.runfile.adding import without_samples
from iogauge.runfile.columns import SampleColumns
from iogauge.runfile.writing import Writer


def seal(path: Path, sealing: Callable[[int], None] = lambda length: None) -> None:
    """Seal a large file whose run has ended; `sealing` is told its bytes first. A file that is
    small, sealed, damaged, of a run that has not ended, or changed by somebody else meanwhile stays
    as it is, and so does one that cannot be sealed. Raises UserError.
    """
    with path.open("rb") as file, large.no_collector():
        before = os.fstat(file.fileno())
        found = _sealable(path, file, sealing) if before.st_size > reading.LARGE else None
        if found is None or _state(file) != (before.st_size, before.st_mtime_ns):
            return
        with closing(Writer(path, resume=True)) as writer:
            start = os.fstat(file.fileno()).st_size
            if start - before.st_size not in (0, 1):  # the end of a torn line is ours
                return
            try:
                _write(file, writer, start, *found)
            except BaseException:  # Ctrl-C, or no room
                writer.cut(start)
                raise
            finally:
                # The newest run is the one that was measured last, not sealed last.
                os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _sealable(
    path: Path, file: BinaryIO, sealing: Callable[[int], None]
) -> tuple[SampleColumns, list[tuple[int, int]]] | None:
    """The samples, and where the other lines begin and end. None for a file that is not to be
    sealed.
    """
    first = header.of_line(path, file.readline())
    try:
        if sealed.read(file, lambda others: True):
            return None
    except sealed.Changed:  # a new seal would hide it
        return None
    sealing(os.fstat(file.fileno()).st_size)
    decoded = large.decode(file)
    run = without_samples(path, first, decoded.others) if decoded else None
    return (decoded.columns, decoded.places) if decoded and run and run.complete else None


def _write(
    file: BinaryIO,
    writer: Writer,
    start: int,
    columns: SampleColumns,
    others: list[tuple[int, int]],
) -> None:
    places: dict[str, list[tuple[int, int]]] = {}
    for record in sealed.records(columns, others):
        length = writer.append(record)
        places.setdefault(record.name, []).append((start, length))
        start += length
    writer.sync()  # what the seal speaks of is on the disk before it
    if writer.append(sealed.seal_of(file, columns, places)) > sealed.LONGEST_SEAL:
        raise UserError(f"{writer.path}: too many reasons of void samples for a seal")
    writer.sync()


def _state(file: BinaryIO) -> tuple[int, int]:
    """Length, and time of the last change."""
    found = os.fstat(file.fileno())
    return found.st_size, found.st_mtime_ns
