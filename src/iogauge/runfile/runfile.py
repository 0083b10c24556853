"""The run file: JSON lines, of which those that were measured are only appended; one run, raw facts
only. docs/run-file.md describes the records.

Each record is one write(2), so that what was measured survives a kill; `sync` (between replicates,
never inside one) makes it survive the machine.
"""

from __future__ import annotations

import fcntl
import gc
import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from iogauge.model.errors import UserError
from iogauge.model.method import Method
from iogauge.model.plan import Plan
from iogauge.model.strategy import Runtime
from iogauge.model.text import all_visible
from iogauge.runfile import columns, samples
from iogauge.runfile.samples import Table

FORMAT = 5
_FORMATS = (4, FORMAT)  # that can be read: one of format 4 has no columns, and no seal
LARGE = 64 << 20  # bytes: the samples of a larger file are not kept as dictionaries
_INTERRUPTING = 0.05  # seconds between attempts
_LINES = 20_000  # that are decoded at a time

_OF_A_SAMPLE = (
    *("case", "group", "fork", "bundle", "replicate", "attempt", "part", "round", "position"),
    *(
        "ns",
        "operations",
        "prelude_ns",
        "bytes",
        "count",
        "sum",
        "counters",
        "evidence",
        "machine",
        "device",
        "request_bytes",
        "reply_bytes",
    ),
    *("resident_before", "dirty_before", "in_flight_before", "file_before", "void"),
)

# Records after the header are plain dictionaries, with these keys at least. One key, `record`,
# names the kind.
KINDS: dict[str, tuple[str, ...]] = {
    "fork": (
        "fork",
        "spec",
        "bundle",
        "replicate",
        "attempt",
        "layout",
        "padding",
        "warm_up",
        "alone",
        "steady",
    ),
    "calibration": ("case", "operations", "spans", "prelude", "ns_per_op", "rounds"),
    "round": ("group", "bundle", "replicate", "attempt", "part", "round", "canary"),
    "sample": _OF_A_SAMPLE,
    "ceiling": _OF_A_SAMPLE,
    "companion": (
        *("cases", "strategy", "parameters", "fork", "bundle", "replicate", "attempt", "part"),
        *("size", "ns", "operations"),
    ),
    "harness": ("runtime", "options", "strategy", "ns", "operations"),
    "failure": ("case", "replicate", "reason"),
    "caveat": ("about", "text"),
    "replicate": ("bundle", "replicate", "attempt", "seconds", "elapsed", "groups", "cases"),
    "end": ("reason", "seconds"),
    "columns": ("name", "type", "packed", "data"),
    "seal": ("meaning", "samples", "reasons", "columns", "crc32"),
}
EndReason = Literal["decided", "budget", "interrupted"]


class Header(BaseModel):
    """The first line of a run file: all that is needed to understand, repeat or resume the run."""

    model_config = ConfigDict(frozen=True)

    record: Literal["header"] = "header"
    format: int = FORMAT
    iogauge: str
    id: str
    started: str  # ISO 8601, UTC
    study_source: str  # the study file's text
    options: dict[str, Any]  # as given: only, max_size, runtime, …
    method: Method
    plan: Plan
    runtimes: tuple[Runtime, ...]
    host: dict[str, Any]


class Canary(msgspec.Struct, gc=False):
    """ns that fixed work took."""

    compute_ns: float
    memory_ns: float


class Round(msgspec.Struct, gc=False):
    """What is used of a round's record: a large run has hundreds of thousands."""

    bundle: int
    replicate: int
    attempt: int
    round: int
    canary: Canary


_ROUND = b'{"record":"round",'
_round_decoder = msgspec.json.Decoder(Round)


