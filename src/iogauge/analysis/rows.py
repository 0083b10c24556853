"""The values of a run as rows of a data set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from iogauge.analysis.groupreport import GroupReport
from iogauge.runfile.arrays import Floats, Ints
from iogauge.runfile.dataset import SOURCES, Dataset, KnownGroup, KnownRun, distinct_cases
from iogauge.runfile.header import identity, pool_key
from iogauge.runfile.run import Run


def of_run(run: Run, groups: Sequence[GroupReport]) -> Dataset:
    """Every valid value of the run, group after group. Cases that no comparison may use have none,
    nor have controls.
    """
    header, plan = run.header, run.plan
    known = KnownRun(identity(header), pool_key(header), published=plan.published is not None)
    cases, numbers = distinct_cases(plan.cases)
    usable = [_usable(group, numbers) for group in groups]
    values = [_values(group, of) for group, of in zip(groups, usable, strict=True)]
    sizes = [len(each[-1]) for each in values]
    case, replicate, round_, log_ns = (
        np.concatenate(each) for each in zip(_NONE, *values, strict=True)
    )
    return Dataset(
        (known,),
        tuple(
            KnownGroup(
                0,
                group.id,
                group.workload,
                group.conditions,
                int(numbers[group.data.group.baseline]),
                group.has_verdicts,
                tuple(of.values()),
            )
            for group, of in zip(groups, usable, strict=True)
        ),
        cases,
        np.repeat(np.arange(len(groups), dtype=np.int32), sizes),
        case,
        replicate,
        round_,
        log_ns,
        np.full(len(log_ns), SOURCES.index("measured"), dtype=np.int8),
    )


_NONE = (*[np.array([], dtype=np.int32)] * 3, np.array([]))
"""No values: so there is something to concatenate where a run has no groups."""


def _usable(group: GroupReport, numbers: Ints) -> dict[int, int]:
    """The number of each case that may be compared, by its column."""
    planned, unusable = group.data.group, group.data.unusable
    return {
        column: int(numbers[case])
        for column, case in enumerate(planned.cases)
        if case != planned.control and column not in unusable
    }


def _values(group: GroupReport, usable: dict[int, int]) -> tuple[Ints, Ints, Ints, Floats]:
    """The columns `case`, `replicate`, `round` and `log_ns`, replicate after replicate."""
    log_ns = group.data.log_ns[:, :, [*usable]]
    replicate, number, column = np.nonzero(np.isfinite(log_ns))
    return (
        np.array([*usable.values()], dtype=np.int32)[column],
        np.array(group.data.replicates, dtype=np.int32)[replicate],
        number.astype(np.int32),
        log_ns[replicate, number, column],
    )
