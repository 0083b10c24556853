"""The cases of a run as other tools take benchmarks: each with a name, parameters as text, and its
times by repeat.

What formats of others have in common is made here; the module of each format writes it down.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport
from iogauge.model.case import runtimes_differ
from iogauge.model.imported import BESIDE
from iogauge.model.strategy import set_name
from iogauge.model.units import counted, short_size
from iogauge.model.workload import USUAL, Conditions, Workload
from iogauge.outputs.contract import Case, Level
from iogauge.outputs.document import Document
from iogauge.runfile.arrays import Floats
from iogauge.runfile.columns import SampleColumns

_MOST_NAMES = 3  # of cases that a note names


@dataclass(frozen=True)
class Repeat:
    """A fork of a case: ns and operations of each of its valid samples, shape (n,), in turn; and ns
    per operation of each of their spans, shape (m,).
    """

    ns: Floats
    operations: Floats
    spans: Floats

    @property
    def levels(self) -> list[float]:
        """ns per operation, by sample."""
        found: list[float] = (self.ns / self.operations).tolist()
        return found

    @property
    def level(self) -> float:
        """ns per operation of all of it."""
        return float(self.ns.sum() / self.operations.sum())


@dataclass(frozen=True)
class Series:
    """A case of a group. `name` tells it from all others of the run, `parameters` are in order:
    those of the strategy, then of the workload, the conditions, and the runtime where a language
    has several.
    """

    group: GroupReport
    report: CaseReport
    exported: Case
    threads: int
    repeats: tuple[Repeat, ...]
    parameters: dict[str, str] = field(default_factory=dict)
    name: str = ""

    @property
    def strategy(self) -> str:
        """`java/file-input-stream`; of another tool's case, the benchmark as that calls it."""
        imported = self.report.strategy.imported
        return imported.benchmark if imported else self.exported.strategy

    @property
    def failure(self) -> str:
        """Why it has no times."""
        return next(iter(self.exported.failures), "nothing was measured of it")

    @property
    def level(self) -> Level:
        return self.exported.ns_per_op

    @cached_property
    def beside(self) -> dict[str, float]:
        """The figures of `BESIDE` that are known, by their names in this program."""
        found = {name: self.exported.evidence.get(name) for name in BESIDE}
        return {name: value for name, value in found.items() if value is not None}


def of(document: Document) -> list[Series]:
    """All cases of a run, those without data too, in the order of the report."""
    found = [*_all(document)]
    names = [_name(each) for each in found]
    used: dict[str, int] = {}
    for at, name in enumerate(names):
        used[name] = used.get(name, 0) + 1
        if used[name] > 1:
            names[at] = f"{name} ({used[name]})"
    return [replace(each, name=name) for each, name in zip(found, names, strict=True)]


def with_data(document: Document) -> list[Series]:
    return [each for each in of(document) if each.repeats and each.level.center is not None]


def left_out(document: Document) -> list[str]:
    """What formats of others cannot hold of this run, a line for each kind."""
    every = of(document)
    failed = [each for each in every if not each.repeats or each.level.center is None]
    beyond = [each.name for each in every if each.exported.impossible]
    suspended = [group.id for group in document.report.groups if group.suspended]
    says = [f"left out: {each.name}: {each.failure}" for each in failed[:_MOST_NAMES]]
    if len(failed) > _MOST_NAMES:
        says.append(f"left out: {len(failed) - _MOST_NAMES} more without a time")
    if beyond:
        says.append(f"faster than the machine's limit, which the format cannot say: {_few(beyond)}")
    if suspended:
        says.append(
            f"identical code seemed to differ, which the format cannot say: {_few(suspended)}"
        )
    if not document.run.complete:
        says.append("the run is not finished, which the format cannot say")
    return says


def _few(names: list[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {counted(more, 'other')}" if more > 0 else "")


def _all(document: Document) -> Iterator[Series]:
    run, columns = document.run, document.run.columns
    used = np.flatnonzero(run.used())
    order = used[np.lexsort((columns.ended[used], columns.case[used]))]
    places = np.searchsorted(columns.case[order], np.arange(len(run.plan.cases) + 1))
    for group, made in zip(document.report.groups, document.export.groups, strict=True):
        several = runtimes_differ((each.language, each.setting) for each in made.cases)
        for report, case in zip(group.cases, made.cases, strict=True):
            number = group.data.group.cases[report.column]
            rows = order[places[number] : places[number + 1]]
            yield Series(
                group,
                report,
                case,
                run.header.threads_of(report.case),
                () if report.failure else tuple(_repeats(columns, rows)),
                _parameters(report, several),
            )


def _repeats(columns: SampleColumns, rows: np.ndarray) -> Iterator[Repeat]:
    """One for each replicate, in their order."""
    replicates = columns.replicate[rows]
    for number in np.unique(replicates):
        some = rows[replicates == number]
        yield Repeat(
            columns.ns[some].astype(np.float64),
            columns.operations[some].astype(np.float64),
            columns.span_levels(some),
        )


def _parameters(report: CaseReport, several: bool) -> dict[str, str]:
    case, declared = report.case, report.strategy
    if declared.imported:
        return dict(declared.imported.parameters)
    found = {
        name: short_size(value)
        if declared.parameters[name].unit in ("bytes", "chars")
        else str(value)
        for name, value in case.parameters.items()
    }
    # A parameter of a strategy keeps its name, and what the run sets beside it gives way.
    more = {**_of_work(case.workload), **_of_conditions(case.conditions)}
    more |= {"runtime": case.setting} if several else {}
    return found | {name if name not in found else f"{name}_": of for name, of in more.items()}


def _of_work(work: Workload) -> dict[str, str]:
    """What tells workloads apart, without what is usual."""
    found = {"size": short_size(work.size)}
    found |= {"content": work.content} if work.content != "bytes" else {}
    found |= {"consume": work.consume} if work.consume == "sum" else {}
    found |= {"medium": work.medium} if work.medium != "file" else {}
    found |= {"accesses": str(work.accesses)} if work.accesses else {}
    return found | ({"mode": work.mode} if work.mode == "append" else {})


def _of_conditions(conditions: Conditions) -> dict[str, str]:
    found = {name: value for name, value in conditions if value and name != "lifetime"}
    if found.get("cached_by") in USUAL:
        del found["cached_by"]
    return found


def _name(series: Series) -> str:
    """`read-16m-warm: FileInputStream 128K`, with the language, or the runtime, where there are
    several.
    """
    group, report = series.group, series.report
    if report.strategy.imported:
        return report.strategy.imported.text
    language, setting = group.set_of(report.rank_set)
    tool = "" if group.of_commands else f"{set_name(language, setting, group.language_names)} "
    return f"{group.id}: {tool}{group.name_of(report)}"
