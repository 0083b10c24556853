"""Median or Hodges–Lehmann: which value of a replicate's rounds scatters less?

    python benchmarks/simulate_rounds.py [--count 40000]

Rounds are normal, or one in twenty is disturbed in either direction, or one in ten is slower, or
neighbours go together (lag 1: 0.6). The table has the spread of the Hodges–Lehmann estimate over
that of the median, by the number of rounds.
"""

from __future__ import annotations

import argparse

import numpy as np

ROUNDS = (3, 4, 5, 6, 8, 12)
SD = 0.1


def rounds(kind: str, rng: np.random.Generator, count: int, number: int) -> np.ndarray:
    found = rng.normal(0, SD, (count, number))
    if kind == "disturbed":
        hit = rng.random(found.shape) < 0.05
        found += hit * rng.exponential(0.7, found.shape) * rng.choice([-1, 1], found.shape)
    if kind == "slower":
        found += (rng.random(found.shape) < 0.1) * rng.exponential(0.5, found.shape)
    if kind == "neighbours":
        for at in range(1, number):
            found[:, at] = 0.6 * found[:, at - 1] + 0.8 * found[:, at]
    return found


def hodges_lehmann(values: np.ndarray) -> np.ndarray:
    one, other = np.triu_indices(values.shape[1])
    return np.median((values[:, one] + values[:, other]) / 2, axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=40_000)
    count, rng = parser.parse_args().count, np.random.default_rng(1)
    print(f"| rounds | {' | '.join(map(str, ROUNDS))} |\n|---|{'---|' * len(ROUNDS)}")
    for kind in ("normal", "disturbed", "slower", "neighbours"):
        ratios = []
        for number in ROUNDS:
            found = rounds(kind, rng, count, number)
            ratios.append(hodges_lehmann(found).std() / np.median(found, axis=1).std())
        print(f"| {kind} | {' | '.join(f'{each:.2f}' for each in ratios)} |")


if __name__ == "__main__":
    main()
