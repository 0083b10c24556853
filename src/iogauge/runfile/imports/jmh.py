"""JMH's JSON: an array of results, each with its times by fork and iteration."""

from __future__ import annotations

import math
import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, TypeAdapter

from iogauge.model.imported import BESIDE
from iogauge.runfile.imports.making import Measured, Read, Unfit, time

FORMAT = "JMH JSON"
_NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "hr": 3600e9, "day": 86400e9}
_UNIT = re.compile(r"ops/(?P<rate>\w+)|(?P<time>\w+)/op")
_WORDS = {"NaN": math.nan, "INF": math.inf, "+INF": math.inf, "-INF": -math.inf}
_MODES = {"thrpt": ", as throughput", "ss": ", single calls", "sample": ", sampled calls"}
_ALLOCATED = ("gc.alloc.rate.norm", "·gc.alloc.rate.norm")


def _number(value: Any) -> Any:
    """JMH writes what JSON has no number for as a text."""
    return _WORDS.get(value, value) if isinstance(value, str) else value


Number = Annotated[float, BeforeValidator(_number)]


class _Metric(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=False)

    score: Number
    scoreUnit: str
    rawData: list[list[Number]] | None = None
    rawDataHistogram: list[list[list[tuple[Number, int]]]] | None = None


class _Result(BaseModel):
    model_config = ConfigDict(extra="ignore")

    jmhVersion: str = "unknown"
    benchmark: str
    mode: str
    threads: int = 1
    jvm: str | None = None
    jvmArgs: tuple[str, ...] | None = None
    jdkVersion: str | None = None
    vmName: str | None = None
    vmVersion: str | None = None
    warmupIterations: int | None = None
    warmupTime: str | None = None
    warmupBatchSize: int | None = None
    measurementIterations: int | None = None
    measurementTime: str | None = None
    measurementBatchSize: int | None = None
    params: dict[str, str] = {}
    primaryMetric: _Metric
    secondaryMetrics: dict[str, _Metric] = {}

    @property
    def machine(self) -> str:
        """What ran it, with its options."""
        words = (self.vmName, self.jdkVersion, *(self.jvmArgs or ()))
        return " ".join(filter(None, words))


_ELSEWHERE = ("jmhVersion", "benchmark", "mode", "threads", "params")
_ABOUT = tuple(
    name
    for name in _Result.model_fields
    if name not in _ELSEWHERE and not name.endswith(("Metric", "Metrics"))
)
_RESULTS = TypeAdapter(list[_Result])


def looks_like(head: bytes) -> bool:
    return head.lstrip().startswith(b"[") and b'"primaryMetric"' in head


def read(content: bytes) -> Read:
    """Raises pydantic's ValidationError, or Unfit."""
    results = _RESULTS.validate_json(content)
    several = len({each.mode for each in results}) > 1
    machines = len({each.machine for each in results}) > 1
    measured = [_measured(each, several, machines) for each in results]
    versions = {each.jmhVersion for each in results}
    version = versions.pop() if len(versions) == 1 else "unknown"
    return Read(FORMAT, "jmh", "JMH", version, measured, [*_few_forks(measured)])


def _few_forks(measured: list[Measured]) -> list[str]:
    alone = sum(len(each.repeats) == 1 for each in measured)
    if not alone:
        return []
    return [
        f"{alone} of {len(measured)} benchmarks ran in one fork: how forks differ is not known of "
        "them (JMH's option -f 3 or more)"
    ]


def _measured(result: _Result, several: bool, machines: bool) -> Measured:
    """`several` modes, or `machines`, are in the file, so that they are told apart."""
    metric, name = result.primaryMetric, result.benchmark
    if not name:
        raise Unfit("a benchmark without a name")
    found = _UNIT.fullmatch(metric.scoreUnit)
    factor = _NS.get(found["rate"] or found["time"]) if found else None
    if found is None or factor is None:
        raise Unfit(f"{name}: the unit {metric.scoreUnit!r} is no time and no rate")
    repeats, missing = [], 0
    if metric.rawDataHistogram is not None:
        forks = [[_histogram(each) for each in fork] for fork in metric.rawDataHistogram]
    else:
        forks = [[(each, 1) for each in fork] for fork in metric.rawData or []]
    for fork in forks:
        spans = []
        for value, operations in fork:
            if not math.isfinite(value) or (found["rate"] and value == 0):
                missing += 1  # no operation ended in that iteration
                continue
            ns = factor / value if found["rate"] and value else value * factor
            spans.append((time(ns, name) * operations, operations))
        repeats += [spans] if spans else []
    where = name.rpartition(".")[0] or name
    apart = [_MODES.get(result.mode, "")] * several + [f", {result.machine}"] * machines
    caveats = [f"{missing} of its iterations have no number"] if missing else []
    if found["rate"]:
        caveats.append("JMH counted operations per time: times are one over them")
    return Measured(
        benchmark=name,
        parameters=result.params,
        question=where + "".join(apart),
        repeats=repeats,
        sets="".join([result.mode] * several + apart),
        short=name.rpartition(".")[2],
        threads=max(1, result.threads),
        figures=_figures(result),
        about={name: of for name in _ABOUT if (of := getattr(result, name)) is not None},
        failure=None if repeats else "the file has no time of it",
        caveats=caveats,
    )


def _histogram(iteration: list[tuple[float, int]]) -> tuple[float, int]:
    """The mean of single calls, and how many they are."""
    count = sum(number for _, number in iteration)
    if count <= 0 or any(number < 0 for _, number in iteration):
        return math.nan, 1
    return sum(value * number for value, number in iteration) / count, count


def _figures(result: _Result) -> dict[str, float]:
    names = {each.name: figure for figure, each in BESIDE.items()}
    names |= dict.fromkeys(_ALLOCATED, "allocated_bytes_per_op")
    return {
        names[name]: metric.score
        for name, metric in result.secondaryMetrics.items()
        if name in names and math.isfinite(metric.score) and metric.score >= 0
    }
