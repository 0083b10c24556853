"""Runs side by side: the cases that several of them measured, compared with the first run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from iogauge.model.case import Case as PlannedCase
from iogauge.model.workload import Conditions, Workload
from iogauge.outputs.contract import Case, Export, Group, Level
from iogauge.runfile.dataset import (
    SOURCES,
    Dataset,
    KnownGroup,
    KnownRun,
    concatenate,
    distinct_cases,
)
from iogauge.runfile.header import RunIdentity

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"  # names of runs side by side


@dataclass(frozen=True)
class OfRun:
    """A case as one run measured it. `run` counts the runs from 0; `over_first` is its time over
    that of the first run.
    """

    run: int
    export: Export
    group: Group
    case: Case
    over_first: Level = Level()

    @property
    def in_ms(self) -> dict[str, float | None]:
        level = self.case.ns_per_op
        values = {"ms": level.center, "ms_lo": level.lo, "ms_hi": level.hi}
        return {name: value and value / 1e6 for name, value in values.items()}


@dataclass(frozen=True)
class SideBySide:
    """The cases of one workload and state, those of the same label beside each other."""

    title: str
    cases: tuple[OfRun, ...]


def compared(exports: Sequence[Export]) -> tuple[SideBySide, ...]:
    """Per workload the cases that several runs measured, whatever the runtime: two runtimes, two
    machines, before and after.
    """
    parts = [list(_comparable(number, export)) for number, export in enumerate(exports)]
    cases = [each for part in parts for each in part]
    together: dict[str, list[OfRun]] = {_title(each.case): [] for each in cases}
    if cases:
        known = concatenate([_imported(*each) for each in zip(exports, parts, strict=True)])
        for rows in known.in_several_runs():
            same = [cases[row] for row in rows]
            together[_title(same[0].case)] += [_over_first(each, same) for each in same]
    return tuple(SideBySide(title, tuple(shown)) for title, shown in together.items() if shown)


def _title(case: Case) -> str:
    return f"{workload_name(case.workload)}, {state_name(case.workload, case.conditions)}"


def _comparable(number: int, export: Export) -> Iterator[OfRun]:
    """The sound results of a run. Own files of a user differ from run to run."""
    if export.run.protocol != "sound":
        return
    for group in export.groups:
        for case in () if group.suspended else group.cases:
            if case.measured and not case.impossible and case.workload.content != "own":
                yield OfRun(number, export, group, case)


def _imported(export: Export, measured: Sequence[OfRun]) -> Dataset:
    """A row for each of these cases of one run, its level: an export has no replicates. Nor does it
    say by which method they were measured, so they are pooled with nothing.
    """
    run, groups = export.run, list({each.group.id: each for each in measured}.values())
    ids = [each.group.id for each in groups]
    cases, numbers = distinct_cases(_planned(each.case) for each in measured)
    group = np.array([ids.index(each.group.id) for each in measured], dtype=np.int32)
    of_keys = {case.key: number for number, case in enumerate(cases)}
    known = KnownRun(RunIdentity(run.id, run.started, run.host.get("identity")), None, False)
    return Dataset(
        (known,),
        tuple(
            KnownGroup(
                0,
                each.group.id,
                each.case.workload,
                each.case.conditions,
                of_keys.get(each.group.baseline or ""),
                not each.group.suspended,
                tuple(numbers[group == number].tolist()),
            )
            for number, each in enumerate(groups)
        ),
        cases,
        group,
        numbers,
        replicate=np.zeros_like(group),
        round=np.zeros_like(group),
        log_ns=np.log([each.case.ns_per_op.center or math.nan for each in measured]),
        source=np.full(len(group), SOURCES.index("imported"), dtype=np.int8),
    )


def _planned(case: Case) -> PlannedCase:
    """The case as a plan has it."""
    return PlannedCase(
        strategy=case.strategy,
        parameters=case.params,
        workload=case.workload,
        conditions=case.conditions,
        runtime=case.runtime,
        options=case.options,
    )


def _over_first(this: OfRun, same: list[OfRun]) -> OfRun:
    """With its time over that of the first run, on the same runtime where that run has it. The
    interval follows from both intervals, as runs are independent of each other.
    """
    of_first = [each for each in same if each.run == same[0].run]
    on_same = (each for each in of_first if each.case.setting == this.case.setting)
    first = next(on_same, of_first[0])
    over = _ratio(this.case.ns_per_op, first.case.ns_per_op)
    if this.run == first.run:
        over = Level(center=over.center)
    return OfRun(this.run, this.export, this.group, this.case, over)


def _ratio(time: Level, first: Level) -> Level:
    """One time over another, with an interval where both have one."""
    assert time.center is not None and first.center is not None
    ratio = time.center / first.center
    if not (time.lo and time.hi and first.lo and first.hi):
        return Level(center=ratio)
    below = math.hypot(math.log(time.lo / time.center), math.log(first.hi / first.center))
    above = math.hypot(math.log(time.hi / time.center), math.log(first.lo / first.center))
    return Level(center=ratio, lo=ratio * math.exp(-below), hi=ratio * math.exp(above))


def workload_name(workload: Workload, *, sized: bool = True) -> str:
    """Everything that makes cases comparable over blocks and between runs, but the state of the
    cache; `sized`: with the size of the file.
    """
    used = workload.consume if workload.operation == "read" else workload.mode
    size = workload.size if sized else None
    parts = (workload.operation, size, workload.content, used, workload.medium, workload.accesses)
    return " ".join(str(part) for part in parts if part)


def state_name(workload: Workload, conditions: Conditions) -> str:
    """All conditions: a case with another durability, or with files that live longer, is no
    variant of the same.
    """
    return "in memory" if workload.medium == "memory" else conditions.title or "–"
