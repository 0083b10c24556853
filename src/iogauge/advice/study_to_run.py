"""The study that `advise --run` measures, where no stored run has the answer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from iogauge.advice.considered import is_about, why_not
from iogauge.advice.covering import FEWEST
from iogauge.advice.wanted import DEFAULT_SIZE, Wanted
from iogauge.model.strategy import Runtime, Strategy
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
    wanted: Wanted, tried: Iterable[tuple[str, Mapping[str, int | list[int]]]], budget: float
) -> Study:
    """A study that measures only these strategies, with these values of their parameters."""
    length = DEFAULT_SIZE if wanted.size is None else wanted.size
    keys: dict[str, Any] = {
        "id": "asked",
        "question": f"Which way to {wanted.title}?",
        "operation": wanted.operation,
        "size": length,
        "case": [{"strategy": name, "parameters": values} for name, values in tried],
        "content": "own" if wanted.own else "bytes" if wanted.unit == "byte" else "text",
        "cache": wanted.cache,
        "durability": wanted.durability,
    }
    if wanted.operation == "read":
        keys["consume"] = "touch" if wanted.unit == "byte" else "sum"
    if wanted.record and wanted.access == "random":
        keys["accesses"] = min(_ACCESSES, length // wanted.record)
    about = {
        "id": "advise",
        "title": f"Which way to {wanted.title}",
        "budget": budget,
        "precision": 0.02,
        "rounds": {"warm": 8, "cold": 12, "write": 6},
    }
    return made("advise", about, keys)


def _tried(wanted: Wanted, runtimes: Sequence[Runtime], memory: int) -> dict[str, Values]:
    """By strategy the values to try, in languages with at least two ways."""
    length = DEFAULT_SIZE if wanted.size is None else wanted.size
    declared = {
        name: strategy
        for runtime in runtimes
        for name, strategy in runtime.strategies.items()
        if is_about(strategy, wanted) and why_not(strategy, wanted, memory) is None
    }
    values = {name: _values(declared[name], wanted, length) for name in sorted(declared)}
    ways: Counter[str] = Counter()
    for name, tried in values.items():
        ways[declared[name].language] += math.prod(map(len, tried.values()))
    return {
        name: tried
        for name, tried in values.items()
        if all(tried.values()) and ways[declared[name].language] >= FEWEST
    }


def _values(strategy: Strategy, wanted: Wanted, length: int) -> Values:
    """The values to try of a strategy that is a way, by parameter; none of one that takes none."""
    found: Values = {}
    if piece := strategy.parameter("piece"):
        blocks = [value for value in _BLOCKS if value == _BLOCKS[0] or value <= length]
        found[piece] = [wanted.record] if wanted.record else blocks
    if buffer := strategy.parameter("buffer"):
        large = [value for value in _LARGE_BUFFERS if value <= max(length, _LARGE_BUFFERS[0])]
        found[buffer] = sorted({strategy.parameters[buffer].default, *large})
    bounds = strategy.parameters
    return {
        name: [value for value in values if bounds[name].min <= value <= bounds[name].max]
        for name, values in found.items()
    }
