"""Simulations behind docs/decisions/0002-interval-method.md: which interval, which family, which
noise floor.

    python benchmarks/simulate_intervals.py methods | family | groups | coverage | power | floor
    [--groups N] [--seed S]

The noise is like that of the project's machines: forks with heavy tails (pair log ratios of SD 8.8
%, robust SD 3.0 %, as those of Java in `memory_and_placement.py sample-length`; "restless" ones of
robust SD 6.5 %, as those of Go there), two-state forks, +47 % of drift over the run with steps
inside replicates, and autocorrelated rounds.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations_with_replacement

import numpy as np
from scipy.special import stdtrit
from scipy.stats import binom

from iogauge.statistics import comparing, intervals, looks, sequential

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


def measured(rng: np.random.Generator, forks: Array, rounds: int = 5) -> Array:
    """log_ns, shape (..., R, K, C), of forks, shape (..., R, C): each case once per round in random
    order, on a machine that drifts by 47 % over the run, steps by 10 % inside half of the
    replicates, and wavers inside forks (lag 1: 0.6).
    """
    *lead, replicates, cases = forks.shape
    shape = (*lead, replicates, rounds, cases)
    position = (
        rng.permuted(np.broadcast_to(np.arange(cases) / cases, shape), axis=-1)
        + np.arange(rounds)[:, None]
    )
    run = (np.arange(replicates)[:, None, None] + position / rounds) / replicates
    step_at = rng.uniform(0, 2 * rounds, (*lead, replicates, 1, 1))
    waver = rng.normal(0, 0.02, shape)
    for k in range(1, rounds):
        waver[..., k, :] = 0.6 * waver[..., k - 1, :] + 0.8 * waver[..., k, :]
    return 18 + forks[..., None, :] + waver + np.log(1.47) * run + 0.1 * (position > step_at)


def pairs(rng: np.random.Generator, a: str, b: str, n: int, count: int) -> Array:
    """Log ratios of `count` experiments of n replicates, shape (n, count)."""
    forks = np.stack([FORKS[a](rng, (count, n)), FORKS[b](rng, (count, n))], axis=-1)
    log_ns = measured(rng, forks)
    return (
        comparing.paired_log_ratios(log_ns.reshape(-1, *log_ns.shape[2:]), 0, 1, None)
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
            count = groups
            found = {name: [0.0, 0.0, []] for name in METHODS}
            done = 0
            while done < count:
                x = pairs(rng, a, b, n, min(10_000, count - done))
                done += x.shape[1]
                for name, method in METHODS.items():
                    if name == "signed rank" and done > 20_000:
                        continue
                    for place, error in enumerate((0.05, 5e-4)):
                        center, below, above = method(x, error)
                        missed = (typical < center - below) | (typical > center + above)
                        found[name][place] += missed.sum() / (
                            min(count, 20_000) if name == "signed rank" else count
                        )
                    found[name][2].append(np.median(below + above) / 2)
            print(f"n = {n:2}  {a} / {b}")
            for name, (at95, strict, half) in found.items():
                print(
                    f"    {name:12} coverage {100 * (1 - at95):6.2f} %   at 5e-4: {1e4 * strict:6.1f} per 10^4,"
                    f" half-width {100 * np.mean(half):6.2f} %"
                )


# groups


def experiment(
    rng: np.random.Generator,
    kind: str,
    levels: Array,
    languages: list[str],
    precision: float,
    replicates: int,
    comparisons: int | None = None,
) -> sequential.Judgement:
    """One group measured by the real loop: what `judge` does not want any more is not measured any
    more.

    Case 1 is the twin of the baseline, case 0.
    """
    log_ns = measured(rng, FORKS[kind](rng, (replicates, len(levels)))) + levels
    log_ns[:, 1:, levels > np.nanmin(levels) + np.log(10)] = (
        np.nan
    )  # one sample of what is far slower
    for n in (
        comparing.SETTLING_REPLICATES,
        *(look for look in looks.LOOKS if look < replicates),
        replicates,
    ):
        judgement = sequential.judge(
            log_ns[:n], 0, 1, languages, precision, last=n == replicates, comparisons=comparisons
        )
        if judgement.done:
            return judgement
        gone = sorted(set(range(len(levels))) - set(judgement.live))
        log_ns[n:, :, gone] = np.nan
    raise AssertionError("the budget ended and the group was not done")


def claims(judgement: sequential.Judgement) -> Iterator[comparing.Comparison]:
    for c in (
        *judgement.versus_baseline,
        *judgement.versus_language,
        *judgement.versus_overall.values(),
    ):
        if c and c.outcome in ("faster", "slower"):
            yield c


NEVER = 0.001
"""A precision never reached keeps every case measured to the end: the hardest for false alarms."""


def one_each(cases: int) -> int:
    return cases - 1


def reported(cases: int) -> int:
    return 2 * (cases - 1)


def alarms_of_some(task: tuple) -> tuple[int, int]:
    size, twin, kind, cases, labels, replicates, count, seed = task
    rng = np.random.default_rng(seed)
    wrong = suspended = 0
    languages = ["a", "a"] + [chr(ord("a") + c % labels) for c in range(2, cases + 1)]
    levels = np.array([0.0, 0.0 if twin else np.nan] + [0.0] * (cases - 1))
    for _ in range(count):
        judgement = experiment(rng, kind, levels, languages, NEVER, replicates, size(cases))
        wrong += any(claims(judgement))
        suspended += judgement.suspended
    return wrong, suspended


def false_alarms(size, twin, kind, cases, labels, replicates, count, seed) -> str:
    parts = 16
    tasks = [
        (size, twin, kind, cases, labels, replicates, count // parts, [seed, part])
        for part in range(parts)
    ]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        wrong, suspended = (
            np.sum(list(pool.map(alarms_of_some, tasks)), axis=0) * 100 / (count // parts * parts)
        )
    return f"{wrong:5.2f} % of the groups" + (f", suspended {suspended:5.2f} %" if twin else "")


def family(groups: int, seed: int) -> None:
    """A/A groups without a twin, so without its floor: false alarms by the number of comparisons
    that is counted.
    """
    for cases, replicates in ((12, 12), (12, 36), (30, 12)):
        for size in (one_each, reported, looks.family_size):
            share = false_alarms(size, False, "normal", cases, 1, replicates, groups, seed)
            print(
                f"{cases} cases, {replicates} replicates, {size(cases):4} comparisons: {share}",
                flush=True,
            )


def groups(groups: int, seed: int) -> None:
    """A/A groups with the chosen family, as the real loop measures them."""
    for kind in FORKS:
        for twin, cases, labels, replicates in (
            (True, 8, 3, 64),
            (True, 12, 3, 36),
            (False, 12, 1, 36),
        ):
            share = false_alarms(
                looks.family_size, twin, kind, cases, labels, replicates, groups, seed
            )
            words = f"{cases} cases of {labels} languages, {'a' if twin else 'no'} twin, up to {replicates} replicates"
            print(f"{kind:9} {words}: {share}", flush=True)


PLANTED = np.log1p([0.0, 0.0, 0.02, 0.05, 0.10, 0.30])


def covered_of_some(task: tuple) -> tuple[int, int, int, int]:
    """Comparisons, those whose interval holds the truth, groups, those in which all do; settled
    cases have no interval.
    """
    kind, cases, replicates, count, seed = task
    rng = np.random.default_rng(seed)
    comparisons = held = whole = 0
    languages = ["a", "a"] + [chr(ord("a") + c % 2) for c in range(2, cases + 1)]
    for _ in range(count):
        levels = np.concatenate([[0.0, 0.0], rng.choice(PLANTED, cases - 1)])
        judgement = experiment(rng, kind, levels, languages, 0.03, replicates)
        found = [
            *judgement.versus_baseline,
            *judgement.versus_language,
            *judgement.versus_overall.values(),
        ]
        told = [each for each in found if each and not each.settled and each.case != 1]
        inside = [
            each.lo <= np.exp(levels[each.case] - levels[each.reference]) <= each.hi
            for each in told
        ]
        comparisons, held, whole = (
            comparisons + len(inside),
            held + sum(inside),
            whole + all(inside),
        )
    return comparisons, held, count, whole


def coverage(groups: int, seed: int) -> None:
    """Do reported intervals hold the truth, after looks, dropping of cases and the choice of the
    best by the same data?
    """
    for kind in FORKS:
        for cases, replicates in ((2, 64), (8, 36)):
            parts = 16
            tasks = [
                (kind, cases, replicates, groups // parts, [seed, part]) for part in range(parts)
            ]
            with ProcessPoolExecutor(os.cpu_count()) as pool:
                comparisons, held, count, whole = np.sum(
                    list(pool.map(covered_of_some, tasks)), axis=0
                )
            print(
                f"{kind:9} {cases} cases, up to {replicates} replicates: {100 * held / comparisons:6.2f} % of {comparisons} intervals hold "
                f"the truth; in {100 * whole / count:6.2f} % of {count} groups all do",
                flush=True,
            )


def power(groups: int, seed: int) -> None:
    """How often a planted difference to the baseline is found, in a group of ten cases of two
    languages that are measured to the end.
    """
    planted = np.log1p([0.02, 0.05, 0.10, 0.20])
    levels = np.array([0, 0, *planted, *planted[:3], 0.0, np.log(20)])
    languages = list("aaaaaabbbbb")
    for kind in ("normal", "heavy", "restless", "two-state"):
        rng = np.random.default_rng(seed)
        for replicates in (12, 15, 24, 36, 64):
            found = np.zeros(len(levels))
            for _ in range(groups):
                judgement = experiment(rng, kind, levels, languages, NEVER, replicates)
                found += [
                    c is not None and c.outcome == "slower" for c in judgement.versus_baseline
                ]
            shares = 100 * found / groups
            words = "  ".join(
                f"{np.expm1(d):.0%}: {share:5.1f}"
                for d, share in zip(planted, shares[2:6], strict=True)
            )
            print(
                f"{kind:9} at {replicates} replicates, found of planted  {words}  20x: {shares[-1]:5.1f}",
                flush=True,
            )


def floor(groups: int, seed: int) -> None:
    """What the level of the twin's interval costs: share of planted differences that are found
    above its bound.
    """
    comparisons = looks.family_size(10)
    for kind in ("normal", "heavy"):
        for n in (12, 24):
            rng = np.random.default_rng(seed)
            twin, case = (pairs(rng, kind, kind, n, groups) for _ in range(2))
            _, lo, hi, _ = intervals.column_intervals(
                case, looks.error_per_comparison(n, comparisons)
            )
            center = (lo + hi) / 2
            levels = {
                "none": None,
                "95 %": 0.05,
                "one planned": looks.error_per_comparison(n, 1),
                "simultaneous": looks.error_per_comparison(n, comparisons),
            }
            for name, error in levels.items():
                bound, alarm = np.zeros(groups), 0.0
                if error:
                    _, below, above, _ = intervals.column_intervals(twin, error)
                    bound, alarm = np.maximum(-below, above), ((below > 0) | (above < 0)).mean()
                found = {
                    d: ((lo + np.log1p(d) > 0) & (center + np.log1p(d) > bound)).mean()
                    for d in (0.05, 0.1, 0.2)
                }
                shares = "  ".join(f"{d:.0%}: {100 * share:5.1f} %" for d, share in found.items())
                width = f"median {100 * np.median(bound):5.2f} %  alarms {100 * alarm:5.2f} %"
                print(f"{kind:7} n = {n}  floor {name:13} {width}  found {shares}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "what", choices=("methods", "family", "groups", "coverage", "power", "floor")
    )
    parser.add_argument("--groups", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=2)
    arguments = parser.parse_args()
    globals()[arguments.what](arguments.groups, arguments.seed)
