"""Strategies that read: files in sequence, files at offsets, and payloads in memory."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path

from iogauge.host import pagecache
from iogauge.model.strategy import Strategy
from iogauge.model.workload import Consume
from iogauge.runners import wire

from . import data
from .data import Data, Due, times, together
from .subject import Row, Subject, grid, one_by_one

_TOO_LARGE = 1 << 31  # what one array or one buffer cannot take in some languages
_FAR = (0, (3 << 30) + 64, (5 << 30) + 8192)  # numbers of 31 and 32 bits are not enough here
_ACCESSES = 97


def checks(strategy: Strategy) -> Iterator[tuple[str, Callable[[Subject, Strategy], None]]]:
    if not strategy.is_checked:
        return  # nobody knows which files it can read, and what it makes of them
    at_random = strategy.access == "random"
    reading = _reads_at_random if at_random else _reads
    if strategy.medium == "memory":
        reading = _reads_in_memory
    for consume in strategy.consumes:
        yield f"reads, {consume}", partial(reading, consume=consume)
    if strategy.medium == "memory" or strategy.role == "null":
        return
    yield "bad files", _bad_files
    yield "release", _release
    if strategy.bypasses_cache:
        yield "bypasses the cache", _bypasses_cache
    if at_random:
        yield "far offsets", _far_offsets
    else:
        yield "several files", _several_files
        if strategy.unit == "file" and strategy.format == "plain":
            yield "too large", _too_large
        if strategy.unit == "line":
            yield "long line", _long_line
        if strategy.format == "gzip":
            yield "gzip members and damage", _gzip_members_and_damage


# the checks


def _reads(subject: Subject, strategy: Strategy, consume: Consume) -> None:
    """Right counts and sums: every size, every kind of text, each parameter through its values."""
    for row in grid(strategy):
        subject.open(strategy, consume, row.parameters)
        # One request, with a span for each file.
        for files, operations in (
            (data.small(strategy.sums), 2),
            (_larger(strategy, consume, row), 1),
        ):
            paths = [
                subject.path(file, strategy.format) for file in files for _ in range(operations)
            ]
            dues = [times(_due(strategy, file, consume), operations) for file in files]
            if files:
                names = [file.name for file in files]
                subject.sample(operations, paths, dues, str(row), spans=names)
        if row.default:
            one = data.plain(strategy.sums, 4097)
            path, due = subject.path(one, strategy.format), _due(strategy, one, consume)
            subject.sample(3, [path], [times(due, 3)] * 2, "the same file again and again")


def _reads_in_memory(subject: Subject, strategy: Strategy, consume: Consume) -> None:
    nowhere = subject.folder / "no such file"  # a path is sent, and ignored
    for row in grid(strategy):
        payloads = data.small(strategy.sums) if row.default else data.few(strategy.sums)
        for payload in (*payloads, *_larger(strategy, consume, row)):
            subject.open(strategy, consume, row.parameters, payload=payload)
            due = times(_due(strategy, payload, consume), 2)
            what = f"{row}, {payload.name}"
            subject.sample(2, [nowhere], [due] * 2, what, sums=not strategy.generates)


def _reads_at_random(subject: Subject, strategy: Strategy, consume: Consume) -> None:
    for row in grid(strategy):
        files = _random_files()
        piece = strategy.value("piece", row.parameters, otherwise=1)
        positions = _positions(piece)
        subject.open(strategy, consume, row.parameters, offsets=subject.offsets(positions))
        dues = [times(_random_due(file, positions, piece, consume), 2) for file in files]
        subject.sample(2, [subject.path(file) for file in files for _ in range(2)], dues, str(row))


def _bad_files(subject: Subject, strategy: Strategy) -> None:
    """Each is an error that names the file. The next request is served as if nothing had been."""
    path, due = _opened(subject, strategy)
    good = str(path)
    missing = subject.folder / "no such file"
    for bad, what in ((missing, "a missing file"), (subject.folder, "a directory")):
        subject.refused(wire.sample(1, 1, [str(bad)]), what, str(bad))
        subject.refused(wire.sample(2, 1, [good, str(bad)]), f"a good file, then {what}", str(bad))
    subject.refused(wire.sample(3, 1, [good] * 2), "two paths for three operations")
    subject.refused(wire.sample(1, 1, []), "no paths")
    subject.refused(wire.sample(0, 1, [good]), "no operations", "operations")
    subject.refused(wire.sample(1, 0, [good]), "no spans", "spans")
    subject.sample(1, [path], [due], "after refusals")


def _bypasses_cache(subject: Subject, strategy: Strategy) -> None:
    """It reads a file that is not in the cache, and leaves it so."""
    path, due = _opened(subject, strategy, data.LARGE)
    if subject.can_evict:
        pagecache.evict(path)
    subject.sample(1, [path], [due], "not in the cache")
    subject.must_be_past_cache(path, "read")


def _several_files(subject: Subject, strategy: Strategy) -> None:
    """A file for each operation; names are UTF-8."""
    subject.open(strategy)
    consume = strategy.consumes[-1]
    files = [data.plain(strategy.sums, length) for length in (65, 4096, 0, 1)]
    paths = [subject.path(each, strategy.format) for each in files]
    named = subject.folder / "größer, 日本 😀.data"
    named.write_bytes(paths[0].read_bytes())
    dues = [_due(strategy, each, consume) for each in files]
    subject.sample(2, [named, *paths[1:]], [together(dues[:2]), together(dues[2:])], "four files")


def _release(subject: Subject, strategy: Strategy) -> None:
    path, due = _opened(subject, strategy, 4097 if one_by_one(strategy) else data.MIDDLE)
    for _ in range(2):
        subject.sample(4, [path], [times(due, 4)], "before release")
        paths = [str(path), str(subject.folder)]
        subject.refused(wire.sample(2, 1, paths), "a directory after a good file")
        subject.let_go(path)


def _too_large(subject: Subject, strategy: Strategy) -> None:
    """A file too large for the API: refused, or read right."""
    large = subject.zeros(_TOO_LARGE)
    consume = "touch" if "touch" in strategy.consumes else strategy.consumes[-1]
    count, total = (1, _TOO_LARGE) if strategy.sums.startswith("line-") else (_TOO_LARGE, 0)
    subject.open(strategy, consume)
    due = count, None if consume == "none" else total
    subject.sample(1, [large], [due], "2 GiB of zeros", may_refuse=True)
    path, due = _opened(subject, strategy)
    subject.sample(1, [path], [due], "after a large file")


def _long_line(subject: Subject, strategy: Strategy) -> None:
    """A line too long for the API: refused, or read right."""
    long = data.long_line()
    for row in grid(strategy):
        subject.open(strategy, parameters=row.parameters)
        due = _due(strategy, long, strategy.consumes[-1])
        path = subject.path(long, strategy.format)
        subject.sample(1, [path], [due], f"{row}, {long.name}", may_refuse=True)
    path, due = _opened(subject, strategy)
    subject.sample(1, [path], [due], "after a long line")


def _gzip_members_and_damage(subject: Subject, strategy: Strategy) -> None:
    """All members of a gzip file are read. A damaged one, or one that is cut, is an error."""
    path, due = _opened(subject, strategy, 4096)
    whole, twice, damaged = path.read_bytes(), subject.new_path(), subject.new_path()
    twice.write_bytes(whole + whole)
    both = Data("two members", 2 * data.plain(strategy.sums, 4096).content)
    subject.sample(1, [twice], [_due(strategy, both, strategy.consumes[-1])], "two members")
    for what, content in (
        ("a gzip file that is cut", whole[:-20]),
        ("a gzip file without its trailer", whole[:-8]),
        ("a gzip file with a wrong checksum", whole[:-8] + bytes(8)),
        ("no gzip file", b"no gzip file at all, by any means"),
    ):
        damaged.write_bytes(content)
        subject.refused(wire.sample(1, 1, [str(damaged)]), what, str(damaged))
    subject.sample(1, [path], [due], "after damaged files")


def _far_offsets(subject: Subject, strategy: Strategy) -> None:
    """Offsets beyond 2 and 4 GiB: refused, or read right; no number is cut on the way."""
    path = subject.new_path()
    block = strategy.value("piece", strategy.defaults, otherwise=1)
    positions = [far // block * block for far in _FAR]
    total = touched = 0
    with path.open("wb") as file:
        try:
            file.truncate(_FAR[-1] + 2 * block)
        except OSError:  # too large for the file system
            return
        for number, position in enumerate(positions):
            marks = bytes([number + 1]) * min(block, 100)
            file.seek(position)
            file.write(marks)
            total += sum(marks)
            touched += sum(marks[-position % 64 :: 64])
    consume = strategy.consumes[-1]
    subject.open(strategy, consume, offsets=subject.offsets(positions))
    due = (block * len(positions), {"none": None, "touch": touched, "sum": total}[consume])
    subject.sample(1, [path], [due], f"offsets up to {positions[-1]}", may_refuse=True)
    path.unlink()


# tools


def _larger(strategy: Strategy, consume: Consume, row: Row) -> tuple[Data, ...]:
    """What else is read with these parameters: not everything with every value, for it is slow."""
    if one_by_one(strategy) and (not row.default or consume != strategy.consumes[-1]):
        return ()
    middle, large = data.middle(strategy.sums), data.large(strategy.sums)
    if one_by_one(strategy) or row.tiny:
        return middle
    return (*middle, *large) if row.default else large


def _due(strategy: Strategy, file: Data, consume: Consume) -> Due:
    if strategy.role == "null":
        return 0, None
    return file.in_format(strategy.format).due(strategy.sums, consume)


def _opened(subject: Subject, strategy: Strategy, length: int = 65) -> tuple[Path, Due]:
    """Open it with its last kind of consume; a file, and what an operation on it must report."""
    consume = strategy.consumes[-1]
    if strategy.access == "random":
        block = strategy.value("piece", strategy.defaults, otherwise=1)
        file, positions = _random_files()[0], _positions(block)
        subject.open(strategy, consume, offsets=subject.offsets(positions))
        return subject.path(file), _random_due(file, positions, block, consume)
    file = data.plain(strategy.sums, length)
    subject.open(strategy, consume)
    return subject.path(file, strategy.format), _due(strategy, file, consume)


@cache
def _random_files() -> tuple[Data, Data]:
    forwards = data.plain("byte", data.LARGE)
    return forwards, Data("the same backwards", forwards.content[::-1])


def _positions(block: int) -> list[int]:
    """Multiples of the block size, shuffled, the first and the last whole block among them."""
    stream = random.Random(_ACCESSES)
    whole = range(data.LARGE // block)
    numbers = list({whole[0], whole[-1], *stream.sample(whole, min(_ACCESSES, len(whole)))})
    stream.shuffle(numbers)
    return [number * block for number in numbers]


def _random_due(file: Data, positions: Sequence[int], block: int, consume: Consume) -> Due:
    blocks = [file.content[position : position + block] for position in positions]
    touched = sum(
        sum(part[-position % 64 :: 64]) for part, position in zip(blocks, positions, strict=True)
    )
    totals = {"none": None, "touch": touched, "sum": sum(map(sum, blocks))}
    return block * len(positions), totals[consume]
