"""Run → Report: everything that outputs show, computed once, without any formatting of tables or
pages.

Outputs render a Report and compute nothing. Numbers are ns, bytes, fractions and ratios time(case)
/ time(reference).
"""

from __future__ import annotations

import os
import statistics
from collections import defaultdict
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from iogauge.analysis import analysis, disturbance, forks
from iogauge.analysis.analysis import CaseEvidence, GroupData, OtherWork
from iogauge.analysis.disturbance import Disturbance
from iogauge.analysis.forks import Forks
from iogauge.model.case import Case
from iogauge.model.strategy import ParameterRole
from iogauge.model.units import significant, size
from iogauge.model.workload import Conditions, Workload
from iogauge.planning import ceilings
from iogauge.planning.ceilings import Ceiling
from iogauge.runfile.runfile import Run
from iogauge.runfile.samples import Table
from iogauge.statistics import stats
from iogauge.statistics.stats import Comparison, Interval, Judgement

_THREADS = min(
    4, os.cpu_count() or 1
)  # NumPy lets others work while it does; each holds the samples of a case
_MOST_SHARE = 0.005  # of what is measured, that clock and loop may take


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
class CaseReport:
    case: Case
    rank_set: str  # the set in which it is to be the best: its language, or language and runtime
    title: str  # how a programmer would call the strategy
    effort: int
    roles: dict[str, ParameterRole]  # of the parameters
    replicates: int
    samples: int
    voids: int
    ns_per_op: Interval | None
    bytes_per_s: Interval | None
    latency: Latency | None
    vs_baseline: Comparison | None
    vs_best: Comparison | None  # of its set; None for the best itself
    vs_best_key: (
        str | None
    )  # which case that comparison is with: one that was decided earlier keeps its best
    is_best: bool
    settled: bool
    evidence: CaseEvidence | None
    other_work: OtherWork | None
    of_ceiling: Interval | None  # its speed over that of the ceiling for as many threads
    impossible: bool  # surely faster than that
    forks: Forks | None
    caveats: tuple[str, ...]
    failure: str | None  # of the case, or that none of its samples is valid

    @property
    def threads(self) -> int:
        """With how many threads the case works."""
        return self.value("parallel") or 1

    def value(self, role: ParameterRole) -> int | None:
        """The value of the parameter with this role, or None where there is none."""
        values = self.case.parameters
        return next((values[name] for name in values if self.roles.get(name) == role), None)


@dataclass(frozen=True)
class Across:
    """One variant on two runtimes: `comparison` is time(case) / time(reference)."""

    case: Case
    reference: Case
    comparison: Comparison


@dataclass(frozen=True)
class GroupReport:
    """One question and its answer. `cases` are sorted fastest of its set first, failed ones last;
    the twin is not among them.
    """

    id: str
    question: str
    title: str
    workload: Workload
    conditions: Conditions
    baseline: str  # key
    cases: tuple[CaseReport, ...]
    sets: tuple[str, ...]  # that of the best of all first
    best_of: dict[str, CaseReport]  # by set
    vs_overall: dict[
        str, Comparison | None
    ]  # by set, its best against the best of all; None for that one
    across: tuple[Across, ...]
    ceiling: Ceiling | None  # for one thread
    ceiling_of_threads: Ceiling | None  # for as many as work best
    replicates: int
    precision: float
    noise_floor: float | None
    twin: Comparison | None
    twin_failure: str | None
    suspended: bool
    provisional: bool  # the run is not over: standings, no verdicts
    undecided: int  # comparisons about which more replicates could say something
    replicates_needed: int | None
    seconds_needed: float | None
    resident_before: (
        tuple[float, float] | None
    )  # smallest and largest share observed before valid samples
    samples: int
    voids: int
    data: GroupData  # what all this rests on,
    judgement: Judgement  # and how it was judged

    @property
    def has_verdicts(self) -> bool:
        """Not where its twin differs from its baseline, nor where one of these is faster than the
        machine.
        """
        return not self.suspended and len(self.data.unusable) < len(self.data.group.cases)


@dataclass(frozen=True)
class Report:
    run: Run
    groups: tuple[GroupReport, ...]
    disturbance: Disturbance
    caveats: tuple[str, ...]

    @property
    def failures(self) -> int:
        """Cases that failed, A/A twins among them."""
        reasons = [
            reason
            for group in self.groups
            for reason in (group.twin_failure, *(case.failure for case in group.cases))
        ]
        return sum(1 for reason in reasons if reason)


