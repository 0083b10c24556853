"""Simulations behind docs/decisions/0005-steady-state.md: change points of one series, and states
of several forks.

    python benchmarks/simulate_steadiness.py costs | alarms | kinds | states | rivals | library
    [--series N] [--seed S]

costs: which cost of a segment finds most, each at its own 5 % of false alarms. alarms, kinds:
`change_points.kinds_of` on level series and on series of known shape. states, rivals: `fork_states.states`, and
other ways to ask. library: our partitioning against that of ruptures, which must be installed for
it; rivals shows Hartigan's dip test where diptest is installed.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from collections.abc import Callable

import numpy as np

from iogauge.statistics import change_points, fork_states

Array = np.ndarray
Rng = np.random.Generator

# series


def spikes(rng: Rng, shape: tuple[int, int]) -> Array:
    """One span in 25 is 1.5 to 10 times slower; logs."""
    return (rng.random(shape) < 0.04) * rng.uniform(math.log(1.5), math.log(10), shape)


def series(rng: Rng, count: int, n: int, sd: float, memory: float, tails: bool = False) -> Array:
    """Logs of level series, shape (count, n): first-order autoregressive noise of SD `sd`, with
    spikes; tails: steps of t, 3 degrees.
    """
    steps = rng.standard_t(3, (count, n)) / math.sqrt(3) if tails else rng.normal(0, 1, (count, n))
    noise = np.empty((count, n))
    noise[:, 0] = steps[:, 0]
    for i in range(1, n):
        noise[:, i] = memory * noise[:, i - 1] + math.sqrt(1 - memory**2) * steps[:, i]
    return sd * noise + spikes(rng, (count, n))


def sampled(rng: Rng, count: int, n: int, sd: float) -> Array:
    """The same, but half of the variance is common to the four spans of a sample."""
    samples = np.repeat(rng.normal(0, 1, (count, -(-n // 4))), 4, axis=1)[:, :n]
    return sd * math.sqrt(0.5) * (samples + rng.normal(0, 1, (count, n))) + spikes(rng, (count, n))


def switching(rng: Rng, count: int, n: int) -> Array:
    """Two states, left with probability 1/6 at each point; shape (count, n), 0 or 1."""
    return (np.cumsum(rng.random((count, n)) < 1 / 6, axis=1) + rng.integers(0, 2, (count, 1))) % 2


SHAPES: dict[str, tuple[str, Callable[[Rng, int, int], Array]]] = {
    "warm-up, 2x for 1/4": (
        "warm-up",
        lambda rng, count, n: math.log(2) * (np.arange(n) < max(3, n // 4)),
    ),
    "warm-up, 1.3x for 1/4": (
        "warm-up",
        lambda rng, count, n: math.log(1.3) * (np.arange(n) < max(3, n // 4)),
    ),
    "warm-up, 1.15x for 1/2": (
        "warm-up",
        lambda rng, count, n: math.log(1.15) * (np.arange(n) < n // 2),
    ),
    "warm-up, 4x, fading": (
        "warm-up",
        lambda rng, count, n: math.log(4) * np.exp(-np.arange(n) / (n / 8)),
    ),
    "slow-down, 1.3x at 1/2": (
        "slow-down",
        lambda rng, count, n: math.log(1.3) * (np.arange(n) >= n // 2),
    ),
    "cycle, 1.5x, 5 + 5": (
        "no-steady-state",
        lambda rng, count, n: math.log(1.5) * (np.arange(n) // 5 % 2),
    ),
    "random states, 1.5x": (
        "not flat",
        lambda rng, count, n: math.log(1.5) * switching(rng, count, n),
    ),
    "random walk, steps of 10 %": (
        "not flat",
        lambda rng, count, n: 0.1 * rng.normal(0, 1, (count, n)).cumsum(axis=1),
    ),
    "1.5x for the last three": (
        "no-steady-state",
        lambda rng, count, n: math.log(1.5) * (np.arange(n) >= n - 3),
    ),
}
"""What `kinds_of` should say (where chance decides how a series ends: anything but flat), and logs
of shape (count, n) or (n,).
"""


# costs


def squared(x: Array) -> Array:
    """Sum of squared deviations from the mean of every segment; x has shape (S, n), the costs (S, n
    + 1, n + 1).
    """
    zero = np.zeros((len(x), 1))
    sums, squares = (
        np.concatenate([zero, x.cumsum(1)], 1),
        np.concatenate([zero, (x * x).cumsum(1)], 1),
    )
    return (
        squares[:, None, :]
        - squares[:, :, None]
        - (sums[:, None, :] - sums[:, :, None]) ** 2 / lengths(x)
    )


def lengths(x: Array) -> Array:
    at = np.arange(x.shape[1] + 1)
    return np.maximum(at[None, :] - at[:, None], 1)


def normal(x: Array) -> Array:
    """Mean and variance of each segment: the cost of Barrett et al. 2017 and Traini et al. 2022."""
    return lengths(x) * np.log(np.maximum(squared(x) / lengths(x), 1e-8))


def absolute(x: Array) -> Array:
    return change_points.segment_costs(x)


def bounded(x: Array) -> Array:
    """Squared deviations, none more than 3 noise SDs (Fearnhead & Rigaill 2019), from the best
    point of the series.
    """
    loss = np.minimum((x[:, None, :] - x[:, :, None]) ** 2 / 4, 9.0)
    sums = np.concatenate([np.zeros((*x.shape, 1)), loss.cumsum(2)], 2)
    return np.stack([(sums - sums[:, :, [start]]).min(1) for start in range(x.shape[1] + 1)], 1)


def scaled(x: Array) -> Array:
    return x / np.array([change_points.noise_of(each) for each in x])[:, None]


def clipped(x: Array) -> Array:
    noise = np.array([change_points.noise_of(each) for each in x])[:, None]
    middle = change_points.rolling_median(x)
    return (
        np.clip(x, middle - change_points.CLIP * noise, middle + change_points.CLIP * noise) / noise
    )


def ranks(x: Array) -> Array:
    return x.argsort(1).argsort(1) * math.sqrt(12) / x.shape[1]


COSTS: dict[str, Callable[[Array], Array]] = {
    "squared deviations": lambda x: squared(scaled(x)),
    "the same, spikes clipped": lambda x: squared(clipped(x)),
    "normal, spikes clipped": lambda x: normal(clipped(x)),
    "ranks": lambda x: squared(ranks(x)),
    "bounded squares": lambda x: bounded(scaled(x)),
    "absolute deviations": lambda x: absolute(scaled(x)),
    "**the same, spikes clipped**": lambda x: absolute(clipped(x)),
}


def changes(costs: Array, price: Array | float) -> Array:
    """Whether the best partition of each series has a change, at a price for each; shape (S,)."""
    shortest, n = change_points.SHORTEST_SEGMENT, costs.shape[1] - 1
    best = np.full((len(costs), n + 1), np.inf)
    best[:, 0] = 0
    price = np.broadcast_to(np.asarray(price, dtype=float), (len(costs),))[:, None]
    for stop in range(shortest, n + 1):
        best[:, stop] = (
            best[:, : stop - shortest + 1] + costs[:, : stop - shortest + 1, stop] + price
        ).min(1)
    return best[:, n] < costs[:, 0, n] + price[:, 0] - 1e-9


def highest_price(costs: Array) -> Array:
    """The price up to which a change is found, for each series: by halving."""
    low, high = np.zeros(len(costs)), np.full(len(costs), 1e5)
    for _ in range(40):
        middle = np.sqrt(np.maximum(low, 1e-3) * high)
        found = changes(costs, middle)
        low, high = np.where(found, middle, low), np.where(found, high, middle)
    return high


def show_costs(rng: Rng, count: int) -> None:
    for n in (10, 20, 60):
        level, heavy = series(rng, count, n, 0.05, 0.6), series(rng, count, n, 0.05, 0.6, True)
        shapes = {
            "1.15x, 1/2": math.log(1.15) * (np.arange(n) < n // 2),
            "1.3x, 1/2": math.log(1.3) * (np.arange(n) < n // 2),
            "1.3x, first 3": math.log(1.3) * (np.arange(n) < 3),
            "2x, first 3": math.log(2) * (np.arange(n) < 3),
            "1.3x, 5 + 5": math.log(1.3) * (np.arange(n) // 5 % 2),
        }
        tries = {
            name: series(rng, count // 2, n, 0.05, 0.3) + shape for name, shape in shapes.items()
        }
        print(f"\n| n = {n} | price | alarms, t3 | {' | '.join(tries)} |")
        for name, cost in COSTS.items():
            price = float(np.quantile(highest_price(cost(level)), 0.95))
            found = " | ".join(f"{changes(cost(x), price).mean():.0%}" for x in tries.values())
            print(
                f"| {name} | {price:.1f} | {changes(cost(heavy), price).mean():.1%} | {found} |",
                flush=True,
            )


# kinds


def kinds(logs: Array) -> Counter[str]:
    return Counter(change_points.kinds_of([np.exp(each) * 1e4 for each in logs]))


def show_alarms(rng: Rng, count: int) -> None:
    print("| n | memory 0 | 0.3 | 0.6 | 0.6, t3 | samples of four | ")
    for n in (8, 10, 20, 40, 60, 100):
        cells = []
        for make in (
            lambda sd, n=n: series(rng, count, n, sd, 0),
            lambda sd, n=n: series(rng, count, n, sd, 0.3),
            lambda sd, n=n: series(rng, count, n, sd, 0.6),
            lambda sd, n=n: series(rng, count, n, sd, 0.6, True),
            lambda sd, n=n: sampled(rng, count, n, sd),
        ):
            cells.append(
                ", ".join(
                    f"{100 * (1 - kinds(make(sd))['flat'] / count):.1f}"
                    for sd in (0.02, 0.05, 0.15)
                )
            )
        print(f"| {n} | {' | '.join(cells)} |", flush=True)


def show_kinds(rng: Rng, count: int) -> None:
    sizes = (10, 20, 60)
    print(f"| shape | {' | '.join(f'n = {n}' for n in sizes)} | most of the others, n = 20 |")
    for name, (due, shape) in SHAPES.items():
        cells, others = [], ""
        for n in sizes:
            found = [
                kinds(series(rng, count, n, sd, 0.3) + shape(rng, count, n))
                for sd in (0.02, 0.05, 0.15)
            ]
            cells.append(
                ", ".join(
                    f"{100 * (count - each['flat'] if due == 'not flat' else each[due]) / count:.0f}"
                    for each in found
                )
            )
            if n == 20:
                others = ", ".join(
                    next((kind for kind, _ in each.most_common() if kind != due), "-")
                    for each in found
                )
        print(f"| {name} | {' | '.join(cells)} | {others} |", flush=True)


# states

SLOWER = math.log(1.15)


def two_states(
    rng: Rng, shape: tuple[int, int], share: float, outliers: float = 0.0
) -> tuple[Array, Array]:
    """Levels of forks with SD 1.2 % of which this share is 1.15x slower, and which those are."""
    slow = rng.random(shape) < share
    far = rng.normal(0, 0.3, shape) * (rng.random(shape) < outliers)
    return rng.normal(0, 0.012, shape) + SLOWER * slow + far, slow


ONE_STATE: dict[str, Callable[[Rng, tuple[int, int]], Array]] = {
    "normal": lambda rng, shape: rng.normal(0, 0.021, shape),
    "heavy": lambda rng, shape: rng.normal(0, np.where(rng.random(shape) < 0.1, 0.19, 0.0175)),
    "slow tail": lambda rng, shape: (
        rng.normal(0, 0.0175, shape) + rng.exponential(0.2, shape) * (rng.random(shape) < 0.15)
    ),
    "t3": lambda rng, shape: 0.02 * rng.standard_t(3, shape),
}
FORKS = (6, 8, 12, 18, 24, 36, 64)


def show_states(rng: Rng, count: int) -> None:
    print(
        f"| forks | {' | '.join(ONE_STATE)} | 15 % | of those with 3 slow | with 4 | 50 % | 15 %, outliers | 50 %, outliers |"
    )
    for n in FORKS:
        alarms = [
            np.mean([len(fork_states.states(x).sizes) == 2 for x in make(rng, (count, n))])
            for make in ONE_STATE.values()
        ]
        cells = [f"{each:.2%}" for each in alarms]
        for share, outliers in ((0.15, 0.0), (0.5, 0.0), (0.15, 0.05), (0.5, 0.05)):
            levels, slow = two_states(rng, (count // 4, n), share, outliers)
            found = np.array([len(fork_states.states(x).sizes) == 2 for x in levels])
            cells.append(f"{found.mean():.0%}")
            if share == 0.15 and not outliers:
                of_three, of_four = (found[slow.sum(1) == k] for k in (3, 4))
                cells += [
                    f"{each.mean():.0%}" if each.size else "-" for each in (of_three, of_four)
                ]
        print(f"| {n} | {' | '.join(cells)} |", flush=True)


def normal_mixture(x: Array) -> float:
    """How much BIC prefers two normal distributions of one variance to one normal
    (expectation-maximisation); x ordered.
    """
    n = x.size
    one = n * math.log(x.var() + 1e-12) + 2 * math.log(n)
    cut = 2 + int(np.argmin([x[:k].var() * k + x[k:].var() * (n - k) for k in range(2, n - 1)]))
    means, weights, variance = (
        np.array([x[:cut].mean(), x[cut:].mean()]),
        np.array([cut, n - cut]) / n,
        x.var() / 4 + 1e-12,
    )
    for _ in range(60):
        logs = np.log(weights + 1e-300) - 0.5 * (x[:, None] - means) ** 2 / variance
        shares = np.exp(logs - logs.max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        weights = shares.mean(0)
        means = (shares * x[:, None]).sum(0) / np.maximum(shares.sum(0), 1e-9)
        variance = float((shares * (x[:, None] - means) ** 2).sum() / n) + 1e-9
    densities = (
        np.exp(-0.5 * (x[:, None] - means) ** 2 / variance)
        / np.sqrt(2 * np.pi * variance)
        * weights
    )
    two = -2 * float(np.log(densities.sum(1) + 1e-300).sum()) + 4 * math.log(n)
    return one + n * (1 + math.log(2 * math.pi)) - two


def ashman(x: Array) -> float:
    """Largest D of Ashman, Bird & Zepf 1994 over all cuts that leave two values or more on each
    side; x ordered.
    """
    cuts = range(2, x.size - 1)
    return max(
        math.sqrt(2)
        * (x[k:].mean() - x[:k].mean())
        / math.sqrt(x[:k].var(ddof=1) + x[k:].var(ddof=1) + 1e-12)
        for k in cuts
    )


def show_rivals(rng: Rng, count: int) -> None:
    rules: dict[str, Callable[[Array], bool]] = {
        "BIC prefers two normals by 10": lambda x: normal_mixture(x) > 10,
        "Ashman's D > 5": lambda x: ashman(x) > 5,
        "Ashman's D > 8": lambda x: ashman(x) > 8,
        "**fork_states.states**": lambda x: len(fork_states.states(x).sizes) == 2,
    }
    try:
        import diptest
    except ImportError:
        print("without the dip test: diptest is not installed")
    else:
        rules = {"dip test, p < 0.01": lambda x: diptest.diptest(x)[1] < 0.01, **rules}
    for n in (12, 24, 64):
        print(f"\n| n = {n} | {' | '.join(ONE_STATE)} | 15 % | 50 % |")
        tries = [make(rng, (count, n)) for make in ONE_STATE.values()]
        tries += [two_states(rng, (count, n), share)[0] for share in (0.15, 0.5)]
        for name, rule in rules.items():
            print(
                f"| {name} | {' | '.join(f'{np.mean([rule(x) for x in np.sort(each, 1)]):.1%}' for each in tries)} |",
                flush=True,
            )


# library


def show_library(rng: Rng, count: int) -> None:
    began = time.perf_counter()
    import ruptures

    print(
        f"import ruptures {ruptures.__version__}, after numpy: {time.perf_counter() - began:.2f} s"
    )
    same, spent = 0, [0.0, 0.0]
    for _ in range(count):
        n = int(rng.integers(change_points.FEWEST_POINTS, 101))
        logs = series(rng, 1, n, 0.05, 0.3)[0] + math.log(1.3) * switching(rng, 1, n)[0]
        began = time.perf_counter()
        ours = change_points.cuts_of(logs[None])[0]
        middle = time.perf_counter()
        prepared = clipped(logs[None])[0]
        theirs = (
            ruptures.Pelt(model="l1", min_size=change_points.SHORTEST_SEGMENT, jump=1)
            .fit(prepared)
            .predict(change_points.penalty(n))
        )
        spent[0] += middle - began
        spent[1] += time.perf_counter() - middle
        same += ours == [int(cut) for cut in theirs[:-1]]
    ours_ms, theirs_ms = (each / count * 1e3 for each in spent)
    print(
        f"the same cuts in {same} of {count} series of 8 to 100 points; ms per series: {ours_ms:.1f}, {theirs_ms:.1f}"
    )


def main() -> None:
    shows = {
        "costs": (show_costs, 2000),
        "alarms": (show_alarms, 1000),
        "kinds": (show_kinds, 400),
        "states": (show_states, 2000),
        "rivals": (show_rivals, 1000),
        "library": (show_library, 200),
    }
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=shows)
    parser.add_argument(
        "--series", type=int, help="number of series, or of sets of forks, of each kind"
    )
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    show, usual = shows[given.what]
    show(np.random.default_rng(given.seed), given.series or usual)


if __name__ == "__main__":
    main()
