"""Counters of model/figures.py as the kernel tells them, and what they gain between two looks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from iogauge.model.figures import Counter

TICK_NS = 1_000_000_000 // (os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100)
_FACTORS = {"": 1, "ticks": TICK_NS, "KiB": 1024, "sectors": 512}


def value(counter: Counter, told: Mapping[str, str]) -> int | None:
    """The counter in its unit, from texts by key. None where one of its keys is not told."""
    if " " not in counter.key:  # nearly all: a look is taken around each sample
        text = told.get(counter.key)
        return int(text.split()[0]) * _FACTORS[counter.factor] if text else None
    texts = [told.get(key) for key in counter.key.split()]
    numbers = [int(text.split()[0]) for text in texts if text]
    return sum(numbers) * _FACTORS[counter.factor] if len(numbers) == len(texts) else None


def numbered(fields: Iterable[str], start: int = 1) -> dict[str, str]:
    """Fields by their numbers, as keys of counters have them."""
    return {str(number): each for number, each in enumerate(fields, start)}


def gained(
    counters: Iterable[Counter], now: Mapping[str, int | None], before: Mapping[str, int | None]
) -> dict[str, int | None]:
    """The differences to an earlier look, by name. A level has its later value."""
    return {
        each.name: now[each.name] if each.level else _difference(now[each.name], before[each.name])
        for each in counters
    }


def _difference(now: int | None, before: int | None) -> int | None:
    return None if now is None or before is None else now - before
