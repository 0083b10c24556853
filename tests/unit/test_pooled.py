"""Replicates of several runs, judged together by the rule of one run."""

from __future__ import annotations

import math

import numpy as np
import pytest

from iogauge.decision import pooled
from iogauge.decision.best import error_at
from iogauge.decision.sets import Control
from iogauge.statistics.intervals import interval
from tests.simulated import quiet


@pytest.mark.parametrize(("cases", "family"), [(2, 2), (3, 3), (5, 10)])
def test_the_error_is_shared_as_in_one_run_by_two_comparisons_at_least(cases, family):
    logs = quiet(np.linspace(1, 1.5, cases), 5, noise=0.02)
    found = pooled.pool(logs, 0, None).compare(1, 0, 0.03)
    ratios = np.median(logs[:, :, 1] - logs[:, :, 0], axis=1)
    expected = interval(ratios, float(error_at(5)) / family)
    assert found.replicates == 5
    assert (found.lo, found.hi) == pytest.approx((math.exp(expected.lo), math.exp(expected.hi)))


def test_the_simplest_that_is_good_enough_is_recommended():
    pool = pooled.pool(quiet([1.05, 1.0, 1.3], 12), 0, None)
    answer = pool.answer([2, 0, 1], 0.1)
    assert (answer.recommended, answer.costs.best, answer.surely_slower) == (0, 1, (2, 0))
    slow, good, best = (pool.costs(answer, 0.1)[case] for case in (2, 0, 1))
    assert (slow.outcome, good.outcome, best) == ("slower", "slower", None)
    assert good.hi < 1.1 < slow.lo


def test_where_identical_code_differs_nothing_is_told_of_two_cases():
    logs = quiet([1, 1.3], 12)
    told, held = (
        pooled.pool(logs, 0, noise).compare(1, 0, 0.03)
        for noise in (None, Control(0.2, 0.1, 0.3, 12))
    )
    assert (told.outcome, held.outcome) == ("slower", "undecided")


def test_a_case_without_a_replicate_in_common_is_compared_with_none():
    logs = quiet([1, 1.1, 1.2], 6)
    logs[:3, :, 2] = logs[3:, :, 1] = math.nan
    pool = pooled.pool(logs, None, None)
    assert pool.compare(2, 1, 0.03) is None and pool.compare(2, 0, 0.03) is not None


@pytest.mark.parametrize(
    ("log_ratios", "faster"),
    [([-0.1, -0.1, 5.0], True), ([0.1, 0.1, -5.0], False), ([0.0], False), ([], False)],
)
def test_one_slow_replicate_does_not_decide_what_is_mostly_faster(log_ratios, faster):
    assert pooled.most_often_faster(log_ratios) is faster
