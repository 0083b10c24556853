"""Simulations behind docs/decisions/0017-a-control-that-differs.md: what may be told where a group's
control differs, and whether a recommendation needs a low noise floor.

    python benchmarks/simulate_control.py alarm | floor [--groups N] [--seed S] [--cases 8]

The forks are those of `simulate_intervals.py`, the prior is right. On top, each case has a *bias*
that stays the same in all replicates, drawn anew for each group, which no interval can cover: the
code of two cases may be identical, and one is slower all the same. It is given in SDs of a fork.

`alarm`: all cases are identical. How often a control differs, and how often some case is called slower
then, if it must be so by 1, 2, 3 or 5 times as much (as logs) as the control may differ by. Last, how
often one is called slower where the control does not differ, which is the rule of decision 0013.

`floor`: cases with planted differences, measured until one is recommended. How often a recommended
case takes over 10 % longer than the best, where the noise floor is at most 10 %, and where it is
more.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from simulate_decisions import DEGREES, ROUNDS, SPREAD, VARIANCES
from simulate_intervals import FORKS, measured

from iogauge.analysis import judging
from iogauge.decision import best, sets
from iogauge.decision.best import Pairs
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.decision.shrinkage import Prior

Array = np.ndarray
KINDS = ("normal", "restless")
TIMES = (1, 2, 3, 5)
REPLICATES = (6, 12)
BIASES = (0.0, 0.5, 1.0, 2.0, 5.0)
PLANTED = np.log1p([0.02, 0.05, 0.12, 0.15, 0.3])
MOST = 12
TOLERANCE = 0.1
Draw = Callable[[int], Array]


def pairs_of(logs: Array, kind: str) -> Pairs:
    prior = Prior(math.log(VARIANCES[kind]), SPREAD, DEGREES)
    return best.pairs_of(logs, 0, prior, judging.two_states(logs))


def group(rng: np.random.Generator, kind: str, replicates: int, truth: Array, bias: float) -> Array:
    """log_ns, whose last column is the control of the first."""
    columns = len(truth) + 1
    fork = math.sqrt(VARIANCES[kind] / 2)
    logs = measured(rng, FORKS[kind](rng, (replicates, columns)), ROUNDS)
    return logs + np.append(truth, truth[0]) + rng.normal(0, bias * fork, columns)


def alarm(groups: int, seed: int, cases: int) -> None:
    print(
        "| forks | bias | replicates | control differs | called slower then, beyond 1, 2, 3, 5 times |"
        " called slower where it does not |\n|---|---|---|---|---|---|"
    )
    for kind in KINDS:
        for bias in BIASES:
            for replicates in REPLICATES:
                rng = np.random.default_rng(seed)
                found: Counter[object] = Counter()
                for _ in range(groups):
                    logs = group(rng, kind, replicates, np.zeros(cases), bias)
                    found.update(called(pairs_of(logs, kind), cases))
                share = {name: f"{100 * count / groups:.1f} %" for name, count in found.items()}
                then = ", ".join(share.get(times, "0 %") for times in TIMES)
                print(
                    f"| {kind} | {bias:g} | {replicates} | {share.get('alarm', '0 %')} | {then} |"
                    f" {share.get('quiet', '0 %')} |",
                    flush=True,
                )


def called(pairs: Pairs, cases: int) -> list[object]:
    """What holds of a group of identical code."""
    control = sets.control_of(pairs, cases, 0)
    assert control
    if not control.alarm:
        costs = best.costs(pairs, range(cases), cases - 1)
        slower = (costs.lo[:cases] > 0) & (costs.centers[:cases] > control.floor)
        return ["quiet"] * bool(slower.any())
    found: list[object] = ["alarm"]
    for times in TIMES:
        wider = replace(pairs, clock_error=pairs.clock_error + times * control.floor)
        if (best.costs(wider, range(cases), cases - 1).lo[:cases] > 0).any():
            found.append(times)
    return found


def floor(groups: int, seed: int, cases: int) -> None:
    print(
        "| forks | bias | recommended, of groups | noise floor over 10 %, of these |"
        " wrong: floor up to 10 % | wrong: floor over 10 % |\n|---|---|---|---|---|---|"
    )
    for kind in KINDS:
        for bias in BIASES[:3]:
            rng = np.random.default_rng(seed)
            found: Counter[tuple[bool, bool]] = Counter()  # the floor is high, it is wrong
            for _ in range(groups):
                truth = rng.permutation(np.append(0.0, rng.choice(PLANTED, cases - 1)))
                logs = group(rng, kind, MOST, truth, bias)
                found.update(recommended(logs, kind, truth))
            told, high = sum(found.values()), found[True, False] + found[True, True]
            print(
                f"| {kind} | {bias:g} | {100 * told / groups:.0f} % | {100 * high / told:.0f} % |"
                f" {found[False, True]} of {told - high} | {found[True, True]} of {high} |",
                flush=True,
            )


def recommended(logs: Array, kind: str, truth: Array) -> list[tuple[bool, bool]]:
    """Of the first look at which some case is recommended and the control does not differ."""
    cases, margin = len(truth), math.log1p(TOLERANCE)
    for replicates in range(FEWEST_REPLICATES, MOST + 1):
        pairs = pairs_of(logs[:replicates], kind)
        control = sets.control_of(pairs, cases, 0)
        answer = sets.among(pairs, range(cases), cases - 1, TOLERANCE, 0, cases)
        if control and not control.alarm and answer.recommended is not None:
            return [
                (control.floor > margin, bool(truth[answer.recommended] - truth.min() > margin))
            ]
    return []


PROGRAMS = {"alarm": alarm, "floor": floor}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=list(PROGRAMS))
    parser.add_argument("--groups", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=8)
    given = parser.parse_args()
    PROGRAMS[given.what](given.groups, given.seed, given.cases)


if __name__ == "__main__":
    main()
