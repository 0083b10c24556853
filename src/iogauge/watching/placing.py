"""Which line of the user's source makes the calls, from stacks that were seen."""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from iogauge.host import stacks
from iogauge.host.stacks import Frame
from iogauge.model.watched import FindingKind, Marks, Place
from iogauge.watching.recognising import Facts
from iogauge.watching.watcher import Seen

_DEEP = 3  # functions of a library that are named, the innermost
_LONGEST = 100  # characters of a line of source
_DOES = {
    "reads": r"(?<!th)(?<!sp)read|getc|gets\b|getline|scan|underflow|xsgetn|uflow|input|"
    r"inflat|decompress|gunzip|load",
    "writes": r"writ|print|\bf?put[cs]|overflow|xsputn|output|flush|dump|deflat",
    "syncs": r"(?<!a)sync|force|commit",
    "opens": r"open|\.<init>",
}
"""Words in names of functions, by what those do."""
_NAMED = {does: re.compile(words, re.IGNORECASE) for does, words in _DOES.items()}
_CALLED = re.compile(r"(\w+)\(")
_FITTING: dict[FindingKind, set[str]] = {
    "small-writes": {"writes"},
    "synced": {"syncs"},
    "opened-again": {"opens", "reads"},
    "read-again": {"opens", "reads"},
}


def places(
    seen: Seen, numbers: Mapping[tuple[str, str], tuple[int, Facts | None]], marks: Sequence[Marks]
) -> list[Place]:
    """The places of each program, the most frequent first."""
    by_language = {each.language: each for each in marks}
    counts: dict[int, Counter[Frame]] = defaultdict(Counter)
    does: dict[tuple[int, Frame], Counter[str]] = defaultdict(Counter)
    facts_of: dict[int, Facts] = {}
    for look in seen.stacks:
        facts = seen.facts.get(look.pid)
        known = by_language.get(facts.language or "") if facts else None
        if facts is None or known is None:
            continue
        number = numbers[facts.key][0]
        facts_of[number] = facts
        for stack in look.stacks:
            own = next((each for each in stack if not _inside(each, known, facts)), None)
            if own is None:
                continue
            counts[number][own] += 1
            above = [_called(each) for each in stack[: stack.index(own)]]
            does[number, own][" ".join(above[-_DEEP:])] += 1
    found = []
    for number, counted in counts.items():
        whole = counted.total()
        for frame, count in counted.most_common(_DEEP):
            file, line = _source(frame, facts_of[number])
            found.append(
                Place(
                    program=number,
                    file=os.path.basename(file),
                    line=line,
                    function=frame.function,
                    text=_text(file, line, frame, facts_of[number], by_language),
                    does=does[number, frame].most_common(1)[0][0],
                    share=count / whole,
                    stacks=count,
                )
            )
    return found


def fits(place: Place, kind: FindingKind) -> bool:
    """Whether a line may be the one of such a finding: by what it was seen in, else by what it
    calls. One of which that says nothing may be.
    """
    called = " ".join(_CALLED.findall(place.text))
    said = _done(place.does) or _done(called)
    return not said or bool(said & _FITTING.get(kind, {"reads"}))


def _done(names: str) -> set[str]:
    return {does for does, words in _NAMED.items() if words.search(names)}


def _inside(frame: Frame, marks: Marks, facts: Facts) -> bool:
    """Whether a function belongs to the language's library, or to another one."""
    if frame.offset is not None and frame.file != facts.path:
        return True
    by_file = marks.stacks == "interpreter"
    return bool(marks.inside and re.match(marks.inside, frame.file if by_file else frame.function))


def _source(frame: Frame, facts: Facts) -> tuple[str, int | None]:
    """The file and line of a frame; of compiled code where its program has them."""
    if frame.offset is None:
        return frame.file, frame.line
    file, line = stacks.lines(facts.path, [frame.offset])[0]
    return (file, line) if line is not None else ("", None)


def _called(frame: Frame) -> str:
    """A function of a library, with the module where its name alone says little."""
    if frame.offset is None and frame.file.startswith("/"):
        return f"{Path(frame.file).stem}.{frame.function}"
    return frame.function


def _text(
    file: str, line: int | None, frame: Frame, facts: Facts, by_language: Mapping[str, Marks]
) -> str:
    """The line itself, where its file is there: as it is named, or in the project's folders."""
    if line is None:
        return ""
    marks = by_language.get(facts.language or "")
    inner = Path(*frame.function.split(".")[:-2], file)  # a package is a folder
    folders = ("", *(marks.sources if marks else ()))
    for path in (Path(facts.folder, each, name) for each in folders for name in (file, inner)):
        try:
            with open(path, encoding="utf-8", errors="replace") as source:
                for number, text in enumerate(source, 1):
                    if number == line:
                        return text.strip()[:_LONGEST]
        except OSError:
            continue
    return ""
