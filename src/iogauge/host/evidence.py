"""The kernel's figures about a process, read from /proc before and after a sample (Linux).

The files of a fork are opened once and read again, because the next sample waits for this.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from iogauge.host.counting import gained, numbered, value
from iogauge.model.figures import counters

_SWITCHES = re.compile(rb"voluntary_ctxt_switches:\s*(\d+)")  # finds the non-voluntary ones too
_COUNTERS = counters("evidence")


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
        self._files = {name: _open(f"/proc/{pid}/{name}") for name in ("io", "stat", "status")}
        # By thread, with those that have ended: a total must not fall.
        self._switches: dict[str, int] = {}

    def look(self) -> Evidence:
        """The counters now."""
        found = {
            "io": _pairs(self._read("io")),
            "stat": _fields(self._read("stat")),
            "status": _pairs(self._read("status")),
            "task/*/status": self._context_switches(),
        }
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


def _fields(text: bytes) -> dict[str, str]:
    """The fields of `stat`, by their numbers in proc(5).

    Field 2 is the command, in parentheses, and may contain spaces. So fields are counted from the
    last closing parenthesis.
    """
    return numbered(text.decode("ascii", "replace").rpartition(")")[2].split(), start=3)


def _pairs(text: bytes) -> dict[str, str]:
    lines = (line.partition(":") for line in text.decode("ascii", "replace").splitlines())
    return {key: value.strip() for key, _, value in lines}
