"""Candidates for ceilings: which strategies may show what this machine can do with a group's bytes.

A runner declares them (role `ceiling`); they compete with nobody. Which values of their parameters
are tried follows from the parameters' names.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Collection, Sequence

from iogauge.model.case import Case
from iogauge.model.plan import Group
from iogauge.model.strategy import Runtime, Strategy
from iogauge.model.workload import Conditions, Workload
from iogauge.runfile.run import Run

_VALUES = {"block": (64 << 10, 256 << 10, 1 << 20), "populate": (0, 1), "preallocate": (0, 1)}
_MEMORY_VALUES = {"block": (8 << 10, 64 << 10)}
_DEVICE_VALUES = {"block": (128 << 10, 1 << 20), "populate": (0, 1), "preallocate": (0, 1)}
_SYNCHRONOUS_VALUES = {
    **_DEVICE_VALUES,
    "block": (1 << 20, 16 << 20),
}  # each call waits: the fewer, the better
_DIRECT_VALUES = {"block": (1 << 20, 4 << 20), "depth": (4, 32), "preallocate": (0, 1)}


def candidates(
    workload: Workload,
    conditions: Conditions,
    runtimes: Sequence[Runtime],
    cores: int,
    threads: Collection[int] = (),
) -> tuple[Case, ...]:
    """Those that may be the ceiling of such a group, among whose cases are some that work with so
    many `threads`. None for random access and copies: what is the best for them is not known.
    """
    if workload.accesses or workload.operation == "copy" or not workload.size:
        return ()
    for runtime in runtimes:
        found = [
            case
            for declared in runtime.strategies.values()
            if declared.role == "ceiling" and not declared.unavailable
            for case in _variants(
                declared,
                workload,
                conditions,
                runtime,
                {1, *threads} if conditions.waits_for_device else {1, cores, *threads},
            )
        ]
        if found:
            return tuple(found)
    return ()


def _variants(
    declared: Strategy,
    workload: Workload,
    conditions: Conditions,
    runtime: Runtime,
    threads: Collection[int],
) -> list[Case]:
    waits = conditions.waits_for_device
    consume = (
        workload.consume if workload.consume == "none" or workload.content == "bytes" else "touch"
    )  # of text, every cache line at least
    durable = {"dsync": ("dsync", "fsync"), "fsync": ("fsync",)}.get(
        conditions.durability, (conditions.durability,)
    )
    if (
        (declared.operation, declared.medium) != (workload.operation, workload.medium)
        or consume not in declared.consumes
        or (declared.bypasses_cache and not waits)
        or (workload.mode and workload.mode not in declared.modes)
    ):
        return []
    values = _VALUES
    if workload.medium == "memory":
        values = _MEMORY_VALUES
    elif declared.bypasses_cache:
        values = _DIRECT_VALUES
    elif conditions.durability in ("sync-inode", "sync-mount", "dsync"):
        values = _SYNCHRONOUS_VALUES
    elif waits:
        values = _DEVICE_VALUES
    if workload.mode == "append":
        values = {**values, "preallocate": (0,)}  # at the end of what is there already
    tried = {**values, "threads": sorted(threads)}
    grid = {
        name: [
            value
            for value in tried.get(name, (limits.default,))
            if limits.min <= value <= limits.max
        ]
        for name, limits in declared.parameters.items()
    }
    if "block" in grid:  # larger than the file is as large as the file
        grid["block"] = [
            value
            for number, value in enumerate(grid["block"])
            if not number or grid["block"][number - 1] < workload.size
        ]
    asked = workload.model_copy(update={"consume": consume})
    return [
        Case(
            strategy=declared.name,
            parameters=dict(zip(grid, values, strict=True)),
            workload=asked,
            conditions=conditions.model_copy(update={"durability": durability}),
            runtime=runtime.name,
        )
        for durability in durable
        if durability not in ("fsync", "dsync")
        or durability in declared.durabilities  # others are not the API's
        for values in itertools.product(*grid.values())
    ]


def promising(run: Run, group: Group) -> list[int]:
    """The candidates that may still turn out to be the best: all of them at first. Those with fewer
    threads have their own best.
    """
    levels = {
        case: statistics.median(found.values()) for case, found in run.ceiling_levels(group).items()
    }
    method = run.header.method
    slack, most = method.promising, method.most_promising
    if group.conditions.waits_for_device:
        slack, most = method.promising_waiting, len(group.ceilings)
    kept = []
    for case in group.ceilings:
        level = levels.get(case, -math.inf)  # nothing is known of it yet
        rivals = sorted(
            levels[each] for each in levels if _threads(run, each) <= _threads(run, case)
        )
        if not rivals or (level <= rivals[0] + math.log(slack) and level <= rivals[:most][-1]):
            kept.append(case)
    return kept


def _threads(run: Run, case: int) -> int:
    return run.plan.cases[case].parameters.get("threads", 1)
