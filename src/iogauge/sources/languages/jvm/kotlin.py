"""The functions of a Kotlin file, as tree-sitter finds them. Its grammar names no fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from iogauge.sources.functions import Function, Parameter
from iogauge.sources.languages.jvm.members import NEVER, Declared, above, is_inside
from iogauge.sources.parsing import line_of, matches, on_one_line, parse, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_TYPES = {"class_declaration", "object_declaration", "companion_object"}
_KINDS = {
    *("user_type", "nullable_type", "function_type", "parenthesized_type", "non_nullable_type"),
    *("type_identifier", "dynamic"),
}
_JVM_NAME = re.compile(r'JvmName\s*\(\s*(?:name\s*=\s*)?"([^"]+)"')
_FUN_INTERFACE = re.compile(rb"\bfun(?=\s+interface\b)")  # the grammar does not know it
# Nor that a statement may end at a brace on its line: texts and comments, or such a brace.
_AT_BRACE = re.compile(
    rb'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*[\s\S]*?\*/'
    rb"|'(?:\\.|[^'\\])'|(?<=[^\s{;])([ \t]*)(\})"
)


def declared(file: Path) -> Declared:
    """What a Kotlin file declares."""
    root = _parsed(file.read_bytes())
    found, facade = Declared(), _facade(file)
    functions: list[Node] = []
    constructors: dict[int, list[Node]] = {}
    for captures in matches("kotlin", root):
        ((name, (node, *_)),) = captures.items()
        if name == "package":
            found.package = on_one_line(node).removeprefix("package").strip(" ;")
        elif name == "import":
            _imported(found, on_one_line(node))
        elif name == "annotation":
            if named := _JVM_NAME.search(text_of(node)):
                facade = named[1]
        elif name == "constructor" and (kind := _type_of(node)):
            constructors.setdefault(kind.id, []).append(node)
        elif name == "function":
            functions.append(node)
    for node in functions:
        at_top = node.parent is not None and node.parent.type == "source_file"
        kind = _type_of(node)
        if at_top or kind:
            made = constructors.get(kind.id, []) if kind else []
            found.functions += _functions(node, kind, made, found, file, facade)
    return found


def _parsed(text: bytes) -> Node:
    """The tree of a file, with what its grammar needs."""
    text = _FUN_INTERFACE.sub(b"   ", text)
    root = parse("kotlin", text)
    if root.has_error:
        ended = _AT_BRACE.sub(lambda at: b";" + at[1] + at[2] if at[2] else at[0], text)
        return parse("kotlin", ended)
    return root


def _facade(file: Path) -> str:
    """The class that has the functions of a file that are in no class."""
    name = re.sub(r"\W", "_", file.stem)
    return f"{name[:1].upper()}{name[1:]}Kt" if not name[:1].isdigit() else f"_{name}Kt"


def _imported(found: Declared, text: str) -> None:
    name = text.removeprefix("import").strip(" ;")
    name, _, other = name.partition(" as ")
    found.add_import(name.strip(), other.strip())


def _functions(
    node: Node,
    kind: Node | None,
    constructors: list[Node],
    found: Declared,
    file: Path,
    facade: str,
) -> Iterator[Function]:
    """A function; one of an object once for each way to make it."""
    name, receiver = _named(node)
    words = _words(node)
    if name is None or not any(each.type == "function_body" for each in node.children):
        return
    if kind is not None and (name in NEVER or "override" in words and "operator" in words):
        return
    parameters, spread = _parameters(_child(node, "function_value_parameters"))
    if receiver:
        parameters = (Parameter("", receiver), *parameters)
    made, more, shown = _where(kind, constructors, found, facade)
    if made is None:
        return
    renamed = _JVM_NAME.search(_annotations(node))
    before = f"{shown}." if shown else ""
    of = f"{receiver.rpartition('.')[2].strip('?')}." if receiver and not shown else ""
    generics = _generics(node) | (_generics(kind) if kind else {})
    for each in made:
        yield Function(
            f"{before}{of}{name}",
            parameters,
            _returned(node),
            file,
            line_of(node),
            not words & {"private", "protected", "internal"},
            each,
            frozenset(words | ({"reified"} if "reified" in generics else set())),
            generics,
            {
                "language": "kotlin",
                "method": renamed[1] if renamed else name,
                "spread": spread or None,
                "imports": found.imports,
                "stars": found.stars,
                "extension": bool(receiver),
                **more,
            },
        )


def _where(
    kind: Node | None, constructors: list[Node], found: Declared, facade: str
) -> tuple[list[tuple[Parameter, ...] | None] | None, dict[str, str], str]:
    """How the object is made that a function belongs to (None where it cannot be), its class, and
    what people call it.
    """
    if kind is None:
        return [None], {"type": _dotted(found.package, facade)}, ""
    outer = [kind, *above(kind, _TYPES)]
    names = [_type_name(each) for each in reversed(outer)]
    binary = _dotted(found.package, "$".join(names))
    if kind.type == "companion_object":
        holder = _dotted(found.package, "$".join(names[:-1]))
        return [None], {"type": binary, "holder": holder, "field": names[-1]}, names[-2]
    if kind.type == "object_declaration":
        return [None], {"type": binary, "holder": binary, "field": "INSTANCE"}, names[-1]
    words = _words(kind)
    keywords = {each.type for each in kind.children if not each.is_named}
    if words & {"inner", "abstract", "sealed", "enum", "annotation", "value"}:
        return None, {}, ""
    if "interface" in keywords:
        return None, {}, ""
    return list(_made(kind, constructors)), {"type": binary}, names[-1]


def _made(kind: Node, constructors: list[Node]) -> Iterator[tuple[Parameter, ...]]:
    """The parameters of each of its constructors, the fewest first."""
    primary = _child(kind, "primary_constructor")
    every: list[tuple[Parameter, ...]] = []
    if primary is None and not constructors:
        every.append(())
    elif primary is not None and "private" not in _words(primary):
        every.append(_parameters(_child(primary, "class_parameters"))[0])
    for each in constructors:
        if "private" not in _words(each):
            every.append(_parameters(_child(each, "function_value_parameters"))[0])
    yield from sorted(every, key=len)


def _dotted(package: str, name: str) -> str:
    return f"{package}.{name}" if package else name


def _named(node: Node) -> tuple[str | None, str]:
    """The name of a function, and the type that it extends."""
    receiver, name = "", None
    for each in node.children:
        if each.type in _KINDS and name is None:
            receiver = on_one_line(each)
        elif each.type == "identifier" and name is None:
            name = text_of(each).strip("`")
        elif each.type == "function_value_parameters":
            break
    return name, receiver


def _returned(node: Node) -> str:
    seen = False
    for each in node.children:
        if each.type == "function_value_parameters":
            seen = True
        elif seen and each.type in _KINDS:
            return on_one_line(each)
    return ""


def _type_of(node: Node) -> Node | None:
    """The type that has it as a member; None where it is in none, or in one without a name."""
    body = node.parent
    kind = body.parent if body is not None and body.type.endswith("class_body") else None
    nameless = ("function_body", "object_literal", "lambda_literal", "ERROR")
    if kind is None or kind.type not in _TYPES or is_inside(kind, nameless):
        return None
    return kind


def _type_name(kind: Node) -> str:
    name = _child(kind, "identifier")
    return text_of(name).strip("`") if name is not None else "Companion"


def _child(node: Node, kind: str) -> Node | None:
    return next((each for each in node.children if each.type == kind), None)


def _words(node: Node) -> set[str]:
    """Its modifiers, without annotations."""
    found = _child(node, "modifiers")
    every = found.named_children if found is not None else ()
    return {text_of(each) for each in every if each.type != "annotation"}


def _annotations(node: Node) -> str:
    """The text of what stands before a function; an annotation on a line of its own is, by the
    grammar, an expression.
    """
    before = node.prev_sibling
    annotated = before is not None and before.type == "annotated_expression"
    return (text_of(before) if annotated else "") + text_of(_child(node, "modifiers"))


def _generics(node: Node) -> dict[str, str]:
    """The bound of each type parameter; `reified` is among the names where one is."""
    found: dict[str, str] = {}
    listed = _child(node, "type_parameters")
    for each in listed.named_children if listed is not None else ():
        name = _child(each, "identifier")
        bounds = [one for one in each.named_children if one.type in _KINDS]
        if name is not None:
            found[text_of(name)] = on_one_line(bounds[0]) if bounds else ""
        if "reified" in text_of(each).split():
            found["reified"] = ""
    return found


def _parameters(listed: Node | None) -> tuple[tuple[Parameter, ...], str]:
    """The parameters in their order, and the name of the one that takes any number."""
    found, spread, words = list[Parameter](), "", ""
    for each in listed.children if listed is not None else ():
        if each.type == "parameter_modifiers":
            words = text_of(each)
        elif each.type in ("parameter", "class_parameter"):
            name = text_of(_child(each, "identifier")).strip("`")
            kinds = [one for one in each.children if one.type in _KINDS]
            default = any(one.type == "=" for one in each.children)
            found.append(Parameter(name, on_one_line(kinds[0]) if kinds else "", default))
            if "vararg" in (words + text_of(_child(each, "modifiers"))).split():
                spread = name
            words = ""
        elif each.type == "=" and found:
            found[-1] = Parameter(found[-1].name, found[-1].type, optional=True)
    return tuple(found), spread
