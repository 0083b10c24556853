"""Simulations behind docs/decisions/0027-gate.md: what a gate between two versions claims where the
truth is known.

    python benchmarks/simulate_gate.py [--gates N] [--seed S] [--pairs 1,4] [--repeats 40] [--forks normal,…]

Each pair has two versions, and the first one a control; forks are of one of the kinds of
simulate_intervals.py. A gate is looked at after every repeat from the third on, and ends when all
pairs are decided, as in a run. `same, 0 %` and `same, 5 %`: identical code, and what is allowed.
`at the bound`: every new version is exactly as much slower as is allowed, which is where a false
alarm, and a false pass, is most likely. `+10 %, 5 %`: one pair is slower by 10 %, and 5 % is
allowed; `+5 %, 0 %` likewise.
"""

from __future__ import annotations

import argparse
import math
import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from typing import NamedTuple

import numpy as np
from simulate_decisions import typical_variance
from simulate_intervals import FORKS, measured

from iogauge.analysis import judging
from iogauge.decision import group
from iogauge.decision.group import GroupQuestion
from iogauge.decision.shrinkage import Prior
from iogauge.decision.versions import VersionQuestion, gate_of
from iogauge.statistics.intervals import share_of

KINDS = "slower", "not slower", "undecided"
ROUNDS, PRECISION, TOLERANCE = 4, 0.03, 0.1
WRONG = {"÷ 3": 1 / 3, "right": 1.0, "× 3": 3.0}
SPREAD, DEGREES = math.log(3), 4.0
PARTS = 8


class Truth(NamedTuple):
    """What is allowed, and by how much new versions are slower: the first one, and all others."""

    allowed: float
    first: float
    others: float


TRUTHS = {
    "same, 0 %": Truth(0.0, 0.0, 0.0),
    "same, 5 %": Truth(0.05, 0.0, 0.0),
    "at the bound, 5 %": Truth(0.05, 0.05, 0.05),
    "+10 %, 5 %": Truth(0.05, 0.1, 0.0),
    "+5 %, 0 %": Truth(0.0, 0.05, 0.0),
}


class Setting(NamedTuple):
    kind: str
    pairs: int
    truth: str
    factor: float
    repeats: int


def one(rng: np.random.Generator, setting: Setting, variance: float) -> str:
    """What a gate says at its end. Columns are old and new of each pair, then the control."""
    truth, cases = TRUTHS[setting.truth], 2 * setting.pairs + 1
    slower = np.zeros(cases)
    slower[1:-1:2] = np.log1p([truth.first, *[truth.others] * (setting.pairs - 1)])
    forks = FORKS[setting.kind](rng, (setting.repeats, cases))
    logs = measured(rng, forks, ROUNDS) + slower
    both = tuple((at, at + 1) for at in range(0, cases - 1, 2))
    asked = GroupQuestion(
        sets={"old": range(0, cases - 1, 2), "new": range(1, cases - 1, 2)},
        baseline=0,
        control=cases - 1,
        precision=PRECISION,
        tolerance=TOLERANCE,
        versions=VersionQuestion(both, truth.allowed, setting.pairs),
    )
    prior = Prior(math.log(variance * setting.factor), SPREAD, DEGREES)
    for n in range(3, setting.repeats + 1):
        apart = judging.two_states(logs[:n])
        found = group.decide(logs[:n], asked, prior, apart=apart, last=n == setting.repeats)
        if found.done:
            break
        logs[n:, :, sorted(set(range(cases)) - set(found.live))] = np.nan
    return gate_of(each.kind for each in found.versions)


def some(task: tuple[Setting, int, list[int]]) -> Counter[str]:
    setting, count, seed = task
    rng, variance = np.random.default_rng(seed), typical_variance(setting.kind)
    return Counter(one(rng, setting, variance) for _ in range(count))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--gates", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", default="1,4")
    parser.add_argument("--repeats", type=int, default=40)
    parser.add_argument("--forks", default="heavy,two-state")
    given = parser.parse_args()
    print("| forks | pairs | prior | truth | slower | not slower | undecided |")
    print("|---|---|---|---|---|---|---|")
    kinds = given.forks.split(",")
    if unknown := [each for each in kinds if each not in FORKS]:
        parser.error(f"--forks {unknown[0]}: allowed: {', '.join(FORKS)}")
    settings = product(kinds, map(int, given.pairs.split(",")), WRONG, TRUTHS)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for kind, pairs, name, truth in settings:
            setting = Setting(kind, pairs, truth, WRONG[name], given.repeats)
            tasks = [(setting, given.gates // PARTS, [given.seed, part]) for part in range(PARTS)]
            found: Counter[str] = sum(pool.map(some, tasks), Counter())
            cells = " | ".join(cell(found[each], found.total()) for each in KINDS)
            print(f"| {kind} | {pairs} | {name} | {truth} | {cells} |", flush=True)


def cell(count: int, of: int) -> str:
    lo, hi = share_of(count, of)
    return f"{100 * count / of:.1f} % ({100 * lo:.1f}-{100 * hi:.1f})"


if __name__ == "__main__":
    main()
