"""Are the ceilings high enough?

Measures ours beside fio and a plain C program, for the same work on the same file, in turns.

    python benchmarks/ceilings.py [--rounds 10]

In each round, each program reads 256 MiB some times per kind of work, in random order. The ratio is
ours over the best of the others. The best is the one with the best median over all rounds; the
fastest of a single round would be the luckiest of several. The interval is over rounds. A round
takes some twenty seconds. A stopped run goes on where it was.
"""

from __future__ import annotations

import math
import random
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ledger import Ledger, arguments, scratch
from peers import raw

from iogauge.corpus.store import Corpus
from iogauge.host.pagecache import cache
from iogauge.model.case import Case, ForkSpec
from iogauge.model.errors import UserError
from iogauge.model.method import METHOD
from iogauge.model.workload import Conditions, Workload
from iogauge.runners import preparing, task
from iogauge.runners.fork import Fork
from iogauge.runners.live_fork import LiveFork
from iogauge.runners.preparing import Ready
from iogauge.statistics import intervals

SIZE = 256 << 20
TURNS = 5
ENOUGH = 0.95  # of the best of the others
ERROR = 0.05
KIB, MIB = 1 << 10, 1 << 20


@dataclass(frozen=True)
class Work:
    """What is done; `strategy` is our ceiling's name without its language. Others by name, each a
    function of the file's path.
    """

    name: str
    strategy: str
    parameters: dict[str, int]
    consume: str
    others: dict[str, Callable[[Path], float]]
    direct: bool = False


def c(way: str, block: int) -> Callable[[Path], float]:
    return lambda path: raw.c_speed(path, way, block, TURNS)


def fio(
    engine: str, block: int, *, direct: bool = False, depth: int = 1
) -> Callable[[Path], float]:
    return lambda path: raw.fio_speed(path, engine, block, direct=direct, depth=depth, loops=TURNS)


WORKS = (
    Work(
        "pread, 64 KiB",
        "ceiling-pread",
        {"block": 64 * KIB, "threads": 1},
        "none",
        {"fio psync": fio("psync", 64 * KIB), "C": c("pread", 64 * KIB)},
    ),
    Work(
        "pread, 256 KiB",
        "ceiling-pread",
        {"block": 256 * KIB, "threads": 1},
        "none",
        {"fio psync": fio("psync", 256 * KIB), "C": c("pread", 256 * KIB)},
    ),
    Work(
        "pread, 64 KiB, every line touched",
        "ceiling-pread",
        {"block": 64 * KIB, "threads": 1},
        "touch",
        {"C": c("touch", 64 * KIB)},
    ),
    Work(
        "mapped, every line touched",
        "ceiling-mmap",
        {"lasting": 0, "threads": 1},
        "touch",
        {"fio mmap (copies)": fio("mmap", 64 * KIB), "C": c("mmap", 0)},
    ),
    Work(
        "O_DIRECT, 1 MiB, depth 1",
        "ceiling-direct",
        {"block": MIB, "depth": 1},
        "none",
        {
            "fio psync": fio("psync", MIB, direct=True),
            "fio io_uring": fio("io_uring", MIB, direct=True),
            "C": c("direct", MIB),
        },
        direct=True,
    ),
    Work(
        "O_DIRECT, 1 MiB, depth 32",
        "ceiling-direct",
        {"block": MIB, "depth": 32},
        "none",
        {"fio io_uring": fio("io_uring", MIB, direct=True, depth=32)},
        direct=True,
    ),
)


class Ours:
    """Our runner with ceilings, started anew for each measurement."""

    def __init__(self, folder: Path):
        ready, _ = preparing.prepare({}, lambda text: None)
        found = [
            each
            for each in ready
            if any(strategy.role == "ceiling" for strategy in each.runtime.strategies.values())
        ]
        if not found:
            raise UserError("no runner with ceilings can be built here")
        self.ready: Ready = found[0]
        self.folder, self.corpus = folder, Corpus(folder)

    def case(self, work: Work) -> Case:
        name = next(
            name for name in self.ready.runtime.strategies if name.endswith(f"/{work.strategy}")
        )
        return Case(
            strategy=name,
            parameters=work.parameters,
            workload=Workload(size=SIZE, consume=work.consume),
            conditions=Conditions(cache="warm"),
            runtime=self.ready.runtime.name,
        )

    def task(self, work: Work) -> task.Task:
        case = self.case(work)
        return task.make(case, self.ready.runtime.strategies[case.strategy], self.corpus, METHOD)

    def speed(self, work: Work) -> float:
        made = self.task(work)
        live_fork = LiveFork(
            Fork(self.ready.launch, 0),
            0,
            ForkSpec(runtime=self.ready.runtime.name),
            METHOD,
        )
        try:
            live_fork.work(made, None, 1)
            return SIZE / statistics.median(live_fork.work(made, None, 1, TURNS).ns) * 1e9
        finally:
            live_fork.fork.end()


def one_round(work: Work, ours: Ours) -> dict[str, Any]:
    path = ours.task(work).path
    if not work.direct:
        cache(path)
    programs = [
        ("ours", lambda: ours.speed(work)),
        *((name, lambda speed=speed: speed(path)) for name, speed in work.others.items()),
    ]
    random.shuffle(programs)
    return {"work": work.name, "speeds": {name: speed() for name, speed in programs}}


def report(ledger: Ledger) -> None:
    print("| work | ours | others | ours / best of them (95 %) | at least 95 % |")
    print("|---|---|---|---|---|")
    for work in WORKS:
        found = [each["speeds"] for each in ledger.results.values() if each["work"] == work.name]
        if not found:
            continue
        medians = {name: statistics.median(each[name] for each in found) for name in found[0]}
        best = max(work.others, key=medians.__getitem__)
        over = intervals.interval([math.log(each["ours"] / each[best]) for each in found], ERROR)
        others = ", ".join(f"{name} {medians[name] / 1e9:.2f}" for name in work.others)
        share = f"{math.exp(over.center):.3f} ({math.exp(over.lo):.3f}–{math.exp(over.hi):.3f})"
        print(
            f"| {work.name} | {medians['ours'] / 1e9:.2f} GB/s | {others} | {share} | {_answer(over)} |"
        )


def _answer(over: intervals.Interval) -> str:
    """Whether the ceiling has 95 % of the best of the others: as far as the interval tells."""
    least, center, most = (math.exp(each) for each in (over.lo, over.center, over.hi))
    return (
        "yes"
        if least >= ENOUGH
        else "likely"
        if center >= ENOUGH
        else "perhaps not"
        if most >= ENOUGH
        else "**no**"
    )


def main() -> None:
    parser = arguments(__doc__, "ceilings")
    parser.add_argument("--rounds", type=int, default=10)
    given = parser.parse_args()
    ledger = Ledger(given.ledger)
    if not given.print:
        with scratch() as folder:
            ours = Ours(folder)
            for number in range(given.rounds):
                for work in WORKS:
                    ledger.do(f"{number}/{work.name}", lambda: one_round(work, ours))  # noqa: B023
                print(f"round {number + 1} of {given.rounds}", file=sys.stderr, flush=True)
            ours.corpus.close()
    report(ledger)
    print("\n" + ledger.versions())


if __name__ == "__main__":
    main()
