"""The questions and answers of a run, without tables: what fits a small screen."""

from __future__ import annotations

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from iogauge.outputs import header
from iogauge.outputs.document import Document
from iogauge.outputs.recommendation import sentences


def render(document: Document) -> RenderableType:
    report = document.report
    sound = report.run.plan.protocol == "sound"
    parts: list[RenderableType] = [header.of(report)]
    for group in report.groups:
        parts += [Text(""), Text(group.question, style="bold"), Text(group.title, style="dim")]
        parts += [Padding(Text(each), (0, 0, 0, 2)) for each in (sentences(group) if sound else [])]
    return Stack(*parts)
