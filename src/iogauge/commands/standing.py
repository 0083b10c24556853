"""How a run stands, for measuring, which does not know how results are derived."""

from __future__ import annotations

from iogauge.analysis import analysis
from iogauge.measuring.standing import Judge, Standing
from iogauge.planning import ceilings
from iogauge.runfile.runfile import Run


def standings(run: Run) -> dict[int, Standing]:
    """How each group stands that has complete replicates, by the index of the group."""
    found = {}
    for index, data in enumerate(analysis.all_data(run)):
        if not data.replicates:
            continue
        judgement = analysis.judge(run.plan, data, last=False)
        share, bound = data.nearest_to_impossible
        found[index] = Standing(
            judgement,
            contenders=tuple(analysis.contenders(run.plan, data)),
            above_ceiling=share > analysis.CLEARS,
            maybe_above_ceiling=bound > analysis.CLEARS,
            candidates=tuple(ceilings.promising(run, data.group)),
            goal=analysis.replicates_to_decide(run.plan, judgement),
        )
    return found


JUDGE = Judge(standings, analysis.levels)
