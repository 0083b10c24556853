"""What disturbed a run, as observed: the canary's pace, processor time that others took, and
whether the place in a round mattered.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from iogauge.analysis.analysis import GroupData
from iogauge.runfile.runfile import Run
from iogauge.runfile.samples import distinct, firsts, medians, numbered
from iogauge.statistics import change_points, intervals, quantiles
from iogauge.statistics.intervals import Interval

CANARIES = {"compute_ns": "hashing", "memory_ns": "copying memory"}
CANARY_MOVED = 1.05  # between its fastest and its slowest stretch of replicates
STOLEN, OTHERS, PLACE = (
    0.01,
    0.15,
    0.01,
)  # of the sampled time; cores; change of a time from first to last of a round
_PLACE_ERROR = 0.01
_FEWEST = 6


@dataclass(frozen=True)
class Disturbance:
    """Observed over a run; None or absent where it was not.

    `canary`: per kind of fixed work the least and the largest level of a stretch of replicates, ns.
    `stolen`: share of the sampled time that the hypervisor gave to others. `others`: cores that
    other processes used while samples ran (cold and durable groups left out: there the kernel works
    for the sample). `place`: per group the change of a time, as a fraction, from the first to the
    last place of a round, with its 99 % interval over replicates.
    """

    canary: dict[str, tuple[float, float]]
    stolen: float | None
    others: float | None
    place: dict[str, Interval]


def observe(run: Run, data: Sequence[GroupData]) -> Disturbance:
    table = run.table
    sampled = table.ns + table.prelude_ns
    waiting = np.array([group.conditions.waits_for_device for group in run.plan.groups], dtype=bool)
    own = table.counts("user_ns") + table.counts("system_ns")
    return Disturbance(
        canary=_canary(run),
        stolen=_share(table.counts("steal_ns"), sampled),
        others=_share(
            np.where(waiting[table.group], np.nan, table.counts("busy_ns") - own), sampled
        ),
        place=_places(data),
    )


def caveats(found: Disturbance) -> list[str]:
    """A sentence for each thing that moved more than it may."""
    says = []
    for kind, (least, most) in found.canary.items():
        if most > CANARY_MOVED * least:
            says.append(
                f"the machine changed its pace: fixed work ({CANARIES[kind]}) took {most / least - 1:.0%} longer in one stretch than in another"
            )
    if found.stolen is not None and found.stolen > STOLEN:
        says.append(f"the hypervisor gave {found.stolen:.1%} of the sampled time to others")
    if found.others is not None and found.others > OTHERS:
        says.append(f"something else was running: {found.others:.0%} of a core while samples ran")
    for group, effect in found.place.items():
        if abs(effect.center) > PLACE and (effect.lo > 0 or effect.hi < 0):
            slower = "slower" if effect.center > 0 else "faster"
            says.append(
                f"{group}: what came last in a round was {abs(effect.center):.1%} {slower} than what came first"
            )
    return says


def _canary(run: Run) -> dict[str, tuple[float, float]]:
    """Per kind the least and largest level of its stretches, from the medians of the replicates in
    their order; nothing of a run that is too short.
    """
    rounds = run.rounds  # a large run has hundreds of thousands
    attempt, replicate, bundle = (
        np.fromiter(map(attrgetter(name), rounds), np.int64, len(rounds))
        for name in ("attempt", "replicate", "bundle")
    )
    replicates, place = distinct(numbered(attempt, replicate, bundle))
    if len(replicates) < change_points.FEWEST_POINTS:
        return {}
    order = np.argsort(firsts(place, len(replicates)))
    moved = {}
    for kind in CANARIES:
        times = np.fromiter(map(attrgetter(f"canary.{kind}"), rounds), float, len(rounds))
        levels = [
            segment.level
            for segment in change_points.segments(medians(times, place, len(replicates))[order])
        ]
        moved[kind] = min(levels), max(levels)
    return moved


def _share(times: np.ndarray, sampled: np.ndarray) -> float | None:
    """Of the sampled time, both shape (n,); None when nothing was observed."""
    known = ~np.isnan(times)
    whole = float(sampled[known].sum())
    return max(0.0, float(times[known].sum()) / whole) if whole else None


def _places(data: Sequence[GroupData]) -> dict[str, Interval]:
    """Per group, over replicates, the slope of a case's log times over its place in the round (0
    first, 1 last).
    """
    found = {}
    for each in data:
        slopes = _slopes(each)
        if len(slopes) >= _FEWEST:
            over = intervals.interval(slopes, _PLACE_ERROR)
            found[each.group.id] = Interval(
                *(math.expm1(x) for x in (over.center, over.lo, over.hi)), over.n
            )
    return found


def _slopes(data: GroupData) -> np.ndarray:
    """Per replicate least squares through the deviations of each case's log times from their
    median, and of its places from their mean.
    """
    known = ~np.isnan(data.position)
    last = np.where(known, data.position, 0).max(axis=2, initial=0, keepdims=True)
    known &= last > 0
    place, level = (
        np.where(known, values, np.nan)
        for values in (data.position / np.maximum(last, 1), data.log_ns)
    )
    means = np.where(known, place, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    off_place = np.where(known, place - means[:, None], 0)
    off_level = np.where(known, level - quantiles.median(level, axis=1)[:, None], 0)
    product, square = (values.sum(axis=(1, 2)) for values in (off_place * off_level, off_place**2))
    return product[square > 0] / square[square > 0]
