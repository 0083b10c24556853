"""A run: its header and its records by kind, and which samples estimates rest on."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from iogauge.model.plan import Group, Plan, ReplicateId
from iogauge.runfile import columns, records
from iogauge.runfile.arrays import distinct, firsts, numbered
from iogauge.runfile.columns import SampleColumns
from iogauge.runfile.header import Header, KnownCeiling
from iogauge.runfile.records import Calibration, EndReason, Measured, Sample

LISTS: dict[type, str] = {
    records.Fork: "forks",
    records.Sample: "samples",
    records.CeilingSample: "ceilings",
    records.Round: "rounds",
    records.ComputeOnly: "compute_only",
    records.Harness: "harness",
    records.Failure: "failures",
    records.Caveat: "caveats",
    records.Replicate: "replicates",
    records.End: "ends",
    records.Budget: "budgets",
}
"""The list of a run that holds each kind of record."""


@dataclass
class Run:
    """A run from its file, or as it grows while it is measured.

    `replicates` are the complete ones. The samples of a replicate that was cut short are in
    `samples`, too, but they belong to none of `replicates`. Those of a large file are in `columns`
    only. `calibrations` are by case.
    """

    header: Header
    forks: list[records.Fork] = field(default_factory=list)
    calibrations: dict[int, Calibration] = field(default_factory=dict)
    samples: list[Sample] = field(default_factory=list)
    ceilings: list[records.CeilingSample] = field(default_factory=list)
    rounds: list[records.Round] = field(default_factory=list)
    compute_only: list[records.ComputeOnly] = field(default_factory=list)
    harness: list[records.Harness] = field(default_factory=list)
    failures: list[records.Failure] = field(default_factory=list)
    caveats: list[records.Caveat] = field(default_factory=list)
    replicates: list[records.Replicate] = field(default_factory=list)
    ends: list[records.End] = field(default_factory=list)
    budgets: list[records.Budget] = field(default_factory=list)
    under_way: bool = False
    """It is resumed after it had ended."""
    _columns: SampleColumns = field(init=False, repr=False, compare=False)
    _in_columns: int = field(default=0, init=False, repr=False, compare=False)
    """So many of `samples` are in the columns."""
    _used: tuple[tuple[int, ...], NDArray[np.bool_]] | None = field(
        default=None, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        self.keep(columns.of_samples(()))

    @property
    def plan(self) -> Plan:
        return self.header.plan

    @property
    def complete(self) -> bool:
        return bool(self.ends) and self.ends[-1].reason != "interrupted" and not self.under_way

    @property
    def end_reason(self) -> EndReason:
        """Why its last session ended; `interrupted` before one did."""
        return self.ends[-1].reason if self.ends else "interrupted"

    @property
    def budget(self) -> float:
        """Seconds that it may take in all: the plan's, or what a later session was given."""
        return self.budgets[-1].seconds if self.budgets else self.plan.budget

    @property
    def complete_replicates(self) -> set[ReplicateId]:
        return {each.replicate_id for each in self.replicates}

    @property
    def seconds(self) -> float:
        """Time spent measuring, over all sessions of the run."""
        ends = (each.seconds for each in self.ends)
        return max([0.0, *ends, *(each.elapsed for each in self.replicates)])

    def add(self, record: Measured) -> None:
        if isinstance(record, Calibration):
            self.calibrations[record.case] = record
        else:
            getattr(self, LISTS[type(record)]).append(record)
        if isinstance(record, (records.Budget, records.End)):
            self.under_way = isinstance(record, records.Budget)

    @property
    def columns(self) -> SampleColumns:
        """All samples as columns; new samples are added at the next look, changed ones are not."""
        since = self.samples[self._in_columns :]
        if since:
            self._columns = columns.joined([self._columns, columns.of_samples(since)])
            self._in_columns = len(self.samples)
        return self._columns

    def keep(self, stored: SampleColumns) -> None:
        """The samples of a large file, whose records are not kept."""
        self._columns = stored

    def used(self) -> NDArray[np.bool_]:
        """Which rows of the columns estimates rest on, shape (n,): valid samples of complete
        replicates, without the cases that failed, because what such a case did before cannot be
        believed either.
        """
        found, failed = self.columns, list(self.failed())
        known = (len(found), len(self.replicates), len(self.failures))  # none of them ever shrinks
        if self._used and self._used[0] == known:
            return self._used[1]
        columns = found.bundle, found.replicate, found.attempt
        keys, number = distinct(numbered(*columns))
        ids = np.array(columns)[:, firsts(number, len(keys))].T.tolist()
        complete = self.complete_replicates
        whole = np.array([tuple(each) in complete for each in ids], dtype=bool)
        used: NDArray[np.bool_] = whole[number] & (found.void == 0) & ~np.isin(found.case, failed)
        used.flags.writeable = False
        self._used = known, used
        return used

    def failed(self) -> dict[int, str]:
        """The cases that failed, with the reason of the first failure."""
        reasons: dict[int, str] = {}
        for failure in self.failures:
            reasons.setdefault(failure.case, failure.reason)
        return reasons

    def known_ceiling(self, group: Group) -> KnownCeiling | None:
        """The group's ceiling of an earlier run; None where unknown or measured in this run."""
        known = self.header.known_ceilings
        found = known.get(self.plan.groups.index(group)) if known else None
        return None if found is None or self.measured_ceiling(group) else found

    def ceiling_levels(self, group: Group) -> dict[int, dict[int, float]]:
        """What the candidates for the ceiling of a group reached: by case and complete replicate,
        the median log of the ns per operation of its valid samples. A candidate that failed later
        is left out. If this run measured none, they are those of the earlier run; its replicates
        take the numbers of the first ones of this run.
        """
        known = self.known_ceiling(group)
        if known is None:
            return self.measured_ceiling(group)
        keys = {self.plan.cases[case].key: case for case in group.ceilings}
        return {
            keys[key]: {number: math.log(ns) for number, ns in enumerate(found)}
            for key, found in known.ns_per_op.items()
            if key in keys and found
        }

    def measured_ceiling(self, group: Group) -> dict[int, dict[int, float]]:
        """The same of what this run measured; empty where it measured none. Of a sample that writes
        without waiting for the device its fastest span counts (see `_ceiling_ns`).
        """
        complete, failed = self.complete_replicates, self.failed()
        logs: dict[int, dict[int, list[float]]] = {}
        for each in self.ceilings:
            counts = not each.void and each.replicate_id in complete
            if counts and each.case in group.ceilings and each.case not in failed:
                level = math.log(_ceiling_ns(group, each))
                logs.setdefault(each.case, {}).setdefault(each.replicate, []).append(level)
        return {
            case: {number: statistics.median(found) for number, found in by_replicate.items()}
            for case, by_replicate in logs.items()
        }


def _ceiling_ns(group: Group, sample: records.CeilingSample) -> float:
    """ns per operation of a sample of a candidate for the ceiling.

    What writes into the cache leaves new pages and files behind, so in a sample it gets slower the
    more it has written, and a ceiling writes more in the same time than any case does. So its
    fastest span counts, even an untimed one: what the machine can do is not less than that.
    """
    if not group.workload.writes_file or group.conditions.waits_for_device:
        return sum(sample.ns) / sum(sample.operations)
    operations = [sample.operations[0]] * len(sample.prelude_ns) + list(sample.operations)
    spans = zip([*sample.prelude_ns, *sample.ns], operations, strict=True)
    return min(ns / number for ns, number in spans)
