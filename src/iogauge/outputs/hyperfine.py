"""hyperfine's JSON (`--export-json`): the seconds of each run of each command.

A run is a repeat: a fresh process. Of whole commands it is each of their runs.
"""

from __future__ import annotations

import json
from statistics import fmean, median, stdev
from typing import Any

from iogauge.outputs import series
from iogauge.outputs.document import Document
from iogauge.outputs.series import Series

left_out = series.left_out


def render(document: Document) -> str:
    results = [_result(each) for each in series.with_data(document)]
    return json.dumps({"results": results}, indent=2, ensure_ascii=False, allow_nan=False)


def _result(of: Series) -> dict[str, Any]:
    imported, command = of.report.strategy.imported, of.report.strategy.command
    if command:
        seconds = [ns / 1e9 for each in of.repeats for ns in each.spans.tolist()]
    else:
        seconds = [each.level / 1e9 for each in of.repeats]
    made = {
        "command": imported.benchmark if imported else of.name,
        "mean": fmean(seconds),
        "stddev": stdev(seconds) if len(seconds) > 1 else None,
        "median": median(seconds),
        "user": _seconds(of, "user_ns_per_op"),
        "system": _seconds(of, "system_ns_per_op"),
        "min": min(seconds),
        "max": max(seconds),
        "times": seconds,
        "exit_codes": _exit_codes(of, len(seconds)),
    }
    if imported and len(imported.memory) == len(seconds):
        made["memory_usage_byte"] = list(imported.memory)
    return made | ({"parameters": dict(of.parameters)} if of.parameters else {})


def _seconds(of: Series, figure: str) -> float | None:
    """Processor time of an operation; None where it is not known."""
    found = of.exported.evidence.get(figure)
    return None if found is None else found / 1e9


def _exit_codes(of: Series, runs: int) -> list[int | None]:
    """0 for a command that may not end otherwise; null for what is no command."""
    imported, command = of.report.strategy.imported, of.report.strategy.command
    if imported:
        return [*imported.exit_codes][:runs] if imported.exit_codes else [None] * runs
    known = command is not None and not command.any_status
    return [0 if known else None] * runs
