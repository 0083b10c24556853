"""A run's samples → per group the array that statistics work on, the judgement, and the evidence
per case. No printing.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from iogauge.host.evidence import TICK_NS
from iogauge.model.case import Case
from iogauge.model.plan import Group, Plan
from iogauge.planning import ceilings
from iogauge.runfile.runfile import Run
from iogauge.runfile.samples import Table
from iogauge.statistics import stats
from iogauge.statistics.stats import Comparison, Interval, Judgement

# A request costs the runner one read and its reply one write (docs/wire.md), which is no work of
# the strategy.
_REQUEST_READS = 1
# calls per operation: who reads or writes a file by calls makes one at least; a runtime reads for
# itself now and then
_NEXT_TO_NONE = 0.5
_FEW_TICKS = 20  # of the clock that the kernel counts processor time by: fewer say nothing of it
_SURELY = 0.01  # the error of calling a case impossible
CLEARS = 1.10  # times the ceiling: what is surely above it is wrong, or the ceiling is
# Cold reads of one case were seen to spread 2 to 5 times, for several replicates on end: twice as
# slow proves nothing there, nor where operations wait for a device to have written.
_UNSTEADY_SETTLING_RATIO = 5.0
_CONTENDING, _CONTENDING_UNSTEADY = (
    1.5,
    2.0,
)  # times the best so far, a replicate or two: what is slower is not likely to be the best


@dataclass(frozen=True)
class GroupData:
    """The samples of a group that estimates rest on.

    `log_ns` has shape (replicates, rounds, cases): the log of ns per operation, NaN where nothing
    (valid) was measured. Its columns are `group.cases` in order; parts of a replicate that was cut
    follow one another as further rounds. `position`, of the same shape, is the place of each in its
    round, from 0. As published, a replicate has one round: the mean over the iterations, by the
    publication's clock. `blur`, shape (cases,), is by how much that clock may have got every one of
    them wrong: half a tick of its span, as a log. `of_ceiling` is each case's speed as a share of
    the ceiling's for as many threads, over the replicates in which both were measured; None where
    nothing is known. `impossible` are the columns of those that are surely above it (99 %, as
    several looks are taken at many cases): nothing may rest on them.
    """

    group: Group
    log_ns: np.ndarray
    position: np.ndarray
    replicates: tuple[int, ...]
    blur: np.ndarray
    of_ceiling: tuple[Interval | None, ...]
    impossible: tuple[int, ...]

    @property
    def nearest_to_impossible(self) -> tuple[float, float]:
        """Of the cases that are still measured, of which more replicates of the ceiling might tell
        that they are impossible, the largest share and upper bound; zeros without any.
        """
        last = np.isfinite(self.log_ns[-1]).any(axis=0) if len(self.log_ns) else ()
        shares = [
            share
            for column, share in enumerate(self.of_ceiling)
            if share and last[column] and column not in self.impossible
        ]
        return max((each.center for each in shares), default=0.0), max(
            (each.hi for each in shares), default=0.0
        )

    @property
    def unusable(self) -> list[int]:
        """Columns that no comparison may use. Without its baseline and its twin a group has no
        noise floor, and none of its columns is of use.
        """
        impossible = list(self.impossible)
        pair = {self.column(self.group.baseline), self.twin}
        return list(range(len(self.group.cases))) if pair & set(impossible) else impossible

    def column(self, case: int) -> int:
        return self.group.cases.index(case)

    @property
    def twin(self) -> int | None:
        """The twin's column."""
        return None if self.group.twin is None else self.column(self.group.twin)

    def rounds_of(self, table: Table) -> np.ndarray:
        """The round of each sample among those of all parts of its replicate, shape (n,)."""
        return table.part * self.group.rounds + table.round


def all_data(run: Run) -> list[GroupData]:
    """The array of every group, from the complete replicates that measured it; in one pass over the
    samples.
    """
    plan = run.plan
    rows: list[dict[int, int]] = [{} for _ in plan.groups]  # replicate → row
    for record in run.replicates:
        for group in record["groups"]:
            rows[group].setdefault(record["replicate"], len(rows[group]))
    tick = plan.published.clock * 1e9 if plan.published else 0.0
    table = run.table
    by_group = _by(table.group, np.flatnonzero(run.used()), len(plan.groups))
    data = []
    for index, group in enumerate(plan.groups):
        found = by_group[index]
        row = places(table.replicate[found], list(rows[index]))
        found, row = found[row >= 0], row[row >= 0]
        column, place, ns = (
            places(table.case[found], group.cases),
            table.part[found] * group.rounds + table.round[found],
            table.ns[found],
        )
        if (column < 0).any() or not ((ns > 0) & (table.operations[found] > 0)).all():
            raise ValueError(f"{group.id} has a sample of another group, or one that took no time")
        if tick:
            ns = (
                np.maximum(np.round(ns / tick), 0.5) * tick
            )  # half a tick where it would say nothing
        rounds = int(place.max(initial=group.rounds - 1)) + 1
        log_ns, position = (
            np.full((len(rows[index]), rounds, len(group.cases)), np.nan) for _ in range(2)
        )
        log_ns[row, place, column] = np.log(ns / table.operations[found])
        position[row, place, column] = table.position[found]
        if plan.published:
            log_ns, position = _mean_of_iterations(log_ns, plan), position[:, :1]
        blur = (
            [_blur(tick, ns[column == each]) for each in range(len(group.cases))]
            if tick
            else [0.0] * len(group.cases)
        )
        data.append(
            GroupData(
                group,
                log_ns,
                position,
                tuple(rows[index]),
                np.array(blur),
                *_of_ceiling(run, group, log_ns, tuple(rows[index])),
            )
        )
    return data


