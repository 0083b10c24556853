"""What may be a fault: many small calls, one file opened or read again and again, data made durable
after each record. Each with a rough guess of what it costs, which decides whether it is measured.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from iogauge.model.watched import (
    READS,
    SYNCS,
    WRITES,
    Change,
    ConstantName,
    Constants,
    FindingKind,
    Span,
)
from iogauge.watching.estimating import OPENS, SEEKS, Estimate, Group, Program

LARGE = 128 << 10
"""Bytes per call from which a larger piece saves next to nothing."""
_SMALL = 64 << 10
_FEWEST_CALLS = 200  # below that, nothing is worth a word
_MOST_JUMPS = 0.3  # share of reads: more of them are random access, which no buffer helps
_OPENED, _READ = 500, 3  # times
_SEEN, _OF_ALL = 3, 0.3  # opens of one file in windows, and the share of all that they must be
_MOST_WRITES = 2  # for each open: with more of them, the writes are what costs
_SYNCED = 10  # times
_A_LINE = 512  # bytes: of larger pieces a pipe takes none to be a fault
_WAITS = {"poll", "ppoll", "select", "pselect6", "epoll_wait", "epoll_pwait", "epoll_pwait2"}
_MOST_TURNS = 0.05  # for each write: with more of them, somebody may wait for it
_REST = 0.1  # of the bytes that a program read: so little is nearly nothing


@dataclass(frozen=True)
class Candidate:
    """Calls of `size` bytes each by a program, on `files` files of which `path` is one; `length` is
    the size of that file. `guess` is what a change may save, in seconds. `about` says that `calls`
    is an estimate.

    Of opened-again, `calls` are opens, `size` is that of the file, and `length` the part of it that
    each of them reads; with `appends` each writes instead. Of read-again, `calls` says how many
    times over the file was read. Of mapped-small-folios, they are page faults. `change` is what is
    known to mend it in any program, and `saves` are seconds that are known already.
    """

    kind: FindingKind
    program: Program
    path: str
    calls: float
    size: float
    bytes: float
    guess: float
    files: int = 1
    length: int = 0
    to_null: bool = False
    to_pipe: bool = False
    took: float | None = None  # s of a call, as strace saw it
    seen: int = 0
    about: bool = False
    appends: bool = False
    saves: Span | None = None
    change: Change | None = None


def candidates(found: Estimate, constants: Constants) -> list[Candidate]:
    """The candidates, the most promising first."""
    programs = {each.program for each in found.groups.values()}
    some: list[Candidate] = []
    for program in programs:
        of_it = [each for each in found.groups.values() if each.program == program]
        again = [
            *_opened_again(program, of_it, constants),
            *_read_again(program, of_it, found, constants),
        ]
        known = {each.path for each in again}
        some += again
        some += _small_reads(program, of_it, found, constants, known)
        some += _small_writes(program, of_it, constants, known)
        if program not in found.blocked:
            some += _pieces_for_a_pipe(program, of_it, constants)
        some += _synced(program, of_it, constants)
    some = [replace(each, about=_is_about(each, found)) for each in some]
    return sorted(some, key=lambda each: -each.guess)


def _is_about(each: Candidate, found: Estimate) -> bool:
    """Whether nobody counted its calls: a trace does, and the account does where it has no other
    calls of that kind.
    """
    counted = {"small-reads": found.total.read_calls, "small-writes": found.total.write_calls}
    return not found.exact and round(each.calls) != counted.get(each.kind)


def length_of(path: str) -> int:
    """The size of a file, in bytes; 0 where it is gone."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _saved(constants: Constants, name: ConstantName, calls: float, size: float) -> float:
    """Seconds by which so many calls of this size take longer than larger ones."""
    small = constants.of(name, size)
    large = constants.of(name, LARGE)
    if small is None or large is None:
        return 0.0
    return calls * max(0.0, small.middle - large.middle * size / LARGE) / 1e9


