"""The methods of a Java file, as tree-sitter finds them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from iogauge.sources.functions import Function, Parameter
from iogauge.sources.languages.jvm.members import NEVER, Declared, above, is_inside
from iogauge.sources.parsing import line_of, matches, on_one_line, parse, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

TYPES = {
    *("class_declaration", "record_declaration", "enum_declaration", "interface_declaration"),
    "annotation_type_declaration",
}


def declared(file: Path) -> Declared:
    """What a Java file declares."""
    root = parse("java", file.read_bytes())
    found = Declared()
    methods: list[Node] = []
    constructors: dict[int, list[Node]] = {}
    for captures in matches("java", root):
        ((name, (node, *_)),) = captures.items()
        if name == "package":
            found.package = on_one_line(node.named_child(node.named_child_count - 1))
        elif name == "import":
            _imported(found, on_one_line(node))
        elif name == "constructor" and (kind := _type_of(node)):
            constructors.setdefault(kind.id, []).append(node)
        elif name == "method":
            methods.append(node)
    for node in methods:
        kind = _type_of(node)
        if kind is None:
            if node.parent is not None and node.parent.type == "program":
                found.loose.append(Function(text_of(node.child_by_field_name("name")), file=file))
        else:
            made = constructors.get(kind.id, [])
            found.functions += _functions(node, kind, made, found, file)
    return found


def _imported(found: Declared, text: str) -> None:
    name = text.removeprefix("import").strip().removesuffix(";").strip()
    if name.startswith("static "):
        name = name.removeprefix("static ").rpartition(".")[0]
    found.add_import(name)


def _functions(
    node: Node, kind: Node, constructors: list[Node], found: Declared, file: Path
) -> Iterator[Function]:
    """A method; one of an object once for each way to make it."""
    outer = [kind, *above(kind, TYPES)]
    names = [text_of(each.child_by_field_name("name")) for each in reversed(outer)]
    words = _words(node)
    interface = kind.type == "interface_declaration"
    body = node.child_by_field_name("body")
    name = text_of(node.child_by_field_name("name"))
    if body is None or kind.type == "annotation_type_declaration":
        return
    parameters, spread = _parameters(node.child_by_field_name("parameters"))
    made: list[tuple[Parameter, ...] | None] = [None]
    if "static" not in words:
        if interface or name in NEVER or _only_gets(body) or not _can_be_made(kind, outer):
            return
        made = list(_made(kind, constructors))
    binary = ".".join(filter(None, (found.package, "$".join(names))))
    for each in made:
        yield Function(
            f"{names[-1]}.{name}",
            parameters,
            on_one_line(node.child_by_field_name("type")),
            file,
            line_of(node),
            "public" in words or (interface and "private" not in words),
            each,
            frozenset(words),
            _generics(node) | _generics(kind),
            {
                "language": "java",
                "type": binary,
                "method": name,
                "spread": spread or None,
                "imports": found.imports,
                "stars": found.stars,
            },
        )


def _made(kind: Node, constructors: list[Node]) -> Iterator[tuple[Parameter, ...]]:
    """The parameters of each of its constructors, the fewest first."""
    every = []
    if kind.type == "record_declaration":
        every.append(_parameters(kind.child_by_field_name("parameters"))[0])
    elif not constructors:
        every.append(())
    for each in constructors:
        if "private" not in _words(each):
            every.append(_parameters(each.child_by_field_name("parameters"))[0])
    yield from sorted(every, key=len)


def _can_be_made(kind: Node, outer: list[Node]) -> bool:
    """Whether an object of this type needs nothing but its constructor."""
    if kind.type == "enum_declaration" or "abstract" in _words(kind):
        return False
    inner = kind.type == "class_declaration" and len(outer) > 1 and "static" not in _words(kind)
    return not inner or outer[1].type == "interface_declaration"


def _only_gets(body: Node) -> bool:
    """Whether a method does nothing but return a field."""
    statements = body.named_children
    if len(statements) != 1 or statements[0].type != "return_statement":
        return False
    value = statements[0].named_children
    return len(value) == 1 and value[0].type in ("identifier", "field_access")


def _type_of(node: Node) -> Node | None:
    """The type that has it as a member; None where it is in no type, or in one without a name."""
    body = node.parent
    if body is not None and body.type == "enum_body_declarations":
        body = body.parent
    kind = body.parent if body is not None else None
    nameless = ("block", "object_creation_expression", "lambda_expression")
    if kind is None or kind.type not in TYPES or is_inside(kind, nameless):
        return None
    return kind


def _words(node: Node) -> set[str]:
    found = [each for each in node.children if each.type == "modifiers"]
    return {text_of(word) for each in found for word in each.children if not word.is_named}


def _generics(node: Node) -> dict[str, str]:
    """The first bound of each type parameter."""
    listed = node.child_by_field_name("type_parameters")
    found = {}
    for each in listed.named_children if listed else ():
        names = [child for child in each.named_children if child.type == "type_identifier"]
        bounds = [child for child in each.named_children if child.type == "type_bound"]
        if names:
            bound = bounds[0].named_child(0) if bounds else None
            found[text_of(names[0])] = on_one_line(bound)
    return found


def _parameters(listed: Node | None) -> tuple[tuple[Parameter, ...], str]:
    """The parameters in their order, and the name of the one that takes any number."""
    found, spread = list[Parameter](), ""
    for each in listed.named_children if listed else ():
        if each.type == "formal_parameter":
            name = text_of(each.child_by_field_name("name"))
            dimensions = text_of(each.child_by_field_name("dimensions"))
            kind = on_one_line(each.child_by_field_name("type")) + dimensions
            found.append(Parameter(name, kind))
        elif each.type == "spread_parameter":
            name = text_of(each.named_child(each.named_child_count - 1))
            kinds = [one for one in each.named_children[:-1] if one.type != "modifiers"]
            found.append(Parameter(name, on_one_line(kinds[0]) if kinds else ""))
            spread = name
    return tuple(found), spread