def places(values: np.ndarray, of: Sequence[int]) -> np.ndarray:
    """The place of each value in a sequence of different ones, shape (n,); -1 where it is not in
    it.
    """
    order = np.argsort(of)
    known = np.array(of, dtype=np.int64)[order]
    found = np.searchsorted(known, values)
    inside = np.minimum(found, len(known) - 1)
    return (
        np.where(known[inside] == values, order[inside], -1)
        if len(known)
        else np.full(len(values), -1)
    )


def _by(keys: np.ndarray, rows: np.ndarray, count: int) -> list[np.ndarray]:
    """Rows by their keys 0 … count - 1, each in their order. Raises LookupError for another key."""
    if len(rows) and int(keys[rows].max()) >= count:
        raise LookupError(f"a sample of number {int(keys[rows].max())} of {count}")
    ordered = rows[np.argsort(keys[rows], kind="stable")]
    return np.split(ordered, np.searchsorted(keys[ordered], np.arange(1, count)))


def by_case(run: Run) -> list[np.ndarray]:
    """The rows of the run's table that estimates rest on, for each case of the plan."""
    return _by(run.table.case, np.flatnonzero(run.used()), len(run.plan.cases))


def _blur(tick: float, spans: np.ndarray) -> float:
    """By how much a log may be off, downwards at most: half a tick of the span. A span of one tick
    or less may have been any.
    """
    return -math.log1p(-min(tick / 2 / float(np.median(spans)), 0.9)) if len(spans) else 0.0


def _of_ceiling(
    run: Run, group: Group, log_ns: np.ndarray, replicates: tuple[int, ...]
) -> tuple[tuple[Interval | None, ...], tuple[int, ...]]:
    """Shares by column, and the columns of those that are impossible."""
    by_threads: dict[int, ceilings.Ceiling | None] = {}
    shares: list[Interval | None] = []
    impossible = []
    levels = stats.median(log_ns, axis=1)  # shape (R, C)
    for column, case in enumerate(group.cases):
        threads = ceilings.threads_of(run, case)
        if threads not in by_threads:
            by_threads[threads] = ceilings.of_group(run, group, threads)
        ceiling = by_threads[threads]
        both = [
            row
            for row, replicate in enumerate(replicates)
            if ceiling and replicate in ceiling.log_ns and not np.isnan(levels[row, column])
        ]
        pairs = [ceiling.log_ns[replicates[row]] - float(levels[row, column]) for row in both]
        shares.append(stats.summary(np.array(pairs)) if pairs else None)
        if pairs and stats.summary(np.array(pairs), _SURELY).lo > CLEARS:
            impossible.append(column)
    return tuple(shares), tuple(impossible)


def _mean_of_iterations(log_ns: np.ndarray, plan: Plan) -> np.ndarray:
    """What the authors would have printed: shape (R, 1, C), the log of the arithmetic mean."""
    known = np.isfinite(log_ns)
    total = np.where(known, np.exp(log_ns), 0.0).sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(total / known.sum(axis=1, keepdims=True))


def levels(run: Run, group: int) -> dict[int, float]:
    """Median ns per operation by case over all valid samples of a group, also those of a replicate
    that is not complete.
    """
    table = run.table
    rows = np.flatnonzero((table.group == group) & (table.void == 0))
    return {
        int(case): float(np.median(table.levels[rows[table.case[rows] == case]]))
        for case in np.unique(table.case[rows])
    }


def languages(plan: Plan, group: Group) -> list[str]:
    """Per case the set in which it is to be the best: its language, and its runtime (with options)
    where one language has several.
    """
    settings: dict[str, set[str]] = {}
    for case in group.cases:
        settings.setdefault(plan.cases[case].language, set()).add(plan.cases[case].setting)
    labels = []
    for case in group.cases:
        language, setting = plan.cases[case].language, plan.cases[case].setting
        labels.append(f"{language} on {setting}" if len(settings[language]) > 1 else language)
    return labels


