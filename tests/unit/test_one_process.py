"""What the order of cases in one process may have done to their times."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from iogauge.advice import explanations
from iogauge.model.plan import PublishedProtocol
from iogauge.runfile.run import Run
from tests.reports import case_report, comparable
from tests.runs import add_sample, empty_run, end_replicate

KIB = 1 << 10


def run_as(process: str | None, **more):
    published = PublishedProtocol(process=process, **more) if process else None
    return SimpleNamespace(plan=SimpleNamespace(published=published))


def way(name: str, ns: float, calls: int = 9):
    return case_report(
        f"x/{name}",
        ns,
        size=64 * KIB,
        parameters={"block": 8 * KIB},
        read_calls_per_op=calls,
        bytes_per_read_call=64 * KIB / calls,
    )


def says(process: str | None, *cases) -> list[str]:
    return list(explanations.of_order(run_as(process), comparable(*cases), {}))


def test_cases_that_do_the_same_in_very_different_times_are_told_with_their_order():
    found = says("group", way("first", 400), way("second", 100), way("third", 500))
    assert found == [
        "x/first 8K, x/third 8K take 4.0 to 5.0 times the time of "
        "x/second 8K, though all make the same calls. One process ran them one after "
        "another, the fast one as number 2, the others as 1, 3: the order, or code that was not "
        "compiled yet, may be the reason."
    ]
    (of_two,) = says("one", way("first", 400), way("second", 100))
    assert "x/first 8K takes 4.0 times the time of" in of_two
    assert "though both make the same calls" in of_two and "the other as 1" in of_two


@pytest.mark.parametrize(
    ("process", "other"),
    [
        ("each", way("second", 100)),  # each has a process of its own
        (None, way("second", 100)),  # sound: fresh processes for each
        ("group", way("second", 250)),  # not so far apart
        ("group", way("second", 100, calls=17)),  # it does something else
    ],
)
def test_nothing_is_said_of_the_order_without_these_figures(process, other):
    assert says(process, way("first", 400), other) == []


def test_what_got_faster_while_it_was_measured_is_told(fake):
    run = empty_run(fake, 100, 100, rounds=4)
    published = PublishedProtocol(process="each", iterations=4, iteration=1.0)
    plan = run.plan.model_copy(update={"published": published})
    run = Run(run.header.model_copy(update={"plan": plan}))
    for number, (falling, steady) in enumerate([(800, 100), (300, 110), (210, 90), (200, 100)]):
        add_sample(run, 0, 0, number, 0, [falling])
        add_sample(run, 1, 0, number, 1, [steady])
    end_replicate(run, 0)
    found = explanations.falls(run)
    assert found == {run.plan.cases[0].key: (800.0, 200.0)}
    cases = comparable(case_report(), case_report("x/b"))
    key = cases.entries[0].keys[0]
    assert list(explanations.of_order(run_as("each"), cases, {key: (800.0, 200.0)})) == [
        "x/a got faster while it was measured: from 800 ns per operation in its first iteration "
        "to 200 ns in its last."
    ]
