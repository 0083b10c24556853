"""What the sections share: ratios over processes, and forks that are warmed up and sampled as in a
run.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from peers import works
from peers.works import Work

from iogauge.corpus.written import WrittenFiles
from iogauge.host import pagecache
from iogauge.measuring.calibration import prelude_seconds, spanning
from iogauge.model.case import ForkSpec
from iogauge.model.method import METHOD
from iogauge.runners.fork import Fork, overlap
from iogauge.runners.tenant import Tenant
from iogauge.statistics import stats

PAUSE = 0.02  # seconds before a sample, as between the samples of a round
MEMORY_WRITE = (
    "java/memory-byte-stream-write",
    42000,
    {},
    {"operation": "write", "medium": "memory", "content": "text-one-line"},
)
"""Strategy, size, parameters and more of a work that allocates."""


def cached(strategy: str, size: int, folder: Path, **more: Any) -> Work:
    """A work (works.make) whose file, where it reads one, is in the page cache."""
    work = works.make(strategy, size, folder, **more)
    if work.task.path:
        pagecache.cache(work.task.path)
    return work


def ratio(logs: Sequence[float], others: Sequence[float]) -> str:
    """With its 95 % interval over processes."""
    over = stats.interval([one - other for one, other in zip(logs, others, strict=True)], 0.05)
    return f"{math.exp(over.center):.3f} ({math.exp(over.lo):.3f}–{math.exp(over.hi):.3f})"


def spread(values: Sequence[float], digits: int) -> str:
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def warmed_up(
    fork: Fork, work: Work, files: WrittenFiles | None = None, padding: int = 0
) -> Tenant:
    """As in a run."""
    runtime = work.found.ready.runtime
    tenant = Tenant(fork, 0, ForkSpec(runtime=runtime.name), METHOD, padding=padding)
    overlap([tenant.greeted()], at_once=1)
    overlap(
        [
            tenant.warmed_up(
                work.task,
                files,
                runtime.warm_up_seconds,
                runtime.warm_up_calls,
                runtime.longest_warm_up_seconds,
            )
        ],
        at_once=1,
    )
    return tenant


class Sampled(NamedTuple):
    """A fork that is warmed up and was looked at alone, and how a run takes its samples: see
    `of_a_sample`.
    """

    fork: Fork
    tenant: Tenant
    seconds: float
    operations: int
    prelude: int
    layout: int

    def level(self, work: Work) -> float:
        """ns per operation of a sample."""
        ns = self.tenant.work(
            work.task, None, self.operations, self.prelude + METHOD.warm_spans
        ).ns[self.prelude :]
        return statistics.fmean(ns) / self.operations


@contextmanager
def sampled(work: Work, number: int, folder: Path) -> Iterator[Sampled]:
    """Of the layout with this number, or one before it where there are no more."""
    launch = work.found.ready.launch
    layout = number % launch.layouts
    fork = Fork(launch, work.heap_mib, folder / "log", layout=layout)
    try:
        tenant = warmed_up(fork, work)
        tenant.look_alone(work.task, None)
        yield Sampled(fork, tenant, *of_a_sample(tenant, work, None), layout)
    finally:
        fork.end()


def of_a_sample(tenant: Tenant, work: Work, files: WrittenFiles | None) -> tuple[float, int, int]:
    """As a run takes them: about the seconds of an operation, operations of a span, and spans that
    do not count.
    """
    seconds = min(tenant.work(work.task, files, 1, 5).ns) / 1e9
    collections = (
        tenant.collections[work.task.shape]
        if work.task.strategy.needs.memory_per_file_byte > 0
        else None
    )
    operations = max(
        1,
        round(
            spanning(
                METHOD, METHOD.warm_sample, METHOD.collections_per_sample, seconds, collections
            )
            / METHOD.warm_spans
            / seconds
        ),
    )
    return (
        seconds,
        operations,
        max(
            1,
            round(
                prelude_seconds(METHOD, work.task.strategy, seconds, collections)
                / (operations * seconds)
            ),
        ),
    )
