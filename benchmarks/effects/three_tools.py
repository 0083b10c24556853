"""The same Go strategies in processes of iogauge, of `go test` and of a program of neither, in
turns, without a pause.
"""

from __future__ import annotations

import math
import random
import statistics
import sys
from pathlib import Path
from typing import NamedTuple

from peers import gobench
from peers.works import Work

from effects.shared import ratio
from iogauge.host import pagecache
from iogauge.model.case import ForkSpec
from iogauge.runners.fork import Fork, overlap
from iogauge.runners.tenant import Tenant

RATIOS = (
    "iogauge / go test (95 %) | iogauge / plain program (95 %) | plain program / go test (95 %)"
)
SPANS, SPAN_SECONDS = 4, 0.5  # the first span is left out: the heap grows in it


class Spans(NamedTuple):
    """All per operation, the mean over spans."""

    ns: float
    collections: float
    faults: float


def of_all_tools(work: Work, processes: int, folder: Path) -> dict[str, list[Spans]]:
    """Of so many processes of each, in random order by turns."""
    pagecache.cache(work.task.path)
    operations = max(2, round(SPAN_SECONDS * 1e9 / gobench.plain(work, 20, 2)[1].ns))
    found: dict[str, list[Spans]] = {name: [] for name in ("iogauge", "plain", "go test")}
    for number in range(processes):
        for name in random.Random(number).sample([*found], len(found)):
            found[name].append(_spans_of(name, work, operations, number, folder))
        print(
            f"{work.task.strategy.name}: {number + 1} of {processes}", file=sys.stderr, flush=True
        )
    return found


def beside_each_other(found: dict[str, list[Spans]]) -> str:
    """Cells below RATIOS."""
    levels = {name: [math.log(each.ns) for each in spans] for name, spans in found.items()}
    return " | ".join(
        ratio(levels[one], levels[other])
        for one, other in (("iogauge", "go test"), ("iogauge", "plain"), ("plain", "go test"))
    )


def _spans_of(tool: str, work: Work, operations: int, number: int, folder: Path) -> Spans:
    """Of a process that works without a pause, but for its first span. A fork of iogauge is looked
    at after that one; its faults are those of the whole request.
    """
    layout = number % work.found.ready.launch.layouts
    if tool == "plain":
        spans = gobench.plain(work, operations, SPANS, layout)[1:]
        return Spans(
            *(statistics.fmean(getattr(each, name) for each in spans) for name in Spans._fields)
        )
    if tool == "go test":
        found = gobench.run(work, count=SPANS, benchtime=f"{operations}x", layout=layout)
        return Spans(
            *(
                statistics.fmean(each[1:])
                for each in (found.ns_per_op, found.collections_per_op, found.faults_per_op)
            )
        )
    fork = Fork(
        work.found.ready.launch, work.heap_mib, folder / "log", work.case.options, layout=layout
    )
    try:
        tenant = Tenant(fork, 0, ForkSpec(runtime=work.found.ready.runtime.name))
        overlap([tenant.greeted()], at_once=1)
        tenant.work(work.task, None, operations)
        before = fork.witness.look()
        spans = tenant.work(work.task, None, operations, SPANS - 1)
        faults = fork.witness.look().since(before)["minor_faults"]
    finally:
        fork.end()
    every = operations * (SPANS - 1)
    return Spans(sum(spans.ns) / every, sum(spans.counters.gc_count) / every, faults / every)
