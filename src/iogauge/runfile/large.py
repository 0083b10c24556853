"""Reading a large run file: its samples become columns, without an object for each.

A sealed file has the columns. Else DuckDB, where it is installed, decodes all samples at once; and
where a line is not as it should be, they are read line by line, with the complaints of small files.
"""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from iogauge.host import files
from iogauge.model.errors import UserError
from iogauge.runfile import columns, sealed
from iogauge.runfile.adding import add_line, say_torn, without_samples
from iogauge.runfile.columns import SampleColumns
from iogauge.runfile.filesamples import FileSamples
from iogauge.runfile.header import Header
from iogauge.runfile.lines import COLUMNS, NoSample, decode_samples, is_json, may_be_sample, missing
from iogauge.runfile.records import Caveat
from iogauge.runfile.run import Run

_INTERRUPTING = 0.05  # seconds between attempts
_LINES = 20_000  # that are decoded at a time


@contextmanager
def no_collector() -> Iterator[None]:
    """Without Python's garbage collector: where millions of objects are made that stay, it would
    look at all of them again and again.
    """
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def read(path: Path, header: Header, file: BinaryIO, decoding: Callable[[int], None]) -> Run:
    """The run of an open file whose header was read. `decoding` is told the bytes of a file without
    a seal. Raises UserError.
    """
    with no_collector():
        return _read(path, header, file, decoding)


def _read(path: Path, header: Header, file: BinaryIO, decoding: Callable[[int], None]) -> Run:
    found, changed = None, False
    try:
        found = sealed.read(file, lambda others: without_samples(path, header, others))
    except sealed.Changed:
        changed = True
    if found is None:
        decoding(os.fstat(file.fileno()).st_size)
        if decoded := decode(file):
            found = decoded.columns, without_samples(path, header, decoded.others)
    if found is None or found[1] is None:
        run = _line_by_line(path, header, file)
    else:
        run = found[1]
        run.samples = FileSamples(path, found[0])
    if changed:
        run.add(Caveat(about="run", text="the run file was changed after the run had ended"))
    return run


@dataclass(frozen=True)
class Decoded:
    """The samples of a file; `others`, the lines after the first that are neither samples nor
    columns; and where in the file these begin and end, adjacent ones as one.
    """

    columns: SampleColumns
    others: bytes
    places: list[tuple[int, int]]


def decode(file: BinaryIO) -> Decoded | None:
    """What the lines from here on say, decoded all at once. None where there are no samples, or
    where a line that should be a sample is none, or without DuckDB.
    """
    try:
        from iogauge.runfile import bulk  # only here: it takes a tenth of a second to load
    except ImportError:
        return None
    try:
        connected = bulk.connected()
    except bulk.FAILURES:
        return None
    with connected as database, ThreadPoolExecutor(1) as thread:
        decoding = thread.submit(bulk.columns_of, database, files.name_of(file))
        try:
            count, others, places = _scanned(file)
            found = decoding.result()
        except BaseException:  # after Ctrl-C most of all, nobody shall wait for it
            while wait([decoding], _INTERRUPTING).not_done:
                database.interrupt()  # of one query, or of none that is just beginning
            raise
    if found is None or not 0 < count == len(found):
        return None
    return Decoded(found, b"".join(others), places)


def _scanned(file: BinaryIO) -> tuple[int, list[bytes], list[tuple[int, int]]]:
    """How many of the lines from here on should be samples, the other ones, and where these begin
    and end, adjacent ones as one.
    """
    count, others, places = 0, list[bytes](), list[tuple[int, int]]()
    at = file.tell()
    for line in file:
        end = at + len(line)
        if may_be_sample(line):
            count += 1
        elif not line.startswith(COLUMNS):
            others.append(line)
            places.append((places.pop()[0] if places and places[-1][1] == at else at, end))
        at = end
    return count, others, places


class _Batches:
    """Samples that are decoded some thousand lines at a time."""

    def __init__(self, path: Path):
        self.path = path
        self.parts = [columns.of_samples(())]
        self.begins: list[int] = []
        self.torn = 0
        self._lines: list[bytes] = []
        self._places: list[int] = []

    def add(self, line: bytes, at: int) -> None:
        self._lines.append(line)
        self._places.append(at)
        if len(self._lines) == _LINES:
            self.decode()

    def decode(self) -> None:
        """Raises UserError for what is no sample. Torn lines are skipped."""
        while True:
            try:
                samples = decode_samples(self._lines)
                break
            except NoSample as error:
                line = self._lines[error.index]
                if is_json(line):
                    why = missing(json.loads(line)) or error
                    raise UserError(
                        f"{self.path}: not a record of a run file: {why}; measure anew"
                    ) from None
                del self._lines[error.index], self._places[error.index]
                self.torn += 1
        self.parts.append(columns.of_samples(samples))
        self.begins += self._places
        self._lines.clear()
        self._places.clear()


def _line_by_line(path: Path, header: Header, file: BinaryIO) -> Run:
    run, batches, torn, at = Run(header), _Batches(path), 0, 0
    file.seek(0)
    for number, line in enumerate(file, 1):
        if number > 1 and may_be_sample(line):
            batches.add(line, at)
        elif number > 1:
            torn += add_line(path, run, number, line.rstrip(b"\n"))
        at += len(line)
    batches.decode()
    if batches.begins:
        stored = FileSamples(path, columns.joined(batches.parts), batches.begins)
        stored.more += run.samples  # of lines that are written otherwise
        run.samples = stored
    say_torn(run, torn + batches.torn)
    return run
