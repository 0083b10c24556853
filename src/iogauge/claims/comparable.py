"""Cases that can be compared with each other, wherever their times come from.

Patterns are those of a shell (`*`, `?`, `[…]`). Cases are given by their index among the entries of
a Comparable.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from iogauge.analysis.casereport import CaseReport
from iogauge.decision.comparison import Comparison

Compare = Callable[[int, int, int], Comparison | None]
"""Compares two entries: index of the case, index of the reference, number of comparisons.

The error is divided by the number of comparisons. The result is None if the two have no data in
common.
"""


@dataclass(frozen=True)
class Entry:
    """One case. `ns` is its time per operation; None if it has none.

    `setting` is the `runtime` with its options, and `measured` is the case's report. All three are
    None for a published number.
    """

    variant: str
    strategy: str
    parameters: dict[str, int]
    ns: float | None
    setting: str | None = None
    failure: str | None = None
    measured: CaseReport | None = None
    runtime: str | None = None

    @property
    def sound(self) -> bool:
        """Whether the case has a time, and one that the machine can reach."""
        return self.ns is not None and not (self.measured and self.measured.impossible)

    @property
    def usable(self) -> bool:
        """Whether other cases can be compared with this one."""
        return self.sound and not self.failure

    @property
    def keys(self) -> tuple[str, ...]:
        """The key of the measured case; empty for a published number."""
        return (self.measured.case.key,) if self.measured else ()

    def other_parameters(self, name: str) -> tuple[tuple[str, int], ...]:
        """All parameters but this one, sorted by name."""
        return tuple(sorted(each for each in self.parameters.items() if each[0] != name))


@dataclass(frozen=True)
class Comparable:
    """The cases of one group, and how to compare any two of them.

    `comparisons` is the number of comparisons that a claim rests on.
    """

    group: str
    entries: tuple[Entry, ...]
    of_pair: Compare
    comparisons: int = 1

    def compare(self, case: int, reference: int) -> Comparison | None:
        """time(case) / time(reference), with the error divided by the number of comparisons.

        Use it for a conclusion that any one comparison can bring about.
        """
        return self.of_pair(case, reference, self.comparisons)

    def alone(self, case: int, reference: int) -> Comparison | None:
        """time(case) / time(reference), with the whole error.

        Use it for a conclusion that needs every comparison to agree. If one of them is false in
        truth, the conclusion is wrong no more often than that single comparison is.
        """
        return self.of_pair(case, reference, 1)

    def ns(self, case: int) -> float:
        """The time per operation; infinite if there is none, so that it sorts last."""
        time = self.entries[case].ns
        return math.inf if time is None else time

    def matching(self, patterns: Iterable[str] | None) -> list[int]:
        """The cases whose variant matches."""
        return [n for n, each in enumerate(self.entries) if matches(each.variant, patterns or ())]


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether a name matches at least one of the patterns."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def in_groups(comparables: Iterable[Comparable], patterns: Iterable[str]) -> list[Comparable]:
    """Those whose group matches."""
    return [each for each in comparables if matches(each.group, patterns)]
