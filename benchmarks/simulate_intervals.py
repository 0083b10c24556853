"""Simulations behind docs/decisions/0002-interval-method.md: which interval for one comparison.

    python benchmarks/simulate_intervals.py methods [--groups N] [--seed S]

The noise is like that of the project's machines: forks with heavy tails (pair log ratios of SD 8.8
%, robust SD 3.0 %, as those of Java in `memory_and_placement.py sample-length`; "restless" ones of
robust SD 6.5 %, as those of Go there), two-state forks, +47 % of drift over the run with steps
inside replicates, and autocorrelated rounds.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import combinations_with_replacement

import numpy as np
from scipy.special import stdtrit
from scipy.stats import binom

from iogauge.statistics import paired

Array = np.ndarray
FORKS: dict[str, Callable[[np.random.Generator, tuple[int, ...]], Array]] = {
    "normal": lambda rng, shape: rng.normal(0, 0.021, shape),
    "heavy": lambda rng, shape: rng.normal(0, np.where(rng.random(shape) < 0.1, 0.19, 0.0175)),
    "two-state": lambda rng, shape: (
        rng.normal(0, 0.012, shape) + np.log(1.15) * (rng.random(shape) < 0.15)
    ),
    "coin": lambda rng, shape: (
        rng.normal(0, 0.012, shape) + np.log(1.15) * (rng.random(shape) < 0.5)
    ),
    "restless": lambda rng, shape: rng.normal(0, np.where(rng.random(shape) < 0.1, 0.14, 0.045)),
    "slow tail": lambda rng, shape: (
        rng.normal(0, 0.0175, shape) + rng.exponential(0.2, shape) * (rng.random(shape) < 0.15)
    ),
}
"""Effect of one fork on the log of its times."""


def measured(
    rng: np.random.Generator, forks: Array, rounds: int = 5, wavering: float = 0.02
) -> Array:
    """log_ns, shape (..., R, K, C), of forks, shape (..., R, C): each case once per round in random
    order, on a machine that drifts by 47 % over the run, steps by 10 % inside half of the
    replicates, and wavers inside forks (SD `wavering`, lag 1: 0.6).
    """
    *lead, replicates, cases = forks.shape
    shape = (*lead, replicates, rounds, cases)
    position = (
        rng.permuted(np.broadcast_to(np.arange(cases) / cases, shape), axis=-1)
        + np.arange(rounds)[:, None]
    )
    run = (np.arange(replicates)[:, None, None] + position / rounds) / replicates
    step_at = rng.uniform(0, 2 * rounds, (*lead, replicates, 1, 1))
    waver = rng.normal(0, wavering, shape)
    for k in range(1, rounds):
        waver[..., k, :] = 0.6 * waver[..., k - 1, :] + 0.8 * waver[..., k, :]
    return 18 + forks[..., None, :] + waver + np.log(1.47) * run + 0.1 * (position > step_at)


def pairs(rng: np.random.Generator, a: str, b: str, n: int, count: int) -> Array:
    """Log ratios of `count` experiments of n replicates, shape (n, count)."""
    forks = np.stack([FORKS[a](rng, (count, n)), FORKS[b](rng, (count, n))], axis=-1)
    log_ns = measured(rng, forks)
    return (
        paired.paired_log_ratios(log_ns.reshape(-1, *log_ns.shape[2:]), 0, 1, None)
        .reshape(count, n)
        .T
    )


# --------------------------------------------------------------------------------------------------------------
# methods Each takes values, shape (n, N), and gives the centre and, for an error, the half-widths
# below and above it.

Method = Callable[[Array, float], tuple[Array, Array, Array]]


def yuen(trim: float) -> Method:
    def method(x: Array, error: float) -> tuple[Array, Array, Array]:
        n = len(x)
        cut = int(trim * n)
        s = np.sort(x, axis=0)
        w = np.clip(s, s[cut], s[n - cut - 1])
        kept = n - 2 * cut
        half = stdtrit(kept - 1, 1 - error / 2) * np.sqrt(w.var(axis=0) * n / (kept * (kept - 1)))
        return s[cut : n - cut].mean(axis=0), half, half

    return method


def huber(x: Array, error: float, k: float = 1.5) -> tuple[Array, Array, Array]:
    """Huber's M-estimator with MAD scale and t on 0.7 (n - 1) degrees (Huber 1970; Gross 1976)."""
    n = len(x)
    center = np.median(x, axis=0)
    scale = 1.4826 * np.median(abs(x - center), axis=0) + 1e-300
    for _ in range(40):
        center = center + scale * np.clip((x - center) / scale, -k, k).mean(axis=0)
    u = (x - center) / scale
    used = (abs(u) < k).mean(axis=0)
    half = scale * np.sqrt((np.clip(u, -k, k) ** 2).sum(axis=0) / (n * (n - 1))) / used
    half = half * stdtrit(0.7 * (n - 1), 1 - error / 2)
    return center, half, half


