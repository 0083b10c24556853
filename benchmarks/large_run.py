"""How long a run file with a million samples takes to show, and how much memory.

    python benchmarks/large_run.py [RUN] [--samples 1000000]

Makes the file of a run that there is (default: the newest), whose replicates and rounds are repeated under new numbers, in a folder that goes; then asks each command for it, in a process
of its own, with the file on the disk and in the page cache. The first look decodes the file and keeps its columns, in a cache folder of its own here.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ledger import scratch

from iogauge import session, status
from iogauge.units import duration, size

COMMANDS = (
    # said of it, most seconds, command
    (", the first look at a file", None, ["show"]),
    ("", 3.0, ["show"]),
    ("", None, ["explain"]),
    ("", 10.0, ["report", "-o", "report.html"]),
)
MEMORY = 1 << 30
SETTLED = 2.0  # seconds: of a file that may still be changing nothing is kept
LONG = 1e4  # seconds by which copies of a round lie apart, so that each comes after all of the copy before
_OF_REPLICATES = ("fork", "round", "sample", "companion", "replicate")


def grown(records: list[dict[str, Any]], wanted: int) -> Iterator[dict[str, Any]]:
    """The records with as many copies of the replicates, and, of their samples, of the rounds, as make so many samples."""
    copies = -(-wanted // sum(each["record"] == "sample" for each in records))
    of_replicates = round(copies**0.5)
    of_rounds = -(-copies // of_replicates)
    replicates = 1 + max(each["replicate"] for each in records if each["record"] == "replicate")
    rounds = 1 + max(each["round"] for each in records if each["record"] == "sample")
    forks = 1 + max(each["fork"] for each in records if each["record"] == "fork")
    yield from (each for each in records if each["record"] not in (*_OF_REPLICATES, "end"))
    for copy in range(of_replicates):
        for each in records:
            if each["record"] not in _OF_REPLICATES:
                continue
            moved = {**each, "replicate": each["replicate"] + copy * replicates} | ({"fork": each["fork"] + copy * forks} if "fork" in each else {})
            for again in range(of_rounds if each["record"] in ("sample", "round") else 1):
                later = {"ended": moved["ended"] + again * LONG} if "ended" in moved else {}
                yield {**moved, "round": moved["round"] + again * rounds} | later if again else moved
    yield from (each for each in records if each["record"] == "end")


def timed(command: list[str], folder: Path) -> tuple[float, int]:
    """Seconds, and the most memory of the process, in bytes."""
    began = time.perf_counter()
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}  # what is kept of this file pushes out nothing of the user's
    process = subprocess.Popen([sys.executable, "-m", "iogauge", *command], cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    _, ended, used = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(ended) == status.DONE, command
    return time.perf_counter() - began, used.ru_maxrss * 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", nargs="?", type=Path, default=None)
    parser.add_argument("--samples", type=int, default=1_000_000)
    given = parser.parse_args()
    records = [json.loads(line) for line in (given.run or session.newest_run()).read_text().splitlines()]
    with scratch() as folder:
        path, count = folder / "large.jsonl", 0
        with path.open("w") as file:
            for each in grown(records, given.samples):
                count += each["record"] == "sample"
                file.write(json.dumps(each, separators=(",", ":"), ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())  # or the kernel writes it back while the first command runs
        time.sleep(SETTLED)
        plan = records[0]["plan"]
        print(f"{count} samples of {len(plan['cases'])} cases in {size(path.stat().st_size)}\n")
        print("| command | asked | seconds | most memory |\n|---|---|---|---|")
        for said, most, (name, *options) in COMMANDS:
            seconds, memory = timed([name, str(path), *options], folder)
            print(f"| `iogauge {name}`{said} | {f'≤ {duration(most)}, ≤ {size(MEMORY)}' if most else ''} | {seconds:.1f} | {size(memory)} |")


if __name__ == "__main__":
    main()
