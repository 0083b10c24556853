"""Change points of a series of runs: where the level of a case changed, and by how much."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from iogauge.statistics import change_points
from iogauge.statistics.change_points import FEWEST_POINTS, MOST_POINTS
from iogauge.statistics.quantiles import Array, median_of_few

_PLANTED = (1.02, 1.03, 1.05, 1.07, 1.1, 1.15, 1.2, 1.3, 1.5, 2.0, 3.0, 5.0)
_OF_MEDIAN = 1.25  # times that of a mean: its standard error where the noise is normal
_MOST_PLANTED = 100  # points: enough to say what can be seen, and soon tried


@dataclass(frozen=True)
class Change:
    """From point `at` on, a case takes `ratio` times as long as before; that lies between `lo` and
    `hi`, two standard errors of the medians around it. Both levels are in ns per operation.
    """

    at: int
    before: float
    after: float
    ratio: float
    lo: float
    hi: float


def of(values: Array) -> tuple[Change, ...]:
    """The changes of a series, shape (n,), ns per operation in the order of time, the oldest first.

    The last two points never make one: a level has three at least. A long series is looked at as a
    whole, thinned, and its newest points once more as they are.
    """
    return of_all([values])[0]


def of_all(many: Sequence[Array]) -> list[tuple[Change, ...]]:
    """The changes of each of many series."""
    newest = [max(0, len(each) - MOST_POINTS) for each in many]  # where these begin
    recent = _cuts([each[start:] for each, start in zip(many, newest, strict=True)])
    long = [number for number, start in enumerate(newest) if start]
    whole = dict(zip(long, _cuts([many[number] for number in long]), strict=True))
    return [
        _found(values, [start + cut for cut in recent[number]], whole.get(number))
        for number, (values, start) in enumerate(zip(many, newest, strict=True))
    ]


def _found(values: Array, cuts: list[int], whole: list[int] | None) -> tuple[Change, ...]:
    """From the cuts among the newest points, and those of the whole where it has more."""
    if len(values) < FEWEST_POINTS:
        return ()
    logs = np.log(values)
    if whole is not None:
        apart = 2 * -(-len(values) // MOST_POINTS)  # of points that a thinned series may be off
        others = [at for at in whole if all(abs(at - own) > apart for own in cuts)]
        cuts = _settled(logs, sorted([*others, *cuts]))
    return _kept(logs, cuts)


def can_see(values: Array) -> float | None:
    """The smallest of some ratios that is found where it is planted in the middle of the newest
    points, as a step that stays; None where even the largest is not. The series has no change.
    """
    newest = values[-_MOST_PLANTED:]
    low, high = 0, len(_PLANTED)
    while low < high:
        middle = (low + high) // 2
        if _finds(newest, _PLANTED[middle]):
            high = middle
        else:
            low = middle + 1
    return _PLANTED[low] if low < len(_PLANTED) else None


def _finds(values: Array, ratio: float) -> bool:
    half = len(values) // 2
    planted = np.concatenate([values[:half], values[half:] * ratio])
    return any(abs(each.at - half) <= 1 + half // 4 and each.ratio > 1 for each in of(planted))


def _cuts(many: Sequence[Array]) -> list[list[int]]:
    return [[each.start for each in found[1:]] for found in change_points.segments_of(many)]


def _settled(logs: Array, cuts: Sequence[int]) -> list[int]:
    """Each cut moved to where the points around it belong to one level or the other: a thinned
    series knows it roughly. A level that is left with too few points is none.
    """
    moved = list(cuts)
    for place, cut in enumerate(moved):
        start = moved[place - 1] if place else 0
        stop = moved[place + 1] if place + 1 < len(moved) else len(logs)
        if min(cut - start, stop - cut) < 1:
            continue
        before, after = _level(logs[start:cut]), _level(logs[cut:stop])
        nearer = np.abs(logs[start:stop] - before) - np.abs(logs[start:stop] - after)
        moved[place] = start + int(np.argmin(np.concatenate([[0.0], np.cumsum(nearer)])))
    shortest = change_points.SHORTEST_SEGMENT
    kept: list[int] = []
    for cut in moved:
        if cut - (kept[-1] if kept else 0) >= shortest and len(logs) - cut >= shortest:
            kept.append(cut)
    return kept


def _kept(logs: Array, cuts: Sequence[int]) -> tuple[Change, ...]:
    """The cuts between levels that differ; what lies on both sides of another one is one level."""
    noise, left = float(change_points.noise_of(logs)), list(cuts)
    while True:
        found = [
            _change(logs, *three, noise)
            for three in zip([0, *left], left, [*left[1:], len(logs)], strict=False)
        ]
        if None not in found:
            return tuple(each for each in found if each)
        del left[found.index(None)]


def _change(logs: Array, start: int, at: int, stop: int, noise: float) -> Change | None:
    """From the points start <= i < at to those before stop; None where they are on one level."""
    before, after, sizes = _level(logs[start:at]), _level(logs[at:stop]), (at - start, stop - at)
    if change_points.same(before, after, *sizes, noise):
        return None
    error = 2 * _OF_MEDIAN * noise * math.sqrt(sum(1 / size for size in sizes))
    by = after - before
    bounds = math.exp(by - error), math.exp(by + error)
    return Change(at, math.exp(before), math.exp(after), math.exp(by), *bounds)


def _level(logs: Array) -> float:
    return median_of_few(logs)
