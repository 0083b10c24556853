"""A Run from what was read of another tool's file."""

from __future__ import annotations

import datetime
import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from iogauge import __version__
from iogauge.model.case import Case, ForkSpec
from iogauge.model.errors import UserError
from iogauge.model.imported import Imported
from iogauge.model.method import METHOD
from iogauge.model.plan import Bundle, Coordinates, Group, Plan, ReplicateId
from iogauge.model.strategy import Runtime, Strategy
from iogauge.model.text import visible
from iogauge.model.units import count, counted, rounded
from iogauge.model.workload import UNKNOWN, Conditions, Workload
from iogauge.runfile import records
from iogauge.runfile.header import Header
from iogauge.runfile.run import Run

MOST_VALUES = 200_000  # times of a file: each is a record
MOST_CASES = 10_000
MOST_TOGETHER = 1_000  # benchmarks that are compared with each other: each with all others
_LONGEST = 1_000  # characters of a name
_SLUG = 40  # characters of it in a key
_UNKNOWN = {"machine": "an unknown machine", "system": "a system", "kernel": "of unknown version"}
_LONGEST_TIME = 1e20  # ns: three thousand years


class Unfit(Exception):
    """What in the file cannot be, and where, in words."""


@dataclass
class Measured:
    """A benchmark of the file. `question` names what it is compared with: those of the same one are
    a group. Each repeat has its times in turn: ns, and how many operations they are of. `failure`
    says why it has none, `caveats` what a reader must know. `sets` tells benchmarks of one name
    apart.
    """

    benchmark: str
    parameters: dict[str, str]
    question: str
    repeats: list[list[tuple[float, int]]]
    sets: str = ""
    short: str = ""
    named_by_parameters: bool = False
    apart: str = ""
    threads: int = 1
    figures: dict[str, float] = field(default_factory=dict)
    about: dict[str, str | int | tuple[str, ...]] = field(default_factory=dict)
    exit_codes: list[int | None] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)
    failure: str | None = None
    caveats: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Read:
    """What a file holds: its format and the tool that wrote it (a word for keys, its name, its
    version, the machine that ran it), its benchmarks, and caveats of all of them.
    """

    format: str
    tool: str
    title: str
    version: str
    measured: Sequence[Measured]
    caveats: Sequence[str] = ()
    host: dict[str, Any] = field(default_factory=dict)


def time(ns: float, where: str) -> float:
    """A time that may be. Raises Unfit."""
    if not 0 < ns <= _LONGEST_TIME:
        raise Unfit(f"{where}: {rounded(ns)} ns is no time")
    return ns


def must_fit(values: int) -> None:
    """Raises Unfit for more times than are read."""
    if values > MOST_VALUES:
        raise Unfit(f"{count(values)} times or more; at most {count(MOST_VALUES)} are read")


def run_of(path: Path, read: Read, content: bytes) -> Run:
    """The run of what was read. Raises UserError for what is too much, or cannot be."""
    try:
        return _Maker(path, _together(read), content).run()
    except Unfit as error:
        raise unfit(path, read.format, error) from None


def unfit(path: Path, form: str, why: object) -> UserError:
    text = visible(str(why))
    return UserError(f"{path}: {form}: {text[:300]}; have its tool write it anew")


def _together(read: Read) -> Read:
    """With all repeats of a benchmark in one place: a file may have it several times."""
    found: dict[str, Measured] = {}
    figures: dict[str, list[dict[str, float]]] = {}
    for each in read.measured:
        for text in (each.benchmark, *each.parameters, *each.parameters.values(), each.question):
            if len(text) > _LONGEST:
                raise Unfit(f"a name of {len(text)} characters; at most {_LONGEST} are read")
        name = _identity(each)
        figures.setdefault(name, []).extend([each.figures] if each.repeats else [])
        if name in found:
            known = found[name]
            known.repeats += each.repeats
            known.exit_codes += each.exit_codes
            known.memory += each.memory
            known.caveats += each.caveats
            known.failure = known.failure or each.failure
        else:
            found[name] = each
    for name, each in found.items():
        each.figures = _means(figures[name])
        if each.failure and each.repeats:
            each.caveats.append(f"it has times, and failed as well: {each.failure}")
    if not found:
        raise Unfit("no benchmark in it")
    _tell_threads(found.values())
    if len(found) > MOST_CASES:
        raise Unfit(f"{count(len(found))} benchmarks; at most {count(MOST_CASES)} are read")
    together = max(Counter(each.question for each in found.values()).values())
    if together > MOST_TOGETHER:
        raise Unfit(
            f"{count(together)} benchmarks side by side; at most {count(MOST_TOGETHER)} are read"
        )
    must_fit(sum(len(spans) for each in found.values() for spans in each.repeats))
    measured = tuple(found.values())
    return Read(read.format, read.tool, read.title, read.version, measured, read.caveats, read.host)


