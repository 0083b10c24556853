"""What the forks of a case were like: whether each became steady, and whether all settled in one
state. No sample is left out for it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from iogauge.analysis.data import GroupData, index_in
from iogauge.model.units import decimal
from iogauge.runfile.arrays import Floats
from iogauge.runfile.columns import SampleColumns
from iogauge.statistics import change_points, fork_states, quantiles
from iogauge.statistics.change_points import Kind
from iogauge.statistics.fork_states import States

# A share of a case's forks. Fewer are no news: a few in a hundred steady forks are not recognized.
_NOTEWORTHY = 0.2
FEWEST_OTHERS = 3  # cases, to tell the machine from a fork
# Of a fork. Neighbours in longer series are taken together: classifying was tried up to this length
# (decision 0005).
MOST_SPANS = 100
# Of a case: as many as there are replicates at the last look. Of more forks, so many are drawn.
MOST_FORKS = 64


_UNSTEADY: dict[Kind, str] = {
    "no-steady-state": "never became so",
    "warm-up": "still got faster",
    "slow-down": "got slower",
}


@dataclass(frozen=True)
class Forks:
    """`kinds` counts the forks that were looked at, by what the series of their spans was like.
    `states` are the levels on which the forks settled.
    """

    count: int
    kinds: dict[Kind, int]
    states: States

    @property
    def looked_at(self) -> int:
        return sum(self.kinds.values())

    @property
    def has_caveats(self) -> bool:
        return bool(caveats(self))


@dataclass(frozen=True)
class Others:
    """By how much the other cases of a group were off their own medians, as a log, in the median
    over them: per replicate, round and case, shape (R, K, C).

    `by_round` is off their medians in the replicate, `by_run` off those in the run. Zero where
    there are fewer than three other codes: a single one that is off would be taken for the machine.
    """

    data: GroupData
    by_round: Floats
    by_run: Floats


def others(data: GroupData) -> Others:
    """The control and the baseline are the same code: neither counts as another for the other."""
    baseline = data.column(data.group.baseline)
    codes = [column for column in range(data.log_ns.shape[2]) if column != data.control]
    own = [
        codes.index(baseline if column == data.control else column)
        for column in range(data.log_ns.shape[2])
    ]
    if len(codes) - 1 < FEWEST_OTHERS:
        return Others(data, np.zeros(data.log_ns.shape), np.zeros(data.log_ns.shape))
    logs = data.log_ns[:, :, codes]
    levels = quantiles.median(logs, axis=1)
    off = (
        _medians_without_each(logs - usual)[:, :, own]
        for usual in (levels[:, None, :], quantiles.median(levels, axis=0))
    )
    return Others(data, *(np.nan_to_num(each, nan=0.0) for each in off))


def _medians_without_each(values: Floats) -> Floats:
    """For each value the median of the other values along the last axis; NaN where there are fewer
    than `FEWEST_OTHERS`.
    """
    found = np.empty_like(values)
    for column in range(values.shape[2]):
        others = np.delete(values, column, axis=2)
        enough = np.count_nonzero(~np.isnan(others), axis=2) >= FEWEST_OTHERS
        found[:, :, column] = np.where(enough, quantiles.median(others, axis=2), np.nan)
    return found


def of_case(samples: SampleColumns, beside: Others, column: int) -> Forks:
    """The forks of the case in a column of a group's array, from its valid samples.

    What a round did to the other cases is the machine's doing, not the fork's. It is taken out of
    the series of a fork first.
    """
    data, moves = beside.data, beside.by_round[:, :, column]
    pace = np.exp(moves[index_in(samples.replicate, data.replicates), data.rounds_of(samples)])
    order = np.lexsort((samples.ended, samples.fork))
    spans = samples.spans[order]
    series = samples.span_levels(order) / np.repeat(pace[order], spans)
    first = np.flatnonzero(np.diff(samples.fork[order], prepend=-1))  # of the samples of each fork
    of_forks = np.split(series, np.cumsum(spans)[first[1:] - 1])
    looked_at = (
        range(len(of_forks))
        if len(of_forks) <= MOST_FORKS
        else np.random.default_rng(len(of_forks)).choice(len(of_forks), MOST_FORKS, replace=False)
    )
    kinds = Counter(
        change_points.kinds_of(
            [change_points.thinned(of_forks[fork], MOST_SPANS) for fork in looked_at]
        )
    )
    levels = quantiles.median(data.log_ns[:, :, column], axis=1)
    return Forks(
        len(of_forks),
        dict(kinds),
        fork_states.states(levels - quantiles.median(beside.by_run[:, :, column], axis=1)),
    )


def caveats(found: Forks) -> list[str]:
    """Sentences about forks that were not steady, and about two states."""
    says = []
    unsteady = {
        text: found.kinds[kind] for kind, text in _UNSTEADY.items() if found.kinds.get(kind)
    }
    if sum(unsteady.values()) > max(1, _NOTEWORTHY * found.looked_at):
        which = ", ".join(f"{some} {text}" for text, some in unsteady.items())
        says.append(
            f"{sum(unsteady.values())} of {found.looked_at} forks were not steady"
            f" while they were measured: {which}"
        )
    if len(found.states.centers) == 2:
        fast, slow = found.states.sizes
        says.append(
            f"its forks settle in two states: {fast} fast, {slow} slower by"
            f" {decimal(found.states.ratio, 2)}; a process is in one or the other"
        )
    return says
