"""Brings the index of a folder up to date: only what is new or changed is read."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from iogauge.history import stored
from iogauge.history.entries import Entry, Stamp, stamp
from iogauge.history.stored import Index, Unusable
from iogauge.host.processes import leave_interrupts
from iogauge.model import folders
from iogauge.model.text import visible
from iogauge.model.units import counted, duration

RUN_FILES = ".jsonl"
_MANY = 200  # files: from here on it is told that they are read
_FEW_BYTES = 8 << 20  # in all: less is sooner read here than other processes have started
_CHUNK = 25  # files that a process reads at a time
_MOST_PROCESSES = 4
_YOUNG = 2.0  # s: a file that was written to so lately may be written to again within one tick
Say = Callable[[str], None]


@dataclass(frozen=True)
class Known:
    """The index of a folder, up to date, where it is kept (None: nowhere), and how many files were
    read anew.
    """

    index: Index
    path: Path | None
    fresh: int


def up_to_date(folder: Path, say: Say = lambda text: None) -> Known:
    """The index of a folder and of all folders in it, without those whose names begin with a dot.
    What was done with the index is told in one line. Raises OSError for a folder that cannot be
    read.
    """
    index, path = _kept(folder, say)
    found = dict(sorted(_scanned(folder)))
    old = index.stamps
    fresh = [raw for name, (raw, seen) in found.items() if seen is None or old.get(name) != seen]
    again = {visible(raw) for raw in fresh}
    keep = [name in found and name not in again for name in index.texts("runs", "path")]
    if not fresh and all(keep):
        return Known(index, path, 0)
    if len(fresh) >= _MANY:
        say(f"reading {counted(len(fresh), 'run file')}, once; the index keeps what is needed")
    begun, entries = time.monotonic(), list[Entry]()
    try:
        for entry in _read(folder, fresh, sum(_size(folder, raw) for raw in fresh)):
            entries.append(_settled(entry))
    finally:  # after Ctrl-C, what was read until then is kept
        index = index.updated(keep, entries)
        path = next((each for each in places(folder) if stored.write(each, index)), None)
    if len(fresh) >= _MANY:
        took = duration(time.monotonic() - begun)
        say(f"read in {took}" + ("" if path else "; the index can be kept nowhere"))
    return Known(index, path, len(fresh))


def places(folder: Path) -> list[Path]:
    """Where the index of a folder is kept: in it, else in the cache folder."""
    digest = hashlib.sha256(os.fsencode(os.path.realpath(folder))).hexdigest()[:16]
    return [folder / folders.INDEX, folders.cache() / folders.HISTORY / digest]


def _kept(folder: Path, say: Say) -> tuple[Index, Path | None]:
    for path in places(folder):
        try:
            if index := stored.read(path):
                return index, path
        except Unusable as why:
            say(f"{path}: {why}; the index is made anew")
    return stored.empty(), None


def _scanned(folder: Path) -> Iterator[tuple[str, tuple[str, Stamp | None]]]:
    """The names of all run files below the folder, as they can be shown and as they are, with
    their stamps: None for what is no file, or cannot be seen.
    """
    open_ = [""]
    while open_:
        inside = open_.pop()
        try:
            entries = list(os.scandir(os.path.join(folder, inside)))
        except OSError:
            if not inside:
                raise
            continue  # one below that may not be looked into
        for entry in entries:
            name = os.path.join(inside, entry.name)
            if entry.is_dir(follow_symlinks=False):
                if not entry.name.startswith("."):
                    open_.append(name)
            elif entry.name.endswith(RUN_FILES):
                try:
                    yield visible(name), (name, stamp(entry.stat()))
                except OSError:
                    yield visible(name), (name, None)


def _size(folder: Path, name: str) -> int:
    try:
        return os.stat(folder / name).st_size
    except OSError:
        return 0


def _settled(entry: Entry) -> Entry:
    """What was written to just now is read again at the next look."""
    if time.time() - entry.run["mtime"] / 1e9 < _YOUNG:
        return entry._replace(run=entry.run | {"mtime": 0})
    return entry


def _read(folder: Path, names: Sequence[str], size: int) -> Iterator[Entry]:
    """The entries of these files, in their order; of many, by a process for each core."""
    processes = min(_MOST_PROCESSES, os.cpu_count() or 1)
    if size < _FEW_BYTES or processes < 2:
        yield from _chunk(str(folder), names)
        return
    chunks = [names[at : at + _CHUNK] for at in range(0, len(names), _CHUNK)]
    while chunks:
        done = 0
        with _processes(processes) as pool:
            under_way = [pool.submit(_chunk, str(folder), chunk) for chunk in chunks]
            try:
                for each in under_way:
                    yield from each.result()
                    done += 1
            except BrokenProcessPool:
                pass
            finally:
                pool.shutdown(cancel_futures=True)
        if done < len(chunks):  # one of its files may end a process, as the kernel does for memory
            for name in chunks[done]:
                yield _alone(folder, name)
            done += 1
        chunks = chunks[done:]


def _processes(count: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(count, get_context("spawn"), leave_interrupts)


def _alone(folder: Path, name: str) -> Entry:
    with _processes(1) as pool:
        try:
            return pool.submit(_chunk, str(folder), [name]).result()[0]
        except BrokenProcessPool:
            problem = "reading it ended the process that did; skipped"
            try:
                seen = stamp(os.stat(folder / name))
            except OSError:
                seen = Stamp(0, 0, 0)
            return Entry({"path": visible(name), **seen._asdict(), "problem": problem})


def _chunk(folder: str, names: Sequence[str]) -> list[Entry]:
    from iogauge.history.levels import of_file  # only here: what reads runs takes long to load

    return [of_file(folder, name) for name in names]
