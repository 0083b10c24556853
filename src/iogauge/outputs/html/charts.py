"""Charts as Vega-Lite specifications, made with Altair. They hold no data: the page and the picture
put the rows in.
"""

from __future__ import annotations

from typing import Any

import altair as alt

GREY = "#8a8a8a"
COLOURS = [
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#b8860b",
    "#9a63c4",
]  # told apart with any eyes; a contrast of 3 at least on light and on dark
MORE_COLOURS = [
    *COLOURS,
    "#c23b3b",
    "#5d8f2e",
    "#e03e70",
    "#4573c4",
    "#a5695b",
    "#00929c",
]  # where a table stands behind many lines
_DATA = alt.NamedData("rows")  # one object, so that the layers of a chart share it
_ROW = 22  # pixels
_MOST_ROWS = 40
_PHONE = 600  # pixels; below it names stand in two lines, broken where a word ends
_IN_TWO_LINES = (
    f"containerSize()[0] < {_PHONE} ? split(replace(datum.label, "
    "regexp('^(.{8,21}[-/ ])(?=.)'), '$1\\n'), '\\n') : datum.label"
)
_FITTED = alt.Scale(
    type="log", nice=False, padding=12
)  # from the first point to the last: whole decades would leave most of the width empty
_INSIDE = alt.Axis(labelFlush=30)  # pixels from an end within which a label is moved inwards
_SIZES = (
    "datum.value >= 1048576 ? format(datum.value / 1048576, '.3~r') + 'M' : "
    "datum.value >= 1024 ? format(datum.value / 1024, '.3~r') + 'K' : format(datum.value, '.3~r')"
)


def blocks(axis: str, kinds: set[str], values: list[int]) -> dict[str, Any]:
    """The layers of these kinds of rows, over an axis with ticks at these values."""
    x = alt.X(
        "at:Q",
        title=axis,
        scale=alt.Scale(type="log", base=2, nice=False),
        axis=alt.Axis(labelExpr=_SIZES, values=values, labelOverlap="greedy"),
    )
    y = alt.Y(
        "per_mib:Q",
        title="µs per MiB",
        scale=alt.Scale(type="log", nice=False, padding=8),
        axis=alt.Axis(labelExpr="format(datum.value / 1000, '~s')", labelOverlap="greedy"),
    )
    strokes = alt.Legend(
        orient="bottom",
        symbolType="stroke",
        symbolSize=250,
        symbolStrokeWidth=2,
        symbolStrokeColor=GREY,
    )
    dash = alt.StrokeDash("state:N", title=None, legend=strokes)
    layers = [*_ceiling(y, dash), _published(x, y), *_measured(x, y, dash), _knee(x, y)]
    return _finished(alt.layer(*(layer for kind, layer in layers if kind in kinds)), 320)


Layer = tuple[str, alt.Chart]  # the kind of rows that it draws, and how


def _of_kind(kind: str) -> alt.Chart:
    return _data().transform_filter(f"datum.kind == '{kind}'")


def _ceiling(y: alt.Y, dash: alt.StrokeDash) -> list[Layer]:
    of = _of_kind("ceiling")
    band = of.mark_rect(color=GREY, opacity=0.25)
    band = band.encode(y="per_mib_lo:Q", y2="per_mib_hi:Q", tooltip=["label:N"])
    return [
        ("ceiling", band),
        ("ceiling", of.mark_rule(color=GREY).encode(y=y, strokeDash=dash)),
    ]


def _published(x: alt.X, y: alt.Y) -> Layer:
    point = _of_kind("published").mark_point(color=GREY, filled=True)
    return "published", point.encode(x=x, y=y, tooltip=["label:N", "per_mib:Q"])


def _measured(x: alt.X, y: alt.Y, dash: alt.StrokeDash) -> list[Layer]:
    of, colour = _of_kind("measured"), _colour("series")
    error = of.mark_rule().encode(x=x, y="per_mib_lo:Q", y2="per_mib_hi:Q", color=colour)
    line = of.mark_line().encode(x=x, y=y, color=colour, strokeDash=dash, detail="group:N")
    tooltip = ["label:N", "setting:N", "state:N", "at:Q", "per_mib:Q"]
    point = of.mark_point(filled=True, size=30).encode(x=x, y=y, color=colour, tooltip=tooltip)
    return [("measured", error), ("measured", line), ("measured", point)]


def _knee(x: alt.X, y: alt.Y) -> Layer:
    ring = _of_kind("knee").mark_point(size=220, strokeWidth=2, filled=False)
    return "knee", ring.encode(x=x, y=y, color=_colour("series"), tooltip=["label:N"])


def ranking(rows: int, *, ceiling: bool) -> dict[str, Any]:
    y = _names("name")
    of = _data()
    line = of.mark_rule(color=GREY, strokeDash=[5, 4]).encode(x="min(ceiling_ms):Q")
    rule = of.mark_rule(strokeWidth=2).encode(
        y=y, x=_ms("ms_lo"), x2="ms_hi:Q", color=_colour("series")
    )
    point = of.mark_point(filled=True, size=60).encode(
        y=y, x=_ms("ms"), color=_colour("series"), tooltip=["name:N", "ms:Q", "ms_lo:Q", "ms_hi:Q"]
    )
    return _finished(alt.layer(*([line] if ceiling else []), rule, point), _height(rows))


