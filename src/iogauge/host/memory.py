"""TODO"""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
import time
from dataclasses import dataclass

# A child that touches anonymous memory and ends: what it gives back has just been used, and is
# backed by the host. Huge pages, because touching 4 KiB pages costs more than it brings
# (docs/methodology.md, "Memory and placement").
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

RESTED_MATTERS = 1.5  # first touch of used memory is this many times faster: then a ballast pays

MISPLACED_MATTERS = 1.25

# bytes after the start of a page: where glibc's malloc puts what it maps, which by default is all
# of 128 KiB and more
_MALLOCED = 16

_MISPLACED, _MISPLACED_TRIES = 1 << 20, 7


@dataclass(frozen=True)
class FirstTouch:
    """Bandwidth of writing fresh anonymous memory, bytes per second: memory that rested, and memory
    just given back.
    """

    rested: float
    used: float

    @property
    def matters(self) -> bool:
        return self.used > RESTED_MATTERS * self.rested


def first_touch(size: int = 128 << 20) -> FirstTouch | None:
    """Measured in a short-lived child (0.1 to 0.4 s); None where it cannot be."""
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _FIRST_TOUCH, str(size)],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        rested, used = map(float, done.stdout.split())
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return FirstTouch(rested, used)


def misplaced_read() -> float | None:
    """How many times as long the kernel takes to copy a cached file into memory that begins 16
    bytes into a page as into memory that begins with one.

    1 on two processors that were seen, 6 on one that tells of `fsrm`: the instruction by which the
    kernel copies is slow there when a target lies a little beyond its source, of addresses within a
    page. Takes 10 ms; None where it cannot be measured.
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
    return (
        f"this processor takes {ratio:.2g} times as long to read into memory that begins 16 bytes into a page, where malloc puts arrays of 128 KiB and more "
        "(of C, Rust, some of Python and of Java): a large block can be slow for that alone"
    )


def touch_ballast(size: int) -> None:
    """A child touches and frees `size` bytes of huge pages, so that the next allocations find
    backed memory.
    """
    try:
        subprocess.run(
            [sys.executable, "-I", "-S", "-c", _BALLAST, str(size)],
            capture_output=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return  # the sample is then as slow as it is: this is only a help
