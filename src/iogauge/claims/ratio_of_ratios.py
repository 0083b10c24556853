"""The kind of test that compares one ratio of times with another."""

from __future__ import annotations

from collections.abc import Iterator

from iogauge.claims.comparable import Comparable
from iogauge.claims.findings import Finding, decided, no_pair, no_time
from iogauge.claims.selection import Pair, in_groups, pairs
from iogauge.claims.words import Answer, takes, times
from iogauge.decision.comparison import Comparison
from iogauge.study.publication import ClaimTest


def ratio_of_ratios(test: ClaimTest, comparables: list[Comparable]) -> Iterator[Finding]:
    """time(cases) / time(than) is larger than the same ratio of the other pairs.

    The other pairs are given by `other`, which has its own groups, cases and than. Each pair is
    compared with each other pair of its setting. With `either`, the ratio may also be smaller. With
    a `margin`, it may be smaller by that much.
    """
    other = test.other or {}
    found = list(pairs(in_groups(comparables, test.groups), test.cases, test.than))
    beside = list(
        pairs(in_groups(comparables, other.get("groups", ["*"])), other["cases"], other["than"])
    )
    for pair in found:
        yield from (_compared(test, pair, each) for each in _of_its_setting(pair, beside))
    yield from (_alone(pair) for pair in found if not _of_its_setting(pair, beside))
    yield from (_alone(pair) for pair in beside if not _of_its_setting(pair, found))


def _of_its_setting(pair: Pair, among: list[Pair]) -> list[Pair]:
    comparable, case, _ = pair
    setting = comparable.entries[case].setting
    return [each for each in among if each[0].entries[each[1]].setting == setting]


def _alone(pair: Pair) -> Finding:
    comparable, a, b = pair
    names = f"{comparable.entries[a].variant} and {comparable.entries[b].variant}"
    return no_pair(*pair, f"{names}: nothing was measured that their ratio could be compared with")


def _compared(test: ClaimTest, pair: Pair, other: Pair) -> Finding:
    (here, a, b), (there, c, d) = pair, other
    first, second = here.entries[a], here.entries[b]
    keys = (*first.keys, *second.keys, *there.entries[c].keys, *there.entries[d].keys)

    def finding(said: Answer, ratio: Comparison | None, says: str) -> Finding:
        return Finding(
            said, here.group, first.setting, first.variant, second.variant, ratio, says, keys
        )

    lacking = [
        no_time(of, n) for of, *both in (pair, other) for n in both if not of.entries[n].usable
    ]
    if lacking:
        return finding("not-testable", None, lacking[0].says)
    found, beside = here.compare(a, b), there.compare(c, d)
    if found is None or beside is None:
        names = f"{first.variant} and {second.variant}"
        return finding("not-testable", None, f"{names}: nothing in common was measured")
    said = _answer(test, found, beside)
    if said == "undecided":
        alone, alone_beside = here.alone(a, b), there.alone(c, d)
        if alone and alone_beside and _answer(test, alone, alone_beside) == "holds":
            said, found, beside = "holds", alone, alone_beside
    where = (
        there.group
        if there.group != here.group
        else f"{there.entries[c].variant} and {there.entries[d].variant}"
    )
    ratios = f"{takes(first, second, found)}, in the other pair ({where}) {times(beside)}"
    return finding(said, found, f"{here.group}: {ratios}")


def _answer(test: ClaimTest, found: Comparison, beside: Comparison) -> Answer:
    least = 1 - (test.margin or 0.0)
    more, less = found.lo > beside.hi * least, found.hi < beside.lo * least
    return decided(more or less, False) if test.either else decided(more, less)
