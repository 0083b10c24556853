"""What became of a publication: a verdict per statement, one picture, and a few sentences."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from iogauge.model.case import variant_name
from iogauge.model.ratios import ratio
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
_COMPARED = re.compile(
    r"^(.+?) takes \S+ times \((?:([\d.]+)–|at most )([\d.]+)\) the time of (.+?) on "
)
_UNSURE = re.compile(r"^(.+?) takes (\S+) times \(not known how sure\) the time of (.+?) on ")


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
            f"Not reproduced: {in_short(each, claim.because)}."
            for each in self.exports
            for claim in each.claims
            if claim.verdict == "refuted"
        )
        names = called(self.exports)
        use = [
            f"{card.question} {names(each.set)}: {each.says}"
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
    counts = {word: sum(each.word == word for each in found) for word in WORDS.values()}
    parts = [f"{count} {word}" for word, count in counts.items() if count]
    if len(found) == 1:
        return f"Its one statement: {found[0].word}."
    return f"Of {len(found)} statements: {', '.join(parts)}."


def points_of(export: Export) -> list[Point]:
    """Each published number with what the same procedure gives here."""
    names = {case.key: case.name for group in export.groups for case in group.cases}
    of_strategy: dict[str, list[str]] = {}
    for cell in export.published:
        of_strategy.setdefault(cell.strategy, []).extend(names[each.key] for each in cell.measured)
    return [
        Point(
            _series(of_strategy[cell.strategy]),
            f"{names[here.key]}, {size(cell.size)}",
            cell.ns_per_op,
            ns,
        )
        for cell in export.published
        for here in cell.measured
        if (ns := here.ns_per_op.center) is not None and not cell.doubtful
    ]


def _series(names: Sequence[str]) -> str:
    """What the names of a strategy's cases begin with: the strategy without its parameters."""
    shared = os.path.commonprefix(list(names))
    if len(set(names)) > 1:
        shared = shared.rpartition(" ")[0].rstrip(" ,") or names[0]
    in_a_language = "/" in shared.partition(" ")[0]  # a label: there was no name for people
    return shared.partition("/")[2].removeprefix("published-") if in_a_language else shared


def in_short(export: Export, because: str) -> str:
    """A verdict's reason as users say it: without the ids of groups, cases by their names."""
    for group in sorted((group.id for group in export.groups), key=len, reverse=True):
        because = because.replace(f"{group}: ", "").replace(f" ({group})", "")
    names = {
        variant_name(case.strategy, case.params): case.name
        for group in export.groups
        for case in group.cases
    }
    for variant in sorted(names, key=len, reverse=True):
        because = because.replace(variant, names[variant])
    return _UNSURE.sub(_slower, _COMPARED.sub(_slower_first, because))


def _slower(found: re.Match[str]) -> str:
    """`A takes about 2.2 times as long as B, not known how sure, on `, whichever is the slower."""
    case, times, reference = found[1], float(found[2]), found[3]
    if times < 1:
        case, times, reference = reference, 1 / times, case
    return (
        f"{case} takes about {ratio(times)} times as long as {reference}, not known how sure, on "
    )


def _slower_first(found: re.Match[str]) -> str:
    """`A takes 2.0 to 3.3 times as long as B on `, whichever of the two is the slower one."""
    case, lo, hi, reference = found[1], float(found[2] or 0), float(found[3]), found[4]
    if hi >= 1:
        return f"{case} takes {ratio(lo)} to {ratio(hi)} times as long as {reference} on "
    times = f"{ratio(1 / hi)} to {ratio(1 / lo)}" if lo else f"at least {ratio(1 / hi)}"
    return f"{reference} takes {times} times as long as {case} on "
