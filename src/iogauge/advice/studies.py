"""The studies that iogauge makes itself: for a workload where no stored run has the answer (first a
few values of each parameter, then a closer look), and for a file of the user's.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from iogauge.advice.wanted import FEWEST, SUMS_OF, Wanted, is_about, too_large, why_not
from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport
from iogauge.corpus.own_file import OwnFile
from iogauge.model.strategy import ParameterRole, Runtime, Strategy
from iogauge.model.workload import USUAL, Cache, CachedBy, Consume
from iogauge.runners import hints
from iogauge.study.loading import made
from iogauge.study.schema import Study

_BLOCKS = (8 << 10, 128 << 10, 1 << 20)
_LARGE_BUFFERS = (64 << 10, 1 << 20)
"""The values to try first; a closer look takes some next to the best of them."""

_ACCESSES = 256  # of one operation: of a cached file some 0.1 ms, from a disk some 30 ms

Values = dict[str, list[int]]
"""The values to try of each parameter."""


def first_study(
    wanted: Wanted, runtimes: Sequence[Runtime], memory: int, budget: float
) -> Study | None:
    """A study that measures the ways that may be advised, within `budget` seconds.

    Ways that need too much of the available `memory`, in bytes, are left out. None if no language
    has two ways.
    """
    tried = _tried(wanted, runtimes, memory)
    return closer_study(wanted, tried.items(), budget) if tried else None


def closer_study(
    wanted: Wanted,
    tried: Iterable[tuple[str, Mapping[str, int | list[int]]]],
    budget: float,
    cached_by: Sequence[CachedBy] = (),
) -> Study:
    """A study that measures only these strategies, with these values of their parameters; cached
    files in these states, if any are given.
    """
    keys: dict[str, Any] = {
        "id": "asked",
        "question": f"Which way to {wanted.title}?",
        "operation": wanted.operation,
        "size": wanted.length,
        "case": [{"strategy": name, "parameters": values} for name, values in tried],
        "content": "own" if wanted.own else "bytes" if wanted.unit == "byte" else "text",
        "cache": wanted.cache,
        "durability": wanted.durability,
    }
    if cached_by or wanted.cached_by:
        keys["cached_by"] = list(cached_by) or wanted.cached_by
    if wanted.operation == "read":
        keys["consume"] = "touch" if wanted.unit == "byte" else "sum"
    if wanted.record and wanted.access == "random":
        keys["accesses"] = min(_ACCESSES, wanted.length // wanted.record)
    about = {
        "id": "advise",
        "title": f"Which way to {wanted.title}",
        "budget": budget,
        "precision": 0.02,
        "rounds": {"warm": 8, "cold": 12, "write": 6},
    }
    return made("advise", about, keys)


def read_after(
    wanted: Wanted, runtimes: Sequence[Runtime], memory: int, budget: float
) -> Study | None:
    """A study for `budget` seconds: a file of the size that is to be written, read by the simplest
    mapping of the language and by its simplest calls, as large writes leave it and as small ones.
    None if the language has not both.
    """
    then = Wanted(wanted.language, size=wanted.size, cache="warm")
    able = {
        name: strategy
        for runtime in runtimes
        for name, strategy in runtime.strategies.items()
        if is_about(strategy, then) and why_not(strategy, then, memory) is None
    }
    simplest = sorted(able.values(), key=_simplicity)
    plain = next((each for each in simplest if each.parameter("piece")), None)
    mapped = next((each for each in simplest if each.reads_mapped), None)
    if plain is None or mapped is None:
        return None
    ways = _in_one_block([plain, mapped], then.length)
    question = "What does it cost whoever reads the file next?"
    group = _group("next", question, then.length, ["warm"], ways, "touch")
    group |= {"content": "bytes", "cached_by": ["write-large", "write-small"]}
    about = {"id": "then-read", "title": "Who reads a file next", "budget": budget}
    return made("then-read", about, group)


def _tried(wanted: Wanted, runtimes: Sequence[Runtime], memory: int) -> dict[str, Values]:
    """By strategy the values to try, in languages with at least two ways."""
    declared = {
        name: strategy
        for runtime in runtimes
        for name, strategy in runtime.strategies.items()
        if is_about(strategy, wanted) and why_not(strategy, wanted, memory) is None
    }
    values = {name: _values(declared[name], wanted) for name in sorted(declared)}
    ways: Counter[str] = Counter()
    for name, tried in values.items():
        ways[declared[name].language] += math.prod(map(len, tried.values()))
    return {
        name: tried
        for name, tried in values.items()
        if all(tried.values()) and ways[declared[name].language] >= FEWEST
    }


def _values(strategy: Strategy, wanted: Wanted) -> Values:
    """The values to try of a strategy that is a way, by parameter; none of one that takes none."""
    length, bounds, found = wanted.length, strategy.parameters, dict[str, list[int]]()
    if piece := strategy.parameter("piece"):
        blocks = [value for value in _BLOCKS if value == _BLOCKS[0] or value <= length]
        found[piece] = [wanted.record] if wanted.record else blocks
    if buffer := strategy.parameter("buffer"):
        large = [value for value in _LARGE_BUFFERS if value <= max(length, _LARGE_BUFFERS[0])]
        found[buffer] = sorted({bounds[buffer].default, *large})
    return {
        name: [value for value in values if bounds[name].min <= value <= bounds[name].max]
        for name, values in found.items()
    }


_FAR_BEHIND = 1.25  # times the time of the best of its language: no choice any more
_GOOD_ENOUGH = 1.1  # in a first look

Chosen = tuple[str, dict[str, int]]
"""A strategy and its parameters."""
_Key = tuple[str, tuple[tuple[str, int], ...]]


def closer_look(group: GroupReport) -> list[Chosen]:
    """The cases worth a closer look, and new ones next to the best of each language (or runtime).

    Each language has at least two, if it had. Empty if nothing has a time.
    """
    found: dict[_Key, None] = {}
    for name in group.sets:
        own = [each for each in group.cases if each.rank_set == name and each.ns_per_op]
        near = [each for each in own if _behind(each, own) <= _FAR_BEHIND]
        simplest = min(own, key=lambda each: each.simplicity, default=None)
        if simplest and simplest.strategy.effort < min(each.strategy.effort for each in near):
            near.append(simplest)
        chosen = [*(_key(each) for each in near), *_next_to_the_best(near, own)]
        if len(set(chosen)) < 2:  # nothing to compare it with: the next best
            chosen += [_key(each) for each in own[:2]]
        found |= dict.fromkeys(chosen)
    return [(strategy, dict(parameters)) for strategy, parameters in found]


def _behind(case: CaseReport, own: list[CaseReport]) -> float:
    """Its time over that of the best, by pairs where they are known."""
    if case.is_best or case.ns_per_op is None:
        return 1.0
    if case.vs_best is not None:
        return case.vs_best.center
    best = min(each.ns_per_op.center for each in own if each.ns_per_op)
    return case.ns_per_op.center / best


def _next_to_the_best(near: list[CaseReport], own: list[CaseReport]) -> Iterator[_Key]:
    """New values of the size that decides the calls of the best case that has one."""
    best = next((each for each in near if _size_of(each)), None)
    name = _size_of(best) if best else None
    if best is None or name is None:
        return
    alike = {
        each.case.parameters[name]: _behind(each, own)
        for each in own
        if _key(each, without=name) == _key(best, without=name)
    }
    chosen, tried = best.case.parameters[name], sorted(alike)
    enough = min(each for each in tried if alike[each] <= _GOOD_ENOUGH * alike[chosen])
    for smaller, larger in zip(tried, tried[1:], strict=False):
        if larger == enough or smaller == chosen:
            between = 1 << round(math.log2(smaller * larger) / 2)
            if smaller < between < larger:
                yield _key(best, {name: between})


def _size_of(case: CaseReport) -> str | None:
    """The parameter that decides the size of its calls: its buffer, or else its blocks."""
    roles: tuple[ParameterRole, ...] = ("buffer", "piece")
    of_case = case.strategy.roles
    return next((name for role in roles for name in of_case if of_case[name] == role), None)


def _key(case: CaseReport, changed: Mapping[str, int] | None = None, without: str = "") -> _Key:
    parameters = {**case.case.parameters, **(changed or {})}
    parameters.pop(without, None)
    return case.case.strategy, tuple(sorted(parameters.items()))


FEW, MANY = (131072,), (8192, 131072)
"""Block sizes to try, in bytes, where time is short and where it is not."""
_LARGE_BUFFER = 65536
ROUNDS, FEW_ROUNDS = (5, 3), (3, 2)
"""Rounds of a replicate, cached and from disk, where there is time and where it is short."""
_LINES = "What is the best way to read the lines of this file?"
_BYTES = "What is the best way to read its bytes?"  # behind the question on lines
_WHOLE = "What is the best way to read this file?"
_YOUR_CODE = {
    "byte": "How does your code compare with other ways to read this file?",
    "char": "How does your code compare with other ways to read this text?",
    "line": "How does your code compare with other ways to read its lines?",
}
_SLOW_UNITS = ("byte", "char")  # nobody's code needs to be compared with these
_UNCHECKED = "Which of your functions is fastest on this file?"
_VERSIONS = "Which version of your function is fastest on this file?"
_ONE_UNCHECKED = "How long does your function take on this file?"

Way = tuple[Strategy, dict[str, int]]
"""A strategy and its parameters."""


@dataclass(frozen=True)
class Extent:
    """How much of a file's ways is measured: by line in these states of the cache, as bytes in
    those, with these block sizes; with `two_ways`, of each language only the simplest way and the
    one that is likely the fastest. A language in which no two ways read it by line is asked for its
    bytes all the same. What is cached is so in the ways of `cached_by`.
    """

    lines: Sequence[Cache]
    whole: Sequence[Cache]
    blocks: Sequence[int] = MANY
    two_ways: bool = False
    rounds: tuple[int, int] = ROUNDS
    cached_by: Sequence[CachedBy] = USUAL


def file_study(
    file: OwnFile,
    runtimes: Sequence[Runtime],
    languages: Collection[str] | None,
    memory: int,
    budget: float,
    extent: Extent,
) -> Study | None:
    """A study for `budget` seconds, in these languages or in all: a file of the user's line by
    line, then as a whole. It takes only ways for files of its format, and none that needs too much
    of the available `memory`, in bytes. None if no language has two ways.

    The first case is the baseline, which is measured twice: it is of a runtime that starts quickly.
    """
    quickly = sorted(runtimes, key=lambda each: each.start_seconds + each.longest_warm_up_seconds)
    declared = [
        each
        for each in _able(file, quickly, memory)
        if each.name in hints.all_names() and (languages is None or each.language in languages)
    ]
    by_line = [each for each in declared if each.sums in SUMS_OF["line"] and extent.lines]
    by_byte = [each for each in declared if each.sums in SUMS_OF["byte"]]
    lines = _with_rivals(_line_by_line(by_line, extent.two_ways))
    if not extent.whole:
        asked = {each.language for each, _ in lines}
        by_byte = [each for each in by_byte if each.language not in asked]
    ways = _whole if file.format == "plain" else _unpacking
    fitting = [each for each in extent.blocks if each <= file.size] or extent.blocks[:1]
    whole = _with_rivals(ways(by_byte, fitting, extent.two_ways))
    groups = []
    if lines:
        groups.append(_group("lines", _LINES, file.size, extent.lines, lines, "sum"))
    if whole:
        caches, question = extent.whole or extent.lines, _BYTES if lines else _WHOLE
        groups.append(_group("whole", question, file.size, caches, whole, "touch"))
    title = "The best way to read a file of yours"
    groups = [_cached_by(each, extent.cached_by) for each in groups]
    return _study(title, budget, groups, extent.rounds) if groups else None


def own_study(
    file: OwnFile,
    runtimes: Sequence[Runtime],
    names: Collection[str],
    caches: Sequence[Cache],
    memory: int,
    budget: float,
    cached_by: Sequence[CachedBy] = USUAL,
) -> Study | None:
    """A study for `budget` seconds: a file, read in each state of the cache by the user's own ways,
    which have these `names`, and of the others by the simplest of each language and the one that is
    likely the fastest. What is cached is so in the ways of `cached_by`. Several versions of own
    code need no others. Functions whose result cannot be checked are compared with each other only.
    None where no way can read the file.
    """
    able = _able(file, runtimes, memory)
    own = [each for each in able if each.name in names]
    versions = len(runtimes) > len({each.runner for each in runtimes})
    others = [
        each
        for each in able
        if each.role == "contestant" and each.name not in names and each.unit not in _SLOW_UNITS
    ]
    groups = []
    unchecked = [each for each in own if not each.is_checked]
    if unchecked:
        alone = _VERSIONS if versions else _ONE_UNCHECKED
        question = _UNCHECKED if len(unchecked) > 1 else alone
        ways = _in_one_block(unchecked, file.size)
        groups.append(_group("untold", question, file.size, caches, ways, "none"))
    for unit, sums in SUMS_OF.items():
        mine = [each for each in own if each.sums in sums and _fits(each, file)]
        if not mine:
            continue
        languages = {each.language for each in mine}
        alike = file.is_text or unit == "byte"  # others take text to be UTF-8
        rivals = [each for each in others if each.sums in sums and alike and not versions]
        rivals = _best_known([each for each in rivals if each.language in languages] or rivals)
        ways = _in_one_block([*rivals, *mine], file.size)
        consume: Consume = "touch" if unit == "byte" else "sum"
        groups.append(_group(unit, _YOUR_CODE[unit], file.size, caches, ways, consume))
    groups = [_cached_by(each, cached_by) for each in groups]
    return _study("How your code reads a file", budget, groups) if groups else None


def _cached_by(group: dict[str, Any], states: Sequence[CachedBy]) -> dict[str, Any]:
    """The keys of a group with how its file is to be cached, where it is."""
    return {**group, "cached_by": list(states)} if "warm" in group["cache"] else group


def _fits(strategy: Strategy, file: OwnFile) -> bool:
    """Whether the file has what the strategy counts: characters only if it is UTF-8."""
    return strategy.sums in ("byte", "line-byte") or file.is_text


def tripping(
    file: OwnFile, runtimes: Sequence[Runtime], languages: Collection[str] | None
) -> list[Strategy]:
    """Ways that would be measured if they did not read the file otherwise than it is: those that
    people use, by line only what is text. Where there is code of the user's, those in the language
    of what gives lines.
    """
    every = [each for each in _readers(file, runtimes) if file.is_text or not each.by_line]
    own = [each for each in every if each.is_own]
    of_lines = {each.language for each in own if each.sums in SUMS_OF["line"]}
    return [
        each
        for each in every
        if each.name in hints.all_names()
        and each.trips(file.peculiarities)
        and (each.language in of_lines if own else languages is None or each.language in languages)
    ]


def _able(file: OwnFile, runtimes: Sequence[Runtime], memory: int) -> list[Strategy]:
    """The strategies that read the file as it is, in `memory`, each once."""
    return [
        each
        for each in _readers(file, runtimes)
        if not too_large(each, file.size, memory) and not each.trips(file.peculiarities)
    ]


def _readers(file: OwnFile, runtimes: Sequence[Runtime]) -> list[Strategy]:
    """The strategies for files of this format, each once."""
    declared = {
        name: strategy
        for runtime in runtimes
        for name, strategy in runtime.strategies.items()
        if not strategy.unavailable
        and (strategy.operation, strategy.access) == ("read", "sequential")
        and strategy.medium == "file"
        and strategy.format == file.format
        and not strategy.bypasses_cache  # it would be compared from the disk only
    }
    return list(declared.values())


def _study(
    title: str, budget: float, groups: list[dict[str, Any]], rounds: tuple[int, int] = ROUNDS
) -> Study:
    keys = {
        "title": title,
        "budget": budget,
        "rounds": dict(zip(("warm", "cold"), rounds, strict=True)),
    }
    return made("your-file", {"id": "your-file", **keys}, *groups)


def _group(
    identifier: str,
    question: str,
    length: int,
    caches: Sequence[Cache],
    ways: Sequence[Way],
    consume: Consume,
) -> dict[str, Any]:
    return {
        "id": identifier,
        "question": question,
        "size": length,
        "content": "own",
        "cache": list(caches),
        "consume": consume,
        "case": [{"strategy": each.name, "parameters": values} for each, values in ways],
    }


def _in_one_block(strategies: Sequence[Strategy], length: int) -> list[Way]:
    """Ways that take blocks take those of one size."""
    block = next((each for each in FEW if each <= length), FEW[0])
    return [
        (each, {piece: block} if (piece := each.parameter("piece")) else {}) for each in strategies
    ]


def _whole(strategies: Sequence[Strategy], blocks: Sequence[int], two_ways: bool) -> list[Way]:
    """Per language the simplest way that takes blocks, at once, and mapped."""
    return [
        (each, {piece: block} if piece else {})
        for each in _best_known(strategies, two_ways=two_ways)
        for piece in [each.parameter("piece")]
        for block in (blocks if piece else blocks[:1])
    ]


def _line_by_line(strategies: Sequence[Strategy], two_ways: bool) -> list[Way]:
    """Per language all ways to read lines, the simplest first. Of `two_ways` the other one is
    likely the fastest: it holds no whole file, hands out lines where they are, is harder to write.
    """

    def slowness(strategy: Strategy) -> tuple[float, bool, int]:
        return (
            strategy.needs.memory_per_file_byte,
            strategy.data != "borrowed",
            -strategy.effort,
        )

    found: list[Strategy] = []
    for language in dict.fromkeys(each.language for each in strategies):
        ways = sorted((one for one in strategies if one.language == language), key=_simplicity)
        if two_ways:
            ways[1:] = sorted(ways[1:], key=slowness)[: FEWEST - 1]
        found += ways
    return [(each, {}) for each in found]


def _unpacking(strategies: Sequence[Strategy], blocks: Sequence[int], two_ways: bool) -> list[Way]:
    """Per language all ways to unpack the file, the simplest first, or two of them. The buffer for
    the packed bytes is tried at its default size, and larger.
    """
    found: list[Way] = []
    for language in dict.fromkeys(each.language for each in strategies):
        ways = sorted((one for one in strategies if one.language == language), key=_simplicity)
        for each in ways[:FEWEST] if two_ways else ways:
            piece, buffer = each.parameter("piece"), each.parameter("buffer")
            given = {piece: blocks[-1]} if piece else {}
            sizes = (each.parameters[buffer].default, _LARGE_BUFFER) if buffer else ()
            buffers = [{**given, buffer: size} for size in dict.fromkeys(sizes) if buffer]
            found += [(each, parameters) for parameters in buffers or [given]]
    return found


def _best_known(strategies: Sequence[Strategy], *, two_ways: bool = True) -> list[Strategy]:
    """Per language, in the order of the strategies, the simplest way of each kind (in blocks, at
    once, mapped), the simplest first. Of `two_ways` the other one is mapped or, where there is
    none, takes blocks: what holds the whole file is rarely the fastest.
    """
    simplest: dict[str, dict[tuple[str, bool], Strategy]] = {
        each.language: {} for each in strategies
    }
    for each in sorted(strategies, key=_simplicity):
        if not (each.parameter("piece") and each.parameter("buffer")):
            simplest[each.language].setdefault((each.unit, each.mapped), each)
    found: list[Strategy] = []
    for ways in map(list, map(dict.values, simplest.values())):
        if two_ways and len(ways) > FEWEST:
            ways[1:] = sorted(
                ways[1:], key=lambda one: (not one.mapped, not one.parameter("piece"))
            )
            del ways[FEWEST:]
        found += ways
    return found


def _simplicity(strategy: Strategy) -> tuple[int, float, bool, str]:
    """Of two that are as simple, first the one whose calls can be counted: it can be explained."""
    uncounted = strategy.uncounted is not None
    return strategy.effort, strategy.needs.memory_per_file_byte, uncounted, strategy.name


def _with_rivals(ways: Sequence[Way]) -> list[Way]:
    """The ways of languages that have enough of them, a language after another."""
    of_language: defaultdict[str, list[Way]] = defaultdict(list)
    for each in ways:
        of_language[each[0].language].append(each)
    return [way for some in of_language.values() if len(some) >= FEWEST for way in some]
