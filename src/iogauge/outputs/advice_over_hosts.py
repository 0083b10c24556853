"""What to use on many hosts, for a terminal of 80 columns: on how many of them it is good enough,
the code for it, and where it is not.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from iogauge.advice.over_hosts import OverHostsAdvice
from iogauge.advice.wanted import Wanted
from iogauge.model.text import capital
from iogauge.model.units import counted
from iogauge.outputs import host_words, hosts, narrow
from iogauge.outputs.narrow import wrapped


@dataclass(frozen=True)
class AdvisedOverHosts:
    """`names` are the hosts that were asked; `missing` has why something of hosts is missing."""

    wanted: Wanted
    title: str
    names: Sequence[str]
    advice: Sequence[OverHostsAdvice]
    missing: Mapping[str, str]


def render(document: AdvisedOverHosts) -> _Glance:
    return _Glance(document)


@dataclass(frozen=True)
class _Glance:
    document: AdvisedOverHosts

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from (narrow.fitted(line, options.max_width) for line in self.lines())

    def lines(self) -> Iterator[Text]:
        document = self.document
        title = f"{capital(document.wanted.title)}, over {counted(len(document.names), 'host')}"
        yield Text(wrapped(title, 2), style="bold")
        for name, why in document.missing.items():
            yield Text(wrapped(f"! {name}: {why}", 2), style="yellow")
        for each in document.advice:
            yield Text("")
            yield from _advice(each, document.names)


def _advice(advice: OverHostsAdvice, names: Sequence[str]) -> Iterator[Text]:
    found = advice.found
    yield Text(wrapped(hosts.in_short(found), 2), style="bold")
    if advice.hint:
        yield Text("")
        yield narrow.uncut(textwrap.indent(advice.hint.expandtabs(4), " " * 4))
        yield Text("")
    yield from (Text(f"  {wrapped(line, 4)}") for line in hosts.details(found))
    there = {each.host for each in found.hosts}
    if others := [name for name in names if name not in there]:
        yield Text(wrapped(f"  not measured on: {host_words.names(others)}", 4))
