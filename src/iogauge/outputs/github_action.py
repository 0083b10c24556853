"""The list that github-action-benchmark takes as `customSmallerIsBetter`: times, then system calls.

The interval is in `range`, what it rests on and why it takes so long in `extra`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from iogauge.model.imported import BESIDE
from iogauge.model.ratios import between
from iogauge.model.units import counted, duration
from iogauge.outputs import phrases, series
from iogauge.outputs.document import Document
from iogauge.outputs.series import Series

_CALLS = ("read_calls_per_op", "write_calls_per_op")

left_out = series.left_out


def render(document: Document) -> str:
    found = series.with_data(document)
    entries = [_time(document, each) for each in found]
    entries += [entry for each in found for entry in _calls(each)]
    return json.dumps(entries, indent=2, ensure_ascii=False, allow_nan=False)


def _time(document: Document, of: Series) -> dict[str, Any]:
    level = of.level
    entry: dict[str, Any] = {"name": of.name, "unit": "ns/op", "value": level.center}
    if level.lo is not None and level.hi is not None:
        entry["range"] = between(level.lo, level.hi, lambda ns: duration(ns / 1e9))
    return entry | {"extra": "\n".join(_why(document, of))}


def _why(document: Document, of: Series) -> Iterator[str]:
    imported = document.run.header.imported
    if imported:
        yield phrases.imported(imported)
    yield f"{counted(len(of.repeats), 'repeat')}, {of.exported.key}"
    if not imported and (reason := document.reason(of.report)):
        yield reason
    yield from of.exported.caveats


def _calls(of: Series) -> Iterator[dict[str, Any]]:
    for name in _CALLS:
        if of.beside.get(name):
            about = BESIDE[name]
            yield {
                "name": f"{of.name}, {about.name.replace('-', ' ')}",
                "unit": "calls/op",
                "value": of.beside[name],
            }