@dataclass
class Run:
    """A run as its file tells it, or as it grows while it is measured.

    `replicates` counts complete replicates per group; samples of a replicate that was cut short are
    kept in `samples` but belong to none.
    """

    header: Header
    forks: list[dict[str, Any]] = field(default_factory=list)
    calibrations: dict[int, dict[str, Any]] = field(default_factory=dict)
    samples: list[dict[str, Any]] | FileSamples = field(default_factory=list)
    ceilings: list[dict[str, Any]] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    companions: list[dict[str, Any]] = field(default_factory=list)
    harness: list[dict[str, Any]] = field(default_factory=list)
    failures: list[dict[str, Any]] = field(default_factory=list)
    caveats: list[dict[str, Any]] = field(default_factory=list)
    replicates: list[dict[str, Any]] = field(default_factory=list)
    ends: list[dict[str, Any]] = field(default_factory=list)
    _table: Table | None = field(default=None, repr=False, compare=False)
    _used: tuple[tuple[int, ...], NDArray[np.bool_]] | None = field(
        default=None, init=False, repr=False, compare=False
    )

    @property
    def plan(self) -> Plan:
        return self.header.plan

    @property
    def complete(self) -> bool:
        return bool(self.ends) and self.ends[-1]["reason"] != "interrupted"

    @property
    def complete_replicates(self) -> set[tuple[int, int, int]]:
        """Bundle, replicate and attempt of those that were not cut short."""
        return {(each["bundle"], each["replicate"], each["attempt"]) for each in self.replicates}

    @property
    def seconds(self) -> float:
        """Time spent measuring, over all sessions of the run."""
        return max(
            [
                0.0,
                *(end["seconds"] for end in self.ends),
                *(each["elapsed"] for each in self.replicates),
            ]
        )

    def add(self, record: dict[str, Any]) -> None:
        kind = record["record"]
        if kind == "calibration":
            self.calibrations[record["case"]] = record
        elif kind == "round":
            self.rounds.append(msgspec.convert(record, Round))
        elif kind not in ("columns", "seal"):  # they repeat what the samples say
            getattr(self, _PLACES[kind]).append(record)

    @property
    def table(self) -> Table:
        """All samples as columns. Those that were added since are added to it; one that was changed
        stays as it was.
        """
        if self._table is None:
            self._table = (
                self.samples.table
                if isinstance(self.samples, FileSamples)
                else samples.of_records(())
            )
        if len(self._table) < len(self.samples):
            self._table = samples.joined(
                [self._table, samples.of_records(self.samples[len(self._table) :])]
            )
        return self._table

    def used(self) -> NDArray[np.bool_]:
        """Which rows of the table estimates rest on, shape (n,): those counted, and of no case that
        failed: what such a case did before cannot be believed either.
        """
        table, failed = self.table, list(self.failed())
        known = (len(table), len(self.replicates), len(self.failures))  # none of them ever shrinks
        if self._used and self._used[0] == known:
            return self._used[1]
        found, number = samples.distinct(
            samples.numbered(table.bundle, table.replicate, table.attempt)
        )
        rows, complete = samples.firsts(number, len(found)), self.complete_replicates
        whole = np.array(
            [
                (int(table.bundle[row]), int(table.replicate[row]), int(table.attempt[row]))
                in complete
                for row in rows
            ],
            dtype=bool,
        )
        used = whole[number] & (table.void == 0) & ~np.isin(table.case, failed)
        used.flags.writeable = False
        self._used = known, used
        return used

    def failed(self) -> dict[int, str]:
        """Cases that failed, with the reason of the first failure."""
        reasons: dict[int, str] = {}
        for failure in self.failures:
            reasons.setdefault(failure["case"], failure["reason"])
        return reasons


_PLACES = {
    "fork": "forks",
    "sample": "samples",
    "ceiling": "ceilings",
    "companion": "companions",
    "harness": "harness",
    "failure": "failures",
    "caveat": "caveats",
    "replicate": "replicates",
    "end": "ends",
}


class Writer:
    """Appends records to a run file. Raises UserError when the file cannot be written or exists
    already.
    """

    def __init__(self, path: Path, *, resume: bool = False):
        self.path = path
        flags = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | (0 if resume else os.O_CREAT | os.O_EXCL)
        try:
            if not resume:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(path, flags, 0o644)
        except FileExistsError as error:
            if error.filename != str(path):  # a file where a folder was meant
                raise UserError(f"{path}: {path.parent} is not a folder") from None
            raise UserError(f"{path} exists already; give another --out, or --resume it") from None
        except OSError as error:
            raise UserError(f"{path}: {error.strerror}") from None
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._fd)
            raise UserError(f"{path} is being measured by another iogauge") from None
        if resume:
            _end_torn_line(path, self._fd)

    def append(self, record: dict[str, Any]) -> int:
        """Returns its bytes."""
        line = json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        left = memoryview(line)
        try:
            while left:
                left = left[os.write(self._fd, left) :]
        except OSError as error:
            raise UserError(f"{self.path}: {error.strerror}") from None
        return len(line)

    def cut(self, length: int) -> None:
        """Take back all that came after these bytes."""
        os.ftruncate(self._fd, length)

    def sync(self) -> None:
        os.fdatasync(self._fd)

    def close(self) -> None:
        os.close(self._fd)


