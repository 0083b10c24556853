"""What the forks of a case were like: whether each became steady, and whether all settled in one state. Nothing is left out for it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from iogauge import stats, steady
from iogauge.analysis import GroupData
from iogauge.steady import Kind, States

# Of a case's forks: fewer are no news, as the method calls a few in a hundred steady forks something else.
_NOTEWORTHY = 0.2


@dataclass(frozen=True)
class Forks:
    """`kinds` counts the forks by what the series of their spans was like; `states` are those on which the forks settled."""

    kinds: dict[Kind, int]
    states: States

    @property
    def count(self) -> int:
        return sum(self.kinds.values())


def of_case(samples: Iterable[dict[str, Any]], data: GroupData, column: int) -> Forks:
    """Of the case in a column of a group's array, from its valid samples."""
    series: dict[int, list[tuple[float, list[float]]]] = defaultdict(list)
    for sample in samples:
        spans = [ns / done for ns, done in zip(sample["ns"], sample["operations"], strict=True)]
        series[sample["fork"]].append((sample["ended"], spans))
    kinds = Counter(steady.classify([ns for _, spans in sorted(parts) for ns in spans]).kind for parts in series.values())
    return Forks(dict(kinds), steady.states(_levels(data)[:, column]))


def caveats(found: Forks) -> list[str]:
    says = []
    for kind, text in (
        ("no-steady-state", "never became steady"),
        ("warm-up", "still got faster while they were measured"),
        ("slow-down", "got slower while they were measured"),
    ):
        some = found.kinds.get(kind, 0)
        if some > max(1, _NOTEWORTHY * found.count):
            says.append(f"{some} of {found.count} forks {text}")
    if len(found.states.centers) == 2:
        fast, slow = found.states.sizes
        says.append(f"its forks settle in two states: {fast} fast, {slow} slower by {found.states.ratio:.2f}; a process is in one or the other")
    return says


def _levels(data: GroupData) -> np.ndarray:
    """Log level per replicate and case, shape (R, C), without what moves all cases of a replicate."""
    levels = stats.median(data.log_ns, axis=1)
    moved = stats.median(levels - stats.median(levels, axis=0), axis=1)
    return levels - moved[:, None]