def _means(of: list[dict[str, float]]) -> dict[str, float]:
    """Of figures that each of these has."""
    names = [name for name in of[0] if all(name in each for each in of)] if of else []
    return {name: fmean(each[name] for each in of) for name in names}


def _tell_threads(measured: Iterable[Measured]) -> None:
    """Where a benchmark ran with several numbers of threads, each says with how many."""
    same: dict[str, list[Measured]] = {}
    for each in measured:
        name = json.dumps([each.benchmark, [*each.parameters.items()], each.sets])
        same.setdefault(name, []).append(each)
    for several in same.values():
        for each in several if len(several) > 1 else ():
            each.apart = counted(each.threads, "thread")


def _identity(each: Measured) -> str:
    return json.dumps([each.benchmark, [*each.parameters.items()], each.sets, each.threads])


def _slug(each: Measured) -> str:
    """A word for keys: what can be read of the name, and a hash of all of it."""
    text = " ".join([each.benchmark.rpartition(".")[2], *each.parameters.values()])
    word = re.sub(r"[^a-z0-9]+", "-", text.lower())[:_SLUG].strip("-")
    digest = hashlib.sha256(_identity(each).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    # A name that begins with `own-` would be one of the user's functions.
    word = f"the-{word}" if word == "own" or word.startswith("own-") else word
    return f"{word}-{digest}" if word else digest


class _Maker:
    def __init__(self, path: Path, read: Read, content: bytes):
        self.path, self.read = path, read
        changed = datetime.datetime.fromtimestamp(path.stat().st_mtime, datetime.UTC)
        self.changed = changed.isoformat(timespec="seconds")  # these formats hold no date
        self.digest = hashlib.sha256(content).hexdigest()[:12]
        self.runtime = f"{read.tool}-{read.version}"
        self.questions = list(dict.fromkeys(each.question for each in read.measured))
        self.members: dict[str, list[int]] = {each: [] for each in self.questions}
        for number, each in enumerate(read.measured):
            self.members[each.question].append(number)

    def run(self) -> Run:
        strategies = [self._strategy(each) for each in self.read.measured]
        cases = tuple(
            Case(
                strategy=each.name,
                runtime=self.runtime,
                workload=Workload.model_validate(UNKNOWN),
                conditions=Conditions(),
            )
            for each in strategies
        )
        run = Run(self._header(strategies, cases))
        self._add_repeats(run)
        for number, each in enumerate(self.read.measured):
            if each.failure and not any(each.repeats):
                run.add(records.Failure(case=number, reason=visible(each.failure)))
            for text in dict.fromkeys(each.caveats):
                run.add(records.Caveat(about=cases[number].key, text=visible(text)))
        for text in self.read.caveats:
            run.add(records.Caveat(about="run", text=visible(text)))
        seconds = sum(
            ns for each in self.read.measured for spans in each.repeats for ns, _ in spans
        )
        run.add(records.End(reason="decided", seconds=min(seconds / 1e9, 1e9)))
        return run

    def _strategy(self, each: Measured) -> Strategy:
        name = f"{self.read.tool}/{_slug(each)}"
        return Strategy(
            name=name,
            title=self.read.title[:60],
            operation="read",
            unit="file",
            medium="file",
            sums="nothing",
            consumes=("none",),
            effort=1,
            role="contestant",
            imported=Imported(
                benchmark=visible(each.benchmark),
                parameters={visible(name): visible(of) for name, of in each.parameters.items()},
                short=visible(each.short),
                named_by_parameters=each.named_by_parameters,
                apart=each.apart,
                threads=each.threads,
                figures=each.figures,
                about={name: _visible(of) for name, of in each.about.items()},
                exit_codes=tuple(each.exit_codes),
                memory=tuple(each.memory),
            ),
        )

    def _header(self, strategies: Sequence[Strategy], cases: tuple[Case, ...]) -> Header:
        read, digest = self.read, self.digest
        runtime = Runtime(
            name=self.runtime,
            runner=read.tool,
            version=read.version,
            title=read.title,
            languages=(read.tool,),
            language_names={read.tool: read.title},
            build=read.tool,
            strategies={each.name: each for each in strategies},
            clock_resolution_ns=0,
            heap_minimum_mib=0,
            overhead_mib=0,
            start_seconds=0.0,
            warm_up_seconds=0.0,
        )
        host = dict.fromkeys(("processor", "machine", "kernel", "cores", "file_system"))
        plan = Plan(
            study="imported",
            protocol="imported",
            cases=cases,
            fork_of=tuple(range(len(cases))),
            forks=tuple(ForkSpec(runtime=self.runtime, strategy=each.name) for each in strategies),
            groups=tuple(self._groups()),
            bundles=(
                Bundle(
                    groups=tuple(range(len(self.questions))),
                    forks=tuple(range(len(cases))),
                    heap_mib=0,
                ),
            ),
            seed=0,
            precision=0.03,
            budget=1.0,
            memory_limit_mib=0,
        )
        return Header(
            iogauge=__version__,
            id=f"{read.tool}-{digest}",
            started=self.changed,
            study_source=_study(f"{visible(self.path.name)} ({read.format})", strategies),
            options={},
            method=METHOD,
            plan=plan,
            runtimes=(runtime,),
            host=host | _UNKNOWN | read.host,
            imported=read.format,
        )

    def _groups(self) -> Iterable[Group]:
        for number, question in enumerate(self.questions, 1):
            members = self.members[question]
            measured = [self.read.measured[each] for each in members]
            first = next((at for at, one in zip(members, measured, strict=True) if one.repeats), 0)
            yield Group(
                id=f"group-{number}",
                question=visible(question + _shared(measured, question)),
                workload=Workload.model_validate(UNKNOWN),
                conditions=Conditions(),
                cases=tuple(members),
                baseline=first or members[0],
                control=None,
                rounds=max([1, *(len(spans) for each in measured for spans in each.repeats)]),
                to_the_end=True,
            )

    def _add_repeats(self, run: Run) -> None:
        """The repeats by number: of one number in all groups they are a replicate."""
        group_of = {case: at for at, each in enumerate(run.plan.groups) for case in each.cases}
        most, fork = max([0, *(len(each.repeats) for each in self.read.measured)]), 0
        for number in range(most):
            where = ReplicateId(0, number, 0)
            there = []
            for case, each in enumerate(self.read.measured):
                spans = each.repeats[number] if number < len(each.repeats) else []
                if not spans:
                    continue
                there.append(case)
                run.add(_fork(where, fork, case))
                for at, (ns, operations) in enumerate(spans):
                    place = Coordinates(where, 0, group_of[case], case, at, 0)
                    run.add(_sample(place, fork, ns, operations))
                fork += 1
            run.add(
                records.Replicate(
                    **records.in_replicate(where),
                    groups=sorted({group_of[each] for each in there}),
                    cases=there,
                    seconds=0.0,
                    elapsed=0.0,
                )
            )


def _shared(measured: Sequence[Measured], question: str) -> str:
    """The parameters that all cases of a group have, which do not tell them apart, but for those
    that the question names.
    """
    first, *others = (each.parameters for each in measured)
    same = [
        f"{name}={value}"
        for name, value in first.items()
        if all(each.get(name) == value for each in others) and f"{name}={value}" not in question
    ]
    named = any(each.named_by_parameters for each in measured)
    return "" if named or not same else f", {' '.join(same)}"


def _visible(value: str | int | tuple[str, ...]) -> str | int | tuple[str, ...]:
    if isinstance(value, tuple):
        return tuple(map(visible, value))
    return visible(value) if isinstance(value, str) else value


def _study(title: str, strategies: Sequence[Strategy]) -> str:
    """A study that says no more than what the run is."""
    return (
        f'id = "imported"\ntitle = {_toml(title)}\n'
        f'[[group]]\nid = "imported"\nquestion = "imported"\nsize = 0\n'
        f"[[group.case]]\nstrategy = {_toml(strategies[0].name)}\n"
    )


def _toml(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _fork(where: ReplicateId, number: int, case: int) -> records.Fork:
    return records.Fork(
        **records.in_part(where, 0),
        fork=number,
        spec=case,
        layout=0,
        padding=0,
        warm_up={},
        alone={},
        steady={},
    )


def _sample(place: Coordinates, fork: int, ns: float, operations: int) -> records.Sample:
    if not math.isfinite(ns) or not 0 < operations <= records.MOST_BYTES:
        raise Unfit(f"{operations} operations in {rounded(ns)} ns")
    return records.Sample(
        **records.at(place),
        fork=fork,
        resident_before=None,
        dirty_before=None,
        in_flight_before=None,
        file_before=None,
        void=None,
        ns=[ns],
        operations=[operations],
        prelude_ns=[],
        bytes=0,
        count=None,
        sum=None,
        counters={},
        evidence={},
        machine=None,
        device=None,
        request_bytes=0,
        reply_bytes=0,
    )
