"""One page of a plan on many hosts. The first screen is a heat map: a row for each host, a column
for each way, and in a cell how many times the time of the best way there it takes.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from iogauge import __version__
from iogauge.analysis.hosts import Cell, HoldsKind, OnOne, SetOverHosts, Way
from iogauge.model.ratios import times
from iogauge.model.units import counted
from iogauge.outputs import headings, hosts
from iogauge.outputs.hosts import OverHostsDocument
from iogauge.outputs.html import host_versions
from iogauge.outputs.html.drawing import part, templates, theme
from iogauge.outputs.html.heat import MANY, MOST_CELLS, Line, Square, warmth

_HOTTEST = 4.0
"""Times the best's time that has the warmest colour."""
_MOST_WAYS = 16  # columns; of more the cheapest are shown
_MOST_FACTS = 1000  # hosts whose facts are shown
_NAMED = 12  # hosts of such a row, where the pointer rests on it


_ORDER: dict[HoldsKind, int] = {
    "fails": 0,
    "costs more": 0,
    "undecided": 1,
    "no answer": 2,
    "not measured": 2,
    "holds": 3,
}


class Map(NamedTuple):
    """A heat map: what is asked, what to use, the ways, and the hosts, the worst first. `together`
    are many hosts as a few rows, and `why` says with what a difference goes.
    """

    number: int
    title: str
    says: str
    holds: str
    why: str
    details: tuple[str, ...]
    ways: tuple[Way, ...]
    use: str | None
    together: tuple[Line, ...]
    lines: tuple[Line, ...]
    more_hosts: int
    left_out: int


def render(document: OverHostsDocument) -> str:
    """The page. What a run says is text in it: HTML is escaped."""
    environment = templates()
    found = document.hosts
    # Questions without an answer have no heat map, so they come last.
    sets = [] if found.versions else sorted(found.sets, key=lambda each: each.use is None)
    columns = sum(min(len(each.ways), _MOST_WAYS) for each in sets)
    rows = max(MANY, MOST_CELLS // max(1, columns))
    maps = [_map(number, each, rows) for number, each in enumerate(sets, 1)]
    names = list(dict.fromkeys(found.names))
    return environment.get_template("hosts.html").render(
        title=document.title,
        head=hosts.head(document),
        maps=maps,
        many=MANY,
        versions=host_versions.of(found.versions, document.versions),
        missing=list(hosts.missing(document)),
        incomplete="; ".join(document.missing),
        facts=_facts(found.facts),
        names=names[:_MOST_FACTS],
        more_names=max(0, len(names) - _MOST_FACTS),
        style=theme() + part("page.css") + part("hosts.css"),
        version=__version__,
    )


def _map(number: int, found: SetOverHosts, rows: int) -> Map:
    ways = _shown(found)
    use = found.use.key if found.use else None
    shown = found.hosts if use else ()
    agree: dict[tuple[HoldsKind, str | None], list[OnOne]] = {}
    for each in shown:
        better = each.use if each.kind == "costs more" else None
        agree.setdefault((each.kind, better), []).append(each)
    groups = sorted(agree.items(), key=lambda each: (_ORDER[each[0][0]], -len(each[1])))
    lines = [
        _line(each, ways, found)
        for _, of_these in groups
        for each in sorted(of_these, key=lambda one: (-_cost(one, use), one.host))
    ]
    together = [_together(of_these, ways, found) for _, of_these in groups]
    return Map(
        number,
        f"{headings.label(found.asked)}, {found.called}",
        f"{found.use.name} {hosts.where(found)}" if found.use else hosts.nowhere(found),
        found.holds,
        hosts.why(found) if len(lines) > MANY else "",
        tuple(hosts.details(found)),
        ways,
        use,
        tuple(together) if len(lines) > MANY else (),
        tuple(lines[:rows]),
        max(0, len(lines) - rows),
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


def _together(those: Sequence[OnOne], ways: Sequence[Way], found: SetOverHosts) -> Line:
    """Hosts that agree, as one row: the middle of what each way takes there."""
    use = found.use.key if found.use else None
    names = [each.host for each in those]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    kind = those[0].kind
    return Line(
        counted(len(those), "host"),
        kind,
        tuple(_middle(each, those, use) for each in ways),
        ", ".join(names[:_NAMED]) + more,
    )


def _middle(way: Way, those: Sequence[OnOne], use: str | None) -> Square:
    chosen = way.key == use
    cells = [each.cells.get(way.key) for each in those if each.kind != "no answer"]
    costs = [cell.cost for cell in cells if cell and cell.cost is not None]
    if not costs:
        return Square("", f"{way.name}: not known", None, chosen, best=False)
    middle = statistics.median(costs)
    best = 2 * sum(each.use == way.key and each.sure for each in those) > len(those)
    says = f"{way.name}: {times(min(costs), max(costs))} the best's time"
    return Square(times(middle), says, warmth(middle, _HOTTEST), chosen, best)


def _square(way: Way, on: OnOne, cell: Cell | None, use: str | None) -> Square:
    chosen = way.key == use
    if cell and cell.failure:
        title = f"{on.host}, {way.name} fails: {cell.failure}"
        return Square("fails", title, None, chosen, best=False)
    if cell is None or cell.cost is None or on.kind == "no answer":
        return Square("", f"{on.host}, {way.name}: not known", None, chosen, best=False)
    known = cell.lo is not None and cell.hi is not None
    bounds = times(cell.lo, cell.hi) if known and cell.lo and cell.hi else "not known how sure"
    return Square(
        times(cell.cost),
        f"{on.host}, {way.name}: {times(cell.cost)} the best's time ({bounds})",
        warmth(cell.cost, _HOTTEST),
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
