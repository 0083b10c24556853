"""Adding the records of lines to a run."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from iogauge.model.errors import UserError
from iogauge.runfile import format6
from iogauge.runfile.header import Header
from iogauge.runfile.lines import COLUMNS, ROUND, NoRecord, Torn, decode
from iogauge.runfile.records import Caveat, Columns, Round, Seal
from iogauge.runfile.run import Run

_decode_rounds = msgspec.json.Decoder(Round).decode_lines


def add_line(path: Path, run: Run, number: int, line: bytes) -> int:
    """Add the record of a line to a run. Returns 1 for a torn line, which is skipped: a kill leaves
    one at the end, or where a resumed session went on. Raises UserError for what is no record.
    """
    if not line or line.startswith(COLUMNS):  # of use with a seal only, and long
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
    """Add the records of all lines after the header, and a caveat where too many are torn. Raises
    UserError for what is no record.
    """
    say_torn(run, sum(add_line(path, run, number, line) for number, line in enumerate(lines, 2)))


def without_samples(path: Path, header: Header, lines: bytes) -> Run | None:
    """The run of these lines, which should hold no sample. None where one of them turns out to be a
    sample, or no record at all.
    """
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
    """The rounds, decoded all at once, and the other lines. Where a round is torn: no rounds, and
    all lines.
    """
    rounds: list[bytes] = []
    others: list[bytes] = []
    for line in lines:
        (rounds if line.startswith(ROUND) else others).append(line)
    try:
        return _decode_rounds(b"\n".join(rounds)), others
    except (msgspec.DecodeError, UnicodeDecodeError):
        return [], lines
