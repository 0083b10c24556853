"""Which strategies are ways to do what somebody wants, and why the others are not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from iogauge.advice.wanted import DEFAULT_SIZE, SUMS_OF, Wanted
from iogauge.model.strategy import Format, Runtime, Strategy
from iogauge.model.units import size
from iogauge.model.workload import Conditions
from iogauge.runners import hints

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
    """Why strategies like this one are no way to do what is wanted; None if it is one.

    `memory` is what is available, in bytes.
    """
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
    if wanted.operation != "read" and "truncate" not in strategy.modes:
        return "for appending only"
    if strategy.name not in hints.all_names():
        return "without code to show"
    if strategy.why_not_past_cache(Conditions(cache=wanted.cache, durability=wanted.durability)):
        return "past the page cache, which is all that others use here"
    if why := strategy.why_not_durable(wanted.durability):
        return f"not durable ({why})"
    length = DEFAULT_SIZE if wanted.size is None else wanted.size
    if too_large(strategy, length, memory):
        return f"too large for memory (all of {size(length)} at once)"
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
    says = [f"{len(names)} {why}{f': {_some(names)}' if named else ''}" for why, names in by_size]
    if wanted.operation == "write":
        says.append('appending to a file (a study with mode = "append" measures it)')
    return "; ".join(says) or None


def _some(names: tuple[str, ...]) -> str:
    more = len(names) - _NAMED
    shown = ", ".join(names[:_NAMED])
    return f"{shown} and {more} more" if more > 0 else shown
