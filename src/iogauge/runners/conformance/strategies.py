"""Strategies at work: what they read is counted and summed right, files that they write hold
exactly the payload, and nothing that goes wrong is passed over.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

from iogauge.corpus.data_files import unframed
from iogauge.host import device, pagecache
from iogauge.model.strategy import Peculiarity, Strategy
from iogauge.model.workload import Consume, Durability
from iogauge.runners import wire
from iogauge.runners.wire import Refusal, WireError

from . import data
from .data import Data, Due, times, together
from .subject import Broken, Row, Subject, grid, must, must_have, one_by_one, writes_file

_TOO_LARGE = 1 << 31  # what one array or one buffer cannot take in some languages
_FAR = (0, (3 << 30) + 64, (5 << 30) + 8192)  # numbers of 31 and 32 bits are not enough here
_ACCESSES = 97
_FULL = Path("/dev/full")
_BEFORE = b"what was there before, and is longer than a small payload; " * 100
_BEHIND: dict[Peculiarity, tuple[bytes, ...]] = {
    "trailing-data": (b"\n", b"\r\n", b"-- \r\nsent by a gateway that adds some lines\r\n"),
    "trailing-zeros": (bytes(1), bytes(2), bytes(1000)),
}
"""What may be behind the last member of a gzip file."""


def checks(strategy: Strategy) -> Iterator[tuple[str, Callable[[Subject, Strategy], None]]]:
    if strategy.operation != "read":
        yield "writes", _writes if strategy.medium == "file" else _works_in_memory
        for mode in strategy.modes:
            yield f"writes, {mode}", {"truncate": _truncates, "append": _appends}[mode]
        for durability in strategy.durabilities:
            yield f"writes, durability {durability}", partial(_durable, durability=durability)
    elif (
        strategy.is_checked
    ):  # else nobody knows which files it can read, and what it makes of them
        reading = _reads if strategy.medium == "file" else _works_in_memory
        for consume in strategy.consumes:
            yield f"reads, {consume}", partial(reading, consume=consume)
    else:
        return
    if strategy.medium == "memory" or strategy.role == "null":
        return
    writes = writes_file(strategy)
    yield "bad paths" if writes else "bad files", _bad_paths
    yield "release", _release
    if strategy.bypasses_cache:
        yield "bypasses the cache", _bypasses_cache
    if writes and not strategy.replaces:  # it could replace what may not be written, or is a device
        yield "full disk", _full_disk
        yield "forbidden", _forbidden
    elif strategy.access == "random":
        yield "far offsets", _far_offsets
    elif not writes:
        yield "several files", _several_files
        if strategy.unit == "file" and strategy.format == "plain":
            yield "too large", _too_large
        if strategy.unit == "line":
            yield "long line", _long_line
        if strategy.format == "gzip":
            yield "gzip members and damage", _gzip_members_and_damage
        meets_some = data.is_text(strategy.sums) or strategy.format == "gzip"
        if (meets_some or strategy.trips_on) and not strategy.is_own:
            yield "peculiarities", _peculiarities


def reads_otherwise(subject: Subject, strategy: Strategy) -> bool:
    """Whether it counts or sums something else than a file holds. What it refuses does not tell."""
    for file in data.files(strategy.sums, "small", "middle", "large"):
        try:
            opened = _Opened(subject, strategy)
            due = opened.due(file)
            subject.sample(1, [opened.path(file)], [due], file.name, may_refuse=True)
        except (Refusal, WireError):
            continue
        except Broken:
            return True
    return False


class _Opened:
    """A strategy that is opened, with its last kind of consume unless told otherwise, or to write
    a payload of this `length`. One with random access reads blocks of files that are LARGE.
    """

    def __init__(
        self,
        subject: Subject,
        strategy: Strategy,
        consume: Consume | None = None,
        parameters: dict[str, int] | None = None,
        length: int = 65,
        **more: Any,
    ):
        self._subject, self._strategy = subject, strategy
        self._consume: Consume = consume or strategy.consumes[-1]
        self._writes, self._positions = writes_file(strategy), list[int]()
        given = strategy.defaults if parameters is None else parameters
        self._block = strategy.value("piece", given, otherwise=1)
        if strategy.access == "random":
            # Shuffled, the first and the last whole block among them.
            stream, whole = random.Random(_ACCESSES), range(data.LARGE // self._block)
            picked = stream.sample(whole, min(_ACCESSES, len(whole)))
            numbers = list({whole[0], whole[-1], *picked})
            stream.shuffle(numbers)
            self._positions = [number * self._block for number in numbers]
            more["offsets"] = subject.offsets(self._positions)
        self.content = _random_files()[0] if self._positions else data.plain(strategy.sums, length)
        if self._writes:
            self.content = more.setdefault("payload", self.content)
        subject.open(strategy, self._consume, given, **more)

    def path(self, file: Data) -> Path:
        return self._subject.path(file, self._strategy.format)

    def due(self, file: Data | None = None) -> Due:
        """What an operation on this file must report. The sum of a written one is for the host to
        find in the file.
        """
        file, of = file or self.content, self._strategy
        if of.role == "null":
            return 0, None
        if self._positions:
            blocks = {at: file.content[at : at + self._block] for at in self._positions}
            return self._block * len(blocks), _sum_of(blocks, self._consume)
        stored = file if self._writes else file.in_format(of.format)
        return stored.due(of.sums, "none" if self._writes else self._consume)

    def target(self) -> Path:
        """A file to read; or the path of one to write, where nothing is yet."""
        return self._subject.new_path() if self._writes else self.path(self.content)

    def works(self, what: str, *paths: Path, operations: int = 1, spans: int = 1) -> None:
        """Read or write these files; what was written is the payload, and nothing else."""
        paths = paths or (self.target(),)
        dues = [times(self.due(), operations)] * spans
        self._subject.sample(operations, paths, dues, what)
        for path in paths if self._writes else ():
            self.holds(path, what)

    def holds(self, path: Path, what: str) -> None:
        """A file holds the payload and nothing else."""
        must(path.is_file(), f"{what}: the file was not written")
        content, form = self.content.content, self._strategy.format
        wrong = f"{what}: the file is not in the format {form}"
        found = must_have(unframed(path.read_bytes(), form), wrong)
        sizes = f"the file holds {len(found)} bytes, {len(content)} are right"
        must(len(found) == len(content), f"{what}: {sizes}")
        same = self._strategy.generates or found == content
        must(same, f"{what}: the file does not hold the payload")


# what all do


def _works_in_memory(subject: Subject, strategy: Strategy, consume: Consume | None = None) -> None:
    """Payloads are read, or written: then the sum is of what the last operation made."""
    nowhere = subject.folder / "no such folder" / "ignored"  # a path is sent, and ignored
    for row in grid(strategy):
        if consume is None:
            payloads = _payloads(strategy, row)
        else:
            small = data.files(strategy.sums, "small" if row.default else "few")
            payloads = (*small, *_larger(strategy, consume, row))
        for payload in payloads:
            opened = _Opened(subject, strategy, consume, row.parameters, payload=payload)
            due, what = times(opened.due(payload), 2), f"{row}, {payload.name}"
            if consume is None:
                due = due[0], payload.due(strategy.sums, "sum")[1]
            subject.sample(2, [nowhere], [due] * 2, what, sums=not strategy.generates)


def _bad_paths(subject: Subject, strategy: Strategy) -> None:
    """Each is an error that names the path. The next request is served as if nothing had been."""
    folder = subject.new_path()
    folder.mkdir()
    (folder / "kept").touch()
    nowhere = folder / "no such folder" / "file"
    missing = nowhere if strategy.modes else subject.folder / "no such file"
    for mode in strategy.modes or (None,):
        opened = _Opened(subject, strategy, mode=mode)
        for bad, what in ((missing, "a file that does not exist"), (folder, "a directory")):
            subject.refused(wire.sample(1, 1, [str(bad)]), f"{mode}, {what}", str(bad))
            both = wire.sample(2, 1, [str(opened.target()), str(bad)])
            subject.refused(both, f"{mode}, a good path, then {what}", str(bad))
        good = str(opened.target())
        subject.refused(wire.sample(3, 1, [good] * 2), "two paths for three operations")
        subject.refused(wire.sample(1, 1, []), "no paths")
        subject.refused(wire.sample(0, 1, [good]), "no operations", "operations")
        subject.refused(wire.sample(1, 0, [good]), "no spans", "spans")
        opened.works(f"{mode}, after refusals")
    must(not nowhere.parent.exists(), "a folder that did not exist was made")


def _release(subject: Subject, strategy: Strategy) -> None:
    length = 4097 if one_by_one(strategy) else data.MIDDLE
    switched = {
        name: parameter.max
        for name, parameter in strategy.parameters.items()
        if parameter.role == "switch"
    }
    for switches in ({}, switched):
        opened = _Opened(subject, strategy, None, strategy.defaults | switches, length)
        path = opened.target()
        subject.sample(4, [path], [times(opened.due(), 4)], "before release")
        paths = [str(path), str(subject.folder)]
        subject.refused(wire.sample(2, 1, paths), "a directory after a good file")
        subject.let_go(path)


def _bypasses_cache(subject: Subject, strategy: Strategy) -> None:
    """Nothing that it wrote is in the cache; what it reads is not there, and does not get there."""
    opened = _Opened(subject, strategy, length=data.LARGE)
    path = opened.target()
    if subject.can_evict and path.exists():
        pagecache.evict(path)
    subject.sample(1, [path], [opened.due()], "not in the cache")
    subject.must_be_past_cache(path)
    if writes_file(strategy):  # only now: to look into it brings it into the cache
        opened.holds(path, "written")


# reading


def _reads(subject: Subject, strategy: Strategy, consume: Consume) -> None:
    """Right counts and sums: every size, every kind of text, each parameter through its values."""
    at_random = strategy.access == "random"
    for row in grid(strategy):
        opened = _Opened(subject, strategy, consume, row.parameters, length=4097)
        small = _random_files() if at_random else data.files(strategy.sums, "small")
        larger = () if at_random else _larger(strategy, consume, row)
        for files, operations in ((small, 2), (larger, 1)):
            if files:  # one request, with a span for each file
                paths = [opened.path(file) for file in files for _ in range(operations)]
                dues = [times(opened.due(file), operations) for file in files]
                names = [file.name for file in files]
                subject.sample(operations, paths, dues, str(row), spans=names)
        if row.default:
            opened.works("the same file again and again", operations=3, spans=2)


def _several_files(subject: Subject, strategy: Strategy) -> None:
    """A file for each operation; names are UTF-8."""
    opened = _Opened(subject, strategy)
    files = [data.plain(strategy.sums, length) for length in (65, 4096, 0, 1)]
    first, *paths = map(opened.path, files)
    named = subject.folder / "größer, 日本 😀.data"
    named.write_bytes(first.read_bytes())
    dues = [opened.due(file) for file in files]
    subject.sample(2, [named, *paths], [together(dues[:2]), together(dues[2:])], "four files")


def _too_large(subject: Subject, strategy: Strategy) -> None:
    """A file too large for the API: refused, or read right."""
    large = subject.zeros(_TOO_LARGE)
    consume = "touch" if "touch" in strategy.consumes else strategy.consumes[-1]
    count, total = (1, _TOO_LARGE) if strategy.sums.startswith("line-") else (_TOO_LARGE, 0)
    subject.open(strategy, consume)
    due = count, None if consume == "none" else total
    subject.sample(1, [large], [due], "2 GiB of zeros", may_refuse=True)
    _Opened(subject, strategy).works("after a large file")


def _long_line(subject: Subject, strategy: Strategy) -> None:
    """A line too long for the API: refused, or read right."""
    long = data.long_line()
    for row in grid(strategy):
        opened = _Opened(subject, strategy, parameters=row.parameters)
        what = f"{row}, {long.name}"
        subject.sample(1, [opened.path(long)], [opened.due(long)], what, may_refuse=True)
    _Opened(subject, strategy).works("after a long line")


def _gzip_members_and_damage(subject: Subject, strategy: Strategy) -> None:
    """All members of a gzip file are read. A damaged one, or one that is cut, is an error."""
    opened = _Opened(subject, strategy, length=4096)
    twice, damaged = subject.new_path(), subject.new_path()
    whole = opened.target().read_bytes()
    twice.write_bytes(whole + whole)
    both = Data("two members", 2 * opened.content.content)
    subject.sample(1, [twice], [opened.due(both)], "two members")
    for what, content in (
        ("a gzip file that is cut", whole[:-20]),
        ("a gzip file without its trailer", whole[:-8]),
        ("a gzip file with a wrong checksum", whole[:-8] + bytes(8)),
        ("no gzip file", b"no gzip file at all, by any means"),
    ):
        damaged.write_bytes(content)
        subject.refused(wire.sample(1, 1, [str(damaged)]), what, str(damaged))
    opened.works("after damaged files")


def _peculiarities(subject: Subject, strategy: Strategy) -> None:
    """A file with a peculiarity is read right; or the strategy declares that it trips on it, and
    then it does. Its compute-only variant takes what it takes itself.
    """
    found = _peculiar_files(subject, strategy)
    declared = {*strategy.trips_on}
    cannot = declared - {*found} if strategy.format != "json-lines" else ()
    must(not cannot, f"declares that it trips on {cannot}, which its file cannot have")
    exempt = declared | ({"final-cr"} if "lone-cr" in declared else set())  # that is one, too
    right = [each for name, some in found.items() if name not in exempt for each in some]
    for row in grid(strategy) if right else ():
        opened = _Opened(subject, strategy, parameters=row.parameters)
        dues = [opened.due(file) for file, _ in right]
        names = [file.name for file, _ in right]
        subject.sample(1, [path for _, path in right], dues, str(row), spans=names)
    for name in declared & {*found}:
        opened = _Opened(subject, strategy)
        wrong = (_is_read_wrong(subject, path, opened.due(file)) for file, path in found[name])
        must(any(wrong), f"declares that it trips on {name}, and reads it right")
    _takes_as_well(subject, strategy, [file for file, _ in right])


def _peculiar_files(
    subject: Subject, strategy: Strategy
) -> dict[Peculiarity, list[tuple[Data, Path]]]:
    """Files with each peculiarity that is one for this strategy, and what is in them."""
    found: dict[Peculiarity, list[tuple[Data, Path]]] = {}
    if data.is_text(strategy.sums):
        for name, text in data.peculiar(strategy.format).items():
            found[name] = [(text, subject.path(text, strategy.format))]
    if strategy.format == "gzip":
        content = data.plain(strategy.sums, 4096)
        packed = subject.path(content, "gzip").read_bytes()
        for name, tails in _BEHIND.items():
            found[name] = []
            for tail in tails:
                path = subject.new_path()
                path.write_bytes(packed + tail)
                named = Data(f"{content.name}, {tail[:4]!r} behind it", content.content)
                found[name].append((named, path))
    return found


def _is_read_wrong(subject: Subject, path: Path, due: Due) -> bool:
    try:
        subject.sample(1, [path], [due], path.name)
    except (Broken, Refusal):
        return True
    return False


def _takes_as_well(subject: Subject, strategy: Strategy, files: Sequence[Data]) -> None:
    """The compute-only variant of a strategy reads what the strategy reads."""
    variant = subject.ready.runtime.strategies.get(strategy.compute_only or "")
    if variant is None or variant.sums != strategy.sums or variant.unavailable:
        return
    for file in files:
        payload = file.in_format(strategy.format)
        subject.open(variant, payload=payload)
        due = payload.due(variant.sums, variant.consumes[-1])
        subject.sample(1, [subject.folder / "ignored"], [due], f"{variant.name}, {file.name}")


def _far_offsets(subject: Subject, strategy: Strategy) -> None:
    """Offsets beyond 2 and 4 GiB: refused, or read right; no number is cut on the way."""
    path = subject.new_path()
    block = strategy.value("piece", strategy.defaults, otherwise=1)
    positions = [far // block * block for far in _FAR]
    marks = {at: bytes([number]) * min(block, 100) for number, at in enumerate(positions, 1)}
    with path.open("wb") as file:
        try:
            file.truncate(_FAR[-1] + 2 * block)
        except OSError:  # too large for the file system
            return
        for position, content in marks.items():
            file.seek(position)
            file.write(content)
    consume = strategy.consumes[-1]
    subject.open(strategy, consume, offsets=subject.offsets(positions))
    due = block * len(positions), _sum_of(marks, consume)
    subject.sample(1, [path], [due], f"offsets up to {positions[-1]}", may_refuse=True)
    path.unlink()


# writing


def _writes(subject: Subject, strategy: Strategy) -> None:
    """New files hold the payload: every size and kind of text, each parameter's values."""
    for row in grid(strategy):
        for payload in _payloads(strategy, row):
            opened = _Opened(subject, strategy, parameters=row.parameters, payload=payload)
            paths = [subject.new_path(), subject.new_path()]
            opened.works(f"{row}, {payload.name}", *paths, spans=2)
            for path in paths:
                path.unlink()


