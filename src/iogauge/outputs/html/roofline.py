"""The roofline of a machine as a picture: bytes per second by the size of a call, below what each
path can do. A file that is drawn without a script, for light and for dark.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from iogauge.model.units import compact_size, rate
from iogauge.model.watched import ConstantName, Constants
from iogauge.outputs.file_numbers import PATHS, memorable, rate_of
from iogauge.outputs.html.drawing import COLOURS, LogScale, templates, theme

_WIDTH, _HEIGHT = 640, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 66, 16, 34, 52  # margins around the points
_SIZES = (1, 16, 256, 4096, 65536, 1 << 20)
_DRAWN: dict[ConstantName, str] = {
    "read": "read",
    "write": "write",
    "pipe-write": "write into a pipe",
}
_APART = 13.0  # between two lines of text
_STYLE = (
    "text { font: 11px system-ui, sans-serif; fill: var(--quiet) }"
    " .title { font-size: 14px; fill: var(--ink) } .ground { fill: var(--ground) }"
    " .grid { stroke: var(--line) } .roof { stroke: var(--mark); stroke-dasharray: 6 3 }"
    " .roof-name { fill: var(--mark) }"
)


@dataclass(frozen=True)
class _Point:
    x: float
    y: float
    says: str


@dataclass(frozen=True)
class _Series:
    name: str
    colour: str
    points: list[_Point]


@dataclass(frozen=True)
class _Roof:
    name: str
    rate: str
    at: float
    text_at: float


def svg(known: Constants) -> str:
    """The picture. Without any rate it has its axes alone."""
    rates = [
        each.size / each.ns.middle * 1e9
        for each in known.calls
        if each.size and each.name in _DRAWN
    ]
    rates += [each.bytes_per_s.middle for each in known.paths]
    least, most = min(rates, default=1e6), max(rates, default=1e10)
    lowest, highest = math.floor(math.log10(least)), math.ceil(math.log10(most * 1.2))
    x = LogScale(1, 1 << 20, _LEFT, _WIDTH - _RIGHT)
    y = LogScale(10.0**lowest, 10.0**highest, _HEIGHT - _BOTTOM, _TOP)
    drawn = templates().get_template("roofline.svg")
    return drawn.render(
        width=_WIDTH,
        height=_HEIGHT,
        style=theme("ground", "ink", "quiet", "line", "mark") + _STYLE,
        x=x,
        y=y,
        sizes={each: compact_size(each).removesuffix(".00").removesuffix(".0") for each in _SIZES},
        rates={10.0**each: _decade(each) for each in range(lowest, highest + 1)},
        roofs=_roofs(known, y),
        series=_series(known, x, y),
    )


def _decade(exponent: int) -> str:
    return rate(10.0**exponent).replace(".00", "").replace(".0", "")


def _roofs(known: Constants, y: LogScale) -> list[_Roof]:
    """From above; the text of each is above its line, or below that of the one before."""
    found: list[_Roof] = []
    ordered = sorted(known.paths, key=lambda each: -each.bytes_per_s.middle)
    for each in ordered:
        at = y.place(each.bytes_per_s.middle)
        text_at = at - 4
        if found and text_at < found[-1].text_at + _APART:
            text_at = max(at, found[-1].at) + _APART
        found.append(_Roof(PATHS[each.name], rate_of(each.bytes_per_s.middle), at, text_at))
    return found


def _series(known: Constants, x: LogScale, y: LogScale) -> list[_Series]:
    made = []
    for (name, label), colour in zip(_DRAWN.items(), COLOURS, strict=False):
        sized = sorted(
            (each.size or 0, each.ns.middle) for each in known.calls if each.name == name
        )
        points = [
            _Point(
                x.place(size),
                y.place(size / ns * 1e9),
                f"{compact_size(size)}: {memorable(ns / 1e3)} µs, {rate_of(size / ns * 1e9)}",
            )
            for size, ns in sized
            if size
        ]
        if points:
            made.append(_Series(label, colour, points))
    return made
