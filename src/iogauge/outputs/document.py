"""The report as a document of plain types, the contract of docs/export-json.md: keys may be added,
never change meaning; not measured is None.

What JSON, CSV, Markdown and the page are made from.
"""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np

from iogauge.advice import sweeps
from iogauge.analysis.disturbance import Disturbance
from iogauge.analysis.forks import Forks
from iogauge.analysis.report import CaseReport, GroupReport, Report
from iogauge.claims import numbers
from iogauge.claims.claims import Finding, Judged, Scored
from iogauge.claims.numbers import Cell, Table
from iogauge.outputs.answers import answers
from iogauge.planning.ceilings import Ceiling
from iogauge.runfile.runfile import Run
from iogauge.statistics.stats import Comparison, Interval
from iogauge.study.study import Study

CONTRACT = 1


def make(scored: Scored) -> dict[str, Any]:
    report = scored.report
    iterations = numbers.iterations_of(report.run)
    return {
        "iogauge": CONTRACT,
        "runs": [_run(report, scored.study)],
        "groups": [
            _group(group, table, report.run)
            for group, table in zip(report.groups, numbers.of_run(report), strict=True)
        ],
        "published": [_published(cell, report, iterations) for cell in numbers.cells(scored.study)],
        "claims": [_claim(each) for each in scored.judged],
    }


def _run(report: Report, study: Study) -> dict[str, Any]:
    header = report.run.header
    return {
        "id": header.id,
        "study": header.plan.study,
        "title": study.title,
        "protocol": header.plan.protocol,
        "options": {name: value for name, value in header.options.items() if value is not None},
        "started": header.started,
        "seconds": report.run.seconds,
        "host": header.host,
        "runtimes": [
            {"name": each.name, "runner": each.runner, "version": each.version, "title": each.title}
            for each in header.runtimes
        ],
        "complete": report.run.complete,
        "seed": header.plan.seed,
        "precision": header.plan.precision,
        "caveats": list(report.caveats),
        "disturbance": _disturbance(report.disturbance),
        "skipped": [each.model_dump() for each in header.plan.skipped],
    }


def _published(cell: Cell, report: Report, iterations: dict[str, np.ndarray]) -> dict[str, Any]:
    """A published number, and the cases of the run that measured the same, with the error over
    their iterations as the authors' tool prints it.
    """

    def beside(case: CaseReport) -> dict[str, Any]:
        error = (
            numbers.printed_error(iterations[case.case.key], cell.unit)
            if case.case.key in iterations
            else None
        )
        return {
            "key": case.case.key,
            "ns_per_op": _interval(case.ns_per_op),
            "error": error,
            "failure": case.failure,
        }

    return {
        "table": cell.table,
        "group": cell.group,
        "strategy": cell.strategy,
        "params": cell.parameters,
        "size": cell.size,
        "workload": cell.workload.model_dump(),
        "conditions": cell.conditions.model_dump(),
        "along": cell.along,
        "value": cell.value,
        "error": cell.error,
        "unit": cell.unit,
        "approximate": cell.approximate,
        "doubtful": cell.doubtful,
        "ns_per_op": cell.ns,
        "measured": [beside(case) for case in numbers.measured_beside(cell, report)],
    }


def _claim(judged: Judged) -> dict[str, Any]:
    keys = dict.fromkeys(key for finding in judged.measured.findings for key in finding.keys)
    return {
        "id": judged.claim.id,
        "says": judged.claim.says,
        "basis": judged.claim.basis,
        "verdict": judged.measured.answer,
        "by_runtime": judged.measured.by_setting,
        "because": judged.measured.says,
        "why": judged.why,
        "in_its_own_data": judged.own.answer if judged.own else None,
        "in_its_own_data_because": judged.own.says if judged.own else None,
        "published": [_finding(each) for each in judged.own.findings] if judged.own else [],
        "measured": [_finding(each) for each in judged.measured.findings],
        "evidence": list(keys),
    }


def _finding(found: Finding) -> dict[str, Any]:
    return {
        "group": found.group or None,
        "runtime": found.setting,
        "case": found.case or None,
        "reference": found.reference,
        "answer": found.answer,
        **{key: value for key, value in _ratio(found.ratio).items() if key != "outcome"},
        "says": found.says,
    }


def _disturbance(found: Disturbance) -> dict[str, Any]:
    return {
        "canary": {
            kind: {"least": least, "most": most} for kind, (least, most) in found.canary.items()
        },
        "stolen_share": found.stolen,
        "others_cores": found.others,
        "place_in_round": {
            group: {"center": each.center, "lo": each.lo, "hi": each.hi}
            for group, each in found.place.items()
        },
    }


