"""Results for a notebook: the answer to each question, and its cases as the page draws them, in
pictures that need nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from iogauge.model.text import visible
from iogauge.model.units import cores_of, counted, duration, system_of
from iogauge.outputs.contract import Export, Group, Set
from iogauge.outputs.document import Source
from iogauge.outputs.html import dots
from iogauge.outputs.html.cards import ShownRun
from iogauge.outputs.html.dots import Dot, Dots
from iogauge.outputs.html.drawing import COLOURS, DARK, LIGHT, LogScale, called, templates

WIDTH = 760  # pixels
_NAME, _SPEED, _PLOT, _COST = 104, 376, (392, 612), 628  # where columns begin; that of speeds ends
_STEP, _HEAD = 22, 20
_MOST_RUNS, _MOST_QUESTIONS = 3, 6
_LONGEST_NAME, _LONGEST_SET, _LONGEST_COST = 30, 13, 20  # characters
_USED = ("ground", "ink", "quiet", "line")


@dataclass(frozen=True)
class _Row:
    """A case: `y` is its upper edge; `whole` its name, which may be too long for its place."""

    y: int
    set: str
    name: str
    whole: str
    speed: str
    cost: str
    colour: str
    chosen: bool
    ratio: float | None
    interval: tuple[float, float] | None
    faded: bool
    baseline: int = _STEP // 2 + 4


@dataclass(frozen=True)
class _Card:
    question: str
    answers: Sequence[str]
    facts: str
    rows: Sequence[_Row]
    figure: str
    scale: LogScale
    ticks: Sequence[tuple[float, str]]
    zone: tuple[float, float]

    @property
    def height(self) -> int:
        return _HEAD + _STEP * len(self.rows)


@dataclass(frozen=True)
class _Shown:
    heading: str
    questions: Sequence[_Card]
    more: str


def render(exports: Sequence[Export]) -> str:
    """A fragment of HTML. Whatever a run says is text in it. Of many runs and questions only the
    first are drawn.
    """
    shown = [_shown(each) for each in exports[:_MOST_RUNS]]
    if left := len(exports) - _MOST_RUNS:
        last = shown[-1]
        more = f"{counted(left, 'more run')} in .runs" if left > 0 else ""
        shown[-1] = replace(last, more="; ".join(filter(None, [last.more, more])))
    text: str = (
        templates()
        .get_template("notebook.html")
        .render(
            runs=shown,
            light=_variables(LIGHT),
            dark=_variables(DARK),
            width=WIDTH,
            name=_NAME,
            speed=_SPEED,
            cost=_COST,
            step=_STEP,
            middle=_STEP // 2,
        )
    )
    return text


def _variables(colours: dict[str, str]) -> str:
    return " ".join(f"--{name}: {colours[name]};" for name in _USED)


def _shown(export: Export) -> _Shown:
    left = len(export.groups) - _MOST_QUESTIONS
    languages = list(dict.fromkeys(case.language for g in export.groups for case in g.cases))
    title_of = called([export])
    asked = [
        (group, f"{card.question} ({where})" if where else card.question)
        for card in ShownRun(Source(export), "", ()).cards
        for where, group in card.places
    ]
    cards = [_card(group, title, title_of, languages) for group, title in asked[:_MOST_QUESTIONS]]
    return _Shown(
        _heading(export), cards, f"{counted(left, 'more question')} in .groups" if left > 0 else ""
    )


def _heading(export: Export) -> str:
    run = export.run
    went = f"{duration(run.seconds)}" if run.complete else "not finished"
    facts = [f"iogauge {run.study}", run.started[:10], went, export.runtimes]
    if host := run.host:
        processor = host.get("processor") or host.get("machine")
        facts += [str(processor), cores_of(host), system_of(host)]
    return visible(", ".join(filter(None, facts)))


def _card(
    group: Group, title: str, title_of: Callable[[Set], str], languages: Sequence[str]
) -> _Card:
    found = dots.of_languages(group) if group.one_each else dots.of([group], ("",))
    scale = LogScale(found.scale.least, found.scale.most, *_PLOT)
    share = (_PLOT[1] - _PLOT[0]) / (dots.ENDS[1] - dots.ENDS[0])

    def place(percent: float) -> float:
        return round(_PLOT[0] + (percent - dots.ENDS[0]) * share, 1)

    facts = [group.observed or counted(group.replicates or 0, "repeat")]
    return _Card(
        title,
        group.answers,
        "; ".join(facts) + (f"; {found.left_out} more in .cases" if found.left_out else ""),
        list(_rows(found, title_of, languages)),
        found.figure,
        scale,
        [(place(each), label) for each, label in found.ticks],
        (place(found.zone[0]), place(found.zone[1])),
    )


def _rows(found: Dots, title_of: Callable[[Set], str], languages: Sequence[str]) -> Iterator[_Row]:
    y = _HEAD
    for of, rows in found.sets.items():
        colour = COLOURS[languages.index(of.language) % len(COLOURS)]
        for number, row in enumerate(rows):
            dot = row.dots[0]
            yield _Row(
                y,
                "" if number else _cut(title_of(of), _LONGEST_SET),
                _cut(row.case.name + (", simplest" if row.simplest else ""), _LONGEST_NAME),
                row.case.name,
                row.speed,
                _cut(row.cost, _LONGEST_COST),
                colour,
                row.chosen,
                *_drawn(dot),
            )
            y += _STEP


def _drawn(dot: Dot | None) -> tuple[float | None, tuple[float, float] | None, bool]:
    return (dot.ratio, dot.interval, dot.faded) if dot else (None, None, False)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
