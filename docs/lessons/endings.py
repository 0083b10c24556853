"""The sentence that a lesson ends in. Its ratios are those of the lesson's own runs, and it says
whether they show the trap (endings.toml).
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from iogauge.decision.costs import is_known
from iogauge.model.ratios import about, either_way, over, times, up_to
from iogauge.outputs.contract import Case, Export, Group

DECLARED = tomllib.loads((Path(__file__).parent / "endings.toml").read_text())
NOT_SHOWN = "So this run does not show the trap: it is too short, or this machine has none here."


@dataclass(frozen=True)
class Bounds:
    """A ratio. `known` is False where nothing tells how sure it is."""

    lo: float
    center: float
    hi: float
    known: bool = True

    def __str__(self) -> str:
        if not self.known:
            return about(self.center)
        if self.lo == self.hi:
            return times(self.center)
        if is_known(self.lo, self.hi):
            return either_way(self.lo, self.hi)
        if self.lo > 1:
            return over(self.lo)
        return up_to(self.hi) if math.isfinite(self.hi) else "an unknown number of times"


def ending(lesson: str, exports: Iterable[Export]) -> str:
    """Raises LookupError if the runs lack a case."""
    declared = DECLARED[lesson]
    groups = {group.id: group for export in exports for group in export.groups}
    found = [_ratio(groups, each) for each in declared["ratios"]]
    least = [1.0] * len(found) if declared.get("all") else [found[-1].hi if found[1:] else 1.0]
    shown = all(each.lo > bound for each, bound in zip(found, least, strict=False))
    return f"{declared['says'].format(*found)} {declared['so'] if shown else NOT_SHOWN}"


def _ratio(groups: Mapping[str, Group], declared: Mapping[str, str]) -> Bounds:
    if "apart" in declared:
        return _apart(_in(groups, declared["apart"]))
    (group, case), (other, to) = (_case(groups, declared[each]) for each in ("of", "to"))
    if "figure" in declared:
        both = [each.evidence.get(declared["figure"]) for each in (case, to)]
        if not all(both):
            raise LookupError(f"{declared['figure']} of {declared['of']}")
        return Bounds(*[both[0] / both[1]] * 3)
    best = case.vs_best
    if group is other and best.reference == to.key and best.ratio:
        return Bounds(best.lo or 0.0, best.ratio, best.hi or math.inf)
    return _of_levels(case, to)


def _of_levels(case: Case, to: Case) -> Bounds:
    """Of two that were not compared: as far apart and as near as their intervals allow."""
    time, other = case.ns_per_op, to.ns_per_op
    if time.center is None or other.center is None:
        raise LookupError(f"a time of {case.label}, or of {to.label}")
    center = time.center / other.center
    if None in (time.lo, time.hi, other.lo, other.hi):
        return Bounds(center, center, center, known=False)
    return Bounds(time.lo / other.hi, center, time.hi / other.lo)


def _apart(group: Group) -> Bounds:
    """Of a published procedure the levels alone are known. Soundly, the comparisons of the same
    variant under two settings say how far apart they are at most.
    """
    compared = [each for each in group.across_runtimes if each.lo and each.hi]
    if compared:
        least = max((max(each.lo, 1 / each.hi) for each in compared), default=1.0)
        most = max(max(each.hi, 1 / each.lo) for each in compared)
        return Bounds(max(least, 1.0), most, most)
    levels = [case.ns_per_op.center for case in group.cases if case.ns_per_op.center]
    if len(levels) < 2:
        raise LookupError(f"times of {group.id}")
    center = max(levels) / min(levels)
    return Bounds(center, center, center, known=False)


def _case(groups: Mapping[str, Group], named: str) -> tuple[Group, Case]:
    name, _, label = named.partition(": ")
    group = _in(groups, name)
    for case in group.cases:
        if case.label == label:
            return group, case
    raise LookupError(named)


def _in(groups: Mapping[str, Group], name: str) -> Group:
    if name not in groups:
        raise LookupError(f"group {name}")
    return groups[name]
