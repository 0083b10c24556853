"""How the place of an array in its page changes reads, with and without a random padding."""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections import defaultdict
from pathlib import Path

from ledger import share
from peers import planted, works
from peers.works import Work

from effects.shared import PAUSE, cached, warmed_up
from iogauge.runners import manifest, wire
from iogauge.runners.fork import Fork

OPENINGS, ALIKE = 1500, 16
WARMED_UP = 8000  # operations


def show(folder: Path) -> None:
    """Prints how many forks are slow because of the place of their array.

    Earlier allocations decide the place. It is the same in each fork, unless the fork first
    allocates something of a random length.
    """
    work = cached("java/file-input-stream", 4 << 20, folder, parameters={"block": 8192})
    fork = _started(work, 0)
    try:
        drawn, us = random.Random(1), []
        for _ in range(OPENINGS):
            fork.ask(wire.padded(work.task.opening, drawn.randrange(0, 4096, 8)), 60)
            us.append(_us(fork, work, 4, 3))
    finally:
        fork.end()
    middle = statistics.median(us)
    slow = [each for each in us if each > 2 * middle]
    print(
        f"One process that allocated its array {OPENINGS} times, each time behind a random padding: {middle:.0f} µs in the median;"
    )
    print(
        f"more than twice that in {share(len(slow), OPENINGS)}"
        + (f", {min(slow):.0f} to {max(slow):.0f} µs." if slow else ".")
    )
    print(
        "\n| strategy | padding | forks slower than twice the fastest of all | µs per operation, each fork |"
    )
    print("|---|---|---|---|")
    every = manifest.all_runners
    manifest.all_runners = planted.runners  # one that reads alike but for an `if` before it
    try:
        levels: dict[tuple[str, str], list[float]] = defaultdict(list)
        for number in range(ALIKE):
            for strategy, more in (
                ("java/file-input-stream", {}),
                ("java/planted-read", {"extra": 0, "label": 0}),
            ):
                alike = works.make(strategy, 4 << 20, folder, parameters={"block": 8192, **more})
                for name, padding in (("none", 0), ("drawn", drawn.randrange(0, 4096, 8))):
                    levels[strategy, name].append(_level_in_a_run(alike, padding))
            print(f"{number + 1} of {ALIKE}", file=sys.stderr, flush=True)
    finally:
        manifest.all_runners = every
    fastest = min(map(min, levels.values()))
    for (strategy, name), found in levels.items():
        count = sum(level > 2 * fastest for level in found)
        print(
            f"| {strategy} | {name} | {share(count, ALIKE)} | {', '.join(f'{level:.0f}' for level in found)} |"
        )


def _started(work: Work, padding: int) -> Fork:
    """A fork that has opened the strategy behind the padding, and has compiled its code."""
    fork = Fork(work.found.ready.launch, work.heap_mib)
    fork.ask(wire.hello(), 60)
    fork.ask(wire.padded(work.task.opening, padding), 60)
    for _ in range(WARMED_UP // 20):
        fork.ask(wire.sample(20, 1, [str(work.task.path)]), 60)
    return fork


def _level_in_a_run(work: Work, padding: int) -> float:
    """µs of an operation in a fork that warms up and is sampled as in a run.

    So the depth of its stack is that of a run, too.
    """
    fork = Fork(work.found.ready.launch, work.heap_mib)
    try:
        live_fork = warmed_up(fork, work, padding=padding)
        live_fork.look_alone(work.task, None)
        medians = []
        for _ in range(12):
            time.sleep(PAUSE)
            medians.append(statistics.median(live_fork.work(work.task, None, 4, 8).ns) / 4 / 1e3)
        return statistics.median(medians)
    finally:
        fork.end()


def _us(fork: Fork, work: Work, operations: int, spans: int) -> float:
    """µs of an operation: the median of the spans."""
    return (
        statistics.median(fork.ask(wire.sample(operations, spans, [str(work.task.path)]), 60).ns)
        / operations
        / 1e3
    )
