"""Does iogauge tell without root in which folios a file is cached?

    python benchmarks/folios.py [--dir DIR] [--tries 40] [--seed 1]

Each try makes a file of 8 to 64 MiB in the directory, brings it into the cache in one of five ways,
and has a child without any rights look at it: as iogauge does, and by a mapped pass alone. Right is
the class (large, middle, small) of the way, or, where the file was read in order, of
/proc/kpageflags. Prints how many tries were right, and each that was not; exits with 1 where
iogauge was right in less than 95 %. Needs root, to see what is right and to give its rights up.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from iogauge.host import folios

ENOUGH = 0.95
NOBODY = 65534
SMALLEST, LARGEST = 8, 64  # MiB
KEEP_PROC_OWN = 4  # PR_SET_DUMPABLE: else /proc/self belongs to root after setuid
WRITES = {
    "written by 1 MiB": 1 << 20,
    "written by 64 KiB": 64 << 10,
    "written by 8 000 bytes": 8000,
}
RIGHT = {
    "written by 1 MiB": "large",
    "written by 64 KiB": "middle",
    "written by 8 000 bytes": "small",
    "read at random by 4 KiB": "small",
    "read in order by 128 KiB": None,
}
LOOKS = {"iogauge": folios.WAYS, "mapped pass": ("mapped pass",)}


def bring_in(path: Path, way: str, size: int, draw: random.Random) -> None:
    content = draw.randbytes(1 << 20) * (size >> 20)
    piece = WRITES.get(way, 1 << 20)
    with open(path, "wb", buffering=0) as file:
        for at in range(0, size, piece):
            file.write(content[at : at + piece])
        if way in WRITES:
            return
        os.fdatasync(file)
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    with open(path, "rb", buffering=0) as file:
        if way == "read in order by 128 KiB":
            while file.read(128 << 10):
                pass
            return
        places = list(range(0, size, 4096))
        draw.shuffle(places)
        for at in places:
            os.pread(file.fileno(), 4096, at)


def looked(path: Path, ways: tuple[folios.Way, ...]) -> dict[str, Any]:
    """What a child without rights sees: its way, the class, the folio size, and ms."""
    receive, send = os.pipe()
    child = os.fork()
    if not child:
        found: dict[str, Any] = {"by": "failed"}
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            ctypes.CDLL(None).prctl(KEEP_PROC_OWN, 1, 0, 0, 0)
            with folios.Looker(path.parent, ways) as looker:
                start = time.perf_counter()
                seen = looker.seen(path)
                ms = 1000 * (time.perf_counter() - start)
            found = {"by": "nothing", "ms": ms}
            if seen:
                found |= {"by": seen.by, "kind": seen.kind, "bytes": seen.folio_bytes}
        except OSError as error:
            found["error"] = str(error)
        finally:
            os.write(send, json.dumps(found).encode())
            os._exit(0)
    os.close(send)
    with os.fdopen(receive) as told:
        seen_there: dict[str, Any] = json.loads(told.read() or '{"by": "failed"}')
    os.waitpid(child, 0)
    return seen_there


def tried(folder: Path, way: str, draw: random.Random) -> tuple[str, dict[str, dict[str, Any]]]:
    """The class that is right, and what each kind of look saw."""
    path = folder / "file"
    try:
        bring_in(path, way, draw.randint(SMALLEST, LARGEST) << 20, draw)
        os.chown(path, NOBODY, NOBODY)
        found = folios.sizes(path)
        if not found:
            sys.exit("/proc/kpageflags cannot be read: run it as root")
        if RIGHT[way] not in (None, folios.kind(found)):
            print(f"{way}: the kernel shows {folios.kind(found)} ({found})")
        return RIGHT[way] or folios.kind(found), {
            name: looked(path, ways) for name, ways in LOOKS.items()
        }
    finally:
        path.unlink(missing_ok=True)


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--dir", type=Path, default=Path("."))
    arguments.add_argument("--tries", type=int, default=40)
    arguments.add_argument("--seed", type=int, default=1)
    chosen = arguments.parse_args()
    if one := folios.only_one_size(chosen.dir):
        print(one.why)
        return
    draw = random.Random(chosen.seed)
    of: Counter[str] = Counter()
    by: Counter[str] = Counter()
    right: Counter[tuple[str, str]] = Counter()
    times: dict[str, list[float]] = {name: [] for name in LOOKS}
    wrong = []
    with tempfile.TemporaryDirectory(dir=chosen.dir) as made:
        os.chmod(made, 0o777)
        order = [list(RIGHT)[number % len(RIGHT)] for number in range(chosen.tries)]
        draw.shuffle(order)
        for way in order:
            expected, seen = tried(Path(made), way, draw)
            of[way] += 1
            by[str(seen["iogauge"]["by"])] += 1
            for name, found in seen.items():
                times[name].append(float(found.get("ms", 0)))
                if found.get("kind") == expected:
                    right[way, name] += 1
                else:
                    wrong.append(f"{name}, {way}: {expected}, but seen as {found}")
    print("iogauge saw it by: " + ", ".join(f"{way} {count}" for way, count in by.items()))
    print("| brought in | tries | right: " + " | right: ".join(LOOKS) + " |")
    print("|---" * (2 + len(LOOKS)) + "|")
    for way in RIGHT:
        print(
            f"| {way} | {of[way]} | " + " | ".join(str(right[way, name]) for name in LOOKS) + " |"
        )
    for name in LOOKS:
        total = sum(right[way, name] for way in RIGHT)
        median = sorted(times[name])[len(times[name]) // 2]
        print(
            f"{name}: {total} of {chosen.tries} right ({total / chosen.tries:.1%}), {median:.1f} ms"
        )
    print(*wrong, sep="\n")
    sys.exit(sum(right[way, "iogauge"] for way in RIGHT) < ENOUGH * chosen.tries)


if __name__ == "__main__":
    main()
