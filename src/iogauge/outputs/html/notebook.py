"""Results for a notebook: the answer to each question, and its cases as the page draws them, in
pictures that need nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from iogauge.model.text import visible
from iogauge.model.units import cores_of, counted, duration, system_of
from iogauge.outputs import versions
from iogauge.outputs.contract import Export, Group, Set
from iogauge.outputs.differences import Differences
from iogauge.outputs.document import Source
from iogauge.outputs.html import differences, dots
from iogauge.outputs.html.cards import ShownRun
from iogauge.outputs.html.dots import Dot, Dots
from iogauge.outputs.html.drawing import COLOURS, DARK, LIGHT, LogScale, called, templates

WIDTH = 760  # pixels
_NAME, _SPEED, _PLOT, _COST = 104, 376, (392, 612), 628  # where columns begin; that of speeds ends
_STEP, _HEAD = 22, 20
_MOST_RUNS, _MOST_QUESTIONS = 3, 6
_LONGEST_NAME, _LONGEST_SET, _LONGEST_COST = 30, 13, 20  # characters
_LONGEST_PAIR = 32
_USED = ("ground", "ink", "quiet", "line", "good", "bad")
_MEANS = "a line is the 95 % interval of the time of {new} over that of {old}"


@dataclass(frozen=True)
class _Row:
    """A case: `y` is its upper edge; `whole` its name, which may be too long for its place. `x` is
    where its dot is, `line` where its interval; `beyond` that it is further away than the picture
    is wide.
    """

    y: int
    set: str
    name: str
    whole: str
    speed: str
    cost: str
    colour: str
    chosen: bool = False
    x: float | None = None
    line: tuple[float, float] | None = None
    faded: bool = False
    beyond: bool = False
    baseline: int = _STEP // 2 + 4


@dataclass(frozen=True)
class _Card:
    question: str
    answers: Sequence[str]
    facts: str
    rows: Sequence[_Row]
    figure: str
    ticks: Sequence[tuple[float, str]]
    zone: tuple[float, float]
    zone_colour: str = ""

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
            end=_PLOT[1],
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
    if compared := versions.of_export(export):
        cards = list(_versions(compared))[:_MOST_QUESTIONS]
    else:
        cards = [
            _card(group, title, title_of, languages) for group, title in asked[:_MOST_QUESTIONS]
        ]
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
    facts = [group.observed or counted(group.replicates or 0, "repeat")]
    return _Card(
        title,
        group.answers,
        "; ".join(facts) + (f"; {found.left_out} more in .cases" if found.left_out else ""),
        list(_rows(found, title_of, languages)),
        found.figure,
        [(_place(each), label) for each, label in found.ticks],
        (_place(found.zone[0]), _place(found.zone[1])),
    )


def _place(percent: float) -> float:
    """Where in the picture a place is that the page has in per cent of the width."""
    share = (percent - dots.ENDS[0]) / (dots.ENDS[1] - dots.ENDS[0])
    return round(_PLOT[0] + share * (_PLOT[1] - _PLOT[0]), 1)


def _rows(found: Dots, title_of: Callable[[Set], str], languages: Sequence[str]) -> Iterator[_Row]:
    y = _HEAD
    for of, rows in found.sets.items():
        colour = COLOURS[languages.index(of.language) % len(COLOURS)]
        for number, row in enumerate(rows):
            made = _Row(
                y,
                "" if number else _cut(title_of(of), _LONGEST_SET),
                _cut(row.case.name + (", simplest" if row.simplest else ""), _LONGEST_NAME),
                row.case.name,
                row.speed,
                _cut(row.cost, _LONGEST_COST),
                colour,
                row.chosen,
            )
            yield _drawn(made, row.dots[0], found.scale)
            y += _STEP


def _drawn(row: _Row, dot: Dot | None, scale: LogScale) -> _Row:
    if dot is None or dot.ratio is None:
        return row
    ends = dot.interval and tuple(_place(scale.place(each)) for each in dot.interval)
    return replace(
        row,
        x=_place(scale.place(dot.ratio)),
        line=(ends[0], ends[1]) if ends else None,
        faded=dot.faded,
        beyond=dot.ratio > scale.most,
    )


def _versions(found: Differences) -> Iterator[_Card]:
    """Two versions against each other: a line for each way, and what is allowed as the zone."""
    picture = differences.drawn(found)
    allowed = picture.one if picture.allowed is None else picture.allowed
    for question, lines in picture.questions:
        rows = [
            _Row(
                _HEAD + number * _STEP,
                "",
                _cut(line.way, _LONGEST_PAIR),
                line.way,
                line.bounds,
                _cut(line.says, _LONGEST_COST),
                f"var(--{line.tone or 'quiet'})",
                x=None if line.center is None else _place(line.center),
                line=None if line.lo is None else (_place(line.lo), _place(line.hi or line.lo)),
            )
            for number, line in enumerate(lines)
        ]
        yield _Card(
            question.label,
            [found.headline],
            "; ".join([_MEANS.format(new=found.new, old=found.old), *question.notes]),
            rows,
            f"{found.new} / {found.old}",
            [(_place(place), label) for place, label in picture.ticks],
            (_place(picture.one), _place(allowed)),
            "var(--bad)",
        )


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
