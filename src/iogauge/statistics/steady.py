"""Did a fork settle, and on which level? Change points of a short series, its kind, and the states
of several forks.

A series is ns per operation of spans in the order of time, shape (n,), 5 to some 100 points: a
warm-up curve, or all spans of a fork's samples. Its noise has spikes and memory: neighbours are
alike. So a change is looked for in logs, with absolute instead of squared deviations, after single
and double spikes have been clipped; and the price of a change is that at which noise with lag-1
correlation 0.6 seldom pays it. All functions are pure. The methods and every constant here were
chosen by simulation: docs/decisions/0005-steady-state.md.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

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

FEWEST_FORKS, SMALLEST_STATE = 6, 3
"""Two states are not seen in fewer forks; and two forks that are alike and apart from the others
may be two outliers.
"""

_WINDOW, _CLIP = 5, 3.0  # points; noise scales
# of logs: a clock or a rounding that repeats itself does not make any difference a change
_LEAST_NOISE = 0.005
_FORK_OUTLIER = 5.0  # robust SDs
_MOST_CUTS = 500  # of more forks, not every way to cut them in two is tried
_MOST_COSTS = 1 << 20  # of segments, at a time
_BLOCKS = (6, 8, 10)  # points: by one of these most flat series are known as such
_TINY = 1e-6  # SD of logs below which levels are the same number

Array = NDArray[np.float64]
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


@dataclass(frozen=True, slots=True)
class States:
    """The levels on which forks of one case settled: one or two."""

    of_fork: tuple[int | None, ...]
    """0 = the faster or only state, 1 = the slower; None = outlier, or no value."""
    centers: tuple[float, ...]
    """Mean log level of each state, faster first; the median where there is only one."""
    sizes: tuple[int, ...]
    ratio: float
    """Time in the slower state over time in the faster; 1 where there is only one."""
    outliers: int
    """Forks far from the states; two of them that are alike are still outliers."""


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
        Segment(start, stop, _median(series[places[(places >= start) & (places < stop)]]))
        for start, stop in zip(starts, stops, strict=True)
    )


def _classified(series: Array, places: NDArray[np.intp], found: tuple[Segment, ...]) -> Steadiness:
    overall = _median(series[places]) if places.size else math.nan
    if places.size < FEWEST_POINTS:
        return Steadiness("unknown", None, overall, found)
    logs = np.log(series[places])
    noise = float(_noise(logs))
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
    level = _median(series[places[begin:]])
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


def _median(values: Array) -> float:
    """Of a few values, shape (n,), none of them NaN; NaN of none. NumPy's takes ten times as long
    for so few.
    """
    return float(_medians(values)) if values.size else math.nan


def _medians(values: Array) -> Array:
    """The same along the last axis, which is not empty."""
    ordered, count = np.sort(values), values.shape[-1]
    return (ordered[..., (count - 1) // 2] + ordered[..., count // 2]) / 2


def _noise(logs: Array) -> Array:
    """Robust SD of the noise of a series, or of each in its row, from its steps, so that neither
    levels nor spikes count; too small where neighbours are alike.
    """
    return np.maximum(_LEAST_NOISE, _medians(np.abs(np.diff(logs))) / (0.6745 * math.sqrt(2)))


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
                some, _cuts(np.stack([short[each] for each in some])), strict=True
            ):
                found[number] = [cut * step[number] for cut in cuts]
    return found


def thinned(series: Array, most: int) -> Array:
    """At most so many points: medians of as many neighbours as it takes. None of them NaN."""
    step = _step(series, most)
    whole = series.size - series.size % step
    rest = [_median(series[whole:])] if whole < series.size else []
    return (
        series if step == 1 else np.concatenate([_medians(series[:whole].reshape(-1, step)), rest])
    )


def _step(series: Array, most: int) -> int:
    return max(1, -(-series.size // most))


def _cuts(logs: Array) -> list[list[int]]:
    """Those of series of one length, shape (m, n)."""
    m, n = logs.shape
    noise = _noise(logs)[:, None]
    middle, price = _rolling_median(logs), penalty(n)
    scaled = np.clip(logs, middle - _CLIP * noise, middle + _CLIP * noise) / noise
    found: list[list[int]] = [[] for _ in range(m)]
    open_ = np.flatnonzero(~_surely_flat(scaled, price))
    for number, cuts in zip(
        open_.tolist(),
        _cheapest_cuts(_segment_costs(scaled[open_]), price) if len(open_) else (),
        strict=True,
    ):
        found[number] = cuts
    return found


def _surely_flat(scaled: Array, price: float) -> NDArray[np.bool_]:
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


def _cheapest_cuts(costs: Array, price: float) -> list[list[int]]:
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


def _rolling_median(logs: Array) -> Array:
    """Of each series, shape (m, n), the median of the `_WINDOW` points around each; at both ends,
    of the first or last ones.
    """
    inner = _medians(np.lib.stride_tricks.sliding_window_view(logs, _WINDOW, axis=1))
    return np.pad(inner, ((0, 0), (_WINDOW // 2, _WINDOW // 2)), mode="edge")


def _segment_costs(logs: Array) -> Array:
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
    limit = _median(logs[begin:]) + max(TOLERANCE, _CLIP * noise)
    return begin + int(np.argmax(logs[begin:] <= limit))


# many forks


def states(levels: ArrayLike) -> States:
    """Did forks of a case settle on two levels? From the log level of each, shape (n,), drift taken
    out; NaNs are left out.

    Of all ways to cut the ordered levels in two, the one with the clearest gap: the distance of
    both means in units of the SD within (the pooled one, or that of either side if it is larger;
    Ashman, Bird & Zepf 1994 use a similar ratio). A small state must be clearer than a large one:
    outliers are often alike by chance. One fork in twelve may be an outlier.
    """
    logs = np.asarray(levels, dtype=float).ravel()
    places = np.flatnonzero(np.isfinite(logs))
    order = places[np.argsort(logs[places], kind="stable")]
    ordered = logs[order]
    chosen, kept = _clearest_split(ordered) if order.size >= FEWEST_FORKS else (0, None)
    if not chosen:
        return _one_state(logs, order, ordered)
    of_fork: list[int | None] = [None] * logs.size
    for rank, fork in enumerate(order):
        if kept[rank]:
            of_fork[fork] = int(rank >= chosen)
    members = [
        ordered[kept & (np.arange(order.size) < chosen)],
        ordered[kept & (np.arange(order.size) >= chosen)],
    ]
    centers = tuple(float(each.mean()) for each in members)
    sizes = tuple(int(each.size) for each in members)
    return States(
        tuple(of_fork), centers, sizes, math.exp(centers[1] - centers[0]), order.size - sum(sizes)
    )


def needed_distance(forks: int, smaller: Any) -> Any:
    """How many SDs within them two states must lie apart, when the smaller one has `smaller` of
    `forks` forks; of one, or of an array.
    """
    return 6.0 * np.maximum(1.0, (2.4 + forks / 14) / smaller) ** 2


def _clearest_split(ordered: Array) -> tuple[int, NDArray[np.bool_] | None]:
    """The first level of the slower state, and which levels belong to either, shape (n,); 0 where
    no way to cut them in two is clear enough.

    All cuts at once, shape (cuts, n).
    """
    n = ordered.size
    cuts = np.arange(SMALLEST_STATE, n - SMALLEST_STATE + 1, -(-n // _MOST_CUTS))
    slower = np.arange(n) >= cuts[:, None]
    above = n - cuts
    medians = [
        (ordered[(cuts - 1) // 2] + ordered[cuts // 2]) / 2,
        (ordered[cuts + (above - 1) // 2] + ordered[cuts + above // 2]) / 2,
    ]
    deviations = np.abs(ordered - np.where(slower, medians[1][:, None], medians[0][:, None]))
    spread = 1.4826 * np.median(deviations, axis=1)
    keep = deviations <= np.maximum(TOLERANCE, _FORK_OUTLIER * spread)[:, None]
    low, high = keep & ~slower, keep & slower
    smaller = np.minimum(low.sum(axis=1), high.sum(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        means, squares, sizes = zip(*(_moments(ordered, side) for side in (low, high)), strict=True)
        distance = means[1] - means[0]
        pooled = (squares[0] + squares[1]) / (sizes[0] + sizes[1] - 2)
        within = np.sqrt(
            np.maximum(pooled, np.maximum(squares[0] / (sizes[0] - 1), squares[1] / (sizes[1] - 1)))
        )
        clearness = distance / np.maximum(within, _TINY) / needed_distance(n, smaller)
    fit = (
        (n - sizes[0] - sizes[1] <= n // 12) & (smaller >= SMALLEST_STATE) & (distance >= TOLERANCE)
    )
    clearness = np.where(fit, clearness, 0.0)
    best = cuts.size - 1 - int(np.argmax(clearness[::-1]))  # the last of equals
    return (int(cuts[best]), keep[best]) if clearness[best] >= 1.0 else (0, None)


def _moments(ordered: Array, side: NDArray[np.bool_]) -> tuple[Array, Array, NDArray[np.intp]]:
    """Of the levels in each row of a choice, shape (cuts, n): their mean, their squares about it,
    and how many they are; shape (cuts,).
    """
    count = side.sum(axis=1)
    mean = (ordered * side).sum(axis=1) / count
    return mean, ((ordered - mean[:, None]) ** 2 * side).sum(axis=1), count


def _one_state(logs: Array, order: NDArray[np.intp], ordered: Array) -> States:
    of_fork: list[int | None] = [None] * logs.size
    if not order.size:
        return States(tuple(of_fork), (), (), 1.0, 0)
    center = _median(ordered)
    deviations = np.abs(ordered - center)
    limit = (
        max(TOLERANCE, _FORK_OUTLIER * _robust_sd(deviations))
        if order.size >= FEWEST_FORKS
        else math.inf
    )
    for rank, fork in enumerate(order):
        if deviations[rank] <= limit:
            of_fork[fork] = 0
    members = int(np.count_nonzero(deviations <= limit))
    return States(tuple(of_fork), (center,), (members,), 1.0, order.size - members)


def _robust_sd(deviations: Array) -> float:
    return 1.4826 * _median(deviations)