def _end_torn_line(path: Path, fd: int) -> None:
    """A run killed inside a write leaves half a line: close it off, readers skip it."""
    length = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, length - 1))
        if file.read(1) not in (b"\n", b""):
            os.write(fd, b"\n")


class FileSamples(Sequence[dict[str, Any]]):
    """The samples of a large run file, of which only the columns are kept: a record is read again
    when it is asked for. `more` are those that came since.

    Where the records begin in the file is looked for when the first one is asked for, unless
    `begins`, shape (n,), says so.
    """

    def __init__(self, path: Path, table: Table, begins: Sequence[int] | None = None):
        self.path, self.table, self.more = path, table, list[dict[str, Any]]()
        self._stored, self._begins = len(table), begins

    def __len__(self) -> int:
        return self._stored + len(self.more)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        place %= len(self)
        if place >= self._stored:
            return self.more[place - self._stored]
        if self._begins is None:
            self._begins = _begins(self.path)
            if len(self._begins) != self._stored:
                raise UserError(f"{self.path}: it changed while it was read")
        with self.path.open("rb") as file:
            file.seek(self._begins[place])
            line = file.readline()
        return all_visible(line, json.loads(line))

    def append(self, record: dict[str, Any]) -> None:
        self.more.append(record)


def _begins(path: Path) -> list[int]:
    """Where the lines begin that hold a sample, of a file whose samples are all whole."""
    begins, at = [], 0
    with path.open("rb") as file:
        for line in file:
            if _may_be_sample(line) or (b"sample" in line and _is_sample(line)):
                begins.append(at)
            at += len(line)
    return begins


def _may_be_sample(line: bytes) -> bool:
    """As we write them; not one that was torn."""
    return line.startswith(samples.BEGIN) and line.endswith((b"}\n", b"}"))


def _is_sample(line: bytes) -> bool:
    try:
        return bool(json.loads(line)["record"] == "sample")
    except (ValueError, TypeError, KeyError):
        return False


def read(path: Path, *, decoding: Callable[[int], None] = lambda length: None) -> Run:
    """The run of a file. Half lines (of a run that was killed) are skipped. `decoding` is told the
    bytes of a large file that is not sealed: it takes a while. Raises UserError for what is no run
    file.
    """
    try:
        with path.open("rb") as file:
            header = _header(path, file.readline())
            if os.fstat(file.fileno()).st_size <= LARGE:
                return _read_records(path, header, file)
            with no_collector():
                return _read_columns(path, header, file, decoding)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None


@contextmanager
def no_collector() -> Iterator[None]:
    """Where millions of objects are made that stay, Python's garbage collector would look at all of
    them again and again.
    """
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def _read_records(path: Path, header: Header, file: BinaryIO) -> Run:
    run, torn = Run(header), 0
    for number, line in enumerate(file.read().split(b"\n"), 2):
        torn += _add(path, run, number, line)
    _say_torn(run, torn)
    return run


def _add(path: Path, run: Run, number: int, line: bytes) -> int:
    """Adds the record of a line; returns 1 for one that is torn: by a kill, at the end or where a
    resumed session went on.
    """
    if not line or line.startswith(columns.BEGIN):  # of use with a seal only, and long
        return 0
    try:
        record = all_visible(line, _parsed(line))
    except ValueError:
        return 1
    missing = _missing(record)
    if missing:
        raise UserError(f"{path}: line {number}: not a record of a run file: {missing}")
    try:
        run.add(record)
    except msgspec.ValidationError as error:
        raise UserError(f"{path}: line {number}: not a record of a run file: {error}") from None
    return 0


def _parsed(line: bytes) -> Any:
    """Raises ValueError for what is no JSON."""
    try:
        return msgspec.json.decode(line)  # several times as fast,
    except ValueError:
        return json.loads(
            line.decode()
        )  # and stricter: it takes no NaN and no half of a surrogate pair


def _add_quickly(path: Path, run: Run, number: int, line: bytes) -> int:
    """The same, without a dictionary for each round."""
    if line.startswith(_ROUND):
        try:
            run.rounds.append(_round_decoder.decode(line))
            return 0
        except (msgspec.DecodeError, UnicodeDecodeError):  # it is torn, or no round
            pass
    return _add(path, run, number, line)


def _rounds_among(lines: list[bytes]) -> tuple[list[Round], list[bytes]]:
    """The rounds, decoded all at once, and the other lines; where one of them is torn, none and all
    lines.
    """
    rounds: list[bytes] = []
    others: list[bytes] = []
    for line in lines:
        (rounds if line.startswith(_ROUND) else others).append(line)
    try:
        return _round_decoder.decode_lines(b"\n".join(rounds)), others
    except (msgspec.DecodeError, UnicodeDecodeError):
        return [], lines


