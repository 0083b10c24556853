"""How a run stands, for measuring, which does not know how results are derived."""

from __future__ import annotations

from iogauge.analysis import data as grouped
from iogauge.analysis import judging, spans
from iogauge.analysis.ceilings import CLEARS
from iogauge.measuring.standing import Judge, Standing
from iogauge.planning import ceilings
from iogauge.runfile.run import Run


def standings(run: Run) -> dict[int, Standing]:
    """How each group stands that has complete replicates, by the index of the group."""
    found, groups = {}, grouped.all_data(run)
    judgements = {
        index: judging.judge(run, data, last=False)
        for index, data in enumerate(groups)
        if data.replicates
    }
    still_open = [spans.open_of(run, span, groups, judgements) for span in run.plan.spans]
    for index, judgement in judgements.items():
        data = groups[index]
        of_span = next((each for each in still_open if index in each.cases), None)
        goal = judging.replicates_to_decide(run.plan, judgement)
        if of_span and goal is not None:
            goal = None if of_span.goal is None else max(goal, of_span.goal)
        share, bound = data.nearest_to_impossible
        found[index] = Standing(
            judgement,
            above_ceiling=share > CLEARS,
            maybe_above_ceiling=bound > CLEARS,
            candidates=tuple(ceilings.promising(run, data.group)),
            goal=goal,
            across=of_span.cases[index] if of_span else (),
        )
    return found


JUDGE = Judge(standings, judging.levels)
