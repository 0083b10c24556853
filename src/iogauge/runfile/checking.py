"""Whether the records of a run file fit together. Whoever looks at a run may rely on it afterwards.

A file that was damaged or edited is found here, by what its records refer to and by numbers that
cannot be. Everything else that goes wrong with a run is a mistake of iogauge.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from itertools import chain
from operator import attrgetter
from pathlib import Path

import numpy as np

from iogauge.model.errors import UserError
from iogauge.runfile.header import Header
from iogauge.runfile.records import ComputeOnly, Harness
from iogauge.runfile.run import LISTS, Run

_INDEXES = {
    "case": "cases",
    "cases": "cases",
    "group": "groups",
    "groups": "groups",
    "bundle": "bundles",
    "spec": "forks",
}
"""By key of a record, the list of the plan that it is an index into, or several."""
_HOST = {"processor", "machine", "kernel", "cores", "file_system"}
"""What outputs say of every host."""
_MOST_SECONDS = 1e10  # three centuries


class DamagedRun(UserError):
    """The records of a run file do not fit together."""


def check(path: Path, run: Run) -> None:
    """Raises DamagedRun for records that do not fit the plan, or each other."""
    try:
        _check_plan(run.header)
        _check_indexes(run)
        _check_times(run)
        _check_samples(run)
    except _Unfit as error:
        raise DamagedRun(
            f"{path}: damaged: its records do not fit together ({error}); measure anew"
        ) from None


class _Unfit(Exception):
    """What does not fit, in words."""


def _check_plan(header: Header) -> None:
    plan = header.plan
    declared = {each.name: each.strategies for each in header.runtimes}
    used = {(each.runtime, each.strategy) for each in plan.cases}
    used |= {(each.runtime, each.strategy) for each in plan.forks if each.strategy}
    for runtime, strategy in used:
        if runtime not in declared:
            raise _Unfit(f"the header has no runtime {runtime}")
        if strategy not in declared[runtime]:
            raise _Unfit(f"the runtime {runtime} has no strategy {strategy}")
    for case in plan.cases:
        parameters = declared[case.runtime][case.strategy].parameters
        if absent := parameters.keys() - case.parameters.keys():
            raise _Unfit(f"{case.key} has no {', '.join(sorted(absent))}")
        try:
            _ = case.bytes_per_operation
        except ValueError as error:
            raise _Unfit(str(error)) from None
    if absent := _HOST - header.host.keys():
        raise _Unfit(f"the header does not say of the host: {', '.join(sorted(absent))}")
    if len(plan.fork_of) != len(plan.cases):
        raise _Unfit(f"{len(plan.fork_of)} forks for {len(plan.cases)} cases")
    _must_be_planned("fork_of", plan.fork_of, plan.forks)
    for group in plan.groups:
        _must_be_planned("group", [*group.cases, *group.ceilings], plan.cases)
        if group.baseline not in group.cases or group.control not in (None, *group.cases):
            raise _Unfit(f"the baseline or the control of {group.id} is none of its cases")
    for bundle in plan.bundles:
        _must_be_planned("bundle", bundle.groups, plan.groups)
        _must_be_planned("bundle", bundle.forks, plan.forks)
    for span in plan.spans:
        _must_be_planned("span", span.groups, plan.groups)


def _must_be_planned(what: str, indexes: Iterable[int], planned: Collection[object]) -> None:
    for index in indexes:
        if not 0 <= index < len(planned):
            raise _Unfit(f"a {what} with number {index} of {len(planned)}")


def _check_indexes(run: Run) -> None:
    """What records other than samples refer to is in the plan."""
    every = [getattr(run, name) for name in LISTS.values() if name != "samples"]
    for records in filter(None, [*every, [*run.calibrations.values()]]):
        for name, planned in _INDEXES.items():
            if hasattr(records[0], name):
                values = map(attrgetter(name), records)
                several = name == planned  # a list of them
                indexes = set(chain.from_iterable(values) if several else values) - {None}
                what = f"{name} of a {type(records[0]).__name__.lower()}"
                _must_be_planned(what, indexes, getattr(run.plan, planned))


def _check_times(run: Run) -> None:
    """What was timed took some time, and records of spans have as many times as operations."""
    timed: list[ComputeOnly | Harness] = [*run.compute_only, *run.harness]
    for each in timed:
        if not 0 < len(each.ns) == len(each.operations) or min(each.operations) <= 0:
            raise _Unfit("a time of so many operations without these operations")
    for sample in run.ceilings:
        spans = [*sample.ns, *sample.prelude_ns, *sample.operations]
        if not sample.void and (not sample.ns or min(spans) <= 0):
            raise _Unfit("a sample of a ceiling that took no time")
    seconds = [each.seconds for each in run.ends] + [each.seconds for each in run.budgets]
    for elapsed in [*seconds, *(each.elapsed for each in run.replicates)]:
        if not 0 <= elapsed <= _MOST_SECONDS:
            raise _Unfit(f"{elapsed} seconds")


def _check_samples(run: Run) -> None:
    """Samples are of cases of their groups; those that estimates rest on took some time."""
    plan, columns = run.plan, run.columns
    for name in ("case", "group", "bundle"):
        found = getattr(columns, name)
        if len(found):
            ends = int(found.min()), int(found.max())
            _must_be_planned(f"{name} of a sample", ends, getattr(plan, _INDEXES[name]))
    members = np.zeros((len(plan.groups), len(plan.cases)), bool)
    for number, group in enumerate(plan.groups):
        members[number, list(group.cases)] = True
    if not members[columns.group, columns.case].all():
        raise _Unfit("a sample of a case that is not in its group")
    # Every part and every round has a sample, so neither has a number beyond that of all samples.
    rounds = np.array([group.rounds for group in plan.groups])[columns.group]
    most = (len(columns) + 1) * rounds + len(columns)
    if (columns.part.astype(np.int64) * rounds + columns.round > most).any():
        raise _Unfit("a sample of a round that was not measured")
    used = run.used()
    level = columns.ns[used] / np.maximum(columns.operations[used], 1)
    if not ((columns.operations[used] > 0) & (level > 0) & (level < math.inf)).all():
        raise _Unfit("a sample that took no time")
