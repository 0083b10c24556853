"""How much memory is brought in for a fresh array per operation when iogauge and `go test` take
turns, as in oracles.py.
"""

from __future__ import annotations

import math
import random
import statistics
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from peers import gobench
from peers.works import Work

from effects.shared import cached, ratio, sampled, spread
from iogauge.measuring import measure
from iogauge.model.units import short_size

SIZES = (4 << 20, 64 << 20)
PROCESSES, TURNS = 12, 6
COUNT_SECONDS = 1.0  # of `go test`, as in oracles.py; one before it does not count


class _Turns(NamedTuple):
    """All per operation, the mean over turns."""

    ns: float
    faults: float


def show(folder: Path) -> None:
    """The other one rests meanwhile: iogauge for two counts, `go test` for a sample only. What does
    not count is not counted here, either.
    """
    print("| size | iogauge / go test (95 %) | pages brought in per operation: iogauge, go test |")
    print("|---|---|---|")
    for size in SIZES:
        work = cached("go/read-file", size, folder)
        found: list[tuple[_Turns, _Turns]] = []
        for number in range(PROCESSES):
            found.append(_in_turns(work, number, folder))
            print(f"{short_size(size)}: {number + 1} of {PROCESSES}", file=sys.stderr, flush=True)
        ours, theirs = zip(*found, strict=True)
        pages = "; ".join(spread([each.faults for each in of], 0) for of in (ours, theirs))
        print(
            f"| {short_size(size)} | {ratio(*([math.log(each.ns) for each in of] for of in (ours, theirs)))} | {pages} |",
            flush=True,
        )


def _in_turns(work: Work, number: int, folder: Path) -> tuple[_Turns, _Turns]:
    drawn, found = random.Random(number), list[_Turns]()
    with ExitStack() as opened:
        fork, tenant, seconds, operations, prelude, layout = opened.enter_context(
            sampled(work, number, folder)
        )
        oracle = opened.enter_context(
            gobench.in_turns(
                work,
                count=2 * TURNS,
                operations=max(2, round(COUNT_SECONDS / seconds)),
                layout=layout,
            )
        )
        for _ in range(TURNS):
            for theirs in drawn.sample((True, False), 2):
                if theirs:
                    oracle.take(2)
                    continue
                tenant.work(work.task, None, operations, prelude)
                before = fork.witness.look()
                ns = tenant.work(work.task, None, operations, measure.WARM_SPANS).ns
                faults = fork.witness.look().since(before)["minor_faults"]
                found.append(
                    _Turns(statistics.fmean(ns) / operations, faults / operations / len(ns))
                )
        levels = oracle.scores()[1::2]
        faults_per_op = gobench.columns(oracle.text)[2][1::2]
    ours = _Turns(*map(statistics.fmean, zip(*found, strict=True)))
    return ours, _Turns(statistics.fmean(levels), statistics.fmean(faults_per_op))