def biweight(x: Array, error: float) -> tuple[Array, Array, Array]:
    """Tukey's biweight, c = 6, its scale, c = 9, t on 0.7 (n - 1) degrees (Mosteller & Tukey 1977;
    Kafadar 1982).
    """
    n = len(x)
    center = np.median(x, axis=0)
    mad = np.median(abs(x - center), axis=0) + 1e-300
    for _ in range(10):
        w = np.clip(1 - ((x - center) / (6 * mad)) ** 2, 0, None) ** 2
        center = (w * x).sum(axis=0) / w.sum(axis=0)
    u2 = ((x - center) / (9 * mad)) ** 2
    q = np.where(u2 < 1, 1 - u2, 0)
    below = np.where(u2 < 1, q * (1 - 5 * u2), 0).sum(axis=0)
    half = np.sqrt(((x - center) ** 2 * q**4).sum(axis=0) / (below * np.maximum(1, below - 1)))
    half = half * stdtrit(0.7 * (n - 1), 1 - error / 2)
    return center, half, half


def order_statistics(sorted_values: Array, keep_out: int) -> tuple[Array, Array, Array]:
    center = np.median(sorted_values, axis=0)
    if keep_out < 1:
        return center, np.full_like(center, np.inf), np.full_like(center, np.inf)
    return center, center - sorted_values[keep_out - 1], sorted_values[-keep_out] - center


def sign(x: Array, error: float) -> tuple[Array, Array, Array]:
    """The exact interval of the median between order statistics."""
    tails = binom.cdf(np.arange(len(x)), len(x), 0.5)
    return order_statistics(np.sort(x, axis=0), int(np.searchsorted(tails, error / 2, "right")))


def signed_rank(x: Array, error: float) -> tuple[Array, Array, Array]:
    """Hodges & Lehmann's centre and the exact Wilcoxon interval between Walsh averages."""
    n = len(x)
    counts = np.ones(1)
    for rank in range(1, n + 1):
        counts = np.append(counts, np.zeros(rank)) + np.append(np.zeros(rank), counts)
    keep_out = int(np.searchsorted(np.cumsum(counts) / 2.0**n, error / 2, "right"))
    walsh = np.array([(x[i] + x[j]) / 2 for i, j in combinations_with_replacement(range(n), 2)])
    return order_statistics(np.sort(walsh, axis=0), keep_out)


METHODS: dict[str, Method] = {
    "Student t": yuen(0),
    "Yuen 10 %": yuen(0.1),
    "Yuen 20 %": yuen(0.2),
    "Yuen 25 %": yuen(0.25),
    "Huber 1.5": huber,
    "biweight": biweight,
    "signed rank": signed_rank,
    "sign": sign,
}
SIGNED_RANKS = 20_000  # groups: it takes long
NOISES = [
    ("normal", "normal"),
    ("heavy", "heavy"),
    ("two-state", "two-state"),
    ("coin", "coin"),
    ("heavy", "normal"),
    ("two-state", "normal"),
    ("slow tail", "normal"),
]


def methods(groups: int, seed: int) -> None:
    """Coverage of the typical (median) ratio at 95 %, and what a family leaves: errors per 10^4 at
    5e-4, half-width.
    """
    for n in (5, 8, 12, 18, 24, 36):
        for a, b in NOISES:
            rng = np.random.default_rng([seed, n])
            typical = 0.0 if a == b else float(np.median(pairs(rng, a, b, n, 400_000 // n)))
            missed = {name: np.zeros(2) for name in METHODS}  # at 5 %, at 5e-4
            halves: dict[str, list[float]] = {name: [] for name in METHODS}
            done = 0
            while done < groups:
                x = pairs(rng, a, b, n, min(10_000, groups - done))
                done += x.shape[1]
                for name, method in METHODS.items():
                    if name == "signed rank" and done > SIGNED_RANKS:
                        continue
                    for place, error in enumerate((0.05, 5e-4)):
                        center, below, above = method(x, error)
                        out = (typical < center - below) | (typical > center + above)
                        missed[name][place] += np.count_nonzero(out)
                    halves[name].append(float(np.median(below + above)) / 2)
            print(f"n = {n:2}  {a} / {b}")
            for name, count in missed.items():
                of = min(groups, SIGNED_RANKS) if name == "signed rank" else groups
                print(
                    f"    {name:12} coverage {100 * (1 - count[0] / of):6.2f} %   at 5e-4: "
                    f"{1e4 * count[1] / of:6.1f} per 10^4, half-width {100 * np.mean(halves[name]):6.2f} %"
                )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("methods",))
    parser.add_argument("--groups", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=2)
    arguments = parser.parse_args()
    methods(arguments.groups, arguments.seed)
