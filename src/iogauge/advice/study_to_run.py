"""A study that measures what no stored run can answer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from iogauge.advice.considered import is_about, why_not
from iogauge.advice.covering import FEWEST
from iogauge.advice.wanted import DEFAULT_SIZE, Wanted
from iogauge.model.strategy import Runtime, Strategy

_BLOCKS, _LARGE_BUFFER = (8192, 131072), 65536
Values = dict[str, list[int]]
"""The values to try of each parameter."""


def study_text(
    wanted: Wanted, runtimes: Sequence[Runtime], memory: int, budget: float
) -> str | None:
    """A study as TOML that measures the ways that may be advised, within `budget` seconds.

    Ways that need too much of the available `memory`, in bytes, are left out. None if no language
    has two ways.
    """
    length = DEFAULT_SIZE if wanted.size is None else wanted.size
    tried = _tried(wanted, runtimes, length, memory)
    if not tried:
        return None
    rows = [
        f'[[group.case]]\nstrategy = "{name}"\n'
        f"parameters = {{ {', '.join(f'{key} = {some}' for key, some in values.items())} }}\n"
        for name, values in tried.items()
    ]
    content = "own" if wanted.own else "bytes" if wanted.unit == "byte" else "text"
    keys = [f'operation = "{wanted.operation}"', f"size = {length}", f'content = "{content}"']
    if wanted.operation == "read":
        keys.append(f'consume = "{"touch" if wanted.unit == "byte" else "sum"}"')
    if wanted.cache:
        keys.append(f'cache = "{wanted.cache}"')
    if wanted.durability:
        keys.append(f'durability = "{wanted.durability}"')
    return "\n".join(
        [
            'id = "advise"',
            f'title = "Which way to {wanted.title}"',
            f"budget = {budget}",
            'precision = "2%"',
            "rounds = { warm = 8, cold = 12, write = 6 }",
            "",
            "[[group]]",
            'id = "asked"',
            f'question = "Which way to {wanted.title}?"',
            *keys,
            "",
            *rows,
        ]
    )


def _tried(
    wanted: Wanted, runtimes: Sequence[Runtime], length: int, memory: int
) -> dict[str, Values]:
    """By strategy the values to try, in languages with at least two ways."""
    declared = {
        name: strategy
        for runtime in runtimes
        for name, strategy in runtime.strategies.items()
        if is_about(strategy, wanted) and why_not(strategy, wanted, memory) is None
    }
    tried = {
        name: values
        for name, strategy in sorted(declared.items())
        if (values := _values(strategy, wanted, length)) is not None
    }
    ways: Counter[str] = Counter()
    for name, values in tried.items():
        ways[declared[name].language] += math.prod(map(len, values.values()))
    return {
        name: values for name, values in tried.items() if ways[declared[name].language] >= FEWEST
    }


def _values(strategy: Strategy, wanted: Wanted, length: int) -> Values | None:
    """The values to try of a strategy that is a way; None if it takes none of them."""
    found: Values = {}
    piece, buffer = strategy.parameter("piece"), strategy.parameter("buffer")
    if piece:
        found[piece] = (
            [wanted.record]
            if wanted.record
            else [value for value in _BLOCKS if value == _BLOCKS[0] or value <= length]
        )
    if buffer:
        found[buffer] = list(dict.fromkeys([strategy.parameters[buffer].default, _LARGE_BUFFER]))
    allowed = {
        name: [
            value
            for value in values
            if strategy.parameters[name].min <= value <= strategy.parameters[name].max
        ]
        for name, values in found.items()
    }
    return allowed if all(allowed.values()) else None