def make(run: Run) -> Report:
    """The report of a run, also of one that is not over."""
    data = analysis.all_data(run)
    table = run.table
    valid = analysis.by_case(run)
    voids: dict[int, list[str]] = defaultdict(list)
    for row in np.flatnonzero(table.void):
        voids[int(table.case[row])].append(table.reasons[table.void[row] - 1])
    with (
        ThreadPoolExecutor(_THREADS) as of_cases,
        ThreadPoolExecutor(_THREADS) as threads,
    ):  # two, as those of groups wait for those of their cases
        observed = threads.submit(disturbance.observe, run, data)
        groups = tuple(
            threads.map(
                lambda index: _group(run, index, data[index], valid, voids, run.complete, of_cases),
                range(len(data)),
            )
        )
        disturbed = observed.result()
    return Report(run, groups, disturbed, (*_run_caveats(run), *disturbance.caveats(disturbed)))


def _group(
    run: Run,
    index: int,
    data: GroupData,
    valid: list[np.ndarray],
    voids: dict[int, list[str]],
    over: bool,
    threads: Executor,
) -> GroupReport:
    plan, group = run.plan, data.group
    judgement = analysis.judge(plan, data, last=over)
    sets = analysis.languages(plan, group)
    others = analysis.other_work(run, data)
    beside = None if plan.published else forks.others(data)
    columns = [column for column in range(len(group.cases)) if group.cases[column] != group.twin]
    cases = sorted(
        threads.map(
            lambda column: _case(
                run, data, judgement, column, sets[column], valid, voids, others, beside
            ),
            columns,
        ),
        key=_rank,
    )
    best_of = {each.rank_set: each for each in cases if each.is_best}
    first = sets[judgement.best] if judgement.best is not None else None
    order = sorted(best_of, key=lambda name: (name != first, best_of[name].ns_per_op.center))
    undecided = analysis.open_comparisons(judgement) if judgement.live or over else []
    needed = analysis.replicates_to_decide(plan, judgement) if undecided else None
    used = np.concatenate([valid[case] for case in group.cases])
    shares = run.table.resident_before[used]
    shares = shares[~np.isnan(shares)]
    return GroupReport(
        id=group.id,
        question=group.question,
        title=group.title,
        workload=group.workload,
        conditions=group.conditions,
        baseline=plan.cases[group.baseline].key,
        cases=tuple(cases),
        sets=tuple(order),
        best_of=best_of,
        vs_overall=dict(judgement.versus_overall),
        across=tuple(
            Across(
                plan.cases[group.cases[each.case]], plan.cases[group.cases[each.reference]], each
            )
            for each in analysis.across_runtimes(plan, data, judgement)
        ),
        ceiling=ceilings.of_group(run, group, 1),
        ceiling_of_threads=ceilings.of_group(run, group),
        replicates=len(data.replicates),
        precision=plan.precision,
        noise_floor=judgement.noise_floor,
        twin=judgement.twin,
        twin_failure=None if group.twin is None else _failure(run, group.twin, valid, voids),
        suspended=judgement.suspended,
        provisional=not over and not judgement.done,
        undecided=len(undecided),
        replicates_needed=needed,
        seconds_needed=_seconds_needed(run, index, len(data.replicates), needed),
        resident_before=(float(shares.min()), float(shares.max())) if len(shares) else None,
        samples=len(used),
        voids=sum(len(voids[case]) for case in group.cases),
        data=data,
        judgement=judgement,
    )


