"""One untimed operation of each case under strace: its system calls, how often it makes each, and
for how many bytes.

Counted are the calls of all threads of the process between the request and the reply, without the
runner's own reads and writes on its channel. Under strace everything is many times slower, so no
time is taken from it.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from iogauge.corpus.store import Corpus
from iogauge.corpus.written import WrongFile
from iogauge.model.case import ForkSpec
from iogauge.model.errors import UserError
from iogauge.model.units import mean_count
from iogauge.runfile.run import Run
from iogauge.runners import task
from iogauge.runners.fork import Fork, Launch, end_all, overlap
from iogauge.runners.live_fork import Failure, LiveFork
from iogauge.runners.wire import Refusal, WireError

MOST_CALLS = 200_000  # of an operation; each takes some 50 µs under strace
_FOR_THE_LOG = 5.0  # seconds until the last line must be there
_EXTRA_PATIENCE = 180.0  # seconds beyond the usual limit: strace is slow
_MOVING = {"read", "pread64", "readv", "preadv", "preadv2", "sendfile", "copy_file_range", "splice"}
_MOVING |= {"write", "pwrite64", "writev", "pwritev", "pwritev2"}
_LINE = re.compile(
    r"(?P<thread>\d+) +(?P<resumed><\.\.\. )?(?P<name>\w+)(?: resumed>|\()(?P<arguments>.*)",
    re.DOTALL,
)
_RESULT = re.compile(r".*\) += (?P<result>-?\d+|0x[0-9a-f]+|\?)", re.DOTALL)
_UNFINISHED = "<unfinished ...>"
_ON_A_PIPE = re.compile(r"\d+<pipe:")


@dataclass(frozen=True)
class Calls:
    """One system call: how often it was made and failed, and the bytes moved (None: never any)."""

    name: str
    count: int
    failed: int
    bytes: int | None


@dataclass(frozen=True)
class Trace:
    """The calls of an operation, the most frequent first; or why they are not known."""

    calls: tuple[Calls, ...]
    unknown: str | None = None


def find() -> str:
    """The strace of this machine. Raises UserError."""
    found = shutil.which("strace")
    if found is None:
        raise UserError(
            "--trace: strace is not installed; most distributions have it as a package of that name"
        )
    return found


def of_run(
    run: Run, launches: dict[str, Launch], corpus: Corpus, tell: Callable[[str], None]
) -> Iterator[tuple[str, Trace]]:
    """The trace of each case that was measured, by its key. Raises UserError without strace."""
    strace = find()
    with corpus.run_folder() as scratch:
        by_setting: dict[tuple[str, tuple[str, ...]], list[int]] = defaultdict(list)
        for case in map(int, np.unique(run.columns.case)):
            if not run.plan.cases[case].control:
                by_setting[run.plan.cases[case].runtime, run.plan.cases[case].options].append(case)
        for number, ((runtime, options), cases) in enumerate(by_setting.items()):
            log = scratch / f"{number}.strace"
            traced = _Traced(run, launches[runtime], strace, corpus, log, scratch, tell)
            yield from traced.of_cases(runtime, options, cases)


class _Traced:
    """A runner under strace, and the cases that it serves."""

    def __init__(
        self,
        run: Run,
        launch: Launch,
        strace: str,
        corpus: Corpus,
        log: Path,
        scratch: Path,
        tell: Callable[[str], None],
    ):
        self.run, self.corpus, self.scratch, self.tell = run, corpus, scratch, tell
        self.log = log
        # -A: the log may be emptied meanwhile. -D: the process that we start becomes the runner,
        # and strace its grandchild, so that our death ends the runner: a process whose strace is
        # killed while it starts stays stopped for ever.
        options = (
            "-D",
            "-f",
            "-qq",
            "-y",
            "-s",
            "0",
            "-e",
            "signal=none",
            "-A",
            "-o",
            str(self.log),
        )
        command = (strace, *options, "--", *launch.command)
        self.launch = replace(launch, command=command)

    def of_cases(
        self, runtime: str, options: tuple[str, ...], cases: list[int]
    ) -> Iterator[tuple[str, Trace]]:
        """The traces of these cases, by their keys, from one process as long as it lives."""
        heap = max(self.run.plan.forks[self.run.plan.fork_of[case]].heap_mib for case in cases)
        live_fork: LiveFork | None = None
        try:
            for number in cases:
                case = self.run.plan.cases[number]
                self.tell(f"tracing {case.label} @{case.setting}")
                try:
                    if live_fork is None or not live_fork.fork.alive:
                        live_fork = LiveFork(
                            Fork(self.launch, heap, options),
                            0,
                            ForkSpec(runtime=runtime, options=options),
                            self.run.header.method,
                            extra_patience=_EXTRA_PATIENCE,
                        )
                        overlap([live_fork.greeted()], at_once=1)
                    yield case.key, self.of_case(number, live_fork)
                except (Refusal, WireError, Failure, WrongFile, UserError) as error:
                    yield case.key, Trace((), str(error))
        finally:
            end_all([live_fork.fork] if live_fork else [])

    def of_case(self, number: int, live_fork: LiveFork) -> Trace:
        """The trace of one operation; two are made, because the first one also loads code."""
        case = self.run.plan.cases[number]
        group = next(each for each in self.run.plan.groups if number in each.cases)
        declared, expected = self.run.header.declared(case), self.expected_calls(number)
        if expected is None:
            why = "how many calls an operation makes is not known"
            return Trace((), f"{why}, so they may be too many to trace")
        if expected > MOST_CALLS:
            return Trace((), f"an operation makes {mean_count(expected)} calls, too many to trace")
        method, copy = self.run.header.method, task.copy_for(self.run.plan, group, number)
        made = task.make(case, declared, self.corpus, method, copy)
        folder = self.scratch / str(number)
        files = task.written_files(case, declared, made, folder, "operation", method)
        if not live_fork.has_open(made):
            self.logged(lambda: live_fork.open(made))
        # What is loaded or made at the first use is no part of an operation.
        self.logged(lambda: live_fork.work(made, files, 1))
        return Trace(counted(self.logged(lambda: live_fork.work(made, files, 1))))

    def logged(self, request: Callable[[], object]) -> list[str]:
        """The log of one request alone, up to the reply, which may be logged a moment later."""
        os.truncate(self.log, 0)
        request()
        until = time.monotonic() + _FOR_THE_LOG
        while True:
            lines = self.log.read_text("utf-8", "replace").splitlines()
            calls = _completed(lines)
            if any(name == "write" and _ON_A_PIPE.match(given) for name, given in calls):
                return lines
            if time.monotonic() > until:
                raise Failure("strace did not log the reply")
            time.sleep(0.01)

    def expected_calls(self, case: int) -> float | None:
        """Calls per operation in the run's samples; None where the kernel counted none."""
        samples = self.run.columns.take(np.flatnonzero(self.run.columns.case == case))
        counts = samples.counts("syscr") + samples.counts("syscw")
        known, operations = ~np.isnan(counts), samples.operations + samples.prelude
        return float(counts[known].sum() / operations[known].sum()) if known.any() else None


