"""A study of the few ways to read one file of the user's that are worth half a minute."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from iogauge.advice.considered import too_large
from iogauge.advice.covering import FEWEST
from iogauge.advice.wanted import SUMS_OF
from iogauge.model.strategy import Format, Runtime, Strategy
from iogauge.model.workload import Cache, Consume
from iogauge.runners import hints

FEW, MANY = (131072,), (8192, 131072)
"""Block sizes to try, in bytes, where time is short and where it is not."""
_LARGE_BUFFER = 65536
ROUNDS, FEW_ROUNDS = (5, 3), (3, 2)
"""Rounds of a replicate, cached and from disk, where there is time and where it is short."""


def file_study(
    runtimes: Sequence[Runtime],
    language: str | None,
    length: int,
    caches: Sequence[Cache],
    memory: int,
    budget: float,
    *,
    blocks: Sequence[int],
    lines: bool,
    two_ways: bool = False,
    rounds: tuple[int, int] = ROUNDS,
    form: Format = "plain",
) -> str | None:
    """A study as TOML, for `budget` seconds: the file of `length` bytes as a whole, in each state
    of the cache, with these `blocks`, and its `lines`; with `two_ways`, only the simplest way of
    each language and the one that is likely the fastest. Only ways for files of this `form` are
    taken; ways that need too much of the available
    `memory`, in bytes, are left out. None if no language has two ways.

    The first case is the baseline, which is measured twice: it is of a runtime that starts quickly.
    """
    quickly = sorted(runtimes, key=lambda each: each.start_seconds + each.longest_warm_up_seconds)
    declared = [
        each
        for each in readers(quickly, length, memory, form)
        if each.name in hints.all_names() and language in (None, each.language)
    ]
    by_byte = [each for each in declared if each.sums in SUMS_OF["byte"]]
    ways = _whole if form == "plain" else _unpacking
    whole = ways(by_byte, [each for each in blocks if each <= length] or blocks[:1], two_ways)
    if not whole:
        return None
    question = "What is the best way to read this file?"
    groups = [group("whole", question, length, caches, whole, "touch")]
    by_line = [each for each in declared if each.sums in SUMS_OF["line"]]
    if lines and (found := rows(_with_rivals([(each.name, "") for each in by_line]))):
        question = "What is the best way to read its lines?"
        groups.append(group("lines", question, length, caches[:1], found, "sum"))
    return "\n".join([*head("The best way to read a file of yours", budget, rounds), *groups])


def readers(
    runtimes: Sequence[Runtime], length: int, memory: int, form: Format = "plain"
) -> list[Strategy]:
    """The strategies that can read a file of this `form` with `length` bytes of data in `memory`,
    each once.
    """
    declared = {
        name: strategy
        for runtime in runtimes
        for name, strategy in runtime.strategies.items()
        if not strategy.unavailable
        and (strategy.operation, strategy.access) == ("read", "sequential")
        and strategy.format == form
        and not strategy.bypasses_cache  # it would be compared from the disk only
        and not too_large(strategy, length, memory)
    }
    return list(declared.values())


def head(title: str, budget: float, rounds: tuple[int, int] = ROUNDS) -> list[str]:
    """The first lines of a study of the user's file."""
    return [
        'id = "your-file"',
        f'title = "{title}"',
        f"budget = {budget}",
        f"rounds = {{ warm = {rounds[0]}, cold = {rounds[1]} }}",
    ]


def group(
    identifier: str,
    question: str,
    length: int,
    caches: Sequence[Cache],
    rows: Sequence[str],
    consume: Consume,
) -> str:
    """A group of a study of the user's file."""
    return "\n".join(
        [
            "\n[[group]]",
            f'id = "{identifier}"',
            f'question = "{question}"',
            f'size = {length}\ncontent = "own"',
            f"cache = {list(caches)}",
            f'consume = "{consume}"',
            *rows,
        ]
    )


def _whole(strategies: Sequence[Strategy], blocks: Sequence[int], two_ways: bool) -> list[str]:
    """Per language the simplest way that takes blocks, at once, and mapped."""
    simplest = simplest_of_each(strategies)
    # In the order of the runtimes, not of effort.
    languages = list(dict.fromkeys(each.language for each in strategies))
    found = [
        each
        for language in languages
        for each in chosen([one for one in simplest if one.language == language], two_ways=two_ways)
    ]
    return rows(
        _with_rivals(
            [
                (each.name, f"{piece} = {block}" if piece else "")
                for each in found
                for piece in [each.parameter("piece")]
                for block in (blocks if piece else blocks[:1])
            ]
        )
    )


def _unpacking(strategies: Sequence[Strategy], blocks: Sequence[int], two_ways: bool) -> list[str]:
    """Per language all ways to unpack the file, the simplest first, or two of them. What they hold
    the packed bytes in is tried as it is by itself, and larger.
    """
    found = []
    for language in dict.fromkeys(each.language for each in strategies):
        ways = sorted((one for one in strategies if one.language == language), key=_simplicity)
        for each in ways[:FEWEST] if two_ways else ways:
            piece, buffer = each.parameter("piece"), each.parameter("buffer")
            given = f"{piece} = {blocks[-1]}, " if piece else ""
            sizes = (each.parameters[buffer].default, _LARGE_BUFFER) if buffer else ()
            values = [f"{given}{buffer} = {size}" for size in dict.fromkeys(sizes)] or [given]
            found += [(each.name, value.removesuffix(", ")) for value in values]
    return rows(_with_rivals(found))


def simplest_of_each(strategies: Sequence[Strategy]) -> list[Strategy]:
    """Per language the simplest way of each kind: in blocks, at once, mapped."""
    simplest: dict[tuple[str, str, bool], Strategy] = {}
    for each in sorted(strategies, key=_simplicity):
        if not (each.parameter("piece") and each.parameter("buffer")):
            simplest.setdefault((each.language, each.unit, each.mapped), each)
    return list(simplest.values())


def chosen(ways: Sequence[Strategy], *, two_ways: bool) -> list[Strategy]:
    """The ways of a language, the simplest first; of `two_ways` the other one is mapped or, where
    there is none, takes blocks: what holds the whole file is rarely the fastest.
    """
    if not two_ways or len(ways) <= FEWEST:
        return list(ways)
    rest = sorted(ways[1:], key=lambda each: (not each.mapped, not each.parameter("piece")))
    return [ways[0], *rest[: FEWEST - 1]]


def _simplicity(strategy: Strategy) -> tuple[int, float, bool, str]:
    """Of two that are as simple, first the one whose calls can be counted: it can be explained."""
    uncounted = strategy.uncounted is not None
    return strategy.effort, strategy.needs.memory_per_file_byte, uncounted, strategy.name


def _with_rivals(ways: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The ways, as strategies with parameters, in languages that have enough of them."""
    of_language: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for each in ways:
        of_language[each[0].partition("/")[0]].append(each)
    return [way for some in of_language.values() if len(some) >= FEWEST for way in some]


def rows(ways: Iterable[tuple[str, str]]) -> list[str]:
    """The cases of a group: strategies with parameters."""
    return [
        f'[[group.case]]\nstrategy = "{name}"\nparameters = {{ {parameters} }}'
        for name, parameters in ways
    ]
