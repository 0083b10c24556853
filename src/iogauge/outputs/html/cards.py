"""Cards of a page: what a run measured for one question, whatever the sizes and conditions; how the
languages of a study compare that compares them; and what the same case takes across groups.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from iogauge.model.case import runtimes_differ
from iogauge.model.ratios import either_way
from iogauge.model.strategy import version_of
from iogauge.model.text import capital
from iogauge.model.units import duration, rate, shares, size, whole_share
from iogauge.outputs import headings
from iogauge.outputs.contract import (
    NO_ANSWER,
    AcrossGroups,
    Case,
    Group,
    OfLanguage,
    Recommendation,
    Run,
    Set,
    Span,
)
from iogauge.outputs.document import Source
from iogauge.outputs.html import dots
from iogauge.outputs.html.dots import APART, ENDS, TOLERANCE, Dot, Dots, Row
from iogauge.outputs.html.drawing import LogScale
from iogauge.outputs.html.figure import Figure
from iogauge.outputs.html.rows import by

_MOST_LINES = 2  # of a cell of the matrix
_MOST_PARTS = 3  # circumstances that have a chart each; more are panels of one
_FEWEST_TIMES = 1.5  # what the scale of a span reaches at least, either way
_UPWARDS = [digit * 10**power for power in range(4) for digit in (1, 2, 5)]
_SPAN_TICKS = [*_UPWARDS, *(1 / each for each in _UPWARDS)]  # 1 is there in any case
_WARMEST = 10.0  # times the fastest: a cell has its full colour
_NARROW = 1.25  # times: a share of the limit that is known better is told as one number
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
        """What would decide what is open, each sentence once."""
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
        if all(each.state in NO_ANSWER for each in found):
            return "no answer", "refuted"
        if any(each.is_sure for each in found):
            return "in part", "undecided"
        return "open", "undecided"

    def lines(self, of: str) -> list[Line]:
        """The cell of a language in the matrix: what to use, and where that depends, on what."""
        found: dict[tuple[str, bool], list[str]] = {}
        sets = {each.of for each in self._recommended if each.language == of}
        for where, each in self.recommendations:
            if each.language == of:
                setting = version_of(each.setting) if each.setting and len(sets) > 1 else ""
                place = ", ".join(filter(None, (setting, where)))
                few = each.state == "too few repeats"
                short = "not measured enough" if few else each.short
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


# spans: the first value is 1


@dataclass(frozen=True)
class Figures:
    """A row of the details: a case under one of the values."""

    case: Case
    value: str
    time: str
    cost: str


@dataclass(frozen=True)
class SpanCard:
    """`cases` are by their keys, those of all groups."""

    span: Span
    cases: dict[str, Case]
    tolerance: float

    @classmethod
    def of(cls, span: Span, groups: Iterable[Group]) -> SpanCard:
        spanned = [each for each in groups if each.id in span.groups]
        cases = {case.key: case for group in spanned for case in group.cases}
        tolerance = next((each.tolerance for each in spanned if each.tolerance), TOLERANCE)
        return cls(span, cases, tolerance)

    @property
    def title(self) -> str:
        """`1 KiB, fsync against not durable: time per operation`."""
        return capital(self.span.title or ", ".join(self._names))

    @property
    def first(self) -> str:
        """What the others are compared with: `warm`."""
        return self._names[0]

    @property
    def unit(self) -> str:
        """Of what the details give the time."""
        return "record" if self.span.per == "record" else "operation"

    @property
    def answers(self) -> list[tuple[str, str]]:
        """A value and what it takes; the sentence on what would decide what is open is of none."""
        said = list(zip(self._names[1:], self.span.says, strict=False))
        return [*said, *([("", self.span.next_steps)] if self.span.next_steps else [])]

    @cached_property
    def dots(self) -> Dots:
        """A row per case, a panel per further value."""
        scale = _span_scale(self.span.across)
        rows: dict[Set, list[Row]] = {}
        several = runtimes_differ((each.language, each.setting) for each in self._references)
        for case in self._references:
            name = Set(case.language, case.setting if several else None)
            found = [self._against(case, place) for place in range(1, len(self._names))]
            # Where there are several, the chart says that this is the one at worst.
            told = [each for each in found if each and each.ratio]
            worst = max(told, key=lambda each: each.ratio or 0.0, default=None)
            time = self._time(self.cases[worst.key]) if worst else ""
            drawn = tuple(_span_dot(each, scale) if each else None for each in found)
            row = Row(case, case.name, False, drawn, worst.cost if worst else "", time)
            rows.setdefault(name, []).append(row)
        zone = scale.place(1 / (1 + self.tolerance)), scale.place(1 + self.tolerance)
        ticks = scale.ticks(_SPAN_TICKS, APART if len(self._names) == 2 else 2 * APART)
        return Dots(
            panels=self._names[1:] if len(self._names) > 2 else ("",),
            sets=tuple((name, tuple(found)) for name, found in rows.items()),
            ticks=tuple(sorted((scale.place(each), either_way(each, each)) for each in ticks)),
            zone=zone,
        )

    @property
    def rows(self) -> Iterator[Figures]:
        for case in self._references:
            yield Figures(case, self.first, self._time(case), "1")
            for place, value in enumerate(self._names[1:], 1):
                if found := self._against(case, place):
                    further = self.cases[found.key]
                    yield Figures(further, value, self._time(further), found.cost)

    @property
    def _names(self) -> tuple[str, ...]:
        return self.span.names or tuple(map(str, self.span.values))

    @property
    def _references(self) -> list[Case]:
        return [self.cases[key] for key in dict.fromkeys(e.reference for e in self.span.across)]

    def _against(self, reference: Case, place: int) -> AcrossGroups | None:
        """The same case in another of the groups."""
        value = self.span.values[place]
        return next(
            (
                each
                for each in self.span.across
                if each.reference == reference.key and self._value(self.cases[each.key]) == value
            ),
            None,
        )

    def _value(self, case: Case) -> int | str | None:
        if self.span.along == "size":
            return case.workload.size
        conditions = case.conditions
        return conditions.cache if self.span.along == "cache" else conditions.durability

    def _time(self, case: Case) -> str:
        """Of an operation, or of a record."""
        level = case.ns_per_record if self.unit == "record" else case.ns_per_op
        return "" if level.center is None else duration(level.center / 1e9)


def _span_scale(across: Iterable[AcrossGroups]) -> LogScale:
    """Times the first value's time, which is on it."""
    ratios = [each.ratio for each in across if each.ratio]
    return LogScale(
        min([1 / _FEWEST_TIMES, *(each / _FEWEST_TIMES for each in ratios)]),
        max([_FEWEST_TIMES, *(each * _FEWEST_TIMES for each in ratios)]),
        *ENDS,
    )


