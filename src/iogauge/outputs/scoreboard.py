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

from iogauge.analysis.report import CaseReport, Report
from iogauge.claims import numbers
from iogauge.claims.claims import Judged, Scored
from iogauge.claims.numbers import Cell
from iogauge.model.units import short_size, significant, size
from iogauge.study.study import Study

_COLOURS = {
    "holds": "green",
    "refuted": "red",
    "undecided": "yellow",
    "answered": "cyan",
    "not-testable": "dim",
}
_WIDTH = 80


def render(scored: Scored) -> RenderableType:
    """The source, the published tables beside the run's, and the scoreboard."""
    parts: list[RenderableType] = [_header(scored.study, scored.report)]
    for table, found in _by_table(scored.study).items():
        parts += [Text(""), *_beside(table, found, scored.report)]
    if scored.judged:
        parts += [Text(""), Text("claims", style="bold")]
        for each in scored.judged:
            parts += _claim(each)
    return Stack(*parts)


def _header(study: Study, report: Report) -> Text:
    source, run = study.source, report.run
    text = Text(f"{study.id}", style="bold")
    text.append(
        f", measured {run.plan.protocol if run.plan.protocol == 'sound' else 'as published'}",
        style="not bold",
    )
    if source:
        known = ", ".join(each for each in (source.author, source.date, source.host) if each)
        text.append(
            f"\nsource: {source.title}" + (f" ({known})" if known else ""), style="not bold"
        )
    for caveat in report.caveats:
        text.append(f"\n! {caveat}", style="not bold yellow")
    return text


def _by_table(study: Study) -> dict[str, list[Cell]]:
    found: dict[str, list[Cell]] = defaultdict(list)
    for cell in numbers.cells(study):
        found[cell.table].append(cell)
    return found


def _beside(name: str, found: list[Cell], report: Report) -> list[RenderableType]:
    """One row per number: as printed, here, and how many times as fast."""
    rows = [(cell, numbers.measured_beside(cell, report)) for cell in found]
    if not any(cases for _, cases in rows):
        return [
            Text(
                f"{name}: {len(found)} published numbers, none of them measured in this run",
                style="dim",
            )
        ]
    settings = list(dict.fromkeys(case.case.setting for _, cases in rows for case in cases))
    table = Table(
        box=None,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        title=name,
        title_justify="left",
        title_style="bold",
    )
    table.add_column("case", no_wrap=True, max_width=42)
    table.add_column(f"published, {found[0].unit}", justify="right", no_wrap=True)
    for setting in settings:
        table.add_column(f"{setting}", justify="right", overflow="fold", max_width=17)
    for cell, cases in rows:
        here = {case.case.setting: case for case in cases}
        table.add_row(
            _label(cell), _printed(cell), *(_here(cell, here.get(setting)) for setting in settings)
        )
    return [table]


def _label(cell: Cell) -> str:
    values = "/".join(map(short_size, cell.parameters.values()))
    place = size(cell.size).replace(" ", "") if cell.along == "size" else ""
    return " ".join(
        part
        for part in (cell.strategy.partition("/")[2].removeprefix("published-"), values, place)
        if part
    )


def _printed(cell: Cell) -> str:
    error = f" ± {cell.error:.7g}" if cell.error is not None else ""
    return (
        ("about " if cell.approximate else "")
        + f"{cell.value:.7g}{error}"
        + (" (outlier?)" if cell.doubtful else "")
    )


def _here(cell: Cell, case: CaseReport | None) -> str:
    if case is None or not (case.failure or case.ns_per_op):
        return "-"
    if case.failure:
        return "failed"
    level = case.ns_per_op
    value = numbers.in_unit(level.center, cell.unit)
    if math.isfinite(level.hi) and level.lo > 0:
        return f"{significant(value)} ±{(level.hi - level.lo) / 2 / level.center:.0%}"
    return significant(value)


def _claim(judged: Judged) -> list[RenderableType]:
    measured = judged.measured
    line = Text()
    line.append(f"{measured.answer:<13}", style=_COLOURS[measured.answer])
    line.append(
        "\n".join(textwrap.wrap(judged.claim.says, _WIDTH - 13, subsequent_indent=" " * 13))
    )
    parts: list[RenderableType] = [line]
    says = [measured.says]
    if len(set(measured.by_setting.values())) > 1:
        says.append(
            "; ".join(f"{setting}: {answer}" for setting, answer in measured.by_setting.items())
        )
    if judged.why:
        says.append(f"why: {judged.why}")
    if judged.own:
        says.append(f"in its own data: {judged.own.answer}: {judged.own.says}")
    parts += [Padding(Text(each, style="dim"), (0, 0, 0, 13)) for each in says]
    return parts
