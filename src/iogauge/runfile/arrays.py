"""Arrays of whole numbers that are keys: which there are, where, and medians by them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.integer[Any]]
"""Whole numbers of any width."""

_SPARSE = 2  # times as many numbers as there are: to count them would take more memory than to sort


def numbered(*columns: NDArray[Any]) -> Ints:
    """One number for each combination of columns of numbers from 0, shape (n,)."""
    found = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        found = found * (int(column.max(initial=0)) + 1) + column
    return found


def distinct(keys: NDArray[Any]) -> tuple[Ints, Ints]:
    """The different whole numbers in order (k,), and the index of each of them among these (n,)."""
    most = int(keys.max(initial=-1))
    if keys.min(initial=0) < 0 or most > _SPARSE * len(keys):
        return np.unique(keys, return_inverse=True)
    there = np.zeros(most + 1, dtype=bool)
    there[keys] = True
    found = np.flatnonzero(there)
    place = np.empty(most + 1, dtype=np.int64)
    place[found] = np.arange(len(found))
    return found, place[keys]


def firsts(places: NDArray[Any], count: int) -> Ints:
    """Where each place 0 … count - 1 is found first, shape (count,). Each is found."""
    first = np.empty(count, dtype=np.int64)
    # Of several, the last one that is assigned stays.
    first[places[::-1]] = np.arange(len(places))[::-1]
    return first


def medians(values: Floats, keys: NDArray[Any], count: int) -> Floats:
    """The median of the values (not NaN) of each key 0 … count - 1; NaN where there are none."""
    short = keys.astype(np.min_scalar_type(count))  # which NumPy sorts much faster
    ordered = values[np.lexsort((values, short))]
    sizes = np.bincount(keys, minlength=count)
    ends = np.cumsum(sizes)
    found = np.full(count, np.nan)
    some = sizes > 0
    first = ends[some] - sizes[some]
    found[some] = (ordered[first + (sizes[some] - 1) // 2] + ordered[first + sizes[some] // 2]) / 2
    return found
