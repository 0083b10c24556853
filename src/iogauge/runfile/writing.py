"""Appending to a run file.

Each record is one write(2), so that what was measured survives a kill; `sync` (between replicates,
never inside one) makes it survive the machine.
"""

from __future__ import annotations

import os
from pathlib import Path

from iogauge.host import files
from iogauge.host.calls import BINARY, lock
from iogauge.model.errors import UserError
from iogauge.runfile.header import Header
from iogauge.runfile.lines import encode
from iogauge.runfile.records import Record


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
