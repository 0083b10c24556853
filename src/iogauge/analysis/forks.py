"""What the forks of a case were like: whether each became steady, and whether all settled in one
state. Nothing is left out for it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from iogauge.analysis.analysis import GroupData, places
from iogauge.runfile.samples import Table
from iogauge.statistics import change_points, fork_states, quantiles
from iogauge.statistics.change_points import Kind
from iogauge.statistics.fork_states import States

# Of a case's forks: fewer are no news, as the method calls a few in a hundred steady forks
# something else.
_NOTEWORTHY = 0.2
_FEWEST_OTHERS = 3  # to tell the machine from a fork
# of a fork: neighbours in longer series are taken together; up to this length the method was tried
# (decision 0005)
MOST_SPANS = 100
# of a case: as many as there are replicates at the last look; of more, so many drawn ones are
# looked at
MOST_FORKS = 64


@dataclass(frozen=True)
class Forks:
    """`kinds` counts the forks that were looked at by what the series of their spans was like;
    `states` are those on which the forks settled.
    """

    count: int
    kinds: dict[Kind, int]
    states: States

    @property
    def looked_at(self) -> int:
        return sum(self.kinds.values())


@dataclass(frozen=True)
class Others:
    """What the other cases of a group did, per replicate, round and case, shape (R, K, C): by how
    much they were off their own medians, as a log, in the median over them.

    `by_round` off those of their replicate, `by_run` off those of the run. Zero where fewer than
    three other codes tell: one that is off by itself would be taken for the machine.
    """

    data: GroupData
    by_round: np.ndarray
    by_run: np.ndarray


def others(data: GroupData) -> Others:
    """A case's double, and the baseline beside its twin, are no other code."""
    baseline = data.column(data.group.baseline)
    codes = [column for column in range(data.log_ns.shape[2]) if column != data.twin]
    own = [
        codes.index(baseline if column == data.twin else column)
        for column in range(data.log_ns.shape[2])
    ]
    if len(codes) - 1 < _FEWEST_OTHERS:
        return Others(data, np.zeros(data.log_ns.shape), np.zeros(data.log_ns.shape))
    logs = data.log_ns[:, :, codes]
    levels = quantiles.median(logs, axis=1)
    off = (
        _medians_without_each(logs - usual)[:, :, own]
        for usual in (levels[:, None, :], quantiles.median(levels, axis=0))
    )
    return Others(data, *(np.nan_to_num(each, nan=0.0) for each in off))


def _medians_without_each(values: np.ndarray) -> np.ndarray:
    """Along the last axis, of what is left without each value, the median; NaN where fewer than
    `_FEWEST_OTHERS` are.
    """
    order = np.argsort(values, axis=2)  # NaN last
    ranks = np.empty_like(order)
    np.put_along_axis(
        ranks, order, np.broadcast_to(np.arange(values.shape[2]), order.shape), axis=2
    )
    ordered = np.take_along_axis(values, order, axis=2)
    known = ~np.isnan(values)
    left = known.sum(axis=2, keepdims=True) - known

    def at(place: np.ndarray) -> np.ndarray:
        return np.take_along_axis(
            ordered, np.clip(place + (place >= ranks), 0, values.shape[2] - 1), axis=2
        )

    return np.where(left >= _FEWEST_OTHERS, (at((left - 1) // 2) + at(left // 2)) / 2, np.nan)


def of_case(samples: Table, beside: Others, column: int) -> Forks:
    """Of the case in a column of a group's array, from its valid samples.

    What a round did to the other cases is taken out of a fork's series first: it is the machine's
    doing, not the fork's.
    """
    data, moves = beside.data, beside.by_round[:, :, column]
    pace = np.exp(moves[places(samples.replicate, data.replicates), data.rounds_of(samples)])
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
    says = []
    words = {
        "no-steady-state": "never became so",
        "warm-up": "still got faster",
        "slow-down": "got slower",
    }
    unsteady = {text: found.kinds[kind] for kind, text in words.items() if found.kinds.get(kind)}
    if sum(unsteady.values()) > max(1, _NOTEWORTHY * found.looked_at):
        which = ", ".join(f"{some} {text}" for text, some in unsteady.items())
        says.append(
            f"{sum(unsteady.values())} of {found.looked_at} forks were not steady while they were measured: {which}"
        )
    if len(found.states.centers) == 2:
        fast, slow = found.states.sizes
        says.append(
            f"its forks settle in two states: {fast} fast, {slow} slower by {found.states.ratio:.2f}; a process is in one or the other"
        )
    return says