def _small_reads(
    program: Program,
    groups: Iterable[Group],
    found: Estimate,
    constants: Constants,
    known: set[str],
) -> list[Candidate]:
    """Reads that a buffer would join; those of a shell that goes back after each line apart."""
    opened = Counter[str]()
    seeks = Counter[str]()
    for each in groups:
        if each.name in OPENS:
            opened[each.path] += round(each.count - each.failed)
        elif each.name in SEEKS:
            seeks[each.path] += round(each.count)
    small, lines = list[Group](), list[Candidate]()
    for each in groups:
        if each.name not in READS or each.target != "file" or not each.count or not each.path:
            continue
        mean = each.bytes / each.count
        jumps = found.jumps.get((program, each.path), 0.0)
        if jumps > _MOST_JUMPS:
            if seeks[each.path] > each.count / 2:
                lines.append(_lines(program, each, constants))
            continue
        # What is read to its end by few calls has no smaller calls than it must have.
        fewest = max(1, opened[each.path]) * 2 + each.bytes / LARGE
        if mean < _SMALL and each.count > 2 * fewest and each.path not in known:
            small.append(each)
    joined = _joined("small-reads", program, small)
    if joined is None:
        return lines
    return [*lines, replace(joined, guess=_saved(constants, "read", joined.calls, joined.size))]


def _lines(program: Program, group: Group, constants: Constants) -> Candidate:
    """A shell reads ahead and goes back to the end of each line: `size` is that of a line."""
    cost, length = constants.of("read", group.bytes / group.count), length_of(group.path)
    guess = group.count * cost.middle / 1e9 if cost else 0.0
    size = max(1.0, length / group.count)
    return Candidate(
        "lines-by-shell",
        program,
        group.path,
        group.count,
        size,
        float(length),
        guess,
        length=length,
    )


def _small_writes(
    program: Program, groups: Iterable[Group], constants: Constants, known: set[str]
) -> list[Candidate]:
    by_target: dict[str, list[Group]] = defaultdict(list)
    synced = {each.path for each in groups if each.name in SYNCS and each.count >= _SYNCED}
    for each in groups:
        if each.name not in WRITES or each.target not in ("file", "null") or not each.count:
            continue
        if each.bytes / each.count < _SMALL and each.path not in synced | known:
            by_target[each.target].append(each)
    found = []
    for target, some in by_target.items():
        joined = _joined("small-writes", program, some)
        if joined:
            name: ConstantName = "null-write" if target == "null" else "write"
            guess = _saved(constants, name, joined.calls, joined.size)
            found.append(replace(joined, guess=guess, to_null=target == "null"))
    return found


def _pieces_for_a_pipe(
    program: Program, groups: Iterable[Group], constants: Constants
) -> list[Candidate]:
    """Writes of a few bytes to a pipe, where the program waits for nobody: what takes turns with
    another one must not hold back what that waits for.
    """
    some = [each for each in groups if each.name in WRITES and each.target == "pipe"]
    joined = _joined("small-writes", program, some)
    if joined is None or joined.size > _A_LINE or sum(each.seen for each in some) < _SEEN:
        return []
    turns = sum(
        each.count
        for each in groups
        if each.name in _WAITS or (each.name in READS and each.target not in ("file", "kernel"))
    )
    if turns > _MOST_TURNS * joined.calls:
        return []
    guess = _saved(constants, "pipe-write", joined.calls, joined.size)
    return [replace(joined, path="a pipe", guess=guess, length=0, to_pipe=True)]


def _joined(kind: FindingKind, program: Program, groups: list[Group]) -> Candidate | None:
    """Groups of calls on several files as one; None where there are few."""
    calls, moved = sum(each.count for each in groups), sum(each.bytes for each in groups)
    if calls < _FEWEST_CALLS or not moved:
        return None
    most = max(groups, key=lambda each: each.count)
    return Candidate(
        kind,
        program,
        most.path,
        calls,
        moved / calls,
        moved,
        0.0,
        files=len(groups),
        length=length_of(most.path),
    )


