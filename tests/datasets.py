"""Data sets made by hand: groups of runs, with values that a test sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from iogauge.model.case import Case
from iogauge.model.workload import Conditions, Workload
from iogauge.runfile.dataset import KnownGroup, KnownRun
from iogauge.runfile.header import Place, PoolKey, RunIdentity

WORKLOAD = Workload(size=1 << 20)
WARM = Conditions(cache="warm")
KEY = PoolKey("test", Place("here", "ext4"), "method", {"x-1.0": "1"})


def case(strategy: str, runtime: str = "x-1.0") -> Case:
    return Case(strategy=strategy, workload=WORKLOAD, conditions=WARM, runtime=runtime)


def known_group(
    log_ns: ArrayLike,
    cases: Sequence[Case],
    *,
    run: str = "a",
    pool: PoolKey = KEY,
    published: bool = False,
    baseline: int = 0,
    **of_group: Any,
) -> KnownGroup:
    """The one group of a run: log_ns of shape (replicates, rounds, cases)."""
    known = {"workload": WORKLOAD, "conditions": WARM, "verdicts": True, "cases": tuple(cases)}
    return KnownGroup(
        run=KnownRun(RunIdentity(run, "2026-01-01", "here"), pool, published),
        baseline=cases[baseline].key,
        columns={each.key: column for column, each in enumerate(cases)},
        log_ns=np.asarray(log_ns, dtype=float),
        **known | of_group,
    )
