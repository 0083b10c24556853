"""How many rounds a replicate should have: known answers, and simulated data."""

import math

import numpy as np
import pytest

from iogauge.decision.rounds import TYPICAL, Cost, Spread, best_rounds, spread_of
from iogauge.runners.live_fork import is_level


def rounds(spread, replicate=1.0, further=0.25, left=1e4, done=1):
    return best_rounds(spread, Cost(replicate, further, left, done), 3, 12)


def test_with_much_time_rounds_follow_kalibera_and_jones():
    """K = (τ/σ) √(forks / round): with τ² of a median, which is π/2 times that of a mean."""
    for within, between, forks, further in ((0.1, 0.05, 2.0, 0.25), (0.08, 0.03, 0.5, 0.25)):
        best = within * math.sqrt(math.pi / 2) / between * math.sqrt(forks / further)
        found = rounds(Spread(within, between), forks + 3 * further, further, left=1e5)
        assert found == pytest.approx(best, abs=1)


def test_of_few_replicates_each_counts_for_more_than_its_rounds():
    noisy = Spread(0.1, 0.03)
    found = [rounds(noisy, 1.5, 0.25, left) for left in (6, 12, 1000)]
    assert found == sorted(found) and found[0] < found[-1]


def test_rounds_have_bounds():
    assert rounds(Spread(0.01, 0.1)) == 3, "rounds are quiet"
    assert rounds(Spread(1.0, 0.01), further=0.01) == 12, "no more than the study asks for"
    assert rounds(TYPICAL, further=0.0) == 12, "rounds cost nothing"
    assert best_rounds(TYPICAL, Cost(1.0, 0.1, 10.0, 1), 3, 2) == 2


@pytest.mark.parametrize(("left", "most"), [(-5, 3), (0.5, 3), (1.0, 3), (1.6, 5), (3.1, 11)])
def test_rounds_for_which_there_is_no_time_are_not_measured(left, most):
    """However noisy they are, and however many replicates there are."""
    assert best_rounds(Spread(1.0, 0.01), Cost(1.0, 0.25, left, 9), 3, 12) == most


@pytest.mark.parametrize(("within", "between"), [(0.02, 0.05), (0.2, 0.02), (0.1, 0.1)])
def test_spreads_are_estimated_from_many_replicates(within, between):
    rng = np.random.default_rng(7)
    forks = rng.normal(0, between / math.sqrt(2), (200, 1, 6))
    log_ns = forks + rng.normal(0, within / math.sqrt(2), (200, 9, 6))
    found = spread_of(log_ns, 0)
    assert found.within == pytest.approx(within, rel=0.1)
    assert found.between == pytest.approx(between, rel=0.25, abs=0.02)


def test_few_replicates_leave_the_spread_near_the_typical_one():
    rng = np.random.default_rng(8)
    assert spread_of(np.full((1, 3, 2), np.nan), 0) == TYPICAL
    assert spread_of(rng.normal(0, 1, (1, 2, 3)), 0) == TYPICAL, "two rounds show nothing"
    one = spread_of(rng.normal(0, 1, (1, 5, 3)), 0)
    assert one.between == TYPICAL.between and one.within > 2 * TYPICAL.within
    two = spread_of(np.zeros((2, 5, 3)), 0)
    assert two.between < TYPICAL.between and two.within < TYPICAL.within / 2


@pytest.mark.parametrize(
    ("curve", "level"),
    [
        ([9, 9, 9, 9, 9, 9], False),  # too few to tell
        ([900, 9, 9, 9, 9, 9, 9], True),
        ([900, 90, 50, 30, 20, 12, 9, 8, 7.5], False),
        ([9] * 5 + [8] * 5 + [8] * 5, True),
        ([9] * 5 + [9] * 5 + [8] * 5, False),
        ([9] * 5 + [8] * 5 + [9] * 5, True),  # slower: the neighbours do that
    ],
)
def test_a_curve_is_level_where_its_last_third_is_not_faster(curve, level):
    assert is_level(curve, 1.05) is level
