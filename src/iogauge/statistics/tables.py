"""Intervals of all cases of a group against one reference, computed once and kept."""

from __future__ import annotations

from iogauge.statistics.comparing import ratios_to
from iogauge.statistics.intervals import Interval, column_intervals
from iogauge.statistics.looks import error_per_comparison
from iogauge.statistics.quantiles import Array


class Tables:
    """The intervals of a group's log ratios, by reference, number of replicates and family.

    `log_ns` has shape (R, K, C). `pivot` links the parts of a replicate. `blur`, shape (C,), makes
    the intervals wider.
    """

    def __init__(self, log_ns: Array, pivot: int, blur: Array) -> None:
        self._log_ns, self._pivot, self._blur = log_ns, pivot, blur
        self._ratios: dict[int, Array] = {}
        self._intervals: dict[tuple[int, int, int], list[Interval]] = {}

    def log_ratios(self, reference: int) -> Array:
        """Every case's paired log ratios to the reference, shape (R, C)."""
        if reference not in self._ratios:
            self._ratios[reference] = ratios_to(self._log_ns, reference, self._pivot)
        return self._ratios[reference]

    def intervals(self, reference: int, n: int, comparisons: int) -> list[Interval]:
        """Per case, the interval of its log ratio to the reference after n replicates, in a family
        of so many comparisons.
        """
        key = (reference, n, comparisons)
        if key not in self._intervals:
            center, lo, hi, count = column_intervals(
                self.log_ratios(reference)[:n], error_per_comparison(n, comparisons)
            )
            blur = self._blur + self._blur[reference]
            columns = (part.tolist() for part in (center, lo - blur, hi + blur, count))
            self._intervals[key] = [Interval(*row) for row in zip(*columns, strict=True)]
        return self._intervals[key]