def _span_dot(found: AcrossGroups, scale: LogScale) -> Dot | None:
    if found.ratio is None:
        return None
    known = found.lo is not None or found.hi is not None
    return Dot(
        at=scale.place(found.ratio),
        left=scale.place(found.lo or 0.0) if known else None,
        right=scale.place(found.hi or math.inf) if known else None,
        beyond=False,
        faded=found.outcome == "undecided",
        chosen=False,
        says=found.cost,
    )


# languages side by side: the fastest is 1


@dataclass(frozen=True)
class Cell:
    """What a language takes in a question, with which way. `warmth` is 0 of the fastest, 100 of
    what takes ten times as long.
    """

    cost: str
    way: str
    warmth: int


@dataclass(frozen=True)
class Question:
    """A group that compares languages, with the number that it has in the answers below."""

    number: int
    group: Group

    @property
    def short(self) -> str:
        """`Read 16 MiB, cached`."""
        case, record = self.group.cases[0], self.group.record_bytes
        by = f" by {size(record)}" if record and record < case.workload.size else ""
        return headings.of_work(case.workload, case.conditions, by)

    @property
    def title(self) -> str:
        """The question with its conditions: another may differ in these alone."""
        under = ", ".join(headings.state(self.group.cases[0].conditions))
        return f"{self.group.question} ({under})" if under else self.group.question

    @property
    def ceiling(self) -> str:
        """What the machine reaches; empty where that is not known."""
        found = self.group.ceiling
        return "" if found is None or dots.are_times(self.group.cases) else rate(found.bytes_per_s)

    @property
    def below_limit(self) -> list[str]:
        """What the languages cost that stay well below the machine's limit."""
        said = []
        for each in self.group.languages:
            reached = _reached(self._cases[each.case])
            if each.reason and reached:
                said.append(f"{each.name} reaches {reached} of the machine's limit. {each.reason}")
        return said

    @cached_property
    def dots(self) -> Dots:
        """A row for the best way of each language, with a ring for the usual one."""
        found = self.group.languages
        ratios = [each.ratio or 1.0 for each in found]
        usual = [self._usual(each) or 1.0 for each in found]
        scale = dots.scale_of(max([*ratios, *usual], default=1.0))
        in_time = dots.are_times(self.group.cases)
        return Dots(
            panels=("",),
            figure="time each" if in_time else "speed",
            sets=tuple((each.of, (self._row(each, scale, in_time=in_time),)) for each in found),
            ticks=dots.ticks_of(scale),
            zone=dots.zone_of(scale, [self.group]),
        )

    @cached_property
    def _cases(self) -> dict[str, Case]:
        return {each.key: each for each in self.group.cases}

    def cell(self, of: Set) -> Cell | None:
        """None of a language that was not measured for it."""
        found = next((each for each in self.group.languages if each.of == of), None)
        if found is None:
            return None
        ratio = min(max(found.ratio or 1.0, 1.0), _WARMEST)
        warmth = round(100 * math.log(ratio) / math.log(_WARMEST))
        return Cell(found.cost, self._cases[found.case].name, warmth)

    def _row(self, of: OfLanguage, scale: LogScale, *, in_time: bool) -> Row:
        case, ratio, usual = self._cases[of.case], of.ratio or 1.0, self._usual(of)
        compared = of.ratio is not None
        level = (case.ns_per_op if in_time else case.bytes_per_s).center or 0.0
        dot = Dot(
            at=scale.place(ratio),
            left=scale.place(of.lo or 1.0) if compared else None,
            right=scale.place(of.hi or math.inf) if compared else None,
            faded=of.outcome == "undecided",
            beyond=ratio > scale.most,
            chosen=False,
            says=of.cost,
            usual=None if usual is None else scale.place(usual),
        )
        speed = duration(level / 1e9) if in_time else rate(level)
        return Row(case, case.name, False, (dot,), of.cost, speed)

    def _usual(self, of: OfLanguage) -> float | None:
        """The usual way's time over the fastest language's; None where it is the best, too."""
        behind = self._cases[of.usual].vs_best.ratio if of.usual else None
        return None if behind is None else behind * (of.ratio or 1.0)


