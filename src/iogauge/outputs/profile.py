"""What the time of a run went into (`iogauge show --profile`, `iogauge run --profile`)."""

from __future__ import annotations

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from iogauge.analysis.profile import Part
from iogauge.model.units import seconds as in_seconds
from iogauge.model.units import whole_share
from iogauge.outputs.document import Document

_NAMES: dict[Part, str] = {
    "starting": "starting and warming up {forks} forks",
    "counted": "samples",
    "untimed": "untimed operations before samples",
    "around": "around samples: requests, counters, cache checks",
    "alone": "looking at forks alone",
    "caching": "putting files out of the cache and in again",
    "compute_only": "measuring the work that is not I/O",
    "harness": "measuring the harness itself",
    "ceilings": "measuring what the machine can do",
    "ending": "ending forks",
    "between": "preparing files, deciding, drawing",
    "other": "everything else (an older run says no more)",
}


def render(document: Document) -> RenderableType:
    found = document.profile
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(justify="right")
    table.add_column(justify="right")
    for part, seconds in found.parts:
        name = _NAMES[part].format(forks=found.forks)
        if part == "between" and found.broken_off:
            name += ", and a repeat that was broken off"
        table.add_row(f"  {name}", in_seconds(seconds), whole_share(seconds / found.seconds))
    lines: list[RenderableType] = [
        Text(f"where {in_seconds(found.seconds)} of measuring went", style="bold"),
        table,
    ]
    if found.repeats:
        says = f"repeats of a question: {_range(found.repeats)}"
        if found.rounds:
            says += f"; rounds in each: {_range(found.rounds)}"
        lines.append(Text(says, style="dim"))
    return Stack(*lines)


def _range(bounds: tuple[int, int]) -> str:
    lo, hi = bounds
    return str(lo) if lo == hi else f"{lo} to {hi}"
