"""The user's own file, as data to be read."""

from __future__ import annotations

import codecs
import gzip
import os
import stat
import zlib
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from iogauge.corpus import content
from iogauge.corpus.data_files import DataSpec, Manifest, manifest_of
from iogauge.host import provable
from iogauge.model.errors import UserError
from iogauge.model.folders import is_utf8
from iogauge.model.strategy import Format

_GZIP = b"\x1f\x8b\x08"  # how a gzip file begins


class OwnFile:
    """The user's file, which iogauge reads and never changes.

    Of a gzip file that is to be `unpacked`, the data are what is inside. All else here, but
    `file_size`, is of the data. Raises UserError if it cannot be measured. Its bytes are not read
    before a property needs them.
    """

    def __init__(self, path: Path, *, unpacked: bool = False):
        self.given, self.path = path, _for_runners(path)
        try:
            self._known = self.path.stat()
            if stat.S_ISDIR(self._known.st_mode):
                raise UserError(f"{path}: is a folder; give a file in it")
            if not stat.S_ISREG(self._known.st_mode):
                raise UserError(f"{path}: not a regular file; give a file of yours")
            with self.path.open("rb") as file:
                packed = unpacked and file.read(len(_GZIP)) == _GZIP
        except OSError as error:
            raise UserError(f"{path}: {error.strerror}; give a file that you may read") from None
        self.format: Format = "gzip" if packed else "plain"
        self.file_size = self._known.st_size
        if not self.file_size:
            raise UserError(f"{path}: is empty; give a file with data in it")

    @cached_property
    def size(self) -> int:
        """Bytes of its data. Raises UserError where a gzip file cannot be unpacked."""
        return self.file_size if self.format == "plain" else self._tally.counts["byte"]

    @cached_property
    def _tally(self) -> content.Tally:
        try:
            tally = self._added(text=True) or self._added(text=False)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise UserError(
                f"{self.given}: begins as a gzip file, but cannot be unpacked ({error}); "
                "give one that is whole"
            ) from None
        assert tally  # bytes can always be added
        if not tally.counts["byte"]:
            raise UserError(f"{self.given}: is empty inside; give a file with data in it")
        return tally

    def opened(self) -> BinaryIO:
        """Its data, to be read."""
        if self.format == "gzip":
            return cast(BinaryIO, gzip.open(self.path))
        return self.path.open("rb")

    @property
    def modified(self) -> float:
        """When it last changed, in seconds since 1970."""
        return self._known.st_mtime

    @property
    def is_text(self) -> bool:
        """Whether it is valid UTF-8."""
        return self._tally.text

    def why_not_cold(self) -> str | None:
        """The reason why it cannot be measured from disk; None if it can. Evicts it."""
        return provable.why_not_cold(self.path)

    @property
    def lone_returns(self) -> int:
        """Carriage returns without a line feed after them: some languages end a line there."""
        return self._tally.lone_returns

    def explained_lines(self, count: int) -> str | None:
        """Why a reader may see so many lines, and not as many as the file has: `it also ends lines
        at U+0085`. None where the file does not explain it.
        """
        return None

    def manifest(self) -> Manifest:
        """Its manifest. Raises UserError if the file has changed since this object was made."""
        spec = DataSpec("own", self.size, "own", self.format)
        manifest = manifest_of(spec, self._tally, self._known)
        if not manifest.describes(self.path.stat()):
            raise UserError(f"{self.given}: has changed meanwhile; run the command again")
        return manifest

    def _added(self, *, text: bool) -> content.Tally | None:
        """Its counts and sums; None if it is not text although `text` asks for it."""
        tally, rest = content.Tally(text=text), b""
        with self.opened() as file:
            while data := file.read(content.TILE):
                data = rest + data
                # The beginning of a character waits for its end.
                last = data[-4:] if text else b""
                whole = len(data) - len(last) + codecs.utf_8_decode(last, "ignore", False)[1]
                rest = data[whole:]
                try:
                    tally.add(np.frombuffer(data[:whole], np.uint8))
                except UnicodeDecodeError:
                    return None
        return None if rest else tally


def _for_runners(path: Path) -> Path:
    """The path without links, or the one given if only that is UTF-8: runners take no other."""
    for found in (Path(os.path.realpath(path)), path.absolute()):
        if is_utf8(found):
            return found
    raise UserError(
        "the path of the file is not UTF-8, and runners take no other; rename the file, or link it"
    )
