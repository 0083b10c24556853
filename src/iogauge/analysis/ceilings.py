"""The ceiling of a group: what this machine can do with the same bytes, as the candidates showed
it.
"""

from __future__ import annotations

import datetime
import math
import statistics
from dataclasses import dataclass

import numpy as np

from iogauge.decision import ceiling as against_ceiling
from iogauge.model.case import Case
from iogauge.model.plan import Group
from iogauge.model.strategy import Strategy
from iogauge.model.units import short_size
from iogauge.runfile.arrays import Floats
from iogauge.runfile.run import Run
from iogauge.statistics import quantiles
from iogauge.statistics.intervals import Interval


@dataclass(frozen=True)
class Ceiling:
    """What the fastest candidate of each replicate showed: bytes per second, the median over
    replicates with the least and the most.

    `log_ns` is the log of its ns per operation by replicate: the median of its samples there.
    `case` is the fastest by the median over replicates, `strategy` its strategy. `age` is in
    seconds, where an earlier run measured it.
    """

    case: Case
    strategy: Strategy
    bytes_per_s: float
    least: float
    most: float
    log_ns: dict[int, float]
    age: float | None = None

    @property
    def ns_per_op(self) -> float:
        return math.exp(statistics.median(self.log_ns.values()))

    @property
    def threads(self) -> int:
        return self.strategy.value("parallel", self.case.parameters, otherwise=1)

    @property
    def label(self) -> str:
        """`rust/ceiling-pread 256K, 2 threads`; other parameters than the piece and the threads
        have their names, switches only where they are on.
        """
        values, roles, threads = self.case.parameters, self.strategy.roles, self.threads
        pieces = "".join(
            f" {short_size(values[name])}" for name in values if roles[name] == "piece"
        )
        others = "".join(
            f", {name}" if roles[name] == "switch" else f", {name} {value}"
            for name, value in sorted(values.items())
            if roles[name] not in ("piece", "parallel") and (value or roles[name] != "switch")
        )
        many = f"{threads} thread{'' if threads == 1 else 's'}"
        return f"{self.case.strategy}{pieces}{others}, {many}"


def of_group(run: Run, group: Group, threads: int | None = None) -> Ceiling | None:
    """What the group's candidates showed in complete replicates; with `threads`, those that work
    with at most so many. None where none did.
    """
    levels = {
        case: by_replicate
        for case, by_replicate in run.ceiling_levels(group).items()
        if not threads or run.header.threads_of(run.plan.cases[case]) <= threads
    }
    if not levels:
        return None
    found = run.plan.cases[min(levels, key=lambda case: statistics.median(levels[case].values()))]
    # The fastest candidate may change with the machine's mood, as the cases' own reach does.
    fastest: dict[int, float] = {}
    for by_replicate in levels.values():
        for replicate, level in by_replicate.items():
            fastest[replicate] = min(level, fastest.get(replicate, math.inf))
    speeds = [found.bytes_per_operation / math.exp(level) * 1e9 for level in fastest.values()]
    least, most = min(speeds), max(speeds)
    strategy, known = run.header.declared(found), run.known_ceiling(group)
    age = known.age(datetime.datetime.fromisoformat(run.header.started)) if known else None
    return Ceiling(found, strategy, statistics.median(speeds), least, most, fastest, age)


def shares(
    run: Run, group: Group, log_ns: Floats, replicates: tuple[int, ...]
) -> tuple[tuple[Interval | None, ...], tuple[int, ...]]:
    """The speed of each case as a share of the ceiling's for as many threads, and the columns of
    the cases that are surely faster than it, if this run measured it. `log_ns` has shape
    (replicates, rounds, cases).
    """
    by_threads: dict[int, Ceiling | None] = {}
    found: list[Interval | None] = []
    impossible = []
    levels = quantiles.median(log_ns, axis=1)  # shape (R, C)
    for column, case in enumerate(group.cases):
        threads = run.header.threads_of(run.plan.cases[case])
        if threads not in by_threads:
            by_threads[threads] = of_group(run, group, threads)
        ceiling = by_threads[threads]
        pairs = [
            ceiling.log_ns[replicate] - float(levels[row, column])
            for row, replicate in enumerate(replicates)
            if ceiling and replicate in ceiling.log_ns and not np.isnan(levels[row, column])
        ]
        found.append(against_ceiling.share(pairs) if pairs else None)
        measured = ceiling is not None and ceiling.age is None
        if pairs and measured and against_ceiling.impossible(pairs):
            impossible.append(column)
    return tuple(found), tuple(impossible)
