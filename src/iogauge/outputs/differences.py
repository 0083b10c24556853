"""A table of differences between an old and a new version: for a terminal, as Markdown for a pull
request, and as annotations of a build service.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from rich.text import Text

from iogauge.decision.comparison import Comparison
from iogauge.decision.costs import too_wide
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.decision.versions import GateKind, VersionKind
from iogauge.model.ratios import ratio
from iogauge.model.text import capital
from iogauge.model.units import counted, share
from iogauge.outputs.narrow import WIDTH, wrapped
from iogauge.outputs.plain import plain

_RATIO, _VERDICT = 11, 28  # columns
_STYLES = {"slower": "red", "fails only in new": "red", "not slower": "green"}
_NOT_KNOWN = "not known"
_NOBODY = "@\u200b"  # where a comment has this text, it calls nobody


@dataclass(frozen=True)
class Difference:
    """A way in two versions. `comparison` is time(new) / time(old), None where there is none;
    `failure` says why a version of it failed, and `more` what would decide it: `40 s more`. `told`
    is the verdict in words, where these are known, and `details` are lines that go with it.
    """

    way: str
    kind: VersionKind
    comparison: Comparison | None = None
    failure: str = ""
    more: str = ""
    told: str = ""
    details: tuple[str, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether its interval says something, or decided."""
        found = self.comparison
        return bool(
            found
            and found.replicates >= FEWEST_REPLICATES
            and found.lo > 0
            and (self.kind in ("slower", "not slower") or not too_wide(found.center, found.hi))
        )

    @property
    def bounds(self) -> str:
        """`1.14-1.22`, or that it is not known."""
        if self.failure:
            return "-"
        if not self.is_known or self.comparison is None:
            return _NOT_KNOWN
        found = self.comparison
        lo, hi = ratio(found.lo), ratio(found.hi)
        if too_wide(found.center, found.hi):
            return f"over {lo}" if self.kind == "slower" else f"under {hi}"
        return lo if lo == hi else f"{lo}-{hi}"


@dataclass(frozen=True)
class Question:
    """The ways of one question; `control` has the ratio of the old code against itself, and `notes`
    what limits what may be said.
    """

    label: str
    differences: tuple[Difference, ...]
    control: Comparison | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Differences:
    """All that was compared. `allowed` is by how much the new version may be slower, a fraction,
    and `gate` what follows; None where nobody asked. `notes` are sentences; `before` are lines on
    what was compared, which come first; those that begin with blanks are parts of the one above.
    `left_out` are lines on what was not measured, which a terminal tells above the table. `answer`
    is the answer to the whole, where its words are known.
    """

    old: str
    new: str
    questions: tuple[Question, ...]
    allowed: float | None = None
    gate: GateKind | None = None
    notes: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    answer: str = ""

    @property
    def all(self) -> list[Difference]:
        return [each for question in self.questions for each in question.differences]

    def in_words(self, found: Difference) -> str:
        """The verdict on a pair: `slower`, `not slower`, `undecided (40 s more)`."""
        if found.told:
            return found.told
        if found.kind.startswith("fails"):
            return found.kind.replace("new", self.new).replace("old", self.old)
        outcome = found.comparison.outcome if found.comparison else "undecided"
        word = found.kind if self.allowed is not None else outcome
        if found.kind == "not slower" and outcome == "faster":
            word = "faster"
        open_ = word == "undecided" and found.more
        return f"{word} ({found.more})" if open_ else word

    @property
    def headline(self) -> str:
        """The answer to the whole, in one line."""
        if self.answer:
            return self.answer
        kinds, ways = Counter(each.kind for each in self.all), counted(len(self.all), "way")
        if self.gate is None or self.allowed is None:
            return self._told_apart(ways)
        slower = f"{'over ' + share(self.allowed) + ' ' if self.allowed else ''}slower"
        if len(self.all) == 1:
            return self._of_one(self.all[0], slower)
        fails = kinds["fails only in new"]
        undecided = f"; {kinds['undecided']} undecided" if kinds["undecided"] else ""
        match self.gate:
            case "slower":
                is_or_are = "is" if kinds["slower"] == 1 else "are"
                says = f"{kinds['slower']} of {ways} {is_or_are} surely {slower}"
                fail = f"{'fails' if fails == 1 else 'fail'} only in {self.new}"
                if not kinds["slower"]:
                    return f"FAILS: {fails} of {ways} {fail}{undecided}"
                says += f", {fails} {fail}" if fails else ""
                return f"SLOWER: {says}{undecided}"
            case "failed":
                failed = kinds["fails in both"]
                fail = f"{'fails' if failed == 1 else 'fail'} in both"
                return f"FAILED: {failed} of {ways} {fail}, so nothing can be said{undecided}"
            case "undecided":
                return f"UNDECIDED: {kinds['undecided']} of {ways} may be {slower}, or not"
            case "not slower":
                mended = kinds["fails only in old"]
                more = f"; {mended} failed only in {self.old}" if mended else ""
                return f"NOT SLOWER: surely none of {ways} is {slower}{more}"

    def _of_one(self, found: Difference, slower: str) -> str:
        """The answer where one way was compared."""
        match found.kind:
            case "slower":
                return f"SLOWER: {found.way} is surely {slower} in {self.new}"
            case "not slower":
                return f"NOT SLOWER: {found.way} is surely not {slower} in {self.new}"
            case "undecided":
                return f"UNDECIDED: {found.way} may be {slower} in {self.new}, or not"
            case "fails only in new":
                return f"FAILS: {found.way} {self.in_words(found)}"
            case "fails only in old":
                return f"NOT SLOWER: {found.way} {self.in_words(found)}"
        return f"FAILED: {found.way} {self.in_words(found)}, so nothing can be said"

    def _told_apart(self, ways: str) -> str:
        outcomes = Counter(self.in_words(each).partition(" (")[0] for each in self.all)
        parts = [f"{outcomes[each]} {each}" for each in ("slower", "faster") if outcomes[each]]
        parts += [
            f"{number} {each}" for each, number in outcomes.items() if each.startswith("fails")
        ]
        parts += [f"{outcomes[each]} {each}" for each in ("same", "undecided") if outcomes[each]]
        return f"{capital(self.new)} against {self.old}, {ways}: {', '.join(parts)}"


