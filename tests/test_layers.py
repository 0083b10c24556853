"""A module imports only from lower levels; imports inside functions and under TYPE_CHECKING count too."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "iogauge"
LEVELS = [
    {"__init__"},
    {"units", "stats", "steady", "status", "text", "folders"},
    {"model"},
    {"content", "formats", "device", "samples"},
    {"pagecache", "bulk", "columns"},
    {"study", "corpus", "wire", "runfile", "host", "evidence", "surroundings", "written"},
    {"ceilings", "fork", "task"},
    {"runners", "plan", "tenant"},
    {"hints"},
    {"analysis", "conformance"},
    {"accounting", "disturbance", "forks"},
    {"measure", "report", "trace"},
    {"as_published", "answers", "numbers"},
    {"sweeps"},
    {"claims", "explain"},
    {"advise"},
    {"session"},
    {"document", "outputs.html.rows", "outputs.html.charts"},
    {"outputs.html.figures"},
    {"outputs"},
    {"commands", "commands.saying", "commands.options"},
    {"commands.looking"},
    {"commands.measuring", "commands.advising", "commands.machine"},
    {"cli"},
    {"__main__"},
]


def modules() -> dict[str, Path]:
    return {str(path.relative_to(PACKAGE).with_suffix("")).replace("/", "."): path for path in PACKAGE.rglob("*.py")}


def level(module: str) -> int:
    """Its own, or that of the package it is in."""
    own = [number for number, names in enumerate(LEVELS) if module in names]
    return own[0] if own else level(module.rpartition(".")[0])


def imported(path: Path) -> set[str]:
    """Modules of ours that a file imports anywhere."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "iogauge":
            rest = node.module.removeprefix("iogauge").strip(".")
            names |= {rest} if rest else {alias.name for alias in node.names if alias.name in modules()}
        elif isinstance(node, ast.Import):
            names |= {alias.name.removeprefix("iogauge.") for alias in node.names if alias.name.startswith("iogauge.")}
    return names


def test_every_module_has_a_level():
    known = set().union(*LEVELS)
    assert {name.partition(".")[0] for name in modules()} == {name.partition(".")[0] for name in known} and all("." not in name or name in modules() for name in known)


def test_imports_go_down_only():
    for name, path in modules().items():
        for other in imported(path):
            assert level(other) < level(name), f"{name} imports {other}"


def test_no_language_is_known_by_name():
    """A new language is one folder, and no line of Python."""
    for name, path in modules().items():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and name.partition(".")[0] not in ("cli", "commands"):
                words = set(node.value.lower().replace("/", " ").split())
                documentation = len(words) > 4  # docstrings and help may give examples
                assert documentation or not words & {"java", "jvm", "golang", "kotlin", "rust"}, f"{name}: {node.value!r}"
