"""Records of watches, made by hand: no program ran, and no machine is named."""

from __future__ import annotations

from pathlib import Path

from iogauge.model.watched import (
    Amounts,
    Calls,
    Change,
    Cost,
    Finding,
    Place,
    Program,
    Span,
    Wait,
    Watched,
)

GOLDEN = Path(__file__).parent / "watches" / "convert.watch.json"
"""A run of 12 s with several findings, waits, and forty moments."""


def span(low: float, middle: float, high: float) -> Span:
    return Span(low=low, middle=middle, high=high)


def watched(**more) -> Watched:
    """A program that reads a file in pieces of 100 bytes for 2 s."""
    calls = Calls(
        program=0, name="read", target="file", file="rows", count=1e6, bytes=1e8, size=100, seen=90
    )
    given = {
        "started": "2026-11-28T14:22:06+00:00",
        "name": "python3 count.py",
        "wall": 2.0,
        "status": 0,
        "total": Amounts(
            read_calls=1_000_038,
            write_calls=1,
            read_bytes=100_004_565,
            written_bytes=9,
            device_read_bytes=0,
            device_written_bytes=0,
            user=0.5,
            system=1.4,
        ),
        "programs": (Program(name="python3.13", language="python", script="count.py", own=True),),
        "calls": (
            calls,
            Calls(program=0, name="write", target="terminal", file="", count=1, bytes=9, size=9),
        ),
        "in_calls": 1.3,
        "waiting": 0.0,
        "unseen": ("mapped reads",),
        "cost": Cost(processor=0.01, stopped=0.006, looks=40, windows=4),
    }
    return Watched(**(given | more))


SMALL_READS = Finding(
    kind="small-reads",
    program=0,
    file="rows",
    calls=1e6,
    size=100,
    bytes=1e8,
    saves=span(1.3, 1.4, 1.5),
    basis="two-ways",
    change=Change(
        text="read through the buffer of open(): leave out buffering=0, or os.read",
        code="open(path, 'rb', buffering=1 << 16)",
    ),
    place=Place(
        program=0, file="count.py", line=12, function="main", text="row = os.read(fd, 100)"
    ),
)
SYNCED = Finding(
    kind="synced",
    program=0,
    file="journal",
    calls=600,
    size=512,
    bytes=307_200,
    saves=span(0.2, 0.3, 0.4),
    basis="waits",
)
OPENED = Finding(
    kind="opened-again",
    program=0,
    file="lookup.txt",
    calls=20_000,
    size=700,
    bytes=14e6,
    saves=span(0.11, 0.2, 0.3),
    basis="constants",
    at_least=True,
    files=4,
)

one_finding = watched(findings=(SMALL_READS,))
several = watched(
    findings=(
        SMALL_READS,
        SYNCED,
        OPENED,
        OPENED.model_copy(update={"kind": "unpacking", "file": "rows.gz", "basis": "stacks"}),
    ),
    programs=(
        Program(name="python3.13", language="python", script="count.py", own=True),
        Program(name="gzip"),
    ),
)
nothing_to_gain = watched(
    name="cp",
    wall=0.51,
    total=Amounts(
        read_calls=20, write_calls=1, read_bytes=2**27, written_bytes=2**27, user=0.0, system=0.24
    ),
    programs=(Program(name="cp"),),
    calls=(Calls(program=0, name="read", target="file", file="a", count=20, bytes=2**27),),
)
too_short = watched(
    name="true",
    wall=0.00477,
    programs=(Program(name="true"),),
    calls=(),
    unseen=("mapped reads", "single calls (it ended before they were looked at)"),
)
with_waits = watched(
    name="sqlite3",
    wall=12.4,
    total=Amounts(
        read_calls=3064,
        write_calls=15_009,
        read_bytes=2**25,
        written_bytes=25_411_140,
        device_read_bytes=2**24,
        user=0.9,
        system=1.1,
    ),
    waits=(
        Wait(program=0, name="fdatasync", target="file", file="db-journal", seconds=7.4, looks=148),
        Wait(program=0, name="futex", target="unknown", file="", seconds=9.0, looks=180),
    ),
    calls=(
        Calls(program=0, name="pwrite64", target="file", file="db", count=15_009, bytes=25e6),
        Calls(program=0, name="fdatasync", target="file", file="db-journal", count=1500, bytes=0),
        Calls(program=0, name="pread64", target="file", file="db", count=3064, bytes=2**25),
    ),
    waiting=7.4,
    findings=(
        SYNCED.model_copy(
            update={
                "file": "db-journal",
                "calls": 1500,
                "saves": span(6.1, 7.3, 8.0),
                "change": Change(text="write many rows in one transaction", code="BEGIN;\nCOMMIT;"),
            }
        ),
    ),
)
unseen_and_left = watched(
    name="a daemon",
    wall=90.0,
    visited=True,
    status=None,
    no_advice="its reads are small, but the program is not yours to change",
    programs=(
        Program(name="daemon", unseen="it belongs to another user"),
        Program(name="helper", processes=7, unseen="strace is not installed"),
    ),
    left=("worker", "logger", "watcher", "cron", "at"),
    unseen=("mapped reads", "single calls (strace is not installed)"),
)
EXAMPLES = {
    "one finding": one_finding,
    "several": several,
    "nothing to gain": nothing_to_gain,
    "too short": too_short,
    "with waits": with_waits,
    "unseen and left": unseen_and_left,
}
