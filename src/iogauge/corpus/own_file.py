"""The user's own file, as data to be read."""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from functools import cached_property
from pathlib import Path

import numpy as np

from iogauge.corpus import content
from iogauge.corpus.data_files import DataSpec, Manifest, manifest_of
from iogauge.corpus.gzip_members import MAGIC, Members
from iogauge.corpus.profile import Profile
from iogauge.corpus.scanning import Scan
from iogauge.corpus.sniffing import HEAD
from iogauge.host import files, pagecache, provable
from iogauge.host.folios import Looker
from iogauge.model.errors import UserError
from iogauge.model.folders import is_utf8
from iogauge.model.strategy import Format, Peculiarity

PROFILED = 1 << 30
"""Bytes of a larger file that are read before it is said what it is."""


class OwnFile:
    """The user's file, which iogauge reads and never changes.

    Of a gzip file that is to be `unpacked`, the data are what is inside. All else here, but
    `file_size`, `cached` and `holes`, is of the data. `cached` is the share of the file that was in
    the page cache before anything of it was read, None where nobody can tell, and `folio_bytes` how
    large the folios were that held it, where somebody looked; `members` are those of a gzip file
    that is unpacked. Raises UserError if it cannot be measured. Its data are not
    read before a property needs them.
    """

    def __init__(self, path: Path, *, unpacked: bool = False):
        self.given, self.path = path, _for_runners(path)
        self.folio_bytes: int | None = None
        try:
            self._known = self.path.stat()
            if stat.S_ISDIR(self._known.st_mode):
                raise UserError(f"{path}: is a folder; give a file in it")
            if not stat.S_ISREG(self._known.st_mode):
                raise UserError(f"{path}: not a regular file; give a file of yours")
            self.cached = _cached(self.path, self._known)
            with self.path.open("rb") as file:
                packed = unpacked and file.read(len(_GZIP)) == _GZIP
        except OSError as error:
            raise UserError(f"{path}: {error.strerror}; give a file that you may read") from None
        self.format: Format = "gzip" if packed else "plain"
        self.file_size = self._known.st_size
        if not self.file_size:
            raise UserError(f"{path}: is empty; give a file with data in it")
        self.members = Members(self.path) if packed else None
        self._unread = self._pieces(self.members)
        self._scan: Scan | None = None
        self._tally = content.Tally(text=True)

    @cached_property
    def profile(self) -> Profile:
        """What its data are, by at most the first GiB. Raises UserError where a gzip file cannot be
        unpacked.
        """
        return self._read(PROFILED)

    @cached_property
    def _whole(self) -> Profile:
        """What all of its data are. From then on the tally is complete."""
        return self.profile if self.profile.scanned < PROFILED else self._read(None)

    @property
    def size(self) -> int:
        """Bytes of its data. Raises UserError where a gzip file cannot be unpacked."""
        return self.file_size if self.format == "plain" else self._whole.scanned

    @property
    def is_text(self) -> bool:
        """Whether it is text in UTF-8."""
        return self._whole.is_text

    @property
    def lines(self) -> int:
        """Its lines, which end with LF, CRLF or the file."""
        return self._whole.lines

    @property
    def peculiarities(self) -> frozenset[Peculiarity]:
        """What it has that some ways to read it do not take as others do."""
        found: set[Peculiarity] = set(self._whole.peculiarities)
        if self.members and self.members.behind:
            zeros = self.members.zeros == self.members.behind
            found.add("trailing-zeros" if zeros else "trailing-data")
        return frozenset(found)

    def explained_lines(self, count: int) -> str | None:
        """Why a reader may see so many lines, and not `lines`: `it also ends lines at U+0085`. None
        where the file does not explain it.
        """
        return self._whole.explained_lines(count)

    @cached_property
    def holes(self) -> int:
        """Bytes of the file that were never written, and are read as zeros."""
        return provable.holes(self.path)

    @property
    def modified(self) -> float:
        """When it last changed, in seconds since 1970."""
        return self._known.st_mtime

    def why_not_cold(self, *, untouched: bool = False) -> str | None:
        """The reason why it cannot be measured from disk; None if it can. Evicts it, unless it is
        to be left `untouched`: then it is not sure that it can.
        """
        return (provable.why_hardly_cold if untouched else provable.why_not_cold)(self.path)

    def look(self, looker: Looker) -> None:
        """See how it is cached, where all of it is. To be called before it is read."""
        if self.cached == 1:
            self.folio_bytes = looker.folio_bytes(self.path)

    def look_whether_left(self) -> None:
        """See whether all of it is still cached; if not, it is no longer as it was left. To be
        called once more before it is read, which brings everything in.
        """
        if self.cached == 1 and (share := _cached(self.path, self._known)) != 1:
            self.cached, self.folio_bytes = share, None

    def manifest(self) -> Manifest:
        """Its manifest. Raises UserError if the file has changed since this object was made."""
        if not self.is_text:
            self._tally.drop_text()
        spec = DataSpec("own", self._whole.scanned, "own", self.format)
        manifest = manifest_of(spec, self._tally, self._known)
        if why := self.why_changed():
            raise UserError(f"{self.given}: {why} meanwhile; run the command again")
        return manifest

    def why_changed(self) -> str | None:
        """`has changed` or `was removed`, since this object was made; None if it is as it was."""
        try:
            found = self.path.stat()
        except OSError:
            return "was removed"
        return None if _facts(found) == _facts(self._known) else "has changed"

    def head(self, length: int) -> bytes:
        """The first bytes of its data."""
        found = b""
        with closing(self._pieces()) as pieces:
            while len(found) < length and (data := next(pieces, b"")):
                found += data
        return found[:length]

    def _read(self, most: int | None) -> Profile:
        """Read on until `most` bytes were seen, or all; what they are."""
        while not self._scan or most is None or self._scan.seen < most:
            data = next(self._unread, None)
            if data is None:
                self._tally.end()
                break
            self._scan = self._scan or Scan(data[:HEAD])
            self._scan.add(data)
            self._tally.add(np.frombuffer(data, np.uint8))
        if not self._scan:
            raise UserError(f"{self.given}: is empty inside; give a file with data in it")
        return self._scan.profile(utf_8=self._tally.text)

    def _pieces(self, members: Members | None = None) -> Generator[bytes, None, None]:
        """Its data from the start, in pieces of some MiB; the last may be shorter than HEAD."""
        if self.format == "plain":
            with self.path.open("rb", buffering=0) as file:
                while data := file.read(content.TILE):
                    yield data
            return
        try:
            yield from _at_least(HEAD, (members or Members(self.path)).pieces())
        except (EOFError, zlib.error) as error:
            raise UserError(
                f"{self.given}: begins as a gzip file, but cannot be unpacked ({error}); "
                "give one that is whole"
            ) from None


_GZIP = MAGIC + b"\x08"  # how a gzip file begins


def _facts(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_size, found.st_mtime_ns, found.st_ino


def _cached(path: Path, found: os.stat_result) -> float | None:
    """The share of the file that is in the page cache."""
    if pagecache.WHY_NOT or not found.st_size or not files.may_be_observed(path, found):
        return None
    try:
        return pagecache.observe(path).share
    except OSError:
        return None


def _at_least(length: int, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same data, in pieces that are not shorter; only the last may be."""
    waiting = b""
    for data in pieces:
        waiting += data
        if len(waiting) >= length:
            yield waiting
            waiting = b""
    if waiting:
        yield waiting


def _for_runners(path: Path) -> Path:
    """The path without links, or the one given if only that is UTF-8: runners take no other."""
    for found in (Path(os.path.realpath(path)), path.absolute()):
        if is_utf8(found):
            return found
    raise UserError(
        "the path of the file is not UTF-8, and runners take no other; rename the file, or link it"
    )
