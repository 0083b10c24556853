"""Is the question of a group decided: which case to use, and is a simple one good enough?

A case is *good enough* if it costs surely no more than the tolerance against the best of its set.
The simplest such case is recommended. A set is decided when every simpler case is surely beyond
the tolerance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from iogauge.statistics.best import FEWEST_REPLICATES, Costs, Pairs, costs, error_at
from iogauge.statistics.looks import MOST_REPLICATES
from iogauge.statistics.quantiles import Array
from iogauge.statistics.special import students_t

BEYOND_TWIN = 3.0
"""Where identical code seems to differ, other cases may be off by up to so many times as much (as
logs): the twin is one draw of what sets identical code apart, and the two of many cases that are
furthest apart are more unlike (docs/decisions/0017-a-twin-that-differs.md).
"""


@dataclass(frozen=True, slots=True)
class Twin:
    """The A/A twin against the baseline: the log of their ratio and its bounds. Identical code
    seems to differ (`alarm`) if these exclude zero.
    """

    center: float
    lo: float
    hi: float
    replicates: int

    @property
    def floor(self) -> float:
        """The noise floor: no difference below it is told. The larger absolute bound, a log."""
        return max(-self.lo, self.hi)

    @property
    def alarm(self) -> bool:
        return self.lo > 0 or self.hi < 0

    @property
    def unexplained(self) -> float:
        """By how much ratios may be off that no interval covers, a log: none without an alarm."""
        return BEYOND_TWIN * self.floor if self.alarm else 0.0


@dataclass(frozen=True, slots=True)
class Answer:
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


@dataclass(frozen=True, slots=True)
class Standing:
    """What the data of a group say: an answer for each set, and how the bests of the sets compare
    with each other.
    """

    answers: Mapping[str, Answer]
    between: Answer | None
    twin: Twin | None
    open: tuple[Answer, ...]
    """The answers that a run goes on for."""
    live: tuple[int, ...]
    """The cases that the next replicate must measure; none where all is decided."""


def twin_of(pairs: Pairs, twin: int | None, baseline: int) -> Twin | None:
    """None without a twin, or without a replicate that has both."""
    if twin is None or not pairs.counts[twin, baseline]:
        return None
    lo, hi = pairs.intervals(2)
    at = twin, baseline
    return Twin(float(pairs.centers[at]), float(lo[at]), float(hi[at]), int(pairs.counts[at]))


def answer(
    pairs: Pairs, members: Sequence[int], comparisons: int, tolerance: float, twin: Twin | None
) -> Answer:
    """Of the cases in `members`, the simplest first. `tolerance` is a log."""
    return _answer(costs(pairs, members, comparisons), members, tolerance, twin, ordered=True)


def _answer(
    found: Costs, members: Sequence[int], tolerance: float, twin: Twin | None, *, ordered: bool
) -> Answer:
    """Without an order, each case is open that may be good enough or not."""
    floor = twin.floor if twin else 0.0
    have = [each for each in members if np.isfinite(found.centers[each])]
    # Under an alarm, one case alone is no better known than identical code is alike.
    known = twin is None or not twin.alarm or floor <= tolerance
    good = [each for each in have if found.hi[each] <= tolerance and known]
    slower = [each for each in have if found.lo[each] > 0 and found.centers[each] > floor]
    recommended = good[0] if good else None
    asked = have[: have.index(recommended)] if recommended is not None and ordered else have
    undecided = [each for each in asked if found.lo[each] <= tolerance and each not in good]
    return Answer(found, recommended, tuple(undecided), tuple(slower))


def _between(
    pairs: Pairs,
    sets: Mapping[str, Sequence[int]],
    bests: Mapping[str, int],
    comparisons: int,
    tolerance: float,
    twin: Twin | None,
) -> Answer:
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
    return _answer(widened, list(bests.values()), tolerance, twin, ordered=False)


def among(
    pairs: Pairs,
    members: Sequence[int],
    comparisons: int,
    tolerance: float,
    baseline: int,
    twin: int | None,
) -> Answer:
    """The answer of these cases alone, the simplest first, by the rule by which `stand` has that of
    a set. `comparisons` are those of the whole group, and `tolerance` is a fraction.
    """
    noise = twin_of(pairs, twin, baseline)
    return answer(_beside(pairs, noise), members, comparisons, math.log1p(tolerance), noise)


def _beside(pairs: Pairs, noise: Twin | None) -> Pairs:
    """With intervals that are wider by what identical code seems to differ."""
    return replace(pairs, blur=pairs.blur + noise.unexplained) if noise else pairs


def stand(
    pairs: Pairs,
    sets: Mapping[str, Sequence[int]],
    tolerance: float,
    baseline: int,
    twin: int | None = None,
    *,
    sets_too: bool = False,
) -> Standing:
    """The standing of a group. Cases are compared with the others of their set, and a run goes on
    until that is decided; with `sets_too`, or where every set has one case, until the sets are.
    `sets` has the cases of each set, the simplest first, without the twin. `tolerance` is a
    fraction (0.1 = 10 %).
    """
    margin, cases = math.log1p(tolerance), sum(map(len, sets.values()))
    noise, comparisons = twin_of(pairs, twin, baseline), cases - 1
    pairs = _beside(pairs, noise)
    answers = {
        name: answer(pairs, members, comparisons, margin, noise) for name, members in sets.items()
    }
    bests = {name: each.costs.best for name, each in answers.items() if each.costs.best is not None}
    between = None
    if len(bests) > 1:
        between = _between(pairs, sets, bests, comparisons, margin, noise)
    asked = [*answers.values(), *([between] if between and sets_too else [])]
    if between and all(len(members) == 1 for members in sets.values()):
        asked = [between]
    still = tuple(each for each in asked if not each.decided)
    live = {case for each in still for case in (*each.open_cases, *each.costs.can_be_best)}
    if live:
        live |= {baseline} | ({twin} if twin is not None else set())
    return Standing(answers, between, noise, still, tuple(sorted(live)))


def replicates_needed(
    pairs: Pairs, answer: Answer, comparisons: int, tolerance: float
) -> int | None:
    """After how many replicates, in all, the answer is probably decided; None if not even the most
    replicates are likely to do. `tolerance` is a log.

    Half-widths are taken to shrink like q(n) / sqrt(n), where q is the quantile at the error of the
    look at n.
    """
    needed = 0
    for case in answer.open_cases:
        count = int(pairs.counts[case, answer.costs.best])
        if count < FEWEST_REPLICATES:
            needed = max(needed, FEWEST_REPLICATES)
            continue
        found = answer.costs
        center, lo, hi = (float(each[case]) for each in (found.centers, found.lo, found.hi))
        gained = max(0.0, float(pairs.degrees[case, answer.costs.best]) - (count - 1))
        reach = max(hi - center, center - lo)
        first = replicates_until(count, gained, comparisons, reach, abs(center - tolerance))
        if first is None:
            return None
        needed = max(needed, first)
    return needed


def replicates_for_pair(
    pairs: Pairs, one: int, other: int, comparisons: int, floor: float, margin: float
) -> int | None:
    """After how many replicates, in all, two cases are probably told apart, or compared as
    precisely as the `margin` asks for; None if not even the most replicates are likely to do. No
    difference below the `floor` is told. Both are logs.
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
    return replicates_until(count, gained, comparisons, reach, enough)


def replicates_until(
    count: int, gained: float, comparisons: int, reach: float, enough: float
) -> int | None:
    """After how many replicates, in all, an interval that has the half-width `reach` after `count`
    of them probably has less than `enough`; None if not even after the most. `gained` are degrees
    of freedom that the replicates do not give.
    """
    replicates = np.arange(count, MOST_REPLICATES + 1)
    widths = _widths(replicates, gained, comparisons)
    precise = replicates[1:][reach / widths[0] * widths[1:] < enough]
    return int(precise[0]) if len(precise) else None


def _widths(replicates: NDArray[np.int64], gained: float, comparisons: int) -> Array:
    error = error_at(replicates) / max(2, comparisons)
    return np.asarray(students_t(replicates - 1 + gained, error) / np.sqrt(replicates))
