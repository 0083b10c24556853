"""What a garbage collection does to the operations after it, alone or with the work opened anew and
a goroutine of its own.
"""

from __future__ import annotations

import math
import statistics
import sys
from pathlib import Path

from peers import gobench

from effects.shared import cached, ratio
from iogauge.model.units import short_size, significant

WORKS = (
    ("go/file-read", 256 << 20, {"block": 8192}),
    ("go/file-read", 4 << 20, {"block": 8192}),
    ("go/read-file", 64 << 20, {}),
)
BEFORES = ("nothing", "collection", "anew")
PROCESSES, SPANS, FIRST_SPANS = 12, 10, 2
SPAN = 0.4  # seconds: a count of the oracles


def show(folder: Path) -> None:
    """A program of neither tool, whose spans come after nothing, after a garbage collection, or
    after opening the work anew and a collection, in a goroutine of their own, in random order
    within each process.
    """
    print(
        "| strategy, size | after a collection / after nothing (95 %) | opened anew, after a collection, in a goroutine of its own / after nothing (95 %) | switches of threads per operation: the same |"
    )
    print("|---|---|---|---|")
    for strategy, size, parameters in WORKS:
        work = cached(strategy, size, folder, parameters=parameters)
        operations = max(1, round(SPAN * 1e9 / gobench.plain(work, 2, 2)[1].ns))
        logs: dict[str, list[float]] = {name: [] for name in BEFORES}
        switches: dict[str, list[float]] = {name: [] for name in BEFORES}
        for number in range(PROCESSES):
            found = gobench.plain_after(
                BEFORES, work, operations, SPANS, number % work.found.ready.launch.layouts
            )
            for name in BEFORES:
                spans = found[name][FIRST_SPANS:]
                logs[name].append(math.log(statistics.fmean(each.ns for each in spans)))
                switches[name].append(statistics.fmean(each.switches for each in spans))
            print(f"{strategy}: {number + 1} of {PROCESSES}", file=sys.stderr, flush=True)
        ratios = " | ".join(ratio(logs[name], logs["nothing"]) for name in BEFORES[1:])
        print(
            f"| {strategy}, {short_size(size)} | {ratios} | {', '.join(significant(statistics.median(each)) for each in switches.values())} |",
            flush=True,
        )
