"""Code of the user's must leave their file as it is: it is called with a copy first, and after each
call of it the file is looked at.
"""

from __future__ import annotations

import filecmp
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from iogauge.corpus.own_file import OwnFile
from iogauge.model.errors import UserError
from iogauge.model.strategy import Strategy
from iogauge.model.text import listed

_LARGEST, _CUT = 256 << 20, 64 << 20  # bytes of a file that is copied as a whole, or else of it
_SPARE = 64 << 20  # bytes of room that a copy leaves to others
_LONG_AGO = 1_000_000_000  # when a copy was changed last, as its function sees it


class Copy:
    """A copy of the user's file, under its name, in a new folder in `folder`. It is `whole`, or the
    first lines of a file that is large, or for which there is no room.
    """

    def __init__(self, file: OwnFile, folder: Path):
        room = max(0, shutil.disk_usage(folder).free - _SPARE)
        self._file, self._folder, self._places = file.path, folder, list[Path]()
        self.whole = file.file_size <= min(_LARGEST, room)
        self._length = file.file_size if self.whole else min(file.file_size, _CUT, room)
        self.renew()

    def renew(self) -> None:
        """Make it anew; what became of the one before is removed."""
        for each in self._places:
            shutil.rmtree(each, ignore_errors=True)
        self._places = [Path(tempfile.mkdtemp(dir=self._folder))]
        self.path = self._places[0] / self._file.name
        if self.whole:
            shutil.copyfile(self._file, self.path)
        else:
            with self._file.open("rb") as file:
                head = file.read(self._length)
            self.path.write_bytes(head[: head.rfind(b"\n") + 1] or head)
        os.utime(self.path, (_LONG_AGO, _LONG_AGO))
        self._known = self.path.stat()

    def is_changed(self) -> bool:
        """Whether it was written to, with the same bytes too, or is gone."""
        try:
            found = self.path.lstat()
            if _facts(found) != _facts(self._known):
                return True
            if found.st_ctime_ns == self._known.st_ctime_ns:
                return False
            # Its time was set back, perhaps; some file systems do this late of their own accord.
            self._known = found
            return not self._is_the_same()
        except OSError:
            return True

    def _is_the_same(self) -> bool:
        if self.whole:
            return filecmp.cmp(self._file, self.path, shallow=False)
        with self._file.open("rb") as file:
            data = self.path.read_bytes()
            return file.read(len(data)) == data


def _facts(found: os.stat_result) -> tuple[int, ...]:
    return found.st_mode, found.st_size, found.st_mtime_ns


def must_be(file: OwnFile, called: Iterable[Strategy]) -> None:
    """Raises UserError where the user's file is not as it was before these were called."""
    why = file.why_changed()
    if why is None:
        return
    names = list(dict.fromkeys(each.known_as for each in called))
    were, them = ("was", "it") if len(names) == 1 else ("were", "one of them")
    raise UserError(
        f"{file.given}: {why} while {listed(names)} {were} called, perhaps by {them}; measure a "
        "copy of the file, and a function that only reads"
    )
