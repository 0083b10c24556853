"""The kernel's figures about a process, read from /proc before and after a sample (Linux).

The files of a fork are opened once and read again, because the next sample waits for this.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from iogauge.host import pagecache
from iogauge.host.counting import gained, numbered, value
from iogauge.model.figures import counters

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


class Witness:
    """Reads the counters of one process. Close it to release its descriptors."""

    def __init__(self, pid: int):
        self._pid = pid
        self._files = {name: _open(f"/proc/{pid}/{name}") for name in _FILES}
        # By thread, with those that have ended: a total must not fall.
        self._switches: dict[str, int] = {}

    def look(self) -> Evidence:
        """The counters now."""
        found = {name: _told(name, self._read(name)) for name in _FILES}
        found[_OF_THREADS] = self._context_switches()
        return Evidence({each.name: value(each, found[each.source]) for each in _COUNTERS})

    def close(self) -> None:
        for fd in self._files.values():
            if fd is not None:
                os.close(fd)
        self._files = dict.fromkeys(self._files)

    def _read(self, name: str) -> bytes:
        fd = self._files[name]
        return _read(fd) if fd is not None else b""

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
            counts = _SWITCHES.findall(_read(fd))
            os.close(fd)
            if counts:
                self._switches[thread] = sum(map(int, counts))
        return {"ctxt_switches": str(sum(self._switches.values()))}


def _open(path: str) -> int | None:
    try:
        return os.open(path, os.O_RDONLY)
    except OSError:
        return None


def _read(fd: int) -> bytes:
    try:
        return os.pread(fd, 8192, 0)
    except OSError:  # the process, or the thread, is gone
        return b""


def _told(name: str, text: bytes) -> dict[str, str]:
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
