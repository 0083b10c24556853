"""How much memory and how many cores this process may use."""

from __future__ import annotations

import os

import psutil

from iogauge.host import kernel


def available_memory() -> int:
    """Bytes that this process can allocate now without swapping, in its control group."""
    available = psutil.virtual_memory().available
    limit, used = (kernel.text(f"{_control_group()}/memory.{name}") for name in ("max", "current"))
    if limit and limit.isdigit() and used:
        return min(available, max(0, int(limit) - int(used)))
    return available


def background_write_back() -> int | None:
    """Bytes of dirty data at which the system starts to write back; None if it does not tell."""
    fixed, ratio = (
        kernel.text(f"/proc/sys/vm/dirty_background_{unit}") for unit in ("bytes", "ratio")
    )
    if fixed and fixed.isdigit() and int(fixed):
        return int(fixed)
    return available_memory() * int(ratio) // 100 if ratio and ratio.isdigit() else None


def usable_cores() -> int:
    """Cores that this process may use, in this control group."""
    cores = len(os.sched_getaffinity(0))
    quota, _, period = (kernel.text(f"{_control_group()}/cpu.max") or "").partition(" ")
    return (
        max(1, min(cores, int(quota) // int(period)))
        if quota.isdigit() and period.isdigit()
        else cores
    )


def _control_group() -> str:
    """The folder of this process's control group (version 2)."""
    name = next(
        (
            line[3:]
            for line in (kernel.text("/proc/self/cgroup") or "").splitlines()
            if line.startswith("0::")
        ),
        "/",
    )
    return f"/sys/fs/cgroup{name}".rstrip("/")
