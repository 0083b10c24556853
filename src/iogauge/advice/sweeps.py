"""Sweeps: cases of a group that differ in the value of one parameter only."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from iogauge.claims.comparable import Comparable

_FEWEST = 2  # values


@dataclass(frozen=True)
class Sweep:
    """One strategy in one setting, over the values of one parameter.

    `others` are the values of its other parameters. `values` are in ascending order; `cases` are
    the indexes of their entries.
    """

    strategy: str
    setting: str
    others: dict[str, int]
    parameter: str
    values: tuple[int, ...]
    cases: tuple[int, ...]


def sweeps(comparable: Comparable) -> list[Sweep]:
    """All sweeps of at least two values among the measured cases."""
    found: dict[tuple[str, str, str, tuple[tuple[str, int], ...]], list[tuple[int, int]]] = (
        defaultdict(list)
    )
    for index, entry in enumerate(comparable.entries):
        if not entry.usable or entry.measured is None:
            continue
        for parameter, value in entry.parameters.items():
            alike = entry.strategy, entry.setting or "", parameter
            found[*alike, entry.other_parameters(parameter)].append((value, index))
    return [
        Sweep(strategy, setting, dict(others), parameter, *zip(*sorted(cases), strict=True))
        for (strategy, setting, parameter, others), cases in found.items()
        if len(cases) >= _FEWEST
    ]