def _case(
    run: Run,
    data: GroupData,
    judgement: Judgement,
    column: int,
    rank_set: str,
    valid: list[np.ndarray],
    voids: dict[int, list[str]],
    others: dict[int, OtherWork],
    beside: forks.Others | None,
) -> CaseReport:
    number = data.group.cases[column]
    case = run.plan.cases[number]
    strategy = next(each for each in run.header.runtimes if each.name == case.runtime).strategies[
        case.strategy
    ]
    samples = run.table.take(valid[number])
    level = (
        stats.summary(data.log_ns[:, :, column], blur=float(data.blur[column]))
        if len(samples)
        else None
    )
    evidence = analysis.case_evidence(samples, case) if len(samples) else None
    caveats = []
    if voids[number]:
        caveats.append(
            f"{len(voids[number])} of {len(samples) + len(voids[number])} samples void: {voids[number][0]}"
        )
    seen = forks.of_case(samples, beside, column) if len(samples) and beside else None
    caveats += forks.caveats(seen) if seen else []
    caveats += _harness_caveats(run, case, samples)
    caveats += _own_caveats(run, case)
    if (
        case.workload.accesses
        and evidence
        and (evidence.device_read_bytes_per_op or 0) > 2 * case.bytes_per_operation
    ):
        caveats.append(
            f"the device read {size(round(evidence.device_read_bytes_per_op))} per operation for the "
            f"{size(case.bytes_per_operation)} asked for: read-ahead works for it, or against it in a larger file"
        )
    if strategy.needs.memory_per_file_byte and evidence and case.conditions.cache != "cold":
        collections = evidence.gc_count_per_sample
        if collections is not None and collections < run.header.method.collections_per_sample:
            caveats.append(
                f"{_so_many(collections)}: how much of their cost a sample bears is chance"
            )
    share = data.of_ceiling[column]
    if column in data.impossible:
        caveats.append(_impossible(share, case, evidence))
    elif share and share.center > analysis.CLEARS:
        caveats.append(
            f"{significant(share.center)} times as fast as its ceiling, in {share.n} replicates: too few to tell whether it, or the ceiling, is wrong"
        )
    vs_best = judgement.versus_language[column]
    return CaseReport(
        case=case,
        rank_set=rank_set,
        title=strategy.title,
        effort=strategy.effort,
        roles=strategy.roles,
        replicates=int(np.isfinite(data.log_ns[:, :, column]).any(axis=1).sum()),
        samples=len(samples),
        voids=len(voids[number]),
        ns_per_op=level,
        bytes_per_s=_bytes_per_second(level, case.bytes_per_operation),
        latency=_latency(samples),
        vs_baseline=judgement.versus_baseline[column],
        vs_best=vs_best,
        vs_best_key=run.plan.cases[data.group.cases[vs_best.reference]].key if vs_best else None,
        is_best=judgement.best_of.get(rank_set) == column,
        settled=column in judgement.settled,
        evidence=evidence,
        other_work=others.get(number),
        of_ceiling=data.of_ceiling[column],
        impossible=column in data.impossible,
        forks=seen,
        caveats=tuple(caveats),
        failure=_failure(run, number, valid, voids),
    )


def _failure(
    run: Run, case: int, valid: list[np.ndarray], voids: dict[int, list[str]]
) -> str | None:
    """Why there is nothing to report of a case: it failed, or all of its samples are void."""
    reason = run.failed().get(case)
    if reason is None and voids[case] and not len(valid[case]):
        return f"no valid sample: {voids[case][0]}"
    return reason


def _rank(case: CaseReport) -> tuple[float, float]:
    """By how far behind the best of its set (pairs are more exact than levels), then by level; the
    unmeasured last.
    """
    if case.ns_per_op is None:
        return float("inf"), float("inf")
    behind = 0.0 if case.is_best else case.vs_best.center if case.vs_best else 1.0
    return behind, case.ns_per_op.center


def _bytes_per_second(level: Interval | None, length: int) -> Interval | None:
    if level is None or not length:
        return None
    per_second = [
        length * 1e9 / ns if ns > 0 else float("inf") for ns in (level.center, level.hi, level.lo)
    ]
    return Interval(*per_second, level.n)


def _latency(samples: Table) -> Latency | None:
    if not len(samples) or (samples.span_operations != 1).any():
        return None
    slowest = float(samples.span_ns.max())
    of_spans = (stats.percentile(samples.span_ns, p) for p in (0.5, 0.95, 0.99))
    return Latency(
        *of_spans, int(slowest) if slowest.is_integer() else slowest, len(samples.span_ns)
    )


def _so_many(collections: float) -> str:
    if collections < 1:
        return "a sample often ends before there is a garbage collection"
    return f"a sample has only about {significant(collections, 2)} garbage collections in it"


def _harness_caveats(run: Run, case: Case, samples: Table) -> list[str]:
    """Where the clock, or the loop around the operations, is not far below what is measured."""
    if not len(samples):
        return []
    says = []
    resolution = next(
        each for each in run.header.runtimes if each.name == case.runtime
    ).clock_resolution_ns
    shortest = float(samples.span_ns.min())
    if 2 * resolution > _MOST_SHARE * shortest:
        says.append(
            f"two readings of the clock ({resolution} ns each) are {2 * resolution / shortest:.1%} of its shortest span"
        )
    per_op = float(np.median(samples.levels))
    for cost in (
        each
        for each in run.harness
        if (each["runtime"], tuple(each["options"])) == (case.runtime, case.options)
    ):
        own = statistics.median(
            ns / done for ns, done in zip(cost["ns"], cost["operations"], strict=True)
        )
        if own > _MOST_SHARE * per_op:
            says.append(
                f"the loop around it takes {own:.1f} ns, {own / per_op:.1%} of an operation"
            )
    return says