def judge(plan: Plan, data: GroupData, *, last: bool) -> Judgement:
    """stats.judge on a group's array; cases in the result are columns of the array."""
    group, log_ns = data.group, data.log_ns.copy()
    log_ns[:, :, data.unusable] = np.nan
    return stats.judge(
        log_ns,
        baseline=data.column(group.baseline),
        twin=data.twin,
        languages=languages(plan, group),
        precision=plan.precision,
        last=last,
        settling_ratio=_settling_ratio(plan, group),
        blur=data.blur,
    )


def _settling_ratio(plan: Plan, group: Group) -> float:
    if plan.published or group.to_the_end:
        return math.inf
    return _UNSTEADY_SETTLING_RATIO if group.conditions.waits_for_device else stats.SETTLING_RATIO


def contenders(plan: Plan, data: GroupData) -> list[int]:
    """The cases that may be the best of their language, as far as the replicates so far tell, and
    those that the noise floor needs. No claim rests on it. All, where nothing may be left out.
    """
    if plan.published or data.group.to_the_end:
        return list(data.group.cases)
    far = math.log(_CONTENDING_UNSTEADY if data.group.conditions.waits_for_device else _CONTENDING)
    by_language = np.array(languages(plan, data.group))
    levels = stats.median(stats.median(data.log_ns, axis=1), axis=0)  # shape (C,)
    levels[data.unusable] = np.nan
    kept = {data.group.baseline, data.group.twin}
    for language in set(by_language.tolist()):
        of_language = np.flatnonzero((by_language == language) & np.isfinite(levels))
        kept |= {
            data.group.cases[column]
            for column in of_language
            if levels[column] <= levels[of_language].min() + far
        }
    return [case for case in data.group.cases if case in kept]


def across_runtimes(plan: Plan, data: GroupData, judgement: Judgement) -> list[Comparison]:
    """Each variant on a further runtime against the same variant on the first one that has it;
    columns of the array.
    """
    first: dict[str, int] = {}
    found = []
    for column, number in enumerate(data.group.cases):
        case = plan.cases[number]
        if number == data.group.twin or column in data.unusable:
            continue
        reference = first.setdefault(case.variant, column)
        if reference != column:
            baseline, blur = (
                data.column(data.group.baseline),
                float(data.blur[column] + data.blur[reference]),
            )
            found.append(
                stats.compare(
                    data.log_ns, column, reference, baseline, judgement, plan.precision, blur
                )
            )
    return [each for each in found if each]


@dataclass(frozen=True)
class CaseEvidence:
    """What the kernel and the runtime did for one operation of a case, on average over its valid
    samples; None = not known.
    """

    samples: int
    operations: int
    read_calls_per_op: float | None
    write_calls_per_op: float | None
    bytes_per_read_call: float | None
    bytes_per_write_call: float | None
    device_read_bytes_per_op: float | None
    device_write_bytes_per_op: float | None  # of the whole device, whoever wrote
    device_writes_per_op: float | None
    device_flushes_per_op: float | None
    dirtied_bytes_per_op: float | None  # by the process, in the page cache
    resident_before: float | None
    user_ns_per_op: float | None
    system_ns_per_op: float | None
    minor_faults_per_op: float | None
    major_faults_per_op: float | None
    context_switches_per_op: float | None
    allocated_bytes_per_op: float | None
    gc_ns_per_op: float | None
    gc_count_per_sample: float | None
    peak_rss_bytes: int | None
    elapsed_ns_per_op: float | None  # of the same operations as all that the kernel counts
    uncounted: bool  # the kernel counts no calls for the way in which it reads (writes)


