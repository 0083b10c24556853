"""What became of a publication: a verdict per statement, one picture, and a few sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from iogauge.model.units import size
from iogauge.outputs.contract import Claim, Export
from iogauge.outputs.html import scatter
from iogauge.outputs.html.cards import Card, Numbered, ShownRun
from iogauge.outputs.html.rows import called
from iogauge.outputs.html.scatter import Point

WORDS = {
    "holds": "reproduced",
    "refuted": "not reproduced",
    "undecided": "unclear",
    "answered": "answered",
    "not-testable": "not tested",
}
"""Verdicts in neutral words."""

PROTOCOLS = {"published": "as published", "sound": "under control"}
KIND = "published"  # of the figures that show published numbers
_MOST_SENTENCES = 5
_MOST_OF_A_KIND = 2


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
        return [found for each in self.runs for found in each.further if found[1].kind == KIND]

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
        return scatter.svg(points) if points else ""

    @cached_property
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
    return [_line(verdicts) for verdicts in found.values()]


def _line(verdicts: list[tuple[str, Claim]]) -> Line:
    tested = [each for each in verdicts if each[1].verdict != "not-testable"] or verdicts
    first = tested[0][1]
    others = [
        f"{PROTOCOLS[protocol]}: {WORDS[claim.verdict]}"
        for protocol, claim in tested[1:]
        if claim.verdict != first.verdict
    ]
    return Line(first.verdict, first.says, "; ".join(others))


def tally(found: Sequence[Line]) -> str:
    """`Of 6 statements: 3 reproduced, 2 not reproduced, 1 unclear.`"""
    if len(found) == 1:
        return f"Its one statement: {found[0].word}."
    return f"Of {len(found)} statements: {counts(found)}."


def counts(found: Sequence[Line]) -> str:
    """`3 reproduced, 2 not reproduced, 1 unclear`; of a single statement without the number."""
    if len(found) == 1:
        return found[0].word
    numbers = {word: sum(each.word == word for each in found) for word in WORDS.values()}
    return ", ".join(f"{number} {word}" for word, number in numbers.items() if number)


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
