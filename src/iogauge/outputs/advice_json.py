"""Advice as JSON (docs/export-json.md): cases as in the export, and what makes them the advice."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

from iogauge.advice.choice import Advice, Other
from iogauge.analysis.casereport import CaseReport
from iogauge.outputs import exporting
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
    return {
        "use": _case(found, found.choice),
        "code": found.hint,
        "sure": found.sure,
        "at_most": found.worst if math.isfinite(found.worst) else None,
        "among": found.among,
        "fastest": _other(found, found.fastest),
        "simpler": _other(found, found.simpler),
        "simplest": _other(found, found.simplest),
        "smaller": _other(found, found.smaller),
        "reason": found.reason,
        "run": found.header.id,
        "runs": found.runs,
        "group": found.group.id,
        "caveats": list(found.caveats),
    }


def _other(found: Advice, other: Other | None) -> dict[str, Any] | None:
    """Another way, and its time over that of the advice."""
    if other is None:
        return None
    case, comparison = other
    return {"use": _case(found, case), **exporting.ratio_of(comparison)}


def _case(found: Advice, case: CaseReport) -> dict[str, Any]:
    sets = (each for each in found.group.verdicts if each.set == case.rank_set)
    return plain(exporting.case_of(case, found.group, next(sets, None)))