def side_by_side(cases: int, series: int) -> dict[str, Any]:
    y, of = _names("name"), _data()
    colour = _colour("series", scale=alt.Scale(range=MORE_COLOURS))
    offset = alt.YOffset("series:N")
    rule = of.mark_rule(strokeWidth=2).encode(
        y=y, yOffset=offset, x=_ms("ms_lo"), x2="ms_hi:Q", color=colour
    )
    point = of.mark_point(filled=True, size=60).encode(
        y=y,
        yOffset=offset,
        x=_ms("ms"),
        color=colour,
        tooltip=["name:N", "series:N", "ms:Q", "ms_lo:Q", "ms_hi:Q"],
    )
    return _finished(alt.layer(rule, point), _height(series * cases))


def over_size(sizes: list[int]) -> dict[str, Any]:
    axis = alt.Axis(labelExpr=_SIZES, values=sizes, labelOverlap="greedy")
    x = alt.X(
        "size:Q",
        title="size of the file",
        scale=alt.Scale(type="log", base=2, nice=False),
        axis=axis,
    )
    y = alt.Y(
        "per_mib:Q",
        title="µs per MiB",
        scale=_FITTED,
        axis=alt.Axis(labelExpr="format(datum.value / 1000, '~s')"),
    )
    line = (
        _data()
        .mark_line(point=True)
        .encode(
            x=x,
            y=y,
            color=_colour("name", scale=alt.Scale(range=MORE_COLOURS)),
            tooltip=["name:N", "size:Q", "per_mib:Q"],
        )
    )
    return _finished(alt.layer(line), 340)


def dumbbells(rows: int) -> dict[str, Any]:
    y, of = _names("name"), _data()
    x = _ms("ms")
    rule = of.mark_rule(color=GREY).encode(y=y, x=x, x2="published_ms:Q")
    theirs = of.mark_point(filled=True, color=GREY, size=70).encode(
        y=y, x="published_ms:Q", tooltip=["name:N", "published_ms:Q"]
    )
    ours = of.mark_point(filled=True, size=70).encode(
        y=y, x=x, color=_colour("setting"), tooltip=["name:N", "setting:N", "ms:Q"]
    )
    return _finished(alt.layer(rule, theirs, ours), _height(rows))


def strip(rows: int) -> dict[str, Any]:
    shape = alt.Shape(
        "kind:N",
        title=None,
        legend=alt.Legend(orient="bottom"),
        scale=alt.Scale(
            domain=["sample", "not used", "warm-up"], range=["circle", "cross", "triangle-up"]
        ),
    )
    point = (
        _data()
        .mark_point(size=20)
        .encode(
            x=alt.X("us:Q", title="µs per operation", scale=_FITTED, axis=_INSIDE),
            y=_names("name"),
            yOffset=alt.YOffset("replicate:O"),
            color=_colour("series"),
            shape=shape,
            tooltip=["name:N", "replicate:Q", "kind:N", "us:Q"],
        )
    )
    return _finished(alt.layer(point), _height(2 * rows))


def schedule(rows: int) -> dict[str, Any]:
    of = _data()
    bar = (
        of.transform_filter("datum.kind == 'replicate'")
        .mark_bar(stroke="white", strokeWidth=0.5)
        .encode(
            x=alt.X("start:Q", title="seconds since the start"),
            x2="end:Q",
            y=alt.Y("bundle:N", title=None),
            color=alt.value(COLOURS[0]),
            tooltip=["what:N", "start:Q", "end:Q"],
        )
    )
    caveat = (
        of.transform_filter("datum.kind == 'caveat'")
        .mark_point(
            shape="triangle-up",
            filled=True,
            size=90,
            color=COLOURS[1],
            stroke="white",
            strokeWidth=0.5,
        )
        .encode(x="middle:Q", y="bundle:N", tooltip=["what:N"])
    )
    end = (
        of.transform_filter("datum.kind == 'end'")
        .mark_rule(color=GREY)
        .encode(x="start:Q", tooltip=["what:N"])
    )
    return _finished(alt.layer(bar, caveat, end), _height(rows))


def _data() -> alt.Chart:
    return alt.Chart(_DATA)


def _ms(field: str) -> alt.X:
    return alt.X(f"{field}:Q", title="ms per operation", scale=_FITTED, axis=_INSIDE)


def _colour(field: str, **more: Any) -> alt.Color:
    return alt.Color(
        f"{field}:N",
        title=None,
        **({"scale": alt.Scale(range=COLOURS), "legend": alt.Legend(orient="bottom")} | more),
    )


def _names(field: str) -> alt.Y:
    """Names of any length: the page and the picture know the width, and cut them."""
    return alt.Y(f"{field}:N", title=None, sort=None, axis=alt.Axis(labelExpr=_IN_TWO_LINES))


def _height(rows: int) -> int:
    return _ROW * min(rows, _MOST_ROWS) + 30


def _finished(chart: alt.LayerChart | alt.FacetChart, height: int) -> dict[str, Any]:
    spec = chart.properties(width="container", height=height).to_dict(validate=True)
    spec.pop("config", None)  # the page's own: light or dark
    spec.pop("datasets", None)
    return spec
