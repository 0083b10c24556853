"""Claims with their verdicts, and published numbers beside measured ones, for a terminal of 80
columns.
"""

from __future__ import annotations

import math
import textwrap
from collections import defaultdict

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.report import Report
from iogauge.claims.printed import Cell
from iogauge.claims.scoring import Judged
from iogauge.model.units import rounded, short_size, significant, size, whole_share
from iogauge.outputs import statements
from iogauge.outputs.document import Beside, Document
from iogauge.study.schema import Study

_COLOURS = {
    "holds": "green",
    "refuted": "red",
    "undecided": "yellow",
    "answered": "cyan",
    "not-testable": "dim",
}
_WIDTH = 80


def render(document: Document) -> RenderableType:
    """The source, the published tables beside the run's, and the scoreboard."""
    scored = document.scored
    parts: list[RenderableType] = [_header(scored.study, scored.report)]
    tables: dict[str, list[Beside]] = defaultdict(list)
    for each in document.published:
        tables[each.cell.table].append(each)
    for name, found in tables.items():
        parts += [Text(""), *_beside(name, found)]
    if scored.judged:
        parts += [Text(""), Text("claims", style="bold")]
        for judged in scored.judged:
            parts += _claim(judged)
    return Stack(*parts)


def _header(study: Study, report: Report) -> Text:
    protocol, source = report.run.plan.protocol, study.source
    how = protocol if protocol == "sound" else "as published"
    text = Text.assemble((study.id, "bold"), f", measured {how}")
    if source:
        known = ", ".join(each for each in (source.author, source.date, source.host) if each)
        text.append(f"\nsource: {source.title}" + (f" ({known})" if known else ""))
    for caveat in report.caveats:
        text.append(f"\n! {caveat}", style="yellow")
    return text


def _beside(name: str, found: list[Beside]) -> list[RenderableType]:
    """One row per number that was measured: as printed, and as measured here on each runtime. The
    others are counted.
    """
    if not any(each.cases for each in found):
        says = f"{name}: {len(found)} published numbers, none of them measured in this run"
        return [Text(says, style="dim")]
    settings = list(dict.fromkeys(case.case.setting for each in found for case in each.cases))
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, title=name)
    table.title_justify, table.title_style = "left", "bold"
    table.add_column("case", no_wrap=True, max_width=42)
    table.add_column(f"published, {found[0].cell.unit}", justify="right", no_wrap=True)
    for setting in settings:
        table.add_column(f"{setting}", justify="right", overflow="fold", max_width=17)
    shown = [each for each in found if each.cases]
    for each in shown:
        here = {case.case.setting: case for case in each.cases}
        measured = (_here(each, here.get(setting)) for setting in settings)
        table.add_row(_label(each.cell), _printed(each.cell), *measured)
    left = len(found) - len(shown)
    if not left:
        return [table]
    says = f"{left} more published number{'' if left == 1 else 's'}, not measured in this run"
    return [table, Text(says, style="dim")]


def _label(cell: Cell) -> str:
    values = "/".join(map(short_size, cell.parameters.values()))
    place = size(cell.size).replace(" ", "") if cell.along == "size" else ""
    return " ".join(
        part
        for part in (cell.strategy.partition("/")[2].removeprefix("published-"), values, place)
        if part
    )


def _printed(cell: Cell) -> str:
    error = f" ± {rounded(cell.error, 7)}" if cell.error is not None else ""
    return (
        ("about " if cell.approximate else "")
        + f"{rounded(cell.value, 7)}{error}"
        + (" (outlier?)" if cell.doubtful else "")
    )


def _here(published: Beside, case: CaseReport | None) -> str:
    if case is None or not (case.failure or case.ns_per_op):
        return "-"
    if case.failure or case.ns_per_op is None:
        return "failed"
    level = case.ns_per_op
    value = significant(published.in_unit(level.center))
    if math.isfinite(level.hi) and level.lo > 0:
        return f"{value} ±{whole_share((level.hi - level.lo) / 2 / level.center)}"
    return value


def _claim(judged: Judged) -> list[RenderableType]:
    measured = judged.measured
    answer, indent = f"{measured.answer:<13}", " " * 13
    if judged.coverage and judged.coverage.partial:
        part = statements.measured_part(judged.coverage)
        answer = f"{measured.answer} ({part})\n{indent}"
    wrapped = textwrap.wrap(judged.claim.says, _WIDTH - 13, subsequent_indent=indent)
    line = Text.assemble((answer, _COLOURS[measured.answer]), "\n".join(wrapped))
    parts: list[RenderableType] = [line]
    says = [statements.reason(measured)]
    if len(set(measured.by_setting.values())) > 1:
        says.append(
            "; ".join(f"{setting}: {answer}" for setting, answer in measured.by_setting.items())
        )
    if judged.why:
        says.append(f"why: {judged.why}")
    if judged.own:
        says.append(f"in its own data: {judged.own.answer}: {statements.reason(judged.own)}")
    parts += [Padding(Text(each, style="dim"), (0, 0, 0, 13)) for each in says]
    return parts
