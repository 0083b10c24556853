"""The size of files and functions, and that nobody patches a constant of how measuring is done."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
MOST_LINES_OF_A_FILE = 800
MOST_LINES_OF_A_FUNCTION = 60
MOST_CHARACTERS_OF_A_LINE = 100

METHOD = ("iogauge.measuring", "iogauge.planning", "iogauge.runners.live fork")
"""Their constants belong to the Method; who wants others gives another Method."""

PATCHES = ("setattr", "patch", "object", "multiple")
"""Calls that replace an attribute of a module: of built-ins, of pytest and of unittest.mock."""


def long_functions(source: str) -> list[tuple[str, int]]:
    """Name and number of lines of each function that is too long; its decorators do not count."""
    functions = (
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    lengths = ((each.name, each.end_lineno - each.lineno + 1) for each in functions)
    return [(name, length) for name, length in lengths if length > MOST_LINES_OF_A_FUNCTION]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_no_file_is_too_long():
    lengths = {name_of(path): len(path.read_text().splitlines()) for path in SOURCES}
    assert lengths
    assert not {name: each for name, each in lengths.items() if each > MOST_LINES_OF_A_FILE}


def test_no_function_is_too_long():
    found = {name_of(path): long_functions(path.read_text()) for path in SOURCES}
    assert not {name: functions for name, functions in found.items() if functions}


def test_no_line_is_too_long():
    assert not [
        f"{name_of(path)}:{number}"
        for path in SOURCES
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > MOST_CHARACTERS_OF_A_LINE
    ]


@pytest.mark.parametrize("start", ["def f():", "@cached\nasync def f():"])
def test_the_length_of_a_function_is_seen(start):
    source = start + "\n    pass" * (MOST_LINES_OF_A_FUNCTION - 1)
    assert long_functions(source) == []
    assert long_functions(source + "\n    pass") == [("f", MOST_LINES_OF_A_FUNCTION + 1)]


def patched(source: str) -> list[str]:
    """Constants of the Method's modules that a program replaces, by their full names."""
    tree = ast.parse(source)
    modules = imported(tree)
    targets = (target for node in ast.walk(tree) for target in replaced(node, modules))
    return [each for each in targets if each.startswith(METHOD) and is_constant(each)]


def imported(tree: ast.AST) -> dict[str, str]:
    """What each imported name stands for, by its full name."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {
                each.asname or each.name.partition(".")[0]: each.name
                if each.asname
                else each.name.partition(".")[0]
                for each in node.names
            }
        elif isinstance(node, ast.ImportFrom):
            names |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
    return names


def replaced(node: ast.AST, modules: dict[str, str]) -> Iterator[str]:
    """Full names of what a statement or a call gives another value."""
    if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
            yield from (full_name(part, modules) for part in parts)
    elif isinstance(node, ast.Call) and node.args and called(node) in PATCHES:
        first, *more = node.args
        if isinstance(first, ast.Constant):
            yield str(first.value)
        names = [str(each.value) for each in more if isinstance(each, ast.Constant)]
        names += [each.arg or "" for each in node.keywords]
        yield from (f"{full_name(first, modules)}.{name}" for name in names)


def called(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def full_name(node: ast.AST, modules: dict[str, str]) -> str:
    """`measure.PRELUDE` as `iogauge.measuring.measure.PRELUDE`; nothing for other expressions."""
    if isinstance(node, ast.Name):
        return modules.get(node.id, "")
    if isinstance(node, ast.Attribute) and (of := full_name(node.value, modules)):
        return f"{of}.{node.attr}"
    return ""


def is_constant(name: str) -> bool:
    return name.rpartition(".")[2].isupper()


@pytest.mark.parametrize("folder", ["tests", "benchmarks"])
def test_nobody_patches_a_constant_of_the_method(folder):
    found = {name_of(path): patched(path.read_text()) for path in (ROOT / folder).rglob("*.py")}
    assert found
    assert not {name: constants for name, constants in found.items() if constants}


@pytest.mark.parametrize(
    "statement",
    [
        'monkeypatch.setattr(measure, "PRELUDE", 1)',
        'monkeypatch.setattr(by_another_name, "PRELUDE", raising=False, value=1)',
        'monkeypatch.setattr("iogauge.measuring.measure.PRELUDE", 1)',
        'patch.object(iogauge.measuring.measure, "PRELUDE", 1)',
        'patch("iogauge.measuring.measure.PRELUDE", 1)',
        "patch.multiple(measure, PRELUDE=1)",
        'setattr(session.measure, "PRELUDE", 1)',
        "measure.PRELUDE = 1",
        "measure.PRELUDE *= 2",
        "before, measure.PRELUDE = measure.PRELUDE, 1",
    ],
)
def test_a_patch_is_seen(statement):
    imports = (
        "import iogauge.measuring.measure\n"
        "import iogauge.measuring.measure as by_another_name\n"
        "from iogauge.measuring import measure, session\n"
    )
    assert len(patched(imports + statement)) == 1


@pytest.mark.parametrize(
    "statement",
    [
        'monkeypatch.setattr(measure, "now", later)',
        'monkeypatch.setattr(corpus, "KEEP_BYTES", 1)',
        "PRELUDE = measure.PRELUDE",
        "wait(measure.PRELUDE)",
        'monkeypatch.setattr(mine, "PRELUDE", 1)',
    ],
)
def test_other_statements_are_no_patches(statement):
    imports = "from iogauge.corpus import corpus\nfrom iogauge.measuring import measure\n"
    assert patched(imports + statement) == []
