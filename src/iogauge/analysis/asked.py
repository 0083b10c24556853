"""What is asked in a group, without the numbers that answer it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from iogauge.analysis.groupreport import GroupReport
from iogauge.model.strategy import Strategy
from iogauge.model.workload import Conditions, Workload


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
