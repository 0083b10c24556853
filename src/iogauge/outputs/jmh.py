"""JMH's JSON (`-rf json`): a result for each case, its times by fork and iteration.

A repeat is a fork, a sample an iteration. Score and error are made as JMH makes them: the mean of
all iterations, and half of its 99.9 % interval as if they were independent.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from iogauge import __version__
from iogauge.model.imported import BESIDE
from iogauge.model.strategy import Runtime
from iogauge.outputs import series
from iogauge.outputs.document import Document
from iogauge.outputs.series import Series

_PERCENTILES = (0.0, 50.0, 90.0, 95.0, 99.0, 99.9, 99.99, 99.999, 99.9999, 100.0)
_FEWEST = 3  # values that JMH gives an error of
_ERROR = 0.001

left_out = series.left_out


def render(document: Document) -> str:
    found: list[dict[str, Any]] = []
    known: set[str] = set()
    for each in series.with_data(document):
        made = _result(document, each)
        identity = json.dumps([made["benchmark"], made.get("params")])
        if identity in known:  # nothing that JMH knows tells them apart
            made["params"] = {**made.get("params", {}), "case": each.exported.key}
        known.add(identity)
        found.append(made)
    return json.dumps(found, indent=4, ensure_ascii=False, allow_nan=False)


def _result(document: Document, of: Series) -> dict[str, Any]:
    header, repeats = document.run.header, [each.levels for each in of.repeats]
    runtime = header.runtime(of.report.case.runtime)
    lengths = [float(ns) / 1e6 for each in of.repeats for ns in each.ns]
    made = {
        "jmhVersion": runtime.version if header.imported else f"iogauge {__version__}",
        "benchmark": _benchmark(of),
        "mode": "avgt",
        "threads": of.threads,
        "forks": len(repeats),
        **_machine(runtime, of),
        "warmupIterations": int(runtime.warm_up_seconds > 0),
        "warmupTime": _time(runtime.warm_up_seconds * 1e3),
        "warmupBatchSize": 1,
        "measurementIterations": max(map(len, repeats)),
        "measurementTime": _time(sorted(lengths)[len(lengths) // 2]),
        "measurementBatchSize": 1,
    }
    if imported := of.report.strategy.imported:
        made |= imported.about
    if of.parameters:
        made["params"] = dict(of.parameters)
    beside = {BESIDE[name]: value for name, value in of.beside.items()}
    return made | {
        "primaryMetric": _metric(document, repeats, "ns/op"),
        "secondaryMetrics": {
            each.name: _metric(document, [[of_]], each.unit) for each, of_ in beside.items()
        },
    }


class _Machine(NamedTuple):
    """JMH tells of JVMs; what is none has its own name and version there."""

    jvm: str
    jvmArgs: list[str]
    jdkVersion: str
    vmName: str
    vmVersion: str


def _machine(runtime: Runtime, of: Series) -> dict[str, Any]:
    name, version = runtime.name, runtime.version
    return _Machine(name, list(of.report.case.options), version, runtime.title, version)._asdict()


def _benchmark(of: Series) -> str:
    """`iogauge.read_16m_warm.java_file_input_stream`: the last two parts are what readers take for
    a class and a method.
    """
    if of.report.strategy.imported:
        return of.strategy
    return ".".join(["iogauge", *(re.sub(r"\W", "_", each) for each in (of.group.id, of.strategy))])


def _time(milliseconds: float) -> str:
    """As JMH writes a time: `20 ms`."""
    return f"{max(1, round(milliseconds))} ms" if milliseconds else "0 ms"


def _metric(document: Document, repeats: Sequence[Sequence[float]], unit: str) -> dict[str, Any]:
    """Raw data by fork, and what JMH makes of all values together."""
    values = [value for each in repeats for value in each]
    score = fmean(values)
    enough = len(values) >= _FEWEST
    error = document.error_of_mean(values, _ERROR) if enough else math.nan
    return {
        "score": score,
        "scoreError": _number(error),
        "scoreConfidence": [_number(score - error), _number(score + error)],
        "scorePercentiles": {str(p): _percentile(values, p) for p in _PERCENTILES},
        "scoreUnit": unit,
        "rawData": [list(each) for each in repeats],
    }


def _percentile(values: Iterable[float], p: float) -> float:
    """Of n values the one in the place p · (n + 1), between two of them by its fraction."""
    ordered = sorted(values)
    place = p / 100 * (len(ordered) + 1)
    if place < 1:
        return ordered[0]
    if place >= len(ordered):
        return ordered[-1]
    below = math.floor(place)
    return ordered[below - 1] + (place - below) * (ordered[below] - ordered[below - 1])


def _number(value: float) -> float | str:
    """What JSON has no number for is a text, as JMH writes it."""
    return "NaN" if math.isnan(value) else value
