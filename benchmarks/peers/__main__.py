"""`python -m benchmarks.peers [--dir FOLDER]`: does every tool work here?

Prints the time of an operation according to each tool. Its runs are far too short to compare tools.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from iogauge.model.errors import UserError

from . import gobench, hyperfine, jmh, works
from .works import Work

BLOCK = {"block": 8192}
MIB = 1 << 20


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--dir",
        type=Path,
        default=Path("/var/tmp"),
        help="where data files are made and removed (default: %(default)s)",
    )
    parent = parser.parse_args().dir
    try:
        with tempfile.TemporaryDirectory(prefix="iogauge-peers-", dir=parent) as name:
            folder = Path(name)
            check_jmh(folder)
            check_gobench(folder)
            check_turns(folder)
            check_hyperfine(folder)
    except UserError as error:
        print(f"peers: {error}", file=sys.stderr)
        return 2
    return 0


def check_jmh(folder: Path) -> None:
    found = [
        works.make("java/file-input-stream", 65536, folder, parameters=BLOCK),
        works.make(
            "java/memory-byte-stream-write",
            42000,
            folder,
            operation="write",
            medium="memory",
            content="text-one-line",
        ),
        works.make("java/file-output-stream", 65536, folder, operation="write", parameters=BLOCK),
        works.make("java/file-channel-mapped", 4 * MIB, folder, cold=True),
    ]
    for work in found:
        result = jmh.run(work, forks=1, warmups=2, iterations=3, seconds=0.3)
        tell("JMH", work, result.ns_per_op)


def check_turns(folder: Path) -> None:
    reads, writes = (
        ("java/file-channel-direct", "go/file-read"),
        ("java/file-output-stream", "go/file-write"),
    )
    for strategies, more in (
        (reads, {}),
        (reads, {"cold": True}),
        (writes, {"operation": "write"}),
    ):
        java, go = (
            works.make(strategy, 4 * MIB, folder, parameters=BLOCK, **more)
            for strategy in strategies
        )
        operations = 1 if go.cold else go.batch // 2 if go.writes_file else 20
        starts = {
            "JMH, in turns": lambda: jmh.in_turns(
                java,  # noqa: B023
                warmups=2,
                warmup_seconds=0.3,
                iterations=4,
                seconds=0.05,  # noqa: B023
            ),  # noqa: B023
            "go test, in turns": lambda: gobench.in_turns(go, count=4, operations=operations),  # noqa: B023
        }
        for (name, start), work in zip(starts.items(), (java, go), strict=True):
            with start() as oracle:
                oracle.take(1 if work.cold else 2)
                tell(name, work, statistics.median(oracle.scores()))


def check_gobench(folder: Path) -> None:
    found = [
        works.make("go/file-read", 65536, folder, parameters=BLOCK),
        works.make("go/file-write", 65536, folder, operation="write", parameters=BLOCK),
        works.make("go/file-read", 4 * MIB, folder, parameters=BLOCK, cold=True),
    ]
    for work in found:
        result = gobench.run(work, count=3, benchtime="20x" if work.cold else "200ms")
        tell("go test", work, statistics.median(result.ns_per_op))
    larger = works.make("go/file-read", 65536, folder, parameters={"block": 1024})
    texts = [gobench.run(work, count=6, benchtime="50ms").text for work in (found[0], larger)]
    print(f"benchstat, blocks of 1 KiB against 8 KiB: {gobench.benchstat(*texts)}")


def check_hyperfine(folder: Path) -> None:
    for tool, strategy in ((jmh, "java/file-input-stream"), (gobench, "go/file-read")):
        work = works.make(strategy, 65536, folder, parameters=BLOCK)
        with works.stage(work) as staged:
            command, environment = tool.once(staged, operations=10)
            times = hyperfine.run(command, runs=3, prepare=staged.prepare, environment=environment)
        tell("hyperfine, a process with 10 operations", work, statistics.median(times) * 1e9)


def tell(tool: str, work: Work, ns: float) -> None:
    print(f"{tool}: {work.case.key}: {ns:.0f} ns", flush=True)


if __name__ == "__main__":
    sys.exit(main())
