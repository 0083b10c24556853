"""What to use of one set where a file may have come into the cache in several ways: a case that is
the best in one state may be slow in another.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from iogauge.decision.costs import Cost
from iogauge.decision.verdict import MeasuredCase, SetAnswer, cost_to_best

C = TypeVar("C", bound=MeasuredCase)
StatesKind = Literal[
    "same",  # one way is surely good enough in each state
    "turns",  # none is, and one that is good enough in one state is surely slower in another
    "open",
]
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Way(Generic[C]):
    """The same way in each of the states, in their order: its case, what that costs there (`same`
    where it is surely good enough), whether it is surely the fastest, and its time over that of
    the best as estimated, infinite where the two were not compared. `turns`: it is surely good
    enough in one state, and in another slower by more than the tolerance.
    """

    cases: tuple[C, ...]
    costs: tuple[Cost, ...]
    fastest: tuple[bool, ...]
    behind: tuple[float, ...]
    turns: bool

    @property
    def is_good(self) -> bool:
        """Whether it is surely good enough in each state."""
        return all(each.kind == "same" for each in self.costs)

    @property
    def worst(self) -> float:
        """Times the best's time, in the state where it is furthest behind."""
        return max(self.behind)


@dataclass(frozen=True)
class OverStates(Generic[C]):
    """`use` is the simplest way that is surely good enough in each state; while there is none, the
    one that is least behind in its worst state. `turning` are the ways that are good enough in one
    state and slower in another, that which is furthest behind somewhere first.
    """

    kind: StatesKind
    use: Way[C]
    turning: tuple[Way[C], ...]


def over_states(
    answers: Sequence[SetAnswer[C]], name: Callable[[C], Hashable]
) -> OverStates[C] | None:
    """From the answers of one set, one in each state; cases of the same `name` are the same way.
    None where fewer than two ways were measured in each.
    """
    ways = [_way(answers, cases) for cases in _in_each(answers, name)]
    if len(ways) < 2:
        return None
    good = next((each for each in ways if each.is_good), None)
    turning = sorted((each for each in ways if each.turns), key=lambda each: -each.worst)
    kind: StatesKind = "same" if good else "turns" if turning else "open"
    use = good or min(ways, key=lambda each: each.worst)
    return OverStates(kind, use, tuple(turning))


def _in_each(
    answers: Sequence[SetAnswer[C]], name: Callable[[C], Hashable]
) -> Iterable[tuple[C, ...]]:
    """The cases of each way that all answers have, the simplest first."""
    named = [{name(each): each for each in answer.members} for answer in answers]
    for each in named[0] if named else ():
        if all(each in of for of in named):
            yield tuple(of[each] for of in named)


def _way(answers: Sequence[SetAnswer[C]], cases: tuple[C, ...]) -> Way[C]:
    both = list(zip(answers, cases, strict=True))
    costs = tuple(_cost(answer, case) for answer, case in both)
    behind = tuple(
        1.0 if each.is_best else each.vs_best.center if each.vs_best else math.inf for each in cases
    )
    slow = [
        cost.kind == "slower" and 1 + answer.tolerance < times < math.inf
        for cost, times, answer in zip(costs, behind, answers, strict=True)
    ]
    turns = any(slow) and any(each.kind == "same" for each in costs)
    return Way(cases, costs, tuple(_is_fastest(*each) for each in both), behind, turns)


def _is_fastest(answer: SetAnswer[C], case: C) -> bool:
    others = [each for each in answer.members if each is not case]
    return case.is_best and all(each in answer.surely_slower for each in others)


def _cost(answer: SetAnswer[C], case: C) -> Cost:
    """`same` only of what may be recommended: not where identical code differs too much."""
    worst = answer.worst(case)
    if answer.recommended is not None and worst <= 1 + answer.tolerance + _ROUNDING:
        return Cost("same", 1.0, max(1.0, worst))
    found = cost_to_best(case, answer.tolerance)
    if found is None or found.kind == "same":  # the best, or as good so far
        return Cost("open")
    return found
