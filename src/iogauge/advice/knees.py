"""Knees: from which value of a parameter on nothing gets faster."""

from __future__ import annotations

from dataclasses import dataclass

from iogauge.advice.sweeps import Sweep, sweeps
from iogauge.claims.comparable import Comparable

NEAR = 0.05
"""A value that is slower than the best by this share of the time is near enough for a knee."""


@dataclass(frozen=True)
class Knee:
    """What a sweep says of the best value of its parameter.

    `best` is the fastest value. `level` are all values that cannot be told apart from it, and
    itself. `near` is the smallest value that is surely within 5 % of the best; None if the
    intervals are too wide, or the noise is too large, to say. `others` are the values of the other
    parameters.
    """

    strategy: str
    setting: str
    others: dict[str, int]
    parameter: str
    values: tuple[int, ...]
    best: int
    level: tuple[int, ...]
    near: int | None


def knees(comparable: Comparable, floor: float | None = 0.0) -> list[Knee]:
    """The knee of each sweep.

    `floor` is the group's noise floor, a share of the time. If it is above 5 %, or not known, no
    value is surely within 5 % of another.
    """
    quiet = floor is not None and floor <= NEAR
    return [_knee(comparable, sweep, quiet) for sweep in sweeps(comparable)]


def _knee(comparable: Comparable, sweep: Sweep, quiet: bool) -> Knee:
    at = dict(zip(sweep.values, sweep.cases, strict=True))
    best = min(sweep.values, key=lambda value: comparable.ns(at[value]))
    level = [best]
    for value in sweep.values:
        if value != best:
            found = comparable.compare(at[value], at[best])
            if found is None or found.outcome != "slower":
                level.append(value)
    level.sort()
    near = (
        value
        for value in sweep.values
        if quiet and _is_near(comparable, at[value], [at[each] for each in level])
    )
    return Knee(
        sweep.strategy,
        sweep.setting,
        sweep.others,
        sweep.parameter,
        sweep.values,
        best,
        tuple(level),
        next(near, best if level == [best] else None),
    )


def _is_near(comparable: Comparable, case: int, others: list[int]) -> bool:
    """Whether a case is surely within 5 % of each of the others.

    The others are those that may be the best, so it is then within 5 % of the best, whichever that
    is.
    """
    compared = [comparable.compare(case, other) for other in others if other != case]
    return all(each is not None and each.hi <= 1 + NEAR for each in compared)
