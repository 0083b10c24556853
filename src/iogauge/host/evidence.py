"""Counters of the kernel, from /proc, before and after a sample (Linux): of a process and of the
whole machine; and a fixed piece of work (the canary) whose time shows how fast the machine is at
that moment.

Counts are by the names in model/figures.py, since the process or the machine began: bytes, counts
and ns. CPU times have a resolution of 10 ms, so they are useful only over many samples. A counter
that the kernel does not provide is None. The files are opened once and read again, because the next
sample waits for this.
"""

from __future__ import annotations

import hashlib
import os
import re
import statistics
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from iogauge.host import pagecache
from iogauge.model.figures import Counter, counters

TICK_NS = 1_000_000_000 // (os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100)
_FACTORS = {"": 1, "ticks": TICK_NS, "KiB": 1024, "sectors": 512}
_SWITCHES = re.compile(rb"voluntary_ctxt_switches:\s*(\d+)")  # finds the non-voluntary ones too
_COUNTERS, _OF_MACHINE = counters("evidence"), counters("machine")
_OF_THREADS = "task/*/status"
_HASHED, _COPIED, _REPEATS = 256 << 10, 4 << 20, 3
_LOOKS = 12  # at the canary
_LONGEST = 1 << 20  # bytes of /proc/stat: a line per processor and a word per interrupt
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


class ProcessCounters:
    """Reads the counters of one process with its threads. Close it to release its descriptors."""

    def __init__(self, pid: int):
        self._pid = pid
        self._files = {name: _open(f"/proc/{pid}/{name}") for name in _FILES}
        # By thread, with those that have ended: a total must not fall.
        self._switches: dict[str, int] = {}

    def read(self) -> dict[str, int | None]:
        """The counters now."""
        found = {name: _fields(name, _read(fd)) for name, fd in self._files.items()}
        found[_OF_THREADS] = self._context_switches()
        return {each.name: value(each, found[each.source]) for each in _COUNTERS}

    def since(self, before: Mapping[str, int | None]) -> dict[str, int | None]:
        """What they gained since an earlier look."""
        return gained(_COUNTERS, self.read(), before)

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


class MachineCounters:
    """Watches what all processors do, and times fixed work. Close it to release its descriptor.

    `busy_ns` is the time of user, nice, system, irq and softirq; `steal_ns` is time that the
    hypervisor gave to others while this machine wanted it. `running` is how many threads run or
    wait for a processor, and `own_ns` the processor time of this process.
    """

    def __init__(self) -> None:
        self._file = _open("/proc/stat")
        # Not zeros: a kernel may keep them in one page.
        self._source = memoryview(bytes(range(256)) * (_COPIED // 256))
        self._target = memoryview(bytearray(_COPIED))
        self.canary()  # the first canary touches the memory

    def read(self) -> dict[str, Any] | None:
        """The figures now; None if the kernel does not provide them."""
        text = os.pread(self._file, _LONGEST, 0) if self._file is not None else b""
        first, _, rest = text.partition(b"\n")
        fields = numbered(first.decode("ascii").split()[1:])
        counts = {each.name: value(each, fields) for each in _OF_MACHINE}
        running = rest.rpartition(b"procs_running ")[2].split(b"\n")[0]
        if None in counts.values() or not running.isdigit():
            return None
        return {**counts, "own_ns": time.process_time_ns(), "running": int(running)}

    def since(self, before: dict[str, Any] | None) -> dict[str, int | None] | None:
        """What the counters gained, and `running` at first, without iogauge itself. None if one of
        both looks is missing.
        """
        after = self.read()
        if before is None or after is None:
            return None
        counts: dict[str, Any] = gained(_OF_MACHINE, after, before)
        counts["busy_ns"] -= after["own_ns"] - before["own_ns"]
        return {**counts, "running": max(0, before["running"] - 1)}

    def canary(self) -> dict[str, int]:
        """The time of fixed work in ns, each the median of three.

        `compute_ns` is for hashing 256 KiB (the processor alone), `memory_ns` for copying 4 MiB.
        """
        hashing, copying = [], []
        for _ in range(_REPEATS):
            start = time.perf_counter_ns()
            hashlib.sha256(self._source[:_HASHED]).digest()
            middle = time.perf_counter_ns()
            self._target[:] = self._source
            hashing.append(middle - start)
            copying.append(time.perf_counter_ns() - middle)
        return {
            "compute_ns": statistics.median_low(hashing),
            "memory_ns": statistics.median_low(copying),
        }

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def pace() -> dict[str, float]:
    """How long fixed work takes now, in ns; with warm caches, so not as before a round. It is what
    the work takes where others leave it alone: numbers that are kept are the fastest, too.
    """
    machine = MachineCounters()
    try:
        looks = [machine.canary() for _ in range(_LOOKS)]
    finally:
        machine.close()
    return {kind: undisturbed(each[kind] for each in looks) for kind in looks[0]}


def undisturbed(times: Iterable[float]) -> float:
    """The lower quartile."""
    ordered = sorted(times)
    return ordered[len(ordered) // 4]


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
