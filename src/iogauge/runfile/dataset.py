"""A data set: the valid values of groups, of any number of runs.

Whoever compares across runs asks a data set which of them measured the same, and what may be
pooled. `analysis` decides which values are valid.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from iogauge.model.case import Case
from iogauge.model.workload import Conditions, Workload
from iogauge.runfile.arrays import Floats
from iogauge.runfile.header import Header, poolable_runtimes
from iogauge.statistics import paired


@dataclass(frozen=True)
class KnownGroup:
    """The values of a group of a run, and what it measured; `run` is the header of the run.

    `log_ns` has the shape (replicates, rounds, cases): logs of ns per operation, NaN without a
    value; `columns` has the column of each case by its key. `cases` may be compared with each
    other. The `baseline`, a key, links those that were in different parts of a replicate, even
    where it is none of them. `verdicts` says whether verdicts may rest on the group.
    """

    run: Header
    id: str
    workload: Workload
    conditions: Conditions
    baseline: str
    verdicts: bool
    cases: tuple[Case, ...]
    columns: Mapping[str, int]
    log_ns: Floats

    def paired(self, case: str, reference: str) -> Floats:
        """log(time(case) / time(reference)) of each replicate that has both, shape (m,); none where
        they may not be compared. Both are given by key.
        """
        if not {case, reference} <= {each.key for each in self.cases}:
            return np.array([])
        columns = (self.columns[key] for key in (case, reference, self.baseline))
        ratios = paired.paired_log_ratios(self.log_ns, *columns)
        return ratios[np.isfinite(ratios)]

    def values_of(self, keys: Sequence[str]) -> Floats:
        """The values of these cases, shape (R, K, C): NaN for those that may not be compared."""
        known = {self.baseline, *(each.key for each in self.cases)}
        values = np.full((*self.log_ns.shape[:2], len(keys)), np.nan)
        for place, key in enumerate(keys):
            if key in known:
                values[:, :, place] = self.log_ns[:, :, self.columns[key]]
        return values[np.isfinite(values).any(axis=(1, 2))]


def alike(known: Iterable[KnownGroup], own: KnownGroup) -> Iterator[KnownGroup]:
    """The groups of other runs that measured the same and may be pooled with this one: each with
    the cases whose runtimes may be pooled. Copies of one run count once.
    """
    seen = set()
    for each in known:
        group = each.run.identity, each.id
        same = (each.workload, each.conditions) == (own.workload, own.conditions)
        sound = not (own.run.plan.published or each.run.plan.published)
        other = each.run.identity != own.run.identity and group not in seen
        seen.add(group)
        if other and same and sound and each.verdicts:
            runtimes = poolable_runtimes(own.run, each.run)
            yield replace(each, cases=tuple(one for one in each.cases if one.runtime in runtimes))


def paired_of(groups: Sequence[KnownGroup], case: str, reference: str) -> Floats:
    """The paired log ratios of all groups, shape (m,), group after group."""
    return np.concatenate([each.paired(case, reference) for each in groups])


def replicates_of(groups: Sequence[KnownGroup], keys: Sequence[str]) -> Floats:
    """The values of these cases, shape (R, K, C): the replicates of one group after another's."""
    values = [each.values_of(keys) for each in groups]
    shape = max(each.shape[1] for each in values), len(keys)
    found = np.full((sum(map(len, values)), *shape), np.nan)
    start = 0
    for each in values:
        found[start : start + len(each), : each.shape[1]] = each
        start += len(each)
    return found
