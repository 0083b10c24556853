"""What working for longer at a time does, in iogauge and in the oracles."""

from __future__ import annotations

import math
import random
import statistics
import sys
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path

from peers import gobench, jmh
from peers.turns import InTurns
from peers.works import Work

from effects.shared import MEMORY_WRITE, cached, ratio, sampled
from iogauge.model.units import short_size

WORKS = (
    ("go/file-read", 256 << 20, {"block": 8192}, {}),
    ("go/file-read", 4 << 20, {"block": 8192}, {}),
    ("go/mmap", 4 << 20, {}, {}),
    ("java/file-input-stream", 4 << 20, {"block": 8192}, {}),
    MEMORY_WRITE,
)
PROCESSES, TURNS = 12, 8
SHORT, LONG = (
    0.025,
    0.4,
)  # seconds of a count or iteration, at least two operations; one before it does not count


def show(folder: Path) -> None:
    """One fork of iogauge, and two processes of the oracle whose counts differ in length, in turns
    in random order. The fork works as in a run, or as long as the longer counts.
    """
    print(
        "| strategy, size | iogauge: long turns / samples as in a run (95 %) | oracle: counts of 0.4 s / short ones (95 %) | iogauge / oracle, short (95 %) | iogauge / oracle, 0.4 s (95 %) |"
    )
    print("|---|---|---|---|---|")
    for strategy, size, parameters, more in WORKS:
        work = cached(strategy, size, folder, parameters=parameters, **more)
        logs: dict[str, list[float]] = defaultdict(list)
        for number in range(PROCESSES):
            for name, level in _by_length(work, number, folder).items():
                logs[name].append(math.log(level))
            print(f"{strategy}: {number + 1} of {PROCESSES}", file=sys.stderr, flush=True)
        pairs = (
            ("long turns", "samples"),
            ("long counts", "short counts"),
            ("samples", "short counts"),
            ("samples", "long counts"),
        )
        print(
            f"| {strategy}, {short_size(size)} | {' | '.join(ratio(logs[one], logs[other]) for one, other in pairs)} |",
            flush=True,
        )


def _by_length(work: Work, number: int, folder: Path) -> dict[str, float]:
    """ns per operation, the mean over turns."""
    drawn = random.Random(number)
    found: dict[str, list[float]] = defaultdict(list)

    def oracle_of(length: float, operations: int) -> InTurns:
        if work.case.language == "java":
            return jmh.in_turns(
                work, **jmh.warm_ups(work, fork.seconds * 1e9), iterations=2 * TURNS, seconds=length
            )
        return gobench.in_turns(work, count=2 * TURNS, operations=operations, layout=fork.layout)

    with ExitStack() as opened:
        fork = opened.enter_context(sampled(work, number, folder))
        lengths = {"short counts": SHORT, "long counts": LONG}
        counted = {name: max(2, round(length / fork.seconds)) for name, length in lengths.items()}
        theirs = {
            name: opened.enter_context(oracle_of(lengths[name], count))
            for name, count in counted.items()
        }
        for _ in range(TURNS):
            for name in drawn.sample(("samples", "long turns", *theirs), 2 + len(theirs)):
                if name in theirs:
                    theirs[name].take(2)
                elif name == "samples":
                    found[name].append(fork.level(work))
                else:
                    found[name].append(
                        fork.tenant.work(work.task, None, counted["long counts"], 2).ns[1]
                        / counted["long counts"]
                    )
        for name, oracle in theirs.items():
            found[name] = list(oracle.scores()[1::2])
    return {name: statistics.fmean(levels) for name, levels in found.items()}
