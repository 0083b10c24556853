"""What to use, at a glance, for a terminal of 80 columns: the recommendations, then a table with
bars for each question. `iogauge show --details` has everything else.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from iogauge.analysis.groupreport import GroupReport
from iogauge.analysis.report import Report
from iogauge.model.plan import Protocol, by_reason
from iogauge.model.units import share, shares
from iogauge.outputs import bars, header, headings, narrow, recommendation, spans, surer
from iogauge.outputs.bars import WIDTH, Row
from iogauge.outputs.document import Document
from iogauge.outputs.recommendation import AS_FAST, FOR_NOW, NOT_SURE, USE, Recommendation
from iogauge.statistics.best import FEWEST_REPLICATES

MOST_LINES = 60
_FEW_QUESTIONS = 6
_NEXT_COMMANDS = 6  # lines that follow
_MOST_NOTES = 3
_QUOTA = "the CPU quota"  # begins what a run notes of one (host/description.py, control_groups.py)
_NO_BREAK = "\a%"  # stands for a blank at which no line ends
_LONG_NAME, _LONG_LABEL = 8, 28
_UNTOLD = ("too few repeats", "only one", "nothing measured")
_MOSTLY = 0.5  # of the time, at least, is worth a word


@dataclass(frozen=True)
class _Level:
    """How much is told: a sentence per language above a table, and what was observed below it;
    how many cases a table has; whether it is told of what can be understood without.
    """

    sentences: bool
    observed: bool
    rows: int
    all_words: bool = True

    @property
    def checked(self) -> bool:
        """Whether a word says that the cache was observed; the line below a table says more."""
        return self.all_words and not self.observed


_LEVELS = (
    _Level(sentences=True, observed=True, rows=12),
    _Level(sentences=False, observed=True, rows=12),
    *(_Level(sentences=False, observed=False, rows=rows) for rows in (12, 8, 6)),
    _Level(sentences=False, observed=False, rows=6, all_words=False),
    *(_Level(sentences=False, observed=False, rows=4, all_words=all_) for all_ in (True, False)),
)


def render(document: Document) -> Glance:
    return Glance(document.report, document.go_on)


@dataclass(frozen=True)
class Glance:
    """A run at a glance. Bars are drawn in block characters where the console can."""

    report: Report
    go_on: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        able = console.is_terminal and not console.is_dumb_terminal and not options.ascii_only
        lines = self.lines(blocks=able, width=min(options.max_width, WIDTH))
        yield from (narrow.fitted(line, options.max_width) for line in lines)

    def lines(self, *, blocks: bool, width: int = WIDTH) -> list[Text]:
        """The whole. A few questions are told in at most 60 lines if that can be."""
        for level in _LEVELS:
            found = list(self._lines(blocks, level, width))
            if _count(found) + _NEXT_COMMANDS <= MOST_LINES:
                return found
        few = len(self.report.groups) <= _FEW_QUESTIONS
        return found if few else list(self._lines(blocks, _LEVELS[0], width))

    def _lines(self, blocks: bool, level: _Level, width: int) -> Iterator[Text]:
        groups, sound = self.report.groups, self.report.run.plan.protocol == "sound"
        found = [recommendation.of(group) for group in groups]
        told = sound and any(map(_told, groups, found))
        yield from header.in_short(self.report)
        yield from _notes(self.report)
        yield from self._summary(found, level, told=told)
        tables = [
            bars.rows(group, each, level.rows, told=told)
            for group, each in zip(groups, found, strict=True)
        ]
        layout, in_time = bars.layout(tables, blocks, width), None
        for number, (group, each, table) in enumerate(zip(groups, found, tables, strict=True), 1):
            count = f"{number} " if len(groups) > 1 else ""
            yield Text("")
            asked = headings.question(group, checked=level.checked)
            yield Text(_wrapped(count + asked, 2), style="bold")
            if told and (level.sentences or len(groups) == 1):
                yield from (Text(f"  {_wrapped(line, 4)}") for line in _sentences(group, each))
            if told and len(groups) == 1:
                yield from self._surer(2)
            for line in headings.of_file(group, self.report.run):
                yield Text(f"  {_wrapped(line, 4)}", style="yellow")
            if varied := headings.pace(group):
                yield Text(f"  {varied}", style="yellow")
            if bars.in_time(group) != in_time:
                in_time = bars.in_time(group)
                yield layout.header(group)
            yield from map(layout.line, table)
            below = _below(group, each, self.report.run.plan.protocol, level)
            yield from (Text(f"  {_wrapped(line, 4)}", style="dim") for line in below)
        for span in self.report.spans:
            yield Text("")
            common = spans.where(span)
            asked = f"{span.question} ({common})" if common else span.question
            yield Text(_wrapped(asked, 2), style="bold")
            yield from (Text(f"  {_wrapped(line, 4)}") for line in spans.answers(span, None))
            if how := surer.of_span(self.report, span, self.go_on):
                yield from (Text(f"  {line}") for line in _with_command(how, 2))
        checked = level.checked and any(map(headings.seen, groups))
        every = [row for table in tables for row in table]
        tolerance = max((group.tolerance for group in groups), default=0.0)
        alone = len(groups) == 1
        yield from _legend(every, level, tolerance, checked=checked, alone=alone)

    def _summary(
        self, found: Sequence[Sequence[Recommendation]], level: _Level, *, told: bool
    ) -> Iterator[Text]:
        if self.report.run.plan.published:
            yield Text("\nMeasured as its authors did. The verdicts: iogauge claims")
        elif not told:
            how = "" if (more := [*self._surer(0)]) else " Give it more time, with --budget."
            yield Text(f"\nNo answers yet: each question takes {FEWEST_REPLICATES} repeats.{how}")
            yield from more
        elif len(found) > 1:
            for_now = any(one.is_for_now for each in found for one in each)
            meaning = " (for now: not sure yet, others may be as fast)" if for_now else ""
            yield Text(f"\nIN SHORT, ON THIS MACHINE{meaning}", style="bold")
            yield from _in_short(self.report.groups, found, level)
            yield from self._surer(0)

    def _surer(self, indent: int) -> Iterator[Text]:
        """How to get surer of what is open, below the recommendations."""
        for each in surer.of_report(self.report, self.go_on):
            yield from (Text(f"{'':{indent}}{line}") for line in _with_command(each, indent))


def _notes(report: Report) -> Iterator[Text]:
    """What changes how the tables are read; the rest is counted."""
    unfinished = "The run is not finished: what is open may still be decided."
    standing = [] if report.run.complete else [unfinished]
    failed = dict.fromkeys(
        f"{group.name_of(case)} failed: {case.failure}"
        for group in report.groups
        for case in group.cases
        if case.failure
    )
    skipped = [
        f"not measured: {each.what}: {each.why}" for each in by_reason(report.run.plan.skipped)
    ]
    slowed = [each for each in report.caveats if each.startswith(_QUOTA)]
    says = [*standing, *failed, *skipped, *slowed]
    for each in says[:_MOST_NOTES]:
        yield Text(_wrapped(f"! {each}", 2), style="yellow")
    if len(says) > _MOST_NOTES:
        yield Text(f"! {len(says) - _MOST_NOTES} more: show --details", style="yellow")


def warnings(report: Report) -> int:
    """How many caveats only the details tell."""
    of_groups = sum(bool(group.twin_failure) for group in report.groups)
    return (
        len(report.caveats)
        + of_groups
        + sum(len(case.caveats) for group in report.groups for case in group.cases)
    )


def _in_short(
    groups: Sequence[GroupReport], found: Sequence[Sequence[Recommendation]], level: _Level
) -> Iterator[Text]:
    """A line or two per question; where labels are alike, the question itself above them."""
    labels = [headings.label(group) for group in groups]
    alike = len(set(labels)) < len(labels) or max(map(len, labels)) > _LONG_LABEL
    width = 4 if alike else max(map(len, labels)) + 4
    for number, (group, each) in enumerate(zip(groups, found, strict=True), 1):
        if alike:
            yield Text(_wrapped(f"{number} {group.question}", 2))
        first = "" if alike else f"{number} {labels[number - 1]}"
        if _one_each(each):
            joined = [recommendation.across(group) or "not sure yet"]
        elif len({one.short for one in each}) == 1:  # once for all
            joined = [f"{', '.join(one.name for one in each)}: {each[0].short}"]
        else:
            joined = [f"{one.name}: {one.short}" for one in each]
        told = level.observed and any(one.instead for one in each)
        if len(joined) > 1 and not told and len("; ".join(joined)) <= WIDTH - width:
            joined = ["; ".join(joined)]
        for at, text in enumerate(joined):
            instead = each[at].instead if len(joined) == len(each) else ""
            if instead and width + len(text) + len(instead) + 2 <= WIDTH:
                text += f"; {instead}"
            lines = textwrap.wrap(text, WIDTH - width, subsequent_indent="  ") or [""]
            yield from (
                Text(f"{'' if at or further else first:<{width}}{line}")
                for further, line in enumerate(lines)
            )


def _told(group: GroupReport, found: Sequence[Recommendation]) -> bool:
    """Whether there is anything to tell of a group: within a set, or between sets of one case."""
    between = _one_each(found) and group.replicates >= FEWEST_REPLICATES
    return between or any(each.state not in _UNTOLD for each in found)


def _one_each(found: Sequence[Recommendation]) -> bool:
    return len(found) > 1 and {each.state for each in found} == {"only one"}


def _sentences(group: GroupReport, found: Sequence[Recommendation]) -> list[str]:
    if _one_each(found):
        return [recommendation.across(group) or "Not sure yet which is faster."]
    if len({each.says for each in found}) == 1 and len(found) > 1:
        return [recommendation.capital(found[0].says)]
    column = max(len(each.name) for each in found)
    says = (
        [f"{each.name}: {each.says}" for each in found]
        if column > _LONG_NAME
        else [f"{each.name:<{column}}  {each.says}" for each in found]
    )
    compared = recommendation.across(group)
    return [*says, compared] if compared else says


def _below(
    group: GroupReport, found: Sequence[Recommendation], protocol: Protocol, level: _Level
) -> Iterator[str]:
    """How sure the figures are, and where the time goes if not into I/O."""
    if level.observed:
        sure = any(each.state == "decided" for each in found)
        yield f"{'sure' if sure else 'so far'}: {headings.observed(group, protocol)}"
    other = [min(1.0, each.other_work.share.center) for each in group.cases if each.other_work]
    if other and min(other) >= _MOSTLY:
        span = shares(min(other), max(other))
        yield f"{span} of the time is the program's own work, not file I/O (an estimate)."


def _with_command(text: str, indent: int) -> Iterator[str]:
    """Lines of a sentence; the command at its end is not broken, so that it can be copied."""
    if len(text) <= WIDTH - indent:
        yield text
        return
    says, colon, command = text.rpartition(": ")
    if colon and " --" in command:
        yield from (_wrapped(f"{says}:", indent + 2), f"  {command}")
    else:
        yield _wrapped(text, indent + 2)


def _legend(
    rows: Sequence[Row], level: _Level, tolerance: float, *, checked: bool, alone: bool
) -> Iterator[Text]:
    """What the words of the tables mean, of those that are there; `alone`: no summary says it."""
    notes = [row.note for row in rows]
    sets = any(row.set for row in rows)
    other, fastest = "way compared in its language", "the fastest of its language"
    if not sets:  # whole commands
        other, fastest = "other", "the fastest"

    def first(pattern: str) -> str:
        return next((each for each in notes if re.fullmatch(pattern, each)), "")

    machine = [row for row in rows if row.name.startswith(bars.MACHINE)]
    beyond = " (>: off scale)" if any(row.length > 1 for row in machine) else ""
    both, alone_about = first(r"about .*, over .*"), first(r"about [\d.]+x")
    ranges = (r"[\d.]+(-[\d.]+)?x", r"over [\d.]+x")
    bounds = ", ".join(each for each in map(first, ranges) if each)
    by_repeat = ", compared repeat by repeat" if any(row.unlike_bar for row in rows) else ""
    near = share(tolerance)
    unsure = first(rf"about [\d.]+x, {NOT_SURE}")
    reach = first(rf"{re.escape(AS_FAST)} .*").removeprefix(AS_FAST)
    most = f", or take up to {reach.partition('-')[2]} as long" if reach else ""
    says: dict[str, object] = {
        f"{USE}: 95 % sure that no {other} is over {near} faster": (USE in notes),
        f"{FOR_NOW}: not sure yet, others may be as fast": alone
        and any(note.startswith(FOR_NOW) for note in notes),
        f"{AS_FAST}{reach}: not sure yet, it may be as fast{most}": level.all_words
        and any(note.startswith(AS_FAST) for note in notes),
        f"{bounds}: times as long as {fastest}, 95 % sure{by_repeat}": bounds and not both,
        f"{both}: times as long as the fastest; the second is 95 % sure{by_repeat}": both,
        f"{alone_about}: surely slower; how much is a first impression": alone_about
        and level.all_words,
        f"{unsure}: it looks so, but it may be as fast": unsure and level.all_words,
        "checked: before each sample, iogauge looked whether the file was cached": checked,
        f"machine: the fastest plain way we found to move these bytes{beyond}": machine,
    }
    told = [text for text, there in says.items() if there]
    yield from [Text("")] * bool(told)
    yield from (Text(_wrapped(text, 2), style="dim") for text in told)


def _count(lines: list[Text]) -> int:
    return sum(1 + line.plain.count("\n") for line in lines)


def _wrapped(text: str, indent: int) -> str:
    lines = textwrap.wrap(
        text.replace(" %", _NO_BREAK),
        WIDTH - 2,
        subsequent_indent=" " * indent,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace(_NO_BREAK, " %")
