"""Strategies that write: files, which must hold exactly the payload, and sinks in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from iogauge.corpus.data_files import unframed
from iogauge.host import device, pagecache
from iogauge.model.strategy import Strategy
from iogauge.model.workload import Durability, Mode
from iogauge.runners import wire

from . import data
from .data import Data, Due, times
from .subject import Row, Subject, grid, must, must_have, one_by_one

_FULL = Path("/dev/full")
_BEFORE = b"what was there before, and is longer than a small payload; " * 100


def checks(strategy: Strategy) -> Iterator[tuple[str, Callable[[Subject, Strategy], None]]]:
    if strategy.medium == "memory":
        yield "writes", _writes_in_memory
        return
    yield "writes", _writes
    for mode in strategy.modes:
        yield f"writes, {mode}", partial({"truncate": _truncates, "append": _appends}[mode])
    for durability in strategy.durabilities:
        yield f"writes, durability {durability}", partial(_durable, durability=durability)
    if strategy.bypasses_cache:
        yield "bypasses the cache", _bypasses_cache
    functions = [_bad_paths, _release]
    if not strategy.replaces:  # it could replace what may not be written, or is a device
        functions += [_full_disk, _forbidden]
    for function in functions:
        yield function.__name__[1:].replace("_", " "), function


# the checks


def _writes(subject: Subject, strategy: Strategy) -> None:
    """New files hold the payload: every size and kind of text, each parameter's values."""
    for row in grid(strategy):
        for payload in _payloads(strategy, row):
            subject.open(strategy, parameters=row.parameters, payload=payload)
            paths = [subject.new_path(), subject.new_path()]
            subject.sample(1, paths, [_due(strategy, payload)] * 2, f"{row}, {payload.name}")
            for path in paths:
                _holds(strategy, path, payload, f"{row}, {payload.name}")
                path.unlink()


def _writes_in_memory(subject: Subject, strategy: Strategy) -> None:
    """The count is of all operations, the sum of what the last one made."""
    for row in grid(strategy):
        for payload in _payloads(strategy, row):
            subject.open(strategy, parameters=row.parameters, payload=payload)
            count, total = payload.due(strategy.sums, "sum")
            paths, dues = [subject.folder / "no such folder" / "ignored"], [(2 * count, total)] * 2
            what = f"{row}, {payload.name}"
            subject.sample(2, paths, dues, what, sums=not strategy.generates)


def _truncates(subject: Subject, strategy: Strategy) -> None:
    """A longer file that was there is emptied, by each operation; names are UTF-8."""
    for payload in data.few(strategy.sums):
        subject.open(strategy, payload=payload, mode="truncate")
        path = subject.folder / "größe, 日本 😀.written"
        path.write_bytes(_BEFORE)
        subject.sample(2, [path], [times(_due(strategy, payload), 2)] * 2, payload.name)
        _holds(strategy, path, payload, payload.name)
        path.unlink()


def _appends(subject: Subject, strategy: Strategy) -> None:
    """What is there stays, and each operation adds the payload; a missing file is created."""
    for payload in data.few(strategy.sums):
        subject.open(strategy, payload=payload, mode="append")
        missing, path = subject.new_path(), subject.new_path()
        path.write_bytes(_BEFORE)
        due = _due(strategy, payload)
        subject.sample(1, [missing, path], [due] * 2, payload.name)
        _holds(strategy, missing, payload, f"{payload.name}, a missing file")
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
            payload = data.plain(strategy.sums, length)
            subject.open(strategy, payload=payload, mode=mode, durability=durability)
            path = subject.new_path()
            subject.sample(1, [path], [_due(strategy, payload)], f"{mode}, {payload.name}")
            _holds(strategy, path, payload, f"{mode}, {payload.name}")
            dirty = durability != "none" and pagecache.observe(path).dirty
            must(not dirty, f"{mode}, {payload.name}: {dirty} pages wait to be written")


def _bypasses_cache(subject: Subject, strategy: Strategy) -> None:
    """Nothing that it wrote is in the cache."""
    payload = data.plain(strategy.sums, data.LARGE)
    subject.open(strategy, payload=payload)
    path = subject.new_path()
    subject.sample(1, [path], [_due(strategy, payload)], "written")
    subject.must_be_past_cache(path, "written")
    _holds(strategy, path, payload, "written")


