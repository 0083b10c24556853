"""What source code in C or C++ declares: functions with their parameters, classes, and types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iogauge.sources import parsing
from iogauge.sources.functions import Function, Parameter

if TYPE_CHECKING:
    from tree_sitter import Node

_C = {".c"}
_ELSEWHERE = re.compile(r"\b(_WIN32|_WIN64|WIN32|_MSC_VER|__APPLE__|__MINGW32__)\b|^0$")
_GETTER = re.compile(r"\{\s*return\s+(this->)?[*&]?\w+\s*;\s*\}")
_PARAMETERS = {
    "parameter_declaration",
    "optional_parameter_declaration",
    "variadic_parameter_declaration",
}
_CLASSES = {"class_specifier", "struct_specifier"}


@dataclass
class Types:
    """Names of types whose values can be made: `structs`; `scalars` are numbers by another name,
    and `callbacks` point to functions.
    """

    structs: set[str] = field(default_factory=set)
    scalars: set[str] = field(default_factory=set)
    callbacks: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Method:
    name: str
    public: bool
    words: frozenset[str]


@dataclass
class Class:
    """A class by its whole name, with what others may call of it."""

    name: str
    methods: list[Method] = field(default_factory=list)
    constructors: list[tuple[Parameter, ...]] = field(default_factory=list)
    is_abstract: bool = False
    declares_constructors: bool = False


@dataclass
class Declared:
    """What a file declares. `functions` are those that it defines, without the methods of classes
    that it does not know; `methods` are those, each with the name of its class. `defines` has
    what other files may use of it, `declares` what it says to be in others: `count`, `Log::count`.
    """

    functions: list[Function] = field(default_factory=list)
    defines: set[str] = field(default_factory=set)
    declares: set[str] = field(default_factory=set)
    methods: list[tuple[str, Function]] = field(default_factory=list)
    classes: dict[str, Class] = field(default_factory=dict)
    types: Types = field(default_factory=Types)


def grammar_of(path: Path) -> str:
    return "c" if path.suffix in _C else "cpp"


def declared(path: Path, text: bytes, grammar: str) -> Declared:
    """What the text of this file declares."""
    found = Declared()
    for match in parsing.matches(grammar, parsing.parse(grammar, text)):
        nodes = {name: each[0] for name, each in match.items()}
        if "function" in nodes:
            _add_function(found, nodes["function"], nodes["declarator"], path)
        elif "class" in nodes:
            _add_class(found, nodes["class"], nodes["members"])
        elif "struct" in nodes:
            found.types.structs.add(parsing.text_of(nodes["struct"]))
        elif "callback" in nodes:
            found.types.callbacks.add(_innermost(nodes["callback"]))
        elif "global" in nodes:
            if not _has_word(nodes["global"], "static"):
                name = _innermost(nodes["global"])
                (found.declares if _has_word(nodes["global"], "extern") else found.defines).add(
                    name
                )
        elif "prototype" in nodes:
            if called := _function_declarator(nodes["prototype"]):
                found.declares.add(_last_two(_called_by(called)))
        elif "alias" in nodes:
            _add_alias(found.types, parsing.text_of(nodes["alias"]), nodes["aliased"])
    return found


def with_methods(found: Declared, classes: dict[str, Class]) -> list[Function]:
    """The functions of a file, and its methods that can be called, once for each way to make their
    object; in the order of the file.
    """
    every = list(found.functions)
    for owner, method in found.methods:
        known = classes.get(owner)
        if known is None:  # a function of a namespace
            every.append(method)
            continue
        declares = [each for each in known.methods if each.name == method.short]
        if not any(each.public for each in declares):
            continue
        words = next(each.words for each in declares if each.public)
        if "static" in words:
            every.append(replace(method, words=words))
        elif not known.is_abstract:
            ways = known.constructors or ([] if known.declares_constructors else [()])
            every += [replace(method, words=words, made_of=each) for each in ways]
    return sorted(every, key=lambda each: each.line)


def _add_function(found: Declared, node: Node, declarator: Node, path: Path) -> None:
    called = _function_declarator(declarator)
    if called is None or _is_elsewhere(node) or _body(node) is None:
        return
    name = _called_by(called)
    if not _has_word(node, "static"):
        classes_ = [each for each, kind in _scopes(node) if kind in _CLASSES]
        # What stands before a name may be a class or a namespace.
        found.defines |= {_last_two("::".join([*classes_[-1:], name])), name.rpartition("::")[2]}
        found.defines.discard("main")
    if not re.fullmatch(r"[\w:]+", name) or name == "main" or "operator" in name:
        return
    scopes = list(_scopes(node))
    owner = [each for each, _ in scopes]
    within = any(kind in _CLASSES for _, kind in scopes)
    spaces = [each for each, kind in scopes if kind not in _CLASSES and each]
    *above, short = [*filter(None, owner), *filter(None, name.split("::"))]
    if above and short == above[-1]:
        return  # a constructor
    body = parsing.text_of(_body(node))
    static = _has_word(node, "static")
    function = Function(
        ".".join([*above, short]),
        _parameters(called),
        _returned(node, declarator, called),
        path,
        parsing.line_of(node),
        public=not (static and not within) and "" not in owner,
        generics=_generics(node),
        more={"body": body, "spaces": spaces},
    )
    if within or "::" in name:
        if not _GETTER.fullmatch(body) or function.parameters:
            found.methods.append((".".join(above), function))
    else:
        found.functions.append(function)


def _add_class(found: Declared, name: Node, members: Node) -> None:
    node = name.parent
    if node is None:
        return
    names = [each for each, _ in _scopes(node) if each]
    short = parsing.text_of(name)
    known = Class(".".join([*names, short]))
    found.classes[known.name] = known
    if node.parent and node.parent.type == "template_declaration":
        return  # nobody knows of what
    public = node.type == "struct_specifier"
    for each in members.named_children:
        if each.type == "access_specifier":
            public = parsing.text_of(each).startswith("public")
        while each.type == "template_declaration" and each.named_children:
            each = each.named_children[-1]
        declarator = each.child_by_field_name("declarator")
        called = _function_declarator(declarator) if declarator else None
        if called is not None:
            _add_member(known, each, called, short, public, found.declares)


def _add_member(
    known: Class, node: Node, called: Node, short: str, public: bool, declares: set[str]
) -> None:
    name = parsing.text_of(called.child_by_field_name("declarator"))
    text = parsing.on_one_line(node)
    if node.type != "function_definition" and not re.search(r"= *0 *;$", text):
        declares.add(f"{short}::{name}")
    if name == short:
        known.declares_constructors = True
        taken = _parameters(called)
        copies = len(taken) == 1 and re.search(rf"\b{short}\b", taken[0].type)
        if public and not copies and not re.search(r"= *delete;?$", text):
            known.constructors.append(taken)
        return
    if re.search(r"\)[\w ]*= *0 *;$", text):
        known.is_abstract = True
    words = frozenset({"static"} if _has_word(node, "static") else set())
    known.methods.append(Method(name, public, words))


def _add_alias(types: Types, name: str, aliased: Node) -> None:
    text = parsing.on_one_line(aliased)
    if aliased.type == "enum_specifier" or re.fullmatch(
        r"[\w ]*(int|long|short|char|double)", text
    ):
        types.scalars.add(name)
    elif aliased.type in _CLASSES and (
        aliased.child_by_field_name("body") or text.split()[-1] in types.structs
    ):
        types.structs.add(name)


def _function_declarator(node: Node | None) -> Node | None:
    """The declarator of a function below pointers and references to its result."""
    while node is not None and node.type != "function_declarator":
        inner = node.child_by_field_name("declarator")
        if inner is None and node.type == "reference_declarator":
            inner = node.named_children[-1]
        if node.type not in ("pointer_declarator", "reference_declarator"):
            return None
        node = inner
    return node


def _called_by(called: Node) -> str:
    """The name of a function. Behind a macro that the parser does not know it takes the type for a
    part of the name.
    """
    return parsing.on_one_line(called.child_by_field_name("declarator")).rpartition(" ")[2]


def _last_two(name: str) -> str:
    return "::".join(name.split("::")[-2:])


def _body(node: Node) -> Node | None:
    return node.child_by_field_name("body")


def _scopes(node: Node) -> Iterator[tuple[str, str]]:
    """The namespaces and classes around it from outside, with their kinds; one without a name is
    empty.
    """
    found: list[tuple[str, str]] = []
    above = node.parent
    while above is not None:
        if above.type == "namespace_definition" or above.type in _CLASSES:
            name = parsing.text_of(above.child_by_field_name("name"))
            found[:0] = [(each.strip(), above.type) for each in name.split("::")]
        above = above.parent
    yield from found


def _is_elsewhere(node: Node) -> bool:
    """Whether it is compiled on other systems alone."""
    inner, above = node, node.parent
    while above is not None:
        if above.type in ("preproc_ifdef", "preproc_if"):
            asks = above.child_by_field_name("name") or above.child_by_field_name("condition")
            otherwise = above.child_by_field_name("alternative")
            text = parsing.text_of(asks)
            negated = parsing.text_of(above.children[0]) == "#ifndef" or text.startswith("!")
            within = otherwise is None or inner.start_byte < otherwise.start_byte
            if _ELSEWHERE.search(text) and within is not negated:
                return True
        inner, above = above, above.parent
    return False


def _has_word(node: Node, word: str) -> bool:
    return any(
        each.type == "storage_class_specifier" and parsing.text_of(each) == word
        for each in node.children
    )


def _parameters(called: Node) -> tuple[Parameter, ...]:
    given = called.child_by_field_name("parameters")
    found = (
        [_parameter(each) for each in given.named_children if each.type in _PARAMETERS]
        if given
        else []
    )
    return tuple(each for each in found if each.type != "void" or each.name)


def _parameter(node: Node) -> Parameter:
    declarator = node.child_by_field_name("declarator")
    default = node.child_by_field_name("default_value")
    name = _name_node(declarator)
    whole, start = node.text or b"", node.start_byte
    if default is not None:
        whole = whole[: default.start_byte - start].rstrip().removesuffix(b"=")
    if name is not None:
        whole = whole[: name.start_byte - start] + b" " + whole[name.end_byte - start :]
    optional = default is not None or node.type == "variadic_parameter_declaration"
    text = whole.decode("utf-8", "replace")
    return Parameter(parsing.text_of(name), normal(text), optional)


def normal(type_: str) -> str:
    """A type as it is compared: with single blanks, and none beside `*` and `&`."""
    text = re.sub(r"/\*.*?\*/|\[\[.*?\]\]|__attribute__\s*\(\(.*?\)\)|\bregister\b", " ", type_)
    text = re.sub(r"\b(__)?restrict(__)?\b", " ", text)
    text = re.sub(r"\[[^\]]*\]", "*", text)
    return re.sub(r"\s*([*&<>,()]|::)\s*", r"\1", " ".join(text.split())).strip()


def _name_node(node: Node | None) -> Node | None:
    while node is not None and node.type not in ("identifier", "type_identifier"):
        inner = node.child_by_field_name("declarator")
        last = node.named_children[-1] if node.named_children else None
        node = inner if inner is not None else last
        if node is not None and node.type.startswith("abstract"):
            return None
    return node


def _innermost(node: Node) -> str:
    name = _name_node(node.child_by_field_name("declarator"))
    return parsing.text_of(name)


def _returned(node: Node, declarator: Node, called: Node) -> str:
    type_ = parsing.on_one_line(node.child_by_field_name("type"))
    marks = ""
    while declarator != called:
        marks += parsing.text_of(declarator.children[0])
        inner = declarator.child_by_field_name("declarator") or declarator.named_children[-1]
        declarator = inner
    trailing = [each for each in called.children if each.type == "trailing_return_type"]
    if trailing:
        return normal(parsing.text_of(trailing[0]).removeprefix("->"))
    const = any(each.type == "type_qualifier" for each in node.children)
    return normal(f"{'const ' if const else ''}{type_}{marks}")


def _generics(node: Node) -> dict[str, str]:
    """The parameters of a template around it, with what is asked of them."""
    above, found = node.parent, dict[str, str]()
    while above is not None and above.type == "template_declaration":
        given: Any = above.child_by_field_name("parameters")
        for each in given.named_children if given else ():
            name = each.child_by_field_name("name") or each.child_by_field_name("declarator")
            last = name or (each.named_children or [each])[-1]
            found[parsing.text_of(last).strip("& .")] = parsing.on_one_line(each)
        above = above.parent
    return found


_FREES = re.compile(r"free|destroy|delete|release|close|dispose|unref|cleanup|unmap", re.I)
_CLOSES = {"FILE*": "fclose", "std::FILE*": "fclose", "DIR*": "closedir", "gzFile": "gzclose"}
_SIZES = ("size_t", "std::size_t", "long", "unsigned long", "int", "off_t")


def frees(every: Iterable[Function], returned: str) -> tuple[str, bool]:
    """The function that takes back what another returned, as its name says, and whether it takes a
    size, too; empty if there is none.
    """
    if returned in _CLOSES:
        return _CLOSES[returned], False
    for each in every:
        first, *more = [one.type for one in each.parameters] or [""]
        sized = len(more) == 1 and more[0] in _SIZES
        named = _FREES.search(each.short) and each.returns in ("void", "int")
        if named and first == returned and "*" in returned and (sized or not more):
            return each.name.replace(".", "::"), sized
    return "", False


def merged(every: Sequence[Declared]) -> tuple[Types, dict[str, Class]]:
    """What is known of types and classes in all of these."""
    types, classes = Types(), dict[str, Class]()
    for each in every:
        types.structs |= each.types.structs
        types.scalars |= each.types.scalars
        types.callbacks |= each.types.callbacks
        classes.update(each.classes)
    return types, classes
