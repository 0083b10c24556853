"""TODO"""

from __future__ import annotations

LOOKS = (12, 18, 24, 36, 48, 64)
"""Numbers of replicates after which a group is judged. Nothing is learnt after the last one."""


TOTAL_ERROR = 0.025
"""Probability of any false difference in a group, over all comparisons and looks: half of the 5 %
that must hold.
"""


_FIRST_SHARE = 0.5


# error spending


def family_size(cases: int) -> int:
    """Number of comparisons which share a group's error, for `cases` cases without the twin: every
    pair.

    Only 2 (n - 1) are reported, with the baseline and with a best. But the best is chosen by the
    same data, which brings the widest pairs forward: counted as 2 (n - 1), false alarms among
    twelve cases are 5.3 %, not 2.5 %.
    """
    return max(1, cases * (cases - 1) // 2)


def error_per_comparison(replicates: int, comparisons: int) -> float:
    """Two-sided error of one of `comparisons` intervals at the look which applies after
    `replicates` replicates.

    Half of `TOTAL_ERROR` is for the first look (where small samples make error dear), the rest in
    equal parts for the others. A look forced at another number takes the share of the next planned
    one, which then does not happen.
    """
    if comparisons < 1:
        raise ValueError(f"comparisons must be at least 1, not {comparisons}")
    first = replicates <= LOOKS[0]
    share = _FIRST_SHARE if first else (1 - _FIRST_SHARE) / (len(LOOKS) - 1)
    return TOTAL_ERROR * share / comparisons
