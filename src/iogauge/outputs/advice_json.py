"""Advice as JSON (docs/export-json.md): cases as in the export, and what makes them the advice."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

from iogauge.advice.choice import Advice, Other
from iogauge.analysis.casereport import CaseReport
from iogauge.decision.states import Way
from iogauge.outputs import advice, exporting
from iogauge.outputs.contract import plain
from iogauge.outputs.document import Advised


def render(document: Advised) -> str:
    found = {
        "wanted": asdict(document.wanted),
        "advice": [_advice(each) for each in document.advice],
        "reason": document.reason,
    }
    return json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False)


def _advice(found: Advice) -> dict[str, Any]:
    others = ("fastest", "simpler", "simplest", "smaller")
    return {
        "use": _case(found, found.choice),
        "code": found.hint,
        "sure": found.sure,
        "at_most": found.worst if math.isfinite(found.worst) else None,
        "among": found.among,
        **{name: _other(found, getattr(found, name)) for name in others},
        "reason": found.reason,
        "run": found.header.id,
        "runs": found.runs,
        "group": found.group.id,
        "caveats": list(found.caveats),
        "over_states": _over_states(found),
    }


def _over_states(found: Advice) -> dict[str, Any] | None:
    """What ways cost in each state of the file: the advice, and what is good in one state only."""
    over = found.over
    if over is None:
        return None
    return {
        "kind": over.kind,
        "cached_by": list(found.states),
        "unanswered": list(found.unanswered),
        "use": _way(over.use),
        "turning": [_way(each) for each in over.turning],
        "says": advice.of_states(found),
    }


def _way(found: Way[CaseReport]) -> list[dict[str, Any]]:
    """A case in each state, its time over that of the best there, and what that costs."""
    return [
        {
            "key": case.case.key,
            "ratio": ratio if math.isfinite(ratio) else None,
            "cost": asdict(cost),
        }
        for case, ratio, cost in zip(found.cases, found.behind, found.costs, strict=True)
    ]


def _other(found: Advice, other: Other | None) -> dict[str, Any] | None:
    """Another way, and its time over that of the advice."""
    return other and {"use": _case(found, other[0]), **exporting.ratio_of(other[1])}


def _case(found: Advice, case: CaseReport) -> dict[str, Any]:
    sets = (each for each in found.group.verdicts if each.set == case.rank_set)
    return plain(exporting.case_of(case, found.group, next(sets, None)))
