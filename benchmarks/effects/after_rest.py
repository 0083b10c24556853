"""How long a process is slow after it idled."""

from __future__ import annotations

import math
import random
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
from peers.works import Work

from effects.shared import cached, warmed_up
from iogauge.model.units import short_size
from iogauge.runfile.arrays import Floats
from iogauge.runners.fork import Fork

WORKS = (
    ("go/file-read", 4 << 20, {"block": 8192}),
    ("java/file-input-stream", 4 << 20, {"block": 8192}),
    *(("go/read-file", size, {}) for size in (1 << 16, 1 << 20, 4 << 20, 64 << 20)),
    *(
        (name, 4 << 20, {})
        for name in (
            "java/read-all-bytes",
            "rust/read",
            "go/mmap",
            "rust/mmap",
            "java/file-channel-mapped",
        )
    ),
)
RESTS = (
    0.02,
    0.3,
)  # seconds: a fork waits about so long between samples, alone with its control and among a dozen others
PROCESSES, TIMES = 4, 10
SPAN_AFTER, LONG_ENOUGH = (
    0.0005,
    0.4,
)  # seconds of operations in a span, and in all spans after a rest
AFTER = (
    0,
    4,
    8,
    16,
    32,
    64,
    100,
    200,
)  # ms after the rest; what comes after the last counts as settled


def show(folder: Path) -> None:
    """Prints the time of an operation in the ms after a rest, over its time once it has settled.

    A prelude has to hide the difference.
    """
    print(
        f"| strategy, size | rest | after {', '.join(f'{first} to {end}' for first, end in pairwise(AFTER))} ms |"
    )
    print("|---|---|---|")
    for strategy, size, parameters in WORKS:
        work = cached(strategy, size, folder, parameters=parameters)
        curves: dict[float, list[Floats]] = {rest: [] for rest in RESTS}
        for number in range(PROCESSES):
            _add_curves(work, number, curves)
        for rest, found in curves.items():
            shown = ", ".join(
                "none began" if math.isnan(level) else f"{level - 1:+.1%}"
                for level in map(_mean, np.transpose(found))
            )
            print(f"| {strategy}, {short_size(size)} | {rest * 1e3:.0f} ms | {shown} |", flush=True)


def _add_curves(work: Work, number: int, curves: dict[float, list[Floats]]) -> None:
    """Adds the curves of one process, one per rest.

    A curve holds, per interval of time after the rest, the mean of the spans that began in it, over
    the mean of the spans that began after the last interval.
    """
    launch, drawn = work.found.ready.launch, random.Random(number)
    fork = Fork(launch, work.heap_mib, layout=number % launch.layouts)
    try:
        live_fork = warmed_up(fork, work)
        live_fork.look_alone(work.task, None)
        seconds = live_fork.levels[work.task.shape] / 1e9
        operations = max(1, round(SPAN_AFTER / seconds))
        spans = round(LONG_ENOUGH / seconds / operations)
        for _ in range(TIMES):
            for rest in drawn.sample(RESTS, len(RESTS)):
                time.sleep(rest)
                ns = np.array(live_fork.work(work.task, None, operations, spans).ns, dtype=float)
                part = np.searchsorted(AFTER, (np.cumsum(ns) - ns) / 1e6, side="right") - 1
                levels = np.array(
                    [_mean(ns[part == place]) for place in range(len(AFTER))]
                )  # NaN where one span was so long that none began there
                curves[rest].append(levels[:-1] / levels[-1])
    finally:
        fork.end()


def _mean(values: Floats) -> float:
    """The mean of the values that are not NaN; NaN if there are none."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan
