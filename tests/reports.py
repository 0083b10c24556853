"""Reports and comparable cases made by hand: cases with evidence and times that a test sets, for what is
derived from them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.evidence import CaseEvidence, ComputeTime
from iogauge.claims.comparable import Comparable, Entry
from iogauge.decision.comparison import Comparison, as_comparison
from iogauge.model.case import Case, variant_name
from iogauge.model.figures import FIGURES
from iogauge.model.strategy import UNITS, Parameter, Strategy
from iogauge.model.workload import Conditions, Workload
from iogauge.statistics.intervals import Interval

ROLES = {
    "block": "piece",
    "buffer": "buffer",
    "threads": "parallel",
    "depth": "depth",
    "populate": "switch",
    "preallocate": "switch",
}
UNKNOWN = {each.name: None for each in FIGURES if each.rule != "compute_only"}


def interval(center: float, width: float = 0.01) -> Interval:
    return Interval(center, center * (1 - width), center * (1 + width), 12)


def case_evidence(ns: float, **given: Any) -> CaseEvidence:
    """Of 120 samples; figures that are not given are not known."""
    own = {
        "samples": 120,
        "operations": 1000,
        "elapsed_ns_per_op": ns,
        "uncounted": False,
        "why_uncounted": None,
    }
    own |= {name: given.pop(name) for name in list(given) if name in own}
    assert given.keys() <= UNKNOWN.keys()
    return CaseEvidence(**own, figures={**UNKNOWN, **given})


def parameter(name: str, **more: Any) -> Parameter:
    """A parameter with the role above, or another one, with the unit that suits its role."""
    role = ROLES.get(name, "other")
    return Parameter(
        **{"default": 8192, "min": 1, "max": 1 << 30, **more, "role": role, "unit": UNITS[role][0]}
    )


def declared(name: str, usual: Iterable[str] = (), **more: Any) -> Strategy:
    """A contestant that reads blocks, with these `usual` parameters."""
    return Strategy(
        **{
            "name": name,
            "title": name,
            "operation": "read",
            "unit": "block",
            "medium": "file",
            "sums": "byte",
            "consumes": ("none", "touch", "sum"),
            "effort": 2,
            "role": "contestant",
            "parameters": {each: parameter(each) for each in usual},
            **more,
        }
    )


def case_report(
    strategy: str = "x/a",
    ns: float = 1e6,
    *,
    size: int = 16 << 20,
    parameters: dict[str, int] | None = None,
    effort: int = 2,
    workload: dict[str, Any] | None = None,
    conditions: dict[str, Any] | None = None,
    of_ceiling: Interval | None = None,
    other_share: float | None = None,
    **evidence: Any,
) -> CaseReport:
    """A case that was measured; evidence that is not given is not known."""
    case = Case(
        strategy=strategy,
        parameters=parameters or {},
        workload=Workload(**{"size": size, **(workload or {})}),
        conditions=Conditions(**(conditions or {"cache": "warm"})),
        runtime="x-1.0",
    )
    share = (
        None
        if other_share is None
        else ComputeTime(interval(ns * other_share), interval(other_share))
    )
    return CaseReport(
        case=case,
        rank_set="x",
        strategy=declared(strategy, case.parameters, effort=effort),
        replicates=12,
        samples=120,
        voids=0,
        ns_per_op=interval(ns),
        bytes_per_s=interval(size / ns * 1e9),
        per_record=None,
        latency=None,
        vs_baseline=None,
        vs_best=None,
        vs_best_key=None,
        is_best=False,
        eliminated=False,
        evidence=case_evidence(ns, **evidence),
        compute=share,
        of_ceiling=of_ceiling,
        impossible=bool(of_ceiling and of_ceiling.lo > 1.1),
        forks=None,
        caveats=(),
        failure=None,
    )


def comparable(*reports: CaseReport, width: float = 0.005) -> Comparable:
    """Every ratio is known to ± `width` of its log."""
    entries = [
        Entry(
            variant_name(each.case.strategy, each.case.parameters),
            each.case.strategy,
            each.case.parameters,
            each.ns_per_op.center,
            each.case.setting,
            None,
            each,
        )
        for each in reports
    ]

    def compare(case: int, reference: int, comparisons: int) -> Comparison | None:
        center = math.log(entries[case].ns / entries[reference].ns)
        return as_comparison(
            case,
            reference,
            Interval(center, center - width, center + width, 12),
            0.0,
            math.log1p(0.03),
        )

    return Comparable("g", tuple(entries), compare)
