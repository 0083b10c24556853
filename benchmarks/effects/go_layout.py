"""How far binaries of the same Go code differ if their functions are linked in another order."""

from __future__ import annotations

import math
import statistics
from pathlib import Path

from peers import gobench, works

LAYOUTS, TURNS = 8, 7


def show(folder: Path) -> None:
    print(
        "| reads | binaries | slowest / fastest | SD of binaries | SD of the turns of one binary | that could give, of medians |"
    )
    print("|---|---|---|---|---|---|")
    for size, block in ((4 << 20, 8192), (1 << 20, 1), (256 << 20, 8192)):
        work = works.make("go/file-read", size, folder, parameters={"block": block})
        logs: list[list[float]] = [[] for _ in range(LAYOUTS)]
        for _ in range(TURNS):
            for layout, series in enumerate(logs):
                series.append(
                    math.log(
                        statistics.median(
                            gobench.run(work, count=5, benchtime="100ms", layout=layout).ns_per_op
                        )
                    )
                )
        levels = [statistics.median(series) for series in logs]
        within = statistics.median(statistics.stdev(series) for series in logs)
        print(
            f"| {size >> 20} MiB by {block} bytes | {LAYOUTS} | {math.exp(max(levels) - min(levels)):.3f} | {statistics.stdev(levels):.1%} | "
            f"{within:.1%} | {1.25 * within / math.sqrt(TURNS):.1%} |",
            flush=True,
        )
