"""Runs side by side: the cases that several of them measured, compared with the first run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from iogauge.model.case import Case as PlannedCase
from iogauge.model.workload import Conditions, Workload
from iogauge.outputs.contract import Case, Export, Group, Level

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
    cases = [each for place, export in enumerate(exports) for each in _comparable(place, export)]
    same: dict[str, dict[tuple[int, str], OfRun]] = {}  # of each run and runtime the first one
    for each in cases:
        planned = _planned(each.case)
        of_runs = same.setdefault(planned.key_without_runtime, {})
        of_runs.setdefault((each.run, planned.key), each)
    together: dict[str, list[OfRun]] = {_title(each.case): [] for each in cases}
    for of_runs in same.values():
        found = [*of_runs.values()]
        if len({each.run for each in found}) > 1:
            together[_title(found[0].case)] += [_over_first(each, found) for each in found]
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
    return replace(this, over_first=over)


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
