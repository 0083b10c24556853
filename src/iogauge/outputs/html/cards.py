"""Cards of a page: what a run measured for one question, whatever the sizes and conditions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from iogauge.model.strategy import version_of
from iogauge.model.text import capital
from iogauge.model.units import rate, size
from iogauge.outputs import headings
from iogauge.outputs.contract import Group, Recommendation, Run
from iogauge.outputs.document import Source
from iogauge.outputs.html import dots
from iogauge.outputs.html.dots import Dots
from iogauge.outputs.html.figure import Figure
from iogauge.outputs.html.languages import Languages
from iogauge.outputs.html.rows import by
from iogauge.outputs.html.spans import SpanCard

_MOST_LINES = 2  # of a cell of the matrix
_MOST_PARTS = 3  # circumstances that have a chart each; more are panels of one
_NO_ANSWER = ("suspended", "impossible", "nothing measured")
_CONSUMED = {"none": "not looked at", "touch": "one byte in 64 used", "sum": "all of it used"}


@dataclass(frozen=True)
class Line:
    """What to use of a language, in a few words. `where` is empty if it holds throughout."""

    where: str
    short: str
    is_sure: bool


Numbered = tuple[int, Figure]
"""A figure and its number on the page."""


@dataclass(frozen=True)
class Card:
    """The groups of a run that ask one question. `letter` names the run where there are several.
    `across` compares the same cases across the groups. `numbers` are those of the groups in the
    run, as a terminal has them; none where the run has one group.
    """

    run: Run
    letter: str
    question: str
    groups: tuple[Group, ...]
    figures: tuple[Numbered, ...]
    across: tuple[SpanCard, ...] = ()
    numbers: tuple[int, ...] = ()

    @cached_property
    def circumstances(self) -> list[str]:
        """What tells the groups apart: `2 MiB, warm`. Empty for a group alone."""
        return circumstances(self.groups)

    @cached_property
    def dots(self) -> Dots:
        """All circumstances in one chart."""
        return dots.of(self.groups, self.circumstances)

    @property
    def parts(self) -> list[tuple[str, Card]]:
        """Few circumstances one below another, each with its words and its chart."""
        if not 1 < len(self.groups) <= _MOST_PARTS:
            return [("", self)]
        alone = [
            replace(self, groups=(group,), figures=(), across=(), numbers=self.numbers[at : at + 1])
            for at, group in enumerate(self.groups)
        ]
        return list(zip(self.circumstances, alone, strict=True))

    @property
    def number(self) -> str:
        """`1, 2` of questions of a terminal."""
        return ", ".join(map(str, self.numbers))

    @property
    def next_steps(self) -> list[str]:
        """How to get surer of what is open, each sentence once."""
        return list(dict.fromkeys(each.next_steps for each in self.groups if each.next_steps))

    @property
    def languages(self) -> list[str]:
        return list(dict.fromkeys(each.language for each in self._recommended))

    @property
    def one_each(self) -> bool:
        """Whether all is told where the sets are compared, which have one case each."""
        return all(each.one_each for each in self.groups)

    @property
    def as_published(self) -> bool:
        """Measured as a publication did: then nothing is recommended."""
        return self.run.protocol == "published"

    @property
    def repeats(self) -> str:
        """`5 repeats in fresh processes`, the fewest and the most of all circumstances."""
        counts = sorted({each.replicates or 0 for each in self.groups})
        many = "-".join(map(str, dict.fromkeys((counts[0], counts[-1]))))
        whose = "of the authors' procedure" if self.as_published else "in fresh processes"
        cases = [case for group in self.groups for case in group.cases]
        commands = any(case.command for case in cases)
        seen = (
            [] if all(case.tells for case in cases) else [headings.not_checked(commands=commands)]
        )
        return ", ".join([f"{many} repeat{'' if many == '1' else 's'} {whose}", *seen])

    @property
    def observed(self) -> list[str]:
        """What the figures rest on; with the circumstances, where that differs."""
        found: dict[str, list[str]] = {}
        for where, group in zip(self.circumstances, self.groups, strict=True):
            found.setdefault(group.observed or f"{group.replicates} repeats", []).append(where)
        if len(found) == 1:
            return [capital(says) for says in found]
        return [f"{capital('; '.join(where))}: {says}" for says, where in found.items()]

    @property
    def limit(self) -> str:
        """What the machine reaches; empty for several groups, or if that is not known."""
        ceiling = self.groups[0].ceiling if len(self.groups) == 1 else None
        if ceiling is None:
            return ""
        cases = [each for each in self.groups[0].cases if not each.impossible]
        fastest = max(cases, key=lambda each: each.bytes_per_s.center or 0)
        if (fastest.bytes_per_s.center or 0) > ceiling.bytes_per_s:
            return f"no plain way was faster here than {fastest.name}"
        return f"the machine's limit: {rate(ceiling.bytes_per_s)}"

    @property
    def verdict(self) -> tuple[str, str]:
        """How much of the question is answered, and its class in the page's style."""
        found = self._recommended
        if not found:
            return "as published" if self.as_published else "", "undecided"
        if all(each.is_sure for each in found):
            return "decided", "holds"
        if all(each.state in _NO_ANSWER for each in found):
            return "no answer", "refuted"
        if any(each.is_sure for each in found):
            return "in part", "undecided"
        return "open", "undecided"

    def lines(self, of: str) -> list[Line]:
        """The cell of a language in the matrix: what to use, and where that depends, on what."""
        found: dict[tuple[str, bool], list[str]] = {}
        sets = dict.fromkeys(each.set for each in self._recommended if each.language == of)
        for where, each in self.recommendations:
            if each.language == of:
                setting = version_of(each.set) if len(sets) > 1 else ""
                place = ", ".join(filter(None, (setting, where)))
                few = each.state == "too few repeats"
                short = "not measured enough" if few else each.short.partition(":")[0]
                found.setdefault((short, each.is_sure), []).append(place)
        lines = [
            Line("" if len(found) == 1 else "; ".join(where), *what)
            for what, where in found.items()
        ]
        if len(lines) <= _MOST_LINES:
            return lines
        return [Line("", f"it depends: {len(lines)} answers", False)]

    @cached_property
    def recommendations(self) -> list[tuple[str, Recommendation]]:
        """Each with the circumstances it is for. Where sets of one case are compared, answers say
        how, and there are none.
        """
        return [
            (where, each)
            for where, group in zip(self.circumstances, self.groups, strict=True)
            for each in group.recommendations
            if not group.one_each
        ]

    @property
    def answers(self) -> list[tuple[str, str]]:
        """Sentences with their circumstances: what a summary has that is older than
        recommendations.
        """
        pairs = zip(self.circumstances, self.groups, strict=True)
        return [(where, says) for where, group in pairs for says in group.answers]

    @property
    def _recommended(self) -> list[Recommendation]:
        return [each for group in self.groups for each in group.recommendations]


