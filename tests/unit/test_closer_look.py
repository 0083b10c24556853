"""What is measured after a first look at few blocks and buffers."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

from iogauge.advice.studies import closer_look, closer_study
from iogauge.advice.wanted import Wanted
from tests.reports import case_report

K, M = 1 << 10, 1 << 20


def group(*cases, sets=("x",)):
    """The fastest first, as in a report."""
    by_time = sorted(cases, key=lambda each: each.ns_per_op.center if each.ns_per_op else 0)
    return SimpleNamespace(cases=by_time, sets=sets)


def blocks(times: dict[int, float], strategy: str = "x/read", **more):
    return [case_report(strategy, ns, parameters={"block": each}) for each, ns in times.items()]


def looked_at(*cases) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for strategy, parameters in closer_look(group(*cases)):
        found.setdefault(strategy, []).append(parameters.get("block", 0))
    return {strategy: sorted(values) for strategy, values in found.items()}


def test_the_knee_is_looked_for_below_the_smallest_that_is_good_enough():
    """128 KiB are as good as 1 MiB: how much smaller may it be?"""
    assert looked_at(*blocks({8 * K: 160, 128 * K: 104, M: 100})) == {
        "x/read": [32 * K, 128 * K, M]
    }


def test_values_next_to_the_best_are_tried_on_both_sides():
    assert looked_at(*blocks({8 * K: 160, 128 * K: 100, M: 140})) == {
        "x/read": [32 * K, 128 * K, 256 * K]
    }


def test_where_the_smallest_is_best_a_larger_one_is_tried():
    assert looked_at(*blocks({8 * K: 100, 128 * K: 101, M: 150})) == {
        "x/read": [8 * K, 32 * K, 128 * K]
    }


def test_what_is_far_behind_is_left_out():
    """The best has no block; of those with blocks, the best is followed."""
    whole, slow = case_report("x/mapped", 90), case_report("x/slow", 300)
    found = looked_at(whole, *blocks({8 * K: 200, 128 * K: 100, M: 150}), slow)
    assert found == {"x/mapped": [0], "x/read": [32 * K, 128 * K, 256 * K]}


def test_the_simplest_way_stays_in_however_slow_it_is():
    """It was gone after the first look, and a way that is harder to write was called the simplest."""
    simple, slow = case_report("x/whole", 900, effort=1), case_report("x/slow", 800, effort=2)
    found = looked_at(*blocks({8 * K: 200, 128 * K: 100, M: 150}), slow, simple)
    assert found == {"x/read": [32 * K, 128 * K, 256 * K], "x/whole": [0]}


def test_a_single_way_keeps_a_rival():
    found = looked_at(case_report("x/mapped", 100), case_report("x/slow", 300))
    assert found == {"x/mapped": [0], "x/slow": [0]}


def test_the_buffer_is_followed_where_the_piece_is_given():
    cases = [
        case_report("x/read", ns, parameters={"block": 100, "buffer": buffer})
        for buffer, ns in {4 * K: 150, 64 * K: 100, M: 101}.items()
    ]
    assert ("x/read", {"block": 100, "buffer": 16 * K}) in closer_look(group(*cases))


def test_each_language_has_its_own_knee_and_one_without_a_time_has_none():
    java = [
        dataclasses.replace(each, rank_set="y")
        for each in blocks({8 * K: 900, 128 * K: 500, M: 700}, "y/read")
    ]
    found = closer_look(group(*blocks({8 * K: 100, M: 200}), *java, sets=("x", "y")))
    assert ("x/read", {"block": 64 * K}) in found  # about halfway from 8 KiB to 1 MiB
    assert ("y/read", {"block": 32 * K}) in found
    assert closer_look(group(dataclasses.replace(java[0], ns_per_op=None), sets=("y",))) == []


def test_the_study_of_the_closer_look_has_these_cases_only():
    chosen = [("x/read", {"block": 32 * K}), ("x/mapped", {})]
    (asked,) = closer_study(Wanted(cache="warm"), chosen, 10).group
    assert [(each.strategy, each.parameters) for each in asked.case] == [
        (["x/read"], {"block": [32 * K]}),
        (["x/mapped"], {}),
    ]


def test_of_ways_that_are_as_easy_to_write_the_simplest_takes_the_least_memory():
    """`io.ReadAll` was the simplest in one command, `os.ReadFile` in another."""
    lean, large = (case_report(name, 100, effort=1) for name in ("x/b", "x/a"))
    needs = large.strategy.needs.model_copy(update={"memory_per_file_byte": 9.0})
    strategy = large.strategy.model_copy(update={"needs": needs})
    assert lean.simplicity < dataclasses.replace(large, strategy=strategy).simplicity
