"""Random orders: which replicate starts, measures and cuts what, all drawn from the plan's seed."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

from iogauge.model.method import Method
from iogauge.model.plan import Bundle, Plan

T = TypeVar("T")

_PAGE, _WORD = 4096, 8


def shuffled(plan: Plan, items: Sequence[T], *place: int | str) -> list[T]:
    """The items in the random order that the seed gives to this place of the run."""
    order = list(items)
    random.Random(f"{plan.seed}/{'/'.join(map(str, place))}").shuffle(order)
    return order


def round_orders(
    plan: Plan,
    group: int,
    replicate: int,
    part: int,
    live: Sequence[int],
    fewer: Mapping[int, int],
) -> list[list[int]]:
    """For each round its cases, in the order in which they are measured; a round may be empty.

    `fewer` says of a slow case in how many rounds it takes part. These rounds are drawn at random
    and are the same for all slow cases, as far as they go, so that slow cases meet each other.
    """
    rounds = plan.groups[group].rounds
    drawn = shuffled(plan, range(rounds), "fewer", group, replicate, part)
    rank = {number: place for place, number in enumerate(drawn)}

    def order(number: int) -> list[int]:
        taking_part = [case for case in live if rank[number] < fewer.get(case, rounds)]
        return shuffled(plan, taking_part, "round", group, replicate, part, number)

    return [order(number) for number in range(rounds)]


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
    """The live cases of a bundle, cut so that the forks of a part fit into memory together.

    Every part contains the baseline of each group that it serves: cases of different parts are
    compared through it. Forks are dealt to parts in random order. `memory_mib` is per fork.
    """
    by_fork: dict[int, list[int]] = {}
    for case in live:
        by_fork.setdefault(plan.fork_of[case], []).append(case)
    if sum(memory_mib[fork] for fork in by_fork) <= plan.memory_limit_mib:
        return [list(live)]
    groups = [plan.groups[group] for group in bundle.groups]
    baseline_of = {case: group.baseline for group in groups for case in group.cases}
    # A fork that serves baselines only comes into every part by itself.
    dealt = [
        fork for fork, cases in by_fork.items() if any(baseline_of[case] != case for case in cases)
    ]
    cut: list[set[int]] = []
    # The word in the seed's place is part of the format: another one gives other orders.
    for fork in shuffled(plan, sorted(dealt), "blocks", bundle.groups[0], replicate):
        cases = set(by_fork[fork]) | {baseline_of[case] for case in by_fork[fork]} & set(live)
        for part in cut:
            if _memory(plan, part | cases, memory_mib) <= plan.memory_limit_mib:
                part |= cases
                break
        else:
            cut.append(cases)
    return [sorted(part) for part in cut]


def _memory(plan: Plan, cases: set[int], memory_mib: dict[int, int]) -> int:
    return sum(memory_mib[fork] for fork in {plan.fork_of[case] for case in cases})
