"""What somebody wants to read, write or copy: which strategies are ways to do that, why the others
are not, and which groups of a plan answer it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from iogauge.model.case import Case
from iogauge.model.plan import Group, Plan
from iogauge.model.strategy import Format, Peculiarity, Runtime, Strategy
from iogauge.model.units import short_size, size
from iogauge.model.workload import (
    CACHED_BY_WORDS,
    Access,
    Cache,
    CachedBy,
    Conditions,
    Durability,
    Operation,
)
from iogauge.runners import hints, manifest

DEFAULT_SIZE = 16 << 20
"""The size in bytes of the file that is measured if no size was given."""

SUMS_OF = {
    "byte": ("byte",),
    "char": ("utf16", "codepoint"),
    "line": ("line-byte", "line-utf16", "line-codepoint"),
}
"""By unit, what a strategy may sum up that takes the data in this unit."""

Unit = Literal["byte", "char", "line"]
_CACHES: dict[Cache | None, str] = {"warm": "cached", "cold": "from disk"}


@dataclass(frozen=True)
class Wanted:
    """A workload in plain options.

    `language` is None for all languages. `unit` is how the program takes the data. `size` is in
    bytes, None for any. `record` is how much the program reads or writes at a time, in bytes or in
    characters of text; None if that is open. Random access always has it: how much is read at each
    place. `own` stands for a file of the user's; `format` and `peculiarities` say what it is.
    `cached_by` is how a cached file came into the cache; None for any way.
    """

    language: str | None = None
    operation: Operation = "read"
    unit: Unit = "byte"
    size: int | None = None
    cache: Cache | None = None
    durability: Durability | None = None
    record: int | None = None
    own: bool = False
    access: Access = "sequential"
    format: Format = "plain"
    peculiarities: tuple[Peculiarity, ...] = ()
    cached_by: CachedBy | None = None

    @property
    def title(self) -> str:
        """`read a file of 16 MiB line by line, cached, in Java`."""
        unit = {"byte": "", "char": " as text", "line": " line by line"}[self.unit]
        length = f" of {size(self.size)}" if self.size is not None else ""
        pieces = ""
        if self.record:
            piece = f"{self.record} characters" if self.unit == "char" else size(self.record)
            at = " at random places" if self.access == "random" else ""
            pieces = f" in pieces of {piece}{at}"
        durable = {None: None, "none": "not made durable"}.get(
            self.durability, f"made durable by {self.durability}"
        )
        parts = [
            f"{self.operation} {'your' if self.own else 'a'} file{length}{unit}{pieces}",
            _CACHES.get(self.cache, self.cache),
            CACHED_BY_WORDS[self.cached_by] if self.cached_by else None,
            durable,
            f"in {manifest.name_of(self.language)}" if self.language else None,
        ]
        return ", ".join(each for each in parts if each)

    @property
    def length(self) -> int:
        """The size of the file to measure, in bytes."""
        return DEFAULT_SIZE if self.size is None else self.size

    @property
    def options(self) -> list[str]:
        """The options of the command line that ask for this, without those that are the default.

        The size of an own file is not among them: the file has it.
        """
        usual = {**vars(Wanted()), "cache": "warm", "durability": "none"}
        names = ("language", "operation", "unit", "cache", "cached_by", "durability", "access")
        given = {name: getattr(self, name) for name in names}
        sizes = {"size": None if self.own else self.size, "record": self.record}
        named = {
            name: value for name, value in given.items() if value not in (None, usual[name])
        } | {name: short_size(value) for name, value in sizes.items() if value}
        return [
            word for name, value in named.items() for word in (f"--{name.replace('_', '-')}", value)
        ]


_MOST_MEMORY = 1 / 8
"""A way may hold so much of the available memory: then two forks with twice as much fit into half
of it.
"""

_ACCESSED = {
    "random": "for reading at random places (--access random)",
    "sequential": "for reading from the start to the end (no --access)",
}
_FORMATS: dict[Format, str] = {
    "plain": "for files that are not packed",
    "gzip": "for gzip files",
    "json-lines": "for JSON lines",
    "java-object-stream": "for streams of Java objects",
}

_NAMED = 3  # strategies of a reason, before the others are only counted
_UNIT_OF = {sums: unit for unit, some in SUMS_OF.items() for sums in some}


def too_large(strategy: Strategy, length: int, memory: int) -> bool:
    """Whether the strategy holds too much of the available `memory` for so many bytes."""
    return strategy.needs.memory_per_file_byte * length > _MOST_MEMORY * memory


def why_not(strategy: Strategy, wanted: Wanted, memory: int) -> str | None:
    """Why a strategy is no way to do what is wanted; None if it is one. `memory` is in bytes."""
    if strategy.unavailable:
        return f"not available here ({strategy.unavailable})"
    if strategy.role == "published":
        return "copied from a publication, with its flaws"
    if strategy.access != wanted.access:
        return _ACCESSED[strategy.access]
    if strategy.format != wanted.format:
        return _FORMATS[strategy.format]
    if strategy.sums not in SUMS_OF[wanted.unit]:
        return f"for another unit (--unit {_UNIT_OF[strategy.sums]})"
    if why := strategy.trips(wanted.peculiarities):
        return f"which {why}"
    if wanted.operation != "read" and "truncate" not in strategy.modes:
        return "for appending only"
    if strategy.name not in hints.all_names():
        return "without code to show"
    if strategy.why_not_past_cache(Conditions(cache=wanted.cache, durability=wanted.durability)):
        return "past the page cache, which is all that others use here"
    if why := strategy.why_not_durable(wanted.durability):
        return f"not durable ({why})"
    if too_large(strategy, wanted.length, memory):
        return f"too large for memory (all of {size(wanted.length)} at once)"
    return _why_not_in_pieces(strategy, wanted)


def _why_not_in_pieces(strategy: Strategy, wanted: Wanted) -> str | None:
    """Large blocks need no buffer in front of them. A strategy without blocks writes everything at
    once, so it is no way to write records.
    """
    piece = strategy.parameter("piece")
    if wanted.record is None:
        plain = strategy.format == "plain"  # what unpacks a file has a buffer of its own
        buffered = plain and piece and strategy.parameter("buffer")
        return "with a buffer, which large blocks do not need (--record)" if buffered else None
    if piece is None:
        return "for everything at once (no --record)" if wanted.operation != "read" else None
    bounds = strategy.parameters[piece]
    fits = bounds.min <= wanted.record <= bounds.max
    return None if fits else f"not for pieces of {size(wanted.record)}"


def left_out(
    runtimes: Iterable[Runtime], wanted: Wanted, memory: int
) -> dict[str, tuple[str, ...]]:
    """The names of the strategies for the wanted operation that are no ways to do it, by reason.

    What is no strategy for files, or no contestant of the language, is not among them; nor is what
    is a way on one of the runtimes.
    """
    reasons: dict[str, str] = {}
    ways = set()
    for runtime in runtimes:
        for strategy in runtime.strategies.values():
            if not is_about(strategy, wanted):
                continue
            if why := why_not(strategy, wanted, memory):
                reasons.setdefault(strategy.name, why)
            else:
                ways.add(strategy.name)
    found: dict[str, list[str]] = defaultdict(list)
    for name in sorted(reasons.keys() - ways):
        found[reasons[name]].append(name)
    return {why: tuple(names) for why, names in found.items()}


def is_about(strategy: Strategy, wanted: Wanted) -> bool:
    """Whether a strategy does the operation on files, in the language, and may be compared."""
    return (
        strategy.operation == wanted.operation
        and strategy.medium == "file"
        and strategy.role in ("contestant", "published")
        and wanted.language in (None, strategy.language)
    )


def not_considered(
    reasons: dict[str, tuple[str, ...]], wanted: Wanted, *, named: bool = False
) -> str | None:
    """`12 for another unit (--unit line); 1 for appending only`; with the first few names if they
    are to be `named`.

    The reason with most strategies comes first. None if nothing was left out. Of what writes it
    says that appending was not considered, whatever a strategy can do.
    """
    by_size = sorted(reasons.items(), key=lambda each: (-len(each[1]), each[0]))
    says = []
    for why, names in by_size:
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        some = f": {', '.join(names[:_NAMED])}{more}" if named else ""
        says.append(f"{len(names)} {why}{some}")
    if wanted.operation == "write":
        says.append('appending to a file (a study with mode = "append" measures it)')
    return "; ".join(says) or None


FEWEST = 2
"""Advice compares at least so many ways."""

_LIKE = 2.0  # a file at most so many times as large, or as small, is alike
_SMALLEST_BLOCK = 4096
"""Smaller blocks are pieces that a program hands over: another workload, unless it was asked for.
"""


def distance(plan: Plan, runtimes: Sequence[Runtime], wanted: Wanted) -> float | None:
    """How far the nearest group of a plan is from what is wanted; None if none covers it."""
    return min(_distances(plan, runtimes, wanted), default=None)


def is_unknown(plan: Plan, runtimes: Sequence[Runtime], wanted: Wanted) -> bool:
    """Whether the plan covers what is wanted only where nobody knows how the file came into the
    cache.
    """
    known = [each for each in plan.groups if not is_of_unknown_state(each.conditions)]
    return not _distances(plan.model_copy(update={"groups": known}), runtimes, wanted)


def is_of_unknown_state(conditions: Conditions) -> bool:
    """Whether a file was cached, and nobody knows how it came into the cache: of older versions."""
    return conditions.cache == "warm" and conditions.cached_by is None


def _distances(plan: Plan, runtimes: Sequence[Runtime], wanted: Wanted) -> list[float]:
    apart = [
        group_distance(group, wanted)
        for group in plan.groups
        if not plan.published and _has_rivals(plan, advisable(plan, group, runtimes, wanted))
    ]
    return [each for each in apart if each is not None]


def _has_rivals(plan: Plan, cases: list[int]) -> bool:
    """Whether some language has enough ways among these cases."""
    return max(Counter(plan.cases[case].language for case in cases).values(), default=0) >= FEWEST


def group_distance(group: Group, wanted: Wanted) -> float | None:
    """The log of the ratio of sizes; None if the group does not cover what is wanted."""
    workload, conditions = group.workload, group.conditions
    own = workload.content == "own"
    offered = workload.operation, conditions.cache, conditions.durability, own, workload.access
    asked = wanted.operation, wanted.cache, wanted.durability, wanted.own, wanted.access
    ignores = workload.operation == "read" and workload.consume == "none"  # which no program does
    if (
        offered != asked
        or (wanted.cached_by and conditions.cached_by != wanted.cached_by)
        or ignores
        or workload.medium != "file"
        or not workload.size
        or (workload.accesses and workload.access_bytes != wanted.record)
        or workload.mode == "append"
        or workload.content == "sparse"
    ):
        return None
    apart = 0.0 if wanted.size is None else abs(math.log(workload.size / wanted.size))
    return apart if apart <= math.log(_LIKE) else None


def advisable(plan: Plan, group: Group, runtimes: Sequence[Runtime], wanted: Wanted) -> list[int]:
    """The cases of a group that do what is wanted and for which there is code to show."""
    named, known = hints.all_names(), {runtime.name: runtime.strategies for runtime in runtimes}
    return [
        number
        for number in group.cases
        if number != group.control
        and (case := plan.cases[number]).strategy in named
        and _does(known[case.runtime][case.strategy], case, wanted)
    ]


def _does(strategy: Strategy, case: Case, wanted: Wanted) -> bool:
    if (
        strategy.role != "contestant"
        or strategy.format != wanted.format
        or strategy.sums not in SUMS_OF[wanted.unit]
        or wanted.language not in (None, case.language)
    ):
        return False
    block = strategy.value("piece", case.parameters, otherwise=None)
    if wanted.record:
        return wanted.operation == "read" if block is None else block == wanted.record
    return block is None or block >= min(_SMALLEST_BLOCK, case.workload.size)
