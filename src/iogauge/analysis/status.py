"""How the groups of a run stand while it is measured."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from iogauge.analysis import data as grouped
from iogauge.analysis import judging, spans, unread
from iogauge.analysis.data import GroupData
from iogauge.decision import repeats
from iogauge.decision.rounds import spread_of
from iogauge.decision.status import GroupStatus, Pending, alone, status_of
from iogauge.planning import ceilings
from iogauge.runfile.run import Run
from iogauge.statistics.intervals import summary


def statuses(run: Run) -> dict[int, GroupStatus]:
    """Of each group that has complete replicates, by its index. Cases that read nothing of the file
    are not measured further.
    """
    none = unread.cases(run)
    groups = grouped.all_data(run, none)
    begun = [index for index, data in enumerate(groups) if data.replicates]
    judged = judging.decisions(run, [groups[index] for index in begun], last=False)
    decisions = dict(zip(begun, judged, strict=True))
    of_spans: dict[int, Pending] = {}
    for span in reversed(run.plan.spans):
        of_spans |= spans.pending(run, span, groups, decisions)
    return {
        index: _measurable(
            status_of(
                decision,
                groups[index].group.cases,
                spread_of(groups[index].log_ns, decision.pivot),
                repeats.to_decide(decision, run.plan.precision, run.plan.tolerance),
                of_spans.get(index) or _alone(run, groups[index]),
                groups[index].nearest_to_impossible,
                ceilings.promising(run, groups[index].group),
            ),
            none,
        )
        for index, decision in decisions.items()
    }


def _measurable(status: GroupStatus, unread: Collection[int]) -> GroupStatus:
    """Without cases that read nothing: no replicate more would say how long they take."""
    live, still = (
        tuple(case for case in cases if case not in unread) for cases in (status.live, status.open)
    )
    return replace(status, live=live, open=still)


def _alone(run: Run, data: GroupData) -> Pending | None:
    """None where there is something to compare, or no data."""
    compared = [each for each in data.group.cases if each != data.group.control]
    if len(compared) > 1 or not np.isfinite(data.log_ns).any():
        return None
    level = summary(data.log_ns[:, :, data.column(compared[0])])
    return alone(compared[0], level, run.plan.precision)
