"""What of a run was not used, and why (`iogauge show --details`)."""

from __future__ import annotations

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from iogauge.analysis.accounting import Unused
from iogauge.outputs.document import Document


def render(document: Document) -> RenderableType:
    account = document.account
    parts: list[RenderableType] = [
        Text("what was not used", style="bold"),
        Text(f"{account.samples} samples of {account.forks} forks, {account.used} of them used"),
    ]
    for title, found, noun in (
        ("samples not used", account.unused_samples, "sample"),
        ("not measured, or not in every replicate", account.not_measured, "replicate"),
    ):
        parts += [Text(""), Text(title, style="dim")]
        parts += [Padding(Text(_unused(each, noun)), (0, 0, 0, 2)) for each in found] or [
            Text("  none")
        ]
    return Stack(*parts)


def _unused(each: Unused, noun: str) -> str:
    count = f"{each.count} {noun}{'' if each.count == 1 else 's'}: " if each.count else ""
    return f"{each.what}: {count}{each.why}"
