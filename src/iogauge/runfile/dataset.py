"""A data set: values of any number of runs as typed columns.

Whoever compares across runs asks a data set which of them measured the same, and what may be
pooled. It holds valid values only; `analysis` decides which those are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from iogauge.model.case import Case
from iogauge.model.workload import Conditions, Workload
from iogauge.runfile.arrays import Floats, Ints, distinct, firsts, medians, numbered
from iogauge.runfile.header import PoolKey, RunIdentity, poolable_runtimes
from iogauge.statistics import paired

Source = Literal["measured", "imported", "predicted"]
"""A value comes from samples, from the summary of a run without its samples, or from a model."""
SOURCES: tuple[Source, ...] = get_args(Source)
_COLUMNS = "group", "case", "replicate", "round", "log_ns", "source"


@dataclass(frozen=True)
class KnownRun:
    """A run of a data set. `pool` says what it may be pooled with: nothing if it is None."""

    identity: RunIdentity
    pool: PoolKey | None
    published: bool


@dataclass(frozen=True)
class KnownGroup:
    """A group of a data set. `run` is an index of the data set's runs.

    `cases` may be compared with each other, whether or not they have rows. They and `baseline` are
    indexes of the data set's cases. `verdicts` says whether verdicts may rest on the group.
    """

    run: int
    id: str
    workload: Workload
    conditions: Conditions
    baseline: int | None
    verdicts: bool
    cases: tuple[int, ...]


@dataclass(frozen=True)
class Dataset:
    """A column of shape (n,) for each key. A row is the value of a case in a round of a replicate.

    `group` and `case` are indexes of `groups` and `cases`, and all `cases` have different keys.
    `replicate` is the number of the replicate in its run; `round` counts the rounds of all its
    parts. `log_ns` is the log of ns per operation, and `source` is an index of SOURCES. A value
    that was imported or predicted has replicate 0 and round 0.

    Rows of a group are of its cases. Those of its baseline stay where it is no such case: they only
    link others that were in different parts of a replicate. Runs and cases need not have rows.
    """

    runs: tuple[KnownRun, ...]
    groups: tuple[KnownGroup, ...]
    cases: tuple[Case, ...]
    group: Ints
    case: Ints
    replicate: Ints
    round: Ints
    log_ns: Floats
    source: Ints

    def __len__(self) -> int:
        return len(self.log_ns)

    @property
    def run(self) -> Ints:
        """The run of each row, an index of `runs`, shape (n,)."""
        return np.array([each.run for each in self.groups], dtype=np.int32)[self.group]

    # selections

    def take(self, rows: NDArray[Any]) -> Dataset:
        """These rows, given by their indexes or by a mask of shape (n,)."""
        return replace(self, **{name: getattr(self, name)[rows] for name in _COLUMNS})

    def of_case(self, key: str, *, any_runtime: bool = False) -> Dataset:
        """The rows of a case. With `any_runtime` the key has no runtime."""
        of_key = {self._case_numbers.get(key, -1)}
        if any_runtime:
            of_key = {at for at, case in enumerate(self.cases) if case.key_without_runtime == key}
        wanted = {number: of_key & each for number, each in enumerate(self._compared)}
        return self.take(self._are_of(wanted))

    def of_groups(self, numbers: Iterable[int]) -> Dataset:
        """The groups of these indexes, in this order."""
        return self._with({number: self.groups[number] for number in numbers})

    def measuring(self, workload: Workload, conditions: Conditions) -> list[int]:
        """The indexes of the groups with this workload and these conditions."""
        same = workload, conditions
        numbered = enumerate(self.groups)
        return [at for at, each in numbered if (each.workload, each.conditions) == same]

    def poolable_with(self, run: int) -> Dataset:
        """The groups of the run of this index, and of all sound runs that may be pooled with it.

        Of these, only cases remain whose runtimes may be pooled. Copies of one run count once.
        """
        own = self.runs[run]
        first = {each.identity: number for number, each in reversed([*enumerate(self.runs)])}
        first[own.identity] = run
        kept = {}
        for number, group in enumerate(self.groups):
            other = self.runs[group.run]
            if group.run == run:
                kept[number] = group
            elif first[other.identity] == group.run and not (own.published or other.published):
                runtimes = (
                    poolable_runtimes(own.pool, other.pool) if own.pool and other.pool else ()
                )
                cases = tuple(each for each in group.cases if self.cases[each].runtime in runtimes)
                if cases:
                    kept[number] = replace(group, cases=cases)
        return self._with(kept)

    def _with(self, groups: Mapping[int, KnownGroup]) -> Dataset:
        """Only these groups, by their indexes, in this order: each as it is given."""
        number = np.full(len(self.groups), -1, dtype=np.int32)
        number[[*groups]] = np.arange(len(groups))
        cases = {
            old: each.cases if each.baseline is None else (*each.cases, each.baseline)
            for old, each in groups.items()
        }
        rows = self.take(self._are_of(cases))
        return replace(rows, groups=tuple(groups.values()), group=number[rows.group])

    def _are_of(self, cases: Mapping[int, Iterable[int]]) -> NDArray[np.bool_]:
        """Which rows are of these cases, given by the index of their group, shape (n,)."""
        count = len(self.cases)
        wanted = [group * count + case for group, of in cases.items() for case in of]
        return np.isin(self.group.astype(np.int64) * count + self.case, wanted)

    # what the rows say

    def by_replicate(self) -> Dataset:
        """A row per replicate and case, as round 0: the median over rounds; no linking rows."""
        rows = self.take(self._are_of(dict(enumerate(self._compared))))
        keys, place = distinct(numbered(rows.group, rows.case, rows.replicate))
        return replace(
            rows.take(firsts(place, len(keys))),
            round=np.zeros(len(keys), dtype=np.int32),
            log_ns=medians(rows.log_ns, place, len(keys)),
        )

    def paired(self, case: str, reference: str) -> Floats:
        """log(time(case) / time(reference)), one for each replicate of a group that compares both,
        shape (m,), group after group. Both are given by key.

        The values are those of `paired.paired_log_ratios`, without NaN.
        """
        a, b = (self._case_numbers.get(key, -1) for key in (case, reference))
        compares = np.array([{a, b} <= each for each in self._compared], dtype=bool)
        if not compares.any():
            return np.array([])
        pivots = np.array([a if each.baseline is None else each.baseline for each in self.groups])
        used = {a, b, *pivots[compares].tolist()}
        rows = np.concatenate([self._by_case[each] for each in sorted(used)])
        rows = rows[compares[self.group[rows]]]
        of, number = self.case[rows], self.round[rows]
        replicates, place = distinct(numbered(self.group[rows], self.replicate[rows]))
        log_ns = np.full((len(replicates), int(number.max(initial=0)) + 1, 3), np.nan)
        for column, wanted in enumerate((a, b, pivots[self.group[rows]])):
            own = of == wanted
            log_ns[place[own], number[own], column] = self.log_ns[rows[own]]
        ratios = paired.ratios_to(log_ns, 1, 2)[:, 0]
        return ratios[np.isfinite(ratios)]

    def replicates_of(self, keys: Sequence[str]) -> Floats:
        """The logs of ns per operation of these cases, shape (R, K, C): the replicates of one group
        after those of another.
        """
        numbers = np.array([self._case_numbers.get(key, -1) for key in keys])
        rows = np.flatnonzero(np.isin(self.case, numbers))
        replicates, place = distinct(numbered(self.group[rows], self.replicate[rows]))
        rounds = int(self.round[rows].max(initial=-1)) + 1
        log_ns = np.full((len(replicates), rounds, len(keys)), np.nan)
        for column, number in enumerate(numbers):
            own = self.case[rows] == number
            log_ns[place[own], self.round[rows[own]], column] = self.log_ns[rows[own]]
        return log_ns

    @cached_property
    def _case_numbers(self) -> dict[str, int]:
        return {case.key: number for number, case in enumerate(self.cases)}

    @cached_property
    def _compared(self) -> list[frozenset[int]]:
        """The cases of each group."""
        return [frozenset(each.cases) for each in self.groups]

    @cached_property
    def _by_case(self) -> list[Ints]:
        """The rows of each case."""
        order = np.argsort(self.case, kind="stable")
        return np.split(order, np.searchsorted(self.case[order], np.arange(1, len(self.cases))))


def distinct_cases(cases: Iterable[Case]) -> tuple[tuple[Case, ...], Ints]:
    """The different ones by their keys, in order; and the index of each among them, shape (n,)."""
    found: dict[str, tuple[int, Case]] = {}
    numbers = [found.setdefault(case.key, (len(found), case))[0] for case in cases]
    return tuple(case for _, case in found.values()), np.array(numbers, dtype=np.int32)


def concatenate(parts: Sequence[Dataset]) -> Dataset:
    """The rows of all parts, one part after another. Raises ValueError if there are no parts.

    A run that is in several parts stays there as often.
    """
    cases, numbers = distinct_cases(case for part in parts for case in part.cases)
    of_part = np.split(numbers, np.cumsum([len(part.cases) for part in parts])[:-1])
    runs: list[KnownRun] = []
    groups: list[KnownGroup] = []
    columns: dict[str, list[Ints]] = {"group": [], "case": []}
    for part, number in zip(parts, of_part, strict=True):
        columns["group"].append(part.group + len(groups))
        columns["case"].append(number[part.case])
        groups += [_moved(each, len(runs), number) for each in part.groups]
        runs += part.runs
    same = {name: [getattr(part, name) for part in parts] for name in _COLUMNS}
    joined = {name: np.concatenate(each) for name, each in (same | columns).items()}
    return Dataset(tuple(runs), tuple(groups), cases, **joined)


def _moved(group: KnownGroup, runs: int, number: Ints) -> KnownGroup:
    """The group behind so many runs, with the new numbers of its cases."""
    return replace(
        group,
        run=group.run + runs,
        baseline=None if group.baseline is None else int(number[group.baseline]),
        cases=tuple(int(number[each]) for each in group.cases),
    )
