"""What a fresh array per operation takes under iogauge, under `go test` and in a program of
neither, and how much of it is memory that the runtime had given back.
"""

from __future__ import annotations

import math
import os
import statistics
from collections.abc import Sequence
from pathlib import Path

from peers import gobench, works
from peers.works import Work

from effects.shared import ratio, spread
from effects.three_tools import RATIOS, SPANS, beside_each_other, of_all_tools

PROCESSES = 20
SIZES = (
    # size, a variable of all three
    (4 << 20, ()),
    (4 << 20, ("GOMAXPROCS=1",)),
    (4 << 20, (KEPT := "GODEBUG=madvdontneed=0",)),
    (64 << 20, ()),
    (64 << 20, (KEPT,)),
)
OPERATIONS_ALONE, PROCESSES_ALONE = 2000, 6


def show(folder: Path) -> None:
    """KEPT: memory that the runtime gives back stays in place until another needs it, so that
    nothing has to be brought in anew.
    """
    print(
        f"| size | variable | {RATIOS} | collections per operation: iogauge, plain, go test | pages brought in per operation: the same |"
    )
    print("|---|---|---|---|---|---|---|")
    for size, options in SIZES:
        found = of_all_tools(
            works.make("go/read-file", size, folder, options=options), PROCESSES, folder
        )
        cells = [
            "; ".join(spread([each.collections for each in spans], 2) for spans in found.values())
        ]
        cells += ["; ".join(spread([each.faults for each in spans], 0) for spans in found.values())]
        print(
            f"| {size >> 20} MiB | {' '.join(options) or 'none'} | {beside_each_other(found)} | {' | '.join(cells)} |",
            flush=True,
        )
    _collection_alone(works.make("go/read-file", 4096, folder, options=("GOMAXPROCS=1",)))
    _arrays_brought_in(works.make("go/read-file", 4 << 20, folder))


def _arrays_brought_in(work: Work) -> None:
    """Of single operations of the plain program, what those took that had to bring in the pages of
    their array, and the others.
    """
    pages = work.task.path.stat().st_size / os.sysconf("SC_PAGE_SIZE")
    spans = [
        each
        for _ in range(PROCESSES_ALONE)
        for each in gobench.plain(work, 1, OPERATIONS_ALONE)[OPERATIONS_ALONE // 4 :]
    ]
    brought, others = (
        [each.ns / 1e3 for each in spans if (each.faults > pages / 2) == new]
        for new in (True, False)
    )
    print(
        f"\nOf {len(spans)} operations of the plain program on 4 MiB {len(brought) / len(spans):.1%} brought in most of the {pages:.0f} pages of their array anew:"
    )
    print(
        "; ".join(
            f"{of} {statistics.median(us):.0f} µs in the median (5 to 95 %: {_quantiles(us)})"
            for of, us in (("these took", brought), ("the others", others))
            if len(us) > 1
        )
        + "."
    )


def _quantiles(values: Sequence[float]) -> str:
    cuts = statistics.quantiles(values, n=20)
    return f"{cuts[0]:.0f} to {cuts[-1]:.0f}"


def _collection_alone(work: Work) -> None:
    """What a collection takes in the processes of either, where there is no garbage."""
    plain, theirs = [], []
    for number in range(PROCESSES):
        layout = number % work.found.ready.launch.layouts
        plain.append(
            statistics.median(
                math.log(each.ns) for each in gobench.plain(work, 0, SPANS, layout)[1:]
            )
        )
        theirs.append(
            statistics.median(
                map(
                    math.log,
                    gobench.run(
                        work, count=SPANS, benchtime="1000x", layout=layout, of="Collection"
                    ).ns_per_op[1:],
                )
            )
        )
    us = (f"{math.exp(statistics.median(logs)) / 1e3:.0f} µs" for logs in (plain, theirs))
    print(
        "\nA collection where there is no garbage, on one processor: {} in the plain program, {} under `go test`; ".format(
            *us
        )
        + ratio(plain, theirs)
        + "."
    )
