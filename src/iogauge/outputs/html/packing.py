"""What a page's script needs, small enough to travel inside the page: the library of charts, and
the rows and cells of each figure.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import gzip
import json
import tempfile
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.outputs.html.figure import Figure

_BUILT = Path(__file__).with_name("vega.txt")  # a wheel has it, the sources do not


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
    bundle = packed(vega.javascript_bundle("window.vegaEmbed = vegaEmbed;"))
    with contextlib.suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as place:
            made = Path(place) / kept.name
            made.write_text(bundle, "ascii")
            made.replace(kept)
    return bundle


def figures(every: Sequence[Figure]) -> str:
    """The figures as packed JSON."""
    return packed(json.dumps([_figure(each) for each in every], separators=(",", ":")))


def packed(text: str) -> str:
    """Text as base64 of gzip, which browsers unpack by themselves. No part of it is HTML."""
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def _figure(figure: Figure) -> dict[str, Any]:
    cells = [[column.cell(row) for column in figure.columns] for row in figure.rows]
    return {
        "spec": figure.spec,
        "packed": figure.packed,
        "numbers": [column.number for column in figure.columns],
        "cells": _words(cells),
    }


def _words(cells: list[list[str]]) -> dict[str, Any]:
    """Words, and each cell as the number of its word."""
    words = list(dict.fromkeys(cell for row in cells for cell in row))
    place = {word: number for number, word in enumerate(words)}
    return {"words": words, "rows": [[place[cell] for cell in row] for row in cells]}
