"""What to use, at a glance, for a terminal of 80 columns: the recommendations, then a table with
bars for each question. `iogauge show --details` has everything else.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from iogauge.analysis.groupreport import GroupReport
from iogauge.analysis.report import Report
from iogauge.model.units import duration, share
from iogauge.outputs import bars, headings, recommendation
from iogauge.outputs.bars import WIDTH, Row
from iogauge.outputs.document import Document
from iogauge.outputs.recommendation import Recommendation

MOST_LINES = 60
_MOST_ROWS = 12  # cases of a table
_FEWER_ROWS = (12, 8, 6, 4)  # where it would be longer than a screen otherwise
_NEXT_COMMANDS = 6  # lines that follow
_MOST_NOTES = 3
_MOSTLY = 0.5  # of the time, at least, is worth a word


def render(document: Document) -> Glance:
    return Glance(document.report)


@dataclass(frozen=True)
class Glance:
    """A run at a glance. Bars are drawn in block characters where the console can."""

    report: Report

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        able = console.is_terminal and not console.is_dumb_terminal and not options.ascii_only
        yield from self.lines(blocks=able)

    def lines(self, *, blocks: bool) -> list[Text]:
        """The whole, in at most 60 lines if it can be."""
        for sentences, most in ((True, _MOST_ROWS), *((False, rows) for rows in _FEWER_ROWS)):
            found = list(self._lines(blocks, sentences, most))
            if _count(found) + _NEXT_COMMANDS <= MOST_LINES:
                return found
        return list(self._lines(blocks, sentences=True, most=_MOST_ROWS))

    def _lines(self, blocks: bool, sentences: bool, most: int) -> Iterator[Text]:
        groups, sound = self.report.groups, self.report.run.plan.protocol == "sound"
        found = [recommendation.of(group) for group in groups]
        yield from header(self.report)
        yield from _notes(self.report)
        if not sound:
            yield Text("\nMeasured as its authors did. The verdicts: iogauge claims")
        elif len(groups) > 1:
            yield Text("\nIN SHORT, ON THIS MACHINE", style="bold")
            yield from _in_short(groups, found)
        tables = [bars.rows(*each, most) for each in zip(groups, found, strict=True)]
        layout = bars.layout(tables, blocks)
        for number, (group, each, table) in enumerate(zip(groups, found, tables, strict=True), 1):
            count = f"{number} " if len(groups) > 1 else ""
            yield Text("")
            yield Text(_wrapped(count + headings.question(group), 2), style="bold")
            says = _sentences(each) if sound and (sentences or len(groups) == 1) else []
            yield from (Text(f"  {_wrapped(line, 4)}") for line in says)
            yield from (Text(f"  {line}", style="yellow") for line in [headings.pace(group)] if line)
            if bars.in_time(group):
                yield Text("  Bars are times here: longer is slower.", style="dim")
            yield from map(layout.line, table)
            yield from (Text(f"  {_wrapped(line, 4)}", style="dim") for line in _below(group, each, sound))
        if legend := _legend([row for table in tables for row in table]):
            yield Text("")
            yield from (Text(line, style="dim") for line in legend)


def header(report: Report) -> Iterator[Text]:
    """Two lines: how it went, and where."""
    run, plan, host = report.run, report.run.plan, report.run.header.host
    how = "" if plan.protocol == "sound" else ", as published"
    went = f"done in {duration(run.seconds)}" if run.complete else "not finished"
    counts = sorted({group.replicates for group in report.groups})
    repeats = headings.counted(counts[0], "repeat") if counts else ""
    if len(counts) > 1:
        repeats = f"{counts[0]} {'or' if len(counts) == 2 else 'to'} {counts[-1]} repeats"
    each = " of each question" if len(report.groups) > 1 else ""
    yield Text(_cut(f"iogauge {plan.study}{how}: {went}, {repeats}{each}"), style="bold")
    kernel = ".".join(re.findall(r"\d+", str(host["kernel"]))[:2])
    place = f"{host['cores']} cores, {host['file_system']}, Linux {kernel}"
    names = ", ".join(_runtimes(report))
    room = WIDTH - len(f"{names} on , {place}")
    processor = str(host["processor"] or host["machine"])
    yield Text(_cut(f"{names} on {processor[: max(room, 12)].strip()}, {place}"))


def _runtimes(report: Report) -> Iterator[str]:
    """`Java 17.0.15`, of what was compared."""
    languages: dict[str, dict[str, None]] = {}
    for group in report.groups:
        for each in group.cases:
            languages.setdefault(each.case.runtime, {})[each.case.language.capitalize()] = None
    for runtime in report.run.header.runtimes:
        if runtime.name in languages:
            yield f"{' and '.join(languages[runtime.name])} {runtime.version}"


def _notes(report: Report) -> Iterator[Text]:
    """What changes how the tables are read; the rest is counted."""
    standing = [each for each in report.caveats if "no verdicts" in each]
    failed = dict.fromkeys(
        f"{group.name_of(case)} failed: {case.failure}"
        for group in report.groups
        for case in group.cases
        if case.failure
    )
    skipped = [f"not measured: {each.what}: {each.why}" for each in report.run.plan.skipped]
    says = [*standing, *failed, *skipped]
    for each in says[:_MOST_NOTES]:
        yield Text(_wrapped(f"! {each}", 2), style="yellow")
    if len(says) > _MOST_NOTES:
        yield Text(f"! {len(says) - _MOST_NOTES} more were not measured: show --details", style="yellow")


def warnings(report: Report) -> int:
    """How many caveats only the details tell."""
    of_run = sum("no verdicts" not in each for each in report.caveats)
    of_groups = sum(bool(group.twin_failure) for group in report.groups)
    return of_run + of_groups + sum(
        len(case.caveats) for group in report.groups for case in group.cases
    )


def _in_short(
    groups: tuple[GroupReport, ...], found: list[tuple[Recommendation, ...]]
) -> Iterator[Text]:
    """A line or two per question."""
    labels = [f"{number} {headings.label(group)}" for number, group in enumerate(groups, 1)]
    alike = len({each.partition(" ")[2] for each in labels}) < len(labels)
    width = 0 if alike else max(map(len, labels)) + 2
    for label, group, each in zip(labels, groups, found, strict=True):
        if alike:
            yield Text(_wrapped(f"{label.partition(' ')[0]} {group.question}", 2))
        names = [one.name for one in each]
        shorts = list(dict.fromkeys(one.short for one in each))
        if len(shorts) == 1 and len(each) > 1:  # once for all
            names, each = [", ".join(names)], each[:1]
        indent = 4 if alike else width
        column = max(map(len, names)) + 2
        for number, (name, one) in enumerate(zip(names, each, strict=True)):
            start = f"{'' if number or alike else label:<{indent}}{name:<{column}}"
            text = one.short
            if one.instead and len(start) + len(text) + len(one.instead) + 3 <= WIDTH:
                text += f" ({one.instead})"
            style = "bold" if one.state == "decided" else ""
            wrapped = textwrap.wrap(text, WIDTH - len(start)) or [""]
            line = Text(start).append(wrapped[0], style=style)
            for more in wrapped[1:]:
                line.append(f"\n{'':{len(start)}}{more}", style=style)
            yield line


def _sentences(found: tuple[Recommendation, ...]) -> list[str]:
    if len({each.says for each in found}) == 1 and len(found) > 1:
        return [recommendation.capital(found[0].says)]
    column = max(len(each.name) for each in found) + 1
    return [f"{each.name:<{column}} {each.says}" for each in found]


def _below(group: GroupReport, found: tuple[Recommendation, ...], sound: bool) -> Iterator[str]:
    """How sure the figures are, and where the time goes if not into I/O."""
    sure = any(each.state == "decided" for each in found)
    yield f"{'sure' if sure else 'so far'}: {headings.observed(group, 'sound' if sound else 'published')}"
    shares = [min(1.0, each.other_work.share.center) for each in group.cases if each.other_work]
    if shares and min(shares) >= _MOSTLY:
        low, high = share(min(shares), 2), share(max(shares), 2)
        span = low if low == high else f"{low.removesuffix(' %')} to {high}"
        yield f"{span} of the time goes into other work than file I/O (an estimate)."


def _legend(rows: list[Row]) -> list[str]:
    """What the words of the tables mean, of those that are there."""
    notes = [row.note for row in rows]

    def first(pattern: str) -> str:
        return next((each for each in notes if re.fullmatch(pattern, each)), "")

    bounds = first(r"[\d.]+(-[\d.]+)?x")
    says = {
        f"{bounds}: that many times as long as the fastest of its language (95 % sure)": bounds,
        "over 2x (about ...): dropped early, the second figure is a first impression": first(
            r"over .*\(about .*"
        ),
        f"{first(r'up to .*')}: may be as fast, and takes at most that many times as long": first(
            r"up to .*"
        ),
        "not sure yet: anything from as fast to over 3x": first("not sure yet"),
        "machine: the fastest plain way that was found to move the same bytes": any(
            row.name.startswith("machine,") for row in rows
        ),
    }
    return [text for text, there in says.items() if there]


def _count(lines: list[Text]) -> int:
    return sum(1 + line.plain.count("\n") for line in lines)


def _wrapped(text: str, indent: int) -> str:
    return "\n".join(
        textwrap.wrap(text, WIDTH - 2, subsequent_indent=" " * indent, break_on_hyphens=False)
    )


def _cut(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."
