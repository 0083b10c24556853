"""What a longer prelude does to the times of samples, and to how alike two processes of the same
code are.
"""

from __future__ import annotations

import math
import random
import statistics
import sys
from contextlib import ExitStack
from pathlib import Path

from peers.works import Work

from effects.shared import cached, of_a_sample, warmed_up
from iogauge.measuring import measure
from iogauge.model.units import short_size
from iogauge.runners.fork import Fork
from iogauge.runners.tenant import Tenant
from iogauge.statistics import stats

WORKS = (
    ("java/file-input-stream", 4 << 20, {"block": 8192}, {}),
    ("java/file-channel-direct", 4 << 20, {"block": 131072}, {}),
    ("go/file-read", 4 << 20, {"block": 8192}, {}),
    ("go/file-read", 64 << 10, {"block": 8192}, {}),
    ("go/bufio-read-byte", 1 << 20, {}, {"consume": "sum"}),
)
PAIRS = 12
ROUNDS = {0.008: 12, 0.064: 4}  # by the seconds of the prelude
SETTLED = 0.4  # seconds, after which a sample counts as settled
OTHERS = 0.1  # seconds for which another process works before each sample, as in a run


def show(folder: Path) -> None:
    """Two forks of the same code and a third one that works while they rest, in random order; all
    lengths of prelude in the same forks.
    """
    print(
        "| strategy, size | time after 8 ms / settled (95 %) | after 64 ms / settled (95 %) | between two forks, root mean square: 12 rounds with 8 ms, 4 with 64 ms, 4 settled |"
    )
    print("|---|---|---|---|")
    for strategy, size, parameters, more in WORKS:
        work = cached(strategy, size, folder, parameters=parameters, **more)
        levels: dict[float, list[list[float]]] = {
            seconds: [] for seconds in (*ROUNDS, SETTLED)
        }  # logs of both forks of each pair
        for number in range(PAIRS):
            for seconds, both in _of_a_pair(work, number, folder).items():
                levels[seconds].append(both)
            print(f"{strategy}: {number + 1} of {PAIRS}", file=sys.stderr, flush=True)
        cells = []
        for seconds in ROUNDS:
            over = stats.interval(
                [
                    statistics.fmean(one) - statistics.fmean(settled)
                    for one, settled in zip(levels[seconds], levels[SETTLED], strict=True)
                ],
                0.05,
            )
            cells.append(
                f"{math.exp(over.center):.3f} ({math.exp(over.lo):.3f}–{math.exp(over.hi):.3f})"
            )
        spreads = (
            math.sqrt(statistics.fmean((one - other) ** 2 for one, other in each))
            for each in levels.values()
        )
        print(
            f"| {strategy}, {short_size(size)} | {' | '.join(cells)} | {', '.join(f'{each:.1%}' for each in spreads)} |",
            flush=True,
        )


def _of_a_pair(work: Work, number: int, folder: Path) -> dict[float, list[float]]:
    """By the seconds of the prelude: the log of the median over rounds of ns per operation, of
    either fork.
    """
    launch, drawn = work.found.ready.launch, random.Random(number)
    with ExitStack() as opened:
        tenants: list[Tenant] = []
        for place in range(3):
            fork = Fork(
                launch, work.heap_mib, folder / f"log{place}", layout=number % launch.layouts
            )
            opened.callback(fork.end)
            tenants.append(warmed_up(fork, work, padding=drawn.randrange(1 << 16)))
        *pair, other = tenants
        for tenant in tenants:
            tenant.look_alone(work.task, None)
        seconds, operations, _ = of_a_sample(pair[0], work, None)
        found: dict[float, list[list[float]]] = {}
        turns = [
            (length, place)
            for length, rounds in {**ROUNDS, SETTLED: 4}.items()
            for _ in range(rounds)
            for place in drawn.sample((0, 1), 2)
        ]
        for length, place in drawn.sample(turns, len(turns)):
            overall = max(1, round(OTHERS / seconds))
            other.work(work.task, None, overall, 1)
            prelude = max(1, round(length / seconds / operations))
            ns = (
                pair[place]
                .work(work.task, None, operations, prelude + measure.WARM_SPANS)
                .ns[prelude:]
            )
            found.setdefault(length, [[], []])[place].append(
                math.log(statistics.fmean(ns) / operations)
            )
    return {
        length: [statistics.median(each) for each in found[length]] for length in (*ROUNDS, SETTLED)
    }
