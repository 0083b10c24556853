"""The control groups of this process, of both versions, and what they and their parents limit.

A limit at any level holds for all levels below it. What lies above the mounted folder, as outside
of a container, cannot be seen from here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from iogauge.host import kernel
from iogauge.model.units import duration


@dataclass(frozen=True)
class Memory:
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
    """How often the processes of the groups with a CPU quota were stopped until the next period,
    and for how many seconds in all.
    """

    periods: int
    seconds: float


def memory(root: Path = Path("/")) -> list[Memory]:
    """Of each group that this process is in and that limits memory, the innermost first."""
    return [found for folder in _folders("memory", root) if (found := _memory(folder))]


def cpu_quota(root: Path = Path("/")) -> float | None:
    """The cores whose time this process may use with all others of its groups; None for all."""
    return min(
        (found for folder in _folders("cpu", root) if (found := _quota(folder))), default=None
    )


def throttling(root: Path = Path("/")) -> Throttling | None:
    """Since these groups exist; None where no group has a quota, or the kernel does not tell."""
    stats = [_numbers(folder / "cpu.stat") for folder in _folders("cpu", root) if _quota(folder)]
    known = [each for each in stats if "nr_throttled" in each]
    if not known:
        return None
    seconds = (
        each["throttled_usec"] / 1e6
        if "throttled_usec" in each
        else each.get("throttled_time", 0) / 1e9
        for each in known
    )
    return Throttling(sum(each["nr_throttled"] for each in known), sum(seconds))


def stopped_caveat(before: Throttling | None, after: Throttling | None) -> str | None:
    """What to tell the user of what the quota did meanwhile; None where it stopped nothing."""
    if before is None or after is None or after.periods <= before.periods:
        return None
    times, seconds = after.periods - before.periods, after.seconds - before.seconds
    return (
        f"the CPU quota stopped the processes of iogauge's control group {times} times, for"
        f" {duration(seconds)} in all: what was measured meanwhile took longer"
    )


def _memory(folder: Path) -> Memory | None:
    """Version 1 gives a number near 2⁶³ for no limit, version 2 the word `max`."""
    limits = [
        found
        for name in ("memory.max", "memory.high", "memory.limit_in_bytes")
        if (found := _number(folder / name)) is not None
    ]
    used = _number(folder / "memory.current")
    if used is None:
        used = _number(folder / "memory.usage_in_bytes")
    if not limits or used is None:
        return None
    told = _numbers(folder / "memory.stat")
    # In version 1 only those with `total_` count the groups below too.
    cached = sum(
        told.get(f"total_{name}", told.get(name, 0)) for name in ("inactive_file", "active_file")
    )
    return Memory(min(limits), used, cached)


def _quota(folder: Path) -> float | None:
    """In cores: `cpu.max` of version 2, or the two files of version 1, where -1 is no quota."""
    quota, _, period = (kernel.text(str(folder / "cpu.max")) or "").partition(" ")
    if not quota:
        quota, period = (
            kernel.text(str(folder / f"cpu.cfs_{name}_us")) or "" for name in ("quota", "period")
        )
    if quota.isdigit() and period.isdigit() and int(period):
        return int(quota) / int(period)
    return None


def _folders(controller: str, root: Path) -> Iterator[Path]:
    """The groups of this process for a controller, each version's innermost first."""
    groups = [
        line.split(":", 2)
        for line in (kernel.text(str(root / "proc/self/cgroup")) or "").splitlines()
        if line.count(":") >= 2
    ]
    for line in (kernel.text(str(root / "proc/self/mountinfo")) or "").splitlines():
        before, _, after = line.partition(" - ")
        kind, *_, options = after.split()[:3] or ["", ""]
        if kind not in ("cgroup", "cgroup2"):
            continue
        wanted = controller if kind == "cgroup" else ""
        if kind == "cgroup" and controller not in options.split(","):
            continue
        of_mount, point = map(_unescaped, before.split()[3:5])
        for _, controllers, group in groups:
            if wanted in controllers.split(","):
                yield from _upwards(root / point.lstrip("/"), _below(group, of_mount))


def _below(group: str, of_mount: str) -> str:
    """The path of a group in a mounted folder. A container may see its own group as the root of
    what is mounted, and its path as that of the host, or the other way round: then the root.
    """
    inside = f"{group.rstrip('/')}/"
    base = f"{of_mount.rstrip('/')}/"
    return (
        inside[len(base) :].strip("/") if inside.startswith(base) and "/../" not in inside else ""
    )


def _upwards(point: Path, group: str) -> Iterator[Path]:
    """A group's folder and those of its parents, up to the one that is mounted."""
    folder = point / group
    yield folder
    while folder != point:
        folder = folder.parent
        yield folder


def _unescaped(field: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), field)


def _number(path: Path) -> int | None:
    text = kernel.text(str(path)) or ""
    return int(text) if text.isdigit() else None


def _numbers(path: Path) -> dict[str, int]:
    """By their names, one a line."""
    lines = (line.split() for line in (kernel.text(str(path)) or "").splitlines())
    return {line[0]: int(line[1]) for line in lines if len(line) == 2 and line[1].isdigit()}