def _group(group: GroupReport, table: Table, run: Run) -> dict[str, Any]:
    return {
        "id": group.id,
        "run": run.header.id,
        "question": group.question,
        "title": group.title,
        "answers": answers(group) if run.plan.protocol == "sound" else [],
        "baseline": group.baseline,
        "noise_floor": _finite(group.noise_floor),
        "twin": None if group.twin is None else _ratio(group.twin),
        "suspended": group.suspended,
        "provisional": group.provisional,
        "replicates": group.replicates,
        "replicates_needed": group.replicates_needed,
        "ceiling": _ceiling(group.ceiling),
        "ceiling_of_threads": _ceiling(group.ceiling_of_threads),
        "cases": [_case(case) for case in group.cases],
        "across_runtimes": [
            {"key": each.case.key, **_ratio(each.comparison), "reference": each.reference.key}
            for each in group.across
        ],
        "knees": [asdict(each) for each in sweeps.knees(table, group.noise_floor)],
        "dead_knobs": [asdict(each) for each in sweeps.dead_knobs(table)],
    }


def _ceiling(found: Ceiling | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "bytes_per_s": found.bytes_per_s,
        "least": found.least,
        "most": found.most,
        "strategy": found.case.strategy,
        "params": found.case.parameters,
        "runtime": found.case.runtime,
        "replicates": len(found.log_ns),
    }


def _case(case: CaseReport) -> dict[str, Any]:
    other = case.other_work
    evidence = asdict(case.evidence) if case.evidence else {}
    evidence["other_work_ns_per_op"] = other.ns_per_op.center if other else None
    return {
        "key": case.case.key,
        "label": case.case.label,
        "source": "measured",
        "strategy": case.case.strategy,
        "language": case.case.language,
        "runtime": case.case.runtime,
        "options": list(case.case.options),
        "params": case.case.parameters,
        "roles": case.roles,
        "workload": case.case.workload.model_dump(),
        "conditions": case.case.conditions.model_dump(),
        "replicates": case.replicates,
        "samples": case.samples,
        "voids": case.voids,
        "ns_per_op": _interval(case.ns_per_op),
        "bytes_per_s": _interval(case.bytes_per_s),
        "latency_ns": asdict(case.latency)
        if case.latency
        else dict.fromkeys(("p50", "p95", "p99", "max", "n")),
        "vs_baseline": _ratio(case.vs_baseline),
        "vs_best": {**_ratio(case.vs_best), "reference": case.vs_best_key},
        "best": case.is_best,
        "settled": case.settled,
        "impossible": case.impossible,
        "of_ceiling": case.of_ceiling.center if case.of_ceiling else None,
        "of_ceiling_interval": _interval(case.of_ceiling),
        "forks": _forks(case.forks),
        "other_work_share": _interval(other.share if other else None),
        "evidence": {name: _finite(evidence.get(name)) for name in EVIDENCE},
        "caveats": list(case.caveats),
        "failures": [case.failure] if case.failure else [],
    }


def _forks(found: Forks | None) -> dict[str, Any]:
    if found is None:
        return {"n": 0, "looked_at": 0, "kinds": {}, "states": [], "outliers": 0}
    ratios = [1.0, found.states.ratio][: len(found.states.sizes)]
    states = [
        {"forks": size, "ratio": ratio}
        for size, ratio in zip(found.states.sizes, ratios, strict=True)
    ]
    return {
        "n": found.count,
        "looked_at": found.looked_at,
        "kinds": found.kinds,
        "states": states,
        "outliers": found.states.outliers,
    }


EVIDENCE = (
    "read_calls_per_op",
    "write_calls_per_op",
    "bytes_per_read_call",
    "bytes_per_write_call",
    "device_read_bytes_per_op",
    "device_write_bytes_per_op",
    "device_writes_per_op",
    "device_flushes_per_op",
    "dirtied_bytes_per_op",
    "resident_before",
    "user_ns_per_op",
    "system_ns_per_op",
    "minor_faults_per_op",
    "major_faults_per_op",
    "context_switches_per_op",
    "allocated_bytes_per_op",
    "gc_ns_per_op",
    "other_work_ns_per_op",
    "peak_rss_bytes",
)


def _interval(found: Interval | None) -> dict[str, float | None]:
    if found is None:
        return {"center": None, "lo": None, "hi": None}
    unbounded = found.lo <= 0 or math.isinf(found.hi)
    return {
        "center": _finite(found.center),
        "lo": None if unbounded else found.lo,
        "hi": None if unbounded else found.hi,
    }


def _ratio(found: Comparison | None) -> dict[str, Any]:
    if found is None:
        return {"ratio": None, "lo": None, "hi": None, "outcome": None}
    return {
        "ratio": _finite(found.center),
        "lo": _finite(found.lo) if found.lo > 0 else None,
        "hi": _finite(found.hi),
        "outcome": found.outcome,
    }


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
