"""The picture of a short page: a row per published number, with the number that was measured here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from iogauge.model.units import duration
from iogauge.outputs.html.scatter import Point

_WIDTH, _ROW, _LINE, _TOP = 360, 34, 15, 26  # as wide as a phone
_FITS = 48  # characters of a line
_LEFT, _RIGHT = 10, 10
_STYLE = (
    "text { font: 12px system-ui, sans-serif; fill: #30363d } .line { stroke: #c4c9d0 }"
    " .here { fill: #0072b2 } .published { fill: #fff; stroke: #8a6d00; stroke-width: 2 }"
    " @media (prefers-color-scheme: dark) { text { fill: #c9d1d9 } .line { stroke: #4a515a }"
    " .here { fill: #56b4e9 } .published { fill: #0d1117; stroke: #e0b000 } }"
)


def svg(points: Sequence[Point]) -> str:
    """As a file. Times grow to the right, on a logarithmic scale that all rows share."""
    times = [ns for each in points for ns in (each.published_ns, each.here_ns)]
    least, most = math.log10(min(times)), math.log10(max(times))
    said = [
        f"{duration(each.published_ns / 1e9)}, here {duration(each.here_ns / 1e9)}"
        for each in points
    ]
    labels = _labels(points)
    longest = max(len(f"{label} {both}") for label, both in zip(labels, said, strict=True))
    more = 0 if longest <= _FITS else _LINE  # the times below the names
    height = _TOP + (_ROW + more) * len(points)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}"'
        f' width="{_WIDTH}" role="img" aria-label="{len(points)} published times beside ours">',
        f"<style>{_STYLE}</style>",
        f'<circle class="published" cx="{_LEFT + 4}" cy="10" r="4"/>',
        f'<text x="{_LEFT + 13}" y="14">published</text>',
        f'<circle class="here" cx="{_LEFT + 84}" cy="10" r="4"/>',
        f'<text x="{_LEFT + 93}" y="14">measured here</text>',
        f'<text x="{_WIDTH - _RIGHT}" y="14" text-anchor="end">slower →</text>',
    ]

    def across(ns: float) -> float:
        share = (math.log10(ns) - least) / (most - least or 1)
        return round(_LEFT + 4 + share * (_WIDTH - _LEFT - _RIGHT - 8), 1)

    for place, (label, both, each) in enumerate(zip(labels, said, points, strict=True)):
        top = _TOP + (_ROW + more) * place
        low = top + 23 + more
        published, here = across(each.published_ns), across(each.here_ns)
        parts += [
            f'<text x="{_LEFT}" y="{top + 12}">{escape(label)}</text>',
            f'<text x="{_WIDTH - _RIGHT}" y="{top + 12 + more}" text-anchor="end">{both}</text>',
            f'<line class="line" x1="{published}" x2="{here}" y1="{low}" y2="{low}"/>',
            f'<circle class="published" cx="{published}" cy="{low}" r="4"/>',
            f'<circle class="here" cx="{here}" cy="{low}" r="4"/>',
        ]
    return "\n".join([*parts, "</svg>"])


def _labels(points: Sequence[Point]) -> list[str]:
    """The names of the cases, without a size of file that all have."""
    names = [each.name.rpartition(", ") for each in points]
    several = len({size for _, _, size in names}) > 1
    return ["".join(each) if several else each[0] for each in names]
