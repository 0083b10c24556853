"""Facts about this machine, and which of them disturb measurements.

Nothing here changes a setting or needs root.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import platform
from pathlib import Path
from typing import Any

import psutil

from iogauge.host import capacity, kernel, memory, named
from iogauge.host.kernel import Mount, mount_of
from iogauge.model.caveats import CaveatText
from iogauge.model.units import rounded, whole_share

_BUSY = 0.1  # share of the processors' time that others may use without a caveat


def facts(directory: Path) -> dict[str, Any]:
    """The host as the header of a run file describes it: without paths, and without a name, unless
    it has one in a fleet, with labels.

    `identity` tells hosts apart. The file system is that of `directory`.
    """
    cores, here = capacity.cores(), named.here()
    mount, flags = mount_of(directory), kernel.text("/proc/cpuinfo")
    return {
        "identity": identity(),
        "name": here.name,
        "labels": dict(here.labels),
        "system": platform.system(),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "processor": _processor(),
        "cores": cores.of_machine,
        "usable_cores": cores.usable,
        "cores_limited_by": cores.limited_by,
        "memory_bytes": psutil.virtual_memory().total,
        "memory_limit_bytes": capacity.memory_limit(),
        "memory_available_bytes": capacity.available_memory(),
        "page_bytes": mmap.PAGESIZE,
        "misplaced_read": memory.misplaced_read(),
        "virtual": None if flags is None else " hypervisor" in flags,
        "transparent_huge_pages": kernel.chosen("/sys/kernel/mm/transparent_hugepage/enabled"),
        "governor": kernel.text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "file_system": mount.kind,
        "mounted_sync": mount.sync,
        "read_ahead_bytes": _read_ahead(directory),
        "busy": psutil.cpu_percent(interval=0.3) / 100,  # of all processors, while we sleep
        "python": platform.python_version(),
    }


def disturbances(found: dict[str, Any]) -> list[str]:
    """What disturbs measurements on a host with these facts: a sentence each."""
    says = [each.text for each in run_caveats(found, reads_files=True)]
    if 1 <= found["usable_cores"] < 2:
        says.insert(0, "one core: forks that warm up disturb each other, everything takes longer")
    if found["governor"] not in (None, "performance"):
        says.append(f"the frequency governor is {found['governor']!r}: clocks change under load")
    if found["virtual"]:
        says.append(
            "a virtual machine: untouched memory and the host's own cache cannot be controlled here"
        )
    if Mount(found["file_system"]).in_memory:
        says.append(f"{found['file_system']}: files live in memory, nothing can be cold")
    kind = (found["file_system"] or "").partition(".")[0]  # fuse.sshfs, say
    if kind in ("nfs", "nfs4", "cifs", "fuse", "9p", "virtiofs"):
        says.append(
            f"{found['file_system']}: another machine or program serves the files; the state of its"
            " caches is unknown"
        )
    damon = ("/sys/module/damon_reclaim/parameters/enabled", "/sys/kernel/mm/damon/admin")
    if any(map(os.path.exists, damon)):
        says.append("DAMON may evict idle pages: residency is checked before every warm sample")
    return says


def run_caveats(found: dict[str, Any], *, reads_files: bool) -> list[CaveatText]:
    """What is told of a run on a host with these facts: it touches what is measured."""
    says, busy, usable = [], found["busy"], found["usable_cores"]
    if busy > _BUSY:
        idle = f"the processors are {whole_share(busy)} busy while iogauge sleeps"
        says.append(CaveatText(f"something else is running: {idle}"))
    if usable < 1:
        stops = (
            f"the CPU quota is {rounded(usable)} of a core: the kernel stops everything"
            " again and again until its next share of time, so times are long and vary"
        )
        says.append(CaveatText(stops, "cpu-quota"))
    if reads_files and (found["misplaced_read"] or 1) > memory.MISPLACED_MATTERS:
        says.append(CaveatText(memory.misplaced_caveat(found["misplaced_read"]), "slow-alignment"))
    return says


def identity() -> str | None:
    """A hash that tells hosts apart and tells nothing else. With fewer cores or less memory to use,
    a host is another one: its times are not pooled with those of the whole. The name that it has in
    a fleet belongs to it, since images of virtual machines share all else.
    """
    ids = map(kernel.text, ("/etc/machine-id", "/var/lib/dbus/machine-id"))
    text = next(filter(None, ids), platform.node())
    parts = f"iogauge {text} {platform.machine()} {_processor()} {os.cpu_count()}"
    limits = capacity.cores(), capacity.memory_limit()
    if limits[0].limited_by or limits[1]:
        parts += f" {limits[0].usable} {limits[0].limited_by} {limits[1]}"
    if name := named.here().name:
        parts += f" {name}"
    return hashlib.sha256(parts.encode()).hexdigest()[:12]


def _processor() -> str | None:
    for line in kernel.lines("/proc/cpuinfo"):
        if line.startswith(("model name", "Hardware", "Model")):
            return line.partition(":")[2].strip()
    return platform.processor() or None


def _read_ahead(directory: Path) -> int | None:
    number = kernel.device_number(os.stat(directory).st_dev)
    folders = f"/sys/dev/block/{number}/queue", f"/sys/class/bdi/{number}"
    text = next(filter(None, (kernel.text(f"{each}/read_ahead_kb") for each in folders)), None)
    return int(text) * 1024 if text else None
