"""The part of a case's operation that is not I/O, as its compute-only variant showed it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from iogauge.analysis.data import GroupData
from iogauge.runfile.run import Run
from iogauge.statistics import intervals, quantiles
from iogauge.statistics.intervals import Interval


@dataclass(frozen=True)
class ComputeTime:
    """The work of a case that is not I/O, measured alone by its compute-only variant: ns per
    operation, and the share of the case's time.
    """

    ns_per_op: Interval
    share: Interval


def compute(run: Run, data: GroupData) -> dict[int, ComputeTime]:
    """By case. A compute-only variant works on a small payload; its time is taken to grow with the
    size.
    """
    found: dict[int, list[tuple[float, float]]] = {}
    complete = run.complete_replicates
    rows = {replicate: row for row, replicate in enumerate(data.replicates)}
    # Of all replicates at once: a large run has thousands.
    levels = quantiles.median(data.log_ns, axis=1)
    for record in run.compute_only:
        row = rows.get(record.replicate)
        if record.replicate_id not in complete or row is None:
            continue
        for case in set(record.cases) & set(data.group.cases):
            level = float(levels[row, data.column(case)])
            if math.isnan(level):
                continue
            scale = run.plan.cases[case].bytes_per_operation / record.size
            alone = math.log(record.ns_per_op * scale)
            found.setdefault(case, []).append((alone, level))
    result = {}
    for case, values in found.items():
        alone_of = np.array([[alone] for alone, _ in values])
        share = np.array([[alone - level] for alone, level in values])
        result[case] = ComputeTime(intervals.summary(alone_of), intervals.summary(share))
    return result
