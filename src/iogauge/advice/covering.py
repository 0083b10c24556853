"""Which groups of a plan answer a question, and which of their cases may be advised."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from iogauge.advice.wanted import SUMS_OF, Wanted
from iogauge.model.case import Case
from iogauge.model.plan import Group, Plan
from iogauge.model.strategy import Runtime, Strategy
from iogauge.runners import hints

FEWEST = 2
"""Advice compares at least so many ways."""

_LIKE = 2.0  # a file at most so many times as large, or as small, is alike
_SMALLEST_BLOCK = 4096
"""Smaller blocks are pieces that a program hands over: another workload, unless it was asked for.
"""


def distance(plan: Plan, runtimes: Sequence[Runtime], wanted: Wanted) -> float | None:
    """How far the nearest group of a plan is from what is wanted: the log of the ratio of sizes.

    None if no group covers it.
    """
    apart = [
        group_distance(group, wanted)
        for group in plan.groups
        if not plan.published and _has_rivals(plan, advisable(plan, group, runtimes, wanted))
    ]
    return min((each for each in apart if each is not None), default=None)


def _has_rivals(plan: Plan, cases: list[int]) -> bool:
    """Whether some language has enough ways among these cases."""
    return max(Counter(plan.cases[case].language for case in cases).values(), default=0) >= FEWEST


def group_distance(group: Group, wanted: Wanted) -> float | None:
    """The log of the ratio of sizes; None if the group does not cover what is wanted."""
    workload, conditions = group.workload, group.conditions
    offered = (
        workload.operation,
        conditions.cache,
        conditions.durability,
        workload.content == "own",
    )
    if offered != (wanted.operation, wanted.cache, wanted.durability, wanted.own):
        return None
    if workload.medium != "file" or workload.access != wanted.access or not workload.size:
        return None
    if workload.accesses and workload.access_bytes != wanted.record:
        return None
    if workload.mode == "append" or workload.content == "sparse":
        return None
    if workload.operation == "read" and workload.consume == "none":  # no program ignores its data
        return None
    apart = 0.0 if wanted.size is None else abs(math.log(workload.size / wanted.size))
    return apart if apart <= math.log(_LIKE) else None


def advisable(plan: Plan, group: Group, runtimes: Sequence[Runtime], wanted: Wanted) -> list[int]:
    """The cases of a group that do what is wanted and for which there is code to show."""
    named, known = hints.all_names(), {runtime.name: runtime.strategies for runtime in runtimes}
    return [
        number
        for number in group.cases
        if number != group.control
        and plan.cases[number].strategy in named
        and _does(
            known[plan.cases[number].runtime][plan.cases[number].strategy],
            plan.cases[number],
            wanted,
        )
    ]


def _does(strategy: Strategy, case: Case, wanted: Wanted) -> bool:
    if (
        strategy.role != "contestant"
        or strategy.format != wanted.format
        or strategy.sums not in SUMS_OF[wanted.unit]
        or wanted.language not in (None, case.language)
    ):
        return False
    block = strategy.value("piece", case.parameters, otherwise=None)
    if wanted.record:
        return wanted.operation == "read" if block is None else block == wanted.record
    return block is None or block >= min(_SMALLEST_BLOCK, case.workload.size)
