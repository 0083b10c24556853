"""A file that is opened for each piece that is written to it."""

from __future__ import annotations

import pytest

from iogauge.model.watched import Amounts, Change, Constant, Constants, Difference, Span, TwoWays
from iogauge.watching import candidates, findings
from iogauge.watching.estimating import Estimate, Group
from iogauge.watching.findings import Means
from iogauge.watching.recognising import Facts

MINE = ("log.mjs", "")
FACTS = Facts("/home/me/node", "node", "node", "log.mjs", own=True)


def constant(name, ns, size=None) -> Constant:
    return Constant(name=name, size=size, ns=Span(low=ns, middle=ns, high=ns))


COSTS = Constants(
    measured="",
    canary_ns=1.0,
    calls=(
        constant("write", 1000, 1),
        constant("write", 20_000, 128 << 10),
        constant("open-close", 4000),
    ),
)


def group(name: str, count: float, moved: float = 0.0) -> Group:
    return Group(MINE, name, "/x/log", "file", count=count, bytes=moved, seen=40)


def told(*groups: Group) -> list[candidates.Candidate]:
    found = Estimate({(MINE, each.name, each.path): each for each in groups}, {}, [])
    return candidates.candidates(found, COSTS)


APPENDED = told(group("openat", 60_000), group("write", 60_000, 60_000 * 30))


def found(difference: Difference | None):
    asked: list[TwoWays] = []

    def compare(question: TwoWays) -> Difference | None:
        asked.append(question)
        return difference

    means = Means(compare, lambda name, kind: None, COSTS)
    busy = Amounts(user=1.0, system=1.0)
    result = findings.findings(APPENDED, {MINE: (0, FACTS)}, [], busy, 2.0, means)
    return result.findings, asked


def test_that_it_is_opened_is_the_finding_and_not_that_pieces_are_small():
    assert [(each.kind, each.appends) for each in APPENDED] == [("opened-again", True)]
    assert APPENDED[0].guess == pytest.approx(60_000 * 5e-6, rel=0.02)


def test_of_many_writes_after_one_open_the_writes_are():
    some = told(group("openat", 600), group("write", 60_000, 60_000 * 30))
    assert [each.kind for each in some] == ["small-writes"]


def test_where_each_is_made_durable_that_is_what_costs():
    synced = group("fsync", 60_000)
    some = told(group("openat", 60_000), group("write", 60_000, 60_000 * 30), synced)
    assert [each.kind for each in some] == ["synced"]


def test_opens_and_writes_cost_what_they_cost_here():
    (one,), asked = found(None)
    assert (asked[0].kind, asked[0].size, asked[0].appends) == ("opened-again", 30, True)
    assert one.saves.middle == pytest.approx(60_000 * 5e-6, rel=0.02)
    assert one.at_least and one.basis == "constants"


def test_both_ways_of_its_language_tell_all_of_it():
    ns = Span(low=300.0, middle=400.0, high=500.0)
    change = Change(text="open it once")
    measured = Difference(
        slow="", fast="", ns_per_byte=ns, slow_ns_per_byte=ns.times(2), repeats=3, change=change
    )
    (one,), _ = found(measured)
    assert one.saves.middle == pytest.approx(400.0 * APPENDED[0].bytes / 1e9)
    assert one.change == change
