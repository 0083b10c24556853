"""Knees and parameters without effect, on cases made by hand."""

from __future__ import annotations

import pytest

from iogauge.advice.sweeps import knees, parameters_without_effect
from tests.reports import case_report, comparable, interval

MIB = 1 << 20
KIB = 1 << 10


def blocks(
    times: dict[int, float],
    *,
    strategy: str = "x/read",
    size: int = 16 * MIB,
    calls=lambda block, size: size / block + 1,
    **more,
):
    """A sweep over block: what a strategy that does as it is told shows."""
    return [
        case_report(
            strategy,
            ns,
            size=size,
            parameters={"block": block, **more.get("others", {})},
            read_calls_per_op=calls(block, size),
            bytes_per_read_call=size / calls(block, size) if calls(block, size) else None,
        )
        for block, ns in times.items()
    ]


def test_the_knee_is_the_smallest_value_that_cannot_be_told_from_the_best():
    (found,) = knees(
        comparable(
            *blocks({4096: 4000, 16384: 1600, 65536: 1030, 262144: 1001, MIB: 1000, 4 * MIB: 1200}),
            width=0.005,
        )
    )
    assert (found.strategy, found.setting, found.parameter, found.others) == (
        "x/read",
        "x-1.0",
        "block",
        {},
    )
    assert found.values == (4096, 16384, 65536, 262144, MIB, 4 * MIB)
    assert (found.best, found.level, found.near) == (MIB, (262144, MIB), 65536)


def test_wide_intervals_make_no_knee():
    """65536 may be 20 % slower, or faster: it cannot be told from the best, and whether it is
    within 5 % is not known.
    """
    (found,) = knees(comparable(*blocks({65536: 1030, MIB: 1000}), width=0.2))
    assert found.level == (65536, MIB) and found.near is None


def test_what_is_surely_slower_does_not_stand_in_the_way():
    (found,) = knees(comparable(*blocks({4096: 5000, 65536: 1000}), width=0.3))
    assert (found.best, found.near) == (65536, 65536)


def test_the_best_is_within_5_percent_of_itself_whatever_the_noise():
    """What is surely slower may still be within 5 %, which nobody can say here."""
    (found,) = knees(comparable(*blocks({4096: 5000, 65536: 1000}), width=0.3), floor=0.2)
    assert (found.level, found.near) == ((65536,), 65536)
    (found,) = knees(comparable(*blocks({4096: 1000, 65536: 1000}), width=0.01), floor=0.2)
    assert found.level == (4096, 65536) and found.near is None


def test_the_fastest_by_chance_is_not_the_smallest_that_is_enough():
    """4 KiB was the fastest, and may be 15 % slower than the others."""
    (found,) = knees(comparable(*blocks({4096: 1000, 65536: 1010}), width=0.15))
    assert found.best == 4096 and found.level == (4096, 65536) and found.near is None


def test_each_combination_of_the_other_parameters_is_a_sweep_of_its_own():
    cases = [
        *blocks({4096: 2000, 65536: 1000}, others={"buffer": 8192}),
        *blocks({4096: 1000, 65536: 1000}, others={"buffer": MIB}),
    ]
    found = {
        (each.parameter, tuple(each.others.items())): each.near
        for each in knees(comparable(*cases))
    }
    assert found[("block", (("buffer", 8192),))] == 65536
    assert found[("block", (("buffer", MIB),))] == 4096
    assert ("buffer", (("block", 4096),)) in found


def test_one_value_is_no_sweep():
    assert knees(comparable(*blocks({4096: 1000}), *blocks({65536: 900}, strategy="x/other"))) == []


def ignored(times: dict[int, float], **more):
    """A strategy that reads 8 KiB at a time whatever it is told."""
    return blocks(times, strategy="x/ignores", calls=lambda block, size: size / 8192 + 1, **more)


def test_a_parameter_that_is_ignored_is_dead():
    found = parameters_without_effect(comparable(*ignored({16384: 1000, 65536: 1002, MIB: 999})))
    (overridden,) = found
    assert (overridden.strategy, overridden.parameter) == ("x/ignores", "block")
    assert overridden.values == (16384, 65536, MIB) and overridden.seen == pytest.approx(
        8192, rel=0.01
    )
    (without_effect,) = parameters_without_effect(
        comparable(*ignored({512: 1000, 2048: 1002, 4096: 999}))
    )
    assert (
        without_effect.strategy,
        without_effect.parameter,
        without_effect.values,
        without_effect.seen,
    ) == ("x/ignores", "block", (512, 2048, 4096), None)


def test_calls_of_the_runtime_itself_override_nothing():
    """Of an unwarmed process that is timed once some calls load classes."""
    seldom = case_report(
        "x/read",
        1000,
        size=2 * MIB,
        parameters={"block": MIB},
        read_calls_per_op=7,
        bytes_per_read_call=300_000,
        operations=3,
    )
    assert parameters_without_effect(comparable(seldom)) == []
    often = case_report(
        "x/read",
        1000,
        size=2 * MIB,
        parameters={"block": MIB},
        read_calls_per_op=7,
        bytes_per_read_call=300_000,
        operations=100,
    )
    assert len(parameters_without_effect(comparable(often))) == 1


