"""Which figures a run has, and which several runs have together."""

from __future__ import annotations

from collections.abc import Iterator

import iogauge.outputs.html.charts as charts
from iogauge.outputs import headings
from iogauge.outputs.contract import Export
from iogauge.outputs.html.blocks import blocks
from iogauge.outputs.html.figure import INTERVAL, NAMES, OVER_FIRST, TIME, Column, Figure
from iogauge.outputs.html.rankings import dumbbells, over_size, rankings
from iogauge.outputs.html.rows import of_case
from iogauge.outputs.html.samples import schedule, strips
from iogauge.outputs.side_by_side import LETTERS, SideBySide
from iogauge.runfile.run import Run

KINDS = {
    "blocks": "two blocks or buffers of one workload at least",
    "ranking": "a case that was measured",
    "sizes": "files of several sizes",
    "published": "a run of a publication, measured as its authors did (--protocol published)",
    "samples": "samples",
    "schedule": "a complete replicate",
}
"""The kinds of figures of a run, and what a run needs to have one."""

_MOST_SAMPLES = 20_000  # of a strip plot: more are not told apart by eye, and it would be slow


def all_of(export: Export, run: Run | None, samples: int = _MOST_SAMPLES) -> list[Figure]:
    """The figures of a run, the most telling one first. Without the run itself, of a stored
    summary, there are no samples and no schedule. `samples` is how many a strip plot may have.
    """
    found = [*blocks(export), *rankings(export), *over_size(export), *dumbbells(export)]
    if run is None:
        return found
    return [*found, *strips(export, run, min(samples, _MOST_SAMPLES)), *schedule(run)]


def side_by_side(compared: tuple[SideBySide, ...]) -> Iterator[Figure]:
    """Per workload the cases that several runs measured."""
    titles = _titles(compared)
    for workload, title in zip(compared, titles, strict=True):
        rows = [
            {
                **of_case(each.export, each.group, each.case),
                "series": f"{LETTERS[each.run]}: {each.case.setting}",
                "name": each.case.name,
                **each.in_ms,
                "over_first": each.over_first.center,
                "over_lo": each.over_first.lo,
                "over_hi": each.over_first.hi,
            }
            for each in workload.cases
        ]
        cases = len({row["name"] for row in rows})
        series = len({row["series"] for row in rows})
        yield Figure(
            "runs",
            f"Side by side: {title}",
            "What several runs measured, as A, B, … They were not measured together: whatever "
            "changed between them (the machine, its neighbours) is in the difference too.",
            charts.side_by_side(cases, series),
            rows,
            (
                *NAMES[:1],
                Column("run", lambda row: row["series"], False),
                TIME,
                INTERVAL,
                OVER_FIRST,
            ),
        )


def _titles(compared: tuple[SideBySide, ...]) -> list[str]:
    """`Read 16 MiB, cached`; with all that tells them apart where that is not enough."""
    cases = [each.cases[0].case for each in compared]
    titles = [headings.of_work(each.workload, each.conditions) for each in cases]
    alike = len(set(titles)) < len(titles)
    return [each.title for each in compared] if alike else titles
