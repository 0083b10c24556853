"""How much memory and how many cores this process may use, in its control groups of both versions.

A limit of a control group at any level holds for all levels below it. What lies above the mounted
folder, as outside of a container, cannot be seen from here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil

from iogauge.host import kernel
from iogauge.model.units import duration

Limiter = Literal["affinity", "CPU quota"]


@dataclass(frozen=True)
class Cores:
    """How many cores the machine has, and how many of them this process may use: a quota may allow
    less than one. `limited_by` is what leaves it fewer than there are.
    """

    of_machine: int
    usable: float
    limited_by: Limiter | None


def cores() -> Cores:
    allowed = of_machine = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):  # Linux
        allowed = len(os.sched_getaffinity(0))
    quota = cpu_quota()
    if quota is not None and quota < allowed:
        return Cores(of_machine, quota, "CPU quota")
    return Cores(of_machine, allowed, "affinity" if allowed < of_machine else None)


def usable_cores() -> int:
    """Cores that can be kept busy all the time, at least one."""
    return max(1, int(cores().usable))


def memory_limit() -> int | None:
    """Bytes of memory that the control groups of this process allow; None where they allow all."""
    least = min((each.limit for each in memory_groups()), default=None)
    return least if least is not None and least < psutil.virtual_memory().total else None


def available_memory() -> int:
    """Bytes that this process can allocate now without swapping, in its control groups."""
    left = [each.available for each in memory_groups()]
    return min([psutil.virtual_memory().available, *left])


def background_write_back() -> int | None:
    """Bytes of dirty data at which the system starts to write back; None if it does not tell."""
    fixed, ratio = (
        kernel.text(f"/proc/sys/vm/dirty_background_{unit}") for unit in ("bytes", "ratio")
    )
    if fixed and fixed.isdigit() and int(fixed):
        return int(fixed)
    return available_memory() * int(ratio) // 100 if ratio and ratio.isdigit() else None


@dataclass(frozen=True)
class GroupMemory:
    """The memory of a group with a limit, in bytes: of what it uses, `cached` are pages of files,
    which the kernel takes back where it needs room.
    """

    limit: int
    used: int
    cached: int

    @property
    def available(self) -> int:
        return max(0, self.limit - max(0, self.used - self.cached))


@dataclass(frozen=True)
class Throttling:
    """How often a CPU quota stopped the processes of its groups, and for how many seconds."""

    periods: int
    seconds: float


def memory_groups(root: Path = Path("/")) -> list[GroupMemory]:
    """Of each group that this process is in and that limits memory, the innermost first."""
    return [*filter(None, map(_memory, _folders("memory", root)))]


def cpu_quota(root: Path = Path("/")) -> float | None:
    """The cores whose time this process may use with all others of its groups; None for all."""
    quotas = filter(None, map(_quota, _folders("cpu", root)))
    return min(quotas, default=None)


def throttling(root: Path = Path("/")) -> Throttling | None:
    """Since these groups exist; None where no group has a quota, or the kernel does not tell."""
    stats = [_numbers(folder / "cpu.stat") for folder in _folders("cpu", root) if _quota(folder)]
    known = [each for each in stats if "nr_throttled" in each]
    if not known:
        return None
    ns = (each.get("throttled_time", each.get("throttled_usec", 0) * 1000) for each in known)
    return Throttling(sum(each["nr_throttled"] for each in known), sum(ns) / 1e9)


def stopped_caveat(before: Throttling | None, after: Throttling | None) -> str | None:
    """What to tell the user of what the quota did meanwhile; None where it stopped nothing."""
    if before is None or after is None or after.periods <= before.periods:
        return None
    times, seconds = after.periods - before.periods, after.seconds - before.seconds
    return (
        f"the CPU quota stopped the processes of iogauge's control group {times} times, for"
        f" {duration(seconds)} in all: what was measured meanwhile took longer"
    )


def _memory(folder: Path) -> GroupMemory | None:
    """Version 1 gives a number near 2⁶³ for no limit, version 2 the word `max`."""
    limits = _known(folder, "memory.max", "memory.high", "memory.limit_in_bytes")
    used = _known(folder, "memory.current", "memory.usage_in_bytes")
    if not limits or not used:
        return None
    told = _numbers(folder / "memory.stat")
    # In version 1 only those with `total_` count the groups below too.
    cached = sum(
        told.get(f"total_{name}", told.get(name, 0)) for name in ("inactive_file", "active_file")
    )
    return GroupMemory(min(limits), used[0], cached)


def _quota(folder: Path) -> float | None:
    """In cores: `cpu.max` of version 2, or the two files of version 1, where -1 is no quota."""
    quota, _, period = (kernel.text(folder / "cpu.max") or "").partition(" ")
    if not quota:
        names = ("quota", "period")
        quota, period = (kernel.text(folder / f"cpu.cfs_{each}_us") or "" for each in names)
    if quota.isdigit() and period.isdigit() and int(period):
        return int(quota) / int(period)
    return None


def _folders(controller: str, root: Path) -> Iterator[Path]:
    """The groups of this process for a controller, each version's innermost first."""
    lines = kernel.lines(root / "proc/self/cgroup")
    groups = [line.split(":", 2) for line in lines if line.count(":") >= 2]
    for line in kernel.lines(root / "proc/self/mountinfo"):
        before, _, after = line.partition(" - ")
        kind, *_, options = after.split()[:3] or ["", ""]
        if kind not in ("cgroup", "cgroup2"):
            continue
        wanted = controller if kind == "cgroup" else ""
        if kind == "cgroup" and controller not in options.split(","):
            continue
        # Blanks, say, are written as `\040`.
        of_mount, point = (
            re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), each)
            for each in before.split()[3:5]
        )
        for _, controllers, group in groups:
            if wanted in controllers.split(","):
                mounted = root / point.lstrip("/")
                inside = Path(_below(group, of_mount))
                yield from (mounted / each for each in (inside, *inside.parents))


def _below(group: str, of_mount: str) -> str:
    """The path of a group in a mounted folder. A container may see its own group as the root of
    what is mounted, and its path as that of the host, or the other way round: then the root.
    """
    inside = f"{group.rstrip('/')}/"
    base = f"{of_mount.rstrip('/')}/"
    below = inside.startswith(base) and "/../" not in inside
    return inside[len(base) :].strip("/") if below else ""


def _known(folder: Path, *names: str) -> list[int]:
    """The numbers in those of these files that hold one."""
    texts = (kernel.text(folder / name) or "" for name in names)
    return [int(text) for text in texts if text.isdigit()]


def _numbers(path: Path) -> dict[str, int]:
    """By their names, one a line."""
    lines = map(str.split, kernel.lines(path))
    return {line[0]: int(line[1]) for line in lines if len(line) == 2 and line[1].isdigit()}
