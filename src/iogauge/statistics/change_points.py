"""Did a series settle? Its change points, and the kind of series that they make it.

A series is ns per operation of spans in the order of time, shape (n,), of 5 to about 100 points: a
warm-up curve, or all spans of a fork's samples. Its noise has spikes, and neighbours are alike. So
changes are looked for in logs, with absolute instead of squared deviations, after spikes of one or
two points have been clipped. The price of a change is so high that noise with a lag-1 correlation
of 0.6 seldom pays it. The methods and every constant were chosen by simulation:
docs/decisions/0005-steady-state.md.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from iogauge.statistics.quantiles import Array, median_of_few, row_medians

FEWEST_POINTS = 8
"""Shorter series have the kind `unknown`: a change in them may be noise."""

SHORTEST_SEGMENT = 3
"""Points. One or two slow spans are a spike; three are a level."""

MOST_POINTS = 200
"""Longer series are thinned to so many medians first, because the work grows with the cube of the
length.
"""

TOLERANCE = math.log(1.03)
"""Levels whose logs differ by less are one level, however quiet the series is."""

STEADY_SHARE, FEWEST_STEADY = 0.25, 5
"""A series that settles has at least this share of its points, and at least so many points, on its
last level.
"""

_WINDOW = 5  # points
CLIP = 3.0  # noise scales around the rolling median; a point farther away is moved there
# Of logs: where a coarse clock repeats values, not every difference is a change.
_LEAST_NOISE = 0.005
_MOST_COSTS = 1 << 20  # costs of segments that are computed at a time
_STRETCHES = (6, 8, 10)  # points: lengths that show for most flat series that they have no cut

Kind = Literal["flat", "warm-up", "slow-down", "no-steady-state", "unknown"]
"""`flat`: one level throughout. `warm-up`: the last level is the fastest, or as fast as that.
`slow-down`: it is slower than an earlier one. `no-steady-state`: the last level is too short, or
the series goes up and down. `unknown`: there are too few points.
"""


@dataclass(frozen=True, slots=True)
class Segment:
    """Points start <= i < stop of a series, and their median in its unit.

    Points without a value belong to the segment before them.
    """

    start: int
    stop: int
    level: float


def segments(values: ArrayLike) -> tuple[Segment, ...]:
    """The segments of a series, shape (n,), ns per operation, each on one level.

    Values that are not positive and finite are left out. Fewer than `FEWEST_POINTS` values are one
    segment; no value gives (). The method is optimal partitioning (Jackson et al. 2005; like PELT,
    but without the pruning, which a hundred points do not need). The cost of a segment is the sum
    of its absolute deviations from its median.
    """
    return segments_of([values])[0]


def segments_of(many: Sequence[ArrayLike]) -> list[tuple[Segment, ...]]:
    """The segments of each of many series. Series of one length are worked on together, which
    takes much less time.
    """
    found = [_points(each) for each in many]
    every = _all_cuts([np.log(series[places]) for series, places in found])
    return [_segments(*each, cuts) for each, cuts in zip(found, every, strict=True)]


def _segments(series: Array, places: NDArray[np.intp], cuts: list[int]) -> tuple[Segment, ...]:
    if not places.size:
        return ()
    starts = [0, *(int(places[cut]) for cut in cuts)]
    stops = [*starts[1:], series.size]
    levels = map(median_of_few, np.split(series[places], cuts))
    return tuple(map(Segment, starts, stops, levels))


def kinds_of(many: Sequence[ArrayLike]) -> list[Kind]:
    """The kind of each of many series; see `Kind`.

    Series of one length are worked on together, which takes much less time. Most series have no
    change point, and are flat without further work.
    """
    known = [series[places] for series, places in map(_points, many)]
    every = _all_cuts([np.log(each) for each in known])
    return [
        _kind(values, cuts) if cuts or values.size < FEWEST_POINTS else "flat"
        for values, cuts in zip(known, every, strict=True)
    ]


def _kind(values: Array, cuts: list[int]) -> Kind:
    if values.size < FEWEST_POINTS:
        return "unknown"
    noise = float(noise_of(np.log(values)))
    pieces = np.split(values, cuts)
    sizes = [each.size for each in pieces]
    levels = [math.log(median_of_few(each)) for each in pieces]
    first = len(pieces) - 1
    while first and same(levels[first - 1], levels[-1], sizes[first - 1], sizes[-1], noise):
        first -= 1
    steady = sum(sizes[first:])
    wandering = _reversals(levels, sizes, noise) >= 2 and steady < values.size / 2
    if steady < max(FEWEST_STEADY, STEADY_SHARE * values.size) or wandering:
        return "no-steady-state"
    if first == 0:
        return "flat"
    fastest = min(range(first), key=lambda i: levels[i])
    slower = levels[-1] > levels[fastest]
    level = same(levels[-1], levels[fastest], steady, sizes[fastest], noise)
    return "slow-down" if slower and not level else "warm-up"


def penalty(points: int) -> float:
    """The price of a change point in a series of so many points.

    A change must lower the sum of absolute deviations, in noise scales, by more than this.
    """
    return _PENALTY_BASE + _PENALTY_SLOPE * math.log(points)


_PENALTY_BASE, _PENALTY_SLOPE = 3.0, 4.0


def _points(values: ArrayLike) -> tuple[Array, NDArray[np.intp]]:
    """The series, and the indices of its values that are positive and finite."""
    series = np.asarray(values, dtype=float).ravel()
    with np.errstate(invalid="ignore"):
        return series, np.flatnonzero(np.isfinite(series) & (series > 0))


def noise_of(logs: Array) -> Array:
    """Robust SD of the noise of a series, or of each row of series.

    It is computed from the steps between neighbours, so that neither levels nor spikes count. It is
    too small if neighbours are alike.
    """
    return np.maximum(_LEAST_NOISE, row_medians(np.abs(np.diff(logs))) / (0.6745 * math.sqrt(2)))


def _all_cuts(many: Sequence[Array]) -> list[list[int]]:
    """For each of many series of logs, the first points of all segments but the first."""
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
    """The series, without NaN, as at most so many medians of neighbours."""
    step = _step(series, most)
    whole = series.size - series.size % step
    rest = [median_of_few(series[whole:])] if whole < series.size else []
    if step == 1:
        return series
    return np.concatenate([row_medians(series[:whole].reshape(-1, step)), rest])


def _step(series: Array, most: int) -> int:
    return max(1, -(-series.size // most))


def cuts_of(logs: Array) -> list[list[int]]:
    """The cuts of each of several series of logs of one length, shape (m, n)."""
    m, n = logs.shape
    noise = noise_of(logs)[:, None]
    middle, price = rolling_median(logs), penalty(n)
    scaled = np.clip(logs, middle - CLIP * noise, middle + CLIP * noise) / noise
    found: list[list[int]] = [[] for _ in range(m)]
    open_ = np.flatnonzero(~surely_flat(scaled, price))
    if open_.size:
        every = cheapest_cuts(segment_costs(scaled[open_]), price)
        for number, cuts in zip(open_.tolist(), every, strict=True):
            found[number] = cuts
    return found


def surely_flat(scaled: Array, price: float) -> NDArray[np.bool_]:
    """Which series, shape (m, n), have no cut that is worth its price. False means not known.

    Most series are like that, and this is much cheaper than a search over all cuts. It rests on
    two facts: a stretch of neighbours without a cut costs at least as much as it costs alone, and
    a cut saves at most the cost of one stretch.
    """
    (m, n), surely = scaled.shape, np.zeros(len(scaled), dtype=bool)
    together = _deviations(scaled)
    for length in _STRETCHES:
        alone = _deviations(scaled[:, : n - n % length].reshape(m, -1, length))
        dearest = alone.max(axis=1, initial=0.0)
        surely |= (dearest < price) & (together + dearest < alone.sum(axis=1) + price)
    return surely


def _deviations(values: Array) -> Array:
    """Sum of absolute deviations from the median, along the last axis."""
    length = values.shape[-1]
    sides: Array = np.sign(np.arange(length) - (length - 1) / 2)  # 1 above the median, -1 below it
    return np.sort(values, axis=-1) @ sides


def cheapest_cuts(costs: Array, price: float) -> list[list[int]]:
    m, n = len(costs), costs.shape[1] - 1
    best = np.full((m, n + 1), np.inf)  # of the points before i, a price for each segment
    best[:, 0] = 0.0
    last_cut = np.zeros((m, n + 1), dtype=int)
    every = np.arange(m)
    for stop in range(SHORTEST_SEGMENT, n + 1):
        starts = slice(stop - SHORTEST_SEGMENT + 1)
        totals = best[:, starts] + costs[:, starts, stop] + price
        last_cut[:, stop] = totals.argmin(axis=1)
        best[:, stop] = totals[every, last_cut[:, stop]]
    found: list[list[int]] = [[] for _ in range(m)]
    for cuts, last in zip(found, last_cut.tolist(), strict=True):
        cut = last[n]
        while cut:
            cuts.insert(0, cut)
            cut = last[cut]
    return found


def rolling_median(logs: Array) -> Array:
    """The median of the `_WINDOW` points around each point of each series, shape (m, n).

    Near an end it is the median of the first or last `_WINDOW` points.
    """
    inner = row_medians(np.lib.stride_tricks.sliding_window_view(logs, _WINDOW, axis=1))
    return np.pad(inner, ((0, 0), (_WINDOW // 2, _WINDOW // 2)), mode="edge")


def segment_costs(logs: Array) -> Array:
    """The cost of every segment of every series, shape (m, n + 1, n + 1).

    Entry (i, start, stop) is the sum of absolute deviations of logs[i, start:stop] from their
    median.
    """
    m, n = logs.shape
    costs = np.zeros((m, n + 1, n + 1))
    for length in range(2, n + 1):
        starts = np.arange(n - length + 1)
        costs[:, starts, starts + length] = _deviations(
            np.lib.stride_tricks.sliding_window_view(logs, length, axis=1)
        )
    return costs


def same(a: float, b: float, points_a: int, points_b: int, noise: float) -> bool:
    """Whether two levels, as logs, are one: they differ by less than the tolerance, or by less than
    two standard errors.
    """
    return abs(a - b) < max(TOLERANCE, 2 * noise * math.sqrt(1 / points_a + 1 / points_b))


def _reversals(levels: list[float], sizes: list[int], noise: float) -> int:
    """How often a series turns from slower to faster, or back."""
    moves = []
    held = 0  # the segment where the next move starts: steps below the tolerance add up
    for i in range(1, len(levels)):
        if not same(levels[i], levels[held], sizes[i], sizes[held], noise):
            moves.append(levels[i] > levels[held])
            held = i
    return sum(a != b for a, b in pairwise(moves))
