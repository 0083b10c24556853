"""Cards of a page: what a run measured for one question, whatever the sizes and conditions; how the
languages of a study compare that compares them; and what the same case takes across groups.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from iogauge.model.case import runtimes_differ
from iogauge.model.ratios import either_way
from iogauge.model.strategy import version_of
from iogauge.model.text import capital
from iogauge.model.units import duration, rate, shares, size, whole_share
from iogauge.model.workload import in_several_states
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
from iogauge.outputs.html import dots, slopes
from iogauge.outputs.html.dots import Dots, Row
from iogauge.outputs.html.drawing import LogScale
from iogauge.outputs.html.figures import Figure
from iogauge.outputs.html.slopes import Slopes

_MOST_LINES = 2  # of a cell of the matrix
_LONGEST = 36  # characters of the circumstances that are named before an answer
_MOST_PARTS = 3  # circumstances that have a chart each; more are panels of one
_FEWEST_TIMES = 1.5  # what the scale of a span reaches at least, either way
_UPWARDS = [digit * 10**power for power in range(4) for digit in (1, 2, 5)]
_SPAN_TICKS = [*_UPWARDS, *(1 / each for each in _UPWARDS)]  # 1 is there in any case
_WARMEST = 10.0  # times the fastest: a cell has its full colour
_NARROW = 1.25  # times: a share of the limit that is known better is told as one number
_CONSUMED = {"none": "not looked at", "touch": "one byte in 64 used", "sum": "all of it used"}

# Of a cell: where each answer holds, the answer, and whether that is sure.
_Lines = list[tuple[str, str, bool]]
_Place = tuple[str, str]  # the setting of a language, and the circumstances; empty: the only one

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
    figures: tuple[Numbered, ...] = ()
    across: tuple[SpanCard, ...] = ()
    numbers: tuple[int, ...] = ()

    @cached_property
    def circumstances(self) -> list[str]:
        """What tells the groups apart: `2 MiB, warm`. Empty for a group alone."""
        return circumstances(self.groups)

    @property
    def places(self) -> list[tuple[str, Group]]:
        return list(zip(self.circumstances, self.groups, strict=True))

    @cached_property
    def dots(self) -> Dots:
        """All circumstances in one chart."""
        return dots.of(self.groups, self.circumstances)

    @property
    def parts(self) -> list[tuple[str, Card]]:
        """Few circumstances one below another, each with its words and its chart."""
        if not 1 < len(self.groups) <= _MOST_PARTS:
            return [("", self)]
        alone = replace(self, figures=(), across=())
        return [
            (where, replace(alone, groups=(group,), numbers=self.numbers[at : at + 1]))
            for at, (where, group) in enumerate(self.places)
        ]

    @property
    def as_published(self) -> bool:
        """Measured as a publication did: then nothing is recommended."""
        return self.run.protocol == "published"

    @property
    def budgets(self) -> list[str]:
        """With which `--budget` what is open is likely to be decided: that of the longest one."""
        steps = [each.next_step for each in self.groups if each.next_steps and each.next_step]
        steps = [each for each in steps if each.budget]
        longest = max(steps, key=lambda each: each.replicates or 0, default=None)
        return [longest.budget] if longest and longest.budget else []

    @property
    def repeats(self) -> str:
        """`5 repeats in fresh processes`, the fewest and the most of all circumstances."""
        counts = sorted({each.replicates or 0 for each in self.groups})
        many = "-".join(map(str, dict.fromkeys((counts[0], counts[-1]))))
        whose = "of the authors' procedure" if self.as_published else "in fresh processes"
        says = f"{many} repeat{'' if many == '1' else 's'} {whose}"
        cases = [case for group in self.groups for case in group.cases]
        if all(case.tells for case in cases):
            return says
        if self.run.imported:
            return f"{many} repeat{'' if many == '1' else 's'}, as imported"
        return f"{says}, {headings.not_checked(commands=any(case.command for case in cases))}"

    @property
    def observed(self) -> list[str]:
        """What the figures rest on; with the circumstances, where that differs."""
        found: dict[str, list[str]] = {}
        for where, group in self.places:
            found.setdefault(group.observed or f"{group.replicates} repeats", []).append(where)
        if len(found) == 1:
            return [capital(says) for says in found]
        return [f"{capital('; '.join(where))}: {says}" for says, where in found.items()]

    @property
    def unknown_state(self) -> list[str]:
        """That nobody knows how the file came into the cache, where that is so."""
        return headings.unknown_state(each.cases[0].conditions for each in self.groups)

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
        """How much of the question is answered, and its class in the page's style. Where it is sure
        what to use, but not whether something simpler will do, that is a part.
        """
        found = [each for group in self.groups for each in group.recommendations]
        if not found:
            imported = f"imported from {self.run.imported}" if self.run.imported else ""
            return "as published" if self.as_published else imported, "undecided"
        sure = [each.is_sure for each in found]
        if all(sure) and not any(each.state == "open" for each in found):
            return "decided", "holds"
        if all(each.state in NO_ANSWER for each in found):
            return "no answer", "refuted"
        return "in part" if any(sure) else "open", "undecided"

    def cells(self, languages: Iterable[str]) -> list[tuple[str, _Lines, int]]:
        """The cells of the matrix: a language, its lines, and how many columns they take: its own,
        and the empty ones behind it.
        """
        found: list[tuple[str, _Lines, int]] = []
        for language in languages:
            lines = self.lines(language)
            if lines or not found:
                found.append((language, lines, 1))
            else:
                before, its_lines, wide = found[-1]
                found[-1] = (before, its_lines, wide + 1)
        return found

    def lines(self, of: str) -> _Lines:
        """The cell of a language in the matrix: what to use in a few words, whether that is sure,
        and before them where it holds, which is empty for throughout.
        """
        sets = {each.of for group in self.groups for each in group.recommendations}
        several = sum(name.language == of for name in sets) > 1
        alike: dict[tuple[str | None, ...], list[tuple[_Place, Recommendation]]] = {}
        for where, group, each in self._recommended:
            if each.language == of:
                setting = version_of(each.setting) if each.setting and several else ""
                alike.setdefault(_answer(group, each), []).append(((setting, where), each))
        if len(alike) > _MOST_LINES:
            return [("", f"it depends: {len(alike)} answers", False)]
        every = {place for same in alike.values() for place, _ in same}
        return [
            (
                "" if len(alike) == 1 else _told([place for place, _ in same], every),
                "not measured enough" if each.state == "too few repeats" else each.short,
                each.is_sure,
            )
            for same in alike.values()
            for _, each in same[:1]
        ]

    @property
    def recommendations(self) -> list[tuple[str, Recommendation]]:
        """Each with the circumstances it is for. Where sets of one case are compared, answers say
        how, and there are none.
        """
        return [(where, each) for where, _, each in self._recommended]

    @property
    def _recommended(self) -> Iterator[tuple[str, Group, Recommendation]]:
        for where, group in self.places:
            if not group.one_each:
                yield from ((where, group, each) for each in group.recommendations)


def _told(places: Sequence[_Place], every: Collection[_Place]) -> str:
    """Some places of all of these, in few words: what holds in every setting without the setting,
    what holds throughout one with the setting alone. Where that is long, only how many they are.
    """
    left = dict.fromkeys(places)
    found = []
    for index in (1, 0):
        for part in dict.fromkeys(place[index] for place in places):
            whole = [place for place in every if place[index] == part]
            if part and len(whole) > 1 and all(place in left for place in whole):
                found.append(part)
                left = {place: None for place in left if place not in whole}
    found += [", ".join(filter(None, place)) for place in left]
    told = "; ".join(found)
    many = len(found) > 1 and len(told) > _LONGEST
    return f"{len(places)} of {len(every)}" if many else told


def _answer(group: Group, of: Recommendation) -> tuple[str | None, ...]:
    """What tells a recommendation from others: its kind, and the name of the case to use."""
    kind = "decided" if of.state == "open" and of.is_sure else of.state
    named = of.state in ("decided", "open", "only one")
    return kind, next(
        (each.name for each in group.cases if named and each.key == (of.for_now or of.case)), None
    )


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
        export = self.source.export
        questions: dict[str, dict[int, Group]] = {}
        for number, group in enumerate(export.groups, 1):
            questions.setdefault(group.question, {})[number] = group
        found = []
        for question, numbered in questions.items():
            groups = tuple(numbered.values())
            names = {group.id for group in groups}
            drawn = tuple(each for each in self.figures if _group_of(each) in names)
            spans = (each for each in export.spans if each.groups[0] in names)
            across = tuple(SpanCard(each, groups) for each in spans)
            numbers = tuple(numbered) if len(export.groups) > 1 else ()
            found.append(Card(self.run, self.letter, question, groups, drawn, across, numbers))
        return tuple(found)

    @cached_property
    def languages(self) -> Languages:
        """Those of the questions that compare them."""
        groups = self.source.export.groups
        told = in_several_states(each.cases[0].conditions for each in groups)
        compared = [each for each in enumerate(groups, 1) if each[1].languages]
        return Languages([Question(number, each, told) for number, each in compared])

    @property
    def further(self) -> tuple[Numbered, ...]:
        """The figures that are of no group: the schedule, the published numbers."""
        return tuple(each for each in self.figures if _group_of(each) is None)


def _group_of(figure: Numbered) -> str | None:
    return figure[1].rows[0].get("group")


def circumstances(groups: Iterable[Group]) -> list[str]:
    """What differs between groups, in words. Groups that nothing tells apart have their ids."""
    groups = list(groups)
    told = in_several_states(each.cases[0].conditions for each in groups)
    columns = zip(*(_parts(each, told=told) for each in groups), strict=True)
    differing = zip(*(each for each in columns if len(set(each)) > 1), strict=True)
    names = [", ".join(filter(None, parts)) for parts in differing]
    if len(groups) == 1:
        return [""]
    return names if len(set(names)) == len(groups) else [group.id for group in groups]


def _parts(group: Group, *, told: bool) -> tuple[str, ...]:
    """What may differ, in plain words, the most telling first. `told`: also how files came into the
    cache.
    """
    workload, conditions = group.cases[0].workload, group.cases[0].conditions
    return (
        workload.operation,
        size(workload.size),
        workload.content,
        ", ".join(headings.state(conditions, told=told, own=workload.content == "own"))
        or "into the cache",
        f"a file per {conditions.lifetime}" if conditions.lifetime else "",
        _CONSUMED[workload.consume] if workload.operation == "read" else "",
        "in memory" if workload.medium == "memory" else "from a file",
        f"{workload.accesses} accesses" if workload.accesses else "",
    )


@dataclass(frozen=True)
class SpanCard:
    """The same cases under several values, of which the first is 1. `groups` are those that ask
    the question; the span may be over some of them.
    """

    span: Span
    groups: Sequence[Group]

    @cached_property
    def _spanned(self) -> list[Group]:
        return [each for each in self.groups if each.id in self.span.groups]

    @cached_property
    def _cases(self) -> dict[str, Case]:
        return {case.key: case for group in self._spanned for case in group.cases}

    @property
    def title(self) -> str:
        """`1 KiB, fsync against not durable: time per operation`."""
        return capital(self.span.title or ", ".join(self.names))

    @property
    def names(self) -> tuple[str, ...]:
        """Of the values; the others are compared with the first."""
        return self.span.names or tuple(map(str, self.span.values))

    @property
    def answers(self) -> list[tuple[str, str]]:
        """A value and what it takes; the sentence on what would decide what is open is of none."""
        said = list(zip(self.names[1:], self.span.says, strict=False))
        return [*said, *([("", self.span.next_steps)] if self.span.next_steps else [])]

    @cached_property
    def slopes(self) -> list[Slopes]:
        """A drawing for each language, along states of the cache."""
        return slopes.of(self.span, self.groups)

    @cached_property
    def dots(self) -> Dots:
        """A row per case, a panel per further value."""
        ratios = [each.ratio for each in self.span.across if each.ratio]
        scale = LogScale(
            min([1 / _FEWEST_TIMES, *(each / _FEWEST_TIMES for each in ratios)]),
            max([_FEWEST_TIMES, *(each * _FEWEST_TIMES for each in ratios)]),
            *dots.ENDS,
        )
        several = runtimes_differ((case.language, case.setting) for case, _ in self._compared)
        sets: dict[Set, list[Row]] = {}
        for case, others in self._compared:
            name = Set(case.language, case.setting if several else None)
            drawn = tuple(dots.across(name, case, each) if each else None for each in others)
            # Where there are several, the chart says that this is the one at worst.
            told = [each for each in others if each and each.ratio]
            worst = max(told, key=lambda each: each.ratio or 0.0, default=None)
            cost, time = (worst.cost, self._time(self._cases[worst.key])) if worst else ("", "")
            sets.setdefault(name, []).append(Row(case, drawn, cost, time))
        panels = self.names[1:] if len(self.names) > 2 else ("",)
        tolerance = dots.tolerance_of(self._spanned)
        ticks = scale.ticks(_SPAN_TICKS, dots.APART * min(len(panels), 2))
        return Dots(
            sets,
            scale,
            sorted((scale.place(each), either_way(each, each)) for each in ticks),
            (scale.place(1 / (1 + tolerance)), scale.place(1 + tolerance)),
            panels,
        )

    @property
    def rows(self) -> Iterator[tuple[Case, str, str, str]]:
        """Of the details: a case under one of the values, its time, and what it takes."""
        for case, others in self._compared:
            yield case, self.names[0], self._time(case), "1"
            for value, found in zip(self.names[1:], others, strict=True):
                if found:
                    yield (
                        self._cases[found.key],
                        value,
                        self._time(self._cases[found.key]),
                        found.cost,
                    )

    @cached_property
    def _compared(self) -> list[tuple[Case, list[AcrossGroups | None]]]:
        """Each case of the first group, and how the same in each of the others compares."""
        found = {(each.reference, self._value(each.key)): each for each in self.span.across}
        references = dict.fromkeys(each.reference for each in self.span.across)
        return [
            (self._cases[key], [found.get((key, value)) for value in self.span.values[1:]])
            for key in references
        ]

    def _value(self, key: str) -> int | str | None:
        case = self._cases[key]
        if self.span.along == "size":
            return case.workload.size
        value: str | None = getattr(case.conditions, self.span.along)
        return value

    def _time(self, case: Case) -> str:
        """Of an operation, or of a record."""
        level = case.ns_per_record if self.span.per == "record" else case.ns_per_op
        return "" if level.center is None else duration(level.center / 1e9)


# languages side by side: the fastest is 1


@dataclass(frozen=True)
class Question:
    """A group that compares languages, with the number that it has in the answers below. `told`:
    it says how the file came into the cache.
    """

    number: int
    group: Group
    told: bool = False

    @property
    def short(self) -> str:
        """`Read 16 MiB, cached`."""
        case, record = self.group.cases[0], self.group.record_bytes
        by = f" by {size(record)}" if record and record < case.workload.size else ""
        return headings.of_work(case.workload, case.conditions, by, told=self.told)

    @property
    def title(self) -> str:
        """The question with its conditions: another may differ in these alone."""
        case = self.group.cases[0]
        own = case.workload.content == "own"
        under = ", ".join(headings.state(case.conditions, told=self.told, own=own))
        return f"{self.group.question} ({under})" if under else self.group.question

    @property
    def ceiling(self) -> str:
        """What the machine reaches; empty where that is not known."""
        found = self.group.ceiling
        return "" if found is None or dots.are_times(self.group.cases) else rate(found.bytes_per_s)

    @property
    def below_limit(self) -> list[str]:
        """What the languages cost that stay well below the machine's limit."""
        return [
            f"{each.name} reaches {reached} of the machine's limit. {each.reason}"
            for each in self.group.languages
            if each.reason and (reached := _reached(self._cases[each.case]))
        ]

    @cached_property
    def dots(self) -> Dots:
        return dots.of_languages(self.group)

    @cached_property
    def _cases(self) -> dict[str, Case]:
        return {each.key: each for each in self.group.cases}

    def cell(self, of: Set) -> tuple[str, str, int] | None:
        """What a language takes, with which way, and its warmth: 0 of the fastest, 100 of what
        takes ten times as long. None of a language that was not measured for it.
        """
        found = next((each for each in self.group.languages if each.of == of), None)
        if found is None:
            return None
        ratio = min(max(found.ratio or 1.0, 1.0), _WARMEST)
        warmth = round(100 * math.log(ratio) / math.log(_WARMEST))
        return found.cost, self._cases[found.case].name, warmth


@dataclass(frozen=True)
class Languages:
    """The questions of a run that compare languages."""

    questions: Sequence[Question]

    @property
    def every(self) -> list[OfLanguage]:
        return [each for one in self.questions for each in one.group.languages]

    @property
    def kind(self) -> str:
        """What is compared."""
        return "version" if len({each.language for each in self.every}) == 1 else "language"

    @property
    def rows(self) -> list[tuple[Set, str, list[tuple[str, str, int] | None]]]:
        """Each language's set and name with a cell per question; first those that are ahead, by
        what they take on average of the questions that they have.
        """
        behind: dict[Set, list[float]] = {}
        for each in self.every:
            behind.setdefault(each.of, []).append(math.log(each.ratio or 1.0))
        names = {each.of: each.name for each in self.every}
        order = sorted(names, key=lambda of: sum(behind[of]) / len(behind[of]))
        return [(of, names[of], [each.cell(of) for each in self.questions]) for of in order]


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
