"""The flags of a compiler, and what of a project's files they name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

_OF_A_PATH = (
    *("-isystem", "-iquote", "-idirafter", "-isysroot", "-include", "-imacros"),
    *("-I", "-L", "-B"),
)
_JOINED = {
    **{each: each for each in ("-D", "-U", "-l", "-u", "-x", "-z")},
    **{each: f"{each}=" for each in ("--param", "--sysroot")},
    **{"-Xlinker": "-Wl,", "-Xpreprocessor": "-Wp,"},
}
"""Flags whose value may be the next word, and how they begin where it is in theirs."""
_ALONE = re.compile(r"-l.*|-L.*|-Wl,.*|[^-].*")
_OF_BOTH = re.compile(r"-pthread|-static.*|-rdynamic|-f(openmp|sanitize).*|-m.*")


def joined(words: Iterable[str], folder: Path) -> list[str]:
    """One word for each flag: its value is joined to it. Paths become absolute, as seen from this
    folder; but a header to include that is not there stays as it is, since it is searched for.
    """
    found, left = [], iter(words)
    for word in left:
        flag = next((each for each in _OF_A_PATH if word.startswith(each)), None)
        if flag:
            value = word[len(flag) :] or next(left, "")
            searched = flag in ("-include", "-imacros") and not (folder / value).is_file()
            found.append(f"{flag}{value if searched else os.path.normpath(folder / value)}")
        elif word in _JOINED:
            found.append(_JOINED[word] + next(left, ""))
        elif not word.startswith("-") and (folder / word).exists():
            found.append(os.path.normpath(folder / word))
        else:
            found.append(word)
    return found


def named(given: Iterable[str], *kinds: str) -> list[Path]:
    """What flags of these kinds name, kind by kind: of `-I`, the folders."""
    every = list(given)
    return [Path(each[len(kind) :]) for kind in kinds for each in every if each.startswith(kind)]


def of_compiler(given: Iterable[str]) -> list[str]:
    """Those of joined flags that say how a source is compiled."""
    return [each for each in given if not _ALONE.fullmatch(each)]


def of_linker(given: Iterable[str]) -> list[str]:
    """Those that the linker is told."""
    return [each for each in given if _ALONE.fullmatch(each) or _OF_BOTH.fullmatch(each)]


def linked(given: Iterable[str]) -> Iterator[Path]:
    """The files that the linker reads: those that are named, and libraries in folders of `-L`."""
    every = list(given)
    folders = named(every, "-L")
    for each in every:
        if each.startswith("-l"):
            library = each[2:]
            ends = (f"lib{library}.so", f"lib{library}.a")
            names = [library[1:]] if library.startswith(":") else ends
            there = [folder / name for folder in folders for name in names]
        else:
            there = [] if each.startswith("-") else [Path(each)]
        yield from (path for path in there if path.is_file())
