"""Which program a process runs: its language, its script, and whether its source is likely the
user's own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from iogauge.host import proctree
from iogauge.model.watched import Marks

_HEAD = 8 << 20  # bytes of a program that are searched for what a compiler writes into it
SHELL = Marks(
    language="shell",
    programs=(r"(ba|da|z|k|a|mk)?sh|busybox",),
    runs=True,
    inline=("-c", "-s"),
    values=("-o", "-O", "+O", "--rcfile", "--init-file"),
)
"""No runner has it."""
_SYSTEM = ("/usr/", "/bin/", "/sbin/", "/lib", "/opt/", "/snap/", "/nix/", "/gnu/")
_HOME_MADE = ("/usr/local/src/", "/usr/src/")


@dataclass(frozen=True)
class Facts:
    """A program: its path, name and language; the path of the script that it runs."""

    path: str
    name: str
    language: str | None = None
    script: str | None = None
    own: bool = False
    stacks: str = "none"
    folder: str = ""

    @property
    def key(self) -> tuple[str, str]:
        return self.name, self.script or ""


class Recogniser:
    """Recognises programs by marks of languages. It looks once at each program."""

    def __init__(self, marks: Sequence[Marks]):
        self._marks = (*marks, SHELL)
        self._known: dict[str, Marks | None] = {}

    def facts(self, pid: int, program: str) -> Facts:
        if program not in self._known:
            self._known[program] = self._of(pid, program)
        marks, folder = self._known[program], proctree.folder(pid)
        script, own = None, not of_system(program)
        if marks and marks.runs:
            script = _script(proctree.words(pid)[1:], marks)
            path = str(Path(folder, script)) if script else ""
            own = script is not None and not _installed(path, marks)
        return Facts(
            program,
            os.path.basename(program),
            marks.language if marks else None,
            script,
            own,
            marks.stacks if marks else "none",
            folder,
        )

    def _of(self, pid: int, program: str) -> Marks | None:
        """By its name, by what its compiler left in it, then by its libraries: every program of a
        system has that of C.
        """
        name, mapped = os.path.basename(program), proctree.libraries(pid)
        for each in self._marks:
            if any(re.fullmatch(known, name) for known in each.programs):
                return each
        text = b"" if of_system(program) else proctree.text(pid, _HEAD)
        for each in self._marks:
            if any(known.encode() in text for known in each.texts):
                return each
        for each in self._marks:
            if any(one.startswith(known) for known in each.libraries for one in mapped):
                return each
        return None


def _script(words: Sequence[str], marks: Marks) -> str | None:
    """What it runs: the first word that is no option and no value of one. A module or a text on the
    command line is known by its option. Never that text itself: it may hold what nobody may keep.
    """
    left = iter(words)
    for word in left:
        option, inline = _option(word, marks)
        if inline:
            return option
        if option in marks.modules:
            return next(left, None)
        if option in marks.values:
            next(left, None)
        elif word == "-" or not word.startswith("-"):
            return word
    return None


def _option(word: str, marks: Marks) -> tuple[str, bool]:
    """The option that says what the next word is, and whether code is given by it. Where code may
    be, letters may be joined, with the value behind them: `-lc`, `-cprint()`, `--eval=print()`.
    """
    name = word.partition("=")[0]
    if word in marks.inline or name in marks.inline:
        return name, True
    if not marks.inline or not word.startswith("-") or word.startswith("--"):
        return word, False
    for at, letter in enumerate(word[1:], 2):
        option = f"-{letter}"
        if option in marks.inline:
            return option, True
        if option in (*marks.values, *marks.modules):
            return (word if at < len(word) else option), False
    return word, False


def _installed(script: str, marks: Marks) -> bool:
    return of_system(script) or bool({*Path(script).parts} & {*marks.installed})


def of_system(path: str) -> bool:
    """Whether a file belongs to the system, or to what was installed for all."""
    return path.startswith(_SYSTEM) and not path.startswith(_HOME_MADE)
