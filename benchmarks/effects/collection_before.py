"""What the beginning of a count of `go test`, with its garbage collection, does to what the count
finds, beside iogauge in turns.
"""

from __future__ import annotations

import math
import random
import statistics
import sys
from contextlib import ExitStack
from pathlib import Path

from peers import gobench
from peers.works import Work

from effects.shared import cached, ratio, sampled
from iogauge.model.units import short_size

WORKS = (
    ("go/file-read", 256 << 20, {"block": 8192}),
    ("go/file-read", 4 << 20, {"block": 8192}),
    ("go/read-file", 64 << 20, {}),
    ("go/read-file", 4 << 20, {}),
)
PROCESSES, TURNS = 12, 6
COUNT_SECONDS = 0.4  # of `go test`, as in oracles.py; as much before it does not count


def show(folder: Path) -> None:
    """Two processes of `go test`: what does not count is a count before the one that counts, so
    that a collection lies between them, or the beginning of the same count.
    """
    print(
        "| strategy, size | go test: a collection just before what counts / before what does not count (95 %) | iogauge / go test, just before (95 %) | iogauge / go test, before what does not count (95 %) |"
    )
    print("|---|---|---|---|")
    for strategy, size, parameters in WORKS:
        work = cached(strategy, size, folder, parameters=parameters)
        logs: dict[str, list[float]] = {"iogauge": [], "just before": [], "earlier": []}
        for number in range(PROCESSES):
            for name, level in _levels(work, number, folder).items():
                logs[name].append(math.log(level))
            print(f"{strategy}: {number + 1} of {PROCESSES}", file=sys.stderr, flush=True)
        pairs = (("just before", "earlier"), ("iogauge", "just before"), ("iogauge", "earlier"))
        print(
            f"| {strategy}, {short_size(size)} | {' | '.join(ratio(logs[one], logs[other]) for one, other in pairs)} |",
            flush=True,
        )


def _levels(work: Work, number: int, folder: Path) -> dict[str, float]:
    """ns per operation, the mean over turns, in random order."""
    drawn, ours = random.Random(number), list[float]()
    with ExitStack() as opened:
        fork = opened.enter_context(sampled(work, number, folder))
        counted, layout = max(2, round(COUNT_SECONDS / fork.seconds)), fork.layout
        two = opened.enter_context(
            gobench.in_turns(work, count=2 * TURNS, operations=counted, layout=layout)
        )
        one = opened.enter_context(
            gobench.in_turns(work, count=TURNS, operations=counted, prelude=counted, layout=layout)
        )
        for _ in range(TURNS):
            for oracle in drawn.sample((one, two, None), 3):
                if oracle is None:
                    ours.append(fork.level(work))
                else:
                    oracle.take(2 if oracle is two else 1)
        levels = {"iogauge": ours, "just before": two.scores()[1::2], "earlier": one.scores()}
    return {name: statistics.fmean(each) for name, each in levels.items()}
