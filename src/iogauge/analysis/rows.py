"""The values of a run as a part of a data set."""

from __future__ import annotations

from collections.abc import Sequence

from iogauge.analysis.groupreport import GroupReport
from iogauge.runfile.dataset import KnownGroup
from iogauge.runfile.run import Run


def of_run(run: Run, groups: Sequence[GroupReport]) -> tuple[KnownGroup, ...]:
    """Every valid value of the run. Controls and what no comparison may use are not compared."""
    cases = run.plan.cases
    return tuple(
        KnownGroup(
            run=run.header,
            id=group.id,
            workload=group.workload,
            conditions=group.conditions,
            baseline=cases[planned.baseline].key,
            verdicts=group.has_verdicts,
            cases=tuple(
                cases[case]
                for column, case in enumerate(planned.cases)
                if case != planned.control and column not in group.data.unusable
            ),
            columns={cases[case].key: column for column, case in enumerate(planned.cases)},
            log_ns=group.data.log_ns,
        )
        for group, planned in ((each, each.data.group) for each in groups)
    )
