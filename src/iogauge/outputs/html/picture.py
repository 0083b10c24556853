"""A figure as one picture file."""

from __future__ import annotations

from typing import Any

import vl_convert

from iogauge.outputs.html.figures import Figure

_WIDTH = 720  # pixels
_SCALE = 2.0  # of a PNG
_LOOK = {"axisY": {"labelLimit": 380}, "legend": {"columns": 2, "labelLimit": 320}, "point": {"opacity": 1}}


def svg(figure: Figure) -> bytes:
    text: str = vl_convert.vegalite_to_svg(_whole(figure))
    return text.encode()


def png(figure: Figure) -> bytes:
    content: bytes = vl_convert.vegalite_to_png(_whole(figure), scale=_SCALE)
    return content


def _whole(figure: Figure) -> dict[str, Any]:
    """The specification with its data, a title and a width of its own."""
    rows = {"rows": figure.rows}
    return {**figure.spec, "datasets": rows, "width": _WIDTH, "title": {"text": figure.title, "anchor": "start"}, "background": "white", "padding": 12, "config": _LOOK}
