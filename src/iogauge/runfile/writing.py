"""Appending to a run file.

Each record is one write(2), so that what was measured survives a kill; `sync` (between replicates,
never inside one) makes it survive the machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

from iogauge.host import files
from iogauge.host.kernel import BINARY, lock
from iogauge.model.errors import UserError
from iogauge.runfile import header, reading, sealed
from iogauge.runfile.columns import SampleColumns
from iogauge.runfile.header import Header
from iogauge.runfile.reading import without_samples
from iogauge.runfile.records import Record, encode


class Writer:
    """Appends records to a run file. Nobody else may write to it meanwhile. Raises UserError where
    the file cannot be written, exists already, or is being measured.
    """

    def __init__(self, path: Path, *, resume: bool = False):
        self.path = path
        flags = os.O_WRONLY | os.O_APPEND | BINARY | (0 if resume else os.O_CREAT | os.O_EXCL)
        try:
            if not resume:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(path, flags, 0o644)
        except FileExistsError as error:
            if error.filename != str(path):  # a file where a folder was meant
                raise UserError(
                    f"{path}: {path.parent} is not a folder; give another --out"
                ) from None
            raise UserError(f"{path} exists already; give another --out, or --resume it") from None
        except OSError as error:
            raise UserError(f"{path}: {error.strerror}; give another --out") from None
        try:
            lock(self._fd)
        except OSError:
            os.close(self._fd)
            raise UserError(f"{path} is being measured by another iogauge; wait for it") from None
        if resume:
            _end_torn_line(path, self._fd)

    def append(self, record: Header | Record) -> int:
        """Returns the length of the line in bytes."""
        line = record.line() if isinstance(record, Header) else encode(record)
        left = memoryview(line)
        try:
            while left:
                left = left[os.write(self._fd, left) :]
        except OSError as error:
            raise UserError(f"{self.path}: {error.strerror}; make room, then --resume it") from None
        return len(line)

    def cut(self, length: int) -> None:
        """Take back all that came after the first `length` bytes."""
        os.ftruncate(self._fd, length)

    def sync(self) -> None:
        files.sync_data(self._fd)

    def close(self) -> None:
        os.close(self._fd)


def _end_torn_line(path: Path, fd: int) -> None:
    """End the half line that a run leaves when it is killed inside a write; readers skip it."""
    length = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, length - 1))
        if file.read(1) not in (b"\n", b""):
            os.write(fd, b"\n")


def seal(path: Path, sealing: Callable[[int], None] = lambda length: None) -> None:
    """Seal a large file whose run has ended; `sealing` gets its bytes first. A file that is small,
    sealed, damaged, unfinished, or changed meanwhile stays as it is. Raises UserError.
    """
    with path.open("rb") as file, reading.no_collector():
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
    """The samples and the places of other lines; None for a file that is not to be sealed."""
    first = header.of_line(path, file.readline())
    try:
        if sealed.read(file, lambda others: True):
            return None
    except sealed.Changed:  # a new seal would hide it
        return None
    sealing(os.fstat(file.fileno()).st_size)
    decoded = reading.decode_all(file)
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