def _truncates(subject: Subject, strategy: Strategy) -> None:
    """A longer file that was there is emptied, by each operation; names are UTF-8."""
    for payload in data.files(strategy.sums, "few"):
        opened = _Opened(subject, strategy, payload=payload, mode="truncate")
        path = subject.folder / "größe, 日本 😀.written"
        path.write_bytes(_BEFORE)
        opened.works(payload.name, path, operations=2, spans=2)
        path.unlink()


def _appends(subject: Subject, strategy: Strategy) -> None:
    """What is there stays, and each operation adds the payload; a missing file is created."""
    for payload in data.files(strategy.sums, "few"):
        opened = _Opened(subject, strategy, payload=payload, mode="append")
        missing, path, due = subject.new_path(), subject.new_path(), opened.due()
        path.write_bytes(_BEFORE)
        subject.sample(1, [missing, path], [due] * 2, payload.name)
        opened.holds(missing, f"{payload.name}, a missing file")
        once = missing.read_bytes()
        subject.sample(2, [path], [times(due, 2)] * 2, payload.name)
        found, begin = path.read_bytes(), len(_BEFORE)
        must(found[:begin] == _BEFORE, f"{payload.name}: what was in the file has changed")
        added = found[begin:]
        right = len(added) == 5 * len(once) if strategy.generates else added == once * 5
        wrong = f"{len(added)} bytes, not five times the payload, behind what was there"
        must(right, f"{payload.name}: {wrong}")


