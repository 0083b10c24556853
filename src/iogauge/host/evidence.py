"""The kernel's figures about a process, read from /proc before and after a sample (Linux).

The files of a fork are opened once and read again, because the next sample waits for this.
"""

from __future__ import annotations

import os
import re
from dataclasses import asdict, dataclass

TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
_SWITCHES = re.compile(rb"voluntary_ctxt_switches:\s*(\d+)")  # finds the non-voluntary ones too
_IO_KEYS = ("rchar", "wchar", "syscr", "syscw", "read_bytes", "write_bytes")


@dataclass(frozen=True)
class Evidence:
    """Cumulative figures of a process with all its threads: bytes, counts and ns.

    CPU times have a resolution of 10 ms, so they are useful only over many samples. A figure that
    the kernel does not provide is None.
    """

    rchar: int | None
    wchar: int | None
    syscr: int | None
    syscw: int | None
    read_bytes: int | None
    write_bytes: int | None
    user_ns: int | None
    system_ns: int | None
    minor_faults: int | None
    major_faults: int | None
    context_switches: int | None
    peak_rss_bytes: int | None  # a level, not a sum

    def since(self, before: Evidence) -> dict[str, int | None]:
        """The differences to an earlier look, by name. The peak of memory is the later one."""
        then = asdict(before)
        gained = {name: _difference(now, then[name]) for name, now in asdict(self).items()}
        return {**gained, "peak_rss_bytes": self.peak_rss_bytes}


class Witness:
    """Reads the figures of one process. Close it to release its descriptors."""

    def __init__(self, pid: int):
        self._pid = pid
        self._files = {name: _open(f"/proc/{pid}/{name}") for name in ("io", "stat", "status")}
        # By thread, with those that have ended: a total must not fall.
        self._switches: dict[str, int] = {}

    def look(self) -> Evidence:
        """The figures now."""
        io = _pairs(self._read("io"))
        # Field 2 is the command, in parentheses, and may contain spaces. So fields are counted from
        # the last closing parenthesis.
        stat = self._read("stat").rpartition(b")")[2].split()
        status = _pairs(self._read("status"))
        peak = status.get("VmHWM")
        return Evidence(
            **{key: int(io[key]) if key in io else None for key in _IO_KEYS},
            user_ns=int(stat[11]) * TICK_NS if len(stat) > 12 else None,
            system_ns=int(stat[12]) * TICK_NS if len(stat) > 12 else None,
            minor_faults=int(stat[7]) if len(stat) > 12 else None,
            major_faults=int(stat[9]) if len(stat) > 12 else None,
            context_switches=self._context_switches(),
            peak_rss_bytes=int(peak.split()[0]) * 1024 if peak else None,
        )

    def close(self) -> None:
        for fd in self._files.values():
            if fd is not None:
                os.close(fd)
        self._files = dict.fromkeys(self._files)

    def _read(self, name: str) -> bytes:
        fd = self._files[name]
        return _read(fd) if fd is not None else b""

    def _context_switches(self) -> int | None:
        """Summed over the threads, because the process's own file counts only its first thread."""
        try:
            threads = os.listdir(f"/proc/{self._pid}/task")
        except OSError:
            return None
        for thread in threads:
            fd = _open(f"/proc/{self._pid}/task/{thread}/status")
            if fd is None:
                continue
            counts = _SWITCHES.findall(_read(fd))
            os.close(fd)
            if counts:
                self._switches[thread] = sum(map(int, counts))
        return sum(self._switches.values())


def _difference(now: int | None, then: int | None) -> int | None:
    return None if now is None or then is None else now - then


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


def _pairs(text: bytes) -> dict[str, str]:
    lines = (line.partition(":") for line in text.decode("ascii", "replace").splitlines())
    return {key: value.strip() for key, _, value in lines}
