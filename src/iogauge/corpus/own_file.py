"""TODO"""

from __future__ import annotations

import os
import stat
from functools import cached_property
from pathlib import Path

import numpy as np

from iogauge.corpus import content
from iogauge.corpus.data_files import DataSpec, Manifest, manifest_of
from iogauge.model.errors import UserError


class OwnFile:
    """A file of the user's, to be read and never changed. Raises UserError where it cannot be
    measured. Its bytes are looked at when something is asked of them.
    """

    def __init__(self, path: Path):
        self.given, self.path = path, Path(os.path.realpath(path))
        try:
            str(self.path).encode()
            self._known = self.path.stat()
            if not stat.S_ISREG(self._known.st_mode):
                raise UserError(f"--file {path}: not a regular file")
            with self.path.open("rb"):
                pass
        except UnicodeEncodeError:
            raise UserError("--file: runners cannot be told of a path that is not UTF-8") from None
        except OSError as error:
            raise UserError(f"--file {path}: {error.strerror}") from None
        self.size = self._known.st_size
        if not self.size:
            raise UserError(f"--file {path}: is empty")

    @cached_property
    def _tally(self) -> content.Tally:
        return self._added(text=True) or self._added(text=False)

    @property
    def is_text(self) -> bool:
        """Whether it is valid UTF-8."""
        return self._tally.text

    @property
    def observable(self) -> bool:
        """Whether the kernel tells us what of it is in the cache (pagecache.observe)."""
        return os.geteuid() in (0, self._known.st_uid) or os.access(self.path, os.W_OK)

    @property
    def lone_returns(self) -> int:
        """Carriage returns that no line feed follows: some languages end a line there."""
        return self._tally.lone_returns

    def manifest(self) -> Manifest:
        """Raises UserError where the file has changed since it was looked at."""
        tally, found = self._tally, self.path.stat()
        if (found.st_size, found.st_mtime_ns, found.st_ino) != (
            self.size,
            self._known.st_mtime_ns,
            self._known.st_ino,
        ):
            raise UserError(f"--file {self.given}: has changed meanwhile")
        return manifest_of(DataSpec("own", self.size, "own"), tally, found)

    def _added(self, *, text: bool) -> content.Tally | None:
        """Its counts and sums; None where it was to be text and is not."""
        tally, rest = content.Tally(text=text), b""
        with self.path.open("rb") as file:
            while data := file.read(content.TILE):
                try:
                    whole, rest = _cut(rest + data) if text else (data, b"")
                    if whole:
                        tally.add(np.frombuffer(whole, np.uint8))
                except UnicodeDecodeError:
                    return None
        return None if rest else tally


def _cut(data: bytes) -> tuple[bytes, bytes]:
    """Into whole characters of UTF-8, and the beginning of one that goes on."""
    for length in range(1, min(4, len(data) + 1)):
        if data[-length] & 0xC0 != 0x80:  # the first byte of a character
            needed = 1 + (data[-length] >= 0xC0) + (data[-length] >= 0xE0) + (data[-length] >= 0xF0)
            return (data[:-length], data[-length:]) if needed > length else (data, b"")
    return data, b""
