"""How much memory and how many cores this process may use."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal

import psutil

from iogauge.host import cgroups, kernel

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
    quota = cgroups.cpu_quota()
    if quota is not None and quota < allowed:
        return Cores(of_machine, quota, "CPU quota")
    return Cores(of_machine, allowed, "affinity" if allowed < of_machine else None)


def usable_cores() -> int:
    """Cores that can be kept busy all the time, at least one."""
    return max(1, int(cores().usable))


def memory_limit() -> int | None:
    """Bytes that the control groups of this process leave it of the machine's memory; None where
    they leave it all.
    """
    least = min((each.limit for each in cgroups.memory()), default=None)
    return least if least is not None and least < psutil.virtual_memory().total else None


def available_memory() -> int:
    """Bytes that this process can allocate now without swapping, in its control groups."""
    left = [each.available for each in cgroups.memory()]
    return min([psutil.virtual_memory().available, *left])


def background_write_back() -> int | None:
    """Bytes of dirty data at which the system starts to write back; None if it does not tell."""
    fixed, ratio = (
        kernel.text(f"/proc/sys/vm/dirty_background_{unit}") for unit in ("bytes", "ratio")
    )
    if fixed and fixed.isdigit() and int(fixed):
        return int(fixed)
    return available_memory() * int(ratio) // 100 if ratio and ratio.isdigit() else None
