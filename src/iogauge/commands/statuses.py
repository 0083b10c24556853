"""How a run stands, for measuring, which does not know how results are derived."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from iogauge.analysis import data as grouped
from iogauge.analysis import judging, spans
from iogauge.analysis.ceilings import CLEARS
from iogauge.analysis.data import GroupData
from iogauge.decision import repeats
from iogauge.decision.looks import FEWEST_REPLICATES, MOST_REPLICATES
from iogauge.measuring.status import GroupStatus, Judge
from iogauge.planning import ceilings
from iogauge.runfile.run import Run
from iogauge.statistics.intervals import summary


def statuses(run: Run) -> dict[int, GroupStatus]:
    """How each group stands that has complete replicates, by the index of the group."""
    found, groups = {}, grouped.all_data(run)
    decisions = {
        index: judging.decided(run, data, last=False)
        for index, data in enumerate(groups)
        if data.replicates
    }
    still_open = [spans.open_of(run, span, groups, decisions) for span in run.plan.spans]
    for index, decision in decisions.items():
        data = groups[index]
        of_span = next((each for each in still_open if index in each.cases), None)
        goal = judging.replicates_to_decide(run.plan, decision)
        if of_span and goal is not None:
            goal = None if of_span.goal is None else max(goal, of_span.goal)
        alone = _alone(run, data)
        if alone and not of_span:
            goal = alone.goal
        share, bound = data.nearest_to_impossible
        found[index] = GroupStatus(
            decision,
            above_ceiling=share > CLEARS,
            maybe_above_ceiling=bound > CLEARS,
            candidates=tuple(ceilings.promising(run, data.group)),
            goal=goal,
            across=of_span.cases[index] if of_span else alone.cases if alone else (),
        )
    return found


class _Alone(NamedTuple):
    """The case of a group that has nothing to compare, and after how many replicates, in all, its
    time is probably known as precisely as was asked for.
    """

    cases: tuple[int, ...]
    goal: int | None


def _alone(run: Run, data: GroupData) -> _Alone | None:
    """None where there is something to compare, or its time is known well enough."""
    compared = [each for each in data.group.cases if each != data.group.control]
    if len(compared) > 1 or not np.isfinite(data.log_ns).any():
        return None
    level = summary(data.log_ns[:, :, data.column(compared[0])])
    if level.n < FEWEST_REPLICATES:
        return _Alone((compared[0],), FEWEST_REPLICATES)
    reach, precision = math.log(level.hi / level.lo) / 2, math.log1p(run.plan.precision)
    if reach < precision or level.n >= MOST_REPLICATES:
        return None
    return _Alone((compared[0],), repeats.until(level.n, 0.0, 2, reach, precision))


JUDGE = Judge(statuses, judging.levels)
