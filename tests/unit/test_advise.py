"""What is advised, on tables whose times and precision a test sets; and what would be measured where no run tells."""

from __future__ import annotations

import dataclasses
import tomllib
from types import SimpleNamespace

import pytest

from iogauge import advise, study
from iogauge.advise import Wanted
from iogauge.model import Conditions, Group, Parameter, Strategy, Workload
from tests.reports import case_report, table

NO_GROUP = SimpleNamespace(ceiling=None)


def case(name: str, ns: float, effort: int = 2, **parameters: int):
    return dataclasses.replace(case_report(name, ns, parameters=parameters), effort=effort)


def choose(*cases, width: float = 0.005):
    return advise.choose(NO_GROUP, table(*cases, width=width), list(range(len(cases))))


def test_the_simplest_that_is_surely_near_the_best():
    found = choose(case("x/mapped", 100, 4), case("x/stream", 103, 2, block=65536), case("x/all", 180, 1))
    assert found.choice.case.strategy == "x/stream" and found.sure
    assert found.fastest[0].case.strategy == "x/mapped" and found.fastest[1].center == pytest.approx(100 / 103)
    assert found.simpler[0].case.strategy == "x/all" and found.simpler[1].center == pytest.approx(180 / 103)
    assert found.smaller is None


def test_among_equally_simple_ones_the_smallest_block():
    found = choose(case("x/stream", 150, block=8192), case("x/stream", 103, block=65536), case("x/stream", 100, block=1 << 20))
    assert found.choice.case.parameters == {"block": 65536} and found.sure
    assert found.smaller[0].case.parameters == {"block": 8192} and found.smaller[1].center == pytest.approx(150 / 103)


def test_what_is_only_perhaps_near_is_not_taken_where_another_surely_is():
    found = choose(case("x/easy", 104, 1), case("x/hard", 100, 4), width=0.03)
    assert found.choice.case.strategy == "x/hard"


def test_where_nothing_is_sure_it_is_what_may_lose_least():
    found = choose(case("x/easy", 120, 1), case("x/middle", 104, 2), case("x/hard", 100, 4), width=0.2)
    assert found.choice.case.strategy == "x/hard" and not found.sure
    assert found.worst == pytest.approx(2.718281828 ** (0.2 - 0.0392), rel=1e-3)


def strategy(name: str, **more) -> Strategy:
    declared = {"title": "a way", "operation": "read", "unit": "block", "medium": "file", "sums": "byte", "consumes": ("touch", "sum"), "effort": 2, "role": "contestant"}
    return Strategy(name=name, **{**declared, **more})


BLOCK = {"block": Parameter(default=8192, min=1, max=1 << 30)}
BUFFER = {"buffer": Parameter(default=4096, min=16, max=1 << 30)}
GO = SimpleNamespace(
    name="go-1",
    strategies={
        each.name: each
        for each in (
            strategy("go/file-read", parameters=BLOCK),
            strategy("go/bufio-read", parameters={**BLOCK, **BUFFER}),
            strategy("go/read-file", unit="file", effort=1),
            strategy("go/bufio-scanner-line", unit="line", sums="line-byte", parameters=BUFFER),
            strategy("go/bufio-reader-line", unit="line", sums="line-byte", parameters=BUFFER, unavailable="not here"),
            strategy("go/file-write", operation="write", modes=("truncate",), durabilities=("none", "fsync"), parameters=BLOCK),
            strategy("go/write-file", operation="write", unit="file", modes=("truncate",), durabilities=("none",)),
            strategy("go/bufio-write", operation="write", modes=("truncate",), durabilities=("none", "fsync"), parameters={**BLOCK, **BUFFER}),
            strategy("go/no-hint-for-this"),
        )
    },
)


def rows(wanted: Wanted) -> dict[str, dict[str, list[int]]]:
    text = advise.study_text(wanted, [GO], 20)
    study.parse(text, "advise")  # it is valid
    return {each["strategy"]: each["parameters"] for each in tomllib.loads(text)["group"][0]["case"]}


def test_what_is_measured_where_no_run_tells():
    assert rows(Wanted(cache="warm")) == {"go/file-read": {"block": [8192, 131072]}, "go/read-file": {}}
    assert rows(Wanted(cache="warm", size=10_000))["go/file-read"] == {"block": [8192]}
    assert rows(Wanted(cache="warm", unit="line")) == {"go/bufio-scanner-line": {"buffer": [4096, 65536]}}
    assert rows(Wanted(cache="warm", record=100))["go/bufio-read"] == {"block": [100], "buffer": [4096, 65536]}
    writing = Wanted(operation="write", durability="none", record=100)
    assert rows(writing) == {"go/file-write": {"block": [100]}, "go/bufio-write": {"block": [100], "buffer": [4096, 65536]}}
    assert "go/write-file" not in rows(dataclasses.replace(writing, record=None, durability="fsync"))
    assert advise.study_text(Wanted(cache="warm", language="java"), [GO], 20) is None


def plan_of(group: Group):
    names = ["go/file-read", "go/read-file"]
    cases = tuple(SimpleNamespace(strategy=name, runtime="go-1", language="go", parameters={}, key=name) for name in names)
    return SimpleNamespace(groups=[group], cases=cases, published=None)


@pytest.mark.parametrize(
    ("workload", "conditions", "wanted", "covers"),
    [
        ({"size": 100}, {"cache": "warm"}, {"cache": "warm", "size": 100}, 0.0),
        ({"size": 100}, {"cache": "warm"}, {"cache": "warm"}, 0.0),
        ({"size": 100}, {"cache": "warm"}, {"cache": "warm", "size": 150}, pytest.approx(0.405, abs=0.001)),
        ({"size": 100}, {"cache": "warm"}, {"cache": "warm", "size": 250}, None),
        ({"size": 100}, {"cache": "cold"}, {"cache": "warm"}, None),
        ({"size": 100, "consume": "none"}, {"cache": "warm"}, {"cache": "warm"}, None),
        ({"size": 100, "content": "own"}, {"cache": "warm"}, {"cache": "warm"}, None),
        ({"size": 100, "medium": "memory"}, {"cache": "warm"}, {"cache": "warm"}, None),
        ({"size": 100}, {"cache": "warm"}, {"cache": "warm", "language": "java"}, None),
        ({"size": 100}, {"cache": "warm"}, {"cache": "warm", "unit": "line"}, None),
    ],
)
def test_which_groups_cover_a_workload(workload, conditions, wanted, covers):
    group = Group(
        id="g", question="?", workload=Workload(**workload), conditions=Conditions(**conditions), cases=(0, 1), baseline=0, twin=None, rounds=1,
    )  # fmt: skip
    assert advise.distance(plan_of(group), [GO], Wanted(**wanted)) == covers
