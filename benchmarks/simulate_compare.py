"""Simulations behind docs/decisions/0028-compare.md: separate runs compared where the truth is known.

    python benchmarks/simulate_compare.py alarms | power [--sets N] [--seed S] [--bases 3] [--rule ours]

A set is some runs of a base and a new one, of groups of ways. From run to run the ratio of a way to
its anchor differs by what all ways of its group have in common and by what is its own, half of the
variance each; how much differs from group to group and from way to way (SDs of the log of the
variance 1.1 and 0.5). `normal`: both are normal; `heavy`: Student's t with three degrees; `rare`:
a group of a run in ten is off by four times as much. The prior is right in the middle, or three times
too small or large (as SDs). A run has ten replicates, which alone would give each way an SD of 1 %.

`alarms`: how often one way or more of identical code is called slower or faster. `power`: how often a
way that takes longer is called slower. `--rule own` takes Student's t of each way's own runs alone;
`--rule stored` takes the stored variance alone, with endless degrees.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from iogauge.decision import separate
from iogauge.decision.anchors import Known
from iogauge.decision.separate import Level, SeparateQuestion, Series
from iogauge.statistics.special import students_t

Array = np.ndarray
SHAPES = {"1 of 4": (1, 4), "3 of 8": (3, 8)}
"""Groups, and ways of each."""
KINDS = ("normal", "heavy", "rare")
BETWEEN = (0.01, 0.03, 0.06)  # SDs between runs
PRIORS = {"÷ 3": 1 / 3, "right": 1.0, "× 3": 3.0}
SLOWER = (1.05, 1.1, 1.2, 1.5)
SPREAD, UNLIKE, COMMON, WITHIN, REPLICATES = math.log(3), 0.5, 0.5, 0.01, 10
_RARE, _OFF = 0.1, 4.0


def effects(rng: np.random.Generator, kind: str, shape: tuple[int, ...]) -> Array:
    """Of variance 1, but for what is rare."""
    if kind == "heavy":
        return rng.standard_t(3, shape) / math.sqrt(3)
    found = rng.normal(size=shape)
    if kind == "rare":
        found = np.where(rng.random(shape) < _RARE, _OFF * found, found)
    return found


def drawn(
    rng: np.random.Generator, kind: str, between: float, ways: int, runs: int
) -> tuple[Array, Array]:
    """The values of a group, shape (ways, runs), and the variances that its replicates show."""
    of_group = between * math.exp(rng.normal(0, SPREAD) / 2)
    of_way = of_group * np.exp(rng.normal(0, UNLIKE, (ways, 1)) / 2)
    common = effects(rng, kind, (1, runs)) * math.sqrt(COMMON)
    own = effects(rng, kind, (ways, runs)) * math.sqrt(1 - COMMON)
    values = of_way * (common + own) + rng.normal(0, WITHIN, (ways, runs))
    seen = WITHIN**2 * rng.chisquare(REPLICATES - 1, (ways, runs)) / (REPLICATES - 1)
    return values, seen


def a_set(
    rng: np.random.Generator,
    kind: str,
    between: float,
    shape: tuple[int, int],
    bases: int,
    prior: float,
) -> list[list[Series]]:
    groups = []
    known = Known(2 * math.log(between * prior), SPREAD, 4.0, COMMON)
    for _ in range(shape[0]):
        values, seen = drawn(rng, kind, between, shape[1], bases + 1)
        levels = [
            [Level(float(value), float(one), REPLICATES) for value, one in zip(*each, strict=True)]
            for each in zip(values, seen, strict=True)
        ]
        groups.append([Series(tuple(each[:-1]), each[-1], known) for each in levels])
    return groups


def ours(groups: Sequence[Sequence[Series]]) -> list[float]:
    """By way its lower bound of the log where it is slower, minus the upper where faster, else 0."""
    question = SeparateQuestion(0.0, 0.03)
    found = [each for of_group in separate.decide(groups, question) for each in of_group]
    bounds = [each.comparison for each in found if each.comparison]
    return [
        math.log(each.lo) if each.lo > 1 else math.log(each.hi) if each.hi < 1 else 0.0
        for each in bounds
    ]


def own(groups: Sequence[Sequence[Series]]) -> list[float]:
    return _simple(groups, stored=False)


def stored(groups: Sequence[Sequence[Series]]) -> list[float]:
    return _simple(groups, stored=True)


def _simple(groups: Sequence[Sequence[Series]], *, stored: bool) -> list[float]:
    ways, found = [each for group in groups for each in group], []
    for each in ways:
        centers, count = [one.center for one in each.bases], len(each.bases)
        assert each.new
        variance = (
            math.exp(each.known.log_variance) + each.new.variance
            if stored
            else float(np.var(centers, ddof=1))
        )
        degrees = math.inf if stored else count - 1
        reach = float(students_t(degrees, separate.ERROR / len(ways)))
        reach *= math.sqrt(variance * (1 + 1 / count))
        center = each.new.center - float(np.mean(centers))
        found.append(center - math.copysign(reach, center) if abs(center) > reach else 0.0)
    return found


RULES: dict[str, Callable[[Sequence[Sequence[Series]]], list[float]]] = {
    "ours": ours,
    "own": own,
    "stored": stored,
}


def alarms(sets: int, seed: int, bases: int, rule: str) -> None:
    print(
        "| groups and ways | runs differ | SD | prior ÷ 3 | right | × 3 |\n|---|---|---|---|---|---|"
    )
    for shape, kind, between in itertools.product(SHAPES, KINDS, BETWEEN):
        told = []
        for prior in PRIORS.values():
            rng = np.random.default_rng(seed)
            called = sum(
                any(RULES[rule](a_set(rng, kind, between, SHAPES[shape], bases, prior)))
                for _ in range(sets)
            )
            told.append(f"{100 * called / sets:.1f} %")
        print(f"| {shape} | {kind} | {between:.0%} | {' | '.join(told)} |", flush=True)


def power(sets: int, seed: int, bases: int, rule: str) -> None:
    print("| groups and ways | SD | " + " | ".join(f"{each:g} times" for each in SLOWER) + " |")
    print("|---|---|" + "---|" * len(SLOWER))
    for shape, between in itertools.product(SHAPES, BETWEEN):
        told = []
        for slower in SLOWER:
            rng, found = np.random.default_rng(seed), 0
            for _ in range(sets):
                groups = a_set(rng, "normal", between, SHAPES[shape], bases, 1.0)
                first = groups[0][0]
                assert first.new
                new = replace(first.new, center=first.new.center + math.log(slower))
                groups[0][0] = Series(first.bases, new, first.known)
                found += RULES[rule](groups)[0] > 0
            told.append(f"{100 * found / sets:.0f} %")
        print(f"| {shape} | {between:.0%} | {' | '.join(told)} |", flush=True)


PROGRAMS = {"alarms": alarms, "power": power}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=list(PROGRAMS))
    parser.add_argument("--sets", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bases", type=int, default=3)
    parser.add_argument("--rule", choices=list(RULES), default="ours")
    parser.add_argument("--error", type=float, default=separate.ERROR, help="of the family")
    given = parser.parse_args()
    separate.ERROR = given.error
    PROGRAMS[given.what](given.sets, given.seed, given.bases, given.rule)


if __name__ == "__main__":
    main()
