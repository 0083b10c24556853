"""Simulations behind docs/decisions/0013-decision-rule.md: what the rule claims where the truth is
known.

    python benchmarks/simulate_decisions.py truth | rounds | power | behind [--groups N] [--seed S]
        [--cases 2,5,12] [--forks NAME,…]

`truth`: groups of identical and of planted cases on forks of all kinds, with a prior that is right,
and wrong by a factor of 3. They have no control, whose noise floor would hide false alarms.
A look is wrong if one of the intervals of the costs does not hold the truth; it is a false alarm if
one of the best cases is called surely slower. `at the end`: the look at which the group is decided.
`ever`: any of 16 looks, from the third replicate to the 36th, at a group that is measured to the
end: so whoever interrupts a run somewhere errs no more often than that.

`rounds`: as `truth`, with rounds whose noise differs from group to group (SD 2 to 30 %, 3 to 8
rounds, lag 1: 0.6), judged by the prior that takes it into account.

`power`: how often a case that takes 10 % longer is called surely slower after 6 and 12 replicates,
beside the rule before this one: 1.25 % shared by all pairs, without a prior (decision 0002).

`behind`: as `truth` at the end, with half of the cases in as few rounds as a case gets that is far
behind: two, three, or all. One of these is as fast as the best, and was misjudged. One sample in
twenty is disturbed. What a case far behind varies by from replicate to replicate then differs from
what the others do, and their variances are shrunken together.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.stats import chi2
from simulate_intervals import FORKS, measured

from iogauge.analysis import judging
from iogauge.decision import group
from iogauge.decision.group import GroupDecision, GroupQuestion
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.decision.priors import shipped
from iogauge.decision.shrinkage import Prior
from iogauge.statistics.intervals import interval

Array = np.ndarray
MOST = 36
EACH = range(FEWEST_REPLICATES, MOST + 1)
SOME = (*range(FEWEST_REPLICATES, 13), 14, 16, 20, 24, 30, 36)
ROUNDS = 3
WRONG = {"÷ 3": 1 / 3, "right": 1.0, "× 3": 3.0}
DEGREES = 4.0
SPREAD = math.log(3)
PLANTED = np.log1p([0, 0, 0.02, 0.05, 0.1, 0.3])
PARTS = 8
TINY = 1e-9
INFLATION = min(each.explained.inflation for each in shipped().values() if each.explained)
"""The least that is shipped; of rounds with a correlation of 0.6 it would be 1.5 to 2.5."""


def typical_variance(kind: str) -> float:
    """The typical variance of a pair of such forks, freed of the bias of a median."""
    forks = FORKS[kind](np.random.default_rng(5), (20_000, 8))
    pairs = forks[:, ::2] - forks[:, 1::2]
    degrees = pairs.shape[1] - 1
    return float(np.median(pairs.var(axis=1, ddof=1)) * degrees / chi2.median(degrees))


def truths(rng: np.random.Generator, truth: str, cases: int) -> Array:
    """The logs of what cases cost."""
    if truth == "identical":
        return np.zeros(cases)
    return np.append(0.0, rng.choice(PLANTED, cases - 1))


class Setting(NamedTuple):
    kind: str
    cases: int
    truth: str
    factor: float
    noisy: bool = False


class Wrong(NamedTuple):
    """Of one group."""

    at_the_end: bool
    alarm_at_the_end: bool
    ever: bool
    alarm_ever: bool
    replicates: int
    decided: bool


def looks(
    logs: Array, at: Sequence[int], control: bool, prior: Prior, tolerance: float
) -> Iterator[tuple[int, GroupDecision]]:
    """The decisions of a group whose last column is the control of the first. What is decided is
    measured no more.
    """
    logs = logs.copy()
    cases = logs.shape[2] - 1
    if not control:
        logs[:, :, cases] = np.nan
    asked = GroupQuestion(
        sets={"all": range(cases)}, baseline=0, control=cases, precision=0.03, tolerance=tolerance
    )
    for n in at:
        apart = judging.two_states(logs[:n])
        judged = group.decide(logs[:n], asked, prior, apart=apart, last=n == at[-1])
        yield n, judged
        if judged.done:
            return
        logs[n:, :, sorted(set(range(cases + 1)) - set(judged.live))] = np.nan


def errs(judged: GroupDecision, truth: Array) -> tuple[bool, bool]:
    """Whether an interval misses its truth, and whether one of the best is called surely slower."""
    answer = judged.answers["all"]
    lo, hi = answer.costs.lo[: len(truth)], answer.costs.hi[: len(truth)]
    known = np.isfinite(answer.costs.centers[: len(truth)])
    missed = ((truth < lo - TINY) | (truth > hi + TINY)) & known
    return bool(missed.any()), any(truth[case] < TINY for case in answer.surely_slower)


NEVER = 1e-6
"""A tolerance that is never reached: each case is measured to the end."""


def one(rng: np.random.Generator, setting: Setting) -> Wrong:
    truth = truths(rng, setting.truth, setting.cases)
    forks = FORKS[setting.kind](rng, (MOST, setting.cases + 1))
    rounds, wavering = ROUNDS, 0.02
    prior = Prior(math.log(VARIANCES[setting.kind] * setting.factor), SPREAD, DEGREES)
    if setting.noisy:
        rounds, wavering = int(rng.integers(3, 9)), math.exp(rng.uniform(*np.log([0.02, 0.3])))
        shape = (setting.cases + 1, setting.cases + 1)
        prior = replace(prior, inflation=INFLATION, forks=np.full(shape, prior.log_variance))
    logs = measured(rng, forks, rounds, wavering) + np.append(truth, 0.0)
    *_, (replicates, last) = looks(logs, EACH, False, prior, 0.1)
    all_looks = [errs(each, truth) for _, each in looks(logs, SOME, False, prior, NEVER)]
    return Wrong(
        *errs(last, truth),
        any(missed for missed, _ in all_looks),
        any(alarm for _, alarm in all_looks),
        replicates,
        last.answers["all"].decided,
    )


ALL_ROUNDS, FEW = 5, (2, 3, 5)
DISTURBED, BY = 0.05, math.log(1.4)


class Behind(NamedTuple):
    kind: str
    cases: int
    factor: float
    few: int


def behind_once(rng: np.random.Generator, setting: Behind) -> tuple[bool, bool, int, bool]:
    """Whether a group at its end misses, whether it raises a false alarm, its replicates, and
    whether it is decided. The latter half of its cases takes part in few rounds, the same for all
    of them and drawn anew in each replicate, and all but the first of these are far behind.
    """
    near = setting.cases // 2
    far = np.log(rng.choice([1.6, 2.5, 4, 7], setting.cases - near - 1))
    truth = np.concatenate([truths(rng, "planted", near), [0.0], far])
    forks = FORKS[setting.kind](rng, (MOST, setting.cases + 1))
    logs = measured(rng, forks, ALL_ROUNDS) + np.append(truth, 0.0)
    logs += BY * (rng.random(logs.shape) < DISTURBED)
    rank = rng.permuted(np.broadcast_to(np.arange(ALL_ROUNDS), logs.shape[:2]), axis=1)
    logs[:, :, near:-1][rank >= setting.few] = np.nan
    prior = Prior(math.log(VARIANCES[setting.kind] * setting.factor), SPREAD, DEGREES)
    *_, (replicates, last) = looks(logs, EACH, False, prior, 0.1)
    return *errs(last, truth), replicates, last.answers["all"].decided


def behind_some(task: tuple[Behind, int, list[int]]) -> list[tuple[bool, bool, int, bool]]:
    setting, count, seed = task
    rng = np.random.default_rng(seed)
    return [behind_once(rng, setting) for _ in range(count)]


def behind(groups: int, seed: int, cases: Sequence[int], kinds: Sequence[str]) -> None:
    print(
        "| forks | cases | prior | rounds | missed | called slower | decided, after |\n"
        "|---|---|---|---|---|---|---|"
    )
    settings = product(kinds, cases, WRONG, FEW)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for kind, count, name, few in settings:
            setting = Behind(kind, count, WRONG[name], few)
            tasks = [(setting, groups // PARTS, [seed, part]) for part in range(PARTS)]
            found = np.array([each for part in pool.map(behind_some, tasks) for each in part])
            missed, alarm, _, decided = 100 * found.mean(axis=0)
            after = found[found[:, 3] > 0, 2]
            print(
                f"| {kind} | {count} | {name} | {few} | {missed:.1f} % | {alarm:.1f} % |"
                f" {decided:.0f} %, {np.mean(after):.1f} |",
                flush=True,
            )


VARIANCES = {kind: typical_variance(kind) for kind in FORKS}


def some(task: tuple[Setting, int, list[int]]) -> list[Wrong]:
    setting, count, seed = task
    rng = np.random.default_rng(seed)
    return [one(rng, setting) for _ in range(count)]


def rounds(groups: int, seed: int, cases: Sequence[int], kinds: Sequence[str]) -> None:
    truth(groups, seed, cases, kinds, noisy=True)


def truth(
    groups: int, seed: int, cases: Sequence[int], kinds: Sequence[str], *, noisy: bool = False
) -> None:
    print(
        "| forks | cases | truth | prior | missed at the end, ever | called slower at the end, ever"
        " | decided, after |\n|---|---|---|---|---|---|---|"
    )
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for kind in kinds:
            for count in cases:
                for what in ("identical", "planted"):
                    for name, factor in WRONG.items():
                        setting = Setting(kind, count, what, factor, noisy)
                        tasks = [(setting, groups // PARTS, [seed, part]) for part in range(PARTS)]
                        found = [each for part in pool.map(some, tasks) for each in part]
                        print(row(setting, name, found), flush=True)


def row(setting: Setting, name: str, found: list[Wrong]) -> str:
    table = np.array([each[:4] for each in found])
    missed, alarm, ever, alarm_ever = 100 * table.mean(axis=0)
    decided = [each.replicates for each in found if each.decided]
    after = f"{np.median(decided):.0f}" if decided else "–"
    return (
        f"| {setting.kind} | {setting.cases} | {setting.truth} |"
        f" {name} | {missed:.1f}, {ever:.1f} % | {alarm:.1f}, {alarm_ever:.1f} % |"
        f" {100 * len(decided) / len(found):.0f} %, {after} |"
    )


def power(groups: int, seed: int, cases: Sequence[int], kinds: Sequence[str]) -> None:
    """Found of one case that takes 10 % longer than all others, with a control and the right prior."""
    print("| forks | cases | replicates | found by the old rule | found |\n|---|---|---|---|---|")
    for kind in kinds:
        for count in cases:
            for n in (6, 12):
                rng = np.random.default_rng(seed)
                levels = np.append(
                    np.zeros(count - 1), np.log([1.1, 1.0])
                )  # the control comes last
                old = new = 0
                for _ in range(groups):
                    logs = measured(rng, FORKS[kind](rng, (n, count + 1)), ROUNDS) + levels
                    *_, (_, last) = looks(
                        logs, [n], True, Prior(math.log(VARIANCES[kind]), SPREAD, DEGREES), NEVER
                    )
                    new += count - 1 in last.answers["all"].surely_slower
                    old += found_before(logs, count)
                print(
                    f"| {kind} | {count} | {n} | {100 * old / groups:.0f} % |"
                    f" {100 * new / groups:.0f} % |",
                    flush=True,
                )


def found_before(logs: Array, cases: int) -> bool:
    """Whether the last case is slower than the best, and than the noise floor, by the old rule."""
    paired = np.median(logs - logs[:, :, :1], axis=1)  # shape (R, C)
    best = int(np.argmin(paired[:, :cases].mean(axis=0)))

    to_best = interval(paired[:, cases - 1] - paired[:, best], 0.0125 / (cases * (cases - 1) / 2))
    control = interval(paired[:, cases], 0.0125)
    floor = max(abs(control.lo), abs(control.hi))
    return to_best.lo > 0 and to_best.center > floor and control.lo <= 0 <= control.hi


PROGRAMS = {"truth": truth, "rounds": rounds, "power": power, "behind": behind}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=list(PROGRAMS))
    parser.add_argument("--groups", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", default="2,5,12")
    parser.add_argument("--forks", default=",".join(FORKS), help="kinds of forks, by name")
    given = parser.parse_args()
    cases, kinds = [int(each) for each in given.cases.split(",")], given.forks.split(",")
    if unknown := set(kinds) - set(FORKS):
        parser.error(f"no such forks: {', '.join(unknown)}; there are {', '.join(FORKS)}")
    PROGRAMS[given.what](given.groups, given.seed, cases, kinds)


if __name__ == "__main__":
    main()
