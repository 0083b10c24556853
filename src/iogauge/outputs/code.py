"""Code to copy for a terminal: what to use in each language, and the lines that do it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.text import Text

from iogauge.analysis.groupreport import GroupReport
from iogauge.outputs import narrow
from iogauge.outputs.document import Document
from iogauge.outputs.phrases import FOR_NOW, NOT_SURE_YET
from iogauge.runners import hints

_MOST_LANGUAGES, _FASTEST = 4, 3
"""The code of so many languages is shown; of more, that of the fastest ones."""


@dataclass(frozen=True)
class _Choice:
    """What a group names for a language. `sure` where no more repeats may change it."""

    name_of_set: str  # the language as people call it, with its runtime where there are several
    language: str
    task: str  # reading lines, and each way to make durable, apart from all others
    name: str
    hint: str
    sure: bool

    @property
    def purpose(self) -> tuple[str, str]:
        return self.name_of_set, self.task


def render(document: Document) -> RenderableType:
    parts: list[RenderableType] = []
    shown, _ = _shown(document)
    for each in shown:
        for_now = "" if each.sure else f" ({FOR_NOW}, {NOT_SURE_YET})"
        parts += [
            Text(f"\n{each.name_of_set}, {each.name}{for_now}:", style="bold"),
            narrow.uncut(textwrap.indent(each.hint.expandtabs(4), " " * 4)),
        ]
    return Stack(*parts)


def left_out(document: Document) -> list[str]:
    """The languages, by their keys, whose code is not shown; those first that are fast."""
    _, others = _shown(document)
    return list(dict.fromkeys(each.language for each in others))


def _shown(document: Document) -> tuple[list[_Choice], list[_Choice]]:
    """Of few languages the code of each; of many that of the fastest ones, and the rest."""
    groups = document.report.groups
    told = _told([*_choices(groups)])
    names = [group.called(name) for group in groups for name in group.sets]
    ranked = [each for each in dict.fromkeys(names) if each in {one.name_of_set for one in told}]
    fastest = ranked if len(ranked) <= _MOST_LANGUAGES else ranked[:_FASTEST]
    told.sort(key=lambda each: ranked.index(each.name_of_set))
    shown = [each for each in told if each.name_of_set in fastest]
    return shown, [each for each in told if each not in shown]


def _choices(groups: tuple[GroupReport, ...]) -> Iterator[_Choice]:
    for group in groups:
        for found in group.verdicts:
            case, kind = found.use, found.kind
            if case is None or kind not in ("decided", "open", "too few repeats"):
                continue
            if (hint := hints.of_case(case.case)) is None:
                continue
            durable = case.case.conditions.durability if case.case.conditions.durable else None
            task = durable or ("line" if case.strategy.by_line else "any")
            called, name = group.called(found.set), group.name_of(case)
            yield _Choice(called, case.case.language, task, name, hint, found.is_sure)


def _told(choices: list[_Choice]) -> list[_Choice]:
    """Per language and task what is sure, each once; where nothing is, the first."""
    told: dict[tuple[str, str, str], _Choice] = {}
    for each in choices:
        rivals = [one for one in choices if one.purpose == each.purpose]
        sure = [one for one in rivals if one.sure]
        if each in (sure or rivals[:1]):
            told.setdefault((*each.purpose, each.hint), each)
    return list(told.values())
