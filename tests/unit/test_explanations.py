"""Knees, parameters without effect, and the order in one process, on cases made by hand."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from iogauge.advice import explanations
from iogauge.advice.explanations import parameters_without_effect
from iogauge.model.plan import PublishedProtocol
from iogauge.runfile.run import Run
from tests.reports import case_report, comparable, interval
from tests.runs import add_sample, empty_run, end_replicate

KIB, MIB = 1 << 10, 1 << 20


def blocks(times: dict[int, float], strategy="x/read", size=16 * MIB, calls=None, **others):
    """A sweep over block: what a strategy that does as it is told shows."""
    found = []
    for block, ns in times.items():
        count = calls(block) if calls else size / block + 1
        more = {"read_calls_per_op": count, "bytes_per_read_call": count and size / count}
        parameters = {"block": block, **others}
        found.append(case_report(strategy, ns, size=size, parameters=parameters, **more))
    return found


def ignored(times: dict[int, float]):
    """A strategy that reads 8 KiB at a time whatever it is told."""
    return blocks(times, "x/ignores", calls=lambda block: 16 * MIB / 8192 + 1)


def knee(times: dict[int, float], width: float, floor: float | None = 0.0):
    (found,) = explanations.knees(comparable(*blocks(times), width=width), floor)
    return found


def without_effect(*cases, width: float = 0.005):
    return parameters_without_effect(comparable(*cases, width=width))


def test_the_knee_is_the_smallest_value_that_cannot_be_told_from_the_best():
    values = (4096, 16384, 65536, 262144, MIB, 4 * MIB)
    found = knee(dict(zip(values, (4000, 1600, 1030, 1001, 1000, 1200), strict=True)), 0.005)
    assert (found.strategy, found.setting, found.parameter) == ("x/read", "x-1.0", "block")
    assert (found.others, found.values) == ({}, values)
    assert (found.best, found.level, found.near) == (MIB, (262144, MIB), 65536)


@pytest.mark.parametrize(
    ("times", "width", "floor", "level", "near"),
    [
        # 65536 may be 20 % slower, or faster: whether it is within 5 % is not known.
        ({65536: 1030, MIB: 1000}, 0.2, 0.0, (65536, MIB), None),
        # What is surely slower does not stand in the way.
        ({4096: 5000, 65536: 1000}, 0.3, 0.0, (65536,), 65536),
        # The best is within 5 % of itself whatever the noise, and nobody can say of what else.
        ({4096: 5000, 65536: 1000}, 0.3, 0.2, (65536,), 65536),
        ({4096: 1000, 65536: 1000}, 0.01, 0.2, (4096, 65536), None),
        # 4 KiB was the fastest by chance, and may be 15 % slower than the other.
        ({4096: 1000, 65536: 1010}, 0.15, 0.0, (4096, 65536), None),
        ({4096: 1000, 65536: 1000}, 0.005, 0.0499, (4096, 65536), 4096),
        ({4096: 1000, 65536: 1000}, 0.005, 0.0501, (4096, 65536), None),
        ({4096: 1000, 65536: 1000}, 0.005, None, (4096, 65536), None),
    ],
)
def test_a_smallest_value_is_named_only_where_it_is_surely_enough(times, width, floor, level, near):
    found = knee(times, width, floor)
    assert (found.level, found.near) == (level, near)


def test_each_combination_of_the_other_parameters_is_a_sweep_of_its_own():
    cases = [
        *blocks({4096: 2000, 65536: 1000}, buffer=8192),
        *blocks({4096: 1000, 65536: 1000}, buffer=MIB),
    ]
    found = {
        (each.parameter, *each.others.items()): each.near
        for each in explanations.knees(comparable(*cases))
    }
    assert found["block", ("buffer", 8192)] == 65536
    assert found["block", ("buffer", MIB)] == 4096
    assert ("buffer", ("block", 4096)) in found


def test_one_value_is_no_sweep_and_an_impossible_case_is_in_none():
    one_each = [*blocks({4096: 1000}), *blocks({65536: 900}, strategy="x/other")]
    assert explanations.knees(comparable(*one_each)) == []
    impossible = case_report("x/read", 10, parameters={"block": MIB}, of_ceiling=interval(9.0))
    (found,) = explanations.knees(comparable(*blocks({4096: 4000, 65536: 1000}), impossible))
    assert found.values == (4096, 65536)


def test_a_parameter_that_is_ignored_has_no_effect():
    (overridden,) = without_effect(*ignored({16384: 1000, 65536: 1002, MIB: 999}))
    assert (overridden.strategy, overridden.parameter) == ("x/ignores", "block")
    assert overridden.values == (16384, 65536, MIB)
    assert overridden.seen == pytest.approx(8192, rel=0.01)
    (small,) = without_effect(*ignored({512: 1000, 2048: 1002, 4096: 999}))
    assert (small.strategy, small.parameter) == ("x/ignores", "block")
    assert (small.values, small.seen) == ((512, 2048, 4096), None)


@pytest.mark.parametrize(("operations", "expected"), [(3, 0), (100, 1)])
def test_calls_of_the_runtime_itself_override_nothing(operations, expected):
    """Of an unwarmed process that is timed once some calls load classes."""
    calls = {"read_calls_per_op": 7, "bytes_per_read_call": 300_000, "operations": operations}
    case = case_report("x/read", 1000, size=2 * MIB, parameters={"block": MIB}, **calls)
    assert len(without_effect(case)) == expected


@pytest.mark.parametrize(
    ("writes", "expected"), [([2048] * 3, 1), ([4096, 256, 16], 0), ([None, 256, 256], 0)]
)
def test_of_a_copy_both_ways_count(writes, expected):
    every = {"workload": {"operation": "copy", "consume": "none", "mode": "truncate"}}
    every["read_calls_per_op"] = 2048
    cases = [
        case_report("x/copy", 1000, parameters={"block": block}, write_calls_per_op=write, **every)
        for block, write in zip((4096, 65536, MIB), writes, strict=True)
    ]
    assert len(without_effect(*cases)) == expected


def test_an_api_that_cuts_all_pieces_alike_is_told_once():
    """One stray call in a run; and the call that finds the end is no piece."""
    stray, times = {65536: 9.0, 131072: 9.03}, {65536: 1000, 131072: 1000}
    (found,) = without_effect(*blocks(times, "x/ignores", 64 * KIB, stray.get))
    assert found.values == (65536, 131072) and found.seen == pytest.approx(8192, rel=0.01)
    (cut,) = blocks({65536: 10}, "x/ignores", 64 * KIB, stray.get)
    impossible = replace(cut, of_ceiling=interval(9.0), impossible=True)
    assert without_effect(impossible, *blocks({4096: 1000})) == []


def test_threads_are_no_bytes():
    """More threads than the file has bytes are still more threads."""
    every = {"size": 2, "read_calls_per_op": 2.0, "bytes_per_read_call": 1.0}
    cases = [case_report("x/crew", 1000, parameters={"threads": n}, **every) for n in (2, 4)]
    (found,) = without_effect(*cases)
    assert found.parameter == "threads"


TWO = {4096: 1000, 65536: 1000}
HAVE_EFFECT = {
    "an honest one": blocks({4096: 4000, 65536: 1000, MIB: 1000}),
    "alike in time, not in calls": blocks({65536: 1000, MIB: 1000}),
    "64 KiB are two blocks of 40 KiB, and two of 60": blocks(
        {40 * KIB: 1000, 60 * KIB: 1000}, size=64 * KIB, calls=lambda block: 3.0
    ),
    "blocks beyond the end of the file are one": blocks(
        {MIB: 1000, 4 * MIB: 1000, 16 * MIB: 1000}, size=64 * KIB, calls=lambda block: 2.0
    ),
    "the kernel counts no calls": blocks(TWO, calls=lambda block: None),
}


@pytest.mark.parametrize("cases", HAVE_EFFECT.values(), ids=HAVE_EFFECT)
def test_a_parameter_with_an_effect_is_not_named(cases):
    assert without_effect(*cases) == []


@pytest.mark.parametrize(
    ("times", "width"),
    [
        ({512: 1000, 2048: 1024, 4096: 975}, 0.005),  # each within 3 % of the first, not of another
        ({1024: 1000, 4096: 800}, 0.005),  # a ring in user space: no system call shows its effect
        ({1024: 1000, 4096: 1010}, 0.1),  # not told apart, which is not the same
    ],
)
def test_only_what_is_surely_the_same_has_no_effect_on_the_time(times, width):
    assert all(each.seen is not None for each in without_effect(*ignored(times), width=width))


def test_an_empty_file_overrides_no_parameter():
    """One call finds its end, whatever the block."""
    empty = without_effect(*blocks(TWO, size=0, calls=lambda block: 1.0))
    assert all(each.seen is None for each in empty)


def run_as(process: str | None, **more):
    published = PublishedProtocol(process=process, **more) if process else None
    return SimpleNamespace(plan=SimpleNamespace(published=published))


def way(name: str, ns: float, calls: int = 9):
    seen = {"read_calls_per_op": calls, "bytes_per_read_call": 64 * KIB / calls}
    return case_report(f"x/{name}", ns, size=64 * KIB, parameters={"block": 8 * KIB}, **seen)


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
