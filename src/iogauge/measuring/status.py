"""How a run stands: what measuring has to know of the results so far. The caller judges, because
this package does not know how results are derived.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from iogauge.decision.group import GroupDecision
from iogauge.runfile.run import Run


@dataclass(frozen=True)
class GroupStatus:
    """How a group stands after its complete replicates.

    `above_ceiling` says whether a case seems to be above its ceiling,
    `maybe_above_ceiling` whether one may be. `candidates` are the cases that may still turn out to
    be the ceiling. `goal` is the number of replicates, in all, until the group is likely decided;
    None where that cannot be said. `across` are cases that are measured for a comparison with other
    groups of a span.
    """

    decision: GroupDecision
    above_ceiling: bool
    maybe_above_ceiling: bool
    candidates: tuple[int, ...]
    goal: int | None
    across: tuple[int, ...] = ()


@dataclass(frozen=True)
class Judge:
    """The functions that say how a run stands.

    `statuses` gives a Standing for each group that has complete replicates, by the index of the
    group. `levels` gives the median ns per operation of each case of a group, by case, also of a
    replicate that is not complete.
    """

    statuses: Callable[[Run], Mapping[int, GroupStatus]]
    levels: Callable[[Run, int], Mapping[int, float]]
