"""Data sets made by hand: runs of one group, with values that a test sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from iogauge.model.case import Case
from iogauge.model.workload import Conditions, Workload
from iogauge.runfile.dataset import SOURCES, Dataset, KnownGroup, KnownRun, Source
from iogauge.runfile.header import Place, PoolKey, RunIdentity

WORKLOAD = Workload(size=1 << 20)
WARM = Conditions(cache="warm")
KEY = PoolKey("test", Place("here", "ext4"), "method", {"x-1.0": "1"})


def case(strategy: str, runtime: str = "x-1.0", **parameters: int) -> Case:
    where = {"workload": WORKLOAD, "conditions": WARM, "runtime": runtime}
    return Case(strategy=strategy, parameters=parameters, **where)


def dataset(
    log_ns: ArrayLike,
    cases: Sequence[Case],
    *,
    run: str = "a",
    pool: PoolKey | None = KEY,
    source: Source = "measured",
    published: bool = False,
    baseline: int = 0,
    replicates: Sequence[int] | None = None,
    **of_group: Any,
) -> Dataset:
    """One run of one group: log_ns of shape (replicates, rounds, cases), NaN where there is nothing."""
    values = np.asarray(log_ns, dtype=float)
    replicate, number, column = np.nonzero(np.isfinite(values))
    numbers = np.arange(len(values)) if replicates is None else np.array(replicates)
    known = {"id": "g", "workload": WORKLOAD, "conditions": WARM, "verdicts": True}
    known |= {"run": 0, "baseline": baseline, "cases": tuple(range(len(cases))), **of_group}
    runs = (KnownRun(RunIdentity(run, "2026-01-01", "here"), pool, published),)
    rows = np.zeros_like(column), column, numbers[replicate], number
    sources = np.full(len(column), SOURCES.index(source))
    measured = values[replicate, number, column]
    return Dataset(runs, (KnownGroup(**known),), tuple(cases), *rows, measured, sources)
