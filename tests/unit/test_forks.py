"""What the forks of a case were like."""

from __future__ import annotations

import random

import numpy as np

from iogauge.analysis import forks
from iogauge.analysis.data import all_data
from tests.runs import add_sample, empty_run, end_replicate

MS = 1_000_000
ROUNDS = 6


def of_first(
    fake,
    level,
    *,
    replicates=12,
    others=lambda replicate, number: 1.0,
    cases=(10, 20, 30, 40),
    column=0,
):
    """The forks of a case when case 0's spans in a replicate and round take `level` ms, beside
    level ones; `others` moves all of them.
    """
    run, rng = empty_run(fake, *cases, rounds=ROUNDS), random.Random(1)
    for replicate in range(replicates):
        for number in range(ROUNDS):
            moved = others(replicate, number)
            for case in range(len(run.plan.cases)):
                own = level(replicate, number) if case == 0 else 2.0
                add_sample(
                    run,
                    case,
                    replicate,
                    number,
                    case,
                    [MS * own * moved * rng.lognormvariate(0, 0.01) for _ in range(4)],
                )
        end_replicate(run, replicate)
    (data,) = all_data(run)
    return forks.of_case(
        run.columns.take(np.flatnonzero(run.columns.case == column)), forks.others(data), column
    )


def test_level_forks(fake):
    found = of_first(fake, lambda replicate, number: 1.0)
    assert found.count == 12 and found.kinds.get("flat", 0) >= 11 and found.states.sizes == (12,)
    assert forks.caveats(found) == []


def test_forks_that_still_warm_up_are_counted_and_said(fake):
    found = of_first(fake, lambda replicate, number: 2.0 if replicate % 2 and number < 2 else 1.0)
    assert found.kinds["warm-up"] == 6
    assert forks.caveats(found) == [
        "6 of 12 forks were not steady while they were measured: 6 still got faster"
    ]


def test_forks_that_get_slower(fake):
    found = of_first(fake, lambda replicate, number: 1.5 if number >= 3 else 1.0)
    assert found.kinds == {"slow-down": 12}
    assert forks.caveats(found) == [
        "12 of 12 forks were not steady while they were measured: 12 got slower"
    ]


def test_forks_that_never_settle(fake):
    found = of_first(fake, lambda replicate, number: 2.0 if number % 2 else 1.0)
    assert found.kinds == {"no-steady-state": 12}


def test_forks_in_two_states_are_told_and_all_of_them_count(fake):
    found = of_first(fake, lambda replicate, number: 1.3 if replicate % 3 == 0 else 1.0)
    assert found.count == 12
    fast, slow = found.states.sizes
    assert (
        slow in (3, 4)
        and fast in (7, 8)
        and fast + slow + found.states.outliers == 12
        and 1.28 < found.states.ratio < 1.32
    )
    (caveat,) = forks.caveats(found)
    assert (
        caveat
        == f"its forks settle in two states: {fast} fast, {slow} slower by {found.states.ratio:.2f}; a process is in one or the other"
    )


def test_what_moves_all_cases_is_not_blamed_on_the_forks(fake):
    by_round = of_first(
        fake,
        lambda replicate, number: 1.0,
        others=lambda replicate, number: 2.0 if number >= 3 else 1.0,
    )
    assert by_round.kinds.get("flat", 0) >= 11
    by_replicate = of_first(
        fake,
        lambda replicate, number: 1.0,
        others=lambda replicate, number: 1.3 if replicate % 2 else 1.0,
    )
    assert by_replicate.states.sizes == (12,)


def test_one_odd_case_is_not_taken_for_the_machine(fake):
    """Neither among few cases, where nothing is taken out, nor among many: not in the series, and
    not in the states.
    """
    for cases in ((10,), (10, 20), (10, 20, 30, 40)):
        for column in range(1, len(cases) + 1):  # the last one is the control
            warming = of_first(
                fake,
                lambda replicate, number: 2.0 if number < 2 else 1.0,
                cases=cases,
                column=column,
            )
            assert warming.kinds.get("flat", 0) >= 11, (cases, column, warming.kinds)
            bistable = of_first(
                fake,
                lambda replicate, number: 1.3 if replicate % 2 else 1.0,
                cases=cases,
                column=column,
            )
            assert bistable.states.sizes == (12,), (cases, column)


def test_few_spans_say_nothing(fake):
    run = empty_run(fake, 10, 20, rounds=ROUNDS)
    for number in range(3):
        for case in range(len(run.plan.cases)):
            add_sample(run, case, 0, number, case, [MS])
    end_replicate(run, 0)
    (data,) = all_data(run)
    assert forks.of_case(
        run.columns.take(np.flatnonzero(run.columns.case == 0)), forks.others(data), 0
    ).kinds == {"unknown": 1}


def test_medians_without_each_are_those_of_the_others():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(3, 4, 7))
    values[rng.random(values.shape) < 0.3] = np.nan
    values[0, 0], values[0, 1, 1:] = np.nan, np.nan
    found = forks._medians_without_each(values)
    for place in np.ndindex(values.shape):
        left = np.delete(values[place[:2]], place[2])
        left = left[~np.isnan(left)]
        assert np.isnan(found[place]) if len(left) < 3 else found[place] == np.median(left), (
            "fewer than three tell nothing"
        )
