"""How often a group may be looked at, how the probability of an error is spent over the looks and
over the comparisons of the group, and how many looks something likely takes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from iogauge.statistics.quantiles import Array
from iogauge.statistics.special import students_t

FEWEST_REPLICATES = 3
"""Nothing is said of a pair with fewer replicates."""
MOST_REPLICATES = 64
"""Nothing is measured beyond so many."""
_FULL, _FULL_UNTIL, _DECAY = 0.014, 8.0, 1.0


def error_at(replicates: NDArray[np.int64] | int) -> Array:
    """The two-sided error of a family after so many replicates, for a look after every one of them.

    Neighbouring looks see almost the same data, so all of them together err little more often than
    one; docs/decisions/0013-decision-rule.md has how often.
    """
    n = np.asarray(replicates, dtype=float)
    error: Array = _FULL * np.minimum(1.0, (_FULL_UNTIL / np.maximum(n, 1)) ** _DECAY)
    return error


def family_size(cases: int) -> int:
    """Number of pairs of a group's cases without the control."""
    return max(1, cases * (cases - 1) // 2)


def until(count: int, gained: float, comparisons: int, reach: float, enough: float) -> int | None:
    """Until an interval that has the half-width `reach` after `count` replicates probably has less
    than `enough`; None if not even after the most. `gained` are degrees of freedom that the
    replicates do not give. Half-widths are taken to shrink like q(n) / sqrt(n), where q is the
    quantile at the error of the look at n.
    """
    replicates = np.arange(count, MOST_REPLICATES + 1)
    widths = _widths(replicates, gained, comparisons)
    precise = replicates[1:][reach / widths[0] * widths[1:] < enough]
    return int(precise[0]) if len(precise) else None


def _widths(replicates: NDArray[np.int64], gained: float, comparisons: int) -> Array:
    error = error_at(replicates) / max(2, comparisons)
    return np.asarray(students_t(replicates - 1 + gained, error) / np.sqrt(replicates))
