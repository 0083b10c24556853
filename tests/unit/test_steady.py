"""Change points of series and states of forks: where the truth is known, against an exhaustive
search, and on what must raise no alarm.
"""

import math
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from iogauge.statistics import change_points, fork_states
from iogauge.statistics.change_points import Segment, kinds_of, segments
from iogauge.statistics.fork_states import states
from tests.scripts import module_at

SEEDS = range(40)
ONE_STATE = module_at(Path(__file__).parents[2] / "benchmarks" / "simulate_steadiness.py").ONE_STATE


def level(seed, n, sd=0.02, memory=0.3, spikes=0.04):
    """Logs of a level series: autocorrelated noise, and now and then a span that is 1.5 to 10 times
    slower.
    """
    rng = np.random.default_rng(seed)
    noise = rng.normal(0, sd, n)
    for i in range(1, n):
        noise[i] = memory * noise[i - 1] + math.sqrt(1 - memory**2) * noise[i]
    return noise + (rng.random(n) < spikes) * rng.uniform(math.log(1.5), math.log(10), n)


def kinds(shape, n, **noise):
    """The kinds of a shape (logs, or a function of the seed) in each of many noises."""
    logs = (level(seed, n, **noise) + (shape(seed) if callable(shape) else shape) for seed in SEEDS)
    return kinds_of([1e4 * np.exp(each) for each in logs])


def kind(series):
    return kinds_of([series])[0]


def share(found, *expected):
    return sum(each in expected for each in found) / len(found)


def stretch(n, start, stop, ratio):
    at = np.arange(n)
    return math.log(ratio) * ((at >= start) & (at < stop))


# one series


@pytest.mark.parametrize(
    ("n", "noise"),
    [*product([8, 20, 60, 100], [{"sd": 0.02}, {"sd": 0.15}]), (40, {"spikes": 0.12})],
)
def test_a_flat_series_is_flat_with_spikes_too(n, noise):
    assert share(kinds(np.zeros(n), n, **noise), "flat") >= 0.95


@pytest.mark.parametrize("n", [10, 20, 40])
def test_noise_with_a_long_memory_seldom_alarms(n):
    """The small form of the simulation: SD 5 %, lag-1 correlation 0.6, spikes; 5 % may be called
    other than flat.
    """
    found = kinds_of([np.exp(level(seed, n, sd=0.05, memory=0.6)) for seed in range(400)])
    assert share(found, "flat") >= 0.95


def test_rounds_that_differ_are_no_change():
    """Half of the variance common to the four spans of a sample."""
    rng = np.random.default_rng(4)
    common, own = np.repeat(rng.normal(0, 0.7, (300, 5)), 4, axis=1), rng.normal(0, 0.7, (300, 20))
    assert share(kinds_of([*np.exp(0.05 * (common + own))]), "flat") >= 0.95


