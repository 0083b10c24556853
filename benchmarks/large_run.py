"""How long does a run file with a million samples take to show, and how much memory?

    python benchmarks/large_run.py [RUN] [--samples 1000000]

Makes such a file from an existing run (default: the newest), in a temporary folder: it repeats
replicates and rounds under new numbers, with times that differ by up to 2 %. Then it runs each
command on it in a fresh process, with the file on the disk and in the page cache: first as a killed
run leaves the file, then sealed, as `iogauge run` leaves it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ledger import scratch

from iogauge.commands import exits
from iogauge.model import folders
from iogauge.model.units import duration, size

COMMANDS = (
    # most seconds, command
    (3.0, ["show"]),
    (None, ["explain"]),
    (10.0, ["report", "-o", "report.html"]),
)
SEAL = "import sys; from pathlib import Path; from iogauge.runfile import writing; writing.seal(Path(sys.argv[1]))"
MEMORY = 1 << 30
# seconds by which copies of a round lie apart, so that each comes after all of the copy before
LONG = 1e4
_OF_REPLICATES = ("fork", "round", "sample", "compute_only", "replicate")


def grown(records: list[dict[str, Any]], wanted: int) -> Iterator[dict[str, Any]]:
    """The records with as many copies of the replicates, and, of their samples, of the rounds, as
    make so many samples.
    """
    copies = -(-wanted // sum(each["record"] == "sample" for each in records))
    of_replicates = round(copies**0.5)
    of_rounds = -(-copies // of_replicates)
    drawn = random.Random(1)
    replicates = 1 + max(each["replicate"] for each in records if each["record"] == "replicate")
    rounds = 1 + max(each["round"] for each in records if each["record"] == "sample")
    forks = 1 + max(each["fork"] for each in records if each["record"] == "fork")
    yield from (
        each
        for each in records
        if each["record"] not in (*_OF_REPLICATES, "end", "columns", "seal")
    )
    for copy in range(of_replicates):
        for each in records:
            if each["record"] not in _OF_REPLICATES:
                continue
            moved = {**each, "replicate": each["replicate"] + copy * replicates} | (
                {"fork": each["fork"] + copy * forks} if "fork" in each else {}
            )
            for again in range(of_rounds if each["record"] in ("sample", "round") else 1):
                later = {"ended": moved["ended"] + again * LONG} if "ended" in moved else {}
                if each["record"] == "sample":
                    later |= {
                        part: [round(ns * drawn.uniform(0.98, 1.02)) for ns in each[part]]
                        for part in ("ns", "prelude_ns")
                    }
                yield {**moved, **later} | (
                    {"round": moved["round"] + again * rounds} if again else {}
                )
    yield from (each for each in records if each["record"] == "end")


def timed(arguments: list[str], folder: Path) -> tuple[float, int]:
    """Seconds of a Python process, and the most memory of it, in bytes."""
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, *arguments], cwd=folder, stdout=subprocess.DEVNULL)
    _, ended, used = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(ended) == exits.DONE, arguments
    return time.perf_counter() - began, used.ru_maxrss * 1024


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", nargs="?", type=Path, default=None)
    parser.add_argument("--samples", type=int, default=1_000_000)
    given = parser.parse_args()
    records = [
        json.loads(line) for line in (given.run or folders.newest_run()).read_text().splitlines()
    ]
    with scratch() as folder:
        path, count = folder / "large.jsonl", 0
        with path.open("w") as file:
            for each in grown(records, given.samples):
                count += each["record"] == "sample"
                file.write(json.dumps(each, separators=(",", ":"), ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())  # or the kernel writes it back while the first command runs
        plan = records[0]["plan"]
        print(f"{count} samples of {len(plan['cases'])} cases in {size(path.stat().st_size)}\n")
        print("| command | asked | seconds | most memory |\n|---|---|---|---|")

        def tell(what: str, asked: str, arguments: list[str]) -> None:
            seconds, memory = timed(arguments, folder)
            print(f"| {what} | {asked} | {seconds:.1f} | {size(memory)} |", flush=True)

        tell("`iogauge show`, the run was killed", "", ["-m", "iogauge", "show", str(path)])
        before = path.stat().st_size
        tell("sealing", "", ["-c", SEAL, str(path)])
        for most, (name, *options) in COMMANDS:
            asked = f"≤ {duration(most)}, ≤ {size(MEMORY)}" if most else ""
            tell(f"`iogauge {name}`", asked, ["-m", "iogauge", name, str(path), *options])
        print(f"\nThe seal and its columns: {size(path.stat().st_size - before)}.")


if __name__ == "__main__":
    main()
