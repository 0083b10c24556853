"""Candidates for ceilings: which strategies may show what this machine can do with a group's bytes.

A runner declares them (role `ceiling`), with the values of their parameters that are worth trying.
They compete with nobody.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Collection, Sequence

from iogauge.model.case import Case
from iogauge.model.plan import Group
from iogauge.model.strategy import Occasion, Runtime, Strategy
from iogauge.model.workload import OF_THE_API, Conditions, Durability, Workload
from iogauge.runfile.run import Run


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
    counts = {1, *threads} if conditions.waits_for_device else {1, cores, *threads}
    for runtime in runtimes:
        found = list[Case]()
        for declared in runtime.strategies.values():
            if declared.role == "ceiling" and not declared.unavailable:
                found += _variants(declared, workload, conditions, runtime.name, counts)
        if found:
            return tuple(found)
    return ()


def _variants(
    declared: Strategy,
    workload: Workload,
    conditions: Conditions,
    runtime: str,
    threads: Collection[int],
) -> list[Case]:
    waits = conditions.waits_for_device
    as_is = workload.consume == "none" or workload.content == "bytes"
    consume = workload.consume if as_is else "touch"  # of text, every cache line at least
    durable: list[Durability | None] = [conditions.durability]
    if conditions.durability == "dsync":
        durable = ["dsync", "fsync"]
    # What is not the API's is everybody's.
    able = [each for each in durable if each not in OF_THE_API or each in declared.durabilities]
    if (
        (declared.operation, declared.medium) != (workload.operation, workload.medium)
        or consume not in declared.consumes
        or (declared.bypasses_cache and not waits)
        or (workload.mode and workload.mode not in declared.modes)
    ):
        return []
    occasions = _occasions(workload, conditions)
    grid = {
        name: [
            value
            for value in (sorted(threads) if each.role == "parallel" else each.to_try(occasions))
            if each.min <= value <= each.max
        ]
        for name, each in declared.parameters.items()
    }
    piece = declared.parameter("piece")
    if piece:  # larger than the file is as large as the file
        grid[piece] = [
            value
            for number, value in enumerate(grid[piece])
            if not number or grid[piece][number - 1] < workload.size
        ]
    consumed = workload.model_copy(update={"consume": consume})
    return [
        Case(
            strategy=declared.name,
            parameters=declared.ordered(dict(zip(grid, values, strict=True))),
            workload=consumed,
            conditions=conditions.model_copy(update={"durability": durability}),
            runtime=runtime,
        )
        for durability in able
        for values in itertools.product(*grid.values())
    ]


def _occasions(workload: Workload, conditions: Conditions) -> list[Occasion]:
    """What decides which values are tried, the most special first."""
    found: list[Occasion] = []
    if workload.mode == "append":
        found.append("append")
    if conditions.durability in ("sync-inode", "sync-mount", "dsync"):
        found.append("synchronous")
    if conditions.waits_for_device:
        found.append("device")
    return [*found, "warm"]


def promising(run: Run, group: Group) -> list[int]:
    """The candidates that may still be the best, at first all; each number of threads has one."""
    levels = {
        case: statistics.median(found.values()) for case, found in run.ceiling_levels(group).items()
    }
    method = run.header.method
    slack, most = method.promising, method.most_promising
    if group.conditions.waits_for_device:
        slack, most = method.promising_waiting, len(group.ceilings)
    kept = []
    threads = {each: run.header.threads_of(run.plan.cases[each]) for each in group.ceilings}
    for case in group.ceilings:
        level = levels.get(case, -math.inf)  # nothing is known of it yet
        rivals = sorted(levels[each] for each in levels if threads[each] <= threads[case])
        if not rivals or (level <= rivals[0] + math.log(slack) and level <= rivals[:most][-1]):
            kept.append(case)
    return kept
