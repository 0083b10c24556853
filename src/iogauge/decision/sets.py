"""Is the question of a set of cases decided: which case to use, and is a simple one good enough?

A case is *good enough* if it costs surely no more than the tolerance against the best of its set.
The simplest such case is recommended. A set is decided when every simpler case is surely beyond
the tolerance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from iogauge.decision.best import FAR, Costs, Pairs, costs

BEYOND_CONTROL = 3.0
"""Where identical code seems to differ, other cases may be off by up to so many times as much (as
logs): the A/A control is one draw of what sets identical code apart, and the two of many cases that
are furthest apart are more unlike (docs/decisions/0017-a-control-that-differs.md).
"""


@dataclass(frozen=True, slots=True)
class Control:
    """The A/A control against the baseline: the log of their ratio and its bounds. Identical code
    seems to differ (`alarm`) if these exclude zero.
    """

    center: float
    lo: float
    hi: float
    replicates: int

    @property
    def floor(self) -> float:
        """The noise floor, a log: the larger absolute bound. No difference below it is reported."""
        return max(-self.lo, self.hi)

    @property
    def alarm(self) -> bool:
        return self.lo > 0 or self.hi < 0

    @property
    def unexplained(self) -> float:
        """By how much ratios may be off that no interval covers, a log: none without an alarm."""
        return BEYOND_CONTROL * self.floor if self.alarm else 0.0


@dataclass(frozen=True, slots=True)
class SetDecision:
    """What is known about one set of cases. `recommended` is None while no case is good enough.
    `open_cases` are those that more replicates may make the recommended one.
    """

    costs: Costs
    recommended: int | None
    open_cases: tuple[int, ...]
    surely_slower: tuple[int, ...]

    @property
    def decided(self) -> bool:
        return not self.open_cases


def control_of(pairs: Pairs, control: int | None, baseline: int) -> Control | None:
    """None without a control, or without a replicate that has both."""
    if control is None or not pairs.counts[control, baseline]:
        return None
    lo, hi = pairs.intervals(2)
    at = control, baseline
    return Control(float(pairs.centers[at]), float(lo[at]), float(hi[at]), int(pairs.counts[at]))


def widened(pairs: Pairs, noise: Control | None) -> Pairs:
    """The pairs with intervals that are wider by what identical code seems to differ."""
    if noise is None:
        return pairs
    return replace(pairs, clock_error=pairs.clock_error + noise.unexplained)


def decide_set(
    pairs: Pairs,
    members: Sequence[int],
    comparisons: int,
    tolerance: float,
    noise: Control | None,
) -> SetDecision:
    """Of the cases in `members`, the simplest first. `tolerance` is a log."""
    return _decide(costs(pairs, members, comparisons), members, tolerance, noise, ordered=True)


def _decide(
    found: Costs, members: Sequence[int], tolerance: float, noise: Control | None, *, ordered: bool
) -> SetDecision:
    """Without an order, each case is open that may be good enough or not."""
    floor = noise.floor if noise else 0.0
    # Before the control has enough replicates there is no floor, and only far is far enough.
    far = FAR if math.isinf(floor) else math.inf
    have = [each for each in members if np.isfinite(found.centers[each])]
    # Under an alarm, one case alone is no better known than identical code is alike.
    known = noise is None or not noise.alarm or floor <= tolerance
    good = [each for each in have if found.hi[each] <= tolerance and known]
    slower = [
        each
        for each in have
        if found.lo[each] > far or (found.lo[each] > 0 and found.centers[each] > floor)
    ]
    recommended = good[0] if good else None
    considered = have[: have.index(recommended)] if recommended is not None and ordered else have
    undecided = [each for each in considered if found.lo[each] <= tolerance and each not in good]
    return SetDecision(found, recommended, tuple(undecided), tuple(slower))


def decide_between(
    pairs: Pairs,
    sets: Mapping[str, Sequence[int]],
    bests: Mapping[str, int],
    comparisons: int,
    tolerance: float,
    noise: Control | None,
) -> SetDecision:
    """How the bests of the sets compare. Which case of a set is its best is not sure: so a set
    costs what the cheapest of all its cases costs, and at most what any of them does.
    """
    whole = costs(pairs, [case for each in sets.values() for case in each], comparisons)
    found = costs(pairs, list(bests.values()), comparisons)
    lo, hi = found.lo.copy(), found.hi.copy()
    for name, best in bests.items():
        members = [each for each in sets[name] if np.isfinite(whole.centers[each])]
        lo[best] = min((whole.lo[each] for each in members), default=0.0)
        hi[best] = min((whole.hi[each] for each in members), default=math.inf)
    can_be_best = tuple(each for each in bests.values() if lo[each] <= 0)
    widened = replace(found, lo=lo, hi=hi, can_be_best=can_be_best)
    return _decide(widened, list(bests.values()), tolerance, noise, ordered=False)


def among(
    pairs: Pairs,
    members: Sequence[int],
    comparisons: int,
    tolerance: float,
    baseline: int,
    control: int | None,
) -> SetDecision:
    """The decision on these cases alone, the simplest first, by the rule of a set. `comparisons`
    are those of the whole group, and `tolerance` is a fraction.
    """
    noise = control_of(pairs, control, baseline)
    return decide_set(widened(pairs, noise), members, comparisons, math.log1p(tolerance), noise)