def _opened_again(
    program: Program, groups: Iterable[Group], constants: Constants
) -> list[Candidate]:
    """A file that windows saw opened again and again. Seen once, it may be one of many."""
    opened = [each for each in groups if each.name in OPENS and each.target == "file"]
    seen = sum(each.seen for each in opened)
    cost = constants.of("open-close")
    found = []
    for each in opened:
        path, count = each.path, each.count - each.failed
        moved = sum(one.bytes for one in groups if one.path == path and one.name in READS)
        if count < _OPENED or not path:
            continue
        if each.seen < _SEEN or each.seen < seen * _OF_ALL:
            continue
        if not moved:
            found += _appended(program, each, groups, constants)
            continue
        guess, length = (count - 1) * (cost.middle if cost else 0.0) / 1e9, length_of(path)
        # Often a part is read, and the file is closed again: the rest of it costs nothing.
        part = min(length, max(1, round(moved / count)))
        found.append(
            Candidate("opened-again", program, path, count, length, moved, guess, length=part)
        )
    return found


def _appended(
    program: Program, opened: Group, groups: Iterable[Group], constants: Constants
) -> list[Candidate]:
    """A file that is opened for each piece that is written: opening costs more than the write."""
    of_it = [each for each in groups if each.path == opened.path]
    written = [each for each in of_it if each.name in WRITES]
    writes, moved = sum(each.count for each in written), sum(each.bytes for each in written)
    opens = opened.count - opened.failed
    if not moved or writes > _MOST_WRITES * opens or any(each.name in SYNCS for each in of_it):
        return []
    cost = constants.of("open-close")
    guess = opens * (cost.middle if cost else 0.0) / 1e9
    guess += _saved(constants, "write", writes, moved / writes)
    length = length_of(opened.path)
    return [
        Candidate("opened-again", program, opened.path, opens, length, moved, guess, appends=True)
    ]


def _read_again(
    program: Program, groups: Iterable[Group], found: Estimate, constants: Constants
) -> list[Candidate]:
    """Files of which more was read than they have: opened several times in windows, or found open
    in most looks. What was seen once may be one of many.
    """
    some = []
    opened = {each.path: each for each in groups if each.name in OPENS}
    by_path: dict[str, list[Group]] = defaultdict(list)
    for each in groups:
        if each.name in READS and each.target == "file" and each.path:
            by_path[each.path].append(each)
    for path, reads in by_path.items():
        length, moved = length_of(path), _moved(program, path, by_path, found)
        opens = opened.get(path)
        if not length or moved < _READ * length or (opens and opens.count >= _OPENED):
            continue
        if path not in found.often and not (opens and opens.seen >= _SEEN):
            continue
        calls = sum(each.count for each in reads)
        times, size = moved / length, moved / calls
        cost = constants.of("read", size)
        guess = calls * (1 - length / moved) * (cost.middle if cost else 0.0) / 1e9
        if calls > 2 * times and _saved(constants, "read", calls, size) > guess / 2:
            continue  # its calls are so small that larger ones save most of it
        some.append(
            Candidate("read-again", program, path, times, size, moved, guess, length=length)
        )
    return some


def _moved(program: Program, path: str, by_path: dict[str, list[Group]], found: Estimate) -> float:
    """Bytes that were read from a file: what windows say, or what the account has more, where the
    file makes nearly all of it. Of few large calls among small ones windows see too few.
    """
    moved = sum(each.bytes for each in by_path[path])
    others = sum(
        each.bytes
        for other, some in by_path.items()
        for each in some
        if other != path and each.seen
    )
    whole = found.read_bytes.get(program, 0.0)
    return max(moved, whole - others) if others <= _REST * whole else moved


def _synced(program: Program, groups: Iterable[Group], constants: Constants) -> list[Candidate]:
    some = [each for each in groups if each.name in SYNCS and each.count]
    calls, seen = sum(each.count for each in some), sum(each.seen for each in some)
    if calls < _SYNCED:
        return []
    most = max(some, key=lambda each: each.count)
    took = sum(each.took for each in some) / seen if seen else None
    known = constants.of("fdatasync" if most.name == "fdatasync" else "fsync")
    each_takes = took or (known.middle / 1e9 if known else 0.0)
    written = sum(each.bytes for each in groups if each.name in WRITES)
    files = len({each.path for each in some})
    return [
        Candidate(
            "synced",
            program,
            most.path,
            calls,
            written / calls,
            written,
            (calls - files) * each_takes,
            files=files,
            took=took,
            seen=seen,
        )
    ]
