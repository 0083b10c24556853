"""Random orders: which replicate starts, measures and cuts what, all drawn from the plan's seed."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import TypeVar

from iogauge.model.method import Method
from iogauge.model.plan import Bundle, Group, Plan

T = TypeVar("T")

_PAGE, _WORD = 4096, 8


def shuffled(plan: Plan, items: Sequence[T], *place: int | str) -> list[T]:
    """The items in the random order that the seed gives to this place of the run."""
    order = list(items)
    random.Random(f"{plan.seed}/{'/'.join(map(str, place))}").shuffle(order)
    return order


def williams(items: int) -> list[list[int]]:
    """Orders of so many items in which each follows each other one equally often: as many orders as
    items, or twice as many if they are odd (Williams 1949).
    """
    first = [(place + 1) // 2 if place % 2 else -place // 2 for place in range(items)]
    square = [[(each + row) % items for each in first] for row in range(items)]
    return square if items % 2 == 0 else square + [order[::-1] for order in square]


class RoundOrders:
    """The orders in which the cases of rounds are measured: the rows of Williams squares, with
    cases and rows in random order. One square is used up before the next one of the same cases
    begins. Two versions of a case follow one another, in an order from a square of their own.
    `taken` has the cases of each round that was measured before, by group.
    """

    def __init__(self, plan: Plan, taken: Iterable[tuple[int, Iterable[int]]] = ()):
        self._plan = plan
        self._used = Counter((group, *sorted(cases)) for group, cases in taken)

    def next(self, group: int, cases: Iterable[int]) -> list[int]:
        """The next order of these cases of a group, of which there is at least one."""
        ordered = sorted(cases)
        key = (group, *ordered)
        used = self._used[key]
        self._used[key] += 1
        found = together(self._plan.groups[group], ordered)
        if all(len(each) == 1 for each in found):
            return self._order(ordered, used, key)
        units = {each[0]: each for each in found}
        first = self._order(list(units), used, (*key, "pairs"))
        within = (self._order(units[each], used, (*key, "within", each)) for each in first)
        return [case for each in within for case in each]

    def _order(self, items: Sequence[int], used: int, key: tuple[int | str, ...]) -> list[int]:
        """An order of the items, after so many that were used."""
        square = williams(len(items))
        turn, row = divmod(used, len(square))
        labels = shuffled(self._plan, items, "cases", *key, turn)
        order = square[shuffled(self._plan, range(len(square)), "rows", *key, turn)[row]]
        return [labels[each] for each in order]


def together(group: Group, cases: Sequence[int]) -> list[list[int]]:
    """The cases of a group that are measured one right after the other: two versions of a case,
    with the control of one; each other case by itself. In the order of their first ones.
    """
    with_case = {case: pair.old for pair in group.pairs for case in pair}
    if group.control is not None and group.pairs:
        with_case[group.control] = with_case.get(group.baseline, group.control)
    found: dict[int, list[int]] = {}
    for case in cases:
        found.setdefault(with_case.get(case, case), []).append(case)
    return list(found.values())


def layout_of(plan: Plan, replicate: int, layouts: int) -> int:
    """The build that a replicate's forks start: random, each once before one comes again."""
    turn, place = divmod(replicate, layouts)
    return shuffled(plan, range(layouts), "layouts", turn)[place]


def padding_of(plan: Plan, replicate: int, fork: int) -> int:
    """Bytes that a fork allocates first, so that memory lies elsewhere in the page in each fork."""
    return random.Random(f"{plan.seed}/padding/{replicate}/{fork}").randrange(0, _PAGE, _WORD)


def rounds_of(rounds: int, sample_seconds: float, method: Method, behind: float = 1.0) -> int:
    """How many rounds a case takes part in, by its length and how far behind it is."""
    share, fewest = 1.0, method.fewest_rounds
    if behind > method.behind:
        share, fewest = 1 / behind, method.fewest_behind
    if sample_seconds:
        share *= min(1.0, method.long_sample / sample_seconds)
    return min(rounds, max(fewest, round(rounds * share)))


def parts(
    plan: Plan, bundle: Bundle, replicate: int, live: Sequence[int], memory_mib: dict[int, int]
) -> list[list[int]]:
    """The live cases of a bundle, cut so that the forks of a part fit together into memory, and
    into the limit of open files.

    Every part contains the baseline of each group that it serves: cases of different parts are
    compared through it. Two versions of a case are in one part. Forks are dealt to parts in random
    order. `memory_mib` is per fork.
    """
    by_fork: dict[int, list[int]] = {}
    for case in live:
        by_fork.setdefault(plan.fork_of[case], []).append(case)
    if fits(plan, by_fork.keys(), memory_mib):
        return [list(live)]
    groups = [plan.groups[group] for group in bundle.groups]
    baseline_of = {case: group.baseline for group in groups for case in group.cases}
    beside = {
        case: {*each}
        for group in groups
        for each in together(group, [case for case in group.cases if case in live])
        for case in each
    }
    # A fork that serves baselines only comes into every part by itself.
    dealt = [
        fork for fork, cases in by_fork.items() if any(baseline_of[case] != case for case in cases)
    ]
    cut: list[set[int]] = []
    # The word in the seed's place is part of the format: another one gives other orders.
    for fork in shuffled(plan, sorted(dealt), "blocks", bundle.groups[0], replicate):
        if any(set(by_fork[fork]) <= part for part in cut):  # with its other version
            continue
        cases = set().union(*(beside[case] for case in by_fork[fork]))
        cases |= {baseline_of[case] for case in cases} & set(live)
        for part in cut:
            if fits(plan, {plan.fork_of[case] for case in part | cases}, memory_mib):
                part |= cases
                break
        else:
            cut.append(cases)
    return [sorted(part) for part in cut]


def fits(plan: Plan, forks: Collection[int], memory_mib: dict[int, int]) -> bool:
    """Whether these forks can live at a time."""
    memory = sum(memory_mib[fork] for fork in forks)
    return memory <= plan.memory_limit_mib and len(forks) <= (plan.most_forks or math.inf)


def most_at_a_time(plan: Plan) -> int:
    """How many forks of the plan live at a time, at most."""
    if plan.published:
        return 1
    return plan.most_forks or max(len(each.forks) for each in plan.bundles)


def fewest(plan: Plan, bundle: Bundle) -> int:
    """How many forks live at a time at least: the largest set of one with the baselines that it is
    compared with.
    """
    needed: dict[int, set[int]] = {}
    for group in (plan.groups[index] for index in bundle.groups):
        for cases in together(group, group.cases):
            forks = {plan.fork_of[case] for case in (*cases, group.baseline)}
            for case in cases:
                needed.setdefault(plan.fork_of[case], set()).update(forks)
    return max(map(len, needed.values()), default=0)
