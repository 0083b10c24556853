"""Charts as Vega-Lite specifications. They hold no data: the page and the picture put the rows in.

Tests check each against the schema of Vega-Lite.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from iogauge.outputs.html.drawing import COLOURS, GREY, MORE_COLOURS

Json = dict[str, Any]

_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.4.1.json"
_ROW = 22  # pixels
_MOST_ROWS = 40
_PHONE = 600  # pixels; below it names stand in two lines, broken where a word ends
_IN_TWO_LINES = (
    f"containerSize()[0] < {_PHONE} ? split(replace(datum.label, "
    "regexp('^(.{8,21}[-/ ])(?=.)'), '$1\\n'), '\\n') : datum.label"
)
_LOG = {"type": "log", "nice": False}  # whole decades would leave most of the width empty
_FITTED = _LOG | {"padding": 12}  # from the first point to the last
_DOUBLING = {"type": "log", "base": 2, "nice": False}
_INSIDE = {"labelFlush": 30}  # pixels from an end within which a label is moved inwards
_SIZES = (
    "datum.value >= 1048576 ? format(datum.value / 1048576, '.3~r') + 'M' : "
    "datum.value >= 1024 ? format(datum.value / 1024, '.3~r') + 'K' : format(datum.value, '.3~r')"
)
_MICROSECONDS = "format(datum.value / 1000, '~s')"  # of a value in ns
_BELOW = {"orient": "bottom"}  # where a legend stands
_NUMBER, _NAME, _PLACE = "quantitative", "nominal", "ordinal"  # types of fields


def blocks(axis: str, kinds: set[str], values: list[int]) -> Json:
    """The layers of these kinds of rows, over an axis with ticks at these values."""
    x, y = _sizes("at", axis, values), _per_mib({"labelOverlap": "greedy"}, padding=8)
    strokes = {
        **_BELOW,
        "symbolType": "stroke",
        "symbolSize": 250,
        "symbolStrokeWidth": 2,
        "symbolStrokeColor": GREY,
    }
    dash = _field("state", _NAME, title=None, legend=strokes)
    lo, hi, colour = _field("per_mib_lo"), _end("per_mib_hi"), _colour("series")
    group, name = _field("group", _NAME), _tips(names=["label"])
    tips = _tips("at", "per_mib", names=["label", "setting", "state"])
    theirs = _mark("point", color=GREY, filled=True)
    dot = _mark("point", filled=True, size=30)
    ring = _mark("point", size=220, strokeWidth=2, filled=False)
    layers = [
        ("ceiling", _layer(_mark("rect", color=GREY, opacity=0.25), y=lo, y2=hi, tooltip=name)),
        ("ceiling", _layer(_mark("rule", color=GREY), y=y, strokeDash=dash)),
        ("published", _layer(theirs, x=x, y=y, tooltip=_tips("per_mib", names=["label"]))),
        ("measured", _layer(_mark("rule"), x=x, y=lo, y2=hi, color=colour)),
        ("measured", _layer(_mark("line"), x=x, y=y, color=colour, strokeDash=dash, detail=group)),
        ("measured", _layer(dot, x=x, y=y, color=colour, tooltip=tips)),
        ("knee", _layer(ring, x=x, y=y, color=colour, tooltip=name)),
    ]
    return _finished([_of_kind(kind, layer) for kind, layer in layers if kind in kinds], 320)


def ranking(rows: int, *, ceiling: bool) -> Json:
    least = {"aggregate": "min", **_field("ceiling_ms")}
    line = _layer(_mark("rule", color=GREY, strokeDash=[5, 4]), x=least)
    found = _intervals(_colour("series"), ["name"], y=_names("name"))
    return _finished([*([line] if ceiling else []), *found], _height(rows))


def side_by_side(cases: int, series: int) -> Json:
    colour = _colour("series", MORE_COLOURS)
    place = {"y": _names("name"), "yOffset": _field("series", _NAME)}
    return _finished(_intervals(colour, ["name", "series"], **place), _height(series * cases))


def over_size(sizes: list[int]) -> Json:
    line = _layer(
        _mark("line", point=True),
        x=_sizes("size", "size of the file", sizes),
        y=_per_mib({}, padding=12),
        color=_colour("name", MORE_COLOURS),
        tooltip=_tips("size", "per_mib", names=["name"]),
    )
    return _finished([line], 340)


def dumbbells(rows: int) -> Json:
    y, x, published = _names("name"), _ms("ms"), "published_ms"
    rule = _layer(_mark("rule", color=GREY), y=y, x=x, x2=_end(published))
    dot, tips = _mark("point", filled=True, color=GREY, size=70), _tips(published, names=["name"])
    theirs = _layer(dot, y=y, x=_field(published), tooltip=tips)
    dot, tips = _mark("point", filled=True, size=70), _tips("ms", names=["name", "setting"])
    ours = _layer(dot, y=y, x=x, color=_colour("setting"), tooltip=tips)
    return _finished([rule, theirs, ours], _height(rows))


def strip(rows: int) -> Json:
    kinds = {
        "domain": ["sample", "not used", "warm-up"],
        "range": ["circle", "cross", "triangle-up"],
    }
    point = _layer(
        _mark("point", size=20),
        x=_field("us", title="µs per operation", scale=_FITTED, axis=_INSIDE),
        y=_names("name"),
        yOffset=_field("replicate", _PLACE),
        color=_colour("series"),
        shape=_field("kind", _NAME, title=None, legend=_BELOW, scale=kinds),
        tooltip=_tips("replicate", "us", names=["name", "kind"]),
    )
    return _finished([point], _height(2 * rows))


def schedule(rows: int) -> Json:
    edge = {"stroke": "white", "strokeWidth": 0.5}
    x, y = _field("start", title="seconds since the start"), _field("bundle", _NAME, title=None)
    mark = _mark("point", shape="triangle-up", filled=True, size=90, color=COLOURS[1], **edge)
    tips = _tips(names=["what"])
    layers = {
        "replicate": _layer(
            _mark("bar", **edge),
            x=x,
            x2=_end("end"),
            y=y,
            color={"value": COLOURS[0]},
            tooltip=_tips("start", "end", names=["what"]),
        ),
        "caveat": _layer(mark, x=_field("middle"), y=_field("bundle", _NAME), tooltip=tips),
        "end": _layer(_mark("rule", color=GREY), x=_field("start"), tooltip=tips),
    }
    return _finished([_of_kind(kind, layer) for kind, layer in layers.items()], _height(rows))


def _intervals(colour: Json, names: Iterable[str], **place: Json) -> list[Json]:
    """A point with its interval, in ms."""
    tips = _tips("ms", "ms_lo", "ms_hi", names=names)
    rule, dot = _mark("rule", strokeWidth=2), _mark("point", filled=True, size=60)
    return [
        _layer(rule, **place, x=_ms("ms_lo"), x2=_end("ms_hi"), color=colour),
        _layer(dot, **place, x=_ms("ms"), color=colour, tooltip=tips),
    ]


def _mark(kind: str, **look: Any) -> Json:
    return {"type": kind, **look}


def _layer(mark: Json, **encoding: Any) -> Json:
    return {"mark": mark, "encoding": encoding}


def _of_kind(kind: str, layer: Json) -> Json:
    """The layer drawn of these rows only."""
    return {"transform": [{"filter": {"field": "kind", "equal": kind}}], **layer}


def _field(name: str, kind: str = _NUMBER, **more: Any) -> Json:
    """A field of the rows."""
    return {"field": name, "type": kind, **more}


def _end(field: str) -> Json:
    """Where something ends that begins at a field with a type and a scale."""
    return {"field": field}


def _tips(*numbers: str, names: Iterable[str] = ()) -> list[Json]:
    return [*(_field(each, _NAME) for each in names), *map(_field, numbers)]


def _ms(field: str) -> Json:
    return _field(field, title="ms per operation", scale=_FITTED, axis=_INSIDE)


def _sizes(field: str, title: str, values: list[int]) -> Json:
    ticks = {"labelExpr": _SIZES, "values": values, "labelOverlap": "greedy"}
    return _field(field, title=title, scale=_DOUBLING, axis=ticks)


def _per_mib(axis: Json, padding: int) -> Json:
    axis = {"labelExpr": _MICROSECONDS, **axis}
    return _field("per_mib", title="µs per MiB", scale=_LOG | {"padding": padding}, axis=axis)


def _colour(field: str, colours: Iterable[str] = COLOURS) -> Json:
    return _field(field, _NAME, title=None, legend=_BELOW, scale={"range": [*colours]})


def _names(field: str) -> Json:
    """Names of any length: the page and the picture know the width, and cut them."""
    return _field(field, _NAME, title=None, sort=None, axis={"labelExpr": _IN_TWO_LINES})


def _height(rows: int) -> int:
    return _ROW * min(rows, _MOST_ROWS) + 30


def _finished(layers: list[Json], height: int) -> Json:
    return {
        "$schema": _SCHEMA,
        "data": {"name": "rows"},
        "layer": layers,
        "width": "container",
        "height": height,
    }


def fields(of: Any) -> set[str]:
    """The fields of its rows that a specification, or a part of it, refers to."""
    if isinstance(of, dict):
        own = {of["field"]} if "field" in of else set()
        return own.union(*map(fields, of.values()))
    return set().union(*map(fields, of)) if isinstance(of, list) else set()
