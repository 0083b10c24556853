"""`make bench`: what does iogauge itself cost?

Prints Markdown; docs/benchmarks.md keeps a part of it.

The absolute times are those of one machine: they judge the tool, not machines. Nothing else should
run meanwhile.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from iogauge.model.strategy import Strategy
from iogauge.model.units import significant
from iogauge.runners import preparing, wire
from iogauge.runners.fork import Fork
from iogauge.runners.preparing import Ready


def main() -> None:
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    with tempfile.TemporaryDirectory(prefix="iogauge-bench-", dir="/var/tmp") as name:
        folder = Path(name)
        print("## The harness\n")
        harness()
        print("\n## The command line\n")
        command_line()
        print("\n## `iogauge run quick`\n")
        quick(folder)


def harness() -> None:
    """The null strategy, per operation and per sample."""
    print(
        "| runtime | ns per operation | µs per request, host to host | µs per look at the evidence | start to `hello`, ms |"
    )
    print("|---|---|---|---|---|")
    ready, _ = preparing.prepare({}, lambda text: None)
    for each in ready:
        null = next(
            strategy for strategy in each.runtime.strategies.values() if strategy.role == "null"
        )
        print(
            f"| {each.runtime.name} | {' | '.join(significant(value, 3) for value in null_costs(each, null))} |"
        )


def null_costs(ready: Ready, null: Strategy) -> tuple[float, float, float, float]:
    starts = []
    for _ in range(5):
        began = time.perf_counter()
        fork = Fork(ready.launch, ready.runtime.heap_minimum_mib)
        fork.ask(wire.hello(), 30)
        starts.append((time.perf_counter() - began) * 1e3)
        fork.end()
    fork = Fork(ready.launch, ready.runtime.heap_minimum_mib)
    try:
        fork.ask(wire.open_strategy(null.name, {}, "read", "none"), 30)
        operations, spans = 100_000, 50
        reply = fork.ask(wire.sample(operations, spans, ["/"]), 60)
        per_operation = statistics.median(ns / operations for ns in reply.ns[spans // 2 :])
        requests, looks = [], []
        for _ in range(300):
            began = time.perf_counter()
            reply = fork.ask(wire.sample(1, 1, ["/"]), 30)
            requests.append((time.perf_counter() - began) * 1e6)
            began = time.perf_counter()
            fork.counters.read()
            looks.append((time.perf_counter() - began) * 1e6)
    finally:
        fork.end()
    return (
        per_operation,
        statistics.median(requests),
        statistics.median(looks),
        statistics.median(starts),
    )


def command_line() -> None:
    print("| command | seconds, best of 10 | median |")
    print("|---|---|---|")
    script = Path(sys.executable).with_name("iogauge")
    for arguments in (["--help"], ["list", "studies"], ["plan", "quick"]):
        times = []
        for _ in range(10):
            began = time.perf_counter()
            subprocess.run([script, *arguments], capture_output=True, check=True)
            times.append(time.perf_counter() - began)
        print(
            f"| `iogauge {' '.join(arguments)}` | {min(times):.3f} | {statistics.median(times):.3f} |"
        )


def quick(folder: Path) -> None:
    """Where the seconds of the default study go, and what iogauge itself takes meanwhile."""
    out = folder / "quick.jsonl"
    script = Path(sys.executable).with_name("iogauge")
    command = [*map(str, (script, "run", "quick", "--out", out, "--dir", folder))]
    began = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TERM": "dumb"},
    )
    first_standing, peak, cpu = None, 0, 0.0
    os.set_blocking(process.stderr.fileno(), False)
    while process.poll() is None:
        line = process.stderr.readline()
        if first_standing is None and "left, 1 replicate" in line:
            first_standing = time.perf_counter() - began
        peak, cpu = max(peak, resident(process.pid)), max(cpu, processor_seconds(process.pid))
        time.sleep(0.2)
    total = time.perf_counter() - began
    records = [json.loads(line) for line in out.read_text().splitlines()]
    replicates = [record for record in records if record["record"] == "replicate"]
    samples = [record for record in records if record["record"] == "sample"]
    timed = sum(sum(record["ns"]) for record in samples) / 1e9
    preparing = rounds = ceilings = 0.0
    for replicate in replicates:
        ends = [
            each["ended"]
            for each in samples
            if (each["bundle"], each["replicate"]) == (replicate["bundle"], replicate["replicate"])
        ]
        preparing += min(ends) - (replicate["elapsed"] - replicate["seconds"])
        rounds += max(ends) - min(ends)
        ceilings += replicate["elapsed"] - max(ends)
    of_bundles = Counter(each["bundle"] for each in replicates).values()
    each_table = " to ".join(map(str, sorted({min(of_bundles), max(of_bundles)})))
    print("| what | |")
    print("|---|---|")
    print(
        f"| whole run | {total:.1f} s, {each_table} replicates per table, {len(samples)} samples |"
    )
    print(
        f"| to the first standing, from the command | {first_standing:.1f} s |"
        if first_standing
        else "| no standing | |"
    )
    print(f"| starting and warming up forks | {preparing:.1f} s |")
    print(f"| rounds | {rounds:.1f} s, of them {timed:.1f} s inside samples |")
    print(f"| ceilings, and judging | {ceilings:.1f} s |")
    print(f"| peak memory of iogauge | {peak / 1e6:.0f} MB |")
    print(f"| processor time of iogauge | {cpu:.1f} s, {cpu / total:.1%} of a core over the run |")
    print(f"| void samples | {sum(1 for each in samples if each['void'])} of {len(samples)} |")


def resident(pid: int) -> int:
    """Peak resident bytes of one process, without its children."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    return next(
        (int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("VmHWM")), 0
    )


def processor_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
