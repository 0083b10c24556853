"""A figure as one picture file."""

from __future__ import annotations

import textwrap
from typing import Any

from iogauge.outputs.html.drawing import LIGHT
from iogauge.outputs.html.figure import Figure
from iogauge.outputs.html.packing import converter

_WIDTH = 720  # pixels
_LINE = 130  # characters of what a picture says about itself
_SCALE = 2.0  # of a PNG
_LOOK = {
    "axisY": {"labelLimit": 380},
    "legend": {"columns": 2, "labelLimit": 320},
    "point": {"opacity": 1},
}


def svg(figure: Figure) -> bytes:
    text: str = converter().vegalite_to_svg(_whole(figure))
    return text.encode()


def png(figure: Figure) -> bytes:
    content: bytes = converter().vegalite_to_png(_whole(figure), scale=_SCALE)
    return content


def _whole(figure: Figure) -> dict[str, Any]:
    """The specification with its data, a title, what a page says beside it, and a width."""
    rows = {"rows": figure.rows}
    title = {
        "text": figure.title,
        "subtitle": textwrap.wrap(figure.says, _LINE),
        "subtitleColor": LIGHT["quiet"],
        "subtitlePadding": 4,
        "offset": 8,
        "anchor": "start",
    }
    return {
        **figure.spec,
        "datasets": rows,
        "width": _WIDTH,
        "title": title,
        "background": LIGHT["ground"],
        "padding": 12,
        "config": _LOOK,
    }
