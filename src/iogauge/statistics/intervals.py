"""Confidence intervals of replicated values.

The method and its constants were chosen by simulation: docs/decisions/0002-interval-method.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from iogauge.statistics.quantiles import Array, median
from iogauge.statistics.special import students_t

TRIM = 0.2
UNTRIMMED = 10
"""An interval leaves out the fraction `TRIM` at each end if it has at least `UNTRIMMED` values."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A centre with its confidence bounds, from n values.

    A side without a bound is infinite. Without values, the centre is NaN.
    """

    center: float
    lo: float
    hi: float
    n: int


def interval(values: ArrayLike, error: float) -> Interval:
    """Two-sided interval of the typical value, at level 1 - `error`, from values of shape (n,).

    NaNs are ignored. This is Yuen's interval: the trimmed mean, with a winsorised variance and the
    t quantile of the values that are left (Tukey & McLaughlin 1963; Yuen 1974). With fewer than
    `UNTRIMMED` values nothing is trimmed, and the interval is Student's. Fewer than three values
    give infinite bounds. Raises ValueError if `error` is not between 0 and 1.
    """
    if not 0 < error < 1:
        raise ValueError(f"error must lie between 0 and 1, not {error}")
    center, lo, hi, n = column_intervals(np.asarray(values, dtype=float).reshape(-1, 1), error)
    return Interval(float(center[0]), float(lo[0]), float(hi[0]), int(n[0]))


def summary(log_ns: ArrayLike, error: float = 0.05, clock_error: float = 0.0) -> Interval:
    """The level of one case in ns per operation, from log_ns of shape (R, K), or (R,) if it has one
    value per replicate.

    It is the interval of the replicates' medians over their rounds, computed in logs and wider by
    `clock_error` (see `group.decide`).
    """
    logs = np.asarray(log_ns, dtype=float)
    if logs.ndim == 2:
        logs = median(logs, axis=1)
    found = interval(logs, error)
    return Interval(
        exp(found.center), exp(found.lo - clock_error), exp(found.hi + clock_error), found.n
    )


def column_intervals(values: Array, error: float) -> tuple[Array, Array, Array, NDArray[np.int64]]:
    """Centre, lo, hi and count of each column, shape (P,), from values of shape (R, P)."""
    found = estimates(values)
    reach = students_t(found.degrees, error) * found.standard_errors
    reach = np.where(found.counts >= 3, reach, np.inf)
    return found.centers, found.centers - reach, found.centers + reach, found.counts


@dataclass(frozen=True, slots=True)
class Estimates:
    """The typical values of columns, each of shape (P,): the trimmed means with their standard
    errors, the degrees of freedom of these, and how many values there were.
    """

    centers: Array
    standard_errors: Array
    degrees: NDArray[np.int64]
    counts: NDArray[np.int64]


def estimates(values: Array) -> Estimates:
    """Of the columns of values, shape (R, P); NaNs are ignored. Below two values there is no
    standard error (NaN).
    """
    n = np.count_nonzero(~np.isnan(values), axis=0)
    if not len(values):
        nothing = np.full(n.shape, np.nan)
        return Estimates(nothing, nothing, n - 1, n)
    cut = np.where(n >= UNTRIMMED, (TRIM * n).astype(int), 0)
    kept = n - 2 * cut
    ordered = np.sort(values, axis=0)  # NaNs last
    rank = np.arange(len(values))[:, None]
    nearest = np.clip(rank, cut, np.maximum(n - cut - 1, 0))
    winsorised = np.where(rank < n, np.take_along_axis(ordered, nearest, 0), 0.0)
    trimmed = np.where((rank >= cut) & (rank < n - cut), ordered, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        center = trimmed.sum(axis=0) / kept
        deviations = np.where(rank < n, winsorised - winsorised.sum(axis=0) / n, 0.0)
        standard_error = np.sqrt((deviations**2).sum(axis=0) / (kept * (kept - 1)))
    return Estimates(center, standard_error, kept - 1, n)


def share_of(found: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share of which `found` were counted among `of` (Wilson 1927). Without
    any it is 0 to 1.
    """
    if not of:
        return 0.0, 1.0
    z, share = 1.959964, found / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    reach = z / (1 + z * z / of) * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return max(0.0, middle - reach), min(1.0, middle + reach)


def exp(x: float) -> float:
    """The exponential; infinity where a float would overflow."""
    return math.exp(x) if x < 700 else math.inf
