"""One ratio on many hosts: what it is over all of them, how far hosts differ, and with which facts
about them that goes.

Hosts are a sample of hosts: what is said holds for others like them. A ratio on a host is known
with an error, and the true ratios differ from host to host; that is a random-effects model. The
variance between hosts is that of Paule and Mandel (1982), and the interval is Student's. With that
variance it is the interval of Hartung and Knapp (2001); where errors explain all that differs
between hosts, it is wider than theirs. Absolute times have no mean over hosts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from iogauge.statistics.intervals import exp
from iogauge.statistics.quantiles import Array
from iogauge.statistics.special import exceeds_f, students_t

ERROR = 0.05
FEWEST_FOR_FACTS = 4
"""Hosts: with fewer there is nothing from which to learn how hosts of one part differ."""
_STEPS = 200  # of a bisection
_LEAST_ERROR = 1e-6  # a log; the error of a ratio is never known to be less


@dataclass(frozen=True, slots=True)
class OnHost:
    """The log of a ratio on one host, and its standard error."""

    log: float
    error: float


@dataclass(frozen=True, slots=True)
class OverHosts:
    """A ratio over hosts, all as logs. `lo` and `hi` hold its mean; `spread` is the standard
    deviation between hosts; `next_lo` and `next_hi` hold the ratio on one more host like these.
    Bounds are infinite where there are too few hosts for them.
    """

    center: float
    lo: float
    hi: float
    spread: float
    next_lo: float
    next_hi: float
    hosts: int

    @property
    def ratios(self) -> Ratios:
        """The same, as ratios."""
        ends = (self.center, self.lo, self.hi, self.next_lo, self.next_hi)
        return Ratios(*map(exp, ends))


class Ratios(NamedTuple):
    """A ratio over hosts, the bounds of its mean, and those of one more host."""

    center: float
    lo: float
    hi: float
    next_lo: float
    next_hi: float


@dataclass(frozen=True, slots=True)
class GoesWith:
    """Facts that split the hosts in one and the same way, and the ratio over the hosts of each
    part, by what these have in common. `chance` is the probability that some fact splits them so
    well by chance.
    """

    facts: tuple[str, ...]
    parts: tuple[tuple[tuple[Hashable, ...], OverHosts], ...]
    chance: float


def known(log: float, error: float) -> OnHost | None:
    """None where either is not known."""
    return OnHost(log, error) if math.isfinite(log) and math.isfinite(error) else None


def over(found: Sequence[OnHost], error: float = ERROR) -> OverHosts:
    """The ratio over these hosts, of which there is at least one."""
    logs = np.array([each.log for each in found])
    variances = np.maximum([each.error for each in found], _LEAST_ERROR) ** 2
    between = _between(logs, variances)
    weights = 1 / (variances + between)
    center = float(np.average(logs, weights=weights))
    count = len(logs)
    if count == 1:
        return OverHosts(center, -math.inf, math.inf, 0.0, -math.inf, math.inf, 1)
    variance = 1 / float(np.sum(weights))
    reach = float(students_t(count - 1, error)) * math.sqrt(variance)
    ahead = math.inf
    if count > 2:  # of one more host the spread must not be too small as often as not
        wide = _between(logs, variances, _median_of_squares(count - 1))
        ahead = float(students_t(count - 2, error)) * math.sqrt(wide + variance)
    spread = math.sqrt(between)
    return OverHosts(
        center, center - reach, center + reach, spread, center - ahead, center + ahead, count
    )


def _between(logs: Array, variances: Array, expected: float | None = None) -> float:
    """The variance between hosts with which their weighted squares are as large as they should be
    (Paule and Mandel), or as `expected`; 0 where errors explain all.
    """
    if len(logs) < 2:
        return 0.0
    aim = len(logs) - 1 if expected is None else expected
    return _root(lambda between: _squares(logs, variances + between) - aim, logs, variances)


def _root(excess: Callable[[float], float], logs: Array, variances: Array) -> float:
    """The variance at which nothing is in excess; 0 where nothing is without it."""
    if excess(0.0) <= 0:
        return 0.0
    low, high = 0.0, float(np.sum((logs - logs.mean()) ** 2)) + float(variances.max())
    while excess(high) > 0:
        high *= 2
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return (low + high) / 2


def _median_of_squares(degrees: int) -> float:
    """The median of chi squared (Wilson and Hilferty)."""
    return float(degrees * (1 - 2 / (9 * degrees)) ** 3)


def goes_with(
    found: Sequence[OnHost], facts: Mapping[str, Sequence[Hashable]], error: float = ERROR
) -> list[GoesWith]:
    """The facts with which the ratio goes, the surest first. `facts` have a value for each host, in
    their order; one of which a host has none (None) is left out, and so is one that splits the
    hosts into more parts than half their number. The error is shared by all ways in which facts
    split the hosts (Holm 1979).
    """
    splits = _splits(facts, len(found))
    if len(found) < FEWEST_FOR_FACTS or not splits:
        return []
    logs = np.array([each.log for each in found])
    variances = np.maximum([each.error for each in found], _LEAST_ERROR) ** 2
    chances = sorted((_chance(split, logs, variances), split) for split in splits)
    told, highest = [], 0.0
    for place, (chance, split) in enumerate(chances):
        highest = max(highest, min(1.0, chance * (len(chances) - place)))
        if highest > error:
            break
        told.append(_goes_with(found, splits[split], split, facts, highest))
    return told


def goes_with_facts(
    ratios: Mapping[str, OnHost], facts: Mapping[str, Mapping[str, Hashable]]
) -> list[GoesWith]:
    """The same, by the names of hosts; `facts` has those of each host."""
    names = list(dict.fromkeys(fact for host in ratios for fact in facts[host]))
    by_fact = {name: [facts[host].get(name) for host in ratios] for name in names}
    return goes_with([*ratios.values()], by_fact)


def _splits(
    facts: Mapping[str, Sequence[Hashable]], count: int
) -> dict[tuple[int, ...], tuple[str, ...]]:
    """The ways in which facts split the hosts: the part of each host, and which facts do so."""
    splits: dict[tuple[int, ...], tuple[str, ...]] = {}
    for fact, values in facts.items():
        parts = list(dict.fromkeys(values))
        if None in parts or not 1 < len(parts) <= count // 2:
            continue
        split = tuple(parts.index(each) for each in values)
        splits[split] = (*splits.get(split, ()), fact)
    return splits


def _chance(split: tuple[int, ...], logs: Array, variances: Array) -> float:
    """The probability that parts without any difference are as far apart: the F test of a
    random-effects regression, with the variance that hosts of one part have.
    """
    parts = [np.flatnonzero(np.array(split) == part) for part in range(max(split) + 1)]
    degrees = len(logs) - len(parts)

    def excess(between: float) -> float:
        return sum(_squares(logs[each], variances[each] + between) for each in parts) - degrees

    weights = 1 / (variances + _root(excess, logs, variances))
    inside = sum(_squares(logs[each], 1 / weights[each]) for each in parts)
    outside = _squares(logs, 1 / weights) - inside
    return exceeds_f(len(parts) - 1, degrees, outside / (len(parts) - 1))


def _squares(logs: Array, variances: Array) -> float:
    """The weighted squares around their weighted mean."""
    weights = 1 / variances
    return float(np.sum(weights * (logs - np.average(logs, weights=weights)) ** 2))


def _goes_with(
    found: Sequence[OnHost],
    names: tuple[str, ...],
    split: tuple[int, ...],
    facts: Mapping[str, Sequence[Hashable]],
    chance: float,
) -> GoesWith:
    parts = []
    for part in dict.fromkeys(split):
        members = [place for place, each in enumerate(split) if each == part]
        values = tuple(facts[name][members[0]] for name in names)
        parts.append((values, over([found[each] for each in members])))
    parts.sort(key=lambda each: each[1].center)
    return GoesWith(names, tuple(parts), chance)
