"""The source files that a file needs besides itself, by the names in it: of its package, of
packages that it imports, and what those need. One too many does no harm where it compiles.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

_TOP = re.compile(
    r"^(?:[a-z]+\s+|@\S+\s+)*(?:class|interface|object|fun|val|var|typealias|record|enum)\s+"
    r"(?:<[^>]*>\s*)?(?P<of>[\w.<>?, *]+\.)?(?P<name>`?\w+`?)",
    re.MULTILINE,
)
_TYPES = re.compile(r"(?<![.\w])[A-Z]\w*")
_CALLS = re.compile(r"(?<![.\w])[a-z_]\w*(?=\s*[({<])")
_OF_SOMETHING = re.compile(r"(?<=\.)[a-z_]\w*(?=\s*[({]|\b)")
_NOISE = re.compile(r'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*[\s\S]*?\*/')
_PACKAGE = re.compile(r"^\s*package\s+([\w.`]+)", re.MULTILINE)
_IMPORT = re.compile(r"^\s*import\s+(?:static\s+)?([\w.`]+(?:\.\*)?)", re.MULTILINE)


def forget() -> None:
    """Files are read anew from now on."""
    for each in (_folder, _declared, _text):
        each.cache_clear()


def root_of(file: Path) -> Path | None:
    """The folder that a file's package begins in; None where its folders are called otherwise."""
    parts = package_of(file).split(".")
    if parts == [""]:
        return file.parent
    if list(file.parent.parts[-len(parts) :]) != parts:
        return None
    return file.parents[len(parts)]


def package_of(file: Path) -> str:
    found = _PACKAGE.search(_text(file))
    return found[1] if found else ""


def needed(files: Iterable[Path], roots: Sequence[Path]) -> list[Path]:
    """These files, and those that they need of the same folders and below these roots."""
    found = dict.fromkeys(files)
    unread = list(found)
    while unread:
        file = unread.pop()
        for other in _named_in(file, roots):
            if other not in found:
                found[other] = None
                unread.append(other)
    return list(found)


def _named_in(file: Path, roots: Sequence[Path]) -> Iterator[Path]:
    text = _NOISE.sub(" ", _text(file))
    imports, package = _IMPORT.findall(text), package_of(file)
    parts = package.split(".") if package else []
    here = [file.parent, *(root.joinpath(*parts) for root in roots)]
    body = text[text.rfind("import ") :] if imports else text
    own = {name for name, _ in _declared(file)}
    elsewhere = {each.rpartition(".")[2] for each in imports if not each.endswith("*")}
    words = {*_TYPES.findall(body)} - own - elsewhere
    called = set[str]()
    if file.suffix == ".kt":
        words |= {*_CALLS.findall(body)} - own - elsewhere
        called = {*_OF_SOMETHING.findall(body)} - own - elsewhere
    for folder in dict.fromkeys(here):
        yield from _declaring(folder, package, words, called)
    for each in imports:
        before, _, name = each.rpartition(".")
        for root in roots:
            wanted = (words, called) if name == "*" else ({name}, {name})
            yield from _declaring(root.joinpath(*before.split(".")), before, *wanted)
            if before[:1]:  # a nested type, or a static method of a class
                outer, _, kind = before.rpartition(".")
                if kind[:1].isupper():
                    yield from _declaring(root.joinpath(*outer.split(".")), outer, {kind}, set())


def _declaring(folder: Path, package: str, words: set[str], called: set[str]) -> Iterator[Path]:
    """The files of a folder, and of this package, that declare one of these names at their top;
    or a function of this name that extends something.
    """
    for file, names in _folder(folder):
        plain = {name for name, extends in names if not extends}
        extending = {name for name, extends in names if extends}
        stem = {file.stem} if file.suffix == ".java" else {f"{file.stem}Kt"}
        if ((plain | stem) & words or extending & called) and package_of(file) == package:
            yield file


@cache
def _folder(folder: Path) -> list[tuple[Path, frozenset[tuple[str, bool]]]]:
    if not folder.is_dir():
        return []
    files = sorted(each for each in folder.iterdir() if each.suffix in (".java", ".kt"))
    return [(each, _declared(each)) for each in files]


@cache
def _declared(file: Path) -> frozenset[tuple[str, bool]]:
    """What a file declares at its top, and whether that extends something: for Java, types."""
    found = _TOP.finditer(_NOISE.sub(" ", _text(file)))
    return frozenset((each["name"].strip("`"), bool(each["of"])) for each in found)


@cache
def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError:
        return ""
