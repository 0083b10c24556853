"""The report of a case."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from iogauge.analysis import caveats, forks
from iogauge.analysis.data import GroupData
from iogauge.analysis.evidence import CaseEvidence, ComputeTime, of_run
from iogauge.analysis.forks import Forks
from iogauge.decision.comparison import Comparison
from iogauge.decision.group import GroupDecision
from iogauge.model.case import Case
from iogauge.model.plan import Group
from iogauge.model.strategy import ParameterRole, Strategy
from iogauge.runfile.arrays import Ints
from iogauge.runfile.columns import SampleColumns
from iogauge.runfile.run import Run
from iogauge.statistics import intervals, quantiles
from iogauge.statistics.intervals import Interval


@dataclass(frozen=True)
class Latency:
    """Of single operations, in ns; only where every sample is one operation. A percentile too few
    carry is None.
    """

    p50: float | None
    p95: float | None
    p99: float | None
    max: float
    n: int


@dataclass(frozen=True)
class PerRecord:
    """The ns of a record, which a program writes with one call, and records per second."""

    ns: Interval
    per_s: Interval


@dataclass(frozen=True)
class CaseReport:
    case: Case
    column: int  # of the group's array
    rank_set: str  # the set in which it is to be the best: its language, or language and runtime
    strategy: Strategy
    replicates: int
    samples: int
    voids: int
    ns_per_op: Interval | None
    bytes_per_s: Interval | None
    per_record: PerRecord | None
    latency: Latency | None
    vs_baseline: Comparison | None
    vs_best: Comparison | None  # of its set; None for the best itself
    vs_best_key: str | None  # which case that is, the best so far
    is_best: bool
    eliminated: bool
    evidence: CaseEvidence | None
    compute: ComputeTime | None
    of_ceiling: Interval | None  # its speed over that of the ceiling for as many threads
    impossible: bool  # surely faster than that
    unread: bool  # it reads nothing of the file, which is its failure
    forks: Forks | None
    caveats: tuple[str, ...]
    failure: str | None  # of the case, or that none of its samples is valid

    @property
    def label(self) -> str:
        """The variant for narrow tables; of a whole command what the user wrote, and
        of what another tool measured what that calls it.
        """
        as_named = self.strategy.command or self.strategy.imported
        return self.display() if as_named else self.case.label

    def display(self, shown: Collection[str] | None = None) -> str:
        """The case for people, with these parameters, or those that are worth showing."""
        return self.case.display(self.strategy, shown)

    @property
    def is_checked(self) -> bool:
        """Whether it is known how much it reads."""
        return self.strategy.is_checked

    @property
    def simplicity(self) -> tuple[int, int, float]:
        return simplicity(self.strategy, self.case)

    @property
    def reads_less(self) -> str | None:
        """Where a whole command reads clearly less than its file by calls."""
        if self.evidence is None:
            return None
        return caveats.reads_less(self.case, self.strategy, self.evidence)

    @property
    def threads(self) -> int:
        """With how many threads the case works."""
        return self.value("parallel") or 1

    def value(self, role: ParameterRole) -> int | None:
        """The value of the parameter with this role, or None where there is none."""
        values = self.case.parameters
        return next(
            (values[name] for name in values if self.strategy.roles.get(name) == role), None
        )


def simplicity(strategy: Strategy, case: Case) -> tuple[int, int, float]:
    """The simplest case has the least: the effort to write it, then its parameters, then the memory
    that it takes.
    """
    memory = strategy.needs.memory_per_file_byte
    return strategy.effort, sum(case.parameters.values()), memory


@dataclass(frozen=True)
class Samples:
    """The rows of a run's valid samples, and the reasons of void ones, by case; and why cases that
    read nothing have no number.
    """

    valid: list[Ints]
    voids: dict[int, list[str]]
    unread: Mapping[int, str]

    def failure(self, run: Run, case: int) -> str | None:
        """Why there is nothing to report of a case: it failed, it reads nothing of the file, or all
        of its samples are void.
        """
        reason = run.failed().get(case) or self.unread.get(case)
        voids = self.voids.get(case)
        if reason is None and voids and not len(self.valid[case]):
            return f"no valid sample: {voids[0]}"
        return reason


def make(
    run: Run,
    data: GroupData,
    decision: GroupDecision,
    column: int,
    rank_set: str,
    measured: Samples,
    compute: ComputeTime | None,
    beside: forks.Others | None,
) -> CaseReport:
    """Of the case in a column of a group's array. `beside` is what the other cases did; None as
    published, where nothing is said about forks.
    """
    number = data.group.cases[column]
    case = run.plan.cases[number]
    strategy = run.header.runtime(case.runtime).strategies[case.strategy]
    samples = run.columns.take(measured.valid[number])
    voids = measured.voids.get(number, [])
    level = evidence = seen = latency = None
    is_unread = number in measured.unread
    if len(samples):
        evidence = of_run(run, case, samples)
    if len(samples) and not is_unread:
        latency, level = (
            _latency(samples),
            intervals.summary(
                data.log_ns[:, :, column], clock_error=float(data.clock_error[column])
            ),
        )
        seen = forks.of_case(samples, beside, column) if beside else None
    share, impossible = data.of_ceiling[column], column in data.impossible
    vs_best = decision.versus_best[column]
    return CaseReport(
        case=case,
        column=column,
        rank_set=rank_set,
        strategy=strategy,
        replicates=int(np.isfinite(data.log_ns[:, :, column]).any(axis=1).sum()),
        samples=len(samples),
        voids=len(voids),
        ns_per_op=level,
        bytes_per_s=_per_second(level, case.bytes_per_operation),
        per_record=_per_record(level, records_per_operation(run, data.group)),
        latency=latency,
        vs_baseline=decision.versus_baseline[column],
        vs_best=vs_best,
        vs_best_key=run.plan.cases[data.group.cases[vs_best.reference]].key if vs_best else None,
        is_best=decision.best_of.get(rank_set) == column,
        eliminated=column in decision.eliminated,
        evidence=evidence,
        compute=compute,
        of_ceiling=share,
        impossible=impossible,
        unread=is_unread,
        forks=seen,
        caveats=caveats.of_case(
            run, case, strategy, samples, voids, evidence, seen, share, impossible
        ),
        failure=measured.failure(run, number),
    )


def rank(case: CaseReport) -> tuple[float, float]:
    """What cases are sorted by: how far they are behind the best of their set, because pairs are
    more exact than levels, then their level; those without one come last.
    """
    if case.ns_per_op is None:
        return math.inf, math.inf
    behind = 0.0 if case.is_best else case.vs_best.center if case.vs_best else 1.0
    return behind, case.ns_per_op.center


def _per_second(level: Interval | None, amount: int) -> Interval | None:
    """How much of what an operation has so many of is done per second."""
    if level is None or not amount:
        return None
    center, lo, hi = (
        amount * 1e9 / ns if ns > 0 else math.inf for ns in (level.center, level.hi, level.lo)
    )
    return Interval(center, lo, hi, level.n)


def _per_record(level: Interval | None, records: int | None) -> PerRecord | None:
    if level is None or records is None:
        return None
    ns = Interval(level.center / records, level.lo / records, level.hi / records, level.n)
    rate = _per_second(ns, 1)
    return PerRecord(ns, rate) if rate else None


def _latency(samples: SampleColumns) -> Latency | None:
    if not len(samples) or (samples.span_operations != 1).any():
        return None
    slowest = float(samples.span_ns.max())
    p50, p95, p99 = (quantiles.percentile(samples.span_ns, p) for p in (0.5, 0.95, 0.99))
    most = int(slowest) if slowest.is_integer() else slowest
    return Latency(p50, p95, p99, most, len(samples.span_ns))


def record_bytes(run: Run, group: Group) -> int | None:
    """The bytes of a record; None where the group has no records.

    It has some where all cases that write in pieces write equal ones, several in an operation, and
    where operations append to a file.
    """
    workload = group.workload
    if workload.operation != "write" or not workload.size:
        return None
    cases = [run.plan.cases[case] for case in group.cases]
    pieces = {run.header.declared(case).value("piece", case.parameters, None) for case in cases}
    pieces.discard(None)
    if len(pieces) > 1:
        return None
    record = min(workload.size, next(iter(pieces)) or workload.size) if pieces else workload.size
    return record if record < workload.size or workload.mode == "append" else None


def records_per_operation(run: Run, group: Group) -> int | None:
    """How many records an operation writes, the last one of which may be shorter; None where the
    group has no records.
    """
    record = record_bytes(run, group)
    return None if record is None else math.ceil(group.workload.size / record)
