"""What the source files of a Rust crate declare: its functions, as rules for all languages want
them, and the files that belong to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from iogauge.sources import language
from iogauge.sources.functions import Function, Parameter
from iogauge.sources.languages.rust import types
from iogauge.sources.parsing import line_of, matches, on_one_line, parse, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_MAKERS = re.compile(r"new|default|open|create|try_new|with_\w+|(try_)?from_\w+|load\w*|read\w*")
_ONLY_MAKERS = re.compile(r"new|default|open|create|try_new|with_\w+")
_MADE = re.compile(r"(?:[\w:]+::)?(Result|Option)\s*<\s*([\w:]+)|([\w:]+)")
_TESTED = re.compile(r"#\[\s*(\w+::)*(test|bench)\b")
_WHEN = re.compile(r"#\[\s*cfg\s*\((.*)\)\s*\]", re.DOTALL)
_WORD = re.compile(r"\w+")
_HERE = {"unix": True, "windows": False, "test": False, "debug_assertions": False}


@dataclass(frozen=True)
class Maker:
    """How an object of a type is made: the text of the call up to its arguments, what it needs, and
    whether it returns a `Result` or an `Option` of the object.
    """

    call: str
    name: str
    parameters: tuple[Parameter, ...] = ()
    within: str = ""
    generics: Mapping[str, str] = field(default_factory=dict)
    words: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Place:
    """Where glue for a function goes: its file, and the offset of the end of its module there; None
    at the end of the file.
    """

    file: Path
    end: int | None


class Source:
    """A source file: its text, and what the query finds in it. `features` are those that are on."""

    def __init__(self, file: Path, features: frozenset[str] = frozenset()) -> None:
        self.file = file
        self.text = language.read(file)
        self.root = parse("rust", self.text)
        self._features = features
        self._found: dict[str, list[Node]] = {}
        for captures in matches("rust", self.root):
            for name, nodes in captures.items():
                self._found.setdefault(name, []).extend(nodes)

    def nodes(self, name: str) -> list[Node]:
        """Those that the query captures by this name, and that are compiled."""
        return [each for each in self._found.get(name, []) if self._is_compiled(each)]

    @cached_property
    def main(self) -> Node | None:
        """The `main` at its top."""
        tops = [each for each in self.nodes("function") if each.parent == self.root]
        return next((each for each in tops if text_of(_name(each)) == "main"), None)

    def modules(self) -> Iterator[tuple[str, list[str], bool, str]]:
        """Each `mod x;`: its name, the modules around it, whether it is public, and `#[path]`."""
        for each in self.nodes("module"):
            if each.child_by_field_name("body") is None:
                path = re.search(r'#\[\s*path\s*=\s*"([^"]+)"', attributes(each))
                yield text_of(_name(each)), around(each), is_public(each), path[1] if path else ""

    def named(self) -> list[str]:
        """The files that `include!` and its like name."""
        return [text_of(each)[1:-1] for each in self._found.get("named", [])]

    def exported(self) -> set[str]:
        """Names that `pub use` hands on, and modules of which it hands on all."""
        found = set()
        for each in (one for one in self.nodes("use") if is_public(one)):
            text = on_one_line(each.child_by_field_name("argument"))
            found |= {name for name, _ in types.imported(text)}
            found |= {one.split("::")[-1].strip() for one in re.findall(r"([\w:]+)::\*", text)}
        return found

    def imported(self) -> dict[str, str]:
        """Names that `use` brings, and where from."""
        found: dict[str, str] = {}
        for each in self.nodes("use"):
            found |= types.imported(on_one_line(each.child_by_field_name("argument")))
        return found

    def declared(self) -> set[str]:
        """The types that are declared here."""
        return {text_of(_name(each)) for each in self.nodes("type")}

    def plain(self) -> dict[str, str]:
        """Types of which a plain value is made by `default`, or by `new`."""
        found = {}
        for each in self.nodes("type"):
            if re.search(r"#\[\s*derive\b[^\]]*\bDefault\b", attributes(each)):
                found[text_of(_name(each))] = "default"
        for each in self.nodes("impl"):
            name = type_of(each)
            if _base(on_one_line(each.child_by_field_name("trait"))) == "Default":
                found[name] = "default"
            elif any(_is_plain_maker(one, name) for one in _methods(each)):
                found.setdefault(name, "new")
        return found

    def _is_compiled(self, node: Node) -> bool:
        at: Node | None = node
        while at is not None:
            told = attributes(at)
            if _TESTED.search(told):
                return False
            if any(is_on(each, self._features) is False for each in conditions(told)):
                return False
            at = at.parent
        return True


@dataclass(frozen=True)
class Around:
    """What is known of the crate around a file: how objects of types are made, which methods they
    have, and of which types a value can be iterated. `public` says whether others than the crate
    can call a function of this name, which stands in this module. One function may be `asked` for.
    """

    known: types.Known
    public: Callable[[str, Node], bool] = lambda _, __: True
    makers: Mapping[str, Sequence[Maker]] = field(default_factory=dict)
    methods: Mapping[str, Sequence[str]] = field(default_factory=dict)
    iterated: Collection[str] = ()
    asked: str = ""


def functions(source: Source, crate: Around) -> Iterator[Function]:
    """All functions of a file that may be called from beside them, and methods with each way to
    make an object of their type.
    """
    for each in source.nodes("function"):
        above = each.parent.parent if each.parent and each.parent.parent else None
        if text_of(_name(each)) == "main" and each == source.main:
            continue
        if above is not None and above.type == "impl_item":
            if above.child_by_field_name("trait") is None:
                yield from _of_a_type(source, above, each, crate)
        elif _is_free(each):
            yield _function(source, each, crate)


def _of_a_type(source: Source, impl: Node, node: Node, crate: Around) -> Iterator[Function]:
    type_ = type_of(impl)
    function = _function(source, node, crate, impl)
    if function.more["self"] is None:
        others = [each for each in crate.methods.get(type_, ()) if each != function.short]
        only_makes = _ONLY_MAKERS.fullmatch(function.short) and makes(function, type_)
        if not only_makes or not others or type_ in crate.iterated:
            yield function
        return
    is_asked = crate.asked in (function.name, function.short)
    for maker in crate.makers.get(type_, ()):
        if is_asked or not maker.name or _ONLY_MAKERS.fullmatch(maker.name):
            generics = {**maker.generics, **function.generics}
            more = {**function.more, "maker": maker}
            yield replace(function, made_of=maker.parameters, more=more, generics=generics)


def makers(source: Source, crate: Around) -> dict[str, list[Maker]]:
    """By the names of types, how objects of them are made."""
    found: dict[str, list[Maker]] = {}
    for impl in source.nodes("impl"):
        base = type_of(impl)
        for each in _methods(impl) if impl.child_by_field_name("trait") is None else ():
            one = _function(source, each, crate, impl)
            within = makes(one, base)
            if one.more["self"] is None and within and _MAKERS.fullmatch(one.short):
                call, generics = one.more["call"], one.generics
                maker = Maker(call, one.short, one.parameters, within, generics, one.words)
                found.setdefault(base, []).append(maker)
    for type_, how in source.plain().items():
        if how == "default" and all(each.parameters for each in found.get(type_, ())):
            maker = Maker(f"super::{type_}::default", "default", within="plain")
            found.setdefault(type_, []).append(maker)
    for each in source.nodes("type"):
        if each.type == "struct_item" and each.child_by_field_name("body") is None:
            name = text_of(_name(each))
            found.setdefault(name, []).append(Maker(f"super::{name}", "", (), "unit"))
    return found


def methods(source: Source) -> dict[str, list[str]]:
    """By the names of types, their public methods of an object."""
    found: dict[str, list[str]] = {}
    for impl in source.nodes("impl"):
        name = type_of(impl)
        for each in _methods(impl) if impl.child_by_field_name("trait") is None else ():
            parameters = each.child_by_field_name("parameters")
            if parameters and any(one.type == "self_parameter" for one in parameters.children):
                found.setdefault(name, []).append(text_of(_name(each)))
    return found


def iterated(source: Source) -> set[str]:
    """Types of which a value can be iterated."""
    return {
        type_of(each)
        for each in source.nodes("impl")
        if _base(on_one_line(each.child_by_field_name("trait"))) in ("Iterator", "IntoIterator")
    }


def makes(function: Function, type_: str) -> str:
    """How it hands over an object of its type: `Result`, `Option` or `plain`; empty if it does
    not.
    """
    found = _MADE.match(function.returns)
    if not found or _base(found[2] or found[3] or "") not in ("Self", type_):
        return ""
    return found[1] or "plain"


def is_on(condition: str, features: frozenset[str]) -> bool | None:
    """Whether the condition of a `cfg` holds here; None where that is not known."""
    condition = condition.strip()
    name, _, inner = condition.partition("(")
    if inner and name.strip() in ("not", "all", "any"):
        every = [is_on(each, features) for each in types.split(inner.removesuffix(")"))]
        if name.strip() == "not":
            return None if every[0] is None else not every[0]
        decisive = name.strip() == "any"
        if decisive in every:
            return decisive
        return None if None in every else not decisive
    key, _, value = (each.strip() for each in condition.partition("="))
    if key == "feature":
        return value.strip('"') in features
    if key == "target_os":
        return value == '"linux"'
    if key == "target_family":
        return value == '"unix"'
    return _HERE.get(key)


def conditions(told: str) -> list[str]:
    return [found[1] for each in told.split("\n") if (found := _WHEN.match(each))]


def attributes(node: Node) -> str:
    """The attributes of an item, a line for each."""
    found, at = [], node.prev_named_sibling
    while at is not None and at.type in ("attribute_item", "line_comment", "block_comment"):
        if at.type == "attribute_item":
            found.append(on_one_line(at))
        at = at.prev_named_sibling
    return "\n".join(reversed(found))


def around(node: Node) -> list[str]:
    """The names of the modules around an item in its file, the outermost first."""
    found, at = [], node.parent
    while at is not None:
        if at.type == "mod_item":
            found.append(text_of(_name(at)))
        at = at.parent
    return found[::-1]


def is_public(node: Node) -> bool:
    return any(
        each.type == "visibility_modifier" and text_of(each).strip() == "pub"
        for each in node.children
    )


def _function(source: Source, node: Node, crate: Around, impl: Node | None = None) -> Function:
    name, type_ = text_of(_name(node)), ""
    listed = node.child_by_field_name("parameters")
    children = listed.named_children if listed else []
    written = [each for each in children if each.type == "parameter"]
    own = [each for each in children if each.type == "self_parameter"]
    words = [text_of(each) for each in node.children if each.type == "function_modifiers"]
    items = [node] if impl is None else [node, impl]
    generics: dict[str, str] = {}
    for each in reversed(items):
        generics |= _generics(each)
    if impl is not None:
        type_ = on_one_line(impl.child_by_field_name("type")).partition("<")[0].strip()
    return Function(
        name=f"{_base(type_)}.{name}" if type_ else name,
        parameters=tuple(
            Parameter(
                _bare(on_one_line(each.child_by_field_name("pattern"))),
                on_one_line(each.child_by_field_name("type")),
            )
            for each in written
        ),
        returns=on_one_line(node.child_by_field_name("return_type")),
        file=source.file,
        line=line_of(node),
        public=crate.public(name, node),
        words=frozenset(_WORD.findall(" ".join(words))),
        generics=generics,
        more={
            "call": types.from_child(f"{type_}::{name}" if type_ else name),
            "known": crate.known,
            "when": [one for each in items for one in conditions(attributes(each))],
            "self": on_one_line(own[0]) if own else None,
            "place": Place(source.file, _end_of_module(node)),
            "around": around(node),
            "only_of_caller": _only_of_caller(_generics(node), written),
        },
    )


def _only_of_caller(generics: Mapping[str, str], written: Sequence[Node]) -> str:
    """A type parameter that no parameter tells."""
    told = " ".join(on_one_line(each.child_by_field_name("type")) for each in written)
    return next((each for each in generics if each not in _WORD.findall(told)), "")


def _generics(node: Node) -> dict[str, str]:
    """The names of type parameters with their bounds, from both places where these stand."""
    found: dict[str, str] = {}
    listed = node.child_by_field_name("type_parameters")
    for each in types.split(on_one_line(listed)[1:-1]) if listed else ():
        name, _, bounds = types.split(each, "=")[0].partition(":")
        if not name.startswith("'"):
            found[name.removeprefix("const ").strip()] = bounds.strip()
    for where in (each for each in node.children if each.type == "where_clause"):
        for each in types.split(on_one_line(where).removeprefix("where")):
            name, _, bounds = (one.strip() for one in each.partition(":"))
            if name in found:
                found[name] = " + ".join(filter(None, (found[name], bounds)))
    return found


def _is_plain_maker(function: Node, type_: str) -> bool:
    listed = function.child_by_field_name("parameters")
    returns = _base(on_one_line(function.child_by_field_name("return_type")))
    nothing = not (listed and listed.named_children)
    return text_of(_name(function)) == "new" and nothing and returns in ("Self", type_)


def type_of(impl: Node) -> str:
    """The name of the type that an `impl` is for."""
    return _base(on_one_line(impl.child_by_field_name("type")))


def _bare(pattern: str) -> str:
    return pattern.removeprefix("ref ").removeprefix("mut ").strip()


def _base(path: str) -> str:
    return path.partition("<")[0].strip().rpartition("::")[2]


def _name(node: Node) -> Node | None:
    return node.child_by_field_name("name")


def _methods(impl: Node) -> list[Node]:
    body = impl.child_by_field_name("body")
    return [each for each in body.named_children if each.type == "function_item"] if body else []


def _is_free(node: Node) -> bool:
    above = node.parent
    return above is not None and (
        above.type == "source_file"
        or (
            above.type == "declaration_list"
            and above.parent is not None
            and above.parent.type == "mod_item"
        )
    )


def _end_of_module(node: Node) -> int | None:
    at = node.parent
    while at is not None:
        if at.type == "mod_item":
            body = at.child_by_field_name("body")
            return body.end_byte - 1 if body else None
        at = at.parent
    return None
