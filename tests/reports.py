"""Reports and comparable cases made by hand: cases with evidence and times that a test sets, for what is
derived from them.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterable
from typing import Any

from rich.console import Console, RenderableType

from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.evidence import CaseEvidence, ComputeTime
from iogauge.claims.comparable import Comparable, Entry
from iogauge.decision.comparison import Comparison, as_comparison
from iogauge.model.case import Case, variant_name
from iogauge.model.figures import FIGURES
from iogauge.model.strategy import UNITS, Parameter, Runtime, Strategy
from iogauge.model.workload import Conditions, Workload
from iogauge.statistics.intervals import Interval

ROLES = {"block": "piece", "buffer": "buffer", "threads": "parallel", "depth": "depth"}
ROLES |= dict.fromkeys(("lasting", "populate", "preallocate"), "switch")
UNKNOWN = {each.name: None for each in FIGURES if each.rule != "compute_only"}


def interval(center: float, width: float = 0.01) -> Interval:
    return Interval(center, center * (1 - width), center * (1 + width), 12)


def case_evidence(ns: float, **given: Any) -> CaseEvidence:
    """Of 120 samples; figures that are not given are not known."""
    own = {"samples": 120, "operations": 1000, "elapsed_ns_per_op": ns}
    own |= {"uncounted": False, "why_uncounted": None}
    own |= {"beyond_calls_ns_per_op": None, "waiting": None}
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
    made: dict[str, Any] = {"name": name, "title": name, "effort": 2, "role": "contestant"}
    made |= {"operation": "read", "unit": "block", "medium": "file", "sums": "byte"}
    made |= {"consumes": ("none", "touch", "sum")}
    return Strategy(**made | {"parameters": {each: parameter(each) for each in usual}} | more)


def runtime(name: str, strategies: Iterable[Strategy] = (), **more: Any) -> Runtime:
    """A runtime `runner-version` with these strategies."""
    runner, _, version = name.partition("-")
    has = {each.name: each for each in strategies}
    usual: dict[str, Any] = {"title": "T", "build": "b", "clock_resolution_ns": 1}
    usual |= {"heap_minimum_mib": 0, "overhead_mib": 0, "start_seconds": 0.5}
    named = {"name": name, "runner": runner, "version": version, "strategies": has}
    languages = tuple({each.language for each in has.values()})
    return Runtime(**usual | named | {"languages": languages, "warm_up_seconds": 0.1} | more)


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
    share = other_share and ComputeTime(interval(ns * other_share), interval(other_share))
    given = dict.fromkeys(CaseReport.__dataclass_fields__)
    given |= {
        "case": case,
        "column": 0,
        "rank_set": "x",
        "replicates": 12,
        "samples": 120,
        "voids": 0,
    }
    given |= {"ns_per_op": interval(ns), "bytes_per_s": interval(size / ns * 1e9)}
    given |= {"compute": share, "of_ceiling": of_ceiling, "caveats": ()}
    given |= dict.fromkeys(("is_best", "eliminated"), False)
    given["impossible"] = bool(of_ceiling and of_ceiling.lo > 1.1)
    given["strategy"] = declared(strategy, case.parameters, effort=effort)
    return CaseReport(**given | {"evidence": case_evidence(ns, **evidence)})


def comparable(*reports: CaseReport, width: float = 0.005) -> Comparable:
    """Every ratio is known to ± `width` of its log."""
    entries = []
    for each in reports:
        case, ns = each.case, each.ns_per_op.center
        name = variant_name(case.strategy, case.parameters)
        entries.append(Entry(name, case.strategy, case.parameters, ns, case.setting, None, each))

    def compare(case: int, reference: int, comparisons: int) -> Comparison | None:
        center = math.log(entries[case].ns / entries[reference].ns)
        interval = Interval(center, center - width, center + width, 12)
        return as_comparison(case, reference, interval, 0.0, math.log1p(0.03))

    return Comparable("g", tuple(entries), compare)


def on_console(*shown: RenderableType, width: int = 80) -> str:
    """As a console without colours prints it."""
    console = Console(file=io.StringIO(), width=width, markup=False, highlight=False)
    console.print(*shown, sep="\n")
    return console.file.getvalue()
