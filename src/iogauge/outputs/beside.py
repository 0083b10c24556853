"""Runs side by side: the cases that several of them measured, compared with the first run."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from iogauge.outputs.contract import Case, Export, Group, Level, state_name, workload_name

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
    found: dict[str, dict[tuple[str, str, int], OfRun]] = defaultdict(dict)
    for each in (each for number, of in enumerate(exports) for each in _comparable(number, of)):
        case = each.case
        title = f"{workload_name(case.workload)}, {state_name(case.workload, case.conditions)}"
        # Of several groups with the same case, the first.
        found[title].setdefault((case.label, case.setting, each.run), each)
    together = []
    for title, cases in found.items():
        by_label: dict[str, list[OfRun]] = defaultdict(list)
        for each in cases.values():
            by_label[each.case.label].append(each)
        several = [same for same in by_label.values() if len({each.run for each in same}) > 1]
        if several:
            shown = tuple(_over_first(each, same) for same in several for each in same)
            together.append(SideBySide(title, shown))
    return tuple(together)


def _comparable(number: int, export: Export) -> list[OfRun]:
    """The sound results of a run. Files of the user's own differ from run to run."""
    if export.run.protocol != "sound":
        return []
    return [
        OfRun(number, export, group, case)
        for group in export.groups
        if not group.suspended
        for case in group.cases
        if case.measured and not case.impossible and case.workload.content != "own"
    ]


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