FADES = math.log(4) * np.exp(-np.arange(60) / 8)
SLOWER = stretch(40, 0, 5, 3) + stretch(40, 15, 40, 1.4)
SHAPES = {
    "a warm-up of 5": ("warm-up", 0.95, stretch(20, 0, 5, 1.5)),
    "a warm-up of 15": ("warm-up", 0.95, stretch(60, 0, 15, 1.5)),
    "a warm-up that fades": ("warm-up", 0.95, FADES),
    "a slow-down of 20": ("slow-down", 0.95, stretch(20, 10, 20, 1.3)),
    "a slow-down of 60": ("slow-down", 0.95, stretch(60, 30, 60, 1.3)),
    "slower than before the warm-up ended": ("slow-down", 0.9, SLOWER),
    "a cycle": ("no-steady-state", 0.95, math.log(1.5) * (np.arange(60) // 6 % 2)),
    "too short a last stretch": ("no-steady-state", 0.9, stretch(20, 17, 20, 1.5)),
}


@pytest.mark.parametrize(("due", "least", "shape"), SHAPES.values(), ids=SHAPES)
def test_the_kind_of_a_series_is_seen(due, least, shape):
    assert share(kinds(shape, len(shape)), due) >= least


def last_segments(shape) -> list[Segment]:
    return [segments(1e4 * np.exp(level(seed, len(shape)) + shape))[-1] for seed in SEEDS]


@pytest.mark.parametrize("n", [20, 60])
def test_the_end_of_a_warm_up_is_found_and_the_level_after_it(n):
    last = last_segments(stretch(n, 0, n // 4, 1.5))
    assert np.mean([abs(each.start - n // 4) <= 1 for each in last]) >= 0.9
    assert np.median([each.level for each in last]) == pytest.approx(1e4, rel=0.02)
    assert 12 <= np.median([each.start for each in last_segments(FADES)]) <= 32


@pytest.mark.parametrize("n", [20, 60])
def test_the_level_after_a_slow_down_is_found(n):
    levels = [each.level for each in last_segments(stretch(n, n // 2, n, 1.3))]
    assert np.median(levels) == pytest.approx(1.3e4, rel=0.02)


def switching(rng):
    """Between two states. Chance decides how such a series ends; that it keeps no level is seen."""
    return math.log(1.5) * (np.cumsum(rng.random(60) < 1 / 8) % 2)


def walking(rng):
    return 0.1 * rng.normal(size=60).cumsum()


@pytest.mark.parametrize(("shape", "most"), [(switching, 0.1), (walking, 0.25)])
def test_what_wanders_is_seldom_flat(shape, most):
    found = kinds(lambda seed: shape(np.random.default_rng(seed + 1000)), 60)
    assert share(found, "flat") <= most


@pytest.mark.parametrize("n", range(8))
def test_short_series_are_unknown(n):
    series = [500.0, 100, 101, 99, 100, 102, 98, 100][:n]
    assert kind(series) == "unknown"
    assert len(segments(series)) == min(n, 1)


STEP = [200.0] * 8 + [100.0] * 12
HOLED = np.insert(STEP, [0, 3, 8, 20], [math.nan, -1.0, 0.0, math.inf])
SMALL = np.repeat([102.0, 100.0], 30)  # below the tolerance


@pytest.mark.parametrize(
    ("series", "due", "cut"),
    [
        ([100.0] * 20, "flat", [(0, 20, 100.0)]),
        (STEP, "warm-up", [(0, 8, 200.0), (8, 20, 100.0)]),
        (HOLED, "warm-up", [(0, 11, 200.0), (11, 24, 100.0)]),  # what is no time is left out
        (SMALL, "flat", [(0, 30, 102.0), (30, 60, 100.0)]),
        ([math.nan] * 30, "unknown", None),
    ],
)
def test_constants_and_clean_steps(series, due, cut):
    assert kind(series) == due
    assert cut is None or segments(series) == tuple(Segment(*each) for each in cut)


def test_a_long_series_is_cut_coarsely():
    series = np.exp(level(2, 5000) + stretch(5000, 0, 2000, 1.3))
    assert kind(series) == "warm-up"
    assert abs(segments(series)[-1].start - 2000) <= 25


def test_the_unit_does_not_matter():
    series = np.exp(level(7, 40) + stretch(40, 0, 12, 1.6))
    assert kind(series) == kind(series * 1e9) == "warm-up"
    small, large = segments(series)[-1], segments(series * 1e9)[-1]
    assert small.start == large.start == 12
    assert large.level == pytest.approx(small.level * 1e9)


@pytest.mark.parametrize("seed", range(12))
def test_the_partition_is_the_best_of_all(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 14))
    logs = rng.normal(0, 0.05, n) + np.repeat(rng.choice([0, 0.5, 1.0], 5), 3)[:n]
    noise, price = change_points.noise_of(logs), change_points.penalty(n)
    middle = change_points.rolling_median(logs[None])[0]
    prepared = np.clip(logs, middle - 3 * noise, middle + 3 * noise) / noise

    def total(cuts):
        parts = np.split(prepared, cuts)
        return sum(np.abs(each - np.median(each)).sum() for each in parts) + price * len(cuts)

    every = (cuts for k in range(n // 3) for cuts in combinations(range(1, n), k))
    least = change_points.SHORTEST_SEGMENT
    allowed = [cuts for cuts in every if min(np.diff([0, *cuts, n])) >= least]
    assert total(change_points.cuts_of(logs[None])[0]) == pytest.approx(min(map(total, allowed)))


# many forks


def two_states(seed, n, slow):
    """Levels of forks with SD 1.2 %, this many of them 1.15x slower, in random order; and which."""
    rng = np.random.default_rng(seed)
    which = rng.permutation(np.arange(n) < slow)
    return rng.normal(0, 0.012, n) + math.log(1.15) * which, which


@pytest.mark.parametrize("forks", ONE_STATE)
@pytest.mark.parametrize("n", [6, 12, 24, 64])
def test_one_state_is_not_called_two(forks, n):
    rng = np.random.default_rng(1)
    found = [len(states(ONE_STATE[forks](rng, n)).sizes) for _ in range(300)]
    assert found.count(2) <= 300 * 0.03  # 2 %, and what chance adds in 300


@pytest.mark.parametrize(
    ("n", "slow", "least"),
    [(8, 4, 0.8), (12, 3, 0.7), (12, 6, 0.95), (24, 4, 0.85), (24, 12, 0.98), (64, 10, 0.98)],
)
def test_two_states_are_found_and_told_apart(n, slow, least):
    right = 0
    for seed in range(100):
        levels, which = two_states(seed, n, slow)
        found = states(levels)
        if len(found.sizes) == 2:
            assert found.ratio == pytest.approx(1.15, rel=0.03)
            assert found.centers[1] - found.centers[0] == pytest.approx(math.log(found.ratio))
            assert sum(found.sizes) + found.outliers == n
            both = zip(found.of_fork, which, strict=True)
            right += all(state in (None, int(slower)) for state, slower in both)
    assert right >= 100 * least


def test_an_outlier_is_no_state_and_hides_none():
    levels, which = two_states(5, 24, 10)
    fast = int(np.flatnonzero(~which)[0])
    levels[fast] = 2.0
    found = states(levels)
    assert found.of_fork[fast] is None
    assert (found.sizes[1], sum(found.sizes) + found.outliers) == (10, 24)
    alone, _ = two_states(5, 24, 0)
    alone[[3, 4]] = 0.5, 0.51
    found = states(alone)
    assert (found.sizes, found.outliers, found.ratio) == ((22,), 2, 1.0)
    assert (found.of_fork[3], found.of_fork[4]) == (None, None)


def test_few_forks_show_one_state():
    assert states([]) == fork_states.States((), (), (), 1.0, 0)
    assert states([math.nan]) == fork_states.States((None,), (), (), 1.0, 0)
    found = states([0.0, 0.5, math.nan, 0.0, 0.5])
    assert (found.of_fork, found.sizes, found.outliers) == ((0, 0, None, 0, 0), (4,), 0)


def test_forks_that_agree_to_the_last_digit():
    assert states([1.0] * 12).sizes == (12,)
    found = states([1.0] * 8 + [1.2] * 4)
    assert (found.sizes, found.of_fork) == ((8, 4), (0,) * 8 + (1,) * 4)
    assert states([1.0] * 8 + [1.01] * 4).sizes == (12,)  # below the tolerance


def test_drift_of_all_and_order_do_not_matter():
    levels, _ = two_states(9, 24, 8)
    found, moved = states(levels), states(levels[::-1] + 18)
    assert moved.of_fork == found.of_fork[::-1]
    assert (moved.sizes, moved.ratio) == (found.sizes, pytest.approx(found.ratio))


def test_many_series_at_once_are_what_each_is_alone():
    rng = np.random.default_rng(3)
    many = [
        np.exp(rng.normal(0, 0.02, length) + np.where(np.arange(length) < cut, 0.3, 0.0))
        for length in (3, 8, 24, 24, 24, 48, 230, 230)
        for cut in (0, length // 4, length // 2)
    ]
    many += [[], [math.nan, 1.0, 2.0], many[4] * np.where(np.arange(len(many[4])) % 5, 1.0, np.nan)]
    found = change_points.kinds_of(many)
    assert found == [kind(each) for each in many]
    assert len(set(found)) > 2


def _clearest_of(ordered: np.ndarray) -> tuple[int, np.ndarray | None]:
    """As the module tells it, one cut after another."""
    best, chosen, kept = 1.0, 0, None
    least, tolerance = fork_states.SMALLEST_STATE, change_points.TOLERANCE
    for cut in range(least, ordered.size - least + 1):
        slower = np.arange(ordered.size) >= cut
        levels = np.where(slower, np.median(ordered[cut:]), np.median(ordered[:cut]))
        deviations = np.abs(ordered - levels)
        keep = deviations <= max(tolerance, 5.0 * 1.4826 * np.median(deviations))
        low, high = ordered[keep & ~slower], ordered[keep & slower]
        smaller, lost = min(low.size, high.size), ordered.size - keep.sum()
        if lost > ordered.size // 12 or smaller < least or high.mean() - low.mean() < tolerance:
            continue
        pooled = (low.var() * low.size + high.var() * high.size) / (low.size + high.size - 2)
        within = max(math.sqrt(max(pooled, low.var(ddof=1), high.var(ddof=1))), 1e-6)
        needed = fork_states.needed_distance(ordered.size, smaller)
        clearness = (high.mean() - low.mean()) / within / needed
        if clearness >= best:
            best, chosen, kept = clearness, cut, keep
    return chosen, kept


@pytest.mark.parametrize("seed", range(40))
def test_all_cuts_at_once_say_what_each_says(seed):
    draw = np.random.default_rng(seed)
    levels = draw.normal(0, 0.01, draw.integers(6, 40))
    levels[draw.random(levels.size) < draw.choice([0.0, 0.3, 0.5])] += draw.choice([0.1, 0.2, 0.5])
    levels[draw.random(levels.size) < 0.05] += 1
    ordered = np.sort(levels)
    (expected, kept), (chosen, keep) = _clearest_of(ordered), fork_states.clearest_split(ordered)
    assert chosen == expected and (kept is keep is None or np.array_equal(kept, keep))
    assert (len(fork_states.states(levels).centers) == 2) == bool(expected)


@pytest.mark.parametrize("points", [12, 20, 48, 97])
def test_what_is_surely_flat_has_no_cuts(points):
    """By the search through all cuts, of series with and without changes; and most flat ones are
    known without it.
    """
    rng, price = np.random.default_rng(points), change_points.penalty(points)
    logs = 0.02 * np.concatenate([rng.normal(size=(200, points)), rng.standard_t(3, (100, points))])
    logs[:100, points // 2 :] += rng.choice([0.02, 0.05, 0.1], (100, 1))
    scaled = logs / np.array([change_points.noise_of(each) for each in logs])[:, None]
    surely = change_points.surely_flat(scaled, price)
    cuts = change_points.cheapest_cuts(change_points.segment_costs(scaled), price)
    flat = np.array([not each for each in cuts])
    assert not (surely & ~flat).any() and surely.sum() >= 0.7 * flat.sum() > 0
    assert (~flat).sum() > 0
