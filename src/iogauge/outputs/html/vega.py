"""What draws the figures of a page, and what a page's script needs, small enough to travel inside
the page: the library of charts, and the rows and cells of each figure. A figure as one picture.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import gzip
import json
import tempfile
import textwrap
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.outputs.html.charts import fields
from iogauge.outputs.html.drawing import LIGHT
from iogauge.outputs.html.figures import FILTERS, Figure

_BUILT = Path(__file__).with_name("vega.txt")  # a wheel has it, the sources do not
_WIDTH = 720  # pixels
_LINE = 130  # characters of what a picture says about itself
_SCALE = 2.0  # of a PNG
_LOOK = {
    "axisY": {"labelLimit": 380},
    "legend": {"columns": 2, "labelLimit": 320},
    "point": {"opacity": 1},
}


def converter() -> Any:
    """vl-convert, which has Vega inside. Raises UserError where it is not installed."""
    try:
        import vl_convert
    except ImportError:
        raise UserError(
            "this needs vl-convert, which draws charts: pip install 'iogauge[chart]'"
        ) from None
    return vl_convert


@functools.cache
def library() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script that sets `vegaEmbed`, packed."""
    if _BUILT.is_file():
        return _BUILT.read_text("ascii")
    vega = converter()
    # To bundle it takes longer than everything else about a small page.
    kept = folders.cache() / "page" / f"vega-{metadata.version('vl-convert-python')}.txt"
    with contextlib.suppress(OSError, UnicodeDecodeError):
        if found := kept.read_text("ascii"):
            return found
    bundle = _packed(vega.javascript_bundle("window.vegaEmbed = vegaEmbed;"))
    with contextlib.suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as place:
            made = Path(place) / kept.name
            made.write_text(bundle, "ascii")
            made.replace(kept)
    return bundle


def packed(every: Sequence[Figure]) -> str:
    """The figures as packed JSON."""
    return _packed(json.dumps([_plain(each) for each in every], separators=(",", ":")))


def _packed(text: str) -> str:
    """Text as base64 of gzip, which browsers unpack by themselves. No part of it is HTML."""
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def _plain(figure: Figure) -> dict[str, Any]:
    """With the cells of its table, and of its rows the keys that the chart or a filter uses: per
    key the values of all rows. Texts are stored once, as thousands of samples have few names.
    """
    drawn = fields(figure.spec) | FILTERS.keys()
    keys = [key for key in dict.fromkeys(key for row in figure.rows for key in row) if key in drawn]
    cells = [cell for row in figure.rows for cell in figure.cells(row)]
    words, places = _words(cells)
    across = len(figure.columns)
    return {
        "spec": figure.spec,
        "packed": {"rows": len(figure.rows), "columns": [_column(figure, key) for key in keys]},
        "numbers": [column.number for column in figure.columns],
        "cells": {
            "words": words,
            "rows": [places[at : at + across] for at in range(0, len(places), across)],
        },
    }


def _column(figure: Figure, key: str) -> dict[str, Any]:
    values = [row.get(key) for row in figure.rows]
    words, places = _words(values) if any(isinstance(each, str) for each in values) else (None, [])
    # A picture does not show more than six digits.
    plain = [float(f"{each:.6g}") if isinstance(each, float) else each for each in values]
    return {"key": key, "words": words, "values": places if words else plain}


def _words(texts: Sequence[Any]) -> tuple[list[Any], list[int]]:
    """Words, and each text as the number of its word."""
    place = {word: number for number, word in enumerate(dict.fromkeys(texts))}
    return list(place), [place[each] for each in texts]


def svg(figure: Figure) -> bytes:
    text: str = converter().vegalite_to_svg(_whole(figure))
    return text.encode()


def png(figure: Figure) -> bytes:
    content: bytes = converter().vegalite_to_png(_whole(figure), scale=_SCALE)
    return content


def _whole(figure: Figure) -> dict[str, Any]:
    """The specification with its data, a title, what a page says beside it, and a width."""
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
        "datasets": {"rows": figure.rows},
        "width": _WIDTH,
        "title": title,
        "background": LIGHT["ground"],
        "padding": 12,
        "config": _LOOK,
    }
