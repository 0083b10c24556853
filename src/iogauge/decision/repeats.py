"""How many replicates, in all, it likely takes until something is decided."""

from __future__ import annotations

import math
from collections.abc import Iterable

from iogauge.decision.best import Pairs
from iogauge.decision.group import GroupDecision
from iogauge.decision.looks import FEWEST_REPLICATES, until
from iogauge.decision.sets import SetDecision


def to_decide(decision: GroupDecision | None, precision: float, tolerance: float) -> int | None:
    """Until a group is likely decided; None when that cannot be said. Both margins are fractions,
    and without a decision it takes the fewest.
    """
    if decision is None:
        return FEWEST_REPLICATES
    margin, floor = math.log1p(tolerance), decision.floor
    needed = [
        for_set(decision.pairs, each, decision.comparisons_with_best, margin)
        for each in decision.open
    ]
    needed += [
        for_pair(decision.pairs, *pair, decision.comparisons, floor, math.log1p(precision))
        for pair in decision.open_pairs
    ]
    needed += [each.needed for each in decision.versions if each.open]
    return most(needed)


def most(needed: Iterable[int | None]) -> int | None:
    """What is needed for all of them: None where that cannot be said of one."""
    found = list(needed)
    known = [each for each in found if each is not None]
    return max(known, default=0) if len(known) == len(found) else None


def for_set(pairs: Pairs, found: SetDecision, comparisons: int, tolerance: float) -> int | None:
    """Until a set is probably decided; None if not even the most replicates are likely to do.
    `tolerance` is a log.
    """
    costs, needed = found.costs, 0
    for case in found.open_cases:
        count = int(pairs.counts[case, costs.best])
        if count < FEWEST_REPLICATES:
            needed = max(needed, FEWEST_REPLICATES)
            continue
        center, lo, hi = (float(each[case]) for each in (costs.centers, costs.lo, costs.hi))
        gained = max(0.0, float(pairs.degrees[case, costs.best]) - (count - 1))
        reach = max(hi - center, center - lo)
        first = until(count, gained, comparisons, reach, abs(center - tolerance))
        if first is None:
            return None
        needed = max(needed, first)
    return needed


def for_pair(
    pairs: Pairs, one: int, other: int, comparisons: int, floor: float, margin: float
) -> int | None:
    """Until two cases are probably told apart, or compared as precisely as the `margin` asks for;
    None if not even the most replicates are likely to do. No difference below the `floor` is
    reported. Both are logs.
    """
    count, center = int(pairs.counts[one, other]), abs(float(pairs.centers[one, other]))
    if count < FEWEST_REPLICATES:
        return FEWEST_REPLICATES
    lo, hi = pairs.interval(one, other, comparisons)
    reach = (hi - lo) / 2
    if center <= floor and (reach < center or margin <= center):
        return None
    gained = max(0.0, float(pairs.degrees[one, other]) - (count - 1))
    enough = max(margin, center if center > floor else 0.0)
    return until(count, gained, comparisons, reach, enough)
