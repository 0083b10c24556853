"""A crate: its root, the files that `mod` brings, and the functions in them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from iogauge.sources.functions import Function
from iogauge.sources.languages.rust import source, types
from iogauge.sources.languages.rust.source import Around, Source

if TYPE_CHECKING:
    from tree_sitter import Node

Item = TypeVar("Item")
_ROOTS = ("lib.rs", "main.rs", "mod.rs")


@dataclass
class Module:
    """A file of a crate, and whether others than the crate see what it declares."""

    source: Source
    public: bool


@dataclass
class Crate:
    """A crate by its root. `also` are files that it names in other ways: `include_str!`."""

    root: Path
    features: frozenset[str] = frozenset()
    modules: dict[Path, Module] = field(default_factory=dict)
    also: set[Path] = field(default_factory=set)

    @property
    def is_program(self) -> bool:
        return self.modules[self.root].source.main is not None


def read(root: Path, features: frozenset[str] = frozenset()) -> Crate:
    """A crate with all its files that are here."""
    crate = Crate(root, features)
    _read(crate, root, root.parent, public=True)
    return crate


def _read(crate: Crate, file: Path, within: Path, *, public: bool) -> None:
    """Read a file whose modules lie in the folder `within`."""
    if file in crate.modules:
        return
    here = Source(file, crate.features)
    crate.modules[file] = Module(here, public)
    for named in here.named():
        included = Path(os.path.normpath(file.parent / named))
        if included.suffix == ".rs" and included.is_file():
            _read(crate, included, included.parent, public=public)
        elif included.is_file():
            crate.also.add(included)
    for name, above, is_public, given in here.modules():
        folder = within.joinpath(*above)
        beside = folder if above else file.parent
        tries = [beside / given] if given else [folder / f"{name}.rs", folder / name / "mod.rs"]
        path = next((Path(os.path.normpath(each)) for each in tries if each.is_file()), None)
        if path:
            inner = path.parent if path.name in _ROOTS or given else folder / name
            _read(crate, path, inner, public=public and is_public)


def functions(crate: Crate, only: Path | None, asked: str) -> list[Function]:
    """The functions of a crate, or of one file of it. In a program, none is less public than
    others. Where two have one name, that of their module stands before it.
    """
    sources = {path: each.source for path, each in crate.modules.items()}
    exported = {name for each in sources.values() for name in each.exported()}
    plain = {name: how for each in sources.values() for name, how in each.plain().items()}
    around = Around(
        types.Known(plain=plain),
        methods=_joined(source.methods(each) for each in sources.values()),
        iterated={name for each in sources.values() for name in source.iterated(each)},
        asked=asked.replace("::", "."),
    )
    around = replace(
        around, makers=_joined(source.makers(each, around) for each in sources.values())
    )
    found: list[Function] = []
    for path, each in sources.items():
        if only in (None, path):
            known = types.Known(each.imported(), each.declared(), plain)
            public = crate.modules[path].public or bool(only)
            handed_on = _module_of(path) in exported
            sees = partial(_is_public, crate, public, handed_on, exported)
            found += source.functions(each, replace(around, known=known, public=sees))
    return _told_apart(found, crate.root)


def _is_public(
    crate: Crate, public: bool, handed_on: bool, exported: set[str], name: str, node: Node
) -> bool:
    if crate.is_program:
        return True
    modules, at = [], node.parent
    while at is not None:
        if at.type == "mod_item":
            modules.append(at)
        at = at.parent
    seen = public and all(map(source.is_public, modules))
    names = {name, *source.around(node)}
    impl = node.parent.parent if node.parent else None
    if impl is not None and impl.type == "impl_item":
        names.add(source.type_of(impl))
    return source.is_public(node) and (seen or handed_on or bool(names & exported))


def _module_of(file: Path) -> str:
    return file.parent.name if file.stem == "mod" else file.stem


def _joined(tables: Iterable[dict[str, list[Item]]]) -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = {}
    for each in tables:
        for name, listed in each.items():
            found.setdefault(name, []).extend(listed)
    return found


def _told_apart(found: list[Function], root: Path) -> list[Function]:
    """Those of one name in several modules, with their module; methods stand once for each way to
    make an object.
    """
    places: dict[str, set[object]] = {}
    for each in found:
        places.setdefault(each.name, set()).add((each.file, each.line))
    made = []
    for each in found:
        file = [_module_of(each.file)] if each.file != root else []
        module = each.more["around"][-1:] or file
        twice = len(places[each.name]) > 1 and module
        made.append(replace(each, name=f"{module[0]}.{each.name}") if twice else each)
    return made
