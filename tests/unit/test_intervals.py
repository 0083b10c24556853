"""Intervals, quantiles and pairs: known answers, invariances, and simulations whose truth is known."""

import math
from operator import attrgetter

import numpy as np
import pytest
from scipy import stats as reference

from iogauge.statistics import intervals, paired, quantiles
from iogauge.statistics.intervals import interval
from tests.simulated import FORKS, measured

three = attrgetter("center", "lo", "hi")

# intervals


@pytest.mark.parametrize("n", [3, 5, 9])
@pytest.mark.parametrize("error", [0.05, 1e-4])
def test_few_values_get_students_interval(n, error):
    x = np.random.default_rng(n).normal(size=n)
    expected = reference.t.interval(1 - error, n - 1, x.mean(), reference.sem(x))
    found = interval(x, error)
    assert (found.lo, found.hi) == pytest.approx(expected)
    assert found.center == pytest.approx(x.mean())


@pytest.mark.parametrize("n", [10, 12, 15, 18, 24, 36, 64])
@pytest.mark.parametrize("error", [0.05, 1e-4])
def test_more_values_get_yuens_interval(n, error):
    x = np.random.default_rng(n).standard_t(2, n)
    cut = n // 5
    kept = n - 2 * cut
    winsorised = np.asarray(reference.mstats.winsorize(x, (0.2, 0.2)))
    standard_error = math.sqrt((n - 1) * winsorised.var(ddof=1) / (kept * (kept - 1)))
    half = reference.t.ppf(1 - error / 2, kept - 1) * standard_error
    found = interval(x, error)
    assert found.center == pytest.approx(reference.trim_mean(x, 0.2))
    assert (found.lo, found.hi) == pytest.approx((found.center - half, found.center + half))


def test_yuens_standard_error_is_that_of_scipys_trimmed_t_test():
    """Against a constant sample, Welch's trimmed t is the one-sample statistic."""
    x = np.random.default_rng(8).normal(0.1, 1, 20)
    found = interval(x, 0.02)
    kept = 20 - 2 * 4
    t = found.center / ((found.hi - found.center) / reference.t.ppf(0.99, kept - 1))
    welch = reference.ttest_ind(x, np.zeros(20), equal_var=False, trim=0.2)
    assert t == pytest.approx(welch.statistic)


def test_published_quantiles():
    """t(0.975; 8) = 2.306 and t(0.9995; 7) = 5.408 in the printed tables."""
    nine, twelve = np.arange(9.0), np.arange(12.0)
    of_nine = (interval(nine, 0.05).hi - 4) / reference.sem(nine)
    assert of_nine == pytest.approx(2.306, abs=5e-4)
    # Of twelve, 2 are cut at each end: 8 kept, 7 degrees; winsorised 2, 2, 2, 3, ..., 8, 9, 9, 9.
    standard_error = math.sqrt(((np.clip(twelve, 2, 9) - 5.5) ** 2).sum() / (8 * 7))
    of_twelve = (interval(twelve, 0.001).hi - 5.5) / standard_error
    assert of_twelve == pytest.approx(5.408, abs=5e-4)


def test_too_few_values_bound_nothing():
    unbounded = intervals.Interval(pytest.approx(0.15), -math.inf, math.inf, 2)
    assert interval([0.1, 0.2], 0.05) == unbounded
    for nothing in ([], [math.nan] * 20):
        found = interval(nothing, 0.05)
        assert np.isnan(three(found)).all() and found.n == 0


def test_missing_values_are_ignored_not_zero():
    x = np.random.default_rng(3).normal(5, 1, 14)
    holed = np.insert(x, [0, 3, 14], math.nan)
    assert interval(holed, 0.01) == interval(x, 0.01)


def test_interval_moves_and_stretches_with_the_values():
    x = np.random.default_rng(4).standard_t(3, 18)
    plain, moved, mirrored = (three(interval(each, 0.01)) for each in (x, 3 * x + 7, -x))
    assert moved == pytest.approx([3 * each + 7 for each in plain])
    center, lo, hi = plain
    assert mirrored == pytest.approx((-center, -hi, -lo))


def test_a_wild_fork_hardly_moves_the_interval():
    x = np.random.default_rng(5).normal(0, 0.02, 12)
    wild = x.copy()
    for at, value in ((np.argmax(x), 5.0), (np.argmin(x), -9.0)):
        wild[at] = value
        assert interval(wild, 0.001) == interval(x, 0.001)


def test_less_error_is_a_wider_interval():
    x = np.random.default_rng(6).normal(size=24)
    widths = [interval(x, e).hi - interval(x, e).lo for e in (0.2, 0.05, 1e-3, 1e-6)]
    assert widths == sorted(widths) and widths[0] < widths[-1] / 2


@pytest.mark.parametrize("error", [0, 1, -0.1, 2])
def test_error_must_be_a_probability(error):
    with pytest.raises(ValueError, match="error"):
        interval([1, 2, 3], error)


def test_summary_is_the_interval_of_the_medians_over_rounds_in_ns():
    log_ns = np.random.default_rng(7).normal(math.log(2000), 0.05, (12, 5))
    log_ns[3, 2:] = math.nan
    expected = interval(np.nanmedian(log_ns, axis=1), 0.05)
    found = intervals.summary(log_ns)
    assert three(found) == pytest.approx(np.exp(three(expected)))
    assert found.lo < 2000 < found.hi and found.n == 12
    wider = intervals.summary(log_ns, clock_error=0.1)
    assert wider.center == found.center
    assert (wider.lo / found.lo, wider.hi / found.hi) == pytest.approx(np.exp((-0.1, 0.1)))


