"""Many hosts at a glance, for a terminal of 80 columns: for each question and language what to use,
on which hosts that holds and where it does not, what other ways cost, and with what that goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from iogauge.analysis.hosts import HoldsKind, Hosts, OnOne, SetOverHosts
from iogauge.decision.verdict import VerdictKind
from iogauge.model.ratios import times
from iogauge.model.text import listed
from iogauge.model.units import counted, duration
from iogauge.outputs import (
    differences,
    headings,
    host_words,
    narrow,
    versions_over_hosts,
)
from iogauge.outputs.differences import Differences
from iogauge.outputs.host_words import WIDE, goes_with, over_hosts
from iogauge.outputs.narrow import wrapped

_MOST_WAYS = 3  # whose costs are told
_FEW = 3  # hosts or studies that are named
_MOST_MISSING = 8  # reasons why something is missing
_NO_ANSWER: dict[VerdictKind, str] = {
    "too few repeats": "too few repeats",
    "suspended": "identical code differed",
    "impossible": "a way seems faster than the machine",
    "nothing measured": "nothing was measured",
    "decided": "the way was not among those that it compared",
    "open": "the way was not among those that it compared",
    "only one": "the way was not among those that it compared",
}
"""Why a host has no answer, by its own verdict."""
_WORDS: dict[HoldsKind, str] = {
    "costs more": "not on",
    "fails": "fails on",
    "undecided": "undecided on",
    "no answer": "no answer on",
    "not measured": "not measured on",
}


@dataclass(frozen=True)
class OverHostsDocument:
    """Runs of many hosts. `missing` has the hosts of which something is missing, and why."""

    title: str
    hosts: Hosts
    missing: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def versions(self) -> Differences | None:
        """The table of differences, where two versions are the question."""
        found = self.hosts.versions
        return versions_over_hosts.of_versions(found) if found else None


def render(document: OverHostsDocument) -> HostsGlance:
    return HostsGlance(document)


@dataclass(frozen=True)
class HostsGlance:
    document: OverHostsDocument

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from (narrow.fitted(line, options.max_width) for line in self.lines())

    def lines(self) -> Iterator[Text]:
        document = self.document
        yield Text(wrapped(head(document), 2), style="bold")
        for line in missing(document):
            yield Text(wrapped(f"! {line}", 2), style="yellow")
        if document.versions:
            yield Text("")
            yield from differences.text(document.versions)
            return
        for one in document.hosts.sets:
            yield Text("")
            yield Text(wrapped(in_short(one), 2), style="bold")
            yield from (Text(f"  {wrapped(line, 4)}") for line in details(one))


def head(document: OverHostsDocument) -> str:
    """`fleet-…: quick on 11 hosts, measured in 40 s to 62 s`."""
    seconds = [each.seconds for each in document.hosts.runs]
    took = ""
    if seconds:
        least, most = duration(min(seconds)), duration(max(seconds))
        took = f", measured in {least}" + (f" to {most}" if most != least else "")
    hosts = list(dict.fromkeys(document.hosts.names))
    where = listed(hosts) if len(hosts) <= _FEW else counted(len(hosts), "host")
    studies = list(dict.fromkeys(each.study for each in document.hosts.runs))
    what = listed(studies) if len(studies) <= _FEW else f"{len(studies)} studies"
    return f"{document.title}: {what} on {where}{took}"


def missing(document: OverHostsDocument) -> Iterator[str]:
    """Of which hosts something is missing, and why; of many reasons the first."""
    told = [f"{names}: {why}" for names, why in document.missing.items()]
    yield from told[:_MOST_MISSING]
    if more := told[_MOST_MISSING:]:
        yield f"and {counted(len(more), 'more reason')} why something of hosts is missing"


def in_short(found: SetOverHosts) -> str:
    """`Read 16 MiB, cached, Go: os.File.Read 128K on 9 of 11 hosts`."""
    asked = f"{headings.label(found.asked)}, {found.called}"
    if found.use is None:
        return f"{asked}: {nowhere(found)}"
    return f"{asked}: {found.use.name} {where(found)}"


def nowhere(found: SetOverHosts) -> str:
    """`no answer on any host (too few repeats; --budget 40s would bring enough)`."""
    by_why = _by_why(found.hosts)
    where = " on any host" if len(found.hosts) > 1 else ""
    return f"no answer{where} ({'; '.join(map(_with_budget, by_why, by_why.values()))})"


def where(found: SetOverHosts) -> str:
    """On how many hosts what is recommended is surely good enough."""
    holds, total = found.counts["holds"], len(found.hosts)
    match found.holds:
        case "all" if holds == total:
            return host_words.on_all(total)
        case "all" | "some":
            return f"on {holds} of {counted(total, 'host')}"
        case "none":
            if total > 1:
                return f"for now: sure on none of {counted(total, 'host')}"
            return "for now: not sure yet"
    return f"for now: none of {counted(total, 'host')} has an answer"


def details(found: SetOverHosts) -> Iterator[str]:
    """Where it does not hold, what other ways cost, with which facts that goes, and the worst."""
    if found.use is None:
        return
    for kind, word in _WORDS.items():
        hosts = [each for each in found.hosts if each.kind == kind]
        if kind == "no answer":
            yield from _without(hosts)
            continue
        for better, of_these in _by_what_is_better(hosts).items():
            yield f"{word}: {_named(found, of_these, better)}"
    told = sorted(found.over_use.items(), key=lambda each: each[1].center)
    others = [(found.name_of(key), ratio) for key, ratio in told if ratio.hosts > 1]
    shown = [*others[:_MOST_WAYS], *([others[-1]] if len(others) > _MOST_WAYS else [])]
    for name, ratio in shown:
        if says := over_hosts(ratio):
            yield f"{name} takes {says}"
    for way in found.ways:
        failing = [each for each in found.hosts if _fails(each, way.key)]
        if failing and way != found.use:
            on = host_words.names([each.host for each in failing])
            yield f"{way.name} fails on {on} ({failing[0].cells[way.key].failure})"
    yield from _why(found)
    if worst := found.worst:
        cell = worst.cells[found.use.key]
        if cell.cost and cell.cost > 1 + found.asked.tolerance and (cell.lo or 0.0) > 1:
            best = f"; there {found.name_of(worst.use)} is better" if worst.use else ""
            yield f"worst host: {worst.host}, {_cost(worst, found.use.key)} the best's time{best}"


def _fails(on: OnOne, way: str) -> bool:
    return way in on.cells and on.cells[way].kind == "fails"


def why(found: SetOverHosts) -> str:
    """With what a difference goes first of all; empty where nothing is known of that."""
    return next(_why(found), "")


def _why(found: SetOverHosts) -> Iterator[str]:
    if found.use and found.rival:
        for each in found.goes_with:
            yield f"{found.use.name} / {found.rival.name}: {goes_with(each)}"


def _without(hosts: Sequence[OnOne]) -> Iterator[str]:
    """The hosts without an answer, and why."""
    for why, these in _by_why(hosts).items():
        names = host_words.names([each.host for each in these])
        yield f"no answer on: {names} ({_with_budget(why, these)})"


def _by_why(hosts: Iterable[OnOne]) -> dict[str, list[OnOne]]:
    """Hosts without an answer by the reason."""
    found: dict[str, list[OnOne]] = {}
    for each in hosts:
        found.setdefault(_NO_ANSWER[each.verdict], []).append(each)
    return found


def _with_budget(why: str, hosts: Sequence[OnOne]) -> str:
    """`too few repeats; --budget 40s would bring enough`."""
    few = hosts[0].verdict == "too few repeats"
    brings = "would bring enough" if few else "would likely decide"
    more = host_words.more_time([each.budget for each in hosts], brings)
    return "; ".join(filter(None, (why, more)))


def _by_what_is_better(hosts: Sequence[OnOne]) -> dict[str | None, list[OnOne]]:
    """Hosts by the way that each would use instead, where this one costs more: the most first.
    Those with the rarest answers are together, under None.
    """
    found: dict[str | None, list[OnOne]] = {}
    for each in hosts:
        found.setdefault(each.use if each.kind == "costs more" else None, []).append(each)
    told = dict(sorted(found.items(), key=lambda each: -len(each[1])))
    if rare := [key for key in list(told)[_MOST_WAYS:] if key]:
        told[None] = [*told.get(None, []), *(each for key in rare for each in told.pop(key))]
    return told


def _named(found: SetOverHosts, hosts: Sequence[OnOne], better: str | None) -> str:
    """`nfs-3, nfs-7 and 4 more (os.ReadFile is better, 1.3-1.5x)`."""
    assert found.use
    told = host_words.names([each.host for each in hosts])
    if hosts[0].kind == "fails":
        return f"{told} ({hosts[0].cells[found.use.key].failure})"
    if hosts[0].kind != "costs more":
        needed = [each.budget for each in hosts] if hosts[0].kind == "undecided" else []
        more = host_words.more_time(needed)
        return f"{told} ({more})" if more else told
    cells = [each.cells[found.use.key] for each in hosts]
    costs = [each.cost for each in cells if each.cost]
    cost = _cost(hosts[0], found.use.key)
    if len(costs) > 1:
        cost = times(min(costs), max(costs))
    return f"{told} ({f'{found.name_of(better)} is better, ' if better else ''}{cost})"


def _cost(on: OnOne, way: str) -> str:
    cell = on.cells[way]
    if cell.lo and cell.hi and cell.hi / cell.lo <= WIDE:
        return times(cell.lo, cell.hi)
    return times(cell.cost or 1.0)
