"""How much of what a claim is about a run measured.

A verdict from one of ten sizes must not read like one from all of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from iogauge.claims.comparable import Comparable
from iogauge.claims.selection import matches, matching
from iogauge.study.groups import GroupTable
from iogauge.study.publication import Claim, ClaimTest


@dataclass(frozen=True)
class Coverage:
    """Of how many `sizes` or `groups` that a claim is about a verdict comes."""

    measured: int
    asked: int
    what: str

    @property
    def partial(self) -> bool:
        return self.measured < self.asked

    @property
    def says(self) -> str:
        """`1 of 10 sizes measured`."""
        return f"{self.measured} of {self.asked} {self.what} measured"


def coverage(
    claim: Claim, comparables: list[Comparable], tables: Iterable[GroupTable]
) -> Coverage | None:
    """What a run measured of the groups of these tables that the tests of a claim name.

    In sizes if it left out some of these, else in groups. None if it measured nothing of them, or
    if no test compares anything.
    """
    size_of = {each: size for table in tables for each, size in _named(claim, table, comparables)}
    measured = {
        each.group
        for each in comparables
        for test in claim.test
        if each.group in size_of and _has_any(each, test)
    }
    sizes, every_size = {size_of[each] for each in measured}, set(size_of.values())
    if not measured:
        return None
    if len(sizes) < len(every_size):
        return Coverage(len(sizes), len(every_size), "sizes")
    return Coverage(len(measured), len(size_of), "groups")


def _named(
    claim: Claim, table: GroupTable, comparables: list[Comparable]
) -> Iterator[tuple[str, int]]:
    """The groups of a table that the claim is about, with their sizes."""
    identifiers = set(table.identifiers())
    planned = [each for each in comparables if each.group in identifiers]
    tests = [test for test in claim.test if _decides(test) and _has_cases(test, table, planned)]
    axes = table.axes()
    for values in itertools.product(*axes.values()):
        chosen = dict(zip(axes, values, strict=True))
        identifier = table.identifier(chosen)
        if any(matches(identifier, test.groups) for test in tests):
            yield identifier, chosen["size"]


def _decides(test: ClaimTest) -> bool:
    """Not one that is answered in words."""
    return test.kind != "remark" or test.metric is not None


def _has_cases(test: ClaimTest, table: GroupTable, planned: list[Comparable]) -> bool:
    """Whether a table has all that a test compares: as the groups that were planned from it say, or
    its strategies where none was.
    """
    needed = [patterns for patterns in (test.cases, test.than) if patterns]
    if planned:
        return any(all(matching(each, patterns) for patterns in needed) for each in planned)
    strategies = [name for row in table.case for name in row.strategy]
    return all(
        any(fnmatchcase(name, pattern.partition("(")[0]) for name in strategies for pattern in some)
        for some in needed
    )


def _has_any(comparable: Comparable, test: ClaimTest) -> bool:
    """Whether a case that the test names was measured in this group, or failed in it."""
    if not _decides(test) or not matches(comparable.group, test.groups):
        return False
    entries = (comparable.entries[n] for n in matching(comparable, test.cases))
    return any(entry.ns is not None or entry.failure for entry in entries)
