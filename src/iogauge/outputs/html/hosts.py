"""One page of a plan on many hosts. The first screen is a heat map: a row for each host, a column
for each way, and in a cell how many times the time of the best way there it takes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from iogauge import __version__
from iogauge.analysis.hosts import Cell, OnOne, SetOverHosts, Way
from iogauge.model.ratios import times
from iogauge.outputs import headings, hosts
from iogauge.outputs.hosts import OverHostsDocument
from iogauge.outputs.html.drawing import part, templates, theme

MOST_BYTES = 3 << 20
_HOTTEST = 4.0
"""Times the best's time that has the warmest colour."""
_MOST_WAYS = 16  # columns; of more the cheapest are shown


class Square(NamedTuple):
    """A cell of the heat map. `warmth` is in per cent, None where nothing is known."""

    text: str
    title: str
    warmth: int | None
    use: bool
    best: bool


class Line(NamedTuple):
    """A host in the heat map of a question."""

    host: str
    kind: str
    squares: tuple[Square, ...]


class Map(NamedTuple):
    """A heat map: what is asked, what to use, the ways, and the hosts, the worst first."""

    number: int
    title: str
    says: str
    holds: str
    details: tuple[str, ...]
    ways: tuple[Way, ...]
    use: str | None
    lines: tuple[Line, ...]
    left_out: int


def render(document: OverHostsDocument) -> str:
    """The page. What a run says is text in it: HTML is escaped."""
    environment = templates()
    found = document.hosts
    maps = [_map(number, each) for number, each in enumerate(found.sets, 1)]
    return environment.get_template("hosts.html").render(
        title=document.title,
        head=hosts.head(document),
        maps=[] if found.versions else maps,
        versions=[
            (headings.label(each.asked), each.name, list(hosts.of_version(each)))
            for each in found.versions
        ],
        missing=document.missing,
        facts=_facts(found.facts),
        names=list(dict.fromkeys(found.names)),
        style=theme() + part("page.css") + part("hosts.css"),
        version=__version__,
    )


def _map(number: int, found: SetOverHosts) -> Map:
    ways = _shown(found)
    lines = [_line(each, ways, found) for each in found.hosts]
    order = {"costs more": 0, "undecided": 1, "no answer": 2, "not measured": 2, "holds": 3}
    use = found.use.key if found.use else None
    worst = {each.host: _cost(each, use) for each in found.hosts}
    lines.sort(key=lambda each: (order[each.kind], -worst[each.host], each.host))
    return Map(
        number,
        f"{headings.label(found.asked)}, {found.called}",
        f"{found.use.name} {hosts.where(found)}" if found.use else "no answer on any host",
        found.holds,
        tuple(hosts.details(found)),
        ways,
        use,
        tuple(lines),
        len(found.ways) - len(ways),
    )


def _shown(found: SetOverHosts) -> tuple[Way, ...]:
    """What to use first, then the others, the cheapest over hosts first."""
    use = found.use.key if found.use else None

    def cost(way: Way) -> tuple[bool, float]:
        over = found.over_use.get(way.key)
        return way.key != use, over.center if over else math.inf

    return tuple(sorted(found.ways, key=cost)[:_MOST_WAYS])


def _line(on: OnOne, ways: Sequence[Way], found: SetOverHosts) -> Line:
    use = found.use.key if found.use else None
    return Line(
        on.host, on.kind, tuple(_square(each, on, on.cells.get(each.key), use) for each in ways)
    )


def _square(way: Way, on: OnOne, cell: Cell | None, use: str | None) -> Square:
    chosen = way.key == use
    if cell is None or cell.cost is None or on.kind == "no answer":
        return Square("", f"{on.host}, {way.name}: not known", None, chosen, best=False)
    known = cell.lo is not None and cell.hi is not None
    bounds = times(cell.lo, cell.hi) if known and cell.lo and cell.hi else "not known how sure"
    warmth = round(100 * min(1.0, max(0.0, math.log(cell.cost)) / math.log(_HOTTEST)))
    return Square(
        times(cell.cost),
        f"{on.host}, {way.name}: {times(cell.cost)} the best's time ({bounds})",
        warmth,
        chosen,
        on.use == way.key and on.sure,
    )


def _cost(on: OnOne, way: str | None) -> float:
    cell = on.cells.get(way) if way else None
    return (cell.cost or 0.0) if cell else 0.0


def _facts(found: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, list[str]]]:
    """The facts in which hosts differ, and the value of each host; then what all have in common."""
    names = list(dict.fromkeys(name for facts in found.values() for name in facts))
    rows = []
    for name in names:
        values = ["" if (v := facts.get(name)) is None else str(v) for facts in found.values()]
        if any(values):
            rows.append((name, values))
    return sorted(rows, key=lambda row: len({*row[1]}) == 1)
