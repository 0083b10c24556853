"""Strategies of the Go runner under Go's testing package, and benchstat to compare what it prints."""

from __future__ import annotations

import csv
import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from iogauge.model.errors import UserError

from . import building, runtimes, works
from .running import run as run_program
from .turns import InTurns
from .works import Staged, Work

_LINE = re.compile(
    r"^Benchmark(?:Work|Collection)\S*\s+\d+\s+([\d.]+) ns/op(?:\s+([\d.]+) collections/op\s+([\d.]+) faults/op)?$",
    re.MULTILINE,
)


_OPERATIONS, _PRELUDE = "IOGAUGE_PEER_OPERATIONS", "IOGAUGE_PEER_PRELUDE"


@dataclass(frozen=True)
class GobenchResult:
    """ns per operation of each run of the benchmark, collections and faults of memory per operation
    (of the Work), and what `go test` printed.
    """

    ns_per_op: tuple[float, ...]
    collections_per_op: tuple[float, ...]
    faults_per_op: tuple[float, ...]
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
    of: str = "Work",
) -> GobenchResult:
    """`count` and `benchtime` are those of `go test` ("1s", "100x"), `under` a command to start it
    by, `of` what is measured: the Work, or a Collection of garbage where there is none. Raises
    UserError, also when an operation went wrong.

    Another `layout` is a binary whose functions were linked in another order: the seed of the
    linker's -randlayout.
    """
    start = runtimes.start(work.found, work.heap_mib, work.case.options)
    with works.stage(work) as staged:
        text = run_program(
            "go test",
            [*under, *_command(work, count, benchtime, layout, of)],
            {**start.environment, works.VARIABLE: str(staged.file)},
            staged.folder,
        )
    told = columns(text)
    if len(told[0]) != count:
        raise UserError(f"go test: {len(told[0])} results instead of {count}:\n{text}")
    return GobenchResult(*told, text)


def in_turns(
    work: Work, *, count: int, operations: int, prelude: int = 0, layout: int = 0
) -> InTurns:
    """One process, whose `count` runs of so many operations take place when they are asked for;
    each after a `prelude` of operations on a file that is there, which its clock leaves out.
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
        lambda staged: (_command(work, count, f"{operations}x", layout, "Work"), variables),
        lambda staged, said: columns(said)[0],
    )


def _command(work: Work, count: int, benchtime: str, layout: int, of: str) -> list[str]:
    command = [
        str(built(work, layout) / "work.test"),
        "-test.run=^$",
        f"-test.bench=^Benchmark{of}$",
    ]
    return [*command, f"-test.count={count}", f"-test.benchtime={benchtime}", "-test.timeout=0"]


def columns(text: str) -> tuple[tuple[float, ...], ...]:
    """ns, collections and faults per operation of each run; the latter two are empty where nothing
    is told of them.
    """
    found = _LINE.findall(text)
    return tuple(
        tuple(float(each[place]) for each in found if each[place]) for place in range(_LINE.groups)
    )


class PlainSpan(NamedTuple):
    """All per operation, but for the collections that came before it."""

    collections_before: float
    ns: float
    collections: float
    switches: float
    faults: float


def plain(work: Work, operations: int, spans: int, layout: int = 0) -> list[PlainSpan]:
    """Of each span of a program that does nothing else; without operations, of a collection where
    there is no garbage. Raises UserError.
    """
    return plain_after((), work, operations, spans, layout)["nothing"]


def plain_after(
    befores: Sequence[str], work: Work, operations: int, spans: int, layout: int = 0
) -> dict[str, list[PlainSpan]]:
    """In one process so many spans after each of these, in random order: `nothing`, a garbage
    `collection`, or that and the work opened `anew`, for a goroutine of its own. Raises UserError.
    """
    start = runtimes.start(work.found, work.heap_mib, work.case.options)
    with works.stage(work) as staged:
        command = [
            str(built(work, layout) / "plain.bin"),
            str(staged.file),
            str(operations),
            str(spans),
            *befores,
        ]
        text = run_program("plain", command, start.environment, staged.folder)
    found: dict[str, list[PlainSpan]] = {}
    for line in text.splitlines():
        before, *numbers = line.split()
        found.setdefault(before, []).append(PlainSpan(*map(float, numbers)))
    return found


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
    """The folder of `work.test`, `once.bin` and `plain.bin`, compiled as the runner is: the same
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
            [go, "build", *flags, "-o", "plain.bin", "./plain"],
        ],
        table.environment,
        made_with=work.found.ready.runtime.version,
    )