def text(found: Differences) -> Iterator[Text]:
    """Lines of at most 80 columns."""
    style = {"slower": "bold red", "not slower": "bold green"}.get(found.gate or "", "bold")
    for line in (*found.before, "") if found.before else ():
        yield Text(wrapped(line, 4))
    yield Text(wrapped(found.headline, 2), style=style)
    several = len(found.questions) > 1
    indent = 4 if several else 2
    name = WIDTH - indent - _RATIO - _VERDICT - 2
    over = f"{found.new} / {found.old}"
    of = "" if several or not found.questions else found.questions[0].label[: name - 1]
    yield Text(f"  {of:<{name + indent - 2}} {over[:_RATIO]:<{_RATIO}} verdict", style="dim")
    for number, question in enumerate(found.questions, 1):
        if several:
            yield Text(wrapped(f"  {number} {question.label}", 4))
        for each in question.differences:
            yield from _rows(found, each, indent, name)
        for note in question.notes:
            yield Text(_indented(f"! {note}", indent, indent + 2), style="yellow")
    if control := _control(found):
        yield Text(wrapped(control, 2), style="dim")
    yield from (Text(wrapped(each, 2)) for each in found.notes)


def _rows(found: Differences, each: Difference, indent: int, width: int) -> Iterator[Text]:
    first, *others = textwrap.wrap(each.way, width, break_on_hyphens=False) or [""]
    blank, said = " " * indent, found.in_words(each)
    line = Text(f"{blank}{first:<{width}} {each.bounds:<{_RATIO}} ")
    yield line.append(said, style=_STYLES.get(each.kind, ""))
    yield from (Text(f"{blank}  {other}") for other in others)
    for detail in (*((each.failure,) if each.failure else ()), *each.details):
        yield Text(_indented(detail, indent + 2, indent + 4), style="dim")


def _indented(text: str, first: int, others: int) -> str:
    """Wrapped, the first line behind so many blanks, the others behind other ones."""
    return " " * first + wrapped(f"{'x' * first}{text}", others)[first:]


def _control(found: Differences) -> str:
    """How far the old code was from itself: of several questions where that was most."""
    controls = [each.control for each in found.questions if each.control]
    known = [each for each in controls if each.lo > 0 and not too_wide(each.center, each.hi)]
    if not known or len(known) < len(controls):
        return ""
    widest = max(known, key=lambda each: each.hi / each.lo)
    most = ", at most" if len(known) > 1 else ""
    bounds = f"{ratio(widest.lo)}-{ratio(widest.hi)}"
    return f"control: {found.old} against itself {bounds}{most}"


def markdown(found: Differences) -> str:
    """For a pull request: the answer, then a table; without the last line end."""
    lines = [f"### {plain(found.headline)}", ""]
    lines += [f"{'  ' * each.startswith(' ')}- {plain(each)}" for each in found.before]
    lines += [""] if found.before else []
    several = len(found.questions) > 1
    over = plain(f"{found.new} / {found.old}")
    lines += [
        f"|{' question |' * several} way | {over} (95 %) | verdict |",
        f"|{' --- |' * several} --- | ---: | --- |",
    ]
    for question in found.questions:
        for each in question.differences:
            of = f" {plain(question.label)} |" if several else ""
            told = "; ".join((*((each.failure,) if each.failure else ()), *each.details))
            why = f": {plain(told)}" if told else ""
            bold = "**" if found.gate and each.kind in ("slower", "fails only in new") else ""
            said = f"{bold}{plain(found.in_words(each))}{bold}{why}"
            lines.append(f"|{of} {plain(each.way)} | {plain(each.bounds)} | {said} |")
    if not several and found.questions:
        lines += ["", plain(found.questions[0].label)]
    notes = [note for question in found.questions for note in question.notes]
    notes += [control] if (control := _control(found)) else []
    for note in [*notes, *found.notes, *found.left_out]:
        lines += ["", plain(note)]
    return "\n".join(lines).replace("@", _NOBODY)


def github(found: Differences) -> list[str]:
    """Commands to GitHub's runner: an error for each way that is slower or fails only in the new
    version, a warning for what is undecided or fails; a notice otherwise.
    """
    title, lines = "iogauge", list[str]()
    for question, each in _with_questions(found):
        if each.kind == "not slower":
            continue
        level = "error" if each.kind in ("slower", "fails only in new") else "warning"
        bounds = f", {found.new} / {found.old} {each.bounds}" if each.is_known else ""
        says = f"{each.way} ({question.label}): {found.in_words(each)}{bounds}"
        lines.append(f"::{level} title={title}::{_escaped(says)}")
    return lines or [f"::notice title={title}::{_escaped(found.headline)}"]


def _with_questions(found: Differences) -> Iterator[tuple[Question, Difference]]:
    for question in found.questions:
        for each in question.differences:
            yield question, each


def _escaped(message: str) -> str:
    """As the runner wants the message of a command."""
    return message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
