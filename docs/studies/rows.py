"""The picture of a short page: a row per case with its time here, and the published one if there is
one. A heading is a row without times.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from iogauge.model.units import duration
from iogauge.outputs.contract import Export
from iogauge.outputs.html.scatter import Point

_WIDTH, _ROW, _LINE, _TOP = 360, 34, 15, 26  # as wide as a phone
_FITS = 48  # characters of a line
_LEFT, _RIGHT = 10, 10
_STYLE = (
    "text { font: 12px system-ui, sans-serif; fill: #30363d } .heading { font-weight: 600 } .line { stroke: #c4c9d0 }"
    " .here { fill: #0072b2 } .published { fill: #fff; stroke: #8a6d00; stroke-width: 2 }"
    " @media (prefers-color-scheme: dark) { text { fill: #c9d1d9 } .heading { font-weight: 600 } .line { stroke: #4a515a }"
    " .here { fill: #56b4e9 } .published { fill: #0d1117; stroke: #e0b000 } }"
)


@dataclass(frozen=True)
class Row:
    """Times in ns. `ends` are those of the line: the two times, or the interval of the one."""

    label: str
    here: float | None = None
    published: float | None = None
    ends: tuple[float, float] | None = None

    @property
    def says(self) -> str:
        if self.here is None:
            return ""
        here = duration(self.here / 1e9)
        return here if self.published is None else f"{duration(self.published / 1e9)}, here {here}"


def of_published(points: Sequence[Point]) -> list[Row]:
    """Without the size of file where all have the same."""
    names = [each.name.rpartition(", ") for each in points]
    several = len({size for _, _, size in names}) > 1
    return [
        Row(
            "".join(name) if several else name[0],
            each.here_ns,
            each.published_ns,
            (each.published_ns, each.here_ns),
        )
        for name, each in zip(names, points, strict=True)
    ]


def of_measured(export: Export) -> Iterator[Row]:
    """The cases of each group below its question, small blocks and buffers first."""
    for group in export.groups:
        yield Row(group.question)
        for case in sorted(group.cases, key=lambda each: (each.strategy, *each.params.values())):
            level = case.ns_per_op
            if level.center is not None:
                ends = (level.lo or level.center, level.hi or level.center)
                yield Row(case.name, level.center, None, ends)


def svg(rows: Sequence[Row]) -> str:
    """As a file. Times grow to the right, on a logarithmic scale that all rows share."""
    times = [ns for each in rows for ns in (each.here, each.published, *(each.ends or ())) if ns]
    least, most = math.log10(min(times)), math.log10(max(times))
    more = 0 if all(len(each.label + each.says) < _FITS for each in rows) else _LINE
    height = _TOP + sum(_height(each, more) for each in rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}"'
        f' width="{_WIDTH}" role="img" aria-label="Times of {len(rows)} rows">',
        f"<style>{_STYLE}</style>",
        *_legend(any(each.published for each in rows)),
    ]

    def across(ns: float) -> float:
        share = (math.log10(ns) - least) / (most - least or 1)
        return round(_LEFT + 4 + share * (_WIDTH - _LEFT - _RIGHT - 8), 1)

    top = _TOP
    for each in rows:
        heading = "" if each.ends else ' class="heading"'
        parts.append(f'<text{heading} x="{_LEFT}" y="{top + 12}">{escape(each.label)}</text>')
        if each.ends:
            low, (x1, x2) = top + 23 + more, map(across, each.ends)
            parts += [
                f'<text x="{_WIDTH - _RIGHT}" y="{top + 12 + more}" text-anchor="end">'
                f"{each.says}</text>",
                f'<line class="line" x1="{x1}" x2="{x2}" y1="{low}" y2="{low}"/>',
                *(
                    f'<circle class="{kind}" cx="{across(ns)}" cy="{low}" r="4"/>'
                    for kind, ns in (("published", each.published), ("here", each.here))
                    if ns
                ),
            ]
        top += _height(each, more)
    return "\n".join([*parts, "</svg>"])


def _height(of: Row, more: int) -> int:
    return _ROW + more if of.ends else _LINE + 6


def _legend(published: bool) -> list[str]:
    """What the marks are: the place of each and its text."""
    here = "measured here" if published else "measured here, with its 95 % interval"
    marks = [("published", "published")] * published + [("here", here)]
    return [
        part
        for place, (kind, says) in enumerate(marks)
        for part in (
            f'<circle class="{kind}" cx="{_LEFT + 4 + 80 * place}" cy="10" r="4"/>',
            f'<text x="{_LEFT + 13 + 80 * place}" y="14">{says}</text>',
        )
    ] + [f'<text x="{_WIDTH - _RIGHT}" y="14" text-anchor="end">slower →</text>']
