"""The samples of each group as the array that statistics work on."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from iogauge.analysis import ceilings
from iogauge.model.plan import Group
from iogauge.runfile.arrays import Floats, Ints
from iogauge.runfile.columns import SampleColumns
from iogauge.runfile.run import Run
from iogauge.statistics import quantiles
from iogauge.statistics.intervals import Interval

_FEWEST_TO_PACE = 3  # cases


@dataclass(frozen=True)
class GroupData:
    """The samples of a group that estimates rest on.

    `log_ns` has shape (replicates, rounds, cases): the log of ns per operation, NaN where nothing
    valid was measured. Its columns are `group.cases` in order. The parts of a replicate that was
    cut follow one another as further rounds. `position`, of the same shape, is the place of each
    sample in its round, from 0. As published, a replicate has one round: the mean over the
    iterations, by the publication's clock.

    `clock_error`, shape (cases,), is by how much that clock may have got every sample of a case
    wrong: half a tick of its span, as a log. `of_ceiling` is each case's speed as a share of the
    ceiling's for as many threads, over the replicates in which both were measured; None where
    nothing is known. `impossible` are the columns of cases that are surely above their ceiling, at
    99 % because several looks are taken at many cases: nothing may rest on them.
    """

    group: Group
    log_ns: Floats
    position: Floats
    replicates: tuple[int, ...]
    clock_error: Floats
    of_ceiling: tuple[Interval | None, ...]
    impossible: tuple[int, ...]

    @property
    def nearest_to_impossible(self) -> tuple[float, float]:
        """The largest share of the ceiling and the largest upper bound of one, among the cases that
        are still measured and not impossible yet: more replicates of the ceiling might tell that
        they are. Zeros without any.
        """
        last = np.isfinite(self.log_ns[-1]).any(axis=0) if len(self.log_ns) else ()
        shares = [
            share
            for column, share in enumerate(self.of_ceiling)
            if share and last[column] and column not in self.impossible
        ]
        largest = max((each.center for each in shares), default=0.0)
        return largest, max((each.hi for each in shares), default=0.0)

    @property
    def unusable(self) -> list[int]:
        """Columns that no comparison may use. Without its baseline and its control a group has no
        noise floor, and none of its columns is of use.
        """
        impossible = list(self.impossible)
        pair = {self.column(self.group.baseline), self.control}
        return list(range(len(self.group.cases))) if pair & set(impossible) else impossible

    def column(self, case: int) -> int:
        return self.group.cases.index(case)

    @property
    def control(self) -> int | None:
        """The control's column."""
        return None if self.group.control is None else self.column(self.group.control)

    @property
    def pace(self) -> float | None:
        """How much longer the slowest round took than the fastest, all cases together: a round's
        time is the median of what its cases took compared with their usual times. None with one
        round, or with too few cases to tell the machine from a case.
        """
        if len(self.group.cases) < _FEWEST_TO_PACE or not len(self.log_ns):
            return None
        rounds = self.log_ns.reshape(-1, self.log_ns.shape[2])
        usual = quantiles.median(rounds, axis=0)
        paces = quantiles.median(rounds - usual, axis=1)
        paces = paces[np.isfinite(paces)]
        return math.exp(paces.max() - paces.min()) if len(paces) > 1 else None

    def rounds_of(self, samples: SampleColumns) -> Ints:
        """The round of each sample among those of all parts of its replicate, shape (n,)."""
        return _rounds(samples.part, samples.round, self.group)


def all_data(run: Run, unread: Collection[int] = ()) -> list[GroupData]:
    """The array of every group, from the complete replicates that measured it; in one pass over the
    samples. Cases that are `unread` have no data: they read nothing of the file.
    """
    replicates: list[dict[int, None]] = [{} for _ in run.plan.groups]  # each once, in order
    for record in run.replicates:
        for index in record.groups:
            replicates[index][record.replicate] = None
    used = run.used() & ~np.isin(run.columns.case, [*unread])
    by_group = _by(run.columns.group, np.flatnonzero(used), len(run.plan.groups))
    return [
        _data(run, group, tuple(replicates[index]), by_group[index])
        for index, group in enumerate(run.plan.groups)
    ]


def _data(run: Run, group: Group, replicates: tuple[int, ...], rows: Ints) -> GroupData:
    """Of the group whose samples are in these rows of the run's columns."""
    columns, published = run.columns, run.plan.published
    tick = published.clock * 1e9 if published else 0.0
    replicate = index_in(columns.replicate[rows], replicates)
    rows, replicate = rows[replicate >= 0], replicate[replicate >= 0]
    case = index_in(columns.case[rows], group.cases)
    place = _rounds(columns.part[rows], columns.round[rows], group)
    ns, operations = columns.ns[rows], columns.operations[rows]
    if (case < 0).any() or not ((ns > 0) & (operations > 0)).all():
        raise ValueError(f"{group.id} has a sample of another group, or one that took no time")
    if tick:
        # By the publication's clock; half a tick where it would say nothing.
        ns = np.maximum(np.round(ns / tick), 0.5) * tick
    rounds = int(place.max(initial=group.rounds - 1)) + 1
    shape = len(replicates), rounds, len(group.cases)
    log_ns, position = np.full(shape, np.nan), np.full(shape, np.nan)
    log_ns[replicate, place, case] = np.log(ns / operations)
    position[replicate, place, case] = columns.position[rows]
    if published:
        log_ns, position = _mean_of_iterations(log_ns), position[:, :1]
    clock_error = [
        _clock_error(tick, ns[case == each]) if tick else 0.0 for each in range(len(group.cases))
    ]
    of_ceiling, impossible = ceilings.shares(run, group, log_ns, replicates)
    return GroupData(
        group, log_ns, position, replicates, np.array(clock_error), of_ceiling, impossible
    )


def _rounds(part: Ints, number: Ints, group: Group) -> Ints:
    """The number of each round among those of all parts of a replicate."""
    return part * group.rounds + number


def index_in(values: Ints, of: Sequence[int]) -> Ints:
    """The index of each value in a sequence of different ones, shape (n,); -1 where it is not in
    it.
    """
    order = np.argsort(of)
    known = np.array(of, dtype=np.int64)[order]
    if not len(known):
        return np.full(len(values), -1)
    found = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.where(known[found] == values, order[found], -1)


def _by(keys: Ints, rows: Ints, count: int) -> list[Ints]:
    """Rows by their keys 0 … count - 1, each in their order. Raises LookupError for another key."""
    if len(rows) and int(keys[rows].max()) >= count:
        raise LookupError(f"a sample of number {int(keys[rows].max())} of {count}")
    ordered = rows[np.argsort(keys[rows], kind="stable")]
    return np.split(ordered, np.searchsorted(keys[ordered], np.arange(1, count)))


def by_case(run: Run) -> list[Ints]:
    """The rows of the run's columns that estimates rest on, for each case of the plan."""
    return _by(run.columns.case, np.flatnonzero(run.used()), len(run.plan.cases))


def _clock_error(tick: float, spans: Floats) -> float:
    """By how much a log may be off, at most downwards: half a tick of the span. A span of one tick
    or less may have been of any length.
    """
    return -math.log1p(-min(tick / 2 / float(np.median(spans)), 0.9)) if len(spans) else 0.0


def _mean_of_iterations(log_ns: Floats) -> Floats:
    """What the authors would have printed: shape (R, 1, C), the log of the arithmetic mean."""
    known = np.isfinite(log_ns)
    total = np.where(known, np.exp(log_ns), 0.0).sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.log(total / known.sum(axis=1, keepdims=True))
    return found
