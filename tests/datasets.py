"""Data sets made by hand: groups of runs, with values that a test sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from iogauge.model.case import Case
from iogauge.model.workload import Conditions, Workload
from iogauge.runfile.dataset import KnownGroup

WORKLOAD = Workload(size=1 << 20)
WARM = Conditions(cache="warm")
HEADER = SimpleNamespace(iogauge="test", method="a", place=("here", "ext4"), builds={"x-1.0": "1"})


def case(strategy: str, runtime: str = "x-1.0") -> Case:
    return Case(strategy=strategy, workload=WORKLOAD, conditions=WARM, runtime=runtime)


def known_group(
    log_ns: ArrayLike,
    cases: Sequence[Case],
    *,
    run: str = "a",
    header: Mapping[str, Any] = MappingProxyType({}),
    baseline: int = 0,
    **of_group: Any,
) -> KnownGroup:
    """The one group of a run: log_ns of shape (replicates, rounds, cases)."""
    known = {
        "workload": WORKLOAD,
        "conditions": WARM,
        "verdicts": True,
        "id": "g",
        "cases": tuple(cases),
    }
    return KnownGroup(
        run=SimpleNamespace(
            **{**vars(HEADER), "identity": run, "plan": SimpleNamespace(published=None), **header}
        ),
        baseline=cases[baseline].key,
        columns={each.key: column for column, each in enumerate(cases)},
        log_ns=np.asarray(log_ns, dtype=float),
        **known | of_group,
    )
