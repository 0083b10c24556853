"""Bencher Metric Format: measures by benchmark, with the bounds of the interval.

Times are ns, as Bencher's built-in measure `latency` takes them.
"""

from __future__ import annotations

import json

from iogauge.model.imported import BESIDE
from iogauge.outputs import series
from iogauge.outputs.document import Document
from iogauge.outputs.series import Series

left_out = series.left_out


def render(document: Document) -> str:
    made = {each.name: _measures(each) for each in series.with_data(document)}
    return json.dumps(made, indent=2, ensure_ascii=False, allow_nan=False)


def _measures(of: Series) -> dict[str, dict[str, float]]:
    level = of.level
    bounds = {"value": level.center, "lower_value": level.lo, "upper_value": level.hi}
    latency = {name: value for name, value in bounds.items() if value is not None}
    return {
        "latency": latency,
        **{BESIDE[name].name: {"value": value} for name, value in of.beside.items()},
    }
