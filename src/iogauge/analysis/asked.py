"""What is asked in a group, without the numbers that answer it, and by which runtimes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from iogauge.analysis.groupreport import GroupReport
from iogauge.model.strategy import Strategy
from iogauge.model.workload import Conditions, Workload
from iogauge.runfile.header import Header


class OfStrategy(NamedTuple):
    strategy: Strategy


@dataclass(frozen=True)
class Asked:
    """As much of a GroupReport as the words about its question need. `cases` have a strategy of
    each unit in which data are taken.
    """

    id: str
    question: str
    workload: Workload
    conditions: Conditions
    record_bytes: int | None
    of_states: bool
    all_alike: bool
    tolerance: float
    cases: tuple[OfStrategy, ...]


def asked(group: GroupReport) -> Asked:
    of_units = {
        "line" if each.strategy.by_line else each.strategy.unit: each.strategy
        for each in group.cases
    }
    return Asked(
        id=group.id,
        question=group.question,
        workload=group.workload,
        conditions=group.conditions,
        record_bytes=group.record_bytes,
        of_states=group.of_states,
        all_alike=group.all_alike,
        tolerance=group.tolerance,
        cases=tuple(map(OfStrategy, of_units.values())),
    )


def on_any_host(header: Header, name: str) -> str:
    """A runtime as far as hosts have it in common: its label, or else as many numbers of its
    version as tell it from the other ones of its runner.
    """
    found = header.runtime(name)
    if found.label:
        return found.label
    of_runner = (each for each in header.runtimes if each.runner == found.runner)
    others = [each.version.split(".") for each in of_runner if each is not found]
    own = found.version.split(".")
    for count in range(1, len(own) + 1):
        if not any(each[:count] == own[:count] for each in others):
            return ".".join(own[:count])
    return name
