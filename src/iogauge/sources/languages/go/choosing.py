"""The functions of a package of Go, and which of them are measured."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iogauge.sources import parsing
from iogauge.sources.functions import Chosen, Function, Parameter, choose
from iogauge.sources.language import Given, Wrong
from iogauge.sources.languages.go import files, modules
from iogauge.sources.languages.go.files import File
from iogauge.sources.languages.go.modules import Module
from iogauge.sources.languages.go.types import Types

if TYPE_CHECKING:
    from tree_sitter import Node

_MAKES = re.compile(r"([Nn]ew|[Oo]pen)([A-Z0-9_]\w*)?")
_NO_WORK = re.compile(
    r"(Close|String|Error|Err|Name|Path|Reset|Flush|Stop|Unwrap|Is|As|Len|Cap|Less|Swap|Size|Stat"
    r"|Fd|Text|Bytes|Buffer|Split|Lock|Unlock|Marshal\w*|Unmarshal\w*|Write\w*|Set\w*|With\w*)"
)
_REPEATED = re.compile(r"([Nn]ext|[Ss]can|[Rr]ead)(Line|Record|Row|Entry)?")
"""Methods that give one thing after another."""


@dataclass(frozen=True)
class Package:
    """Files that are compiled together. `module` is None for files that lie in none, or are not a
    part of the package in their folder: these are copied.
    """

    files: tuple[File, ...]
    module: Module | None = None

    @property
    def folder(self) -> Path:
        return self.files[0].path.parent

    @property
    def name(self) -> str:
        return self.files[0].package

    @property
    def types(self) -> Types:
        return Types({name: type_ for each in self.files for name, type_ in each.types.items()})


@dataclass(frozen=True)
class Picked:
    """A package, and what is measured of it."""

    package: Package
    chosen: Chosen


def chosen(given: Given) -> Picked:
    """What to measure of a file, or of a folder and those below it. Raises Wrong."""
    # Go knows folders as they are called without links.
    path = given.path.parent.resolve() / given.path.name
    if path.is_file():
        package = _of_file(path)
        found = [each for each in _functions(package) if each.file == path]
        return _picked([package], found, given, path.name)
    path = path.resolve()
    module, roots = modules.around(path), [path]
    if module is None and (path / "go.work").is_file():
        roots = modules.members(path / "go.work")
    first = [_of_folder(each) for each in roots if _has_sources(each)]
    tried: Wrong | None = None
    if first and len(roots) == 1:
        try:
            return _picked(first, [*_functions(first[0])], given, path.name)
        except Wrong as wrong:
            tried = wrong
    below = [_of_folder(each) for root in roots for each in modules.packages(root)]
    if tried and (module is None or len(below) == 1):
        raise tried
    every = [function for each in below for function in _functions(each)]
    return _picked(below, every, given, path.name)


def _picked(packages: list[Package], every: list[Function], given: Given, where: str) -> Picked:
    asked = _asked(packages, given.function)
    found = choose(
        [each for each in every if not each.more["makes"] or each.name == asked],
        _taking(packages),
        _why_not,
        asked,
        where,
    )
    folders = list(dict.fromkeys(fit.function.file.parent for fit in found.fits))
    if len(folders) > 1:
        root = given.path.resolve()
        named = ", ".join(str(each.relative_to(root)) for each in folders[:4] if each != root)
        raise Wrong(f"several of its packages have such functions; give one of them: {named}")
    package = next(each for each in packages if each.folder == folders[0])
    return Picked(package, found)


def _taking(packages: list[Package]) -> Any:
    types = {each.folder: each.types for each in packages}
    return lambda parameter, function: types[function.file.parent].taking(parameter, function)


def _asked(packages: list[Package], function: str) -> str:
    """The function that is asked for, without the name of its package."""
    before, _, name = function.partition(".")
    is_package = name and any(each.name == before for each in packages)
    types = {type_ for each in packages for one in each.files for type_ in one.types}
    return name if is_package and before not in types else function


def _has_sources(folder: Path) -> bool:
    return next(files.in_folder(folder), None) is not None


def _of_folder(folder: Path) -> Package:
    found = [files.read(each) for each in files.in_folder(folder)]
    names = list(dict.fromkeys(each.package for each in found))
    module = modules.around(folder)
    twice = _declared_twice(found)
    if len(names) > 1 or twice:
        one, other = twice or [
            next(each for each in found if each.package == name) for name in names[:2]
        ]
        if module is None:
            raise Wrong(
                f"{one.path.name} and {other.path.name} are programs of their own; give one"
            )
        found = [each for each in found if each.package == names[0]]
    return Package(tuple(found), module)


def _declared_twice(found: Iterable[File]) -> tuple[File, File] | None:
    """Two files that cannot be compiled together."""
    seen: dict[str, File] = {}
    for each in found:
        for name in each.names - {"init", "_"}:
            if name in seen:
                return seen[name], each
            seen[name] = each
    return None


def _of_file(path: Path) -> Package:
    if path.name.endswith("_test.go"):
        raise Wrong("it has tests; give the file that has the function itself")
    file, why = files.read(path), files.constraint(path)
    if not files.is_for_here(path) and not (why and "ignore" in why):
        raise Wrong(
            f"it is not compiled on this machine ({why or 'its name says for which it is'})"
        )
    near = [files.read(each) for each in files.in_folder(path.parent)]
    near = [each for each in near if each.package == file.package]
    module = modules.around(path.parent)
    if module and not why and not _declared_twice(near):
        return Package((file, *(each for each in near if each.path != path)), module)
    return Package(tuple(_with_needed(file, near)))


def _with_needed(file: File, near: list[File]) -> list[File]:
    """The file, and of those beside it the ones that declare what it names, or what these name."""
    found, unread = [file], [file]
    while unread:
        words = set(re.findall(r"\w+", unread.pop().text))
        for each in near:
            own = {name for one in found for name in one.names}
            new = each not in found and each.path != file.path and not each.names & own
            if new and each.names & words:
                found.append(each)
                unread.append(each)
    return found


def _functions(package: Package) -> Iterator[Function]:
    """Its functions, and its methods with what an object of their type is made of."""
    plain = {
        function.name: function
        for file in package.files
        for function in (_function(node, file) for node in file.functions)
    }
    types = package.types
    methods = [
        (_function(node, file), node, file) for file in package.files for node in file.methods
    ]
    errors = {
        each.more["of"] for each, _, _ in methods if each.name == "Error" and not each.parameters
    }
    closed = {
        each.more["of"] for each, _, _ in methods if each.name == "Close" and not each.parameters
    }
    make = partial(_method, makers=_makers(plain.values()), types=types, closed=closed)
    able = [made for each, node, file in methods if (made := make(each, node, file))]
    makers = {each.more["made_by"] for each in able}
    for each in (*plain.values(), *able):
        if each.name not in ("init", "_"):
            more = {**each.more, "errors": errors, "makes": each.name in makers, "types": types}
            yield replace(each, more=more)


def _function(node: Node, file: File) -> Function:
    name = parsing.text_of(node.child_by_field_name("name"))
    listed = files.parameters(node.child_by_field_name("parameters"), file.imports)
    results = files.parameters(node.child_by_field_name("result"), file.imports)
    receiver = files.parameters(node.child_by_field_name("receiver"), file.imports)
    return Function(
        name,
        tuple(Parameter(name, type_, many) for name, type_, many in listed),
        ",".join(type_ for _, type_, _ in results),
        file.path,
        parsing.line_of(node),
        name[:1].isupper() or file.package == "main",  # where nothing is for others
        generics=dict(_generics(node, file)),
        more={
            "results": [type_ for _, type_, _ in results],
            "body": parsing.text_of(node.child_by_field_name("body")),
            "receiver": receiver[0] if receiver else None,
            "of": receiver[0][1].lstrip("*") if receiver else "",
            "made_by": "",
            "makes": False,
        },
    )


def _generics(node: Node, file: File) -> Iterator[tuple[str, str]]:
    listed = node.child_by_field_name("type_parameters")
    for each in listed.named_children if listed else ():
        bound = files.spelled(each.child_by_field_name("type"), file.imports)
        for name in each.children_by_field_name("name"):
            yield parsing.text_of(name), bound


def _makers(functions: Iterable[Function]) -> dict[str, list[Function]]:
    """By types the functions that make an object of them, and perhaps an error."""
    found: dict[str, list[Function]] = {}
    for each in functions:
        first, *rest = each.more["results"] or [""]
        if _MAKES.fullmatch(each.name) and rest in ([], ["error"]) and not each.generics:
            found.setdefault(first.removeprefix("*"), []).append(each)
    return found


def _method(
    function: Function,
    node: Node,
    file: File,
    makers: dict[str, list[Function]],
    types: Types,
    closed: set[str],
) -> Function | None:
    """A method with what its object is made of: a constructor, the path itself where its type is a
    text, or nothing. None where it is not worth a try.
    """
    of = function.more["of"]
    maker = next(
        iter(sorted(makers.get(of, ()), key=lambda each: (not each.public, len(each.name)))), None
    )
    more = {**function.more, "closes": of in closed, "made_by": maker.name if maker else ""}
    made_of: tuple[Parameter, ...] = maker.parameters if maker else ()
    if not maker and types.under(of) == "string":
        made_of = (Parameter("path", of),)
    elif not maker and not any(_is_file(each, function, types) for each in function.parameters):
        used = set(re.findall(r"\.(\w+)", function.more["body"]))
        made_of = tuple(Parameter(name, "string") for name in types.paths_in(of) if name in used)
    takes_file = any(_is_file(each, function, types) for each in made_of)
    if not (takes_file or any(_is_file(each, function, types) for each in function.parameters)):
        return None
    if takes_file and (_NO_WORK.fullmatch(function.name) or _is_trivial(node)):
        return None
    more["maker"] = maker
    more["repeats"] = bool(
        takes_file and _REPEATED.fullmatch(function.name) and not function.parameters
    )
    return Function(
        f"{of}.{function.name}",
        function.parameters,
        function.returns,
        file.path,
        function.line,
        function.public and (of[:1].isupper() or file.package == "main"),
        made_of,
        more=more,
    )


def _is_file(parameter: Parameter, function: Function, types: Types) -> bool:
    take = types.taking(parameter, function)
    return bool(take and take.what == "file")


def _is_trivial(node: Node) -> bool:
    """Whether it only gives a field."""
    body = parsing.on_one_line(node.child_by_field_name("body"))
    return bool(re.fullmatch(r"\{ ?(return )?[\w.*&]*;? ?\}", body))


def _why_not(function: Function) -> str | None:
    """A type that nothing given tells."""
    if "[" in function.more["of"]:
        return "is a method of a type with parameters; write a function of the path alone"
    types = function.more["types"]
    given = " ".join(each.type for each in function.parameters if _is_file(each, function, types))
    for name in function.generics:
        if not re.search(rf"\b{re.escape(name)}\b", given):
            return f"needs a type for {name}; write a function of the path alone"
    return None