@dataclass(frozen=True)
class Languages:
    """The questions of a run that compare languages."""

    questions: tuple[Question, ...]

    @classmethod
    def of(cls, groups: Sequence[Group]) -> Languages:
        return cls(
            tuple(Question(number, each) for number, each in enumerate(groups, 1) if each.languages)
        )

    @property
    def has_usual(self) -> bool:
        """Whether the usual way is another one than the fastest, of any."""
        return any(each.usual for one in self.questions for each in one.group.languages)

    @property
    def kind(self) -> str:
        """What is compared."""
        every = (each for one in self.questions for each in one.group.languages)
        return "version" if len({each.language for each in every}) == 1 else "language"

    @cached_property
    def rows(self) -> list[tuple[Set, str, list[Cell | None]]]:
        """Each language's set and name with a cell per question; first those that are ahead, by
        what they take on average of the questions that they have.
        """
        names = {each.of: each.name for one in self.questions for each in one.group.languages}
        return [
            (of, name, [each.cell(of) for each in self.questions])
            for of, name in sorted(names.items(), key=lambda each: self._behind(each[0]))
        ]

    def _behind(self, of: Set) -> float:
        every = (each for one in self.questions for each in one.group.languages if each.of == of)
        logs = [math.log(each.ratio or 1.0) for each in every]
        return sum(logs) / len(logs)


def _reached(case: Case) -> str:
    """The share of the machine's limit, as a range where it is not known well; empty where it is
    not known at all.
    """
    if case.of_ceiling is None:
        return ""
    known = case.of_ceiling_interval
    if known.lo and known.hi and known.hi > known.lo * _NARROW:
        return shares(min(known.lo, 1.0), min(known.hi, 1.0))
    return whole_share(min(case.of_ceiling, 1.0))
