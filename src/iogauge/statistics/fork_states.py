"""Did the forks of a case settle on one level, or on two?

The methods and every constant were chosen by simulation: docs/decisions/0005-steady-state.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from iogauge.statistics.change_points import TOLERANCE
from iogauge.statistics.quantiles import Array, median_of_few

FEWEST_FORKS, SMALLEST_STATE = 6, 3
"""Fewer forks have one state. Two forks that are alike and apart from the others may be outliers,
so a state has at least three.
"""

_FORK_OUTLIER = 5.0  # robust SDs
_MOST_CUTS = 500  # with more forks, not every way to cut them in two is tried
_TINY = 1e-6  # SD of logs below which levels are the same number


@dataclass(frozen=True, slots=True)
class States:
    """The levels on which forks of one case settled: one or two."""

    of_fork: tuple[int | None, ...]
    """By fork: 0 in the faster or only state, 1 in the slower, None for an outlier or no value."""
    centers: tuple[float, ...]
    """Mean log level of each state, the faster first. A single state has its median."""
    sizes: tuple[int, ...]
    ratio: float
    """Time in the slower state over time in the faster; 1 if there is only one."""
    outliers: int
    """Forks far from the states. Two forks that are alike are still outliers."""


def states(levels: ArrayLike) -> States:
    """The states of forks, from the log level of each, shape (n,), with drift taken out.

    NaNs are left out. Of all ways to cut the ordered levels in two, the one with the clearest gap
    is taken: the distance of the two means in units of the SD within them (the pooled SD, or that
    of one side if it is larger; Ashman, Bird & Zepf 1994 use a similar ratio). A small state must
    be clearer than a large one, because outliers are often alike by chance. One fork in twelve may
    be an outlier.
    """
    logs = np.asarray(levels, dtype=float).ravel()
    places = np.flatnonzero(np.isfinite(logs))
    order = places[np.argsort(logs[places], kind="stable")]
    if not order.size:
        return States((None,) * logs.size, (), (), 1.0, 0)
    ordered = logs[order]
    chosen, kept = clearest_split(ordered) if order.size >= FEWEST_FORKS else (0, None)
    if kept is None:  # one state
        center = median_of_few(ordered)
        deviations = np.abs(ordered - center)
        spread = 1.4826 * median_of_few(deviations)
        limit = max(TOLERANCE, _FORK_OUTLIER * spread)
        kept = deviations <= (limit if order.size >= FEWEST_FORKS else math.inf)
        members, centers = [kept], [center]
    else:
        slower = np.arange(order.size) >= chosen
        members = [kept & ~slower, kept & slower]
        centers = [float(ordered[each].mean()) for each in members]
    of_fork: list[int | None] = [None] * logs.size
    for state, each in enumerate(members):
        for fork in order[each]:
            of_fork[fork] = state
    sizes = tuple(int(each.sum()) for each in members)
    ratio = math.exp(centers[-1] - centers[0])
    return States(tuple(of_fork), tuple(centers), sizes, ratio, order.size - sum(sizes))


def needed_distance(forks: int, smaller: Any) -> Any:
    """How far apart two states must lie, in SDs within them, if the smaller one has `smaller` of
    `forks` forks. `smaller` may be an array.
    """
    return 6.0 * np.maximum(1.0, (2.4 + forks / 14) / smaller) ** 2


def clearest_split(ordered: Array) -> tuple[int, NDArray[np.bool_] | None]:
    """The index of the first level of the slower state, and which levels belong to a state, shape
    (n,). (0, None) if no way to cut the levels in two is clear enough.

    All cuts are tried at once, in arrays of shape (cuts, n).
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
    """Mean, sum of squares about it, and count of the levels that each row of `side`, shape (cuts,
    n), chooses. Each has the shape (cuts,).
    """
    count = side.sum(axis=1)
    mean = (ordered * side).sum(axis=1) / count
    return mean, ((ordered - mean[:, None]) ** 2 * side).sum(axis=1), count
