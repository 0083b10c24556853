"""One page that needs nothing else: runs as figures, tables and the words of the export. It opens
from a file, without a network.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import jinja2

from iogauge import __version__
from iogauge.model.strategy import chosen_as, label_of
from iogauge.model.text import capital, shell_word
from iogauge.model.units import cores_of, count, duration, rate, share, size, system_of
from iogauge.outputs import phrases, skipped
from iogauge.outputs import versions as shown_versions
from iogauge.outputs.contract import Group, Run, Set
from iogauge.outputs.document import Page, Source
from iogauge.outputs.html import differences, publications, vega
from iogauge.outputs.html.cards import Card, ShownRun
from iogauge.outputs.html.drawing import COLOURS, called, part, templates, theme
from iogauge.outputs.html.figures import FILTERS, Figure, all_of, common, side_by_side
from iogauge.outputs.side_by_side import LETTERS
from iogauge.study import loading

MOST_RUNS = len(LETTERS)
MOST_BYTES = 2 << 20  # of a page
# Samples of all runs on a page: the most that fit are tried one after another.
_SAMPLES = (45_000, 15_000, 5_000, 0)
_TEX = {
    **{character: f"\\{character}" for character in "&_%#$"},
    "~": "\\textasciitilde ",
    "^": "\\textasciicircum ",
    **dict.fromkeys("{}\\", ""),
}


def render(document: Page) -> str:
    """The page. Whatever a run says is text in it: HTML is escaped, data is packed. Samples are as
    many as leave it small. Raises LookupError for a run that lacks something.
    """
    for samples in _SAMPLES:
        page = _page(document, samples)
        if len(page.encode()) <= MOST_BYTES:
            break
    return page


def _page(document: Page, samples: int) -> str:
    sources = document.sources
    plots = sum(len(each.run.plan.groups) for each in sources if each.run)
    together = list(side_by_side(document.side_by_side)) if len(sources) > 1 else []
    every, runs = [*together], []
    for place, source in enumerate(sources):
        found = all_of(source.export, source.run, samples // max(1, plots))
        numbered = tuple(enumerate(found, len(every)))
        runs.append(ShownRun(source, LETTERS[place] if len(sources) > 1 else "", numbered))
        every += found
    published = publications.of(runs)
    elsewhere = {id(card) for each in published for card in each.cards}
    cards = [card for each in runs for card in each.cards if id(card) not in elsewhere]
    questions = Counter(card.question for card in cards)
    groups = [group for card in cards for group in card.groups]
    environment = templates()
    environment.filters.update(
        duration=lambda ns: duration(ns / 1e9),
        rate=rate,
        share=share,
        size=size,
        count=count,
        capital=capital,
        citation=citation,
        again=again,
        cores=cores_of,
        system=system_of,
    )
    try:
        return environment.get_template("page.html").render(
            title=_title([each.run.title for each in runs]),
            runs=runs,
            together=list(enumerate(together)),
            cards=_of_study(cards),
            repeated={question for question, number in questions.items() if number > 1},
            languages=list(
                dict.fromkeys(each.language for group in groups for each in group.recommendations)
            ),
            called=called(each.source.export for each in runs),
            whole=Set,
            versions=list(_versions(runs)),
            series=_colours([group for each in runs for group in each.source.export.groups]),
            folded=len(sources) > 1 or bool(published),
            publications=published,
            statements_first=len(published) == 1,
            filters=_filters(every),
            drawn=vega.packed(every),
            library=vega.library(),
            without_samples=bool(plots and not samples),
            script=part("page.js"),
            style=theme() + part("page.css"),
            version=__version__,
            phrases=phrases,
            common=common,
            left_out=lambda of: skipped.lines(of, together=False),
        )
    except jinja2.UndefinedError as error:  # an edited run file
        raise LookupError(str(error)) from None


def _of_study(cards: Iterable[Card]) -> dict[str, list[Card]]:
    """The cards by the title of their study."""
    found: dict[str, list[Card]] = {}
    for card in cards:
        found.setdefault(card.run.title, []).append(card)
    return found


def _versions(runs: Iterable[ShownRun]) -> Iterator[tuple[str, Run, differences.Drawn]]:
    """The differences of each run that compares two versions, with its letter."""
    for each in runs:
        if found := shown_versions.of_export(each.source.export):
            yield each.letter, each.run, differences.drawn(found)


def _colours(groups: Iterable[Group]) -> Callable[[Set], int]:
    """The number of the colour of a set: that of its language, the same on the whole page."""
    languages = list(dict.fromkeys(case.language for group in groups for case in group.cases))
    return lambda of: languages.index(of.language) % len(COLOURS)


def _title(titles: list[str]) -> str:
    different = list(dict.fromkeys(titles))
    return (
        " · ".join(different)
        if len(different) < 3
        else f"{len(titles)} runs of {len(different)} studies"
    )


def again(run: Run, budget: str | None = None) -> str:
    """The command that measures the same, for a shell, perhaps with another `budget`. Where a
    runner found several runtimes each is named, with a path that the reader has to fill in.
    """
    runners = [each.runner for each in run.runtimes]
    chosen = []
    for each in run.runtimes:
        label = label_of(each.name, each.runner, each.version) if each.version else ""
        if label or runners.count(each.runner) > 1:
            chosen.append(f"--runtime={chosen_as(each.runner, label)}=/path/to/{each.name}")
    options = {
        name: [
            word
            for value in (given if isinstance(given, list) else [given])
            for word in (f"--{name.replace('_', '-')}", str(value))
        ]
        for name, given in run.options.items()
    }
    longer = ["--budget", budget] if budget else []
    options |= {"budget": longer} if budget else {}
    seed = ["--seed", str(run.seed)]
    if "advise" in run.options:
        words = ["advise", *run.options["advise"], *chosen, "--run", *longer]
    elif "command" in run.options:
        given = [options.get(name, []) for name in ("budget", "precision", "tolerance")]
        words = ["command", *run.options["command"], *sum(given, []), *seed]
    elif "file" in run.options:
        words = [*run.options["file"], *chosen, *longer]
    else:
        name = str(run.study) if run.study in loading.built_in_ids() else f"{run.study}.toml"
        words = ["run", name, *sum(options.values(), []), *chosen, *seed]
    return " ".join(["iogauge", *map(shell_word, words)])


def citation(of: Source) -> str:
    """BibTeX of a run."""
    run = of.export.run
    note = f", sha256 of the run file: {of.sha256}" if of.sha256 else ""
    names = of.export.runtimes
    machine = run.host["processor"] or run.host["machine"]
    key = "".join(
        character if character.isascii() and character.isalnum() else "-" for character in run.id
    )
    return (
        f"@misc{{iogauge-{key},\n"
        f"  title = {{{_in_tex(f'{run.title} ({names}; {machine})')}}},\n"
        f"  howpublished = {{iogauge {__version__}, run {_in_tex(run.id)}{note}}},\n"
        f"  year = {{{run.started[:4]}}},\n  month = {{{int(run.started[5:7])}}}\n}}"
    )


def _in_tex(text: str) -> str:
    """In one line, with what TeX would take for more than text escaped; braces, which BibTeX
    counts, and backslashes are left out.
    """
    words = " ".join(text.split())
    return "".join(_TEX.get(character, character) for character in words)


def _filters(every: list[Figure]) -> list[dict[str, Any]]:
    """What can be chosen: each filter with its values, where there are several."""
    rows = [row for figure in every for row in figure.rows]
    values = {
        name: sorted({row[name] for row in rows if row.get(name) is not None}) for name in FILTERS
    }
    return [
        {"name": name, "title": title, "values": values[name]}
        for name, title in FILTERS.items()
        if len(values[name]) > 1
    ]
