"""What the forks of a case were like: whether each became steady, and whether all settled in one state. Nothing is left out for it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from iogauge import stats, steady
from iogauge.analysis import GroupData
from iogauge.samples import Table
from iogauge.steady import Kind, States

# Of a case's forks: fewer are no news, as the method calls a few in a hundred steady forks something else.
_NOTEWORTHY = 0.2
_FEWEST_OTHERS = 3  # to tell the machine from a fork
MOST_FORKS = 64  # of a case: as many as there are replicates at the last look; of more, every second or third is looked at


@dataclass(frozen=True)
class Forks:
    """`kinds` counts the forks by what the series of their spans was like; `states` are those on which the forks settled."""

    kinds: dict[Kind, int]
    states: States

    @property
    def count(self) -> int:
        return sum(self.kinds.values())


def of_case(samples: Table, data: GroupData, column: int) -> Forks:
    """Of the case in a column of a group's array, from its valid samples.

    What a round did to the other cases is taken out of a fork's series first: it is the machine's doing, not the fork's.
    """
    moves = _of_others(data, column)
    rows = np.zeros(max(data.replicates, default=0) + 1, dtype=int)
    rows[list(data.replicates)] = range(len(data.replicates))
    ordered = samples.take(np.lexsort((samples.ended, samples.fork)))
    pace = np.exp(moves[rows[ordered.replicate], data.rounds_of(ordered)])
    series = ordered.span_ns / ordered.span_operations / np.repeat(pace, ordered.spans)
    first = np.flatnonzero(np.diff(ordered.fork, prepend=-1))  # of the samples of each fork
    ends = np.cumsum(ordered.spans)
    of_forks = np.split(series, ends[first[1:] - 1])
    kinds = Counter(each.kind for each in steady.classify_all(of_forks[:: -(-len(of_forks) // MOST_FORKS)]))
    levels = stats.median(data.log_ns[:, :, column], axis=1)
    return Forks(dict(kinds), steady.states(levels - stats.median(_of_others(data, column, of_levels=True), axis=1)))


def caveats(found: Forks) -> list[str]:
    says = []
    words = {"no-steady-state": "never became so", "warm-up": "still got faster", "slow-down": "got slower"}
    unsteady = {text: found.kinds[kind] for kind, text in words.items() if found.kinds.get(kind)}
    if sum(unsteady.values()) > max(1, _NOTEWORTHY * found.count):
        which = ", ".join(f"{some} {text}" for text, some in unsteady.items())
        says.append(f"{sum(unsteady.values())} of {found.count} forks were not steady while they were measured: {which}")
    if len(found.states.centers) == 2:
        fast, slow = found.states.sizes
        says.append(f"its forks settle in two states: {fast} fast, {slow} slower by {found.states.ratio:.2f}; a process is in one or the other")
    return says


def _of_others(data: GroupData, column: int, *, of_levels: bool = False) -> np.ndarray:
    """Per replicate and round, shape (R, K), by how much the other cases were off their own medians then, as a log: the median over them.

    Off those of their replicate; `of_levels`, off those of the run. Zero where fewer than three other codes tell: one that is off by itself
    would be taken for the machine. A case's double, and the baseline beside its twin, are no other code.
    """
    doubles = {data.column(data.group.baseline), data.twin}
    others = [each for each in range(data.log_ns.shape[2]) if each != column and each not in doubles]
    if column not in doubles:
        others.append(data.column(data.group.baseline))
    if len(others) < _FEWEST_OTHERS:
        return np.zeros(data.log_ns.shape[:2])
    logs = data.log_ns[:, :, others]
    usual = stats.median(stats.median(logs, axis=1), axis=0) if of_levels else stats.median(logs, axis=1)[:, None, :]
    return np.nan_to_num(stats.median(logs - usual, axis=2), nan=0.0)