def _bad_paths(subject: Subject, strategy: Strategy) -> None:
    """Each is an error that names the path. The next request is served as if nothing had been."""
    folder = subject.new_path()
    folder.mkdir(exist_ok=True)
    (folder / "kept").touch()
    nowhere = folder / "no such folder" / "file"
    payload = data.plain(strategy.sums, 65)
    for mode in strategy.modes:
        subject.open(strategy, payload=payload, mode=mode)
        for bad, what in ((folder, "a directory"), (nowhere, "a folder that does not exist")):
            subject.refused(wire.sample(1, 1, [str(bad)]), f"{mode}, {what}", str(bad))
            both = wire.sample(2, 1, [str(subject.new_path()), str(bad)])
            subject.refused(both, f"{mode}, a good path, then {what}", str(bad))
        two = wire.sample(3, 1, [str(subject.new_path())] * 2)
        subject.refused(two, "two paths for three operations")
        _still_writes(subject, strategy, payload, mode)
    must(not nowhere.parent.exists(), "a folder that did not exist was made")


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
            payload = data.plain(strategy.sums, length)
            subject.open(strategy, payload=payload, mode=mode)
            what = f"{mode}, {payload.name} on a full disk"
            subject.refused(wire.sample(1, 1, [str(link)]), what, str(link))
            must(link.is_symlink() or not link.exists(), "the file was replaced")
        _still_writes(subject, strategy, payload, mode)
    subject.let_go(_FULL)


def _forbidden(subject: Subject, strategy: Strategy) -> None:
    """A file that may not be written: an error, and the file is as it was."""
    path = subject.new_path()
    path.write_bytes(_BEFORE)
    payload = data.plain(strategy.sums, 65)
    with _not_to_be_written(path) as effective:
        if not effective:
            return
        for mode in strategy.modes:
            subject.open(strategy, payload=payload, mode=mode)
            what = f"{mode}, a file that may not be written"
            subject.refused(wire.sample(1, 1, [str(path)]), what, str(path))
            _still_writes(subject, strategy, payload, mode)
    must(path.read_bytes() == _BEFORE, "a file that may not be written has changed")


def _release(subject: Subject, strategy: Strategy) -> None:
    payload = data.plain(strategy.sums, 4097 if one_by_one(strategy) else data.MIDDLE)
    subject.open(strategy, payload=payload)
    for _ in range(2):
        path = subject.new_path()
        subject.sample(4, [path], [times(_due(strategy, payload), 4)], "before release")
        paths = [str(path), str(subject.folder)]
        subject.refused(wire.sample(2, 1, paths), "a directory after a good path")
        subject.let_go(path)
        path.unlink()


# tools


def _payloads(strategy: Strategy, row: Row) -> tuple[Data, ...]:
    """Each of them costs an `open`, so not all of them with every value."""
    sums, slow = strategy.sums, one_by_one(strategy)
    if row.default:
        return (*data.small(sums), *data.middle(sums), *(() if slow else data.large(sums)))
    return (*data.few(sums), *(data.middle(sums) if row.tiny or slow else data.large(sums)))


def _due(strategy: Strategy, payload: Data) -> Due:
    """What one operation reports: the sum is for the host to find in the file."""
    return payload.due(strategy.sums, "none")


def _holds(strategy: Strategy, path: Path, payload: Data, what: str) -> None:
    """The file holds the payload and nothing else."""
    must(path.is_file(), f"{what}: the file was not written")
    content, form = payload.content, strategy.format
    wrong = f"{what}: the file is not in the format {form}"
    found = must_have(unframed(path.read_bytes(), form), wrong)
    sizes = f"the file holds {len(found)} bytes, {len(content)} are right"
    must(len(found) == len(content), f"{what}: {sizes}")
    must(strategy.generates or found == content, f"{what}: the file does not hold the payload")


def _still_writes(subject: Subject, strategy: Strategy, payload: Data, mode: Mode) -> None:
    path = subject.new_path()
    subject.sample(1, [path], [_due(strategy, payload)], f"{mode}, after an error")
    _holds(strategy, path, payload, f"{mode}, after an error")


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
