"""What a read call of data in the page cache costs on this machine, at most."""

from __future__ import annotations

import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

_LARGE = 64 << 10  # bytes: what they cost shows beside a call for one byte
_FEWEST = 4 << 10  # bytes: fewer cost too little to be seen
_CALLS, _TRIES = 32, 7


@dataclass(frozen=True)
class ReadCall:
    """The ns of a call that reads one byte, and what each further byte adds.

    They are seen from outside, by the clock, so the kernel's part is a little less.
    """

    ns: float
    ns_per_byte: float


def in_folder(folder: Path) -> ReadCall | None:
    """As `of_file`, by a file of its own in a folder, which is removed."""
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix="calls-") as file:
            file.write(bytes(range(256)) * (_LARGE // 256))
            file.flush()
            return of_file(Path(file.name))
    except OSError:
        return None


def of_file(path: Path) -> ReadCall | None:
    """Measured in some ms on the start of a file, which is in the cache then. What takes the least
    time is the call itself. None where that cannot be measured.
    """
    if not hasattr(os, "preadv"):
        return None
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        large = min(_LARGE, os.fstat(file).st_size)
        one, many = _fastest(file, 1), _fastest(file, large)
    except OSError:
        return None
    finally:
        os.close(file)
    return ReadCall(one, max(0.0, many - one) / (large - 1) if large >= _FEWEST else 0.0)


def _fastest(file: int, size: int) -> float:
    """The ns of a call, the least of several tries."""
    target, times = [memoryview(bytearray(size))], []
    for _ in range(_TRIES):
        began = time.perf_counter_ns()
        for _ in range(_CALLS):
            os.preadv(file, target, 0)
        times.append((time.perf_counter_ns() - began) / _CALLS)
    return min(times)
