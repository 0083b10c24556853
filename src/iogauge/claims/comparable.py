"""Cases that can be compared with each other, wherever their times come from, and which of them a
test of a claim is about.

Patterns are those of a shell (`*`, `?`, `[…]`). Cases are given by their index among the entries of
a Comparable.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from iogauge.analysis.casereport import CaseReport
from iogauge.decision.comparison import Comparison
from iogauge.study.schema import ClaimTest

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


Two = tuple[Comparable, int, int]
"""Where two cases are: the index of the case, then that of its reference."""


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether a name matches at least one of the patterns."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def in_groups(comparables: list[Comparable], patterns: list[str]) -> list[Comparable]:
    """Those whose group matches."""
    return [each for each in comparables if matches(each.group, patterns)]


def matching(comparable: Comparable, patterns: list[str] | None) -> list[int]:
    """The cases whose variant matches."""
    return [
        n for n, entry in enumerate(comparable.entries) if matches(entry.variant, patterns or [])
    ]


def each_case(
    comparables: list[Comparable],
    patterns: list[str],
    *,
    inside: list[str] | None = None,
    outside: list[str] | None = None,
) -> Iterator[tuple[Comparable, int]]:
    """All matching cases, from groups that match `inside` and do not match `outside`."""
    for comparable in comparables:
        if inside is not None and not matches(comparable.group, inside):
            continue
        if outside and matches(comparable.group, outside):
            continue
        for n in matching(comparable, patterns):
            yield comparable, n


def by_setting(comparables: list[Comparable]) -> Iterator[tuple[Comparable, set[int]]]:
    """The cases of each setting in each group."""
    for comparable in comparables:
        entries = comparable.entries
        for setting in dict.fromkeys(entry.setting for entry in entries):
            yield comparable, {n for n, entry in enumerate(entries) if entry.setting == setting}


def pairs(
    comparables: list[Comparable],
    cases: list[str],
    than: list[str] | None,
    *,
    once: bool = False,
    same: bool = False,
    options: Iterable[str] = (),
) -> Iterator[Two]:
    """Pairs of one of `cases` and one of `than` in the same group and setting.

    With `options`, the reference ran on the same runtime with these options added. With `once`, of
    (a, b) and (b, a) only one is given. With `same`, both have the same values of parameters.
    """
    for comparable in comparables:
        for a in matching(comparable, cases):
            for b in matching(comparable, than):
                first, second = comparable.entries[a], comparable.entries[b]
                setting = " ".join([first.setting or "", *options]) if options else first.setting
                if second.setting != setting or not (a < b if once else a != b):
                    continue
                if not same or _values(first) == _values(second):
                    yield comparable, a, b


def _values(entry: Entry) -> list[int]:
    """The values of its parameters, whatever they are called."""
    return sorted(entry.parameters.values())


def on_several_runtimes(comparables: list[Comparable], cases: list[str]) -> Iterator[Two]:
    """Each variant on a further runtime, paired with the first runtime that has it."""
    for comparable in comparables:
        first: dict[str, int] = {}
        for n in matching(comparable, cases):
            reference = first.setdefault(comparable.entries[n].variant, n)
            if reference != n:
                yield comparable, n, reference


def series(
    comparables: list[Comparable], test: ClaimTest
) -> Iterator[tuple[Comparable, list[tuple[int, int]]]]:
    """Cases that differ only in the parameter `along`: (its value, index), in ascending order."""
    for comparable in comparables:
        found: dict[tuple[object, ...], list[tuple[int, int]]] = {}
        for n in matching(comparable, test.cases):
            entry = comparable.entries[n]
            if test.along is not None and test.along in entry.parameters:
                alike = entry.setting, entry.strategy, entry.other_parameters(test.along)
                found.setdefault(alike, []).append((entry.parameters[test.along], n))
        for values in found.values():
            yield comparable, sorted(values)