def _impossible(share: Interval, case: Case, evidence: CaseEvidence) -> str:
    """What must be wrong with a case that is faster than the machine can be. No verdict rests on
    it.
    """
    says = f"{share.center:.3g} ({share.lo:.3g}–{share.hi:.3g}) times as fast as its ceiling: no verdict rests on it"
    device, moved = (
        evidence.device_read_bytes_per_op,
        evidence.read_calls_per_op and evidence.bytes_per_read_call,
    )
    called = (
        evidence.read_calls_per_op * evidence.bytes_per_read_call
        if moved and case.workload.operation == "read"
        else None
    )
    reasons = []
    if (
        case.conditions.cache == "cold"
        and device is not None
        and device < 0.9 * case.bytes_per_operation
    ):
        reasons.append("its bytes did not come from the device")
    elif case.conditions.waits_for_device:
        reasons.append("the device, or the host's cache, was faster for it")
    if case.workload.content == "sparse":
        reasons.append("a sparse file has nothing to read")
    if (
        called is not None
        and called < 0.9 * case.bytes_per_operation
        and case.workload.medium == "file"
    ):
        reasons.append(
            f"its calls read {size(round(called))} of {size(case.bytes_per_operation)}; the rest was mapped, or not touched"
        )
    if case.workload.operation == "read" and evidence.uncounted:
        reasons.append("the kernel counted no calls, so what it looked at is not known")
    if case.conditions.cache != "cold":
        reasons.append("its data were still in the processor's cache")
    reasons += ["it took longer than it says", "or the ceiling is wrong"]
    return f"{says}; {', '.join(reasons)}"


def _own_caveats(run: Run, case: Case) -> list[str]:
    return list(dict.fromkeys(each["text"] for each in run.caveats if each["about"] == case.key))


def _seconds_needed(run: Run, index: int, done: int, needed: int | None) -> float | None:
    """How much longer it would take until so many replicates are there; the last ones show what one
    costs.
    """
    costs = [record["seconds"] for record in run.replicates if index in record["groups"]][-3:]
    if needed is None or not costs:
        return None
    return max(0, needed - done) * sum(costs) / len(costs)


def _run_caveats(run: Run) -> list[str]:
    keys = {case.key for case in run.plan.cases}
    said: dict[str, int] = defaultdict(int)
    for each in run.caveats:
        if each["about"] not in keys:
            said[
                each["text"] if each["about"] == "run" else f"{each['about']}: {each['text']}"
            ] += 1
    says = [text + (f" ({times} times)" if times > 1 else "") for text, times in said.items()]
    says += _shortened(run)
    if not run.ends:
        says.append("the run was cut short: these are standings, no verdicts")
    elif run.ends[-1]["reason"] == "interrupted":
        says.append("the run was interrupted: these are standings, no verdicts")
    elif (
        run.ends[-1]["reason"] == "budget"
        and run.seconds > 1.2 * run.plan.budget
        and all(each["replicate"] == 0 for each in run.replicates)
    ):
        says.append("the budget was shorter than one replicate of everything takes")
    return says


def _shortened(run: Run) -> list[str]:
    """Where the budget left a published procedure fewer operations than its authors counted."""
    taken: dict[tuple[str, int], list[int]] = defaultdict(list)
    for sample in run.samples if run.plan.published and not run.plan.published.iteration else ():
        group = run.plan.groups[sample["group"]]
        taken["untimed", run.plan.published.untimed].append(sample["untimed"])
        taken["timed", group.operations].append(sum(sample["operations"]))
    says = []
    for (what, published), counts in taken.items():
        fewer = [count for count in counts if count < published]
        if fewer:
            least, most = min(fewer), max(fewer)
            so_many = f"{least} to {most}" if least < most else f"{least}"
            operations = "operation" if most == 1 else "operations"
            says.append(
                f"{so_many} {what} {operations} instead of {published} in {len(fewer)} of {len(counts)} spans, to fit the budget"
            )
    return says
