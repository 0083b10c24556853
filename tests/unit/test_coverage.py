"""How much of what a claim is about a run measured."""

from __future__ import annotations

import pytest

from iogauge.claims.comparable import Comparable, Entry
from iogauge.claims.scoring import Coverage, coverage
from iogauge.outputs.statements import measured_part
from iogauge.study.schema import Claim, GroupTable

SIZES = ["1M", "2M", "4M"]


def table(name: str = "g", **more) -> GroupTable:
    usual = {"size": SIZES, "case": [{"strategy": ["x/a", "x/b"]}]}
    return GroupTable.model_validate({"id": name, "question": "?", **usual, **more})


def measured(group: str, *strategies: str, ns: float | None = 1.0, **more) -> Comparable:
    entries = (Entry(each, each, {}, ns, **more) for each in strategies or ("x/a", "x/b"))
    return Comparable(group, tuple(entries), lambda *pair: None)


def says(comparables: list[Comparable], *tables: GroupTable, **test) -> str | None:
    usual = {"kind": "faster-than", "cases": "x/a", "than": "x/b"}
    claim = Claim(id="c", says="?", test=[test if "kind" in test else {**usual, **test}])
    found = coverage(claim, comparables, tables or [table()])
    return found and measured_part(found)


def test_sizes_that_were_not_measured_are_told():
    first, some = measured("g-1m"), "1 of 3 sizes measured"
    assert says([first]) == says([first, measured("g-2m", ns=None)]) == some
    assert says([first, measured("g-2m"), measured("g-4m")]) == "3 of 3 groups measured"
    failed = measured("g-2m", ns=None, failure="too large")
    assert says([first, failed]) == "2 of 3 sizes measured"
    assert says([]) is None, "nothing was measured"
    assert not Coverage(3, 3, "sizes").partial and Coverage(1, 3, "sizes").partial


def test_groups_of_the_same_sizes_are_counted_as_groups():
    tables = table(size="1M", cache=["warm", "cold"]), table("h", size="1M")
    assert says([measured("g-warm"), measured("h")], *tables) == "2 of 3 groups measured"


@pytest.mark.parametrize(
    ("test", "found"),
    [
        ({"groups": "g-1m"}, "1 of 1 groups measured"),  # it is about no other
        ({"kind": "remark", "answer": "so it is"}, None),  # nothing is compared
        ({"cases": "x/c"}, None),  # no group has them
    ],
)
def test_only_what_the_tests_compare_counts(test, found):
    assert says([measured("g-1m")], **test) == found


def test_groups_without_the_cases_of_a_test_are_not_asked_for():
    """Neither a group that was planned with other cases, nor one whose strategies are others."""
    other = table("h", size=["8M", "16M"], case=[{"strategy": "x/a"}])
    assert says([measured("g")], table(size="1M"), other) == "1 of 1 groups measured"
    planned = measured("h-8m", "x/a(block=1)", "x/b(block=1)")
    both = table("h", size=["8M", "16M"])
    assert says([measured("g"), planned], table(size="1M"), both) == ("1 of 1 groups measured")
