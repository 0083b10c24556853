"""How a run stands, for measuring, which does not know how results are derived."""

from __future__ import annotations

from iogauge.analysis import data as grouped
from iogauge.analysis import judging
from iogauge.analysis.ceilings import CLEARS
from iogauge.measuring.standing import Judge, Standing
from iogauge.planning import ceilings
from iogauge.runfile.run import Run


def standings(run: Run) -> dict[int, Standing]:
    """How each group stands that has complete replicates, by the index of the group."""
    found = {}
    for index, data in enumerate(grouped.all_data(run)):
        if not data.replicates:
            continue
        judgement = judging.judge(run, data, last=False)
        share, bound = data.nearest_to_impossible
        found[index] = Standing(
            judgement,
            contenders=tuple(judging.contenders(run.plan, data)),
            above_ceiling=share > CLEARS,
            maybe_above_ceiling=bound > CLEARS,
            candidates=tuple(ceilings.promising(run, data.group)),
            goal=judging.replicates_to_decide(run.plan, judgement),
        )
    return found


JUDGE = Judge(standings, judging.levels)
