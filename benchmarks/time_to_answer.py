"""How long until two published tables are answered?

Compares JMH, with the settings of the publications, and iogauge.

    python benchmarks/time_to_answer.py [--table writers|streams] [--every 2]

`writers`: 20 characters, k times, appended to a new synchronous file by FileWriter and by
BufferedWriter with two buffers, k = 1 to 100 000. JMH has 5 warm-ups of 1 s and 10 iterations of 10
s in one fork, and FileWriter twice as published: 20 cells, 35 minutes. `streams`: byte, char and
buffered streams in memory and on file. JMH has 5 warm-ups and 10 iterations of 10 s: 12 cells, 30
minutes.

JMH's cells are kept one by one, so a stopped run goes on where it was. With `--every 2` it measures
every second cell, and all of them take in proportion, because its iterations are equally long.
JMH's operations make their files anew, synchronous ones for the first table; iogauge makes them
before.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ledger import Ledger, arguments, measured, scratch
from peers import jmh, works

from iogauge.analysis import judging
from iogauge.analysis.data import all_data
from iogauge.decision.looks import FEWEST_REPLICATES, MOST_REPLICATES
from iogauge.host import device
from iogauge.measuring.bench import Progress
from iogauge.model.units import duration
from iogauge.model.workload import Content, Medium, Operation
from iogauge.runfile.run import Run


@dataclass(frozen=True)
class Cell:
    strategy: str
    size: int
    parameters: dict[str, int]
    operation: Operation = "write"
    medium: Medium = "file"
    content: Content = "text-one-line"


@dataclass(frozen=True)
class Table:
    """Groups of cells that are compared with each other; `repeated` are cells that the publication
    has twice.
    """

    groups: dict[str, tuple[Cell, ...]]
    synchronous: bool
    warmups: int
    warmup_seconds: float
    repeated: tuple[Cell, ...] = ()

    def cells(self) -> Iterator[tuple[str, Cell]]:
        for cells in self.groups.values():
            for cell in cells:
                for turn in range(1 + (cell in self.repeated)):
                    yield f"{cell.strategy} {cell.size} {cell.parameters} {turn}", cell


def writers() -> Table:
    groups = {
        f"k{k}": (
            Cell("java/file-writer", 20 * k, {"block": 20}, content="text"),
            *(
                Cell(
                    "java/buffered-writer", 20 * k, {"block": 20, "buffer": buffer}, content="text"
                )
                for buffer in (8192, 4 << 20)
            ),
        )
        for k in (1, 10, 1000, 10_000, 100_000)
    }
    return Table(groups, True, 5, 1, tuple(cells[0] for cells in groups.values()))


def streams() -> Table:
    small, large = 42_000, 4_200_000
    return Table(
        {
            "memory-write": tuple(
                Cell(f"java/memory-{kind}-stream-write", small, {}, medium="memory")
                for kind in ("byte", "char", "buffered")
            ),
            "memory-read": tuple(
                Cell(f"java/{name}", small, {}, "read", "memory")
                for name in (
                    "byte-array-input-stream-byte",
                    "string-reader-char",
                    "memory-buffered-reader-line",
                )
            ),
            "file-read": tuple(
                Cell(f"java/{name}", large, {}, "read")
                for name in ("file-input-stream-byte", "file-reader-char", "buffered-reader-line")
            ),
            "file-write": tuple(
                Cell(f"java/{name}", large, {"block": large})
                for name in ("file-output-stream", "file-writer", "buffered-writer")
            ),
        },
        False,
        5,
        10,
    )


TABLES = {"writers": writers, "streams": streams}


def with_jmh(name: str, table: Table, ledger: Ledger, folder: Path, every: int) -> None:
    if table.synchronous:  # what is made in it inherits the flag
        device.set_flag(folder, device.SYNCHRONOUS, True)
    for key, cell in list(table.cells())[::every]:

        def job(cell: Cell = cell) -> dict[str, Any]:
            reads = cell.operation == "read"
            work = works.make(
                cell.strategy,
                cell.size,
                folder,
                parameters=cell.parameters,
                operation=cell.operation,
                medium=cell.medium,
                content=cell.content,
                consume="sum" if reads else None,
                mode="append" if not reads and cell.medium == "file" else None,
            )
            found = jmh.run(
                work,
                forks=1,
                warmups=table.warmups,
                iterations=10,
                seconds=10,
                warmup_seconds=table.warmup_seconds,
            )
            return {
                "table": name,
                "ns": found.ns_per_op,
                "error": found.error_999,
                "seconds": round(found.wall_seconds, 1),
            }

        done = ledger.do(f"jmh/{name}/{key}", job)
        print(
            f"{done['key']}: {duration(done['ns'] / 1e9)} ± {done['error'] / done['ns']:.1%}",
            file=sys.stderr,
            flush=True,
        )


def study(table: Table, budget: float) -> str:
    """What waits for the device differs more between replicates than between rounds: few rounds, so
    that there are more replicates.
    """
    rounds = "rounds = { write = 5 }\n" if table.synchronous else ""
    text = (
        f'id = "table"\ntitle = "A published table"\nbudget = {budget}\nprecision = "3%"\n{rounds}'
    )
    for name, cells in table.groups.items():
        first = cells[0]
        text += f'\n[[group]]\nid = "{name}"\nquestion = "Which is fastest?"\noperation = "{first.operation}"\nmedium = "{first.medium}"\n'
        text += f'size = {first.size}\ncontent = "{first.content}"\n'
        if first.operation == "read":
            text += 'consume = "sum"\n'
        elif first.medium == "file":
            text += (
                f'mode = "append"\ndurability = "{"sync-inode" if table.synchronous else "none"}"\n'
            )
        for cell in cells:
            parameters = ", ".join(f"{key} = {value}" for key, value in cell.parameters.items())
            text += (
                f'\n[[group.case]]\nstrategy = "{cell.strategy}"\nparameters = {{ {parameters} }}\n'
            )
    return text


def with_iogauge(name: str, table: Table, ledger: Ledger, folder: Path, budget: float) -> None:
    def job() -> dict[str, Any]:
        began, looked = time.monotonic(), []

        def show(progress: Progress) -> None:
            if progress.doing == "a replicate is complete":
                looked.append((progress.replicates, round(time.monotonic() - began, 1)))

        run = measured(study(table, budget), folder, seed=1, show=show)
        seconds = time.monotonic() - began
        comparisons = []
        every = all_data(run)
        for data, judged in zip(every, judging.decisions(run, every, last=True), strict=True):
            for each in {
                (found.case, found.reference): found
                for found in (*judged.versus_baseline, *judged.versus_best)
                if found
            }.values():
                if not (judged.control and each.case == judged.control.case):
                    comparisons.append(
                        [
                            data.group.id,
                            each.center,
                            each.lo,
                            each.hi if each.hi < math.inf else None,
                            each.outcome,
                            each.replicates,
                        ]
                    )
        return {
            "table": name,
            "seconds": round(seconds, 1),
            "end": run.ends[-1].reason,
            "comparisons": comparisons,
            "replicates": looked,
            "open": open_after(run),
        }

    ledger.do(f"iogauge/{name}", job)


def open_after(run: Run) -> list[tuple[float, int, int]]:
    """Per number of replicates, from three: seconds since the start, answers that are open then,
    groups that have so many.
    """
    found = []
    for count in range(FEWEST_REPLICATES, MOST_REPLICATES + 1):
        reached = [record.elapsed for record in run.replicates if record.replicate + 1 == count]
        if not reached:
            break
        every = all_data(run)
        cut = [replace(each, log_ns=each.log_ns[:count]) for each in every]
        still = sum(len(each.open) for each in judging.decisions(run, cut, last=False))
        groups = sum(len(each.replicates) >= count for each in every)
        found.append((max(reached), still, groups))
    return found


def report(name: str, table: Table, ledger: Ledger) -> None:
    cells = [each for each in ledger.results.values() if each["key"].startswith(f"jmh/{name}/")]
    if cells:
        errors, spent, count = (
            [each["error"] / each["ns"] for each in cells],
            sum(each["seconds"] for each in cells),
            len(list(table.cells())),
        )
        all_of_them = spent / len(cells) * count
        print(
            f"{name}, JMH: {len(cells)} of {count} cells in {duration(spent)}{f', so all in {duration(all_of_them)}' if len(cells) < count else ''}; "
            f"99.9 % error of a cell ±{statistics.median(errors):.1%} (median), up to ±{max(errors):.1%}; one process per cell"
        )
    ours = ledger.results.get(f"iogauge/{name}")
    if ours:
        told = [each for each in ours["comparisons"] if each[3] is not None]
        widths = [(each[3] - each[2]) / 2 / each[1] for each in told]
        outcomes = [each[4] for each in ours["comparisons"]]
        print(
            f"{name}, iogauge: {duration(ours['seconds'])}, ended as {ours['end']}; {len(outcomes)} comparisons: "
            f"{', '.join(f'{outcomes.count(each)} {each}' for each in dict.fromkeys(outcomes))}; half-widths ±{statistics.median(widths):.1%} (median), "
            f"up to ±{max(widths):.1%}, over {min(each[5] for each in told)} to {max(each[5] for each in told)} replicates"
        )
        for seconds, still, groups in ours["open"]:
            print(
                f"{name}, iogauge: after {duration(seconds)} {still} answers were open ({groups} groups had so many replicates)"
            )
        if cells:
            print(f"{name}: iogauge took 1/{all_of_them / ours['seconds']:.1f} of JMH's time")
        print(json.dumps(ours["comparisons"]), file=sys.stderr)


def main() -> None:
    parser = arguments(__doc__, "time-to-answer")
    parser.add_argument("--table", choices=TABLES, action="append")
    parser.add_argument("--only", choices=("jmh", "iogauge"))
    parser.add_argument("--budget", type=float, default=210, help="seconds for iogauge")
    parser.add_argument(
        "--every", type=int, default=1, help="1: JMH measures every cell; 2: every second one"
    )
    given = parser.parse_args()
    ledger = Ledger(given.ledger)
    for name in given.table or TABLES:
        table = TABLES[name]()
        if not given.print:
            if given.only != "jmh":
                with scratch() as folder:
                    with_iogauge(name, table, ledger, folder, given.budget)
            if given.only != "iogauge":
                with scratch() as folder:
                    with_jmh(name, table, ledger, folder, given.every)
        report(name, table, ledger)
    print("\n" + ledger.versions())


if __name__ == "__main__":
    main()
