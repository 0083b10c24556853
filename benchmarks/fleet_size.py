"""How large may a fleet be? A plan on many simulated hosts, some of which fail.

    python benchmarks/fleet_size.py [--hosts 200] [--failing 4] [--keep FOLDER]

A real scheduler, a real worker for each host (all in one process), and the commands that a user
gives, each in a process of its own. What hosts measure are runs of the fake runner of the tests, of
36 ways with 10 repeats, with times of each host: on hosts with the label disk=nfs another way of
the first question is best. Prints what each command took, and whether that truth was found.
"""

from __future__ import annotations

import argparse
import importlib
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from ledger import scratch

from iogauge.model.units import duration, size

ROOT = Path(__file__).parents[1]
SECONDS, MEMORY, PAGE = 300.0, 500_000_000, 3 << 20
PAGE_NAME = "page.html"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("--failing", type=int, default=4)
    parser.add_argument("--keep", type=Path, help="a folder for the page and the run files")
    given = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    simulated = importlib.import_module("tests.simulated_hosts")
    with scratch() as folder:
        began = time.monotonic()
        with simulated.Lab(folder, given.hosts, given.failing) as lab:
            print(f"{given.hosts} workers were there after {duration(time.monotonic() - began)}")
            right = measured(simulated, lab, folder)
        if given.keep:
            shutil.copytree(folder, given.keep, dirs_exist_ok=True)
    return 0 if right else 1


def measured(simulated: Any, lab: Any, folder: Path) -> bool:
    """Print what the commands took; whether all is as it should be."""
    print("\n| command | seconds | of a processor | most memory |\n|---|---|---|---|", flush=True)

    def tell(what: str, told: Any) -> Any:
        print(
            f"| `{what}` | {told.seconds:.1f} | {told.processor:.1f} | {size(told.memory)} |",
            flush=True,
        )
        return told

    ran = tell("iogauge run STUDY --on", lab.measure())
    servers = lab.servers()
    where = Path(ran.out.rpartition("fleet run: ")[2].splitlines()[0])
    show = tell("iogauge show", lab.run("show", str(where)))
    report = tell("iogauge report", lab.run("report", str(where), "-o", PAGE_NAME))
    names = "the scheduler", "all workers"
    for name, used in zip(names, servers, strict=True):
        print(f"| {name} | | {used.processor:.1f} | {size(used.memory)} |")
    commands = (ran, show, report)
    seconds, memory = sum(each.seconds for each in commands), max(each.memory for each in commands)
    files = [each.stat().st_size for each in where.glob("*.jsonl")]
    page = (folder / PAGE_NAME).stat().st_size
    print(f"\n{len(files)} run files, {size(sum(files))}; the page: {size(page)}.")
    print(f"The record: {size((where / 'fleet.json').stat().st_size)}.")
    print(f"\n{ran.err}{show.out}")
    problems = [*simulated.problems(lab.hosts, ran, show)]
    problems += [f"{duration(seconds)} in all"] * (seconds > SECONDS)
    problems += [f"{size(memory)} of memory"] * (memory > MEMORY)
    problems += [f"a page of {size(page)}"] * (page > PAGE)
    for each in problems:
        print(f"not as it should be: {each}")
    print(f"{duration(seconds)} in all, {size(memory)} at most{'' if problems else ': all right'}")
    return not problems


if __name__ == "__main__":
    sys.exit(main())
