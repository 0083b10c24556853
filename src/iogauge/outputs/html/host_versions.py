"""Two versions on many hosts, for the page: a heat map of new / old for each question, a row for
each host, a column for each way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from iogauge.analysis.versions_over_hosts import (
    WORST_FIRST,
    Said,
    VersionsOverHosts,
    WayOverHosts,
)
from iogauge.decision.versions import VersionKind
from iogauge.model.ratios import ratio
from iogauge.outputs import versions_over_hosts as told
from iogauge.outputs.differences import Difference, Differences
from iogauge.outputs.html.heat import MOST_CELLS, Line, Square, warmth

_HOTTEST = 2.0
"""Times the old version's time that has the warmest colour."""
_BAD: tuple[VersionKind, ...] = ("slower", "fails only in new", "fails in both")


class Question(NamedTuple):
    """The ways of a question, what is said of each over hosts, and its hosts, the worst first."""

    label: str
    ways: tuple[str, ...]
    lines: tuple[Line, ...]
    more_hosts: int
    says: tuple[str, ...]


class Versions(NamedTuple):
    """`answer` is the answer to the whole, `style` how it is shown: good, bad or neither."""

    answer: str
    style: str
    questions: tuple[Question, ...]
    notes: tuple[str, ...]


def of(found: VersionsOverHosts | None, shown: Differences | None) -> Versions | None:
    if found is None or shown is None:
        return None
    by_label, rows = told.by_label(found), MOST_CELLS // max(1, len(found.ways))
    styles = {"slower": "bad", "failed": "bad", "not slower": "good"}
    return Versions(
        shown.headline,
        styles.get(found.gate or "", ""),
        tuple(
            _question(found, question.label, by_label[question.label], question.differences, rows)
            for question in shown.questions
        ),
        shown.notes,
    )


def _question(
    found: VersionsOverHosts,
    label: str,
    ways: Sequence[WayOverHosts],
    differences: Sequence[Difference],
    rows: int,
) -> Question:
    kinds = {
        host: min(WORST_FIRST.index(way.said[host].kind) for way in ways if host in way.said)
        for host in found.hosts
        if any(host in way.said for way in ways)
    }
    hosts = sorted(kinds, key=lambda host: (kinds[host], -_most(ways, host), host))
    return Question(
        label,
        tuple(each.way for each in differences),
        tuple(
            Line(host, _kind(kinds[host]), tuple(_square(found, way, host) for way in ways))
            for host in hosts[:rows]
        ),
        max(0, len(hosts) - rows),
        tuple(
            "; ".join((f"{each.way}: {each.told}, over hosts {each.bounds}", *each.details))
            for each in differences
        ),
    )


def _kind(place: int) -> str:
    """Of a host on which all is well nothing is said."""
    kind = WORST_FIRST[place]
    return "" if kind == "not slower" else kind


def _most(ways: Sequence[WayOverHosts], host: str) -> float:
    ratios = [
        said.comparison.center for w in ways if (said := w.said.get(host)) and said.comparison
    ]
    return max(ratios, default=0.0)


def _square(found: VersionsOverHosts, way: WayOverHosts, host: str) -> Square:
    said = way.said.get(host)
    if said is None:
        return Square("", f"{host}, {way.name}: not compared", None, use=False, best=False)
    words = told.words_of(found, said)
    bad = said.kind in _BAD
    if said.comparison is None:
        title = f"{host}, {way.name}: {words} {said.failure}".strip()
        return Square("fails" if said.failure else "", title, None, use=False, best=bad)
    return _of_ratio(f"{host}, {way.name}: {found.new} / {found.old}", words, said, best=bad)


def _of_ratio(what: str, words: str, said: Said, *, best: bool) -> Square:
    assert said.comparison
    center = said.comparison.center
    bounds = Difference("", said.kind, said.comparison).bounds
    title = f"{what} {bounds}, {words}"
    return Square(ratio(center), title, warmth(center, _HOTTEST), use=False, best=best)
