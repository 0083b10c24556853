"""Ceilings that an earlier run measured on this machine: found again, and kept for later runs.

Each group has a file of its own in the data folder. Its name follows from all that a ceiling
depends on, so another kernel, device, size or build of a runner has another file.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import math
import os
import statistics
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from iogauge.host import evidence
from iogauge.model import folders
from iogauge.model.method import Method
from iogauge.model.plan import Group
from iogauge.runfile.header import Header, KnownCeiling
from iogauge.runfile.run import Run

_HOST = "identity", "kernel", "memory_bytes", "transparent_huge_pages", "governor"
_FACTS = (*_HOST, "file_system", "mounted_sync", "read_ahead_bytes")


def find(header: Header, directory: Path) -> dict[int, KnownCeiling]:
    """The known ceilings by group index, if recent and of the machine's present pace."""
    found = {}
    now = datetime.datetime.fromisoformat(header.started)
    pace = evidence.pace() if header.plan.protocol == "sound" else {}
    for index, group in enumerate(header.plan.groups):
        lasts = group.ceilings and not group.conditions.as_left  # nobody knows how that was
        known = _read(_file(header, group, directory)) if lasts else None
        if known and _holds(known, group, now, pace, header.method):
            found[index] = known
    return found


def keep(run: Run, directory: Path) -> None:
    """Keep the ceilings that a run measured itself."""
    measured = [
        group
        for group in run.plan.groups
        if run.measured_ceiling(group) and not group.conditions.as_left
    ]
    pace = evidence.pace() if measured else {}
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    for group in measured:
        levels = {
            run.plan.cases[case].key: [math.exp(level) for level in by_replicate.values()]
            for case, by_replicate in run.ceiling_levels(group).items()
        }
        known = KnownCeiling(measured=now, canary=pace, ns_per_op=levels)
        folders.keep(_file(run.header, group, directory), known.model_dump_json())


def _holds(
    known: KnownCeiling,
    group: Group,
    now: datetime.datetime,
    pace: dict[str, float],
    method: Method,
) -> bool:
    waits = group.conditions.waits_for_device
    longest = method.ceiling_kept_waiting if waits else method.ceiling_kept
    most = method.ceiling_pace
    if group.workload.writes_file and not waits and not _steady(known, most):
        return False
    if not 0 <= known.age(now) <= longest or pace.keys() != known.canary.keys():
        return False
    return all(1 / most < pace[kind] / then < most for kind, then in known.canary.items())


def _steady(known: KnownCeiling, most: float) -> bool:
    """Whether the fastest candidate took about as long in several replicates. Writing into the
    cache depends on what others left there, so its ceiling may differ by a multiple between runs.
    """
    fastest = min(filter(None, known.ns_per_op.values()), key=statistics.median, default=[])
    return len(fastest) > 1 and max(fastest) < most * min(fastest)


def _file(header: Header, group: Group, directory: Path) -> Path:
    cases = [header.plan.cases[case] for case in group.ceilings]
    builds = {name: header.runtime(name).build for name in {each.runtime for each in cases}}
    depends_on: dict[str, Any] = {
        "facts": {name: header.host.get(name) for name in _FACTS},
        "device": os.stat(directory).st_dev,
        "method": header.method.hash,
        "cases": sorted(each.key for each in cases),
        "builds": builds,
    }
    text = json.dumps(depends_on, sort_keys=True)
    return folders.ceilings() / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"


def _read(path: Path) -> KnownCeiling | None:
    try:
        return KnownCeiling.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
