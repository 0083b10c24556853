"""Code to copy for a terminal: what to use in each language, and the lines that do it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.text import Text

from iogauge.analysis.groupreport import GroupReport
from iogauge.outputs import narrow, recommendation
from iogauge.outputs.document import Document
from iogauge.outputs.recommendation import Recommendation
from iogauge.runners import hints


@dataclass(frozen=True)
class _Choice:
    """What a group names for a language. `sure` where no more repeats may change it."""

    language: str
    task: str  # what the group's strategies take at a time: `line` apart from all others
    name: str
    hint: str
    sure: bool


def render(document: Document) -> RenderableType:
    parts: list[RenderableType] = []
    for each in _told([*_choices(document.report.groups)]):
        for_now = "" if each.sure else " (for now, not sure yet)"
        parts += [
            Text(f"\n{each.language}, {each.name}{for_now}:", style="bold"),
            narrow.uncut(textwrap.indent(each.hint.expandtabs(4), " " * 4)),
        ]
    return Stack(*parts)


def _choices(groups: tuple[GroupReport, ...]) -> Iterator[_Choice]:
    for group in groups:
        for found in recommendation.of(group):
            choice = _choice(group, found)
            if choice:
                yield choice


def _choice(group: GroupReport, found: Recommendation) -> _Choice | None:
    case = found.case
    if case is None or found.state not in ("decided", "open", "too few repeats"):
        return None
    hint = hints.of(case.case.strategy, case.case.parameters)
    if hint is None:
        return None
    task = case.strategy.unit if case.strategy.unit == "line" else "any"
    return _Choice(found.name, task, group.name_of(case), hint, found.is_sure)


def _told(choices: list[_Choice]) -> list[_Choice]:
    """Per language and task what is sure, each once; where nothing is, the first."""
    told: dict[tuple[str, str, str], _Choice] = {}
    for each in choices:
        rivals = [one for one in choices if (one.language, one.task) == (each.language, each.task)]
        sure = [one for one in rivals if one.sure]
        if each in (sure or rivals[:1]):
            told.setdefault((each.language, each.task, each.hint), each)
    return sorted(told.values(), key=lambda each: each.language)
