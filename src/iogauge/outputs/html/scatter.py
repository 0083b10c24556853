"""A picture of published numbers beside measured ones: a point each, on two equal scales."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from iogauge.model.units import duration, significant
from iogauge.outputs.html.drawing import MORE_COLOURS, LogScale, theme

_WIDTH, _HEIGHT = 400, 290
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 22, 10, 42  # margins around the points
_LINE = 17  # of the legend
_ALONE = (  # where no page gives a style
    "text { font: 11px system-ui, sans-serif; fill: var(--quiet) } .grid { stroke: var(--line) }"
    " .even { stroke: var(--grey) }"
)


@dataclass(frozen=True)
class Point:
    """A published number and the measured one, in ns per operation, of files of `size` bytes."""

    series: str
    name: str
    size: str
    published_ns: float
    here_ns: float


def svg(points: Sequence[Point], *, alone: bool = False) -> str:
    """The picture; `alone` as a file of its own, with its style."""
    logs = [math.log10(ns) for each in points for ns in (each.published_ns, each.here_ns)]
    least = math.floor(min(logs))
    most = max(math.ceil(max(logs)), least + 1)
    x = LogScale(10.0**least, 10.0**most, _LEFT, _WIDTH - _RIGHT)
    y = LogScale(10.0**least, 10.0**most, _HEIGHT - _BOTTOM, _TOP)
    names = list(dict.fromkeys(each.series for each in points))
    height = _HEIGHT + _LINE * len(names) + 4
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img"'
        f' aria-label="{len(points)} published times beside measured ones">',
        f"<style>{theme('quiet', 'line', 'grey')}{_ALONE}</style>" if alone else "",
        *_axes(x, y, range(least, most + 1)),
        *(_point(each, x, y, names) for each in points),
        *(_entry(place, name) for place, name in enumerate(names)),
        "</svg>",
    ]
    return "\n".join(filter(None, parts))


def _axes(across: LogScale, upwards: LogScale, decades: range) -> list[str]:
    left, right, low, high = across.start, across.end, upwards.start, upwards.end
    parts = []
    for decade in decades[:: max(1, math.ceil(len(decades) / 6))]:
        x, y, label = across.place(10.0**decade), upwards.place(10.0**decade), _decade(decade)
        parts += [
            f'<line class="grid" x1="{x}" x2="{x}" y1="{high}" y2="{low}"/>',
            f'<line class="grid" x1="{left}" x2="{right}" y1="{y}" y2="{y}"/>',
            f'<text x="{x}" y="{low + 15}" text-anchor="middle">{label}</text>',
            f'<text x="{left - 6}" y="{y + 4}" text-anchor="end">{label}</text>',
        ]
    middle = (left + right) / 2
    return [
        *parts,
        f'<line class="even" stroke-dasharray="5 4" x1="{left}" y1="{low}" x2="{right}"'
        f' y2="{high}"/>',
        f'<text x="{middle}" y="{low + 32}" text-anchor="middle">published, per operation</text>',
        f'<text x="{left + 6}" y="{high + 14}">measured here</text>',
    ]


def _decade(power: int) -> str:
    """`100 µs` for 5: a power of ten of ns."""
    unit = max(0, min(power // 3, 3))
    count = 10.0 ** (power - 3 * unit)
    return f"{significant(count, 1)} {('ns', 'µs', 'ms', 's')[unit]}"


def _point(of: Point, x: LogScale, y: LogScale, names: Sequence[str]) -> str:
    published, here = duration(of.published_ns / 1e9), duration(of.here_ns / 1e9)
    says = f"{of.name}, {of.size}: published {published}, here {here}"
    return (
        f'<circle cx="{x.place(of.published_ns)}" cy="{y.place(of.here_ns)}" r="4"'
        f' fill="{_colour(names.index(of.series))}" fill-opacity="0.75">'
        f"<title>{escape(says)}</title></circle>"
    )


def _entry(place: int, name: str) -> str:
    y = _HEIGHT + _LINE * place + 6
    return (
        f'<circle cx="{_LEFT + 4}" cy="{y}" r="4" fill="{_colour(place)}"/>'
        f'<text x="{_LEFT + 16}" y="{y + 4}">{escape(name)}</text>'
    )


def _colour(place: int) -> str:
    return MORE_COLOURS[place % len(MORE_COLOURS)]
