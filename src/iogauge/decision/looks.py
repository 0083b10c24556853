"""How often a group may be looked at, and how the probability of an error is spent over the looks
and over the comparisons of the group.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from iogauge.statistics.quantiles import Array

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
