"""Ratios over hosts, against known answers and known truth."""

import math

import numpy as np
import pytest

from iogauge.decision.hosts import OnHost, goes_with, over

# The BCG vaccine trials (Colditz et al. 1994), as log risk ratios with their variances.
_BCG = [
    (-0.8893, 0.3256),
    (-1.5854, 0.1946),
    (-1.3481, 0.4154),
    (-1.4416, 0.0200),
    (-0.2175, 0.0512),
    (-0.7861, 0.0069),
    (-1.6209, 0.2230),
    (0.0120, 0.0040),
    (-0.4694, 0.0564),
    (-1.3713, 0.0730),
    (-0.3394, 0.0124),
    (0.4459, 0.5325),
    (-0.0173, 0.0714),
]


def _measured(logs, error=0.01):
    return [OnHost(each, error) for each in logs]


def test_the_bcg_trials_have_the_known_spread_and_mean():
    found = over([OnHost(log, math.sqrt(variance)) for log, variance in _BCG])
    assert found.spread**2 == pytest.approx(0.3181, abs=0.001)
    assert found.center == pytest.approx(-0.7150, abs=0.002)
    # The interval of Hartung and Knapp, from its formula.
    logs, variances = np.array(_BCG).T
    weights = 1 / (variances + found.spread**2)
    scale = np.sum(weights * (logs - found.center) ** 2) / (len(logs) - 1)
    reach = 2.1788 * math.sqrt(scale / weights.sum())  # t of 12 degrees, 95 %
    assert found.lo == pytest.approx(found.center - reach, abs=1e-4)
    assert found.hi == pytest.approx(found.center + reach, abs=1e-4)


def test_hosts_that_agree_within_their_errors_have_no_spread():
    found = over(_measured([0.1, 0.1001, 0.0999, 0.1]))
    assert found.spread == 0
    assert found.lo < 0.1 < found.hi
    assert found.hi - found.lo < 0.04


def test_one_host_tells_nothing_of_others():
    found = over(_measured([0.5]))
    assert (found.center, found.hi, found.next_hi) == (0.5, math.inf, math.inf)


def test_two_hosts_tell_nothing_of_a_third():
    found = over(_measured([0.5, 0.6]))
    assert math.isfinite(found.hi)
    assert math.isinf(found.next_hi)


@pytest.mark.parametrize(
    ("hosts", "spread"),
    [
        (3, 0.1),
        *(
            pytest.param(*each, marks=pytest.mark.long)
            for each in [(3, 0.0), (3, 0.5), (8, 0.0), (8, 0.1), (8, 0.5)]
        ),
    ],
)
def test_intervals_hold_the_truth(spread, hosts):
    generator = np.random.default_rng(7)
    held = ahead = 0
    for _ in range(400):
        errors = generator.uniform(0.02, 0.06, hosts)
        truths = 0.3 + spread * generator.normal(size=hosts + 1)
        logs = truths[:-1] + errors * generator.normal(size=hosts)
        found = over([OnHost(*each) for each in zip(logs, errors, strict=True)])
        held += found.lo <= 0.3 <= found.hi
        ahead += found.next_lo <= truths[-1] <= found.next_hi
    assert held / 400 >= 0.92
    assert ahead / 400 >= 0.90


def test_a_fact_that_splits_hosts_is_found_with_those_that_split_them_alike():
    logs = [-0.55, -0.54, -0.56, -0.55, 0.0, 0.01, -0.01, 0.0]
    facts = {
        "file_system": ["ext4"] * 4 + ["tmpfs"] * 4,
        "cloud": ["a"] * 4 + ["b"] * 4,
        "cores": [2, 4, 2, 4, 2, 4, 2, 4],
        "name": list("abcdefgh"),
        "governor": [None] * 8,
    }
    (found,) = goes_with(_measured(logs), facts)
    assert found.facts == ("file_system", "cloud")
    assert [each for each, _ in found.parts] == [("ext4", "a"), ("tmpfs", "b")]
    assert found.parts[0][1].hi < -0.5 < found.parts[1][1].lo
    assert found.chance < 0.05


def test_three_hosts_are_too_few_for_any_fact():
    assert not goes_with(_measured([0, 1, 1]), {"disk": ["a", "b", "b"]})


@pytest.mark.long
def test_facts_without_effect_are_rarely_told():
    generator = np.random.default_rng(3)
    told = 0
    for _ in range(100):
        facts = {f"fact-{n}": list(generator.integers(0, 2, 12)) for n in range(6)}
        told += bool(goes_with(_measured(generator.normal(0, 0.2, 12)), facts))
    assert told <= 12  # 5 expected
