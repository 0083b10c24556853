"""Strategies of the JVM runner under JMH, in JVMs with the options of iogauge's forks."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iogauge.model.errors import UserError

from . import building, runtimes, works
from .running import run as run_program
from .turns import InTurns
from .works import Staged, Work

_RESULT = "jmh.json"
WARM_UP = 0.5  # seconds of an iteration that warms up
_COMPILED_EARLIER = "-XX:CompileCommand=CompileThresholdScaling,iogauge."
_LEAST_WARM_UP, _MOST_WARM_UP, _WARM_UP_CALLS = (
    1.5,
    8.0,
    6000,
)  # seconds; at its 5000th call a JVM compiles an operation for good.
_LATE = {
    "java/byte-array-input-stream-byte": 25.0
}  # Until then this one takes so many times as long (causes.py compiled-loop).


def warm_up_seconds(work: Work, ns_per_op: float) -> float:
    """1.5, or up to 8 where that suffices for 6000 operations."""
    calls = _WARM_UP_CALLS * ns_per_op / 1e9 * _LATE.get(work.case.strategy, 1.0)
    return max(_LEAST_WARM_UP, calls if calls <= _MOST_WARM_UP else 0.0)


def warm_ups(work: Work, ns_per_op: float) -> dict[str, Any]:
    """So long, in iterations of WARM_UP."""
    return {
        "warmups": math.ceil(warm_up_seconds(work, ns_per_op) / WARM_UP),
        "warmup_seconds": WARM_UP,
    }


@dataclass(frozen=True)
class JmhResult:
    """`ns_per_op` and `error_999`, the half-width of the 99.9% interval (None of a single
    iteration), are what JMH reports.

    `scores` are ns per operation, by fork and iteration.
    """

    label: str
    ns_per_op: float
    error_999: float | None
    scores: tuple[tuple[float, ...], ...]
    wall_seconds: float


@dataclass(frozen=True)
class _Java:
    executable: str
    options: tuple[str, ...]
    class_path: str
    environment: dict[str, str]


def run(
    work: Work,
    *,
    forks: int,
    warmups: int,
    iterations: int,
    seconds: float,
    warmup_seconds: float | None = None,
    jvm_args: Sequence[str] = (),
    label: str = "",
    under: Sequence[str] = (),
) -> JmhResult:
    """Iterations take so many seconds each (warm-ups `warmup_seconds`, if given), or, of cold
    reads, one operation.

    `under` is a command that starts the one it is given, as strace does. Raises UserError, also
    when an operation went wrong.
    """
    java = _java(work, jvm_args)
    with works.stage(work) as staged:
        command = [
            *under,
            *_command(java, staged, forks, warmups, iterations, seconds, warmup_seconds or seconds),
        ]
        began = time.perf_counter()
        run_program(
            "JMH", command, {**java.environment, works.VARIABLE: str(staged.file)}, staged.folder
        )
        wall = time.perf_counter() - began
        metric = _metric(staged)
    error = float(metric["scoreError"])  # JMH writes "NaN" where it has none
    return JmhResult(
        label, float(metric["score"]), None if math.isnan(error) else error, _scores(metric), wall
    )


def in_turns(
    work: Work, *, warmups: int, warmup_seconds: float, iterations: int, seconds: float
) -> InTurns:
    """One fork, warmed up, whose iterations take place when they are asked for; where files are
    written, an iteration, a warm-up too, writes half a batch, however long that takes. Raises
    UserError for an odd number of such warm-ups: then the halves of a turn would be of two batches.
    """
    if work.writes_file and warmups % 2:
        raise UserError(f"{warmups} warm-ups of half a batch each are no whole batches")
    java = _java(work, ())

    def start(staged: Staged) -> tuple[list[str], dict[str, str]]:
        executable, *arguments = _command(
            java, staged, 1, warmups, iterations, seconds, warmup_seconds, takes_turns=True
        )
        return [
            executable,
            "-Djmh.ignoreLock=true",
            *arguments,
        ], java.environment  # while it waits another one may work

    return InTurns("JMH", work, iterations, start, lambda staged, said: _scores(_metric(staged))[0])


def _command(
    java: _Java,
    staged: Staged,
    forks: int,
    warmups: int,
    iterations: int,
    seconds: float,
    warmup_seconds: float,
    *,
    takes_turns: bool = False,
) -> list[str]:
    if odd := [
        each for each in java.options if any(letter.isspace() or letter in "'\"" for letter in each)
    ]:
        raise UserError(f"JMH cannot pass on the option {odd[0]!r}")
    benchmark, more = _benchmark(staged.work, takes_turns)
    command = [
        java.executable,
        "-cp",
        java.class_path,
        "org.openjdk.jmh.Main",
        f"^{benchmark.replace('.', '[.]')}$",
        *more,
    ]
    command += ["-f", str(forks), "-wi", str(warmups), "-i", str(iterations)]
    command += [
        "-w",
        _duration(warmup_seconds),
        "-r",
        _duration(seconds),
        "-foe",
        "true",
        "-tu",
        "ns",
    ]
    return [
        *command,
        "-jvmArgs",
        " ".join(java.options),
        "-rf",
        "json",
        "-rff",
        str(staged.folder / _RESULT),
    ]


def _metric(staged: Staged) -> dict[str, Any]:
    return json.loads((staged.folder / _RESULT).read_text())[0]["primaryMetric"]


def _scores(metric: dict[str, Any]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(map(float, fork)) for fork in metric["rawData"])


def once(
    staged: Staged, operations: int, jvm_args: Sequence[str] = ()
) -> tuple[list[str], dict[str, str]]:
    """A command that does the work so many times in a fresh JVM, and its environment. Raises
    UserError.
    """
    java = _java(staged.work, jvm_args)
    arguments = staged.once_arguments(operations)
    return [
        java.executable,
        *java.options,
        "-cp",
        java.class_path,
        "iogauge.peers.Once",
        *arguments,
    ], java.environment


def _benchmark(work: Work, takes_turns: bool) -> tuple[str, list[str]]:
    """The benchmark's name, and what JMH must be told because of it."""
    if work.writes_file and takes_turns:  # an iteration is one call: half a batch
        return "iogauge.peers.Written.batch", ["-bm", "ss", "-opi", str(work.batch // 2)]
    if work.writes_file:
        return "iogauge.peers.Written.batch", ["-opi", str(work.batch)]
    return ("iogauge.peers.Cold.operation" if work.cold else "iogauge.peers.Repeated.operation"), []


def _duration(seconds: float) -> str:
    return f"{max(1, round(seconds * 1000))}ms"


def _java(work: Work, jvm_args: Sequence[str]) -> _Java:
    found = work.found
    start = runtimes.start(found, work.heap_mib, (*work.case.options, *jvm_args))
    executable, *options, _, class_path, _ = start.command  # java OPTIONS -cp CLASS_PATH MAIN
    options = [
        each for each in options if not each.startswith(_COMPILED_EARLIER)
    ]  # a peer compiles when a JVM does so by itself
    jar = Path(class_path.partition(":")[0]).parent / "jvm-runner-1.jar"
    home = found.builder_home
    built = building.built(
        "jmh",
        building.folder_files(building.HERE / "jvm", ["pom.xml", "src"]),
        [
            [
                "mvn",
                "-q",
                "-B",
                f"-Drunner.jar={jar}",
                "compiler:compile",
                "jar:jar",
                "dependency:copy-dependencies",
            ]
        ],
        {"JAVA_HOME": str(home)},
        made_with=found.ready.runtime.build,
    )
    return _Java(
        executable, tuple(options), f"{class_path}:{built}/target/lib/*", start.environment
    )
