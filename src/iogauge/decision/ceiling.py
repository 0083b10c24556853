"""Is a case faster than the machine can be? Then its time, or the ceiling, is wrong, and nothing
may rest on it.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from iogauge.statistics.intervals import Interval, summary

CLEARS = 1.10
"""Times the ceiling: a case that is surely faster than that is impossible."""
_ERROR = 0.01  # of calling a case impossible: several looks are taken at many cases


def share(log_ratios: ArrayLike) -> Interval:
    """The speed of a case over the ceiling's, from one log ratio per replicate, shape (R,)."""
    return summary(log_ratios)


def impossible(log_ratios: ArrayLike) -> bool:
    """Whether a case is surely faster than the ceiling, from the same ratios."""
    return summary(log_ratios, _ERROR).lo > CLEARS


def doubtful(of_ceiling: Interval | None) -> bool:
    """Whether a case seems faster than the machine at 95 %: advice is acted upon, so it leaves out
    more than a table.
    """
    return of_ceiling is not None and of_ceiling.lo > CLEARS
