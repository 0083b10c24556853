"""Strategies of the Go runner under Go's testing package, and benchstat to compare its output."""

from __future__ import annotations

import csv
import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from iogauge.model.errors import UserError

from . import building, runtimes, works
from .running import run as run_program
from .turns import InTurns
from .works import Staged, Work

_LINE = re.compile(r"^BenchmarkWork\S*\s+\d+\s+([\d.]+) ns/op$", re.MULTILINE)

_OPERATIONS, _PRELUDE = "IOGAUGE_PEER_OPERATIONS", "IOGAUGE_PEER_PRELUDE"


@dataclass(frozen=True)
class GobenchResult:
    """ns per operation of each count of the benchmark, and the text that `go test` printed."""

    ns_per_op: tuple[float, ...]
    text: str


@dataclass(frozen=True)
class BenchstatResult:
    """What benchstat says of b against a: medians, their intervals (± so many percent), and the
    difference, slower is positive.

    `delta_percent` is None where benchstat sees no difference, an interval None where there are too
    few runs for one.
    """

    delta_percent: float | None
    p: float
    center_a_ns: float
    center_b_ns: float
    ci_a_percent: float | None
    ci_b_percent: float | None


def run(
    work: Work,
    *,
    count: int,
    benchtime: str,
    layout: int = 0,
    under: Sequence[str] = (),
) -> GobenchResult:
    """`count` and `benchtime` are the options of `go test` ("1s", "100x"); `under` is a command
    that starts it, as strace does. Raises UserError, also when an operation failed.

    `layout` is the seed of the linker's -randlayout: each one is a binary whose functions were
    linked in another order.
    """
    start = runtimes.start(work.found, work.heap_mib, work.case.options)
    with works.stage(work) as staged:
        text = run_program(
            "go test",
            [*under, *_command(work, count, benchtime, layout)],
            {**start.environment, works.VARIABLE: str(staged.file)},
            staged.folder,
        )
    found = times(text)
    if len(found) != count:
        raise UserError(f"go test: {len(found)} results instead of {count}:\n{text}")
    return GobenchResult(found, text)


def in_turns(
    work: Work, *, count: int, operations: int, prelude: int = 0, layout: int = 0
) -> InTurns:
    """One process that waits for its turns. It makes `count` counts of so many operations, each
    when it is asked for. A `prelude` of operations comes first in each count; the clock leaves it
    out.
    """
    variables = {
        **runtimes.start(work.found, work.heap_mib, work.case.options).environment,
        _OPERATIONS: str(operations),
        _PRELUDE: str(prelude),
    }
    return InTurns(
        "go test",
        work,
        count,
        lambda staged: (_command(work, count, f"{operations}x", layout), variables),
        lambda staged, said: times(said),
    )


def _command(work: Work, count: int, benchtime: str, layout: int) -> list[str]:
    command = [
        str(built(work, layout) / "work.test"),
        "-test.run=^$",
        "-test.bench=^BenchmarkWork$",
    ]
    return [*command, f"-test.count={count}", f"-test.benchtime={benchtime}", "-test.timeout=0"]


def times(text: str) -> tuple[float, ...]:
    """ns per operation of each count in the text that `go test` printed."""
    return tuple(float(each) for each in _LINE.findall(text))


def once(staged: Staged, operations: int) -> tuple[list[str], dict[str, str]]:
    """A command that does the work so many times in a fresh process, and its environment. Raises
    UserError.
    """
    work = staged.work
    start = runtimes.start(work.found, work.heap_mib, work.case.options)
    return [str(built(work) / "once.bin"), *staged.once_arguments(operations)], start.environment


def benchstat(text_a: str, text_b: str) -> BenchstatResult:
    """Compare what two runs printed. Raises UserError."""
    go = runtimes.find("go").ready.executable
    tool = building.built(
        "benchstat",
        building.folder_files(building.HERE / "benchstat"),
        [[str(go), "build", "-o", "benchstat.bin", "golang.org/x/perf/cmd/benchstat"]],
        {"GOWORK": "off", "CGO_ENABLED": "0"},
    )
    with tempfile.TemporaryDirectory(prefix="iogauge-peer-") as name:
        folder = Path(name)
        (folder / "a").write_text(text_a)
        (folder / "b").write_text(text_b)
        table = run_program(
            "benchstat",
            [str(tool / "benchstat.bin"), "-format", "csv", "a", "b"],
            os.environ,
            folder,
        )
    return _parsed(table)


def _parsed(table: str) -> BenchstatResult:
    row = next(
        (each for each in csv.reader(table.splitlines()) if each and each[0].startswith("Work")),
        None,
    )
    if row is None or len(row) < 7:
        raise UserError(f"benchstat: no comparison in what it says:\n{table}")
    _, center_a, ci_a, center_b, ci_b, delta, p = row[:7]
    return BenchstatResult(
        delta_percent=None if delta == "~" else float(delta.removesuffix("%")),
        p=float(re.match(r"p=([\d.]+)", p)[1]),
        center_a_ns=float(center_a) * 1e9,
        center_b_ns=float(center_b) * 1e9,
        ci_a_percent=_percent(ci_a),
        ci_b_percent=_percent(ci_b),
    )


def _percent(text: str) -> float | None:
    return None if text == "∞" else float(text.removesuffix("%"))


def built(work: Work, layout: int = 0) -> Path:
    """The folder of `work.test` and `once.bin`, compiled as the runner is: the same
    Go, the same variables, beside a copy of the same sources.
    """
    runner, go = work.found.runner, str(work.found.ready.executable)
    table = runner.file.build
    sources = {
        **building.folder_files(building.HERE / "go"),
        **building.folder_files(runner.folder, table.inputs, below="runner"),
    }
    flags = [
        "-trimpath",
        "-buildvcs=false",
        *([f"-ldflags=-randlayout={layout}"] if layout else []),
    ]
    return building.built(
        "gobench",
        sources,
        [
            [go, "mod", "edit", "-replace", "iogauge/runners/go=./runner"],
            [go, "test", "-c", *flags, "-o", "work.test", "./work"],
            [go, "build", *flags, "-o", "once.bin", "./once"],
        ],
        table.environment,
        made_with=work.found.ready.runtime.version,
    )
