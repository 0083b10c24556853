"""What to use, at a glance, for a terminal of 80 columns: the recommendations, then a table with
bars for each question. `iogauge show --details` has everything else.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from iogauge.analysis.groupreport import GroupReport
from iogauge.analysis.report import Report
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.model.caveats import CHANGES_READING
from iogauge.model.plan import RunProtocol
from iogauge.model.text import capital, listed
from iogauge.model.units import cores_of, counted, deviation, duration, shares, system_of
from iogauge.outputs import (
    bars,
    differences,
    headings,
    narrow,
    next_steps,
    phrases,
    sentences,
    skipped,
    spans,
    states,
    versions,
)
from iogauge.outputs.bars import WIDTH, Row
from iogauge.outputs.differences import Differences
from iogauge.outputs.document import Document
from iogauge.outputs.narrow import wrapped
from iogauge.outputs.next_steps import Step
from iogauge.outputs.phrases import NOT_SURE_YET
from iogauge.outputs.sentences import Said
from iogauge.statistics.intervals import Interval

MOST_LINES = 60
MOST_ROWS = 12  # of the cases of a table
_NEXT = 6  # lines that follow
_MOST_NOTES = 3
_LONG_NAME, _LONG_LABEL, _LONG_TITLE = 8, 28, 74
_SURE = 0.1  # of the time of what is alone, which is compared with nothing
_GIVE_TIME = " Give it more time, with --budget."
_UNTOLD = ("too few repeats", "only one", "nothing measured")
_SHORTEST_PROCESSOR = 12
_MOSTLY = 0.5  # of the time, at least, is worth a word


@dataclass(frozen=True)
class _Level:
    """How much is told: a sentence per language above a table, and what was observed below it;
    what can be understood without; the questions in full, and the machine's limit in a row of its
    own; whether a blank line stands between tables. Each set of a table has `fewest` rows at least,
    where there is room for no more.
    """

    sentences: bool
    observed: bool
    all_words: bool = True
    in_full: bool = True
    spaced: bool = True
    fewest: int = MOST_ROWS

    @property
    def checked(self) -> bool:
        """Whether a word says that the cache was observed; the line below a table says more."""
        return self.all_words and not self.observed


_LEVELS = (
    _Level(sentences=True, observed=True),
    _Level(sentences=False, observed=True),
    _Level(sentences=False, observed=False, fewest=3),
    _Level(sentences=False, observed=False, in_full=False, fewest=3),
    _Level(sentences=False, observed=False, in_full=False, fewest=2),
    _Level(False, False, in_full=False, spaced=False, fewest=2),
    _Level(False, False, all_words=False, in_full=False, spaced=False, fewest=2),
)


def render(document: Document) -> Glance:
    return Glance(
        document.report, document.go_on, versions.of_report(document.report, document.unmeasured)
    )


@dataclass(frozen=True)
class Glance:
    """A run at a glance. Bars are drawn in block characters where the console can."""

    report: Report
    go_on: str
    versions: Differences | None = None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        able = console.is_terminal and not console.is_dumb_terminal and not options.ascii_only
        lines = self.lines(blocks=able, width=min(options.max_width, WIDTH))
        yield from (narrow.fitted(line, options.max_width) for line in lines)

    def lines(self, *, blocks: bool, width: int = WIDTH) -> list[Text]:
        """The whole. A few questions are told in at most 60 lines if that can be: then with as
        many rows as fit.
        """
        groups = self.report.groups
        found = [sentences.of(group) for group in groups]
        rooms = [min(MOST_ROWS, len(group.cases)) for group in groups]
        for level in _LEVELS:
            least = [
                min(room, level.fewest * len(each)) for room, each in zip(rooms, found, strict=True)
            ]
            told = list(self._lines(blocks, level, width, found, least))
            if self._fits(told):
                break
        else:
            return told
        # As many rows as fit, in all tables about as many.
        while not self._fits(told := list(self._lines(blocks, level, width, found, rooms))):
            above = [place for place, room in enumerate(rooms) if room > least[place]]
            rooms[max(above, key=rooms.__getitem__)] -= 1
        return told

    def _fits(self, lines: Iterable[Text]) -> bool:
        """Whether a screen has room for them and for the commands that follow."""
        told = [each for line in lines for each in line.plain.split("\n")]
        follow = _NEXT + _NEXT * (len(self.go_on) // WIDTH)  # a long path folds each
        return sum(max(1, math.ceil(len(each) / WIDTH)) for each in told) + follow <= MOST_LINES

    def _lines(
        self,
        blocks: bool,
        level: _Level,
        width: int,
        found: Sequence[Sequence[Said]],
        rooms: Sequence[int],
    ) -> Iterator[Text]:
        """`rooms` has how many cases each table has at most."""
        groups, sound = self.report.groups, self.report.run.plan.protocol == "sound"
        told = sound and any(
            each.verdict.kind not in _UNTOLD
            or (sentences.only_one_each(of) and group.replicates >= FEWEST_REPLICATES)
            for group, of in zip(groups, found, strict=True)
            for each in of
        )
        yield from _header(self.report)
        yield from _notes(self.report)
        if self.report.run.plan.versions:
            yield Text("")
            yield from differences.text(self.versions) if self.versions else ()
            yield from self._next_steps(0)
            return
        yield from self._summary(found, level, told=told, width=width)
        tables = [
            bars.rows(group, group.verdicts, room, told=told, machine=level.in_full)
            for group, room in zip(groups, rooms, strict=True)
        ]
        layout, in_time = bars.layout(tables, blocks, width), None
        titles = _titles(groups, level)
        for number, (group, each, table) in enumerate(zip(groups, found, tables, strict=True), 1):
            if self._interrupted and not group.replicates:  # its table is empty
                continue
            count = f"{number} " if len(groups) > 1 else ""
            yield from [Text("")] * (level.spaced or number == 1)
            yield Text(wrapped(count + titles[number - 1], 2), style="bold")
            if told and (level.sentences or len(groups) == 1):
                yield from (Text(f"  {wrapped(line, 4)}") for line in _sentences(group, each))
            if told and len(groups) == 1:
                yield from self._next_steps(2)
            run = self.report.run
            remarks = [*headings.of_file(group, run), *headings.other_folios(group)]
            remarks += headings.unlike(group, run)
            remarks += filter(None, [headings.pace(group)])
            yield from (Text(f"  {wrapped(line, 4)}", style="yellow") for line in remarks)
            if bars.in_time(group) != in_time:
                in_time = bars.in_time(group)
                yield layout.header(group)
            yield from map(layout.line, table)
            below = _below(group, each, self.report.run.plan.protocol, level)
            yield from (Text(f"  {wrapped(line, 4)}", style="dim") for line in below)
        for span in self.report.spans:
            yield Text("")
            common = spans.where(span)
            asked = f"{span.question} ({common})" if common else span.question
            yield Text(wrapped(asked, 2), style="bold")
            yield from (Text(f"  {wrapped(line, 4)}") for line in spans.briefly(span))
            if step := next_steps.of_span(self.report, span, self.go_on):
                yield from _step(step, 2)
        yield from _meanings(groups, [row for table in tables for row in table], level)

    def _summary(
        self, found: Sequence[Sequence[Said]], level: _Level, *, told: bool, width: int
    ) -> Iterator[Text]:
        groups = self.report.groups
        if self.report.run.header.imported:
            return  # the header says it
        if self.report.run.plan.published:
            yield Text("\nMeasured as its authors did. The verdicts: iogauge claims")
        elif not told:
            if self._interrupted:
                yield Text("\nInterrupted before there was an answer.")
                return
            says, more = _why_untold(groups), [*self._next_steps(0)]
            if not more and max(_working(groups), default=2) > 1:  # else time does not help
                says += _GIVE_TIME
            yield Text(f"\n{wrapped(says, 0)}")
            yield from more
        elif len(found) > 1:
            for_now = any(one.verdict.is_for_now for each in found for one in each)
            meaning = f" ({phrases.FOR_NOW_MEANS})" if for_now else ""
            yield Text(f"\nIN SHORT, ON THIS MACHINE{meaning}", style="bold")
            yield from _in_short(groups, found, level, width)
            yield from (Text(wrapped(each, 4)) for each in _of_states(self.report))
            yield from self._next_steps(0)

    @property
    def _interrupted(self) -> bool:
        ends = self.report.run.ends
        return bool(ends) and ends[-1].reason == "interrupted"

    def _next_steps(self, indent: int) -> Iterator[Text]:
        """What would decide the open questions, below the recommendations."""
        for each in next_steps.of_report(self.report, self.go_on):
            yield from _step(each, indent)


def _of_states(report: Report) -> Iterator[str]:
    """What to use however a file came into the cache, a line for each question that is asked in
    several states.
    """
    numbers = {id(group): number for number, group in enumerate(report.groups, 1)}
    told = [each for each in report.spans if each.states]
    for span in told:
        asked = listed([str(numbers[id(each)]) for each in span.groups])
        yield states.briefly(span, f"Questions {asked}" if len(told) > 1 else "")


def _header(report: Report) -> Iterator[Text]:
    """How it went, and where: two lines of at most 80 columns, or more where names are long."""
    run, plan, host = report.run, report.run.plan, report.run.header.host
    if run.header.imported:
        yield Text(_filled(capital(phrases.imported(run.header.imported))), style="bold")
        return
    how = "" if plan.protocol == "sound" else ", as published"
    went = f"done in {duration(run.seconds)}" if run.complete else "not finished"
    counts = sorted({group.replicates for group in report.groups})
    repeats = counted(counts[0], "repeat") if counts else ""
    if len(counts) > 1:
        repeats = f"{counts[0]} {'or' if len(counts) == 2 else 'to'} {counts[-1]} repeats"
    line = f"iogauge {plan.study}{how}: {went}, {repeats}"
    of_each = " of each question" if len(report.groups) > 1 else ""
    fits = len(line + of_each) <= WIDTH
    yield Text(_filled(line + of_each if fits else line), style="bold")
    kernel = ".".join(re.findall(r"\d+", str(host["kernel"]))[:2])
    place = f"{cores_of(host)}, {system_of(host, kernel)}"
    names = ", ".join(_runtimes(report))
    room = WIDTH - len(f"{names} on , {place}")
    processor = str(host["processor"] or host["machine"])
    if room >= _SHORTEST_PROCESSOR:
        yield Text(f"{names} on {processor[:room].strip()}, {place}")
    else:
        yield Text(_filled(names))
        yield Text(_filled(f"on {processor}, {place}"))


def _runtimes(report: Report) -> Iterator[str]:
    """`Java 17.0.15`, of what was compared."""
    languages: dict[str, dict[str, None]] = {}
    for group in report.groups:
        for each in group.cases:
            languages.setdefault(each.case.runtime, {})[each.case.language] = None
    for runtime in report.run.header.runtimes:
        if runtime.name in languages and any(each.of_commands for each in report.groups):
            yield runtime.title
        elif runtime.name in languages:
            names = map(runtime.name_of, languages[runtime.name])
            yield f"{' and '.join(names)} {runtime.known_version}"


def _filled(text: str) -> str:
    return textwrap.fill(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _why_untold(groups: Sequence[GroupReport]) -> str:
    """Why no group has an answer."""
    works = _working(groups)
    if groups and not any(works):
        unread = all(group.is_unread for group in groups)
        why = "none of them reads the file" if unread else "all of them failed"
        return f"No answer: {why}."
    if groups and max(works) == 1:
        failed = any(case.failure for group in groups for case in group.cases)
        alone = "Nothing to compare: there is only one"
        return ". ".join([f"{alone} that works" if failed else alone, *_times(groups)]) + "."
    few = [at for at, group in enumerate(groups, 1) if group.replicates < FEWEST_REPLICATES]
    if not few:
        return "No answers yet: what is to be compared has too few repeats in common."
    if len(few) == len(groups):
        return f"No answers yet: each question takes {FEWEST_REPLICATES} repeats."
    known = [group for at, group in enumerate(groups, 1) if at not in few and works[at - 1] == 1]
    questions = f"question{'s' * (len(few) > 1)} {listed([*map(str, few)])}"
    says = f"No answer to {questions} yet: that takes {FEWEST_REPLICATES} repeats"
    return ". ".join([says, *_times(known)]) + "."


def _working(groups: Sequence[GroupReport]) -> list[int]:
    """How many cases of each group do not fail."""
    return [sum(not case.failure for case in group.cases) for group in groups]


def _meanings(groups: Sequence[GroupReport], rows: Sequence[Row], level: _Level) -> Iterator[Text]:
    """The words on the screen, explained."""
    machine = [row for row in rows if row.of_machine]
    shown = phrases.Shown(
        verdicts=[row.verdict for row in rows if row.verdict],
        tolerance=max((group.tolerance for group in groups), default=0.0),
        sets=any(row.set for row in rows),
        between=bool(groups) and all(each.compares_sets for each in groups),
        machine=level.in_full and bool(machine),
        beyond=any(row.length > 1 for row in machine),
        reached=any(row.reached for row in machine),
        checked=level.checked and level.in_full and any(map(headings.seen, groups)),
        alone=len(groups) == 1,
        all_words=level.all_words,
    )
    told = phrases.meanings(shown)
    yield from [Text("")] * bool(told)
    yield from (Text(wrapped(text, 2), style="dim") for text in told)


def _times(groups: Sequence[GroupReport]) -> Iterator[str]:
    """How long the case takes that is alone in its group: `Read 1 MiB, cached: 2.1 ms ±4 %`."""
    for group in groups:
        for level in [case.ns_per_op for case in group.cases if case.ns_per_op]:
            off = _half_width(level)
            sure = f" {deviation(off)}" if off < math.inf else ", not known how sure"
            yield f"{headings.label(group)}: {duration(level.center / 1e9)}{sure}"


def _half_width(level: Interval) -> float:
    """As a share of the centre."""
    return (level.hi - level.lo) / 2 / level.center


def _titles(groups: Sequence[GroupReport], level: _Level) -> list[str]:
    """What stands above the tables: the questions, or `Read 16 MiB, cached (limit here: 8.24
    GB/s)`, the limit where it fits the line.
    """
    if level.in_full:
        return [headings.question(group, checked=level.checked) for group in groups]
    labels = [headings.label(group) for group in groups]
    if len(set(labels)) < len(labels):
        labels = _questions(groups)
    limits = [f" (limit here: {limit})" if (limit := bars.limit(each)) else "" for each in groups]
    return [
        f"{label}{limit}" if len(label + limit) <= _LONG_TITLE else label
        for label, limit in zip(labels, limits, strict=True)
    ]


def _questions(groups: Sequence[GroupReport]) -> list[str]:
    """With what is read or written where one question is asked of several files."""
    asked = [headings.question(group, checked=False) for group in groups]
    return [
        f"{headings.label(group)}: {group.question}" if asked.count(each) > 1 else each
        for group, each in zip(groups, asked, strict=True)
    ]


def failed(report: Report) -> list[str]:
    """Why cases failed, each reason once. Of what reads nothing, remarks say so."""
    reasons = [
        f"{group.name_of(case)} failed: {case.failure}"
        for group in report.groups
        for case in group.cases
        if case.failure and not case.unread
    ]
    return list(dict.fromkeys(reasons))


def _notes(report: Report) -> Iterator[Text]:
    """What changes how the tables are read; the rest is counted."""
    unfinished = "The run is not finished: what is open may still be decided."
    status = [] if report.run.complete else [unfinished]
    alike = skipped.all_alike(report.run.plan.skipped)
    left_out = [each for each in skipped.lines(report.run.plan.skipped) if each not in alike]
    changes = [each.text for each in report.run.caveats if each.kind in CHANGES_READING]
    says = [*status, *failed(report), *left_out, *changes]
    alike += headings.unknown_state(each.conditions for each in report.groups)
    yield from (Text(wrapped(f"{each.rstrip('.')}.", 2)) for each in alike)
    for each in says[:_MOST_NOTES]:
        yield Text(wrapped(f"! {each}", 2), style="yellow")
    if len(says) > _MOST_NOTES:
        yield Text(f"! {len(says) - _MOST_NOTES} more: show --details", style="yellow")


def warnings(report: Report) -> int:
    """How many caveats only the details tell."""
    failed_controls = sum(bool(group.control_failure) for group in report.groups)
    of_cases = sum(len(case.caveats) for group in report.groups for case in group.cases)
    return len(report.caveats) + failed_controls + of_cases


def _in_short(
    groups: Sequence[GroupReport],
    found: Sequence[Sequence[Said]],
    level: _Level,
    screen: int,
) -> Iterator[Text]:
    """A line or two per question, beside its label; where that is long, or the screen narrow, below
    it.
    """
    labels = _labels(groups)
    below = screen < WIDTH or max(map(len, labels)) > _LONG_LABEL
    width = 4 if below else max(map(len, labels)) + 4
    for number, each in enumerate(found, 1):
        if below:
            yield Text(wrapped(f"{number} {labels[number - 1]}", 2))
        first = "" if below else f"{number} {labels[number - 1]}"
        if groups[number - 1].compares_sets and groups[number - 1].has_verdicts:
            joined = [sentences.side_by_side(groups[number - 1])]
        elif sentences.only_one_each(each):
            joined = [sentences.between(groups[number - 1]) or NOT_SURE_YET]
        elif len({one.short for one in each}) == 1:  # once for all
            joined = [f"{', '.join(one.name for one in each)}: {each[0].short}"]
        else:
            joined = [f"{one.name}: {one.short}" for one in each]
        told = level.observed and any(one.instead for one in each)
        if len(joined) > 1 and not told and len("; ".join(joined)) <= screen - width:
            joined = ["; ".join(joined)]
        for at, text in enumerate(joined):
            instead = each[at].instead if len(joined) == len(each) else ""
            if instead and width + len(text) + len(instead) + 2 <= screen:
                text += f"; {instead}"
            lines = textwrap.wrap(text, screen - width, subsequent_indent="  ") or [""]
            yield from (
                Text(f"{'' if at or further else first:<{width}}{line}")
                for further, line in enumerate(lines)
            )


def _labels(groups: Sequence[GroupReport]) -> list[str]:
    """A few words for each group; where these do not tell them apart, its question; where that does
    not either, with the conditions.
    """
    choices = (
        [headings.label(group) for group in groups],
        [group.question for group in groups],
        _questions(groups),
    )
    return next((each for each in choices if len({*each}) == len(groups)), choices[-1])


def _sentences(group: GroupReport, found: Sequence[Said]) -> list[str]:
    if sentences.only_one_each(found):
        return [sentences.between(group) or f"{capital(NOT_SURE_YET)} which is faster."]
    if len({each.long for each in found}) == 1 and len(found) > 1:
        return [sentences.for_all(found[0])]
    column = max(len(each.name) for each in found)
    says = (
        [f"{each.name}: {each.long}" for each in found]
        if column > _LONG_NAME
        else [f"{each.name:<{column}}  {each.long}" for each in found]
    )
    compared = sentences.between(group)
    return [*says, compared] if compared else says


def _below(
    group: GroupReport, found: Sequence[Said], protocol: RunProtocol, level: _Level
) -> Iterator[str]:
    """How sure the figures are, and where the time goes if not into I/O."""
    if level.observed:
        verdicts = [each.verdict for each in found]
        sure = all(each.is_sure or each.kind == "only one" for each in verdicts)
        if group.one_each:
            sure = group.verdict_on(group.sets[0]).kind == "fastest"
        levels = [case.ns_per_op for case in group.cases if case.ns_per_op]
        known = len(levels) > 1 or all(_half_width(each) < _SURE for each in levels)
        sure = sure and known and group.replicates >= FEWEST_REPLICATES
        known_how = "" if protocol == "imported" else "sure: " if sure else "so far: "
        yield f"{known_how}{headings.observed(group, protocol)}"
    other = [min(1.0, each.compute.share.center) for each in group.cases if each.compute]
    if other and min(other) >= _MOSTLY:
        span = shares(min(other), max(other))
        yield f"{span} of the time is the program's own work, not file I/O (an estimate)."


def _step(found: Step, indent: int) -> Iterator[Text]:
    """The command stays in one piece, so that it can be copied."""
    blank = " " * indent
    if len(str(found)) <= WIDTH - indent:
        yield Text(f"{blank}{found}")
        return
    yield Text(f"{blank}{wrapped(f'{found.says}:' if found.command else found.says, indent + 2)}")
    if found.command:
        yield narrow.uncut(f"{blank}  {found.command}")
