"""How this machine treats fresh memory: the speed of its first touch, and slow places in a page.

The programs that touch memory run in short-lived children.
"""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass

from iogauge.host import capacity
from iogauge.model.units import significant

# The memory that this child gives back has just been used, so the host backs it. The child uses
# huge pages, because touching pages of 4 KiB takes longer than it saves (docs/methodology.md,
# "Memory and placement").
_BALLAST = """
import mmap, sys
size = int(sys.argv[1])
area = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
area.madvise(mmap.MADV_HUGEPAGE)
for offset in range(0, size, 4096):
    area[offset] = 1
"""

_FIRST_TOUCH = """
import mmap, sys, time
size = int(sys.argv[1])
filler = b"\\1" * (1 << 20)
for _ in range(2):
    start = time.perf_counter()
    area = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for offset in range(0, size, 1 << 20):
        area[offset : offset + (1 << 20)] = filler
    print(size / (time.perf_counter() - start))
    area.close()
"""

FIRST_TOUCH_MATTERS = 1.5  # times faster is the first touch of used memory, where a ballast pays
MISPLACED_MATTERS = 1.25
# Bytes after the start of a page: where glibc's malloc puts what it maps, which by default is all
# of 128 KiB and more.
_MALLOCED = 16
_MISPLACED, _MISPLACED_TRIES = 1 << 20, 7


@dataclass(frozen=True)
class FirstTouch:
    """Speed of writing to fresh anonymous memory, in bytes per second.

    `untouched` is memory that the machine has not used for a while, `used` memory that a process
    has just given back.
    """

    untouched: float
    used: float

    @property
    def matters(self) -> bool:
        """Whether the difference is so large that touching memory beforehand pays."""
        return self.used > FIRST_TOUCH_MATTERS * self.untouched


def first_touch(size: int = 128 << 20) -> FirstTouch | None:
    """Measure the first touch of `size` bytes, or less, in 0.1 to 0.4 s. None if that fails."""
    size = min(size, capacity.available_memory() // 2) & -(1 << 20)  # whole MiB
    try:
        untouched, used = map(float, _in_child(_FIRST_TOUCH, size).split())
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return FirstTouch(untouched, used)


def misplaced_read() -> float | None:
    """How many times as long it takes to read a cached file into memory that starts 16 bytes into a
    page as into memory that starts with a page.

    It was 1 on two processors, and 6 on one with the flag `fsrm`: there the kernel's copy
    instruction is slow if the target lies a little after the source, by their addresses within a
    page. Takes 10 ms. None if it cannot be measured.
    """
    if not hasattr(os, "memfd_create"):
        return None
    times: dict[int, list[int]] = {0: [], _MALLOCED: []}
    try:
        file = os.memfd_create("iogauge")
        try:
            os.write(file, bytes(_MISPLACED))
            with mmap.mmap(-1, _MISPLACED + mmap.PAGESIZE) as area, memoryview(area) as memory:
                for place in (*times,) * (1 + _MISPLACED_TRIES):
                    with memory[place : place + _MISPLACED] as target:
                        start = time.perf_counter_ns()
                        os.preadv(file, [target], 0)
                        times[place].append(time.perf_counter_ns() - start)
        finally:
            os.close(file)
    except OSError:
        return None
    return min(times[_MALLOCED][1:]) / min(times[0][1:])  # the first ones touched the memory


def misplaced_caveat(ratio: float) -> str:
    """What to tell the user about such a processor."""
    return (
        f"this processor takes {significant(ratio, 2)} times as long to read into memory that"
        " begins 16 bytes into a page. malloc puts arrays of 128 KiB and more there (all of C and"
        " Rust, some of Python and Java): a large block can be slow for this reason alone"
    )


def touch_ballast(size: int) -> None:
    """Let a child touch and free `size` bytes of huge pages, so that the host backs that memory."""
    with suppress(OSError, subprocess.SubprocessError):  # the sample may be slower: this only helps
        _in_child(_BALLAST, size)


def _in_child(program: str, size: int) -> str:
    """What a program prints that is given a size. Raises OSError, or SubprocessError."""
    command = [sys.executable, "-I", "-S", "-c", program, str(size)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60, check=True)
    return done.stdout
