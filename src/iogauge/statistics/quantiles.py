"""TODO"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def percentile(values: ArrayLike, p: float) -> float | None:
    """The p-quantile (0 < p < 1, interpolated) of the finite values; None when fewer than 1 / (1 -
    p) carry it.
    """
    if not 0 < p < 1:
        raise ValueError(f"p must lie between 0 and 1, not {p}")
    finite = np.asarray(values, dtype=float).ravel()
    finite = finite[np.isfinite(finite)]
    if finite.size * (1 - p) < 1 - 1e-9:  # 1 / (1 - 0.95) is not quite 20
        return None
    return float(np.quantile(finite, p))


def median(values: Array, axis: int) -> Array:
    """NaN-ignoring median, NaN where there is none; np.nanmedian warns there and is slow on short
    axes.
    """
    if not values.shape[axis]:
        return np.full(np.delete(values.shape, axis), np.nan)
    ordered = np.sort(values, axis=axis)  # NaNs last
    n = np.count_nonzero(~np.isnan(values), axis=axis, keepdims=True)
    low = np.take_along_axis(ordered, np.maximum(n - 1, 0) // 2, axis)
    high = np.take_along_axis(ordered, np.minimum(n // 2, values.shape[axis] - 1), axis)
    return np.squeeze(np.where(n > 0, (low + high) / 2, np.nan), axis)


def median_of_few(values: Array) -> float:
    """Of a few values, shape (n,), none of them NaN; NaN of none. NumPy's takes ten times as long
    for so few.
    """
    return float(row_medians(values)) if values.size else math.nan


def row_medians(values: Array) -> Array:
    """The same along the last axis, which is not empty."""
    ordered, count = np.sort(values), values.shape[-1]
    return (ordered[..., (count - 1) // 2] + ordered[..., count // 2]) / 2
