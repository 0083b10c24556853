"""What disturbed a run, as observed: the canary's pace, processor time that others took, and whether the place in a round mattered."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from iogauge import stats, steady
from iogauge.runfile import Run
from iogauge.samples import Table, distinct, medians, numbered
from iogauge.stats import Interval

CANARIES = {"compute_ns": "hashing", "memory_ns": "copying memory"}
CANARY_MOVED = 1.05  # between its fastest and its slowest stretch of replicates
STOLEN, OTHERS, PLACE = 0.01, 0.15, 0.01  # of the sampled time; cores; change of a time from first to last of a round
_PLACE_ERROR = 0.01
_FEWEST = 6


@dataclass(frozen=True)
class Disturbance:
    """Observed over a run; None or absent where it was not.

    `canary`: per kind of fixed work the least and the largest level of a stretch of replicates, ns. `stolen`: share of the
    sampled time that the hypervisor gave to others. `others`: cores that other processes used while samples ran (cold and
    durable groups left out: there the kernel works for the sample). `place`: per group the change of a time, as a fraction, from
    the first to the last place of a round, with its 99 % interval over replicates.
    """

    canary: dict[str, tuple[float, float]]
    stolen: float | None
    others: float | None
    place: dict[str, Interval]


def observe(run: Run) -> Disturbance:
    table = run.table
    sampled = table.ns + table.prelude_ns
    waiting = np.array([group.conditions.waits_for_device for group in run.plan.groups], dtype=bool)
    own = table.known["user_ns"] + table.known["system_ns"]
    return Disturbance(
        canary={kind: moved for kind in CANARIES if (moved := _canary(run, kind))},
        stolen=_share(table.known["steal_ns"], sampled),
        others=_share(np.where(waiting[table.group], np.nan, table.known["busy_ns"] - own), sampled),
        place=_places(run),
    )


def caveats(found: Disturbance) -> list[str]:
    """A sentence for each thing that moved more than it may."""
    says = []
    for kind, (least, most) in found.canary.items():
        if most > CANARY_MOVED * least:
            says.append(f"the machine changed its pace: fixed work ({CANARIES[kind]}) took {most / least - 1:.0%} longer in one stretch than in another")
    if found.stolen is not None and found.stolen > STOLEN:
        says.append(f"the hypervisor gave {found.stolen:.1%} of the sampled time to others")
    if found.others is not None and found.others > OTHERS:
        says.append(f"something else was running: {found.others:.0%} of a core while samples ran")
    for group, effect in found.place.items():
        if abs(effect.center) > PLACE and (effect.lo > 0 or effect.hi < 0):
            slower = "slower" if effect.center > 0 else "faster"
            says.append(f"{group}: what came last in a round was {abs(effect.center):.1%} {slower} than what came first")
    return says


def _canary(run: Run, kind: str) -> tuple[float, float] | None:
    """The least and largest level of its stretches, from the medians of the replicates in their order."""
    by_replicate: dict[tuple[int, int, int], list[float]] = defaultdict(list)
    for each in run.rounds:
        by_replicate[each.attempt, each.replicate, each.bundle].append(getattr(each.canary, kind))
    series = [statistics.median(values) for values in by_replicate.values()]
    if len(series) < steady.FEWEST_POINTS:
        return None
    levels = [segment.level for segment in steady.segments(series)]
    return min(levels), max(levels)


def _share(times: np.ndarray, sampled: np.ndarray) -> float | None:
    """Of the sampled time, both shape (n,); None when nothing was observed."""
    known = ~np.isnan(times)
    whole = float(sampled[known].sum())
    return max(0.0, float(times[known].sum()) / whole) if whole else None


def _places(run: Run) -> dict[str, Interval]:
    """Per group, over replicates, the slope of a case's log times over its place in the round (0 first, 1 last)."""
    table, used = run.table, run.used()
    found = {}
    for index, group in enumerate(run.plan.groups):
        slopes = _slopes(table, np.flatnonzero(used & (table.group == index)))
        if len(slopes) >= _FEWEST:
            over = stats.interval(slopes, _PLACE_ERROR)
            found[group.id] = Interval(*(math.expm1(x) for x in (over.center, over.lo, over.hi)), over.n)
    return found


def _slopes(table: Table, rows: np.ndarray) -> np.ndarray:
    """Per replicate of these rows least squares through the deviations of each case's log times from their median, and of its places from their mean."""
    _, rounds = distinct(numbered(table.replicate[rows], table.block[rows], table.round[rows]))
    last = np.zeros(len(rows), dtype=int)
    np.maximum.at(last, rounds, table.position[rows])
    end = last[rounds]
    rows, end = rows[end > 0], end[end > 0]
    place, level = table.position[rows] / end, np.log(table.ns[rows] / table.operations[rows])
    pairs, pair = distinct(numbered(table.replicate[rows], table.case[rows]))
    off_place = place - (np.bincount(pair, place) / np.bincount(pair))[pair]
    off_level = level - medians(level, pair, len(pairs))[pair]
    replicates, row = distinct(table.replicate[rows])
    product, square = (np.bincount(row, values, len(replicates)) for values in (off_place * off_level, off_place**2))
    return product[square > 0] / square[square > 0]