def copies(reads, writes) -> list:
    """Of 16 MiB by blocks of three sizes."""
    workload = {"operation": "copy", "consume": "none", "mode": "truncate"}
    return [
        case_report(
            "x/copy",
            1000,
            parameters={"block": block},
            workload=workload,
            read_calls_per_op=read,
            write_calls_per_op=write,
        )
        for block, read, write in zip((4096, 65536, MIB), reads, writes, strict=True)
    ]


def test_of_a_copy_both_ways_count():
    assert len(parameters_without_effect(comparable(*copies([2048] * 3, [2048] * 3)))) == 1
    assert parameters_without_effect(comparable(*copies([2048] * 3, [4096, 256, 16]))) == []
    assert parameters_without_effect(comparable(*copies([2048] * 3, [None, 256, 256]))) == []


def test_a_noisy_group_knows_no_smallest_value_that_is_surely_near():
    cases = comparable(*blocks({4096: 1000, 65536: 1000}), width=0.005)
    assert [knees(cases, floor)[0].near for floor in (0.0, 0.0499, 0.0501, None)] == [
        4096,
        4096,
        None,
        None,
    ]


def test_as_many_pieces_are_the_same_pieces():
    """64 KiB are two blocks of 40 KiB, and two of 60."""
    two = blocks({40 * KIB: 1000, 60 * KIB: 1000}, size=64 * KIB, calls=lambda block, size: 3.0)
    assert parameters_without_effect(comparable(*two)) == []


def test_an_api_that_cuts_all_pieces_alike_is_told_once():
    """One stray call in a run; and the call that finds the end is no piece."""
    stray = {65536: 9.0, 131072: 9.03}
    cut = blocks(
        {65536: 1000, 131072: 1000},
        strategy="x/ignores",
        size=64 * KIB,
        calls=lambda block, size: stray[block],
    )
    (found,) = parameters_without_effect(comparable(*cut))
    assert found.values == (65536, 131072) and found.seen == pytest.approx(8192, rel=0.01)
    impossible = case_report(
        "x/ignores",
        10,
        size=64 * KIB,
        parameters={"block": 65536},
        read_calls_per_op=9.0,
        bytes_per_read_call=7281.0,
        of_ceiling=interval(9.0),
    )
    assert parameters_without_effect(comparable(impossible, *blocks({4096: 1000}))) == []


def test_an_impossible_case_is_in_no_sweep():
    cases = [
        *blocks({4096: 4000, 65536: 1000}),
        case_report("x/read", 10, parameters={"block": MIB}, of_ceiling=interval(9.0)),
    ]
    (found,) = knees(comparable(*cases))
    assert found.values == (4096, 65536)


def test_threads_are_no_bytes():
    """More threads than the file has bytes are still more threads."""
    cases = [
        case_report(
            "x/crew",
            1000,
            size=2,
            parameters={"threads": each},
            read_calls_per_op=2.0,
            bytes_per_read_call=1.0,
        )
        for each in (2, 4)
    ]
    (without_effect,) = parameters_without_effect(comparable(*cases))
    assert without_effect.parameter == "threads"


def test_an_honest_parameter_is_not_dead():
    assert (
        parameters_without_effect(comparable(*blocks({4096: 4000, 65536: 1000, MIB: 1000}))) == []
    )
    assert parameters_without_effect(comparable(*blocks({65536: 1000, MIB: 1000}))) == [], (
        "alike in time, but not in calls"
    )


def test_an_empty_file_has_no_knobs():
    """One call finds its end, whatever the block."""
    empty = blocks({4096: 1000, 65536: 1000}, size=0, calls=lambda block, size: 1.0)
    assert [
        each for each in parameters_without_effect(comparable(*empty)) if each.seen is not None
    ] == []


def test_values_that_differ_from_each_other_are_not_dead():
    """Each is within 3 % of the first; the other two are 5 % apart."""
    assert [
        each
        for each in parameters_without_effect(
            comparable(*ignored({512: 1000, 2048: 1024, 4096: 975}))
        )
        if each.seen is None
    ] == []


def test_alike_in_calls_but_not_in_time_is_not_dead():
    """A ring in user space: the knob does something that no system call shows."""
    assert [
        each
        for each in parameters_without_effect(comparable(*ignored({1024: 1000, 4096: 800})))
        if each.seen is None
    ] == []


def test_not_told_apart_is_not_the_same():
    assert [
        each
        for each in parameters_without_effect(
            comparable(*ignored({1024: 1000, 4096: 1010}), width=0.1)
        )
        if each.seen is None
    ] == []


def test_blocks_beyond_the_end_of_the_file_are_one_block():
    assert (
        parameters_without_effect(
            comparable(
                *blocks(
                    {MIB: 1000, 4 * MIB: 1000, 16 * MIB: 1000},
                    size=64 * KIB,
                    calls=lambda block, size: 2.0,
                )
            )
        )
        == []
    )


def test_where_the_kernel_counts_no_calls_nothing_is_dead():
    assert (
        parameters_without_effect(
            comparable(*blocks({4096: 1000, 65536: 1000}, calls=lambda block, size: None))
        )
        == []
    )
