"""When a JVM compiles an operation for good, and what inlining it into its loop changes."""

from __future__ import annotations

import statistics
from dataclasses import replace
from pathlib import Path

from peers.works import Work

from effects.shared import Given, cached
from iogauge.runners import wire
from iogauge.runners.fork import Fork

WORKS: tuple[Given, ...] = (
    ("java/byte-array-input-stream-byte", 42000, {}, {"medium": "memory", "consume": "sum"}),
    ("java/file-channel-direct", 16 << 20, {"block": 8192}, {}),
    ("java/buffered-reader-line", 4 << 20, {}, {"consume": "sum", "content": "text"}),
)
SPAN, WATCHED, MARKS = 0.010, 6.2, (0.2, 0.5, 1.0, 3.0, 6.0)  # seconds of operations
FORKS = 3


def show(folder: Path) -> None:
    print(
        f"| strategy | how its forks start | µs per operation after {', '.join(map(str, MARKS))} s, median of {FORKS} forks |"
    )
    print("|---|---|---|")
    for strategy, size, parameters, more in WORKS:
        work = cached(strategy, size, folder, parameters=parameters, **more)
        launch = work.found.ready.launch
        for name, without in (
            ("as they do", ()),
            (
                "the runner's own code is compiled when the JVM does so by itself",
                ("CompileThresholdScaling",),
            ),
            (
                "that, and the operation may be inlined into the loop",
                ("CompileThresholdScaling", "dontinline"),
            ),
        ):
            command, sound = (
                tuple(word for word in words if not any(each in word for each in without))
                for words in (launch.command, launch.sound)
            )
            start = replace(launch, command=command, sound=sound)
            curves = [
                _curve(Fork(start, work.heap_mib), work) for _ in range(FORKS)
            ]
            levels = [statistics.median(level) for level in zip(*curves, strict=True)]
            print(
                f"| {strategy} | {name} | {', '.join(f'{level:.0f}' for level in levels)} |",
                flush=True,
            )


def _curve(fork: Fork, work: Work) -> list[float]:
    """µs per operation at each of MARKS, seconds of operations since the fork began."""
    try:
        fork.ask(wire.hello(), 60)
        fork.ask(work.task.opening, 60)
        where = [str(work.task.path or "")]
        operations, taken, series = 1, 0.0, []
        while taken < WATCHED:
            ns = fork.ask(wire.sample(operations, 1, where), 60).ns[0]
            taken += ns / 1e9
            series.append((taken, ns / operations / 1e3))
            operations = max(1, round(SPAN * 1e9 / (ns / operations)))
    finally:
        fork.end()
    return [
        statistics.median(level for when, level in series if mark - 0.05 <= when <= mark + 0.05)
        for mark in MARKS
    ]
