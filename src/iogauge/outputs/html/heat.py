"""The parts of a heat map: a row for each host, a column for each way."""

from __future__ import annotations

import math
from typing import NamedTuple

MANY = 24
"""Hosts: of more, those that agree come first as one row, and rows are small."""
MOST_CELLS = 20_000
"""Of all heat maps, some 100 bytes each, so that the page stays small. Of more hosts the worst are
shown.
"""


class Square(NamedTuple):
    """A cell of the heat map. `warmth` is in per cent, None where nothing is known."""

    text: str
    title: str
    warmth: int | None
    use: bool
    best: bool


class Line(NamedTuple):
    """A host in the heat map of a question, or hosts that agree, which the `title` names."""

    host: str
    kind: str
    squares: tuple[Square, ...]
    title: str = ""


def warmth(ratio: float, hottest: float) -> int:
    """In per cent, from 1 to the ratio that has the warmest colour."""
    return round(100 * min(1.0, max(0.0, math.log(ratio)) / math.log(hottest)))
