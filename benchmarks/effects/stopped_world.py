"""What it takes to ask Go's runtime for what stops it."""

from __future__ import annotations

import math
import random
import statistics
import sys
from collections import defaultdict
from pathlib import Path

from peers import gobench

from effects.shared import cached, ratio
from iogauge.model.units import short_size

WORKS = (
    ("go/mmap", 4 << 20, {}),
    ("go/mmap", 1 << 20, {}),
    ("go/file-read", 4 << 20, {"block": 8192}),
)
PROCESSES, SPANS, SPAN, FIRST_SPANS = 20, 250, 0.002, 25  # seconds; the first ones are left out


def show(folder: Path) -> None:
    """A program of neither tool, which asks `runtime.ReadMemStats` before each span, or not at all;
    processes of either in turns.
    """
    print(
        "| strategy, size | stopped before each span / never (95 %) | switches of threads per operation: stopped, never |"
    )
    print("|---|---|---|")
    for strategy, size, parameters in WORKS:
        programs = {
            name: cached(strategy, size, folder, parameters=parameters, options=options)
            for name, options in (("stopped", ("IOGAUGE_PEER_STOPPED=1",)), ("never", ()))
        }
        operations = max(1, round(SPAN * 1e9 / gobench.plain(programs["never"], 20, 2)[1].ns))
        levels: dict[str, list[float]] = defaultdict(list)
        switches: dict[str, list[float]] = defaultdict(list)
        for number in range(PROCESSES):
            for name in random.Random(number).sample([*programs], 2):
                work = programs[name]
                spans = gobench.plain(
                    work, operations, SPANS, number % work.found.ready.launch.layouts
                )[FIRST_SPANS:]
                levels[name].append(math.log(statistics.fmean(each.ns for each in spans)))
                switches[name].append(statistics.fmean(each.switches for each in spans))
            print(f"{strategy}: {number + 1} of {PROCESSES}", file=sys.stderr, flush=True)
        seen = ", ".join(f"{statistics.median(switches[name]):.2f}" for name in programs)
        print(
            f"| {strategy}, {short_size(size)} | {ratio(levels['stopped'], levels['never'])} | {seen} |",
            flush=True,
        )
