"""What became of a publication: a verdict per statement, one picture, and a few sentences."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from iogauge.model.units import duration, significant, size
from iogauge.outputs.contract import Claim, Export
from iogauge.outputs.html.cards import Card, Numbered, ShownRun
from iogauge.outputs.html.drawing import MORE_COLOURS, LogScale, called, templates, theme

WORDS = {
    "holds": "reproduced",
    "refuted": "not reproduced",
    "undecided": "unclear",
    "answered": "answered",
    "not-testable": "not tested",
}
"""Verdicts in neutral words."""

PROTOCOLS = {"published": "as published", "sound": "under control"}
_MOST_SENTENCES = 5
_MOST_OF_A_KIND = 2

_WIDTH, _HEIGHT = 400, 290
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 22, 10, 42  # margins around the points
_MOST_DECADES = 6  # with a label
_ALONE = (  # where no page gives a style
    "text { font: 11px system-ui, sans-serif; fill: var(--quiet) } .grid { stroke: var(--line) }"
    " .even { stroke: var(--grey) }"
)


@dataclass(frozen=True)
class Line:
    """The verdict on a statement. `otherwise` is what the other way of measuring says, where that
    differs.
    """

    verdict: str
    says: str
    otherwise: str = ""

    @property
    def word(self) -> str:
        return WORDS[self.verdict]


@dataclass(frozen=True)
class Point:
    """A published number and the measured one, in ns per operation, of files of `size` bytes."""

    series: str
    name: str
    size: str
    published_ns: float
    here_ns: float


@dataclass(frozen=True)
class Publication:
    """The runs of one publication."""

    runs: tuple[ShownRun, ...]

    @property
    def title(self) -> str:
        return self.runs[0].run.title

    @property
    def exports(self) -> list[Export]:
        return [each.source.export for each in self.runs]

    @property
    def cards(self) -> list[Card]:
        """What was measured by its own procedure."""
        return [card for each in self.runs for card in each.cards if card.as_published]

    @property
    def figures(self) -> list[Numbered]:
        """Those that show published numbers."""
        return [one for each in self.runs for one in each.further if one[1].kind == "published"]

    @property
    def first(self) -> Card:
        """What is shown where its numbers are lost."""
        cards = [card for each in self.runs for card in each.cards]
        return next((each for each in cards if not each.as_published), cards[0])

    @cached_property
    def lines(self) -> list[Line]:
        return lines({each.run.protocol: each.claims for each in reversed(self.exports)})

    @cached_property
    def picture(self) -> str:
        """As SVG; empty where the publication's numbers are lost, or none was measured again."""
        points = [point for each in self.exports for point in points_of(each)]
        return picture(points) if points else ""

    @property
    def sentences(self) -> list[str]:
        """At most five: how many statements were reproduced, what speaks against the others, and
        what to use.
        """
        against = dict.fromkeys(
            f"Not reproduced: {claim.in_short or claim.because}."
            for each in self.exports
            for claim in each.claims
            if claim.verdict == "refuted"
        )
        names = called(self.exports)
        use = [
            f"{card.question} {names(each.of)}: {each.says}"
            for run in self.runs
            for card in run.cards
            for _, each in card.recommendations
            if each.state == "decided"
        ]
        found = [tally(self.lines), *list(against)[:_MOST_OF_A_KIND], *use[:_MOST_OF_A_KIND]]
        return found[:_MOST_SENTENCES]


def of(runs: Iterable[ShownRun]) -> list[Publication]:
    """The publications of these runs. A study is of one if it has statements to test."""
    found: dict[str, list[ShownRun]] = {}
    for each in runs:
        if each.source.export.claims:
            found.setdefault(each.run.study or "", []).append(each)
    return [Publication(tuple(same)) for same in found.values()]


def lines(claims: Mapping[str, Sequence[Claim]]) -> list[Line]:
    """A line per statement, from its verdicts by protocol. The verdict of the publication's own
    procedure comes first; where that could not test it, the other stands alone.
    """
    found: dict[str, list[tuple[str, Claim]]] = {}
    for protocol in PROTOCOLS:
        for claim in claims.get(protocol, ()):
            found.setdefault(claim.id, []).append((protocol, claim))
    made = []
    for verdicts in found.values():
        tested = [each for each in verdicts if each[1].verdict != "not-testable"] or verdicts
        first = tested[0][1]
        others = [
            f"{PROTOCOLS[protocol]}: {WORDS[claim.verdict]}"
            for protocol, claim in tested[1:]
            if claim.verdict != first.verdict
        ]
        made.append(Line(first.verdict, first.says, "; ".join(others)))
    return made


def tally(found: Sequence[Line]) -> str:
    """`Of 6 statements: 3 reproduced, 2 not reproduced, 1 unclear.`"""
    whose = "Its one statement" if len(found) == 1 else f"Of {len(found)} statements"
    return f"{whose}: {counts(found)}."


def counts(found: Sequence[Line]) -> str:
    """`3 reproduced, 2 not reproduced, 1 unclear`; of a single statement without the number."""
    if len(found) == 1:
        return found[0].word
    numbers = Counter(each.word for each in found)
    return ", ".join(f"{numbers[word]} {word}" for word in WORDS.values() if numbers[word])


def points_of(export: Export) -> list[Point]:
    """Each published number with what the same procedure gives here. The points of a strategy are a
    series.
    """
    cases = {case.key: case for group in export.groups for case in group.cases}
    return [
        Point(
            cases[here.key].known_as or cell.strategy,
            cases[here.key].name,
            size(cell.size),
            cell.ns_per_op,
            ns,
        )
        for cell in export.published
        for here in cell.measured
        if (ns := here.ns_per_op.center) is not None and not cell.doubtful
    ]


def picture(points: Sequence[Point], *, alone: bool = False) -> str:
    """Published numbers beside measured ones as SVG: a point each, on two equal scales. `alone` as
    a file of its own, with its style.
    """
    logs = [math.log10(ns) for each in points for ns in (each.published_ns, each.here_ns)]
    least = math.floor(min(logs))
    most = max(math.ceil(max(logs)), least + 1)
    names = list(dict.fromkeys(each.series for each in points))
    decades = range(least, most + 1)
    return (
        templates()
        .get_template("points.svg")
        .render(
            points=points,
            x=LogScale(10.0**least, 10.0**most, _LEFT, _WIDTH - _RIGHT),
            y=LogScale(10.0**least, 10.0**most, _HEIGHT - _BOTTOM, _TOP),
            width=_WIDTH,
            height=_HEIGHT,
            decades={
                10.0**each: _decade(each)
                for each in decades[:: max(1, math.ceil(len(decades) / _MOST_DECADES))]
            },
            colours={each: MORE_COLOURS[n % len(MORE_COLOURS)] for n, each in enumerate(names)},
            style=f"{theme('quiet', 'line', 'grey')}{_ALONE}" if alone else "",
            duration=duration,
        )
    )


def _decade(power: int) -> str:
    """`100 µs` for 5: a power of ten of ns."""
    unit = max(0, min(power // 3, 3))
    return f"{significant(10.0 ** (power - 3 * unit), 1)} {('ns', 'µs', 'ms', 's')[unit]}"