def _say_torn(run: Run, torn: int) -> None:
    if torn > 1 + len({fork["attempt"] for fork in run.forks}):
        run.add(
            {
                "record": "caveat",
                "about": "run",
                "text": f"{torn} lines of the run file cannot be read: it is damaged",
            }
        )


def _read_columns(
    path: Path, header: Header, file: BinaryIO, decoding: Callable[[int], None]
) -> Run:
    """Of a large file: samples become columns, all at once where every line is as it should be;
    else line by line, with the complaints of small files.
    """
    found, changed = None, False
    try:
        found = columns.read(file, lambda others: _of_others(path, header, others))
    except columns.Changed:
        changed = True
    if found is None:
        decoding(os.fstat(file.fileno()).st_size)
        if decoded := _decoded(file):
            found = decoded.table, _of_others(path, header, decoded.others)
    table, run = found or (None, None)
    if run is None or table is None:
        run = _line_by_line(path, header, file)
    else:
        run.samples = FileSamples(path, table)
    if changed:
        run.add(
            {
                "record": "caveat",
                "about": "run",
                "text": "the run file was changed after the run had ended",
            }
        )
    return run


def seal(path: Path, sealing: Callable[[int], None] = lambda length: None) -> None:
    """Write the columns of a large file whose run has ended to its end, so that nobody who reads it
    has to decode it; `sealing` is told its bytes first. A file that is small, sealed, damaged, of a
    run that has not ended, or that somebody else changes meanwhile stays as it is; so does one that
    cannot be sealed. Raises UserError.
    """
    with path.open("rb") as file, no_collector():
        before = os.fstat(file.fileno())
        found = _sealable(path, file, sealing) if before.st_size > LARGE else None
        if found is None or _state(file) != (before.st_size, before.st_mtime_ns):
            return
        with closing(Writer(path, resume=True)) as writer:
            start = os.fstat(file.fileno()).st_size
            if start - before.st_size not in (0, 1):  # the end of a torn line is ours
                return
            try:
                _write_seal(file, writer, start, *found)
            except BaseException:  # Ctrl-C, or no room
                writer.cut(start)
                raise
            finally:
                os.utime(
                    path, ns=(before.st_atime_ns, before.st_mtime_ns)
                )  # the newest run is the one that was measured last, not the one that was sealed last


def _sealable(
    path: Path, file: BinaryIO, sealing: Callable[[int], None]
) -> tuple[Table, list[tuple[int, int]]] | None:
    """The samples, and where the lines begin and end that are none; None for what is not to be
    sealed.
    """
    header = _header(path, file.readline())
    try:
        if header.format != FORMAT or columns.read(file, lambda others: True):
            return None
    except columns.Changed:  # a new seal would hide it
        return None
    sealing(os.fstat(file.fileno()).st_size)
    decoded = _decoded(file)
    run = _of_others(path, header, decoded.others) if decoded else None
    return (decoded.table, decoded.places) if decoded and run and run.complete else None


def _write_seal(
    file: BinaryIO, writer: Writer, start: int, table: Table, others: list[tuple[int, int]]
) -> None:
    places: dict[str, list[tuple[int, int]]] = {}
    for record in columns.records(table, others):
        length = writer.append(record)
        places.setdefault(record["name"], []).append((start, length))
        start += length
    writer.sync()  # what the seal speaks of is on the disk before it
    if writer.append(columns.seal_record(file, table, places)) > columns.LONGEST_SEAL:
        raise UserError(f"{writer.path}: too many reasons of void samples for a seal")
    writer.sync()


def _state(file: BinaryIO) -> tuple[int, int]:
    """Length, and time of the last change."""
    found = os.fstat(file.fileno())
    return found.st_size, found.st_mtime_ns


@dataclass(frozen=True)
class _Decoded:
    """The samples of a file; `others`, the lines after the first that are no samples and no
    columns; and where these begin and end, those that follow each other as one.
    """

    table: Table
    others: bytes
    places: list[tuple[int, int]]


def _of_others(path: Path, header: Header, others: bytes) -> Run | None:
    """The run of these lines, without its samples. None where one of them turns out to be a sample,
    or what no run file has.
    """
    run = Run(header)
    run.rounds, lines = _rounds_among(others.split(b"\n"))
    try:
        torn = sum(_add_quickly(path, run, number, line) for number, line in enumerate(lines))
    except UserError:
        return None  # whoever reads line by line knows its number
    if run.samples:
        return None
    _say_torn(run, torn)
    return run