def _durable(subject: Subject, strategy: Strategy, durability: Durability) -> None:
    """The file holds the payload, and none of it waits to be written, where the kernel tells."""
    for mode in strategy.modes:
        for length in (65,) if one_by_one(strategy) else (65, 4097):
            opened = _Opened(subject, strategy, length=length, mode=mode, durability=durability)
            path, what = subject.new_path(), f"{mode}, {opened.content.name}"
            opened.works(what, path)
            dirty = durability != "none" and pagecache.observe(path).dirty
            must(not dirty, f"{what}: {dirty} pages wait to be written")


def _full_disk(subject: Subject, strategy: Strategy) -> None:
    """An error, also where the payload is small enough to wait in a buffer until the file is
    closed. A link leads to the device, so that an API which replaces files cannot replace that; one
    that removes what it could not fill removes only the link.
    """
    if not _FULL.is_char_device():
        return
    for mode in strategy.modes:
        for length in (data.LARGE, 4097, 1):
            link = subject.new_path()
            link.symlink_to(_FULL)
            opened = _Opened(subject, strategy, length=length, mode=mode)
            what = f"{mode}, {opened.content.name} on a full disk"
            subject.refused(wire.sample(1, 1, [str(link)]), what, str(link))
            must(link.is_symlink() or not link.exists(), "the file was replaced")
        opened.works(f"{mode}, after an error")
    subject.let_go(_FULL)


