"""The source files that a file needs besides itself, by the names in it: of its package, of
packages that it imports, and what those need. One too many does no harm where it compiles.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_TOP = re.compile(
    r"^(?P<words>(?:[a-z]+\s+|@\S+\s+)*)"
    r"(?P<kind>class|interface|object|fun|val|var|typealias|record|enum)\s+"
    r"(?:<[^>]*>\s*)?(?P<of>[\w.<>?, *]+\.)?(?P<name>`?\w+`?)",
    re.MULTILINE,
)
_NAME_OF_TYPE = r"[^\W\da-z_]\w*"  # not of English letters alone
_TYPES = re.compile(rf"(?<![.\w]){_NAME_OF_TYPE}")
_CALLS = re.compile(r"(?<![.\w])[a-z_]\w*(?=\s*[({<])|(?<=::)[a-z_]\w*")
_VALUES = re.compile(r"(?<![.\w])[a-z_]\w*")
_BOUND = re.compile(
    r"\b(?:val|var|for\s*\()\s*(\w+)|\b([a-z_]\w*)\s*:(?!:)|[{,]\s*([a-z_]\w*)\s*->"
)
_OF_SOMETHING = re.compile(r"(?<=\.)[a-z_]\w*")
_WHOLE = {
    ".java": re.compile(rf"(?<![.\w])((?:[a-z_]\w*\.)+)({_NAME_OF_TYPE})"),
    ".kt": re.compile(r"(?<![.\w])((?:[a-z_]\w*\.)+)(\w+)"),
}
_TEMPLATE = re.compile(r"\$\{([^}]*)\}|\$(\w+)")
_NOISE = re.compile(r'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*[\s\S]*?\*/')
_PACKAGE = re.compile(r"^\s*package\s+([\w.`]+)", re.MULTILINE)
_IMPORT = re.compile(r"^\s*import\s+(?:static\s+)?([\w`]+(?:\.[\w`]+)*(?:\.\*)?)", re.MULTILINE)


@dataclass(frozen=True)
class _Names:
    """Names that a file has: of types and functions, behind a dot, and of what may be a value."""

    plain: frozenset[str]
    called: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()


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


def declares(file: Path, name: str) -> bool:
    """Whether a file, or another one of its folder and package, declares a type of this name."""
    if re.search(
        rf"\b(?:class|interface|record|enum|typealias)\s+{name}\b", _NOISE.sub(" ", _text(file))
    ):
        return True
    package = package_of(file)
    return any(
        (name, "plain") in declared and package_of(other) == package
        for other, declared in _folder(file.parent)
    )


def needed(
    files: Iterable[Path], roots: Sequence[Path], there: Collection[Path] = ()
) -> list[Path]:
    """These files, and those that they need of the same folders and below these roots, but those
    that are compiled.
    """
    found = dict.fromkeys(files)
    unread = list(found)
    while unread:
        file = unread.pop()
        for other in _named_in(file, roots):
            if other not in found and other not in there:
                found[other] = None
                unread.append(other)
    return list(found)


def _named_in(file: Path, roots: Sequence[Path]) -> Iterator[Path]:
    text = _NOISE.sub(" ", _text(file))
    found = list(_IMPORT.finditer(text))
    imports, package = [each[1] for each in found], package_of(file)
    parts = package.split(".") if package else []
    here = [file.parent, *(root.joinpath(*parts) for root in roots)]
    body = text[found[-1].end() :] if found else text
    if file.suffix == ".kt":  # what its texts take in
        body = " ".join([body, *(part for each in _TEMPLATE.findall(_text(file)) for part in each)])
    names = _names(file, body, {each.rpartition(".")[2] for each in imports})
    for folder in dict.fromkeys(here):
        yield from _declaring(folder, package, names)
    imports += [before + name for before, name in _WHOLE[file.suffix].findall(body)]
    for each in dict.fromkeys(imports):
        before, _, name = each.rpartition(".")
        lone = frozenset({name})
        for root in roots:
            wanted = names if name == "*" else _Names(lone, lone, lone)
            yield from _declaring(root.joinpath(*before.split(".")), before, wanted)
            # A type that is in another one, or a static method of a class.
            outer = before.split(".")
            for at in (at for at, part in enumerate(outer) if part[:1].isupper()):
                of_class = _Names(frozenset({outer[at]}))
                yield from _declaring(root.joinpath(*outer[:at]), ".".join(outer[:at]), of_class)


def _names(file: Path, body: str, elsewhere: set[str]) -> _Names:
    """The names in a file but those that it declares itself, or that come from `elsewhere`."""
    known = {name for name, _ in _declared(file)} | elsewhere
    words = {*_TYPES.findall(body)}
    if file.suffix != ".kt":
        return _Names(frozenset(words - known))
    bound = {name for each in _BOUND.findall(body) for name in each}
    return _Names(
        frozenset((words | {*_CALLS.findall(body)}) - known),
        frozenset({*_OF_SOMETHING.findall(body)} - known),
        frozenset({*_VALUES.findall(body)} - known - bound),
    )


def _declaring(folder: Path, package: str, names: _Names) -> Iterator[Path]:
    """The files of a folder, and of this package, that declare one of these names at their top;
    or a function of this name that extends something.
    """
    values = names.plain | names.values
    wanted = {"plain": names.plain, "extends": names.called, "value": values}
    for file, declared in _folder(folder):
        stem = file.stem if file.suffix == ".java" else f"{file.stem}Kt"
        found = stem in names.plain or any(name in wanted.get(kind, ()) for name, kind in declared)
        if found and package_of(file) == package:
            yield file


@cache
def _folder(folder: Path) -> list[tuple[Path, frozenset[tuple[str, str]]]]:
    if not folder.is_dir():
        return []
    files = sorted(each for each in folder.iterdir() if each.suffix in (".java", ".kt"))
    return [(each, _declared(each)) for each in files]


@cache
def _declared(file: Path) -> frozenset[tuple[str, str]]:
    """What a file declares at its top, and its kind: `plain`, a `value`, what `extends` something,
    or `private`. Of Java these are types.
    """
    found = _TOP.finditer(_NOISE.sub(" ", _text(file)))
    return frozenset((each["name"].strip("`"), _kind(each)) for each in found)


def _kind(declared: re.Match[str]) -> str:
    if "private" in declared["words"].split():
        return "private"
    if declared["of"]:
        return "extends"
    return "value" if declared["kind"] in ("val", "var") else "plain"


@cache
def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError:
        return ""
