"""What the kernel, the runtime and the compute-only variants showed of a case."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from iogauge.analysis.call_costs import CallCost
from iogauge.analysis.data import GroupData
from iogauge.model.case import Case
from iogauge.model.figures import COUNTERS, FIGURES, Figure
from iogauge.runfile.columns import SampleColumns
from iogauge.runfile.run import Run
from iogauge.statistics import intervals, quantiles
from iogauge.statistics.intervals import Interval

TICK_NS = 10_000_000
"""The kernel tells programs processor time in ticks of 10 ms (USER_HZ is 100 on every processor
that Linux still runs on), whatever its own clock ticks by.
"""
# Calls per operation. A strategy that reads or writes a file by calls makes at least one; a runtime
# reads for itself now and then.
_NEXT_TO_NONE = 0.5
# Of the calls: where the calls of requests vary by no more than this share, figures stay right.
_EXACT_ENOUGH = 0.01
_FEW_TICKS = 20  # fewer say nothing about processor time
_MOSTLY = 0.5  # of the time: what waits for less may wait for its own threads
_ALL_BUT = 2 / 3  # of the processors: where no more are busy, one is free for who wants it


@dataclass(frozen=True)
class OwnCalls:
    """Calls of one kind that a request costs its runner, which are not the strategy's work: how
    many on average, and by how many requests differ. One, where nobody counted (docs/wire.md).
    """

    mean: float = 1.0
    spread: float = 0.0


@dataclass(frozen=True)
class Waiting:
    """A share of the time in which a case that reads a cached file has nothing to do, though a
    processor was free; and whether it surely does not wait for the device then.
    """

    share: float
    not_for_device: bool


@dataclass(frozen=True)
class CaseEvidence:
    """The figures of a case, on average over its valid samples. None stands for what is not known.

    `figures` are those of the table in model/figures.py, by name; each is an attribute too.
    `elapsed_ns_per_op` is of the same operations as all that the kernel counts. A case is
    `uncounted` where the kernel counts no calls for the way in which it reads (writes). Where its
    strategy declares that the counted calls are not its own, `why_uncounted` says why.
    `beyond_calls_ns_per_op` is processor time in the kernel for which the calls that read cannot
    account on this machine; 0 where that is not sure. `waiting` is known where it is most of the
    time.
    """

    samples: int
    operations: int
    elapsed_ns_per_op: float | None
    uncounted: bool
    why_uncounted: str | None
    figures: dict[str, float | None]
    beyond_calls_ns_per_op: float | None = None
    waiting: Waiting | None = None

    def __getattr__(self, name: str) -> float | None:
        if name in _OF_SAMPLES:
            return self.figures[name]
        raise AttributeError(name)


def own_calls(run: Run, case: Case) -> dict[str, OwnCalls]:
    """By counter of calls, what the null strategy showed on the case's runtime with its options.

    Only the middle half of its requests counts, because a runtime makes a call of its own now and
    then, and because the kernel may count the write of a reply after we have read it.
    """
    observed = [
        counts
        for each in run.harness
        if (each.runtime, tuple(each.options)) == (case.runtime, case.options)
        for counts in each.evidence
    ]
    found = {}
    for name in ("syscr", "syscw"):
        known = sorted(number for each in observed if (number := each.get(name)) is not None)
        middle = known[len(known) // 4 : len(known) - len(known) // 4]
        spread = middle[-1] - middle[0] if middle else 0.0
        found[name] = OwnCalls(float(np.mean(middle)), spread) if middle else OwnCalls()
    return found


def of_run(run: Run, case: Case, samples: SampleColumns) -> CaseEvidence:
    """As `case_evidence`, of the valid samples of one of the run's cases."""
    why_uncounted, host = run.header.declared(case).uncounted, run.header.host
    return case_evidence(samples, case, own_calls(run, case), why_uncounted, host)


def case_evidence(
    samples: SampleColumns,
    case: Case,
    own: Mapping[str, OwnCalls],
    why_uncounted: str | None = None,
    host: Mapping[str, Any] | None = None,
) -> CaseEvidence:
    """The figures of one case from its valid samples, of which there is one at least. `host` has
    the facts of the run's machine.

    The kernel counts the prelude's operations too; the runtime's counters are those of the spans
    that count. Our own request is taken out of calls and bytes; `own` are its calls, by counter.
    Where these differ so much between requests that the strategy's own cannot be told from them,
    calls are not known. Nor are they where a file is read (written) with next to no calls: then the
    kernel does not count how, because the file is mapped, or requests go through a ring; nor where
    `why_uncounted` says that others are counted with them. Processor time is not known where only a
    few clock ticks were counted.
    """
    totals, uncounted = _totals(samples, case, own)
    if why_uncounted:
        totals |= dict.fromkeys(("syscr", "rchar", "syscw", "wchar"))
    timed = int(samples.operations.sum())
    every = timed + int(samples.prelude.sum())

    def value(figure: Figure) -> float | None:
        name = figure.counter.name if figure.counter else ""
        match figure.rule:
            case "per operation":
                return _over(totals[name], every)
            case "per timed operation":
                return _over(totals[name], timed)
            case "per sample":
                return _over(totals[name], len(samples))
            case "per call":
                return _over(totals[name], totals[figure.per])
        of_record = figure.counter is not None and figure.counter.part == "sample"
        values = getattr(samples, name) if of_record else samples.counts(name)
        known = values[~np.isnan(values)]
        if not len(known):
            return None
        if figure.rule == "median":
            return quantiles.middle(known)
        return float(known.mean()) if figure.rule == "mean" else int(known.max())

    figures = {name: value(each) for name, each in _OF_SAMPLES.items()}
    return CaseEvidence(
        samples=len(samples),
        operations=timed,
        elapsed_ns_per_op=_over(float(samples.ns.sum() + samples.prelude_ns.sum()), every),
        uncounted=uncounted and not why_uncounted,
        why_uncounted=why_uncounted,
        figures=figures,
        beyond_calls_ns_per_op=_beyond_calls(case, figures, CallCost.of_host(host or {})),
        waiting=_waiting(samples, case, (host or {}).get("usable_cores")),
    )


