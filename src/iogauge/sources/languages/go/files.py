"""Files of Go: what they declare, and whether they are compiled on this machine."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from iogauge.sources import language, parsing
from iogauge.sources.language import Wrong

if TYPE_CHECKING:
    from tree_sitter import Node

_MACHINES = {"x86_64": "amd64", "aarch64": "arm64", "i686": "386", "armv7l": "arm"}
HERE = {"linux", "unix", "gc", "cgo", _MACHINES.get(platform.machine(), platform.machine())}
"""Words of constraints that are true here, beside those of versions."""
_SYSTEM = re.compile(
    r"aix|android|darwin|dragonfly|freebsd|hurd|illumos|ios|js|linux|nacl|netbsd|openbsd|plan9"
    r"|solaris|wasip1|windows|zos"
)
_PROCESSOR = re.compile(
    r"386|amd64|arm|arm64|armbe|arm64be|loong64|mips|mips64|mips64le|mipsle|ppc|ppc64|ppc64le"
    r"|riscv|riscv64|s390|s390x|sparc|sparc64|wasm"
)
_BUILD = re.compile(r"^//go:build (.+)$", re.MULTILINE)
_OLD_BUILD = re.compile(r"^// \+build (.+)$", re.MULTILINE)
_EMBED = re.compile(r"^//go:embed (.+)$", re.MULTILINE)
_PATTERN = re.compile(r'"[^"]*"|`[^`]*`|\S+')
_COMMENT = re.compile(r"/\*.*?\*/|(?m:^|(?<=\s))//[^\n]*", re.DOTALL)
_DECLARATION = re.compile(r"^(func|type|var|const)\b", re.MULTILINE)
_IMPORTS = re.compile(r"^import\s*(\([^)]*\)|[^\n]*)", re.MULTILINE)
_QUOTED = re.compile(r'["`]([^"`]+)["`]')
_WORD = re.compile(r"[\w.]+|&&|\|\||[!()]")
_PACKAGE = re.compile(rb"^package\s", re.MULTILINE)


@dataclass(frozen=True)
class File:
    """A file as its text declares it. `imports` has paths by the names that stand for them, and
    `types` what the types of its package are by their names, both as they are spelled in full.
    """

    path: Path
    package: str
    imports: dict[str, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    functions: tuple[Node, ...] = ()
    methods: tuple[Node, ...] = ()
    text: str = ""


@dataclass(frozen=True)
class Uses:
    """The packages that a file imports, and the files that it embeds."""

    imports: frozenset[str] = frozenset()
    embedded: tuple[Path, ...] = ()


def uses(path: Path) -> Uses:
    """What a file needs besides itself, seen from its text: a module may have thousands."""
    text = text_of(path)
    code = _COMMENT.sub("", text.partition("\nfunc ")[0])
    begins = _DECLARATION.search(code)
    head = code[: begins.start() if begins else len(code)]
    within = "\n".join(_IMPORTS.findall(head))
    patterns = [each for line in _EMBED.findall(text) for each in _PATTERN.findall(line)]
    embedded = {file for each in patterns for file in _embedded(path.parent, each.strip('"`'))}
    return Uses(frozenset(_QUOTED.findall(within)), tuple(sorted(embedded)))


def _embedded(folder: Path, pattern: str) -> Iterator[Path]:
    for each in folder.glob(pattern.removeprefix("all:")):
        yield from (one for one in (each, *each.rglob("*")) if one.is_file())


def text_of(path: Path) -> str:
    return language.read(path).decode("utf-8", "replace")


def read(path: Path) -> File:
    """Raises Wrong if it cannot be read, or is no Go."""
    return _parsed(path, language.read(path))


@cache
def _parsed(path: Path, data: bytes) -> File:
    root = parsing.parse("go", data)
    found: dict[str, list[Node]] = {}
    for match in parsing.matches("go", root):
        for kind, nodes in match.items():
            found.setdefault(kind, []).extend(nodes)
    if "package" not in found:
        raise Wrong(f"{path.name} does not begin with a package clause")
    imports = dict(_import(each) for each in found.get("import", ()))
    kinds = {"function", "type", "value"}
    named = (node for kind in kinds for node in found.get(kind, ()))
    names = {parsing.text_of(each.child_by_field_name("name") or each) for each in named}
    return File(
        path,
        parsing.text_of(found["package"][0]),
        imports,
        dict(_type(each, imports) for each in found.get("type", ())),
        frozenset(names),
        tuple(found.get("function", ())),
        tuple(found.get("method", ())),
        data.decode("utf-8", "replace"),
    )


def in_folder(folder: Path) -> Iterator[Path]:
    """Its files of Go that are compiled here, without tests."""
    for each in sorted(folder.glob("*.go")):
        if is_source(each) and is_for_here(each):
            yield each


def is_source(path: Path) -> bool:
    return path.is_file() and path.name[0] not in "._" and not path.name.endswith("_test.go")


def is_for_here(path: Path) -> bool:
    """Whether neither its name nor its first lines say that it is for something else."""
    *_, system, last = ("", "", *path.stem.split("_")[1:])
    named = [last] if _SYSTEM.fullmatch(last) or _PROCESSOR.fullmatch(last) else []
    if _PROCESSOR.fullmatch(last) and _SYSTEM.fullmatch(system):
        named.append(system)
    return HERE.issuperset(named) and constraint(path) is None


def constraint(path: Path) -> str | None:
    """The constraint in its first lines that is not met here."""
    head = _head(language.read(path)).decode("utf-8", "replace")
    if found := _BUILD.search(head):
        return None if _is_met(found[1]) else f"//go:build {found[1]}"
    for line in _OLD_BUILD.findall(head):
        wanted = (word.split(",") for word in line.split())
        if not any(all(map(_is_met, each)) for each in wanted):
            return f"// +build {line}"
    return None


def without_constraint(file: File) -> str | None:
    """The text without the constraint that is not met here, and with its lines; None if there is
    no such constraint.
    """
    if constraint(file.path) is None:
        return None
    head = _head(language.read(file.path)).decode("utf-8", "replace")
    return _OLD_BUILD.sub("", _BUILD.sub("", head)) + file.text[len(head) :]


def _head(data: bytes) -> bytes:
    """What stands before the package clause."""
    begins = _PACKAGE.search(data)
    return data[: begins.start() if begins else 0]


def _is_met(text: str) -> bool:
    """Whether an expression of words with `!`, `&&`, `||` and parentheses is true here."""
    words = _WORD.findall(text)[::-1]

    def one() -> bool:
        word = words.pop() if words else ""
        if word == "!":
            return not one()
        if word == "(":
            found = either()
            words[-1:] = []
            return found
        return word in HERE or word.startswith("go1.")

    def both() -> bool:
        found = one()
        while words and words[-1] == "&&":
            words.pop()
            found = one() and found
        return found

    def either() -> bool:
        found = both()
        while words and words[-1] == "||":
            words.pop()
            found = both() or found
        return found

    return either()


def _import(spec: Node) -> tuple[str, str]:
    path = parsing.text_of(spec.child_by_field_name("path")).strip('"`')
    name = parsing.text_of(spec.child_by_field_name("name"))
    return path if name in ("_", ".") else name or _name_of(path), path


def _name_of(path: str) -> str:
    """What a package is mostly called by its path: `v2` and `go-` are left out."""
    parts = path.split("/")
    if len(parts) > 1 and re.fullmatch(r"v\d+", parts[-1]):
        parts.pop()
    return re.sub(r"^go-|\.v\d+$|[.-]go$", "", parts[-1])


def _type(spec: Node, imports: dict[str, str]) -> tuple[str, str]:
    name = parsing.text_of(spec.child_by_field_name("name"))
    if spec.child_by_field_name("type_parameters"):
        return name, "generic"
    return name, spelled(spec.child_by_field_name("type"), imports)


def spelled(node: Node | None, imports: dict[str, str]) -> str:
    """A type without blanks and names of parameters, and with whole paths of packages:
    `func(string)error`, `*encoding/csv.Reader`.
    """
    if node is None:
        return ""

    def of(one: Node | None) -> str:
        return spelled(one, imports)

    kind, part = node.type, node.child_by_field_name
    if kind == "qualified_type":
        package = parsing.text_of(part("package"))
        return f"{imports.get(package, package)}.{parsing.text_of(part('name'))}"
    if kind == "pointer_type":
        return f"*{of(node.named_children[0])}"
    if kind == "slice_type":
        return f"[]{of(part('element'))}"
    if kind == "array_type":
        return f"[{parsing.text_of(part('length'))}]{of(part('element'))}"
    if kind == "map_type":
        return f"map[{of(part('key'))}]{of(part('value'))}"
    if kind == "channel_type":
        word = parsing.on_one_line(node).split()[0].rstrip("(")
        arrow = (
            "<-chan" if word.startswith("<-") else "chan<-" if word.startswith("chan<-") else "chan"
        )
        return f"{arrow} {of(part('value'))}"
    if kind == "function_type":
        result = part("result")
        results = ",".join(each for _, each, _ in parameters(result, imports)) if result else ""
        if "," in results:
            results = f"({results})"
        listed = parameters(part("parameters"), imports)
        takes = ",".join(f"...{each}" if many else each for _, each, many in listed)
        return f"func({takes}){results}"
    if kind == "generic_type":
        given = part("type_arguments")
        return (
            f"{of(part('type'))}[{','.join(of(each) for each in given.named_children)}]"
            if given
            else ""
        )
    if kind in ("parenthesized_type", "type_elem") and len(node.named_children) == 1:
        return of(node.named_children[0])
    if kind == "interface_type":
        return f"interface{{{';'.join(_element(each, imports) for each in node.named_children)}}}"
    if kind == "type_constraint" or kind == "type_elem":
        return "|".join(of(each) for each in node.named_children)
    if kind == "negated_type":
        return f"~{of(node.named_children[0])}"
    if kind == "struct_type":
        return f"struct{{{';'.join(_fields(node, imports))}}}"
    return "".join(parsing.text_of(node).split())


def _fields(node: Node, imports: dict[str, str]) -> Iterator[str]:
    for listed in node.named_children:
        for each in listed.named_children:
            type_ = spelled(each.child_by_field_name("type"), imports)
            for name in each.children_by_field_name("name"):
                yield f"{parsing.text_of(name)} {type_}"


def _element(node: Node, imports: dict[str, str]) -> str:
    if node.type == "method_elem":
        return f"{parsing.text_of(node.child_by_field_name('name'))}()"
    return spelled(node, imports) if node.type == "type_elem" else ""


def parameters(node: Node | None, imports: dict[str, str]) -> list[tuple[str, str, bool]]:
    """The name, the type, and whether there may be many, of each in a list of parameters or of
    results; a lone result is one, too.
    """
    if node is None:
        return []
    if node.type != "parameter_list":
        return [("", spelled(node, imports), False)]
    found = []
    for each in node.named_children:
        if each.type == "comment":
            continue
        type_ = spelled(each.child_by_field_name("type"), imports)
        names = [parsing.text_of(one) for one in each.children_by_field_name("name")]
        many = each.type == "variadic_parameter_declaration"
        found += [(name, type_, many) for name in names or [""]]
    return found
