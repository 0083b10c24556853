"""One source file of JavaScript or TypeScript: what it imports, exports and declares."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from iogauge.sources.functions import Function, Parameter
from iogauge.sources.parsing import Found, line_of, matches, on_one_line, parse, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

TYPESCRIPT = (".ts", ".mts", ".cts", ".tsx")
COMPILED = (*TYPESCRIPT, ".jsx")
"""Endings of what Node takes at best without its types."""
SOURCES = (".js", ".mjs", ".cjs", *COMPILED)
_LARGEST = 2 << 20  # bytes of a file that is looked into
_QUERY = "typescript"
_COMMONJS = re.compile(r"\bmodule\.exports\b|\bexports\b\s*[.,[]|\bexport\s*=")
_ONLY_COMMONJS = re.compile(rf"{_COMMONJS.pattern}|\b__dirname\b|\b__filename\b|\brequire\s*\(")
_WORDS = ("async", "static", "private", "protected", "abstract")
_BODIES = ("statement_block", "arrow_function", "function_expression")


@dataclass(frozen=True)
class Import:
    """A module that a file names; with `names`, those that it takes from it. `required`: as
    CommonJS does. `told` is whether an import of JSON says so.
    """

    text: str
    required: bool = False
    names: frozenset[str] = frozenset()
    told: bool = False


@dataclass(frozen=True)
class Source:
    """What a file imports and declares. `exports` are the names that it is seen to export;
    `is_module` says that it has `import` or `export`, `is_commonjs` that it has what only CommonJS
    has. `types` are those that it declares, with what they stand for; `top` has the names of
    functions and classes that are not inside others.
    """

    path: Path
    imports: tuple[Import, ...] = ()
    texts: frozenset[str] = frozenset()
    functions: tuple[Function, ...] = ()
    types: dict[str, str] = field(default_factory=dict)
    exports: frozenset[str] = frozenset()
    top: tuple[str, ...] = ()
    is_module: bool = False
    is_commonjs: bool = False
    exports_any: bool = False
    text: str = field(default="", repr=False)


def read(path: Path) -> Source:
    """A source file; of one that is large, or no source, nothing but its path."""
    data = b""
    with suppress(OSError):
        if path.suffix in SOURCES and path.stat().st_size <= _LARGEST:
            data = path.read_bytes()
    text = data.decode("utf-8", "replace")
    grammar = "typescript" if path.suffix in (".ts", ".mts", ".cts") else "tsx"
    root = parse(grammar, data)
    found = list(matches(grammar, root, _QUERY))
    statements = [each["export"][0] for each in found if "export" in each]
    has_import = any("import" in each and not _is_require(each["import"][0]) for each in found)
    names = [each for statement in statements for each in _exported(statement)]
    classes = [each["class"][0] for each in found if "class" in each and _is_top(each["class"][0])]
    functions = [*_functions(path, found)]
    declared = {each.name for each in functions if each.more.get("declared")}
    types = {
        text_of(each["type"][0]): on_one_line(each["value"][0] if "value" in each else None)
        for each in found
        if "type" in each
    }
    return Source(
        path,
        imports=tuple(_imports(found)),
        texts=frozenset(text_of(each["string"][0]) for each in found if "string" in each),
        functions=tuple(functions),
        types=types,
        exports=frozenset(names),
        top=tuple(dict.fromkeys([*declared, *map(text_of, classes)])),
        is_module=has_import or any(not _is_assigned(each) for each in statements),
        is_commonjs=bool(_ONLY_COMMONJS.search(text)),
        exports_any=bool(names) or bool(_COMMONJS.search(text)),
        text=text,
    )


def _imports(found: list[Found]) -> Iterator[Import]:
    for each in found:
        if "require" in each or "dynamic" in each:
            yield Import(text_of(each["text"][0]), "require" in each)
        elif "import" in each or ("export" in each and each["export"][0]):
            (node,) = each.get("import") or each["export"]
            clause = next((one for one in node.children if one.type == "import_require_clause"), None)
            source = (clause or node).child_by_field_name("source")
            if source is None or _has_word(node, "type"):
                continue
            told = any(one.type == "import_attribute" for one in node.children)
            yield Import(text_of(source)[1:-1], clause is not None, frozenset(_taken(node)), told)


def _taken(statement: Node) -> Iterator[str]:
    """The names that an import takes, or an export hands on, without those that are marked as types."""
    for each in _below(statement, ("import_specifier", "export_specifier")):
        if not _has_word(each, "type"):
            yield text_of(each.child_by_field_name("name"))


def _exported(statement: Node) -> Iterator[str]:
    """The names that are exported here: of values, as far as one can see."""
    declared = statement.child_by_field_name("declaration")
    if declared is not None:
        if declared.type not in ("interface_declaration", "type_alias_declaration"):
            name = declared.child_by_field_name("name")
            named = [name] if name else _below(declared, ("variable_declarator",))
            for each in named:
                yield text_of(each.child_by_field_name("name") or each)
    elif not _has_word(statement, "type"):
        clauses = list(_below(statement, ("export_specifier",)))
        for each in clauses:
            yield text_of(each.child_by_field_name("alias") or each.child_by_field_name("name"))
        if not clauses:
            yield "*" if statement.child_by_field_name("source") else "default"


def _functions(path: Path, found: list[Found]) -> Iterator[Function]:
    for each in found:
        if "function" not in each:
            continue
        (node,) = each["function"]
        if not _is_top(node):
            continue
        name = text_of(each["name"][0]) if "name" in each else "default"
        words = {text_of(one) for one in node.children if text_of(one) in _WORDS}
        if node.type == "method_definition":
            owner = _owner(node)
            if not owner and node.parent and node.parent.type == "class_body":
                continue
            is_made = name == "constructor"
            name = owner if is_made else f"{owner}.{name}" if owner else name
            words |= {"constructor"} if is_made else set()
        declared = node.type.endswith("_declaration") or _is_variable(node)
        yield Function(
            name,
            tuple(_parameters(node)),
            file=path,
            line=line_of(node),
            public=not words & {"private", "protected"},
            words=frozenset(words),
            more={"declared": declared},
        )


def _is_variable(node: Node) -> bool:
    """Whether it is the value of a variable of the file itself."""
    above = node.parent and node.parent.parent
    return bool(above and above.type.endswith("_declaration"))


def _owner(method: Node) -> str:
    body = method.parent
    owner = body.parent if body and body.type == "class_body" else None
    return text_of(owner.child_by_field_name("name")) if owner else ""


def _parameters(function: Node) -> Iterator[Parameter]:
    lone = function.child_by_field_name("parameter")
    if lone is not None:
        yield Parameter(text_of(lone))
        return
    given = function.child_by_field_name("parameters")
    for each in given.named_children if given else ():
        pattern = each.child_by_field_name("pattern") or each
        if each.type == "comment" or pattern.type == "this":
            continue
        typed = on_one_line(each.child_by_field_name("type")).removeprefix(":").strip()
        is_rest = pattern.type == "rest_pattern"
        has_value = each.child_by_field_name("value") is not None
        name = text_of(pattern) if pattern.type == "identifier" else ""
        yield Parameter(name, typed, has_value or is_rest or each.type == "optional_parameter")


def _is_top(node: Node) -> bool:
    """Whether it is inside no other function."""
    above = node.parent
    while above is not None:
        if above.type in _BODIES:
            return False
        above = above.parent
    return True


def _has_word(node: Node, word: str) -> bool:
    return any(each.type == word for each in node.children)


def _is_require(statement: Node) -> bool:
    return any(each.type == "import_require_clause" for each in statement.children)


def _is_assigned(statement: Node) -> bool:
    """`export = …`"""
    return _has_word(statement, "=")


def _below(node: Node, kinds: tuple[str, ...]) -> Iterator[Node]:
    for each in node.named_children:
        if each.type in kinds:
            yield each
        else:
            yield from _below(each, kinds)
