"""The times of a run as ratios to anchors inside of it, so that separate runs can be compared."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from iogauge.analysis.data import GroupData
from iogauge.decision.anchors import Anchor
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.decision.separate import Level
from iogauge.runfile.arrays import Floats
from iogauge.runfile.run import Run
from iogauge.statistics.intervals import estimates
from iogauge.statistics.paired import ratios_to
from iogauge.statistics.quantiles import median


@dataclass(frozen=True)
class Pace:
    """How long fixed work took over the run: the logs of its ns; None where nobody timed it."""

    hashing: float | None
    copying: float | None


def pace(run: Run) -> Pace:
    """The median over the rounds of the whole run."""
    if not run.rounds:
        return Pace(None, None)
    logs = [(each.canary.compute_ns, each.canary.memory_ns) for each in run.rounds]
    hashing, copying = np.log(np.median(np.array(logs, dtype=float), axis=0))
    return Pace(float(hashing), float(copying))


def levels(run: Run, data: GroupData, known: Pace) -> list[dict[Anchor, Level]]:
    """By column of the group's array, the ratio of its time to each anchor that the run has. Empty
    for a case with too few replicates, or of which nothing may be used.
    """
    ratios: dict[Anchor, Floats] = {}
    absolute = median(data.log_ns, axis=1)  # shape (R, C)
    if known.hashing is not None and known.copying is not None:
        ratios["canary"] = absolute - (known.hashing + known.copying) / 2
        ratios["hashing"] = absolute - known.hashing
        ratios["copying"] = absolute - known.copying
    ceiling = _ceiling(run, data)
    if ceiling is not None:
        ratios["ceiling"] = absolute - ceiling[:, None]
    baseline = data.column(data.group.baseline)
    if len(data.log_ns):
        ratios["baseline"] = ratios_to(data.log_ns, baseline, baseline)
    found: list[dict[Anchor, Level]] = [{} for _ in data.group.cases]
    for anchor, each in ratios.items():
        of_anchor = estimates(each)
        for column, by_anchor in enumerate(found):
            itself = anchor == "baseline" and column == baseline
            count = int(of_anchor.counts[column])
            if count >= FEWEST_REPLICATES and column not in data.unusable and not itself:
                error = float(of_anchor.standard_errors[column])
                by_anchor[anchor] = Level(float(of_anchor.centers[column]), error**2, count)
    return found


def absolute(data: GroupData) -> list[Level | None]:
    """By column the log of ns per operation, for runs that have no anchor."""
    found = estimates(median(data.log_ns, axis=1))
    return [
        Level(float(center), float(error) ** 2, int(count))
        if count >= FEWEST_REPLICATES and column not in data.unusable
        else None
        for column, (center, error, count) in enumerate(
            zip(found.centers, found.standard_errors, found.counts, strict=True)
        )
    ]


def _ceiling(run: Run, data: GroupData) -> Floats | None:
    """The log of the ceiling's ns per operation by replicate, shape (R,), of candidates that this
    run measured, with one thread; None without any.
    """
    measured = {
        case: by_replicate
        for case, by_replicate in run.measured_ceiling(data.group).items()
        if run.header.threads_of(run.plan.cases[case]) == 1
    }
    fastest = _fastest(measured)
    if not fastest:
        return None
    return np.array([fastest.get(each, math.nan) for each in data.replicates])


def _fastest(levels: Mapping[int, Mapping[int, float]]) -> dict[int, float]:
    found: dict[int, float] = {}
    for by_replicate in levels.values():
        for replicate, level in by_replicate.items():
            found[replicate] = min(level, found.get(replicate, math.inf))
    return found
