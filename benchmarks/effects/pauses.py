"""What the pauses between samples do, and how many processors there are."""

from __future__ import annotations

import math
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path

from peers import gobench, jmh
from peers.works import Work

from effects.shared import MEMORY_WRITE, PAUSE, cached, of_a_sample, ratio, warmed_up
from iogauge.host import host
from iogauge.host.device import Device
from iogauge.measuring import measure
from iogauge.model.units import short_size
from iogauge.runners import task
from iogauge.runners.fork import Fork

PROCESSES, TURNS = 16, 6
COUNT_SECONDS = 0.025  # of `go test`
ONE_PROCESSOR = ("taskset", "-c", "0")
WORKS = (
    # strategy, size, parameters, more, started by
    ("go/mmap", 4 << 20, {}, {}, ()),
    ("go/mmap", 4 << 20, {}, {}, ONE_PROCESSOR),
    ("go/file-read", 4 << 20, {"block": 8192}, {}, ()),
    ("go/file-read", 4 << 20, {"block": 8192}, {}, ONE_PROCESSOR),
    ("java/file-input-stream", 4 << 20, {"block": 8192}, {}, ()),
    ("java/read-all-bytes", 65536, {}, {}, ()),
    (*MEMORY_WRITE, ()),
    ("java/file-output-stream", 1 << 20, {"block": 8192}, {"operation": "write"}, ()),
)


def show(folder: Path) -> None:
    """The same strategy in one fork of iogauge, in samples as short and as far apart as those of a
    run and then without a pause, and under the oracle, in turns.
    """
    print(
        "| strategy | processors | in samples / without a pause (95 %) | without a pause / oracle (95 %) | in samples / oracle (95 %) |"
    )
    print("|---|---|---|---|---|")
    for strategy, size, parameters, more, before in WORKS:
        work = cached(strategy, size, folder, parameters=parameters, **more)
        logs: list[tuple[float, float, float]] = []  # in samples, without a pause, the oracle
        for number in range(PROCESSES):
            logs.append(
                tuple(map(math.log, _with_and_without_pauses(work, before, number, folder)))
            )
            print(f"{strategy}: {number + 1} of {PROCESSES}", file=sys.stderr, flush=True)
        in_samples, without, under_oracle = zip(*logs, strict=True)
        cells = [
            ratio(*pair)
            for pair in ((in_samples, without), (without, under_oracle), (in_samples, under_oracle))
        ]
        print(
            f"| {strategy}, {short_size(size)} | {'one' if before else 'all'} | {' | '.join(cells)} |",
            flush=True,
        )


def _with_and_without_pauses(
    work: Work, before: tuple[str, ...], layout: int, folder: Path
) -> tuple[float, float, float]:
    """ns of an operation: the median of the samples, of the spans without a pause, and of what the
    oracle counts.
    """
    launch = work.found.ready.launch
    fork = Fork(
        replace(launch, command=(*before, *launch.command)),
        work.heap_mib,
        folder / "log",
        layout=layout % launch.layouts,
    )
    files = task.written_files(
        work.case, work.task.strategy, work.task, folder / "written", "operation"
    )  # None where it reads
    device = Device(folder)
    try:
        tenant = warmed_up(fork, work, files)
        tenant.look_alone(work.task, files)
        seconds, operations, prelude = of_a_sample(tenant, work, files)
        count = prelude + measure.WARM_SPANS
        window = max(1, round(COUNT_SECONDS / seconds))
        samples, continuous, theirs = [], [], []
        for _ in range(TURNS):
            for _ in range(4):
                time.sleep(PAUSE)
                if files:
                    host.touch_ballast(
                        max(8 << 20, work.case.bytes_per_operation * operations * count)
                    )
                samples.append(
                    statistics.median(tenant.work(work.task, files, operations, count).ns[prelude:])
                    / operations
                )
                if files:
                    device.settle()
            for _ in range(6):
                continuous += [
                    ns / operations
                    for ns in tenant.work(work.task, files, operations, count).ns[prelude:]
                ]
            if work.case.language == "go":
                theirs += gobench.run(
                    work, count=6, benchtime=f"{window}x", layout=layout, under=before
                ).ns_per_op[2:]
        if work.case.language == "java":
            alike = (
                replace(work, task=replace(work.task, most_operations=operations * count))
                if files
                else work
            )
            theirs += jmh.run(
                alike,
                forks=1,
                **jmh.warm_ups(work, statistics.median(samples)),
                iterations=5,
                seconds=0.2,
                under=before,
            ).scores[0]
        return statistics.median(samples), statistics.median(continuous), statistics.median(theirs)
    finally:
        fork.end()
        device.close()
        if files:
            files.close()
