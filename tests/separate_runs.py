"""Separate runs of one plan, made by hand: their times, their machine's pace and what differs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from iogauge.model.plan import ReplicateId
from iogauge.runfile.records import Canary, End, Failure, Round, in_part
from iogauge.runfile.run import Run
from iogauge.runners.preparing import Ready
from tests.runs import add_sample, empty_run, end_replicate

SPEEDS, ROUNDS = (10, 20, 40), 3


def a_run(
    fake: Ready,
    name: str,
    *,
    times: Sequence[float] = (1.0, 1.0, 1.0),
    pace: float = 1.0,
    replicates: int = 5,
    scatter: float = 0.002,
    failing: Sequence[int] = (),
    over: bool = True,
    control: float = 1.0,
    canary: bool = True,
    change: Callable[[Run], Any] = lambda run: None,
) -> Run:
    """A run whose machine has this `pace`: all takes so many times as long, fixed work too. The
    ways take so many `times` as long beside; the control takes `control` times the baseline.
    """
    run = empty_run(fake, *SPEEDS, rounds=ROUNDS)
    known = {**run.header.host, "identity": "one-machine", "python": "3"}
    run.header = run.header.model_copy(update={"id": name, "host": known, "started": _when(name)})
    rng = np.random.default_rng(sum(name.encode()))
    usual = [*(1e6 * each for each in SPEEDS), 1e6 * SPEEDS[0]]
    ratios = [*times, times[0] * control]
    for replicate in range(replicates):
        for number in range(ROUNDS):
            if canary:
                fixed = Canary(150e3 * pace, 200e3 * pace)
                where = in_part(ReplicateId(0, replicate, 0), 0)
                run.add(Round(**where, group=0, round=number, canary=fixed))
            for case in range(len(run.plan.cases)):
                if case not in failing:
                    spread = math.exp(rng.normal(0, scatter))
                    add_sample(
                        run,
                        case,
                        replicate,
                        number,
                        case,
                        [usual[case] * ratios[case] * pace * spread],
                    )
        end_replicate(run, replicate)
    for case in failing:
        run.add(Failure(case=case, reason="it broke"))
    if over:
        run.add(End(reason="decided", seconds=float(replicates)))
    change(run)
    return run


def _when(name: str) -> str:
    """Another moment for each name."""
    return f"2026-01-{1 + sum(name.encode()) % 28:02}T00:00:00+00:00"


def with_host(**facts: Any) -> Callable[[Run], None]:
    def change(run: Run) -> None:
        run.header = run.header.model_copy(update={"host": {**run.header.host, **facts}})

    return change


def with_runtimes(builds: Mapping[str, str], versions: Mapping[str, str]) -> Callable[[Run], None]:
    """The baseline and its control on `fake-a`, the others on `fake-b`, in these builds."""

    def change(run: Run) -> None:
        (fake,) = run.header.runtimes
        runtimes = tuple(
            fake.model_copy(
                update={"name": f"fake-{each}", "build": builds[each], "version": versions[each]}
            )
            for each in builds
        )
        group = run.plan.groups[0]
        own = {group.baseline, group.control}
        cases = tuple(
            case.model_copy(update={"runtime": "fake-a" if number in own else "fake-b"})
            for number, case in enumerate(run.plan.cases)
        )
        forks = list(run.plan.forks)
        for number, fork in enumerate(run.plan.fork_of):
            forks[fork] = forks[fork].model_copy(update={"runtime": cases[number].runtime})
        plan = run.plan.model_copy(update={"cases": cases, "forks": tuple(forks)})
        run.header = run.header.model_copy(update={"runtimes": runtimes, "plan": plan})

    return change