def _beyond_calls(case: Case, figures: Mapping[str, float | None], cost: CallCost) -> float | None:
    """The ns of an operation in the kernel that are not for calls that read. None where these are
    not all that is due, or not known.
    """
    kernel, calls = figures["system_ns_per_op"], figures["read_calls_per_op"]
    workload, each = case.workload, figures["bytes_per_read_call"]
    reads = workload.operation == "read" and workload.medium == "file"
    if not reads or kernel is None or calls is None:
        return None
    cached = case.conditions.cache == "warm"
    return cost.beyond_calls(kernel, calls, calls * (each or 0.0), from_device=not cached)


def _waiting(samples: SampleColumns, case: Case, cores: float | None) -> Waiting | None:
    """For how much of the time a case that reads a cached file waits, if surely for most of it, and
    surely not for a processor: others may keep all of them busy.

    Processor time is of the whole request. It counts in clock ticks, but over many samples these
    add up; as for figures of their own, a few of them say how little it is.
    """
    workload, used = case.workload, (samples.total("user_ns"), samples.total("system_ns"))
    reads = workload.operation == "read" and workload.medium == "file"
    elapsed = float(samples.ns.sum() + samples.prelude_ns.sum())
    if not reads or case.conditions.cache != "warm" or None in used:
        return None
    ticks = sum(each or 0.0 for each in used) / TICK_NS
    most = (ticks + 2 * math.sqrt(max(ticks, 1.0))) * TICK_NS
    if elapsed < _FEW_TICKS * TICK_NS or 1 - most / elapsed < _MOSTLY:
        return None
    of_machine = samples.total("busy_ns"), samples.total("steal_ns")
    if None in of_machine or cores is None:
        return None
    if sum(each or 0.0 for each in of_machine) > _ALL_BUT * cores * elapsed:
        return None
    moved = samples.total("read_bytes"), samples.total("write_bytes")
    return Waiting(1 - ticks * TICK_NS / elapsed, not_for_device=moved == (0, 0))


def _totals(
    samples: SampleColumns, case: Case, own: Mapping[str, OwnCalls]
) -> tuple[dict[str, float | None], bool]:
    """The totals of all counters, without what is ours and what the kernel did not count; and
    whether it counted no calls.
    """
    totals = {each.name: samples.total(each.name) for each in COUNTERS}
    every = int(samples.operations.sum()) + int(samples.prelude.sum())
    workload, uncounted = case.workload, False
    by_calls = workload.medium == "file" and bool(case.bytes_per_operation)
    for calls, moved, ours, does in (
        ("syscr", "rchar", samples.request_bytes, workload.operation != "write"),
        ("syscw", "wchar", samples.reply_bytes, workload.operation != "read"),
    ):
        number, length = totals[calls], totals[moved]
        if number is not None and length is not None:
            number = max(0, number - own[calls].mean * len(samples))
            length = max(0, length - int(ours.sum()))
            unsure = own[calls].spread * len(samples)
            if unsure > max(_NEXT_TO_NONE * every, _EXACT_ENOUGH * number):
                number = None
        if by_calls and does and number is not None and number < _NEXT_TO_NONE * every:
            number, length, uncounted = None, None, True
        totals[calls], totals[moved] = number, length
    user, system = totals["user_ns"], totals["system_ns"]
    if user is not None and system is not None and user + system < _FEW_TICKS * TICK_NS:
        totals["user_ns"] = totals["system_ns"] = None
    return totals, uncounted


def _over(value: float | None, of: float | None) -> float | None:
    return None if value is None or not of else value / of


_OF_SAMPLES = {each.name: each for each in FIGURES if each.rule != "compute_only"}


@dataclass(frozen=True)
class ComputeTime:
    """The work of a case that is not I/O, measured alone by its compute-only variant: ns per
    operation, and the share of the case's time.
    """

    ns_per_op: Interval
    share: Interval


def compute(run: Run, data: GroupData) -> dict[int, ComputeTime]:
    """By case. A compute-only variant works on a small payload; its time is taken to grow with the
    size.
    """
    found: dict[int, list[tuple[float, float]]] = {}
    complete = run.complete_replicates
    rows = {replicate: row for row, replicate in enumerate(data.replicates)}
    # Of all replicates at once: a large run has thousands.
    levels = quantiles.median(data.log_ns, axis=1)
    for record in run.compute_only:
        row = rows.get(record.replicate)
        if record.replicate_id not in complete or row is None:
            continue
        for case in set(record.cases) & set(data.group.cases):
            level = float(levels[row, data.column(case)])
            if math.isnan(level):
                continue
            scale = run.plan.cases[case].bytes_per_operation / record.size
            alone = math.log(record.ns_per_op * scale)
            found.setdefault(case, []).append((alone, level))
    result = {}
    for case, values in found.items():
        alone_of = np.array([[alone] for alone, _ in values])
        share = np.array([[alone - level] for alone, level in values])
        result[case] = ComputeTime(intervals.summary(alone_of), intervals.summary(share))
    return result