def _decoded(file: BinaryIO) -> _Decoded | None:
    """What the lines from here on say. None unless there are samples, and all lines that should be
    some are.
    """
    from iogauge.runfile import bulk  # only here: it takes a tenth of a second to load

    try:
        connected = bulk.connected()
    except bulk.FAILURES:
        return None
    with connected as database, ThreadPoolExecutor(1) as thread:
        decoding = thread.submit(bulk.table, database, f"/proc/self/fd/{file.fileno()}")
        try:
            count, others, places = _scanned(file)
            table = decoding.result()
        except BaseException:  # Ctrl-C most of all, after which nobody is to wait for it
            while wait([decoding], _INTERRUPTING).not_done:
                database.interrupt()  # of one query, or of none that is just beginning
            raise
    if table is None or not 0 < count == len(table):
        return None
    return _Decoded(table, b"".join(others), places)


def _scanned(file: BinaryIO) -> tuple[int, list[bytes], list[tuple[int, int]]]:
    """How many of the lines from here on should be samples, the other ones, and where these begin
    and end, those that follow each other as one.
    """
    count, others, places = 0, list[bytes](), list[tuple[int, int]]()
    at = file.tell()
    for line in file:
        end = at + len(line)
        if _may_be_sample(line):
            count += 1
        elif not line.startswith(columns.BEGIN):
            others.append(line)
            places.append((places.pop()[0] if places and places[-1][1] == at else at, end))
        at = end
    return count, others, places


def _line_by_line(path: Path, header: Header, file: BinaryIO) -> Run:
    run, torn, at = Run(header), 0, 0
    tables, begins = [samples.of_records(())], list[int]()
    lines: list[bytes] = []
    places: list[int] = []

    def decode() -> int:
        """How many lines turned out to be torn."""
        seeming = len(lines)
        tables.append(_columns(path, lines, places))
        begins.extend(places)
        torn = seeming - len(lines)
        lines.clear()
        places.clear()
        return torn

    file.seek(0)
    for number, line in enumerate(file, 1):
        if number > 1 and _may_be_sample(line):
            lines.append(line)
            places.append(at)
        elif number > 1:
            torn += _add_quickly(path, run, number, line.rstrip(b"\n"))
        at += len(line)
        if len(lines) == _LINES:
            torn += decode()
    torn += decode()
    if begins:
        stored = FileSamples(path, samples.joined(tables), begins)
        stored.more += run.samples  # of lines that are written otherwise
        run.samples = stored
    _say_torn(run, torn)
    return run


def _columns(path: Path, lines: list[bytes], begins: list[int]) -> Table:
    """Of these lines; those that are torn are taken out of both lists."""
    while True:
        try:
            return samples.of_lines(lines)
        except samples.NoSample as error:
            try:
                missing = _missing(json.loads(lines[error.index])) or error.why
            except ValueError:
                del lines[error.index], begins[error.index]
                continue
            raise UserError(f"{path}: not a record of a run file: {missing}") from None


def read_header(path: Path) -> Header:
    """What a run file begins with. Raises UserError for what is no run file."""
    try:
        with path.open("rb") as file:
            return _header(path, file.readline())
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None


def _header(path: Path, line: bytes) -> Header:
    try:
        found = json.loads(line.decode())
        if isinstance(
            found, dict
        ):  # the study stays as it was: whoever parses it refuses what it may not hold
            found = {**all_visible(line, found), "study_source": found.get("study_source")}
    except ValueError:
        found = None
    if not line:
        raise UserError(f"{path}: not a run file: it is empty")
    if not isinstance(found, dict) or found.get("record") != "header":
        raise UserError(f"{path}: not a run file: its first line is no header")
    if found.get("format") not in _FORMATS:
        raise UserError(
            f"{path}: run file format {found.get('format')}; this iogauge reads formats {' and '.join(map(str, _FORMATS))}"
        )
    try:
        return Header.model_validate(found)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UserError(f"{path}: header: {where}: {first['msg']}") from None


def _missing(record: Any) -> str | None:
    if not isinstance(record, dict) or record.get("record") not in KINDS:
        return f"`record` must be one of {', '.join(KINDS)}"
    absent = [key for key in KINDS[record["record"]] if key not in record]
    return f"{record['record']} without {', '.join(absent)}" if absent else None