def counted(lines: Iterable[str]) -> tuple[Calls, ...]:
    """The calls in lines of `strace -f -y -s 0`, without those on pipes and unfinished ones."""
    counts: dict[str, int] = defaultdict(int)
    failures: dict[str, int] = defaultdict(int)
    moved: dict[str, int] = defaultdict(int)
    for name, arguments in _completed(lines):
        if _ON_A_PIPE.match(arguments):
            continue
        found = _RESULT.match(arguments)
        assert found is not None  # a call that ended has a result
        result = found["result"]
        counts[name] += 1
        failures[name] += result.startswith("-")
        if name in _MOVING and result.isdigit():
            moved[name] += int(result)
    made = [
        Calls(name, count, failures[name], moved[name] if name in _MOVING else None)
        for name, count in counts.items()
    ]
    return tuple(sorted(made, key=lambda each: (-each.count, each.name)))


def _completed(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Name and arguments (with the result) of each call that begins and ends in these lines."""
    begun: dict[tuple[str, str], str] = {}  # by thread and name, the arguments of calls that go on
    for line in lines:
        found = _LINE.fullmatch(line)
        if found is None:
            continue  # the rest of a line that began before, a signal, an exit
        key, arguments = (found["thread"], found["name"]), found["arguments"]
        if found["resumed"]:
            if key not in begun:
                continue  # it began before the request
            arguments = begun.pop(key) + arguments
        if arguments.endswith(_UNFINISHED):
            begun[key] = arguments.removesuffix(_UNFINISHED)
        elif _RESULT.match(arguments):
            yield found["name"], arguments
