"""The planned looks at a group's data, and how they share the probability of error."""

from __future__ import annotations

LOOKS = (12, 18, 24, 36, 48, 64)
"""Numbers of replicates after which a group is judged. Nothing is learnt after the last look."""
TOTAL_ERROR = 0.025
"""Probability of any false difference in a group, over all comparisons and looks. At most 5 % are
promised; the design aims at half of that.
"""
_FIRST_SHARE = 0.5


def family_size(cases: int) -> int:
    """Number of comparisons that share a group's error: all pairs of its cases without the twin.

    Only 2 (n - 1) of them are reported, with the baseline and with a best case. But the best case
    is chosen by the same data, and that favours the widest pairs: with a family of 2 (n - 1), false
    alarms among twelve cases are 5.3 % instead of 2.5 %.
    """
    return max(1, cases * (cases - 1) // 2)


def error_per_comparison(replicates: int, comparisons: int) -> float:
    """Two-sided error of one of `comparisons` intervals, at the look after `replicates` replicates.

    The first look gets half of `TOTAL_ERROR`, because intervals of few values are wide. The other
    looks share the rest equally. A forced look takes the share of the next planned look, which then
    does not take place.
    """
    if comparisons < 1:
        raise ValueError(f"comparisons must be at least 1, not {comparisons}")
    first = replicates <= LOOKS[0]
    share = _FIRST_SHARE if first else (1 - _FIRST_SHARE) / (len(LOOKS) - 1)
    return TOTAL_ERROR * share / comparisons
