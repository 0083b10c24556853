"""How far writing new files depends on the memory that happens to be free."""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from peers import works
from scipy.stats import spearmanr

from effects.shared import warmed_up
from iogauge.runners import task
from iogauge.runners.fork import Fork

TURNS_OF_WRITING, FILES, OTHERS_EVERY = 240, 48, 20
MIB = 1 << 20


def show(folder: Path) -> None:
    """Files of 1 MiB, written by blocks of 8 KiB into the page cache: new ones, which take free
    memory, by a fork and by this program, and into files whose pages are there already. Now and
    then another program takes some memory and gives it back.
    """
    work = works.make(
        "java/file-output-stream", MIB, folder, operation="write", parameters={"block": 8192}
    )
    fork = Fork(work.found.ready.launch, work.heap_mib, folder / "log")
    files = task.written_files(
        work.case, work.task.strategy, work.task, folder / "written", "operation"
    )
    there = [folder / f"{number}.there" for number in range(FILES)]
    block = memoryview(os.urandom(8192))
    _write(there, block)
    drawn, found = random.Random(1), defaultdict(list)
    try:
        tenant = warmed_up(fork, work, files)
        for turn in range(TURNS_OF_WRITING):
            if turn % OTHERS_EVERY == 0:
                subprocess.run(
                    [sys.executable, "-c", f"bytearray({drawn.randrange(256, 4096) << 20})"],
                    check=True,
                )
            for way in drawn.sample(("fork", "new", "there"), 3):
                if way == "fork":
                    us = (
                        statistics.median(tenant.work(work.task, files, FILES // 8, 8).ns[4:])
                        / (FILES // 8)
                        / 1e3
                    )
                else:
                    us = _write(
                        [folder / f"{number}.new" for number in range(FILES)]
                        if way == "new"
                        else there,
                        block,
                    )
                for path in folder.glob("*.new"):
                    path.unlink()
                found[way].append(us)
    finally:
        fork.end()
        files.close()
    print(
        f"| µs per file, {TURNS_OF_WRITING} turns of {FILES} files | 5 % | median | 95 % | slowest tenth / fastest tenth, medians |"
    )
    print("|---|---|---|---|---|")
    for way, name in (
        ("fork", "a fork of iogauge, new files (java/file-output-stream)"),
        ("new", "this program, new files"),
        ("there", "this program, files that are in the cache"),
    ):
        us = sorted(found[way])
        tenth = len(us) // 10
        at = (us[len(us) // 20], statistics.median(us), us[-len(us) // 20])
        print(
            f"| {name} | {' | '.join(f'{each:.0f}' for each in at)} | {statistics.median(us[-tenth:]) / statistics.median(us[:tenth]):.2f} |"
        )
    for way, name in (("new", "new files"), ("there", "files that are in the cache")):
        print(
            f"{'' if way == 'there' else chr(10)}Rank correlation of the fork's times with those of this program, {name}: {spearmanr(found['fork'], found[way]).statistic:+.2f}."
        )


def _write(paths: Sequence[Path], block: memoryview) -> float:
    """µs that a file takes; what it holds already is overwritten."""
    began = time.perf_counter()
    for path in paths:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        for _ in range(MIB // len(block)):
            os.write(fd, block)
        os.close(fd)
    return (time.perf_counter() - began) * 1e6 / len(paths)
