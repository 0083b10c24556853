"""What costs time inside a program, where no call shows it: single bytes through a lock, and gzip
on the thread that uses the data. Stacks show both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from iogauge.model.watched import READS, FindingKind, Marks, Place
from iogauge.watching.candidates import Candidate, length_of
from iogauge.watching.estimating import Estimate, Group, Program
from iogauge.watching.recognising import Facts

_PACKED = b"\x1f\x8b"  # how a gzip file begins
_UNPACKS = re.compile(r"gzip|zlib|inflat|gunzip|flate|decompress|GzDecoder", re.IGNORECASE)
_LOCKED_NS = 2.0  # a byte, at least, in a guess
_UNPACKED_NS = 4.0  # a byte of the file, at least
_BUFFERED = 1 << 10  # bytes per call: below, there is no buffer that has a lock


def candidates(
    found: Estimate,
    numbers: Mapping[Program, tuple[int, Facts | None]],
    places: Sequence[Place],
    marks: Sequence[Marks],
) -> list[Candidate]:
    """Those of programs of the user's own."""
    by_language = {each.language: each for each in marks}
    some: list[Candidate] = []
    for program, (number, facts) in numbers.items():
        if facts is None or not facts.own:
            continue
        lines = [each for each in places if each.program == number]
        read = _most_read(found, program)
        if not lines or read is None:
            continue
        known = by_language.get(facts.language or "")
        if known and known.locked and _matches(lines, re.compile(known.locked)):
            some += _locked(program, read)
        if is_packed(read.path) and _matches(lines, _UNPACKS):
            some.append(_candidate("unpacking", program, read, _UNPACKED_NS))
    return some


def is_packed(path: str) -> bool:
    """Whether a file begins as a gzip file does."""
    try:
        with open(path, "rb") as file:
            return file.read(2) == _PACKED
    except OSError:
        return False


def _matches(lines: Iterable[Place], pattern: re.Pattern[str]) -> bool:
    """Whether the most of what was seen does."""
    of = [each for each in lines if pattern.search(f"{each.does} {each.function} {each.text}")]
    return sum(each.share for each in of) >= 0.5


def _most_read(found: Estimate, program: Program) -> Group | None:
    """The reads of the file from which the program had most."""
    reads = [each for each in found.of(READS, "file") if each.program == program and each.path]
    return max(reads, key=lambda each: each.bytes, default=None)


def _locked(program: Program, read: Group) -> list[Candidate]:
    if not read.count or read.bytes / read.count < _BUFFERED:
        return []
    return [_candidate("locked-bytes", program, read, _LOCKED_NS)]


def _candidate(kind: FindingKind, program: Program, read: Group, ns: float) -> Candidate:
    return Candidate(
        kind,
        program,
        read.path,
        read.count,
        read.bytes / max(1.0, read.count),
        read.bytes,
        read.bytes * ns / 1e9,
        length=length_of(read.path),
    )
