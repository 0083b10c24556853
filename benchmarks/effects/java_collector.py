"""How long a collection of a JVM takes, and the work between two, under iogauge and under JMH."""

from __future__ import annotations

import math
import random
import re
import statistics
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from peers import jmh
from peers.works import Work

from effects.shared import MEMORY_WRITE, cached, of_a_sample, ratio, warmed_up
from iogauge.model.units import duration
from iogauge.runners.fork import Fork

PROCESSES, WORKING = 16, 2.0  # seconds
_PAUSE = re.compile(r"^\[(\d+)ns\] GC\(\d+\) Pause Young .* ([\d.]+)ms$", re.MULTILINE)


def show(folder: Path) -> None:
    """From the JVM's own log, with the same young size in both tools: how long it works between two
    collections, and how long these are.
    """
    logs = folder / "collections"
    logs.mkdir()
    strategy, size, _, more = MEMORY_WRITE
    work = cached(strategy, size, folder, options=(f"-Xlog:gc:file={logs}/%p:uptimenanos",), **more)
    found: dict[str, list[_Cycle]] = {"iogauge": [], "JMH": []}
    for number in range(PROCESSES):
        for name in random.Random(number).sample([*found], 2):
            known = {*logs.iterdir()}
            if name == "JMH":
                jmh.run(
                    work,
                    forks=1,
                    warmups=3,
                    warmup_seconds=0.5,
                    iterations=round(WORKING / 0.2),
                    seconds=0.2,
                )
            else:
                _work_for(WORKING, work, folder)
            log = max(
                {*logs.iterdir()} - known, key=lambda log: log.stat().st_size
            )  # whoever looks up how a fork is started starts another one
            found[name].append(_cycle(log.read_text()))
        print(f"{number + 1} of {PROCESSES}", file=sys.stderr, flush=True)
    print(
        "| of a collection and the work before it | iogauge / JMH (95 %) | iogauge, median | JMH, median |"
    )
    print("|---|---|---|---|")
    for part in _Cycle._fields:
        levels = {name: [getattr(each, part) for each in cycles] for name, cycles in found.items()}
        shown = " | ".join(duration(statistics.median(values) / 1e9) for values in levels.values())
        print(
            f"| {part} | {ratio(*([math.log(value) for value in values] for values in levels.values()))} | {shown} |",
            flush=True,
        )


class _Cycle(NamedTuple):
    """ns: from one collection to the next one, and its parts."""

    whole: float
    pause: float
    work: float


def _cycle(log: str) -> _Cycle:
    """The median over the second half of the log."""
    found = np.array([(float(when), float(ms) * 1e6) for when, ms in _PAUSE.findall(log)])
    later = found[len(found) // 2 :]
    whole, pause = np.diff(later[:, 0]), later[1:, 1]
    return _Cycle(float(np.median(whole)), float(np.median(pause)), float(np.median(whole - pause)))


def _work_for(seconds: float, work: Work, folder: Path) -> None:
    """A fork of iogauge, which is asked for spans of some ms without a pause."""
    fork = Fork(work.found.ready.launch, work.heap_mib, folder / "log", work.case.options)
    try:
        tenant = warmed_up(fork, work)
        of_one, operations, _ = of_a_sample(tenant, work, None)
        tenant.work(work.task, None, operations, max(1, round(seconds / (operations * of_one))))
    finally:
        fork.end()
