"""TODO"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from iogauge.statistics.quantiles import Array, median_of_few, row_medians

FEWEST_POINTS = 8
"""Shorter series say nothing: whatever changes in them may be their noise."""


SHORTEST_SEGMENT = 3
"""One slow span or two are a spike, three are a state."""


MOST_POINTS = 200
"""Longer series are cut between groups of points, each taken as its median: work grows with the
cube of the length.
"""


TOLERANCE = math.log(1.03)
"""Levels that differ by less, as logs, are one level, however quiet the series is."""


STEADY_SHARE, FEWEST_STEADY = 0.25, 5
"""A series that settles ends with at least this part of its points, and at least so many, on one
level.
"""


_WINDOW, CLIP = 5, 3.0  # points; noise scales

# of logs: a clock or a rounding that repeats itself does not make any difference a change
_LEAST_NOISE = 0.005

_MOST_COSTS = 1 << 20  # of segments, at a time

_BLOCKS = (6, 8, 10)  # points: by one of these most flat series are known as such


Kind = Literal["flat", "warm-up", "slow-down", "no-steady-state", "unknown"]


@dataclass(frozen=True, slots=True)
class Segment:
    """Points start <= i < stop of a series, and their median in its unit. Points without a value
    belong to the segment before.
    """

    start: int
    stop: int
    level: float


@dataclass(frozen=True, slots=True)
class Steadiness:
    """Whether and where a series settled. `level` is in the unit of the series."""

    kind: Kind
    steady_from: int | None
    """Index of the first steady point; None when there is no steady state, or when that is unknown.
    """
    level: float
    """Median from there on; of all points where there is no steady state. NaN without points."""
    segments: tuple[Segment, ...]


# one series


def segments(values: ArrayLike) -> tuple[Segment, ...]:
    """The stretches of a series, shape (n,), ns per operation, on which it keeps a level; ()
    without any value.

    Values that are not positive and finite are left out. One segment when fewer than
    `FEWEST_POINTS` are left. Optimal partitioning (Jackson et al. 2005; PELT without the pruning,
    which a hundred points do not need) with the cost of a segment in absolute deviations from its
    median.
    """
    series, places = _points(values)
    return _segments(series, places, _all_cuts([np.log(series[places])])[0])


def classify(values: ArrayLike) -> Steadiness:
    """What a series, shape (n,), ns per operation, did: see `Kind`. NaNs are left out.

    The steady part is the last segment and what lies before it on the same level. It settled slower
    than it had been: `slow-down`; else `warm-up`. A part that is too short, or not most of a series
    that goes up and down, is no steady state.
    """
    series, places = _points(values)
    return _classified(series, places, segments(series))


def kinds_of(many: Sequence[ArrayLike]) -> list[Kind]:
    """The kinds alone of many series, a good deal sooner where they are of one length: most have no
    cut, and are flat.
    """
    points = [_points(values) for values in many]
    cuts = _all_cuts([np.log(series[places]) for series, places in points])
    return [
        _classified(series, places, _segments(series, places, found)).kind
        if found or places.size < FEWEST_POINTS
        else "flat"
        for (series, places), found in zip(points, cuts, strict=True)
    ]


def _segments(series: Array, places: NDArray[np.intp], cuts: list[int]) -> tuple[Segment, ...]:
    if not places.size:
        return ()
    starts = [0, *(int(places[cut]) for cut in cuts)]
    stops = [*starts[1:], series.size]
    return tuple(
        Segment(start, stop, median_of_few(series[places[(places >= start) & (places < stop)]]))
        for start, stop in zip(starts, stops, strict=True)
    )


def _classified(series: Array, places: NDArray[np.intp], found: tuple[Segment, ...]) -> Steadiness:
    overall = median_of_few(series[places]) if places.size else math.nan
    if places.size < FEWEST_POINTS:
        return Steadiness("unknown", None, overall, found)
    logs = np.log(series[places])
    noise = float(noise_of(logs))
    sizes = [int(np.count_nonzero((places >= each.start) & (places < each.stop))) for each in found]
    levels = [math.log(each.level) for each in found]
    first = len(found) - 1
    while first and _same(levels[first - 1], levels[-1], sizes[first - 1], sizes[-1], noise):
        first -= 1
    steady = sum(sizes[first:])
    wandering = _reversals(levels, sizes, noise) >= 2 and steady < places.size / 2
    if steady < max(FEWEST_STEADY, STEADY_SHARE * places.size) or wandering:
        return Steadiness("no-steady-state", None, overall, found)
    begin = _first_ordinary(logs, places.size - steady, noise)
    level = median_of_few(series[places[begin:]])
    if first == 0:
        kind: Kind = "flat"
    else:
        fastest = min(range(first), key=lambda i: levels[i])
        slower = levels[-1] > levels[fastest] and not _same(
            levels[-1], levels[fastest], steady, sizes[fastest], noise
        )
        kind = "slow-down" if slower else "warm-up"
    return Steadiness(kind, int(places[begin]), level, found)


def penalty(points: int) -> float:
    """What a change must gain: absolute deviations, in noise scales, that it takes away from a
    series of so many points.
    """
    return _PENALTY_BASE + _PENALTY_SLOPE * math.log(points)


_PENALTY_BASE, _PENALTY_SLOPE = 3.0, 4.0


def _points(values: ArrayLike) -> tuple[Array, NDArray[np.intp]]:
    """A series, and the places of its values that are positive and finite."""
    series = np.asarray(values, dtype=float).ravel()
    with np.errstate(invalid="ignore"):
        return series, np.flatnonzero(np.isfinite(series) & (series > 0))


def noise_of(logs: Array) -> Array:
    """Robust SD of the noise of a series, or of each in its row, from its steps, so that neither
    levels nor spikes count; too small where neighbours are alike.
    """
    return np.maximum(_LEAST_NOISE, row_medians(np.abs(np.diff(logs))) / (0.6745 * math.sqrt(2)))


def _all_cuts(many: Sequence[Array]) -> list[list[int]]:
    """First points of all segments but the first, of each of many series of logs."""
    found: list[list[int]] = [[] for _ in many]
    by_length: dict[int, list[int]] = defaultdict(list)
    step = [_step(logs, MOST_POINTS) for logs in many]
    short = [thinned(logs, MOST_POINTS) for logs in many]
    for number, logs in enumerate(short):
        if logs.size >= FEWEST_POINTS:
            by_length[logs.size].append(number)
    for length, numbers in by_length.items():
        most = max(1, _MOST_COSTS // length**2)
        for start in range(0, len(numbers), most):
            some = numbers[start : start + most]
            for number, cuts in zip(
                some, cuts_of(np.stack([short[each] for each in some])), strict=True
            ):
                found[number] = [cut * step[number] for cut in cuts]
    return found


def thinned(series: Array, most: int) -> Array:
    """At most so many points: medians of as many neighbours as it takes. None of them NaN."""
    step = _step(series, most)
    whole = series.size - series.size % step
    rest = [median_of_few(series[whole:])] if whole < series.size else []
    return (
        series
        if step == 1
        else np.concatenate([row_medians(series[:whole].reshape(-1, step)), rest])
    )


def _step(series: Array, most: int) -> int:
    return max(1, -(-series.size // most))


def cuts_of(logs: Array) -> list[list[int]]:
    """Those of series of one length, shape (m, n)."""
    m, n = logs.shape
    noise = noise_of(logs)[:, None]
    middle, price = rolling_median(logs), penalty(n)
    scaled = np.clip(logs, middle - CLIP * noise, middle + CLIP * noise) / noise
    found: list[list[int]] = [[] for _ in range(m)]
    open_ = np.flatnonzero(~surely_flat(scaled, price))
    for number, cuts in zip(
        open_.tolist(),
        cheapest_cuts(segment_costs(scaled[open_]), price) if len(open_) else (),
        strict=True,
    ):
        found[number] = cuts
    return found


def surely_flat(scaled: Array, price: float) -> NDArray[np.bool_]:
    """Of which series, shape (m, n), no cuts can be worth their price; most are like that, and this
    is much cheaper than to try all cuts.

    Whatever the segments, a block of neighbours without a cut in it costs at least what it costs
    alone, and each cut saves the cost of one block at most.
    """
    (m, n), surely = scaled.shape, np.zeros(len(scaled), dtype=bool)
    together = _deviations(scaled)
    for length in _BLOCKS:
        alone = _deviations(scaled[:, : n - n % length].reshape(m, -1, length))
        dearest = alone.max(axis=1, initial=0.0)
        surely |= (dearest < price) & (together + dearest < alone.sum(axis=1) + price)
    return surely


def _deviations(values: Array) -> Array:
    """Sum of absolute deviations from the median, along the last axis."""
    return np.sort(values, axis=-1) @ _sides(values.shape[-1])


def _sides(length: int) -> Array:
    """Of ordered values, 1 for those above the median and -1 for those below."""
    return np.sign(np.arange(length) - (length - 1) / 2)


def cheapest_cuts(costs: Array, price: float) -> list[list[int]]:
    m, n = len(costs), costs.shape[1] - 1
    best = np.full((m, n + 1), np.inf)  # of the points before i, a price for each segment
    best[:, 0] = 0.0
    last_cut = np.zeros((m, n + 1), dtype=int)
    every = np.arange(m)
    for stop in range(SHORTEST_SEGMENT, n + 1):
        totals = (
            best[:, : stop - SHORTEST_SEGMENT + 1]
            + costs[:, : stop - SHORTEST_SEGMENT + 1, stop]
            + price
        )
        last_cut[:, stop] = totals.argmin(axis=1)
        best[:, stop] = totals[every, last_cut[:, stop]]
    return [_back(each, n) for each in last_cut]


def _back(last_cut: NDArray[Any], n: int) -> list[int]:
    cuts: list[int] = []
    stop = int(last_cut[n])
    while stop:
        cuts.append(stop)
        stop = int(last_cut[stop])
    return cuts[::-1]


def rolling_median(logs: Array) -> Array:
    """Of each series, shape (m, n), the median of the `_WINDOW` points around each; at both ends,
    of the first or last ones.
    """
    inner = row_medians(np.lib.stride_tricks.sliding_window_view(logs, _WINDOW, axis=1))
    return np.pad(inner, ((0, 0), (_WINDOW // 2, _WINDOW // 2)), mode="edge")


def segment_costs(logs: Array) -> Array:
    """Entry (i, start, stop): sum of absolute deviations of logs[i, start:stop] from their median;
    shape (m, n + 1, n + 1).
    """
    m, n = logs.shape
    costs = np.zeros((m, n + 1, n + 1))
    for length in range(2, n + 1):
        starts = np.arange(n - length + 1)
        costs[:, starts, starts + length] = _deviations(
            np.lib.stride_tricks.sliding_window_view(logs, length, axis=1)
        )
    return costs


def _same(a: float, b: float, points_a: int, points_b: int, noise: float) -> bool:
    """Are two levels, as logs, one? Within the tolerance, or within two standard errors of their
    difference.
    """
    return abs(a - b) < max(TOLERANCE, 2 * noise * math.sqrt(1 / points_a + 1 / points_b))


def _reversals(levels: list[float], sizes: list[int], noise: float) -> int:
    """How often a series turns from getting slower to getting faster or back."""
    moves = []
    held = 0  # the segment that the next move starts from; steps below the tolerance add up
    for i in range(1, len(levels)):
        if not _same(levels[i], levels[held], sizes[i], sizes[held], noise):
            moves.append(levels[i] > levels[held])
            held = i
    return sum(a != b for a, b in pairwise(moves))


def _first_ordinary(logs: Array, begin: int, noise: float) -> int:
    """The first point from `begin` on that is no slow spike: a first span that was slow is no
    steady one.
    """
    limit = median_of_few(logs[begin:]) + max(TOLERANCE, CLIP * noise)
    return begin + int(np.argmax(logs[begin:] <= limit))
