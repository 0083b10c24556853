"""What the forks of a case were like."""

from __future__ import annotations

import random

import numpy as np
import pytest

from iogauge.analysis import forks
from iogauge.analysis.data import all_data
from tests.runs import add_sample, empty_run, end_replicate

MS = 1_000_000
ROUNDS = 6


def of_case(run, column):
    (data,) = all_data(run)
    samples = run.columns.take(np.flatnonzero(run.columns.case == column))
    return forks.of_case(samples, forks.others(data), column)


def of_first(fake, level, *, others=lambda *_: 1.0, cases=(10, 20, 30, 40), column=0):
    """The forks of a case when case 0's spans in a replicate and round take `level` ms, beside
    level ones; `others` moves all of them.
    """
    run, rng = empty_run(fake, *cases, rounds=ROUNDS), random.Random(1)
    for replicate in range(12):
        for number in range(ROUNDS):
            moved = others(replicate, number)
            for case in range(len(run.plan.cases)):
                own = level(replicate, number) if case == 0 else 2.0
                spans = [MS * own * moved * rng.lognormvariate(0, 0.01) for _ in range(4)]
                add_sample(run, case, replicate, number, case, spans)
        end_replicate(run, replicate)
    return of_case(run, column)


def test_level_forks(fake):
    found = of_first(fake, lambda *_: 1.0)
    assert found.count == 12 and found.kinds.get("flat", 0) >= 11 and found.states.sizes == (12,)
    assert forks.caveats(found) == []


@pytest.mark.parametrize(
    ("level", "kind", "count", "says"),
    [
        (lambda at, number: 1 + (at % 2 and number < 2), "warm-up", 6, "6 still got faster"),
        (lambda _, number: 1.5 if number >= 3 else 1, "slow-down", 12, "12 got slower"),
        (lambda _, number: 1 + number % 2, "no-steady-state", 12, "12 never became so"),
    ],
)
def test_forks_that_are_not_steady_are_counted_and_said(fake, level, kind, count, says):
    found = of_first(fake, level)
    assert found.kinds[kind] == count
    measured = "forks were not steady while they were measured"
    assert forks.caveats(found) == [f"{count} of 12 {measured}: {says}"]


def test_forks_in_two_states_are_told_and_all_of_them_count(fake):
    found = of_first(fake, lambda replicate, number: 1.3 if replicate % 3 == 0 else 1.0)
    (fast, slow), states = found.states.sizes, found.states
    assert found.count == fast + slow + states.outliers == 12
    assert slow in (3, 4) and fast in (7, 8) and 1.28 < states.ratio < 1.32
    both = f"{fast} fast, {slow} slower by {states.ratio:.2f}"
    says = f"its forks settle in two states: {both}; a process is in one or the other"
    assert forks.caveats(found) == [says]


def test_what_moves_all_cases_is_not_blamed_on_the_forks(fake):
    level, late = lambda *_: 1.0, lambda replicate, number: 2.0 if number >= 3 else 1.0
    assert of_first(fake, level, others=late).kinds.get("flat", 0) >= 11
    found = of_first(fake, level, others=lambda replicate, number: 1.3 if replicate % 2 else 1.0)
    assert found.states.sizes == (12,)


@pytest.mark.parametrize("cases", [(10,), (10, 20), (10, 20, 30, 40)])
def test_one_odd_case_is_not_taken_for_the_machine(fake, cases):
    """Neither among few cases, where nothing is taken out, nor among many: not in the series, and
    not in the states.
    """
    for column in range(1, len(cases) + 1):  # the last one is the control
        where = {"cases": cases, "column": column}
        warming = of_first(fake, lambda replicate, number: 2.0 if number < 2 else 1.0, **where)
        assert warming.kinds.get("flat", 0) >= 11, (column, warming.kinds)
        bistable = of_first(fake, lambda replicate, number: 1.3 if replicate % 2 else 1.0, **where)
        assert bistable.states.sizes == (12,), column


def test_few_spans_say_nothing(fake):
    run = empty_run(fake, 10, 20, rounds=ROUNDS)
    for number in range(3):
        for case in range(len(run.plan.cases)):
            add_sample(run, case, 0, number, case, [MS])
    end_replicate(run, 0)
    assert of_case(run, 0).kinds == {"unknown": 1}


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
