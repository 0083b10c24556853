"""Counters of the kernel, from /proc: of a process, before and after a sample (Linux).

The files of a fork are opened once and read again, because the next sample waits for this.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from iogauge.host import pagecache
from iogauge.model.figures import Counter, counters

TICK_NS = 1_000_000_000 // (os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100)
_FACTORS = {"": 1, "ticks": TICK_NS, "KiB": 1024, "sectors": 512}
_SWITCHES = re.compile(rb"voluntary_ctxt_switches:\s*(\d+)")  # finds the non-voluntary ones too
_COUNTERS = counters("evidence")
_OF_THREADS = "task/*/status"
_FILES = tuple(dict.fromkeys(each.source for each in _COUNTERS if each.source != _OF_THREADS))

UNCOUNTED = (
    "this system does not tell what processes read and write: calls and their bytes are not known"
    if pagecache.WHY_NOT
    else "the kernel does not tell what processes read and write (/proc/PID/io): calls and their"
    " bytes are not known, and a sample is seen to be warm or cold by the cache before it alone"
)
"""What to tell the user where that is so."""


def value(counter: Counter, told: Mapping[str, str]) -> int | None:
    """A counter in its unit, from texts by key. None where one of its keys is not there."""
    if " " not in counter.key:  # nearly all: a look is taken around each sample
        text = told.get(counter.key)
        return int(text.split()[0]) * _FACTORS[counter.factor] if text else None
    texts = [told.get(key) for key in counter.key.split()]
    numbers = [int(text.split()[0]) for text in texts if text]
    return sum(numbers) * _FACTORS[counter.factor] if len(numbers) == len(texts) else None


def numbered(fields: Iterable[str], start: int = 1) -> dict[str, str]:
    """Fields by their numbers, as keys of counters have them."""
    return {str(number): each for number, each in enumerate(fields, start)}


def gained(
    counters: Iterable[Counter], now: Mapping[str, int | None], before: Mapping[str, int | None]
) -> dict[str, int | None]:
    """The differences to an earlier look, by name. A level has its later value."""
    found: dict[str, int | None] = {}
    for each in counters:
        name, after = each.name, now[each.name]
        earlier = 0 if each.level else before[name]
        found[name] = None if after is None or earlier is None else after - earlier
    return found


@dataclass(frozen=True)
class Evidence:
    """The counters of a process with all its threads, by the names in model/figures.py.

    They are bytes, counts and ns since the process began. CPU times have a resolution of 10 ms, so
    they are useful only over many samples. A counter that the kernel does not provide is None.
    """

    counts: dict[str, int | None]

    def since(self, before: Evidence) -> dict[str, int | None]:
        """The differences to an earlier look, by name. A level has its later value."""
        return gained(_COUNTERS, self.counts, before.counts)


class ProcessCounters:
    """Reads the counters of one process. Close it to release its descriptors."""

    def __init__(self, pid: int):
        self._pid = pid
        self._files = {name: _open(f"/proc/{pid}/{name}") for name in _FILES}
        # By thread, with those that have ended: a total must not fall.
        self._switches: dict[str, int] = {}

    def read(self) -> Evidence:
        """The counters now."""
        found = {name: _fields(name, _read(fd)) for name, fd in self._files.items()}
        found[_OF_THREADS] = self._context_switches()
        return Evidence({each.name: value(each, found[each.source]) for each in _COUNTERS})

    def close(self) -> None:
        for fd in self._files.values():
            if fd is not None:
                os.close(fd)
        self._files = dict.fromkeys(self._files)

    def _context_switches(self) -> dict[str, str]:
        """Summed over the threads, because the process's own file counts only its first thread."""
        try:
            threads = os.listdir(f"/proc/{self._pid}/task")
        except OSError:
            return {}
        for thread in threads:
            fd = _open(f"/proc/{self._pid}/task/{thread}/status")
            if fd is None:
                continue
            if counts := _SWITCHES.findall(_read(fd)):
                self._switches[thread] = sum(map(int, counts))
            os.close(fd)
        return {"ctxt_switches": str(sum(self._switches.values()))}


def _open(path: str) -> int | None:
    try:
        return os.open(path, os.O_RDONLY)
    except OSError:
        return None


def _read(fd: int | None) -> bytes:
    try:
        return b"" if fd is None else os.pread(fd, 8192, 0)
    except OSError:  # the process, or the thread, is gone
        return b""


def _fields(name: str, text: bytes) -> dict[str, str]:
    """The texts of a file, by their keys or, where a file has none, by their numbers.

    Field 2 of `stat` is the command, in parentheses, and may contain spaces. So its fields are
    counted from the last closing parenthesis.
    """
    read = text.decode("ascii", "replace")
    if name == "stat":
        return numbered(read.rpartition(")")[2].split(), start=3)
    if ":" not in read:
        return numbered(read.split())
    lines = (line.partition(":") for line in read.splitlines())
    return {key.strip(): value.strip() for key, _, value in lines}


def held(pid: int) -> dict[str, str]:
    """Paths that a process has open or mapped, as far as the system tells."""
    process = Path(f"/proc/{pid}")
    held: dict[str, str] = {}
    if not process.exists():
        return held
    for line in (process / "maps").read_bytes().decode("utf-8", "replace").splitlines():
        held["/" + line.partition("/")[2].removesuffix(" (deleted)")] = "mapped"
    for link in (process / "fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            held[os.readlink(link).removesuffix(" (deleted)")] = "open"
    return held
