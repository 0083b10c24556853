"""When the warm-up of a JVM ends, by how much its compiling threads may still do, and how far from
the level after a second that is.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path

from peers.works import Work

from effects.shared import Given, cached
from iogauge.model.case import ForkSpec
from iogauge.model.method import METHOD
from iogauge.runners.fork import Fork, end_all, overlap
from iogauge.runners.live_fork import LiveFork, WarmUp

WORKS: tuple[Given, ...] = (
    ("java/file-input-stream", 64 << 10, {"block": 8192}, {}),
    ("java/file-input-stream", 16 << 20, {"block": 131072}, {}),
    ("java/read-all-bytes", 16 << 20, {}, {}),
    ("java/file-channel-mapped", 16 << 20, {}, {}),
    ("java/buffered-reader-line", 1 << 20, {}, {"consume": "sum", "content": "text"}),
    ("java/read-all-lines", 1 << 20, {}, {"consume": "sum", "content": "text"}),
    ("java/byte-array-input-stream-byte", 42000, {}, {"medium": "memory", "consume": "sum"}),
)
SHARES = (0.05, 0.15, 0.25, 1e9)
FORKS, AT_ONCE = 6, 2


@dataclass
class Watched(LiveFork):
    """A fork that is warmed up for as long as its runtime may take. `ends` has by share at how many
    seconds it might have ended, and after how many spans.
    """

    ends: dict[float, tuple[float, int]] = field(default_factory=dict)

    def _may_end(self, until, task, looks, per_op):
        for share in SHARES:
            self.method = METHOD.model_copy(update={"busy_beside": share})
            if share not in self.ends and super()._may_end(until, task, looks, per_op):
                self.ends[share] = looks[-1].spent, len(self.warm_up[task.shape])
        return False


def show(folder: Path) -> None:
    print(
        "| strategy, size | share that may compile | seconds of operations, median (most) |"
        " time then / after a second, median (most) |\n|---|---|---|---|"
    )
    for strategy, size, parameters, more in WORKS:
        work = cached(strategy, size, folder, parameters=parameters, **more)
        forks = list(_warmed_up(work))
        for share in SHARES:
            print(_row(f"{strategy}, {size >> 10 or 41} KiB", share, work, forks), flush=True)


def _warmed_up(work: Work) -> Iterable[Watched]:
    runtime = work.found.ready.runtime
    until = WarmUp.of(runtime)
    for _ in repeat(None, FORKS // AT_ONCE):
        started = [
            Watched(
                Fork(work.found.ready.launch, work.heap_mib),
                number,
                ForkSpec(runtime=runtime.name, heap_mib=work.heap_mib),
                METHOD,
            )
            for number in range(AT_ONCE)
        ]
        try:
            overlap([each.greeted() for each in started], at_once=AT_ONCE)
            overlap([each.warmed_up(work.task, None, until) for each in started], at_once=AT_ONCE)
        finally:
            end_all(each.fork for each in started)
        yield from started


def _row(name: str, share: float, work: Work, forks: Iterable[Watched]) -> str:
    seconds, ratios = [], []
    for each in forks:
        curve = each.warm_up[work.task.shape]
        spent, spans = each.ends.get(share, (each.warming, len(curve)))
        seconds.append(spent)
        last = statistics.median(curve[-max(1, len(curve) // 4) :])
        ratios.append(statistics.median(curve[max(0, spans - 5) : spans]) / last)
    told = f"{share:.0%}" if share <= 1 else "not looked at"
    return (
        f"| {name} | {told} | {statistics.median(seconds):.2f} ({max(seconds):.2f}) |"
        f" {statistics.median(ratios):.2f} ({max(ratios):.2f}) |"
    )
