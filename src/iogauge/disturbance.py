"""What disturbed a run, as observed: the canary's pace, processor time that others took, and whether the place in a round mattered."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from iogauge import stats, steady
from iogauge.runfile import Run
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
    timed = [sample for sample in run.samples if sample["machine"]]
    quiet = [sample for sample in timed if not run.plan.groups[sample["group"]].conditions.waits_for_device]
    return Disturbance(
        canary={kind: moved for kind in CANARIES if (moved := _canary(run, kind))},
        stolen=_share((sample["machine"]["steal_ns"] for sample in timed), timed),
        others=_share(map(_by_others, quiet), quiet),
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
        by_replicate[each["attempt"], each["replicate"], each["bundle"]].append(each["canary"][kind])
    series = [statistics.median(values) for values in by_replicate.values()]
    if len(series) < steady.FEWEST_POINTS:
        return None
    levels = [segment.level for segment in steady.segments(series)]
    return min(levels), max(levels)


def _share(times: Iterable[int | None], samples: list[dict[str, Any]]) -> float | None:
    """Of the sampled time; None when nothing was observed."""
    known = [(time, sum(sample["prelude_ns"]) + sum(sample["ns"])) for time, sample in zip(times, samples, strict=True) if time is not None]
    whole = sum(sampled for _, sampled in known)
    return max(0.0, sum(time for time, _ in known) / whole) if whole else None


def _by_others(sample: dict[str, Any]) -> int | None:
    own = [sample["evidence"][name] for name in ("user_ns", "system_ns")]
    return None if None in own else sample["machine"]["busy_ns"] - sum(own)


def _places(run: Run) -> dict[str, Interval]:
    """Per group, over replicates, the slope of a case's log times over its place in the round (0 first, 1 last)."""
    by_replicate: dict[int, dict[int, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    failed = run.failed()
    for sample in run.counted():
        if sample["case"] in failed:
            continue
        by_replicate[sample["group"]][sample["replicate"]].append(sample)
    found = {}
    for index, replicates in by_replicate.items():
        slopes = [slope for samples in replicates.values() if (slope := _slope(samples)) is not None]
        if len(slopes) >= _FEWEST:
            over = stats.interval(slopes, _PLACE_ERROR)
            found[run.plan.groups[index].id] = Interval(*(math.expm1(x) for x in (over.center, over.lo, over.hi)), over.n)
    return found


def _slope(samples: list[dict[str, Any]]) -> float | None:
    """Least squares through the deviations of each case's log times from their median, and of its places from their mean."""
    cases: dict[int, list[tuple[float, float]]] = defaultdict(list)
    last: dict[tuple[int, int], int] = defaultdict(int)
    for sample in samples:
        here = sample["block"], sample["round"]
        last[here] = max(last[here], sample["position"])
    for sample in samples:
        end = last[sample["block"], sample["round"]]
        if end:
            cases[sample["case"]].append((sample["position"] / end, math.log(sum(sample["ns"]) / sum(sample["operations"]))))
    product = square = 0.0
    for points in cases.values():
        middle, level = statistics.fmean(place for place, _ in points), statistics.median(ns for _, ns in points)
        product += sum((place - middle) * (ns - level) for place, ns in points)
        square += sum((place - middle) ** 2 for place, _ in points)
    return product / square if square else None
