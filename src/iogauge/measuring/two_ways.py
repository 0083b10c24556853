"""What a change saves: two ways of a language, at the size that a program used, measured by our
runners within seconds. No run file stays, and nothing is printed.
"""

from __future__ import annotations

import datetime
import os
import platform
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from iogauge import __version__
from iogauge.corpus.own_file import OwnFile
from iogauge.corpus.store import Corpus
from iogauge.host import capacity, description
from iogauge.host.files import may_run
from iogauge.host.kernel import mount_of
from iogauge.host.processes import allow_many_files, interruptions
from iogauge.measuring import known_answers
from iogauge.measuring.bench import Bench
from iogauge.measuring.pair import FEWEST, UNJUDGED, Pair
from iogauge.measuring.session import Say, machine, random_seed
from iogauge.model.errors import UserError, cause
from iogauge.model.method import METHOD
from iogauge.model.noun import Noun
from iogauge.model.plan import Plan
from iogauge.model.strategy import Runtime, Strategy
from iogauge.model.watched import Difference, Span, TwoWays
from iogauge.planning import plan
from iogauge.planning.options import Options
from iogauge.runfile.header import Header
from iogauge.runfile.run import Run
from iogauge.runfile.writing import Writer
from iogauge.runners import changes, commands
from iogauge.runners.changes import ChangeTable, WayTable
from iogauge.runners.finding import Choice
from iogauge.runners.manifest import Runner
from iogauge.runners.preparing import Ready
from iogauge.runners.runtimes import Runtimes
from iogauge.statistics.intervals import interval
from iogauge.statistics.quantiles import Array, median
from iogauge.study import loading
from iogauge.study.schema import Study

_SHORTEST, _LONGEST = 64 << 10, 16 << 20  # bytes of a file
_WHOLE = 64 << 20  # of one that is read as a whole: each page of so large a buffer is a new one
_LONGEST_PACKED = 1 << 20  # bytes: to unpack takes longer than to read
_LINES = 5_000  # of a file for whole commands: a shell takes 5 to 15 us for each
_WARM_UP = 1 / 8  # of the budget: a fork of a runtime that compiles is warmed up no longer
_WIDEST = 0.5  # of what the slow way takes: an answer that is known less well is not kept
_ERROR = 0.05  # probability that an interval misses
_WHERE = "two ways"  # what errors call the study
_WHOLE_FILE = ("opened-again", "read-again")


class NotMeasured(Noun):
    """There is no answer, and why: a sentence without its end."""

    why: str


Answer = Difference | NotMeasured


def measure(asked: TwoWays, folder: Path, budget_seconds: float, say: Say) -> Answer:
    """Answer one question with data files in a `folder` that exists. It takes about as long as the
    budget, but at least three replicates; an answer of the last day takes no measurement. `say` is
    told of builds. What cannot be measured is a NotMeasured; an interruption is passed on.
    """
    return measure_all([asked], folder, budget_seconds, say)[0]


def measure_all(
    asked: Sequence[TwoWays], folder: Path, budget_seconds: float, say: Say
) -> list[Answer]:
    """The same of several questions, each with the budget: runtimes are looked for once."""
    meter = _Meter(folder, budget_seconds, say)
    return [meter.answer(each) for each in asked]


