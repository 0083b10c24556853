"""Ceilings: which strategies show what this machine can do with a group's bytes, and what they
showed.

A runner declares them (role `ceiling`), with the values of their parameters that are worth trying.
They compete with nobody.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from iogauge.model.case import Case
from iogauge.model.plan import Group
from iogauge.model.strategy import Occasion, Runtime, Strategy
from iogauge.model.units import short_size
from iogauge.model.workload import Conditions, Durability, Workload
from iogauge.runfile.runfile import Run

_PROMISING, _MOST_PROMISING = (
    1.3,
    3,
)  # times as slow as the best so far, and how many: no use to measure others again
_PROMISING_WAITING = 3.0  # where a device is waited for, one replicate says little


@dataclass(frozen=True)
class Ceiling:
    """What the fastest candidate of each replicate showed: bytes per second, the median over
    replicates with the least and the most.

    `log_ns` is the log of its ns per operation by replicate: the median of its samples there.
    `case` is the fastest by the median over replicates, `strategy` its strategy.
    """

    case: Case
    strategy: Strategy
    bytes_per_s: float
    least: float
    most: float
    log_ns: dict[int, float]

    @property
    def ns_per_op(self) -> float:
        return math.exp(statistics.median(self.log_ns.values()))

    @property
    def threads(self) -> int:
        return self.strategy.value("parallel", self.case.parameters, otherwise=1)

    @property
    def label(self) -> str:
        """`rust/ceiling-pread 256K, 2 threads`; other parameters than the piece and the threads
        have their names.
        """
        values, roles, threads = self.case.parameters, self.strategy.roles, self.threads
        pieces = "".join(
            f" {short_size(values[name])}" for name in values if roles[name] == "piece"
        )
        others = "".join(
            f", {name} {value}"
            for name, value in sorted(values.items())
            if roles[name] not in ("piece", "parallel")
        )
        many = f"{threads} thread{'' if threads == 1 else 's'}"
        return f"{self.case.strategy}{pieces}{others}, {many}"


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
    durable: tuple[Durability | None, ...] = (conditions.durability,)
    if conditions.durability == "dsync":
        durable = ("dsync", "fsync")
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
    asked = workload.model_copy(update={"consume": consume})
    return [
        Case(
            strategy=declared.name,
            parameters=declared.ordered(dict(zip(grid, values, strict=True))),
            workload=asked,
            conditions=conditions.model_copy(update={"durability": durability}),
            runtime=runtime.name,
        )
        for durability in durable
        if durability not in ("fsync", "dsync")
        or durability in declared.durabilities  # others are not the API's
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


def of_group(run: Run, group: Group, threads: int | None = None) -> Ceiling | None:
    """What the group's candidates showed in complete replicates, those that work with at most so
    many threads; None where none did.
    """
    levels = {
        case: by_replicate
        for case, by_replicate in _levels(run, group).items()
        if not threads or threads_of(run, case) <= threads
    }
    if not levels:
        return None
    fastest_case = min(levels, key=lambda case: statistics.median(levels[case].values()))
    found = run.plan.cases[fastest_case]
    # The fastest candidate may change with the machine's mood, as what the cases could reach does.
    fastest: dict[int, float] = {}
    for by_replicate in levels.values():
        for replicate, level in by_replicate.items():
            fastest[replicate] = min(level, fastest.get(replicate, math.inf))
    speeds = [found.bytes_per_operation / math.exp(level) * 1e9 for level in fastest.values()]
    return Ceiling(
        found,
        _declared(run, fastest_case),
        statistics.median(speeds),
        min(speeds),
        max(speeds),
        fastest,
    )


def promising(run: Run, group: Group) -> list[int]:
    """The candidates that may still turn out to be the best: all of them at first. Those with fewer
    threads have their own best.
    """
    levels = {
        case: statistics.median(found.values()) for case, found in _levels(run, group).items()
    }
    waits = group.conditions.waits_for_device
    slack, most = (
        (_PROMISING_WAITING, len(group.ceilings)) if waits else (_PROMISING, _MOST_PROMISING)
    )
    kept = []
    for case in group.ceilings:
        level = levels.get(case, -math.inf)  # nothing is known of it yet
        rivals = sorted(
            levels[each] for each in levels if threads_of(run, each) <= threads_of(run, case)
        )
        if not rivals or (level <= rivals[0] + math.log(slack) and level <= rivals[:most][-1]):
            kept.append(case)
    return kept


def _levels(run: Run, group: Group) -> dict[int, dict[int, float]]:
    """By case and replicate, the median log of its valid samples' ns per operation. A candidate
    that failed later is not believed.
    """
    complete, failed = run.complete_replicates, run.failed()
    logs: dict[int, dict[int, list[float]]] = {}
    for sample in run.ceilings:
        case = sample["case"]
        if (
            case in group.ceilings
            and case not in failed
            and not sample["void"]
            and (sample["bundle"], sample["replicate"], sample["attempt"]) in complete
        ):
            level = math.log(sum(sample["ns"]) / sum(sample["operations"]))
            logs.setdefault(case, {}).setdefault(sample["replicate"], []).append(level)
    return {
        case: {replicate: statistics.median(found) for replicate, found in each.items()}
        for case, each in logs.items()
    }


def threads_of(run: Run, case: int) -> int:
    """With how many threads a case works."""
    return _declared(run, case).value("parallel", run.plan.cases[case].parameters, otherwise=1)


def _declared(run: Run, case: int) -> Strategy:
    found = run.plan.cases[case]
    runtime = next(each for each in run.header.runtimes if each.name == found.runtime)
    return runtime.strategies[found.strategy]
