"""Where a module is that a file of JavaScript or TypeScript names: as Node finds it, or as only
tools do that compile.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from iogauge.sources.languages.javascript import SOURCES, TYPESCRIPT, Import

PACKAGE, TSCONFIG, MODULES = "package.json", "tsconfig.json", "node_modules"
_GUESSED = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".node")
_REQUIRED = (".js", ".json", ".node")
_INSTEAD = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
_LONGEST = 255  # characters of a file's name
_LENIENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)


@dataclass(frozen=True)
class Place:
    """A file that is named. `exact`: Node finds it, too. `linked`: it is of a package beside this
    one, which is found in node_modules by a link.
    """

    path: Path
    exact: bool = True
    linked: bool = False


@dataclass(frozen=True)
class Table:
    """A package.json or tsconfig.json; empty where it cannot be read."""

    path: Path

    @property
    def folder(self) -> Path:
        return self.path.parent

    @cached_property
    def values(self) -> dict[str, Any]:
        with suppress(OSError, ValueError):
            text = self.path.read_text("utf-8-sig")
            found = json.loads(_LENIENT.sub(lambda match: match[1] or "", text), strict=False)
            return found if isinstance(found, dict) else {}
        return {}

    def text(self, name: str) -> str:
        value = self.values.get(name)
        return value if isinstance(value, str) else ""


def nearest(name: str, folder: Path) -> Path | None:
    """The file or folder of this name in a folder, or in the nearest above it."""
    found = (each / name for each in (folder, *folder.parents) if each.name != MODULES)
    return next((each for each in found if each.exists()), None)


def package_of(path: Path) -> Table | None:
    """The package.json that says what kind of module a file is; a file of a package in
    node_modules has none above that folder.
    """
    for folder in path.parents:
        if folder.name == MODULES:
            return None
        if (folder / PACKAGE).is_file():
            return Table(folder / PACKAGE)
    return None


def tsconfigs(path: Path) -> list[Table]:
    """The tsconfig.json for a file, and those that it extends, as far as they are files beside."""
    found: list[Table] = []
    near = nearest(TSCONFIG, path.parent)
    unread = [near] if near else []
    while unread:
        table = Table(unread.pop(0))
        if table in found:
            continue
        found.append(table)
        extended = table.values.get("extends")
        for each in extended if isinstance(extended, list) else [extended]:
            if isinstance(each, str) and each.startswith("."):
                named = table.folder / each
                some = (named, named.with_name(f"{named.name}.json"), named / TSCONFIG)
                unread += [one for one in some if one.is_file()][:1]
    return found


def resolve(wanted: Import, importer: Path) -> Place | None:
    """The file that a file names; None for a package that comes from elsewhere, and for what is not
    there.
    """
    text, folder = wanted.text.partition("?")[0], importer.parent
    if len(text) > _LONGEST or not text.strip("/") or "\0" in text:  # `data:…`, or a mistake
        return None
    if text.startswith(("./", "../", "/")) or text in (".", ".."):
        return _file(folder / text, wanted.required)
    if text.startswith("#"):
        package = package_of(importer)
        return _mapped(package, "imports", text, wanted) if package else None
    return _aliased(text, importer) or _of_itself(text, importer, wanted) or _linked(wanted, folder)


def entry(folder: Path) -> Path | None:
    """The module that the package of a folder is, as its package.json says; its source where that
    is not built.
    """
    package, wanted = Table(folder / PACKAGE), Import(".")
    if place := _mapped(package, "exports", ".", wanted):
        return place.path
    for name in ("module", "main", "source", "types"):
        if text := package.text(name):
            place = _file(folder / text, required=True)
            if place and place.path.suffix in SOURCES and ".d." not in place.path.name:
                return place.path
    built = Path(package.text("main") or _first_text(package.values.get("exports")) or "index.js")
    names = [built.stem, "index"]
    within = ("src", "lib", ".")
    some = (
        folder / where / f"{name}{end}" for name in names for where in within for end in SOURCES
    )
    return next((each for each in some if each.is_file()), None)


def entry_named(folder: Path) -> str:
    """The module that a package.json names, whether or not it is there."""
    package = Table(folder / PACKAGE)
    return _first_text(package.values.get("exports")) or package.text("main")


def _first_text(value: Any) -> str:
    if isinstance(value, dict):
        found = (_first_text(each) for key, each in value.items() if key != "types")
        return next(filter(None, found), "")
    return value if isinstance(value, str) else ""


def _file(path: Path, required: bool) -> Place | None:
    if path.is_file():
        return Place(path.resolve())
    ends = _REQUIRED if required else ()
    if found := _first(path.with_name(f"{path.name}{end}") for end in ends):
        return Place(found)
    if required and path.is_dir():
        main = Table(path / PACKAGE).text("main")
        some = [path / main, path / f"{main}.js", path / main / "index.js"] if main else []
        if found := _first([*some, *(path / f"index{end}" for end in _REQUIRED)]):
            return Place(found)
    guessed = [path.with_suffix(end) for end in _INSTEAD.get(path.suffix, ())]
    guessed += [path.with_name(f"{path.name}{end}") for end in _GUESSED]
    guessed += [path / f"index{end}" for end in _GUESSED]
    found = _first(guessed)
    return Place(found, exact=False) if found else None


def _first(paths: Iterable[Path]) -> Path | None:
    return next((each.resolve() for each in paths if each.is_file()), None)


def _mapped(package: Table, name: str, key: str, wanted: Import) -> Place | None:
    """What `imports` or `exports` of a package.json have for this key."""
    table = package.values.get(name)
    if name == "exports" and not (isinstance(table, dict) and any(k[:1] == "." for k in table)):
        table = {".": table}
    for value, star in _matching(table if isinstance(table, dict) else {}, key):
        for target in _targets(value, wanted.required):
            target = target.replace("*", star)
            if target.startswith("."):
                if place := _file(package.folder / target, required=False):
                    return place
            elif name == "imports" and not target.startswith("#"):  # as Node has it
                return resolve(Import(target, wanted.required), package.path)
    return None


def _matching(table: dict[str, Any], key: str) -> Iterator[tuple[Any, str]]:
    """The values whose names match, the longest before a star first; with what the star is."""
    if key in table:
        yield table[key], ""
    for name in sorted((each for each in table if "*" in each), key=len, reverse=True):
        before, _, after = name.partition("*")
        if len(key) >= len(before + after) and key.startswith(before) and key.endswith(after):
            yield table[name], key[len(before) : len(key) - len(after)]


def _targets(value: Any, required: bool) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _targets(each, required)
    elif isinstance(value, dict):
        conditions = {"node", "default", "module-sync", "require" if required else "import"}
        for name, each in value.items():
            if name in conditions:
                yield from _targets(each, required)


def _aliased(text: str, importer: Path) -> Place | None:
    """By `paths` and `baseUrl` of a tsconfig.json, which Node does not know."""
    for table in tsconfigs(importer):
        options = table.values.get("compilerOptions")
        options = options if isinstance(options, dict) else {}
        base, paths = options.get("baseUrl"), options.get("paths")
        root = table.folder / base if isinstance(base, str) else table.folder
        some = paths if isinstance(paths, dict) else {}
        listed = [(value, star) for value, star in _matching(some, text) if isinstance(value, list)]
        found = [(each, star) for value, star in listed for each in value]
        found += [(text, "")] if isinstance(base, str) else []
        for target, star in found:
            if place := _file(root / str(target).replace("*", star), required=False):
                return Place(place.path, exact=False)
    return None


def _of_itself(text: str, importer: Path, wanted: Import) -> Place | None:
    """A module of the package that names itself."""
    package = package_of(importer)
    if package is None or "exports" not in package.values:
        return None
    name = package.text("name")
    if not name or not (text == name or text.startswith(f"{name}/")):
        return None
    return _mapped(package, "exports", f".{text[len(name) :]}", wanted)


def _linked(wanted: Import, folder: Path) -> Place | None:
    """A module of a package that node_modules has by a link to a folder of the user's."""
    parts = wanted.text.split("/")
    name = "/".join(parts[: 2 if wanted.text[:1] == "@" else 1])
    for above in (folder, *folder.parents):
        found = above / MODULES / name
        if not found.is_dir():
            continue
        real = found.resolve()
        if MODULES in real.parts:
            return None
        key = f".{wanted.text[len(name) :]}"
        package = Table(real / PACKAGE)
        if "exports" in package.values:
            place = _mapped(package, "exports", key, wanted)
        else:
            place = _file(real / key, required=True)
        return Place(place.path, place.exact, linked=True) if place else None
    return None


def is_typescript(path: Path) -> bool:
    return path.suffix in TYPESCRIPT
