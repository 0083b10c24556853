"""How the start order of two processes with the same code changes their times."""

from __future__ import annotations

import math
import random
import statistics
import sys
import time
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path

from peers.works import Work

from effects.shared import MEMORY_WRITE, PAUSE, Given, cached, of_a_sample, ratio, warmed_up
from iogauge.model.method import METHOD
from iogauge.model.units import short_size, significant
from iogauge.runners.fork import Fork

PAIRS, SAMPLES = 16, 12
WORKS: tuple[Given, ...] = (
    MEMORY_WRITE,
    ("java/read-all-bytes", 65536, {}, {}),
    ("java/file-input-stream", 4 << 20, {"block": 8192}, {}),
    ("go/read-file", 4 << 20, {}, {}),
)


def show(folder: Path) -> None:
    """Prints the time in the later of two forks of the same strategy, over that in the first.

    The second fork starts when the first is warmed up. Samples of both are as short and as far
    apart as in a run, in random order.
    """
    print(
        "| strategy | pairs | time in the fork that was started later / in the other (95 %) | µs per operation in the other |"
    )
    print("|---|---|---|---|")
    for strategy, size, parameters, more in WORKS:
        work = cached(strategy, size, folder, parameters=parameters, **more)
        logs: list[list[float]] = [[], []]
        for number in range(PAIRS):
            for series, level in zip(logs, _started_in_order(work, number), strict=True):
                series.append(math.log(level))
            print(f"{strategy}: {number + 1} of {PAIRS}", file=sys.stderr, flush=True)
        print(
            f"| {strategy}, {short_size(size)} | {PAIRS} | {ratio(logs[1], logs[0])} | {significant(math.exp(statistics.median(logs[0])) / 1e3)} |",
            flush=True,
        )


def _started_in_order(work: Work, number: int) -> tuple[float, float]:
    """ns of an operation in the first fork and in the second: medians of their samples."""
    launch, drawn, live_forks = work.found.ready.launch, random.Random(number), []
    with ExitStack() as opened:
        for _ in range(2):
            fork = Fork(launch, work.heap_mib, layout=number % launch.layouts)
            opened.callback(fork.end)
            live_forks.append(warmed_up(fork, work))
            live_forks[-1].look_alone(work.task, None)
        _, operations, prelude = of_a_sample(live_forks[0], work, None)
        found: dict[int, list[float]] = defaultdict(list)
        for _ in range(SAMPLES):
            for place in drawn.sample((0, 1), 2):
                time.sleep(PAUSE)
                found[place].append(
                    statistics.median(
                        live_forks[place]
                        .work(work.task, None, operations, prelude + METHOD.warm_spans)
                        .ns[prelude:]
                    )
                    / operations
                )
        return statistics.median(found[0]), statistics.median(found[1])
