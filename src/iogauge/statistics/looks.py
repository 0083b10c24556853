"""How many replicates there may be, and how many comparisons share an error."""

from __future__ import annotations

MOST_REPLICATES = 64
"""Nothing is measured beyond so many."""


def family_size(cases: int) -> int:
    """Number of pairs of a group's cases without the twin."""
    return max(1, cases * (cases - 1) // 2)
