"""Which strategies advice does not consider, and why."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from iogauge.advice.wanted import Wanted, left_out, not_considered, why_not
from iogauge.model.strategy import Needs, Strategy
from iogauge.runners import hints
from tests.reports import declared, parameter

MEMORY = 8 << 30
BLOCK = {"block": parameter("block")}
BUFFER = {"buffer": parameter("buffer")}
READ, WRITE = Wanted(cache="warm"), Wanted(operation="write", durability="none")
RANDOM = Wanted(cache="warm", access="random", record=4096)
LINES = Wanted(cache="warm", unit="line")
PIECES = Wanted(cache="warm", record=100)


def strategy(name: str = "go/a", **more) -> Strategy:
    return declared(name, **more)


def writer(**more) -> Strategy:
    return strategy(**{"operation": "write", "modes": ("truncate", "append"), **more})


@pytest.fixture(autouse=True)
def all_have_code(monkeypatch):
    monkeypatch.setattr(hints, "all_names", lambda: {"go/a", "go/b"})


NO_WAYS = [
    (strategy(unavailable="needs JDK 22"), READ),
    (strategy(format="gzip"), READ),
    (strategy(), Wanted(cache="warm", format="gzip")),
    (strategy(role="published"), READ),
    (strategy(access="random"), READ),
    (strategy(), RANDOM),
    (strategy(), LINES),
    (strategy(sums="line-utf16"), READ),
    (strategy(sums="codepoint"), READ),
    (writer(modes=("append",)), WRITE),
    (strategy(bypasses_cache=True), READ),
    (writer(bypasses_cache=True), WRITE),
    (strategy("go/no-code"), READ),
    (writer(durabilities=("none",)), Wanted(operation="write", durability="fsync")),
    (writer(durabilities=("none", "fsync")), Wanted(operation="write", durability="fdatasync")),
    (strategy(needs=Needs(memory_per_file_byte=1)), Wanted(cache="cold", size=2 << 30)),
    (strategy(parameters={**BLOCK, **BUFFER}), READ),
    (strategy(parameters={"block": parameter("block", min=512)}), PIECES),
    (writer(), Wanted(operation="write", durability="none", record=100)),
]
WAYS = [
    (strategy(parameters=BLOCK), READ),
    (strategy(access="random", parameters=BLOCK), RANDOM),
    (strategy(parameters={**BLOCK, **BUFFER}), PIECES),
    (strategy(bypasses_cache=True), Wanted(cache="cold")),
    (
        writer(bypasses_cache=True, durabilities=("fdatasync",), parameters=BLOCK),
        Wanted(operation="write", durability="fdatasync"),
    ),
    (strategy(sums="line-byte", parameters=BUFFER), LINES),
    (writer(parameters=BLOCK), WRITE),
]


def test_why_a_strategy_is_no_way(snapshot):
    assert [why_not(found, wanted, MEMORY) for found, wanted in NO_WAYS] == snapshot
    assert {why_not(found, wanted, MEMORY) for found, wanted in WAYS} == {None}


def runtime(*strategies: Strategy) -> SimpleNamespace:
    return SimpleNamespace(strategies={each.name: each for each in strategies})


def test_reasons_are_counted_with_the_names():
    several = [
        strategy("go/a"),
        *(strategy(f"go/line-{each}", sums="line-byte") for each in range(5)),
        strategy("go/old", role="published"),
        strategy("go/loop", role="compute_only"),
        strategy("go/memory", medium="memory"),
        strategy("go/limit", role="ceiling"),
        writer(name="go/b"),
        strategy("java/c", sums="line-utf16"),
    ]
    reasons = left_out([runtime(*several)], Wanted(language="go", cache="warm"), MEMORY)
    lines, copied = (
        "5 for another unit (--unit line)",
        "1 copied from a publication, with its flaws",
    )
    assert not_considered(reasons, READ) == f"{lines}; {copied}"
    some = "go/line-0, go/line-1, go/line-2 and 2 more"
    assert not_considered(reasons, READ, named=True) == f"{lines}: {some}; {copied}: go/old"


def test_what_is_a_way_on_one_runtime_is_not_left_out_and_appending_is():
    runtimes = runtime(strategy(unavailable="too old")), runtime(strategy())
    assert left_out(runtimes, READ, MEMORY) == {}
    assert not_considered({}, READ) is None
    append = 'appending to a file (a study with mode = "append" measures it)'
    assert not_considered({}, WRITE) == append
