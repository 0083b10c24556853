"""What to measure after a first look at a few far-apart blocks and buffers: the knee.

The first look shows roughly where larger blocks stop helping. The closer look leaves out what was
far behind, and tries values next to the smallest that was good enough and next to the best. The
simplest way stays in: who would write it wants to know what it costs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport
from iogauge.model.strategy import ParameterRole

_FAR_BEHIND = 1.25  # times the time of the best of its language: no choice any more
_GOOD_ENOUGH = 1.1  # in a first look

Chosen = tuple[str, dict[str, int]]
"""A strategy and its parameters."""
_Key = tuple[str, tuple[tuple[str, int], ...]]


def closer_look(group: GroupReport) -> list[Chosen]:
    """The cases worth a closer look, and new ones next to the best of each language (or runtime).

    Each language has at least two, if it had. Empty if nothing has a time.
    """
    found: dict[_Key, None] = {}
    for name in group.sets:
        own = [each for each in group.cases if each.rank_set == name and each.ns_per_op]
        near = [each for each in own if _behind(each, own) <= _FAR_BEHIND]
        simplest = min(own, key=lambda each: each.simplicity, default=None)
        if simplest and simplest.strategy.effort < min(each.strategy.effort for each in near):
            near.append(simplest)
        chosen = [*(_key(each) for each in near), *_next_to_the_best(near, own)]
        if len(set(chosen)) < 2:  # nothing to compare it with: the next best
            chosen += [_key(each) for each in own[:2]]
        found |= dict.fromkeys(chosen)
    return [(strategy, dict(parameters)) for strategy, parameters in found]


def _behind(case: CaseReport, own: list[CaseReport]) -> float:
    """Its time over that of the best, by pairs where they are known."""
    if case.is_best or case.ns_per_op is None:
        return 1.0
    if case.vs_best is not None:
        return case.vs_best.center
    best = min(each.ns_per_op.center for each in own if each.ns_per_op)
    return case.ns_per_op.center / best


def _next_to_the_best(near: list[CaseReport], own: list[CaseReport]) -> Iterator[_Key]:
    """New values of the size that decides the calls of the best case that has one."""
    best = next((each for each in near if _size_of(each)), None)
    name = _size_of(best) if best else None
    if best is None or name is None:
        return
    alike = {
        each.case.parameters[name]: _behind(each, own)
        for each in own
        if _key(each, without=name) == _key(best, without=name)
    }
    chosen, tried = best.case.parameters[name], sorted(alike)
    enough = min(each for each in tried if alike[each] <= _GOOD_ENOUGH * alike[chosen])
    for smaller, larger in zip(tried, tried[1:], strict=False):
        if larger == enough or smaller == chosen:
            between = 1 << round(math.log2(smaller * larger) / 2)
            if smaller < between < larger:
                yield _key(best, {name: between})


def _size_of(case: CaseReport) -> str | None:
    """The parameter that decides the size of its calls: its buffer, or else its blocks."""
    roles: tuple[ParameterRole, ...] = ("buffer", "piece")
    of_case = case.strategy.roles
    return next((name for role in roles for name in of_case if of_case[name] == role), None)


def _key(case: CaseReport, changed: Mapping[str, int] | None = None, without: str = "") -> _Key:
    parameters = {**case.case.parameters, **(changed or {})}
    parameters.pop(without, None)
    return case.case.strategy, tuple(sorted(parameters.items()))
