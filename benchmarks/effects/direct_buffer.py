"""How the place of a direct buffer in its page changes reads, and where processes put it."""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

from peers import jmh, runtimes
from peers.works import Work

from effects.shared import cached
from iogauge.host import pagecache
from iogauge.runners import wire
from iogauge.runners.fork import Fork

PLACES = (0, 16, 32, 48, 64, 80, 112, 256, 272, 1040, 2048, 2064, 4032, 4080)
BLOCK = 131072
PROCESSES = 12


def show(folder: Path) -> None:
    file = folder / "data"
    file.write_bytes(os.urandom(4 << 20))
    pagecache.cache(file)
    java = runtimes.find("java").builder_home / "bin/java"
    source = Path(__file__).with_name("BufferPlaces.java")
    command = [
        str(java),
        "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
        str(source),
        str(file),
        str(BLOCK),
        *map(str, PLACES),
    ]
    given: list[int] = []
    times: dict[int, list[float]] = defaultdict(list)
    for _ in range(PROCESSES):
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        first, *rest = (tuple(map(int, line.split())) for line in text.splitlines())
        given.append(first[0])
        fastest = min(ns for _, ns in rest)
        for place, ns in rest:
            times[place].append(ns / fastest)
    print(
        "| bytes after the start of a page | time of reading 4 MiB / that at the fastest place, median of processes (range) |"
    )
    print("|---|---|")
    for place, found in times.items():
        print(f"| {place} | {statistics.median(found):.3f} ({min(found):.3f}–{max(found):.3f}) |")
    print(
        f"\nWhere {PROCESSES} processes that do nothing else put a buffer of {BLOCK >> 10} KiB: {', '.join(map(str, given))}."
    )
    if not shutil.which("strace"):
        print(
            "Where the forks of iogauge and of JMH put it: strace, which would tell, is not installed."
        )
        return
    work = cached("java/file-channel-direct", 4 << 20, folder, parameters={"block": BLOCK})
    for tool, find in (("iogauge", _place_in_a_fork), ("JMH", _place_under_jmh)):
        print(
            f"Where {PROCESSES} forks of {tool} put it: {', '.join(str(find(work, folder)) for _ in range(PROCESSES))}.",
            flush=True,
        )


def _strace(log: Path) -> list[str]:
    return [
        "strace",
        "-f",
        "-qq",
        "-e",
        "trace=read,pread64",
        "-e",
        "raw=read,pread64",
        "-o",
        str(log),
    ]


def _place_in_a_fork(work: Work, folder: Path) -> int:
    launch, log = work.found.ready.launch, folder / "strace"
    traced = replace(launch, command=(*_strace(log), *launch.command))
    fork = Fork(traced, work.heap_mib)
    try:
        fork.ask(wire.hello(), 60)
        fork.ask(work.task.opening, 60)
        fork.ask(wire.sample(3, 1, [str(work.task.path)]), 60)
    finally:
        fork.end()
    return _place(log)


def _place_under_jmh(work: Work, folder: Path) -> int:
    log = folder / "strace"
    jmh.run(work, forks=1, warmups=1, iterations=1, seconds=0.01, under=_strace(log))
    return _place(log)


def _place(log: Path) -> int:
    """The place of the buffer that most calls of a block read into: bytes after the start of a page."""
    calls = re.findall(
        rf"(?:read|pread64)\(0x[0-9a-f]+, 0x([0-9a-f]+), {BLOCK:#x}[,)]",
        log.read_text(encoding="utf-8"),
    )
    return int(Counter(calls).most_common(1)[0][0], 16) % 4096