def _forbidden(subject: Subject, strategy: Strategy) -> None:
    """A file that may not be written: an error, and the file is as it was."""
    path = subject.new_path()
    path.write_bytes(_BEFORE)
    with _not_to_be_written(path) as effective:
        for mode in strategy.modes if effective else ():
            opened, what = _Opened(subject, strategy, mode=mode), f"{mode}, a forbidden file"
            subject.refused(wire.sample(1, 1, [str(path)]), what, str(path))
            opened.works(f"{mode}, after an error")
    must(path.read_bytes() == _BEFORE, "a file that may not be written has changed")


# tools


def _larger(strategy: Strategy, consume: Consume, row: Row) -> tuple[Data, ...]:
    """What else is read with these parameters: not everything with every value, for it is slow."""
    slow = one_by_one(strategy)
    if slow and (not row.default or consume != strategy.consumes[-1]):
        return ()
    if slow or row.tiny:
        return data.files(strategy.sums, "middle")
    return data.files(strategy.sums, *(("middle", "large") if row.default else ("large",)))


def _payloads(strategy: Strategy, row: Row) -> tuple[Data, ...]:
    """Each of them costs an `open`, so not all of them with every value."""
    slow = one_by_one(strategy)
    if row.default:
        return data.files(strategy.sums, "small", "middle", *(() if slow else ("large",)))
    return data.files(strategy.sums, "few", "middle" if row.tiny or slow else "large")


@cache
def _random_files() -> tuple[Data, ...]:
    forwards = data.plain("byte", data.LARGE)
    return forwards, Data("the same backwards", forwards.content[::-1])


def _sum_of(blocks: Mapping[int, bytes], consume: Consume) -> int | None:
    """The sum of blocks of a file by their offsets, or of their bytes that are touched."""
    touched = sum(sum(block[-at % 64 :: 64]) for at, block in blocks.items())
    return {"none": None, "touch": touched, "sum": sum(map(sum, blocks.values()))}[consume]


@contextmanager
def _not_to_be_written(path: Path) -> Iterator[bool]:
    """Whether that is possible: by permissions, or for root by the immutable flag."""
    path.chmod(0o444)
    immutable = False
    try:
        if os.access(path, os.W_OK):
            with suppress(OSError):  # the file system does not take the flag
                immutable = device.set_flag(path, device.IMMUTABLE)
        yield not os.access(path, os.W_OK)
    finally:
        if immutable:
            device.set_flag(path, device.IMMUTABLE, on=False)
