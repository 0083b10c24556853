"""Reading a run file. docs/run-file.md describes its records."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec

from iogauge.host import files
from iogauge.model.errors import UserError
from iogauge.runfile import columns, format6, header, sealed
from iogauge.runfile.checking import check
from iogauge.runfile.columns import SampleColumns
from iogauge.runfile.header import Header
from iogauge.runfile.records import (
    COLUMNS_LINE,
    ROUND_LINE,
    Caveat,
    Columns,
    NoRecord,
    Round,
    Seal,
    Torn,
    decode,
    may_be_sample,
)
from iogauge.runfile.run import Run

LARGE = 64 << 20
"""Bytes: of a larger file, only the columns of the samples are kept. But those of a published
procedure that counts operations are judged by their records; it takes few samples.
"""


def read(path: Path, *, decoding: Callable[[int], None] = lambda length: None) -> Run:
    """The run of a file. Half lines (of a run that was killed) are skipped. `decoding` gets the
    bytes of a large file without a seal, which takes a while to read. A result file of another tool
    is read as a run, too. Raises UserError for what is neither, or is damaged.
    """
    with header.opened(path) as file:
        if (imported := _imported(path, file)) is not None:
            return imported
        first = header.of_line(path, file.readline())
        published = first.plan.published
        counted = published is not None and published.iteration is None
        if os.fstat(file.fileno()).st_size > LARGE and not counted:
            with no_collector():
                run = _read_large(path, first, file, decoding)
        else:
            run = Run(first)
            add_lines(path, run, file.read().split(b"\n"))
    check(path, run)
    return run


def _imported(path: Path, file: BinaryIO) -> Run | None:
    """The run of another tool's result file; None for anything else. Raises UserError."""
    if files.read_at(file.fileno(), len(header.BEGINNING), 0) == header.BEGINNING:
        return None
    from iogauge.runfile.imports import recognising  # only here: run files need none of it

    run = recognising.read(path, file)
    if run is not None:
        check(path, run)
    return run


_decode_rounds = msgspec.json.Decoder(Round).decode_lines


def add_line(path: Path, run: Run, number: int, line: bytes) -> int:
    """Add the record of a line to a run. Returns 1 for a torn line, which is skipped: a kill leaves
    one at the end, or where a resumed session went on. Raises UserError for what is no record.
    """
    if not line or line.startswith(COLUMNS_LINE):  # of use with a seal only, and long
        return 0
    try:
        record = decode(line, format6=run.header.format == format6.FORMAT)
    except Torn:
        return 1
    except NoRecord as error:
        raise UserError(
            f"{path}: line {number}: not a record of a run file: {error}; measure anew"
        ) from None
    if not isinstance(record, (Columns, Seal)):  # they repeat what the samples say
        run.add(record)
    return 0


def add_lines(path: Path, run: Run, lines: Iterable[bytes]) -> None:
    """Add all records after the header; a caveat if too many lines are torn. Raises UserError."""
    say_torn(run, sum(add_line(path, run, number, line) for number, line in enumerate(lines, 2)))


def without_samples(path: Path, header: Header, lines: bytes) -> Run | None:
    """The run of lines without samples; None where one is a sample, or no record at all."""
    run = Run(header)
    run.rounds, others = _rounds_among(lines.split(b"\n"))
    try:
        add_lines(path, run, others)
    except UserError:
        return None  # reading line by line tells its number
    return None if run.samples else run


def say_torn(run: Run, torn: int) -> None:
    """A caveat where more lines are torn than the kills of its sessions explain."""
    if torn > 1 + len({fork.attempt for fork in run.forks}):
        text = f"{torn} lines of the run file cannot be read: it is damaged"
        run.add(Caveat(about="run", text=text))


def _rounds_among(lines: list[bytes]) -> tuple[list[Round], list[bytes]]:
    """The rounds, decoded at once, and the other lines; all lines as others if a round is torn."""
    rounds: list[bytes] = []
    others: list[bytes] = []
    for line in lines:
        (rounds if line.startswith(ROUND_LINE) else others).append(line)
    try:
        return _decode_rounds(b"\n".join(rounds)), others
    except (msgspec.DecodeError, UnicodeDecodeError):
        return [], lines


_INTERRUPTING = 0.05  # seconds between attempts
_SAMPLES = 20_000  # that are kept before they become columns


@contextmanager
def no_collector() -> Iterator[None]:
    """Without Python's garbage collector, which would walk millions of new objects repeatedly."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def _read_large(path: Path, header: Header, file: BinaryIO, decoding: Callable[[int], None]) -> Run:
    found, changed = None, False
    try:
        found = sealed.read(file, lambda others: without_samples(path, header, others))
    except sealed.Changed:
        changed = True
    if found is None:
        decoding(os.fstat(file.fileno()).st_size)
        if decoded := decode_all(file):
            found = decoded.columns, without_samples(path, header, decoded.others)
    if found is None or found[1] is None:
        run = _line_by_line(path, header, file)
    else:
        run = found[1]
        run.keep(found[0])
    if changed:
        run.add(Caveat(about="run", text="the run file was changed after the run had ended"))
    return run


@dataclass(frozen=True)
class Decoded:
    """A file's samples, its other lines, and where these begin and end, adjacent ones as one."""

    columns: SampleColumns
    others: bytes
    places: list[tuple[int, int]]


def decode_all(file: BinaryIO) -> Decoded | None:
    """The lines from here on, decoded by DuckDB; None without it, or if a sample is not whole."""
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
    """How many lines should be samples, the other lines, and where these begin and end."""
    count, others, places = 0, list[bytes](), list[tuple[int, int]]()
    at = file.tell()
    for line in file:
        end = at + len(line)
        if may_be_sample(line):
            count += 1
        elif not line.startswith(COLUMNS_LINE):
            others.append(line)
            places.append((places.pop()[0] if places and places[-1][1] == at else at, end))
        at = end
    return count, others, places


def _line_by_line(path: Path, header: Header, file: BinaryIO) -> Run:
    run, parts, torn = Run(header), list[SampleColumns](), 0
    file.seek(0)
    for number, line in enumerate(file, 1):
        torn += add_line(path, run, number, line.rstrip(b"\n")) if number > 1 else 0
        if len(run.samples) == _SAMPLES:
            parts.append(columns.of_samples(run.samples))
            run.samples.clear()
    parts.append(columns.of_samples(run.samples))
    run.samples.clear()
    run.keep(columns.joined(parts))
    say_torn(run, torn)
    return run