@dataclass(frozen=True)
class ShownRun:
    """A run on a page. `figures` are all it has."""

    source: Source
    letter: str
    figures: tuple[Numbered, ...]

    @property
    def run(self) -> Run:
        return self.source.export.run

    @cached_property
    def cards(self) -> tuple[Card, ...]:
        """In the order of the groups. A figure belongs to the question of the group that its first
        row is of.
        """
        questions: dict[str, list[Group]] = {}
        numbers: dict[str, list[int]] = {}
        every = self.source.export.groups
        for number, group in enumerate(every, 1):
            questions.setdefault(group.question, []).append(group)
            numbers.setdefault(group.question, []).extend([number] * (len(every) > 1))
        found = []
        for question, groups in questions.items():
            names = {group.id for group in groups}
            drawn = tuple(each for each in self.figures if _group_of(each[1]) in names)
            spans = (each for each in self.source.export.spans if each.groups[0] in names)
            across = tuple(SpanCard.of(each, groups) for each in spans)
            numbered = tuple(numbers[question])
            card = Card(self.run, self.letter, question, tuple(groups), drawn, across, numbered)
            found.append(card)
        return tuple(found)

    @cached_property
    def languages(self) -> Languages:
        """Those of the questions that compare them."""
        return Languages.of(self.source.export.groups)

    @property
    def further(self) -> tuple[Numbered, ...]:
        """The figures that are of no group: the schedule, the published numbers."""
        return tuple(each for each in self.figures if _group_of(each[1]) is None)


def _group_of(figure: Figure) -> str | None:
    return figure.rows[0].get("group")


def circumstances(groups: Iterable[Group]) -> list[str]:
    """What differs between groups, in words. Groups that nothing tells apart have their ids."""
    parts = [_parts(group) for group in groups]
    if len(parts) == 1:
        return [""]
    differing = [len(set(column)) > 1 for column in zip(*parts, strict=True)]
    names = [
        ", ".join(part for part, differs in zip(of, differing, strict=True) if differs and part)
        for of in parts
    ]
    return names if len(set(names)) == len(names) else [group.id for group in groups]


def _parts(group: Group) -> tuple[str, ...]:
    """What may differ, in plain words, the most telling first."""
    workload, conditions = group.cases[0].workload, group.cases[0].conditions
    return (
        workload.operation,
        size(workload.size),
        workload.content,
        ", ".join(headings.state(conditions)) or "into the cache",
        f"a file per {conditions.lifetime}" if conditions.lifetime else "",
        _CONSUMED[workload.consume] if workload.operation == "read" else "",
        "in memory" if workload.medium == "memory" else "from a file",
        f"{workload.accesses} accesses" if workload.accesses else "",
    )


def by_study(cards: Iterable[Card]) -> dict[str, list[Card]]:
    """Cards under the title of their study."""
    rows = [{"title": card.run.title, "card": card} for card in cards]
    return {title: [row["card"] for row in found] for (title,), found in by(rows, "title").items()}
