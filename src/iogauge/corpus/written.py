"""Files that cases write: named, verified once they are written, removed.

A file is removed before the device settles, on purpose: the kernel never writes back a file that
was deleted in time, so a sample leaves the device little to do.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from iogauge.corpus.data_files import unframed
from iogauge.host.device import SYNCHRONOUS, set_flag
from iogauge.host.files import opened
from iogauge.model.strategy import Format
from iogauge.model.workload import Durability, Lifetime, Mode

_CHUNK = 256 << 10  # bytes compared at a time: they stay in the processor's cache


class WrongFile(Exception):
    """The file does not hold what it should."""


@dataclass(eq=False)
class WrittenFiles:
    """The files that one case writes (with the lifetime `run`: all cases of a group), one after
    another.

    `fresh` names the files of a request, `check` verifies them, and `forget` removes them unless
    they live longer. `payload` is the file with the data that one operation writes. With
    `generates` only sizes are verified. A file that grows from sample to sample begins anew beyond
    `grown_most` bytes.
    """

    folder: Path
    payload: Path
    form: Format = field(kw_only=True)
    mode: Mode = field(kw_only=True)
    durability: Durability = field(kw_only=True)
    lifetime: Lifetime = field(kw_only=True)
    grown_most: int = field(kw_only=True)
    generates: bool = field(kw_only=True, default=False)

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        self._size = self.payload.stat().st_size
        self._next = 0
        self._current: list[Path] = []
        self.length = 0  # bytes in the file before the next operation, where it outlives a request
        self._operations = 0  # of the request, per file
        self._read = np.empty(min(_CHUNK, self._size), np.uint8)

    def fresh(self, operations: int) -> list[str]:
        """Paths for a request of `operations`: one for each, or one for all of them."""
        if self.lifetime == "operation":
            count, self._operations = operations, 1
        else:
            count, self._operations = 1, operations
        if not self._current:
            self._current = [
                self.folder / f"{self._next + number}.written" for number in range(count)
            ]
            self._next += count
        if self.durability == "sync-inode":
            for path in self._current:
                _touch_synchronous(path)
            # Else the first operation would wait until all of these changes are written.
            _sync(self._current[-1])
        return [str(path) for path in self._current]

    @property
    def existing(self) -> list[Path]:
        """The files of the request that are there."""
        return [path for path in self._current if path.exists()]

    def check(self) -> None:
        """Raises WrongFile unless every file of the request holds what it should."""
        begin = self.length if self.mode == "append" else 0
        times = self._operations if self.mode == "append" else 1
        # Only now: what a copy reads must leave the cache, and a mapped file cannot.
        payload = (
            np.memmap(self.payload, np.uint8, mode="r") if self._size else np.empty(0, np.uint8)
        )
        for path in self._current:
            self._check(path, payload, begin, times)
        self.length = self._current[0].stat().st_size

    def forget(self, *, sync: bool = True) -> bool:
        """Remove the request's files, unless they live on; those are synced, if `sync`. Returns
        whether a file was removed only because it had grown too large.
        """
        lives_on = self.lifetime in ("fork", "run")
        grown = lives_on and self.length > self.grown_most
        if not lives_on or grown:
            self.remove()
        elif self._current and sync:
            _sync(self._current[0])
        return grown

    def remove(self) -> None:
        """Remove the request's files, however long they live."""
        for path in self._current:
            path.unlink(missing_ok=True)
        self._current, self.length = [], 0

    def close(self) -> None:
        """Remove all files and the folder."""
        self._current = []
        shutil.rmtree(self.folder, ignore_errors=True)

    def _check(self, path: Path, payload: NDArray[np.uint8], begin: int, times: int) -> None:
        try:
            found = path.stat().st_size
        except OSError:
            raise WrongFile("the file was not written") from None
        if self.form != "plain":
            data = unframed(path.read_bytes(), self.form)
            if data is None or data != payload.tobytes() * times:
                raise WrongFile(f"the file is not the payload as {self.form}")
            return
        due = begin + times * self._size
        if found != due:
            raise WrongFile(f"wrong size: the file has {found} bytes, {due} are right")
        if self.generates:
            return
        with path.open("rb", buffering=0) as file:
            file.seek(begin)
            for _ in range(times):
                for start in range(0, self._size, _CHUNK):
                    part = payload[start : start + _CHUNK]
                    read = self._read[: len(part)]
                    whole = file.readinto(read.data) == len(part)
                    if not whole or not np.array_equal(read, part):
                        raise WrongFile("wrong content: the file does not hold the payload")


def _touch_synchronous(path: Path) -> None:
    try:
        path.touch()
        kept = set_flag(path, SYNCHRONOUS)
    except OSError as error:
        raise WrongFile(f"a synchronous file cannot be made: {error.strerror}") from None
    if not kept:
        raise WrongFile("the file system dropped the synchronous flag of a file")


def _sync(path: Path) -> None:
    try:
        with opened(path) as fd:
            os.fsync(fd)
    except OSError as error:
        raise WrongFile(f"the file cannot be synced: {error.strerror}") from None
