"""How a group stands while it is measured: what is to be measured next, and when to stop."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from iogauge.decision.ceiling import CLEARS
from iogauge.decision.group import GroupDecision
from iogauge.decision.looks import FEWEST_REPLICATES, MOST_REPLICATES, until
from iogauge.decision.rounds import Spread
from iogauge.statistics.intervals import Interval


@dataclass(frozen=True)
class GroupStatus:
    """How a group stands after its complete replicates.

    `live` are the cases, by their numbers in the plan, that the next replicate must measure: the
    group is done without any. `open` are those among them for which further rounds are worth their
    time, and `spread` is how noisy the group is. `goal` is the number of replicates, in all, until
    it is likely decided; None where that cannot be said. `above_ceiling` says whether a case
    seems to be above its ceiling, `maybe_above_ceiling` whether one may be. `candidates` are the
    cases that may still turn out to be the ceiling.
    """

    decision: GroupDecision
    live: tuple[int, ...]
    open: tuple[int, ...]
    spread: Spread
    goal: int | None
    above_ceiling: bool
    maybe_above_ceiling: bool
    candidates: tuple[int, ...]


@dataclass(frozen=True)
class Pending:
    """Cases that must be measured for another reason than the decision of their group, and after
    how many replicates, in all, that is likely known; None where that cannot be said.
    """

    cases: tuple[int, ...]
    goal: int | None


def alone(case: int, level: Interval, precision: float) -> Pending | None:
    """The case that has nothing to be compared with: it is measured until its own `level` is as
    precise as asked for. None where it is.
    """
    if level.n < FEWEST_REPLICATES:
        return Pending((case,), FEWEST_REPLICATES)
    reach, enough = math.log(level.hi / level.lo) / 2, math.log1p(precision)
    if reach < enough or level.n >= MOST_REPLICATES:
        return None
    return Pending((case,), until(level.n, 0.0, 2, reach, enough))


def status_of(
    decision: GroupDecision,
    cases: Sequence[int],
    spread: Spread,
    goal: int | None,
    pending: Pending | None,
    of_ceiling: tuple[float, float],
    candidates: Collection[int],
) -> GroupStatus:
    """`cases` has the number of each column in the plan, `goal` when the group itself is likely
    decided. `of_ceiling` is the largest share of the ceiling that a case has, and the largest upper
    bound of one.
    """
    live = {cases[column] for column in decision.live}
    still = {cases[column] for column in decision.still_open}
    if pending:
        live |= set(pending.cases)
        still |= set(pending.cases)
        known = None not in (goal, pending.goal)
        goal = max(goal or 0, pending.goal or 0) if known else None
    share, bound = of_ceiling
    return GroupStatus(
        decision,
        tuple(sorted(live)),
        tuple(sorted(still & live)),
        spread,
        goal,
        above_ceiling=share > CLEARS,
        maybe_above_ceiling=bound > CLEARS,
        candidates=tuple(candidates),
    )
