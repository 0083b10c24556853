"""An atlas: pages that a team publishes and others cite. The first shows for each question and
runtime what to use; each other one is about a question on a runtime and a kind of host. They need
no script and nothing from elsewhere.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import msgspec
from markupsafe import Markup, escape

from iogauge import __version__
from iogauge.history.choosing import HostKind, Key
from iogauge.model.ratios import about
from iogauge.model.strategy import set_name
from iogauge.model.text import capital
from iogauge.model.units import count, duration, rate, share, size
from iogauge.outputs.contract import Case, Group, Run, Set
from iogauge.outputs.document import Source
from iogauge.outputs.html import again, citation
from iogauge.outputs.html.cards import Card
from iogauge.outputs.html.dots import tolerance_of
from iogauge.outputs.html.drawing import COLOURS, part, templates, theme
from iogauge.outputs.html.figures import common

INDEX = "index.html"
_LONGEST_NAME = 48  # characters of a question, and of a runtime, in the name of a file
_WARMEST = 3.0  # times the fastest runtime: a cell has its full colour
_MOST_WAYS = 2  # of a language in a cell
_JOINT = re.compile(r"(\.|::|\(|(?<=[a-z])(?=[A-Z]))")
_PATH = re.compile(r"(?<![\w.])/(?:[\w.@+-]+/)*[\w.@+-]+")


class Way(NamedTuple):
    """What to use: of a language (empty: the only one), and in how many of the circumstances
    (empty: in all). `is_sure`: it is decided, not only ahead.
    """

    of: str
    name: str
    where: str
    is_sure: bool


@dataclass(frozen=True)
class Question:
    """A page: a question on a runtime and a kind of host. `source` is the run that it rests on, in
    `card` with the cases of this runtime alone; `older` are ids of runs that measured the same, and
    `iogauge` is the version that measured.
    """

    key: Key
    source: Source
    card: Card
    older: Sequence[str]
    iogauge: str

    @property
    def run(self) -> Run:
        return self.source.export.run

    @property
    def languages(self) -> list[str]:
        """Those of its cases."""
        cases = (case for group in self.card.groups for case in group.cases)
        return list(dict.fromkeys(case.language for case in cases))

    @cached_property
    def name(self) -> str:
        """Of its file: it stays the same as long as the key does, so that it can be cited."""
        digest = hashlib.sha256("\0".join([*self.key.host, *self.key[1:]]).encode()).hexdigest()
        words, of = (
            _slug(each)[:_LONGEST_NAME].strip("-.")
            for each in (self.key.question, self.key.runtime)
        )
        return f"{words}--{of}--{digest[:8]}.html"

    @property
    def runtime(self) -> str:
        """For people: `jvm-17.0.15 (Java, Kotlin)`."""
        return f"{self.key.runtime} ({', '.join(map(self.called, self.languages))})"

    def called(self, language: str) -> str:
        return set_name(language, None, self.source.export.language_names)

    @cached_property
    def ways(self) -> list[Way]:
        """What to use, the most frequent first; of each language where the runtime has several."""
        found = []
        for language in self.languages:
            of = self.called(language) if len(self.languages) > 1 else ""
            every = [way for group in self.card.groups for way in _used(group, language)]
            names = Counter(name for name, _ in every)
            for name, times in names.most_common(_MOST_WAYS):
                sure = all(is_sure for one, is_sure in every if one == name)
                where = f"in {times} of {len(every)}" if len(names) > 1 else ""
                found.append(Way(of, name, where, sure))
        return found

    @property
    def caveats(self) -> list[str]:
        """Those about its run. None of them should name a path; none that does is published so."""
        return [_PATH.sub("…", each) for each in self.run.caveats]

    def level(self, group: Group) -> float | None:
        """ns per operation of its fastest case in a group."""
        known = [each.ns_per_op.center for each in group.cases if _counts(each)]
        return min((each for each in known if each is not None), default=None)


@dataclass(frozen=True)
class Cell:
    """A place in the picture. `ratio` is how many times as long the runtime takes as the fastest
    one of the same run, over all circumstances; None where it is alone.
    """

    page: Question
    ratio: float | None

    @property
    def warmth(self) -> int | None:
        """0 of the fastest, 100 of what takes several times as long."""
        if self.ratio is None:
            return None
        within = min(max(self.ratio, 1.0), _WARMEST)
        return round(100 * math.log(within) / math.log(_WARMEST))

    @property
    def says(self) -> str:
        if self.ratio is None:
            return ""
        if self.ratio <= 1:
            return "fastest"
        tolerance = tolerance_of(self.page.card.groups)
        return "as fast" if self.ratio <= 1 + tolerance else f"{about(self.ratio)} as long"


@dataclass(frozen=True)
class Row:
    """A question, and a cell for each runtime: None where it was not measured."""

    question: str
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True)
class Table:
    """The questions of a study, with a column for each runtime that it was measured on."""

    title: str
    runtimes: tuple[str, ...]
    rows: Sequence[Row]


@dataclass(frozen=True)
class Picture:
    """What to use on one kind of host: a table for each study."""

    host: HostKind
    tables: Sequence[Table]

    @property
    def id(self) -> str:
        return _slug(host_name(self.host))


def question(key: Key, source: Source, older: Sequence[str], iogauge: str) -> Question | None:
    """The page of a key from a run; None where the run has nothing to tell of it after all."""
    export = source.export
    groups = [
        _of_runtime(each, key.runtime) for each in export.groups if each.question == key.question
    ]
    groups = [each for each in groups if any(map(_counts, each.cases))]
    if not groups:
        return None
    return Question(key, source, Card(export.run, "", key.question, tuple(groups)), older, iogauge)


def pages(found: Sequence[Question]) -> dict[str, bytes]:
    """All files of the atlas, by name."""
    pictures = [_picture(host, same) for host, same in _by_host(found).items()]
    environment = templates()
    environment.filters.update(
        duration=lambda ns: duration(ns / 1e9),
        **{each.__name__: each for each in (rate, share, size, count, capital, citation, again)},
    )
    environment.globals.update(
        style=theme() + part("page.css") + part("atlas.css"),
        version=__version__,
        host_name=host_name,
        common=common,
        broken=_broken,
        whole=Set,
    )
    first = environment.get_template("atlas.html").render(pictures=pictures, number=len(found))
    files = {INDEX: first.encode()}
    template = environment.get_template("atlas_question.html")
    beside = _beside(found)
    for each in found:
        files[each.name] = template.render(
            page=each,
            title=f"{each.key.question} {each.key.runtime}",
            others=beside[each.key.study, each.key.question],
            called=lambda of, page=each: page.called(of.language),
            series=_colours(each),
        ).encode()
    return files


def host_name(of: HostKind) -> str:
    """`AMD EPYC, Linux 6.18, ext4`."""
    return f"{of.processor}, {of.system} {of.kernel}, {of.file_system}"


def _counts(case: Case) -> bool:
    return case.measured and not case.impossible and not case.failures


def _used(group: Group, language: str) -> Iterator[tuple[str, bool]]:
    """What is recommended of a language in a group, or is ahead there, and whether that is sure."""
    names = {each.key: each.name for each in group.cases}
    for each in group.recommendations:
        if each.language == language and each.case in names:
            yield names[each.for_now or each.case], each.is_sure


def _of_runtime(group: Group, runtime: str) -> Group:
    """The group as if it had the cases of one runtime alone."""
    cases = tuple(each for each in group.cases if each.runtime == runtime)
    languages = {each.language for each in cases}
    return msgspec.structs.replace(
        group,
        cases=cases,
        languages=(),
        recommendations=tuple(
            each
            for each in group.recommendations
            if each.language in languages
            and (each.setting is None or each.setting.split(" ")[0] == runtime)
        ),
    )


def _by_host(found: Sequence[Question]) -> dict[HostKind, list[Question]]:
    by_host: dict[HostKind, list[Question]] = defaultdict(list)
    for each in found:
        by_host[each.key.host].append(each)
    return dict(sorted(by_host.items(), key=lambda item: (-len(item[1]), item[0])))


def _beside(found: Sequence[Question]) -> dict[tuple[str, str], list[Question]]:
    """The pages about each question, whatever the runtime and the host."""
    beside: dict[tuple[str, str], list[Question]] = defaultdict(list)
    for each in sorted(found, key=lambda page: (page.key.host, page.key.runtime)):
        beside[each.key.study, each.key.question].append(each)
    return beside


def _picture(host: HostKind, found: Sequence[Question]) -> Picture:
    """What compares most runtimes comes first."""
    studies: dict[tuple[str, str], dict[str, dict[str, Question]]]
    studies = defaultdict(lambda: defaultdict(dict))
    for each in found:
        study = each.run.title or each.key.study, each.key.study
        studies[study][each.key.question][each.key.runtime] = each
    tables = [_table(title, asked) for (title, _), asked in studies.items()]
    return Picture(host, sorted(tables, key=lambda each: (-len(each.runtimes), each.title)))


def _table(title: str, asked: Mapping[str, Mapping[str, Question]]) -> Table:
    runtimes = tuple(sorted({name for by_runtime in asked.values() for name in by_runtime}))
    rows = []
    for words, by_runtime in asked.items():
        same, cells = [*by_runtime.values()], map(by_runtime.get, runtimes)
        rows.append(
            Row(words, tuple(Cell(each, _ratio(each, same)) if each else None for each in cells))
        )
    return Table(title, runtimes, rows)


def _ratio(page: Question, same: Sequence[Question]) -> float | None:
    """Over the groups in which other runtimes of its run were measured, in geometric mean."""
    logs = []
    others = [each for each in same if each.run.id == page.run.id]
    for group in page.card.groups:
        own = page.level(group)
        levels = [
            each.level(one) for each in others for one in each.card.groups if one.id == group.id
        ]
        known = [each for each in levels if each is not None]
        if own is not None and len(known) > 1:
            logs.append(math.log(own / min(known)))
    return math.exp(sum(logs) / len(logs)) if logs else None


def _colours(page: Question) -> Callable[[Set], int]:
    languages = page.languages
    return lambda of: languages.index(of.language) % len(COLOURS)


def _broken(text: str) -> Markup:
    """The text, which may be broken where a name has its joints."""
    return Markup(_JOINT.sub(r"<wbr>\1", str(escape(text))))


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.") or "other"
