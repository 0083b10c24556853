"""A study that measures what no stored run can answer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from iogauge.advice.considered import is_about, why_not
from iogauge.advice.covering import FEWEST
from iogauge.advice.wanted import DEFAULT_SIZE, Wanted
from iogauge.model.strategy import Runtime, Strategy

_BLOCKS = (8 << 10, 128 << 10, 1 << 20)
_LARGE_BUFFERS = (64 << 10, 1 << 20)
"""The values to try first; a closer look takes some next to the best of them."""

_ACCESSES = 256  # of one operation: of a cached file some 0.1 ms, from a disk some 30 ms

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
    return _text(wanted, tried.items(), budget) if tried else None


def closer_study_text(
    wanted: Wanted, cases: Iterable[tuple[str, Mapping[str, int]]], budget: float
) -> str:
    """A study as TOML that measures these strategies with these parameters only."""
    rows = ((name, {key: [value] for key, value in given.items()}) for name, given in cases)
    return _text(wanted, rows, budget)


def _text(wanted: Wanted, tried: Iterable[tuple[str, Values]], budget: float) -> str:
    length = DEFAULT_SIZE if wanted.size is None else wanted.size
    rows = [
        f'[[group.case]]\nstrategy = "{name}"\n'
        f"parameters = {{ {', '.join(f'{key} = {some}' for key, some in values.items())} }}\n"
        for name, values in tried
    ]
    content = "own" if wanted.own else "bytes" if wanted.unit == "byte" else "text"
    keys = [f'operation = "{wanted.operation}"', f"size = {length}", f'content = "{content}"']
    if wanted.operation == "read":
        keys.append(f'consume = "{"touch" if wanted.unit == "byte" else "sum"}"')
    if wanted.access == "random":
        assert wanted.record  # random access has it
        keys.append(f"accesses = {min(_ACCESSES, length // wanted.record)}")
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
        default = strategy.parameters[buffer].default
        large = [value for value in _LARGE_BUFFERS if value <= max(length, _LARGE_BUFFERS[0])]
        found[buffer] = sorted({default, *large})
    allowed = {
        name: [
            value
            for value in values
            if strategy.parameters[name].min <= value <= strategy.parameters[name].max
        ]
        for name, values in found.items()
    }
    return allowed if all(allowed.values()) else None