def test_medians_are_those_of_numpy():
    rng = np.random.default_rng(13)
    for length in range(1, 9):
        values = rng.normal(size=(length, 40))
        assert quantiles.row_medians(values.T) == pytest.approx(np.median(values, axis=0))
        assert quantiles.median_of_few(values[:, 0]) == pytest.approx(np.median(values[:, 0]))
        values[rng.random(values.shape) < 0.3] = math.nan
        values[0] = np.nan_to_num(values[0])
        for axis, each in enumerate((values, values.T)):
            expected = np.nanmedian(each, axis=axis)
            assert quantiles.median(each, axis=axis) == pytest.approx(expected)


@pytest.mark.parametrize("axis", [0, 1])
def test_the_median_of_nothing_is_not_known(axis):
    shape = (0, 3) if axis == 0 else (3, 0)
    assert np.isnan(quantiles.median(np.zeros(shape), axis=axis)).tolist() == [True] * 3


@pytest.mark.parametrize(
    ("p", "least"), [(0.5, 2), (0.9, 10), (0.95, 20), (0.99, 100), (0.999, 1000)]
)
def test_a_percentile_needs_the_samples_that_carry_it(p, least):
    values = np.random.default_rng(9).permutation(least).astype(float)
    assert quantiles.percentile(values, p) == pytest.approx(np.percentile(values, 100 * p))
    assert quantiles.percentile(values[:-1], p) is None
    assert quantiles.percentile([*values[:-1], math.nan], p) is None


@pytest.mark.parametrize("p", [0, 1, -0.5, 1.5])
def test_a_percentile_lies_between_the_least_and_the_most(p):
    with pytest.raises(ValueError, match="p must lie between"):
        quantiles.percentile(np.arange(2000.0), p)


# pairs


def test_pairs_use_common_rounds_only():
    nan = math.nan
    first = [[1, 2, 5.0], [10, nan, 15], [20, 24, nan]]
    log_ns = np.array([first, [[nan, 3, nan], [7, nan, 7.5], [nan, nan, nan]]])
    assert paired.paired_log_ratios(log_ns, 1, 0, 0) == pytest.approx([2.5, nan], nan_ok=True)
    assert paired.paired_log_ratios(log_ns, 2, 0, 0) == pytest.approx([4.5, 0.5], nan_ok=True)
    assert paired.paired_log_ratios(log_ns, 2, 1, None) == pytest.approx([3.0, nan], nan_ok=True)


def test_blocks_without_a_common_round_are_linked_by_the_baseline():
    log_ns = np.full((1, 4, 3), math.nan)
    log_ns[0, :2, :2] = [[1.0, 1.5], [2.0, 2.7]]  # one block measures 0 and 1,
    log_ns[0, 2:, [0, 2]] = [[7.0, 9.0], [9.0, 11.2]]  # the other 0 and 2, on a slower machine
    assert paired.paired_log_ratios(log_ns, 2, 1, 0) == pytest.approx([2.1 - 0.6])
    assert np.isnan(paired.paired_log_ratios(log_ns, 2, 1, None)).all()


def test_drift_common_to_a_round_cancels():
    rng = np.random.default_rng(10)
    log_ns = rng.normal(size=(6, 4, 3))
    drifted = log_ns + rng.normal(0, 5, (6, 4, 1))
    plain, moved = (paired.paired_log_ratios(each, 2, 1, 0) for each in (log_ns, drifted))
    assert moved == pytest.approx(plain)


# simulations with known truth


@pytest.mark.parametrize("n", [5, 12, 36])
@pytest.mark.parametrize("a", ["heavy", "two-state"])
@pytest.mark.parametrize("b", [None, "normal"])  # as the other, or normal
def test_coverage_under_strong_drift_and_heavy_tails(n, a, b):
    """The nominal 95 % interval holds the typical ratio, planted 1.07, in at least 93 % of the
    experiments.
    """
    rng, experiments = np.random.default_rng([n, 11]), 4000
    b = b or a
    forks = np.stack([FORKS[each](rng, (experiments, n)) for each in (a, b)], axis=-1)
    log_ns = measured(rng, forks) + [math.log(1.07), 0]
    values = paired.paired_log_ratios(log_ns.reshape(-1, *log_ns.shape[2:]), 0, 1, None)
    truth = math.log(1.07)
    if a != b:
        truth += np.median(FORKS[a](rng, 10**6) - FORKS[b](rng, 10**6))
    _, lo, hi, _ = intervals.column_intervals(values.reshape(experiments, n).T, 0.05)
    assert ((lo <= truth) & (truth <= hi)).mean() >= 0.93


def test_the_heavy_forks_are_as_heavy_as_measured():
    rng = np.random.default_rng(12)
    pair = FORKS["heavy"](rng, 10**6) - FORKS["heavy"](rng, 10**6)
    assert pair.std() == pytest.approx(0.088, abs=0.004)
    assert reference.median_abs_deviation(pair, scale="normal") == pytest.approx(0.030, abs=0.002)
