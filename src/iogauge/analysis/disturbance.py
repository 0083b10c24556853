"""What disturbed a run: the pace of fixed work (the canary), processor time that others took, and
whether the place in a round mattered.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from iogauge.analysis.data import GroupData
from iogauge.model.ratios import times
from iogauge.model.units import percent, significant
from iogauge.runfile.arrays import Floats, distinct, firsts, medians, numbered
from iogauge.runfile.run import Run
from iogauge.statistics import change_points, intervals, quantiles
from iogauge.statistics.intervals import Interval

CANARIES = {"compute_ns": "hashing", "memory_ns": "copying memory"}
# More than any of these is told.
CANARY_MOVED = 1.05  # times, between its fastest and its slowest stretch of replicates
STOLEN = 0.01  # of the sampled time
OTHERS = 0.15  # cores
PLACE = 0.01  # change of a time from the first to the last place of a round
_PLACE_ERROR = 0.01
_FEWEST = 6  # replicates, to tell an effect of the place


@dataclass(frozen=True)
class Disturbance:
    """What was observed over a run; None, or absent, where nothing was.

    `canary`: the least and the largest level of a stretch of replicates, in ns, by kind of fixed
    work. `stolen`: the share of the sampled time that the hypervisor gave to others. `others`: how
    many cores other processes used while samples ran. Cold and durable groups are left out of it,
    because there the kernel works for the sample. `place`: by group, the change of a time from the
    first to the last place of a round, as a fraction, with its 99 % interval over replicates.
    """

    canary: dict[str, tuple[float, float]]
    stolen: float | None
    others: float | None
    place: dict[str, Interval]


def observe(run: Run, data: Sequence[GroupData]) -> Disturbance:
    columns = run.columns
    sampled = columns.ns + columns.prelude_ns
    waiting = np.array([group.conditions.waits_for_device for group in run.plan.groups], dtype=bool)
    own = columns.counts("user_ns") + columns.counts("system_ns")
    return Disturbance(
        canary=_canary(run),
        stolen=_share(columns.counts("steal_ns"), sampled),
        others=_share(
            np.where(waiting[columns.group], np.nan, columns.counts("busy_ns") - own), sampled
        ),
        place=_places(data),
    )


def caveats(found: Disturbance) -> list[str]:
    """A sentence for each thing that moved more than it may."""
    says = []
    for kind, (least, most) in found.canary.items():
        if most > CANARY_MOVED * least:
            says.append(
                f"the machine changed its pace: fixed work ({CANARIES[kind]}) took"
                f" {times(most / least)} as long in one stretch as in another"
            )
    if found.stolen is not None and found.stolen > STOLEN:
        says.append(f"the hypervisor gave {percent(found.stolen, 1)} of the sampled time to others")
    if found.others is not None and found.others > OTHERS:
        says.append(
            "something else was running: while samples ran it kept "
            f"{significant(found.others, 2)} cores busy"
        )
    for group, effect in found.place.items():
        if abs(effect.center) > PLACE and (effect.lo > 0 or effect.hi < 0):
            slower = "slower" if effect.center > 0 else "faster"
            says.append(
                f"{group}: what came last in a round was {percent(abs(effect.center), 1)} {slower}"
                " than what came first"
            )
    return says


def _canary(run: Run) -> dict[str, tuple[float, float]]:
    """The least and the largest level of the stretches by kind of work, from the medians of the
    replicates in their order. Empty for a run that is too short.
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


def _share(times: Floats, sampled: Floats) -> float | None:
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
            center, lo, hi = (math.expm1(x) for x in (over.center, over.lo, over.hi))
            found[each.group.id] = Interval(center, lo, hi, over.n)
    return found


def _slopes(data: GroupData) -> Floats:
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
    slopes: Floats = product[square > 0] / square[square > 0]
    return slopes