def case_evidence(samples: Table, case: Case) -> CaseEvidence:
    """Totals over the samples of one case, per operation. The host's own request is taken out of
    calls and bytes read.

    The kernel counts the prelude's operations too; the runtime's counters are those of the spans
    that count. Where a file is read (written) with next to no calls, the kernel does not count how:
    the file is mapped, or requests go through a ring. Then calls are not known. Nor is the
    processor's time where only a few clock ticks were counted.
    """
    count, total = len(samples), samples.total
    operations = int(samples.operations.sum())
    every = operations + int(samples.prelude.sum())

    def per_op(value: float | None, of: int = every) -> float | None:
        return None if value is None or not of else value / of

    reads, read_bytes = total("syscr"), total("rchar")
    writes, write_bytes = total("syscw"), total("wchar")
    if reads is not None and read_bytes is not None:
        reads = max(0, reads - _REQUEST_READS * count)
        read_bytes = max(0, read_bytes - int(samples.request_bytes.sum()))
    if writes is not None and write_bytes is not None:
        writes = max(0, writes - count)
        write_bytes = max(0, write_bytes - int(samples.reply_bytes.sum()))
    uncounted = False
    if case.workload.medium == "file" and case.bytes_per_operation:
        if (
            case.workload.operation != "write"
            and reads is not None
            and reads < _NEXT_TO_NONE * every
        ):
            reads, read_bytes, uncounted = None, None, True
        if (
            case.workload.operation != "read"
            and writes is not None
            and writes < _NEXT_TO_NONE * every
        ):
            writes, write_bytes, uncounted = None, None, True
    user, system = total("user_ns"), total("system_ns")
    if user is not None and system is not None and user + system < _FEW_TICKS * TICK_NS:
        user = system = None
    collections = total("gc_count")
    resident = samples.resident_before[~np.isnan(samples.resident_before)]
    peaks = samples.counts("peak_rss_bytes")
    peaks = peaks[~np.isnan(peaks)]
    return CaseEvidence(
        samples=count,
        operations=operations,
        read_calls_per_op=per_op(reads),
        write_calls_per_op=per_op(writes),
        bytes_per_read_call=read_bytes / reads if reads and read_bytes is not None else None,
        bytes_per_write_call=write_bytes / writes if writes and write_bytes is not None else None,
        device_read_bytes_per_op=per_op(total("read_bytes")),
        device_write_bytes_per_op=per_op(total("written_bytes")),
        device_writes_per_op=per_op(total("writes")),
        device_flushes_per_op=per_op(total("flushes")),
        dirtied_bytes_per_op=per_op(total("write_bytes")),
        resident_before=float(resident.mean()) if len(resident) else None,
        user_ns_per_op=per_op(user),
        system_ns_per_op=per_op(system),
        minor_faults_per_op=per_op(total("minor_faults")),
        major_faults_per_op=per_op(total("major_faults")),
        context_switches_per_op=per_op(total("context_switches")),
        allocated_bytes_per_op=per_op(total("allocated_bytes"), operations),
        gc_ns_per_op=per_op(total("gc_ns"), operations),
        gc_count_per_sample=collections / count if collections is not None else None,
        peak_rss_bytes=int(peaks.max()) if len(peaks) else None,
        elapsed_ns_per_op=per_op(float(samples.ns.sum() + samples.prelude_ns.sum())),
        uncounted=uncounted,
    )


@dataclass(frozen=True)
class OtherWork:
    """The part of a case's operation that is no I/O, measured alone by its companion: ns per
    operation, and the share of the case's time.
    """

    companion: str
    ns_per_op: Interval
    share: Interval


def other_work(run: Run, data: GroupData) -> dict[int, OtherWork]:
    """By case. A companion works on a small payload; its time is taken to grow with the size."""
    group = data.group
    found: dict[int, list[tuple[str, float, float]]] = {}
    complete = run.complete_replicates
    rows = {replicate: row for row, replicate in enumerate(data.replicates)}
    levels = stats.median(
        data.log_ns, axis=1
    )  # of all at once: a large run has thousands of replicates
    for record in run.companions:
        row = rows.get(record["replicate"])
        if (
            record["bundle"],
            record["replicate"],
            record["attempt"],
        ) not in complete or row is None:
            continue
        for case in set(record["cases"]) & set(group.cases):
            level = float(levels[row, data.column(case)])
            if math.isnan(level):
                continue
            scale = run.plan.cases[case].bytes_per_operation / record["size"]
            alone = math.log(
                statistics.median(
                    ns / done for ns, done in zip(record["ns"], record["operations"], strict=True)
                )
                * scale
            )
            found.setdefault(case, []).append((record["strategy"], alone, level))
    result = {}
    for case, values in found.items():
        alone = np.array([[ns] for _, ns, _ in values])
        share = np.array([[ns - level] for _, ns, level in values])
        result[case] = OtherWork(values[0][0], stats.summary(alone), stats.summary(share))
    return result


def replicates_to_decide(plan: Plan, judgement: Judgement | None) -> int | None:
    """In all, until every comparison of a group is likely decided or as precise as asked; None when
    that cannot be said.

    Nothing is decided before the first look, so until then it is at least that.
    """
    first = stats.LOOKS[0]
    if judgement is None:
        return first
    needed = [
        stats.replicates_needed(each, plan.precision, judgement.comparisons, judgement.noise_floor)
        for each in open_comparisons(judgement)
    ]
    if judgement.replicates < first:
        return max([first, *(each for each in needed if each)]) if needed else 0
    return None if None in needed else max(needed, default=0)


def open_comparisons(judgement: Judgement) -> list[Comparison]:
    """Those of a group about which more replicates could still say something; each pair once."""
    every = (
        *judgement.versus_baseline,
        *judgement.versus_language,
        *judgement.versus_overall.values(),
    )
    twin = judgement.twin
    still = [
        each for each in every if each and not each.final and not (twin and each.case == twin.case)
    ]
    return list({frozenset((each.case, each.reference)): each for each in still}.values())
