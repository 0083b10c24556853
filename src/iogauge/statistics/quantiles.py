"""Medians and percentiles of arrays with missing values."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def percentile(values: ArrayLike, p: float) -> float | None:
    """The p-quantile (0 < p < 1, interpolated) of the finite values. None if there are fewer than
    1 / (1 - p) of them.
    """
    if not 0 < p < 1:
        raise ValueError(f"p must lie between 0 and 1, not {p}")
    finite = np.asarray(values, dtype=float).ravel()
    finite = finite[np.isfinite(finite)]
    if finite.size * (1 - p) < 1 - 1e-9:  # 1 / (1 - 0.95) is not quite 20
        return None
    return float(np.quantile(finite, p))


def middle(values: ArrayLike) -> int | None:
    """The median of whole numbers, those that are NaN left out: the lower one of two, so that it
    is a value that occurs. None if there are none.
    """
    known = np.asarray(values, dtype=float).ravel()
    known = np.sort(known[~np.isnan(known)])
    return int(known[(len(known) - 1) // 2]) if len(known) else None


def median(values: Array, axis: int) -> Array:
    """The median along an axis, of the values that are not NaN; NaN if there are none.

    np.nanmedian would warn then, and is slow on short axes.
    """
    if not values.shape[axis]:
        return np.full(np.delete(values.shape, axis), np.nan)
    ordered = np.sort(values, axis=axis)  # NaNs last
    n = np.count_nonzero(~np.isnan(values), axis=axis, keepdims=True)
    low = np.take_along_axis(ordered, np.maximum(n - 1, 0) // 2, axis)
    high = np.take_along_axis(ordered, np.minimum(n // 2, values.shape[axis] - 1), axis)
    return np.squeeze(np.where(n > 0, (low + high) / 2, np.nan), axis)


def median_of_few(values: Array) -> float:
    """The median of values without NaN, shape (n,); NaN if there are none.

    For few values it takes a tenth of the time of NumPy's.
    """
    return float(row_medians(values)) if values.size else math.nan


def row_medians(values: Array) -> Array:
    """The medians along the last axis, which is not empty, of values without NaN."""
    ordered, count = np.sort(values), values.shape[-1]
    return (ordered[..., (count - 1) // 2] + ordered[..., count // 2]) / 2
