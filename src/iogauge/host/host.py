"""What this machine is, and what about it disturbs measurements. Reads and warns; never tunes,
never needs root.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import platform
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from iogauge.host.device import mount_of

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

BUSY = 0.1


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


def facts(directory: Path) -> dict[str, Any]:
    """The host as the run file's header keeps it: no name, no path. `identity` tells hosts apart."""
    memory = psutil.virtual_memory()
    kind, options = mount_of(directory)
    return {
        "identity": identity(),
        "system": platform.system(),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_bytes": memory.total,
        "memory_available_bytes": memory.available,
        "page_bytes": mmap.PAGESIZE,
        "misplaced_read": misplaced_read(),  # times as long; see there
        "virtual": _virtual(),
        "transparent_huge_pages": _chosen("/sys/kernel/mm/transparent_hugepage/enabled"),
        "governor": _text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "file_system": kind,
        "mounted_sync": "sync" in options,
        "read_ahead_bytes": _read_ahead(directory),
        "busy": psutil.cpu_percent(interval=0.3) / 100,  # while we sleep: of all processors
        "python": platform.python_version(),
    }


def disturbances(found: dict[str, Any]) -> list[str]:
    """What about these facts disturbs measurements here, a sentence each."""
    says = []
    if found["cores"] is not None and found["cores"] < 2:
        says.append("one core: forks that warm up disturb each other, everything takes longer")
    if found["busy"] > BUSY:
        says.append(busy_caveat(found["busy"]))
    if (found["misplaced_read"] or 1) > MISPLACED_MATTERS:
        says.append(misplaced_caveat(found["misplaced_read"]))
    if found["governor"] not in (None, "performance"):
        says.append(f"the frequency governor is {found['governor']!r}: clocks change under load")
    if found["virtual"]:
        says.append(
            "a virtual machine: memory that rested and the host's own cache cannot be controlled from here"
        )
    if found["file_system"] in ("tmpfs", "ramfs"):
        says.append(f"{found['file_system']}: files live in memory, nothing can be cold")
    if found["file_system"] in ("nfs", "nfs4", "cifs", "fuse", "9p", "virtiofs"):
        says.append(
            f"{found['file_system']}: another machine or program serves the files, its caches are unknown"
        )
    if (
        Path("/sys/module/damon_reclaim/parameters/enabled").exists()
        or Path("/sys/kernel/mm/damon/admin").exists()
    ):
        says.append("DAMON may page out idle cache: residency is checked before every warm sample")
    return says


def busy_caveat(busy: float) -> str:
    return f"something else is running: the processors are {busy:.0%} busy while iogauge sleeps"


def available_memory() -> int:
    """Bytes that can be allocated now without swapping, in this control group."""
    available = psutil.virtual_memory().available
    limit, used = (_text(f"{_control_group()}/memory.{name}") for name in ("max", "current"))
    if limit and limit.isdigit() and used:
        return min(available, max(0, int(limit) - int(used)))
    return available


def background_write_back() -> int | None:
    """Bytes of written data at which the system begins to write them back by itself."""
    fixed, ratio = (_text(f"/proc/sys/vm/dirty_background_{unit}") for unit in ("bytes", "ratio"))
    if fixed and fixed.isdigit() and int(fixed):
        return int(fixed)
    return available_memory() * int(ratio) // 100 if ratio and ratio.isdigit() else None


def usable_cores() -> int:
    """Cores that this process may use, in this control group."""
    cores = len(os.sched_getaffinity(0))
    quota, _, period = (_text(f"{_control_group()}/cpu.max") or "").partition(" ")
    return (
        max(1, min(cores, int(quota) // int(period)))
        if quota.isdigit() and period.isdigit()
        else cores
    )


def _control_group() -> str:
    """Folder of this process's control group (version 2)."""
    name = next(
        (
            line[3:]
            for line in (_text("/proc/self/cgroup") or "").splitlines()
            if line.startswith("0::")
        ),
        "/",
    )
    return f"/sys/fs/cgroup{name}".rstrip("/")


def identity() -> str | None:
    """A hash that tells hosts apart and tells nothing else."""
    for path in ("/etc/machine-id", "/var/lib/dbus/machine-id"):
        text = _text(path)
        if text:
            break
    else:
        text = platform.node()
    parts = f"iogauge {text} {platform.machine()} {_processor()} {os.cpu_count()}"
    return hashlib.sha256(parts.encode()).hexdigest()[:12]


def _processor() -> str | None:
    for line in (_text("/proc/cpuinfo") or "").splitlines():
        if line.startswith(("model name", "Hardware", "Model")):
            return line.partition(":")[2].strip()
    return platform.processor() or None


def _virtual() -> bool | None:
    flags = _text("/proc/cpuinfo")
    return None if flags is None else " hypervisor" in flags


def _read_ahead(directory: Path) -> int | None:
    device = os.stat(directory).st_dev
    text = _text(
        f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/queue/read_ahead_kb"
    ) or _text(f"/sys/class/bdi/{os.major(device)}:{os.minor(device)}/read_ahead_kb")
    return int(text) * 1024 if text else None


def _chosen(path: str) -> str | None:
    """The bracketed word of a kernel setting such as `always [madvise] never`."""
    words = (_text(path) or "").split()
    return next((word.strip("[]") for word in words if word.startswith("[")), None)


def _text(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except (OSError, UnicodeDecodeError):
        return None