@dataclass
class _Meter:
    folder: Path
    budget: float
    say: Say
    _here: dict[tuple[str, str | None], Runtimes] = field(default_factory=dict)

    def answer(self, asked: TwoWays) -> Answer:
        if asked.executable and not may_run(asked.executable):
            asked = asked.model_copy(update={"executable": None})
        try:
            return self._answer(asked)
        except UserError as error:
            return NotMeasured(why=str(error))
        except OSError as error:
            return NotMeasured(why=cause(error))

    def _answer(self, asked: TwoWays) -> Answer:
        places = changes.for_question(asked)
        why = unknown = f"no change is known for {asked.kind} of {asked.language}"
        for known, language in places:
            if known.runner is None:
                row = known.choose(asked, language, None)
                return self._of_commands(asked, row) if row else NotMeasured(why=why)
            here, runtime = self._runtime(known.runner, asked.executable)
            if runtime is None:
                why = "; ".join(each.why for each in here.missing) or "no runtime is here"
                continue
            if row := known.choose(asked, language, runtime.version):
                return self._of_strategies(asked, row, known.runner, here, runtime)
        # That a runtime is missing has to do with no size.
        sized = places and why == unknown
        return NotMeasured(why=f"{why} at {asked.size} bytes" if sized else why)

    def _runtime(self, runner: Runner, executable: str | None) -> tuple[Runtimes, Runtime | None]:
        """The runtime of the program, where it has one that can be used; else the default one."""
        if executable and not changes.is_runtime(executable, runner):
            executable = None
        key = runner.name, executable
        if key not in self._here:
            chosen = {runner.name: [Choice(executable)]} if executable else {}
            try:
                self._here[key] = Runtimes(chosen, self.say, [runner])
            except UserError:  # too old, or broken: another one tells more than none
                if not executable:
                    raise
                self._here[key] = self._runtime(runner, None)[0]
        here = self._here[key]
        return here, next(iter(here.runtimes), None)

    def _of_strategies(
        self, asked: TwoWays, row: ChangeTable, runner: Runner, here: Runtimes, runtime: Runtime
    ) -> Answer:
        declared = runtime.strategies
        if lacks := [each.strategy for each in _ways(row) if each.strategy not in declared]:
            return NotMeasured(why=f"{runtime.name} has no {lacks[0]}")
        for each in _ways(row):
            if unavailable := declared[each.strategy].unavailable:
                return NotMeasured(why=f"{each.strategy}: {unavailable}")
        length = _length(asked, row, declared)
        question = _question(row, declared, asked.size, length)
        path = known_answers.path_of(
            {
                "question": question,
                "change": row.model_dump(mode="json"),
                "runtime": [runtime.name, runtime.version, runtime.build],
                **_place(self.folder),
            }
        )
        if found := known_answers.find(path):
            return found
        seconds = runner.file.build.seconds or 0.0
        if here.not_built([runtime.name]) and seconds > self.budget:
            built = f"the {runner.called} runner is not built yet; iogauge run builds it"
            return NotMeasured(why=built)
        here.build([runtime.name])
        ready = [each for each in here.ready if each.runtime.runner == runner.name]
        if not ready:
            return NotMeasured(why="; ".join(each.why for each in here.missing))
        study = loading.made(_WHERE, {"id": "two-ways", "title": "Two ways"}, question)
        answer = self._measured(study, ready[0], row, None)
        if isinstance(answer, Difference) and _is_sure(answer):
            known_answers.keep(path, answer)
        return answer

    def _of_commands(self, asked: TwoWays, row: ChangeTable) -> Answer:
        """Two whole commands on a file with lines of the size that was asked for."""
        program = asked.executable or row.executable
        lines = [
            commands.Line(each.command.replace("{executable}", program), each.name)
            for each in _ways(row)
        ]
        found = commands.strategies(commands.Given(lines, {}, {}))
        ready = commands.ready(found)
        question = {
            "id": "two-ways",
            "question": row.text,
            "content": "own",
            "consume": "none",
            "case": [{"strategy": each.name} for each in found],
        }
        path = known_answers.path_of(
            {
                "commands": [each.text for each in lines],
                "line": asked.size,
                "program": _stamp(program),
                **_place(self.folder),
            }
        )
        if kept := known_answers.find(path):
            return kept
        with tempfile.NamedTemporaryFile(dir=self.folder, prefix="lines-") as file:
            line = b"x" * max(0, asked.size - 1) + b"\n"
            file.write(line * min(_LINES, max(1, _LONGEST // len(line))))
            file.flush()
            own = OwnFile(Path(file.name))
            about = {"id": "two-ways", "title": "Two commands"}
            study = loading.made(_WHERE, about, {**question, "size": own.size})
            answer = self._measured(study, ready, row, own)
        if isinstance(answer, Difference) and _is_sure(answer):
            known_answers.keep(path, answer)
        return answer

    def _measured(
        self, study: Study, ready: Ready, row: ChangeTable, own: OwnFile | None
    ) -> Answer:
        options = Options(budget=self.budget, seed=random_seed())
        longest = min(ready.runtime.longest_warm_up_seconds, _WARM_UP * self.budget)
        update = {"longest_warm_up_seconds": longest}
        ready = replace(ready, runtime=ready.runtime.model_copy(update=update))
        made = plan.make(study, _WHERE, machine([ready.runtime], []), options)
        corpus = Corpus(self.folder, own)
        try:
            run, length = _carried_out(made, ready, corpus)
        finally:
            corpus.trim()
            corpus.close()
        if run.failures:
            return NotMeasured(why=run.failures[0].reason)
        return _difference(run, row, length) or NotMeasured(why="too few samples counted")


def _ways(row: ChangeTable) -> list[WayTable]:
    return [each for each in (row.slow, row.fast) if each]


def _length(asked: TwoWays, row: ChangeTable, declared: dict[str, Strategy]) -> int:
    """Bytes of the file: that of the program where it is read as a whole, else as many as give
    operations of a good length.
    """
    if asked.kind in _WHOLE_FILE and not asked.appends:
        return min(max(1, asked.length), _WHOLE)
    slow = declared[row.slow.strategy]
    piece = (
        1
        if slow.unit in ("byte", "char")
        else min([asked.size, *row.slow.values(asked.size).values()])
    )
    longest = _LONGEST_PACKED if slow.format == "gzip" else _LONGEST
    wanted = max(_SHORTEST, min(piece * row.calls, longest))
    return 1 << (wanted.bit_length() - 1)  # few lengths, so that files are made once


def _question(
    row: ChangeTable, declared: dict[str, Strategy], size: int, length: int
) -> dict[str, Any]:
    """The group of a study that compares the ways, as in its file."""
    ways = [(each, declared[each.strategy]) for each in _ways(row)]
    of = ways[0][1]
    text = any(way.sums != "byte" or way.format == "gzip" for _, way in ways)
    group: dict[str, Any] = {
        "id": "two-ways",
        "question": row.text,
        "operation": of.operation,
        "size": length,
        "content": "text" if text else "bytes",
        "case": [
            {"strategy": each.strategy, "parameters": _within(each.values(size), way)}
            for each, way in ways
        ],
    }
    modes = [each for each in _MODES if all(each in way.modes for _, way in ways)]
    if modes:
        group["mode"] = modes[0]
    if of.operation == "read":
        able = [each for each in _CONSUMES if all(each in way.consumes for _, way in ways)]
        group["consume"] = row.consume or next(iter(able), "none")
    return group


_MODES = ("truncate", "append")
_CONSUMES = ("none", "touch", "sum")


def _stamp(program: str) -> list[Any]:
    """What tells a program from another build of it."""
    path = shutil.which(program) or program
    found = os.stat(path)
    return [path, found.st_size, found.st_mtime_ns]


def _within(values: dict[str, int], way: Strategy) -> dict[str, int]:
    """The values, or the nearest that the strategy takes."""
    limits = way.parameters
    return {
        name: min(max(value, limits[name].min), limits[name].max) if name in limits else value
        for name, value in values.items()
    }


def _carried_out(made: Plan, ready: Ready, corpus: Corpus) -> tuple[Run, int]:
    """The run of a plan, whose file is gone already, and the bytes of the file that its operations
    read or write. An interruption is passed on.
    """
    header = Header(
        iogauge=__version__,
        id=made.study,
        started=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        study_source="",
        options={},
        method=METHOD,
        plan=made,
        runtimes=(ready.runtime,),
        host={},
    )
    allow_many_files()
    with tempfile.TemporaryDirectory(prefix="iogauge-two-ways-") as folder:
        writer = Writer(Path(folder) / "run.jsonl")
        try:
            writer.append(header)
            with interruptions():
                run = Run(header)
                bench = Bench(
                    run,
                    writer,
                    {ready.runtime.name: ready.launch},
                    corpus,
                    lambda progress: None,
                    UNJUDGED,
                    cores=capacity.usable_cores(),
                    first_touch_matters=False,
                )
                bench.carry_out(Pair(bench))
        finally:
            writer.close()
        work = bench.cases.tasks[made.groups[0].cases[0]]
        length = made.cases[0].workload.size if work.path is None else work.path.stat().st_size
        return run, max(1, length)


def _difference(run: Run, row: ChangeTable, length: int) -> Difference | None:
    """What the samples say; None where fewer than three replicates have valid ones."""
    control = run.plan.groups[0].control
    cases = [each for each in run.plan.groups[0].cases if each != control]
    if len(cases) < len(_ways(row)):
        return None  # one of them cannot do this work
    levels = _levels(run, cases)  # ns per operation, of shape (replicates, rounds, ways)
    slow = levels[:, :, 0]
    saved = slow - levels[:, :, 1] if len(cases) > 1 else slow
    repeats = int(np.isfinite(_typical(saved)).sum())
    if repeats < FEWEST:
        return None
    names = [run.header.declared(run.plan.cases[each]).known_as for each in cases]
    return Difference(
        slow=names[0],
        fast=names[1] if len(names) > 1 else "",
        ns_per_byte=_span(saved, length),
        slow_ns_per_byte=_span(slow, length),
        repeats=repeats,
        change=row.change,
    )


def _levels(run: Run, cases: Sequence[int]) -> Array:
    """ns per operation of the valid samples, by replicate, round and case; NaN where none is."""
    columns = run.columns
    shape = [int(each.max(initial=-1)) + 1 for each in (columns.replicate, columns.round)]
    found = np.full((*shape, len(cases)), np.nan)
    for at, case in enumerate(cases):
        of = (columns.case == case) & (columns.void == 0)
        level = columns.ns[of].astype(float) / columns.operations[of]
        found[columns.replicate[of], columns.round[of], at] = level
    return found


def _typical(values: Array) -> Array:
    """The medians of replicates over their rounds, of shape (replicates,)."""
    return np.array([median(each[np.isfinite(each)], axis=0) for each in values])


def _span(values: Array, length: int) -> Span:
    found = interval(_typical(values), _ERROR)
    low, middle, high = (each / length for each in (found.lo, found.center, found.hi))
    return Span(low=low, middle=middle, high=high)


def _is_sure(answer: Difference) -> bool:
    """Whether it may stand for a day: not where others disturbed it much."""
    saved, slow = answer.ns_per_byte, answer.slow_ns_per_byte
    return saved.high - saved.low <= _WIDEST * slow.middle


def _place(folder: Path) -> dict[str, Any]:
    """What of this machine an answer depends on."""
    return {
        "iogauge": __version__,
        "identity": description.identity(),
        "kernel": platform.release(),
        "file_system": mount_of(folder).kind,
        "device": os.stat(folder).st_dev,
        "method": METHOD.hash,
    }
