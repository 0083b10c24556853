"""Helpers of the sections: ratios over processes, and forks sampled as in a run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from peers import works
from peers.works import Work

from iogauge.corpus.written import WrittenFiles
from iogauge.host import pagecache
from iogauge.measuring.calibration import prelude_seconds, spanning
from iogauge.model.case import ForkSpec
from iogauge.model.method import METHOD
from iogauge.runners.fork import Fork, overlap
from iogauge.runners.live_fork import LiveFork, WarmUp
from iogauge.statistics import intervals

Given = tuple[str, int, dict[str, int], dict[str, Any]]
"""A work: its strategy, size, parameters and further keys."""
PAUSE = 0.02  # seconds before a sample, as between the samples of a round
MEMORY_WRITE: Given = (
    "java/memory-byte-stream-write",
    42000,
    {},
    {"operation": "write", "medium": "memory", "content": "text-one-line"},
)
"""A work that allocates."""


def cached(strategy: str, size: int, folder: Path, **more: Any) -> Work:
    """A work (works.make). If it reads a file, the file is in the page cache."""
    work = works.make(strategy, size, folder, **more)
    if work.task.path:
        pagecache.cache(work.task.path)
    return work


def ratio(logs: Sequence[float], others: Sequence[float]) -> str:
    """The ratio of two series of logs, with its 95 % interval over processes, as text."""
    over = intervals.interval([one - other for one, other in zip(logs, others, strict=True)], 0.05)
    return f"{math.exp(over.center):.3f} ({math.exp(over.lo):.3f}–{math.exp(over.hi):.3f})"


def warmed_up(
    fork: Fork, work: Work, files: WrittenFiles | None = None, padding: int = 0
) -> LiveFork:
    """A live fork of the fork, warmed up as in a run."""
    runtime = work.found.ready.runtime
    live_fork = LiveFork(fork, 0, ForkSpec(runtime=runtime.name), METHOD, padding=padding)
    overlap([live_fork.greeted()], at_once=1)
    overlap([live_fork.warmed_up(work.task, files, WarmUp.of(runtime))], at_once=1)
    return live_fork


def of_a_sample(
    live_fork: LiveFork, work: Work, files: WrittenFiles | None
) -> tuple[float, int, int]:
    """How a run takes a sample of this work.

    Returns about the seconds of an operation, the operations of a span, and the number of untimed
    spans before the timed ones.
    """
    seconds = min(live_fork.work(work.task, files, 1, 5).ns) / 1e9
    collections = (
        live_fork.collections[work.task.shape]
        if work.task.strategy.needs.memory_per_file_byte > 0
        else None
    )
    operations = max(
        1,
        round(
            spanning(
                METHOD.warm_sample,
                METHOD.longest_allocating,
                METHOD.collections_per_sample,
                seconds,
                collections,
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
                prelude_seconds(
                    METHOD, work.task.strategy, work.found.ready.runtime, seconds, collections
                )
                / (operations * seconds)
            ),
        ),
    )
