"""Rules for the source code that neither ruff nor import-linter knows; `make lint` runs these two."""

from __future__ import annotations

import ast
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "iogauge"
MOST_LINES_OF_A_FILE = 800
MOST_LINES_OF_A_FUNCTION = 60
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LAYERS = PROJECT["tool"]["importlinter"]["contracts"][0]["layers"]
ORDER = tuple(name for layer in reversed(LAYERS) for name in layer.split(" | "))
"""Data flows down this list of packages. Each imports only from those above it."""
TREES = {
    path.relative_to(PACKAGE): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(PACKAGE.rglob("*.py"))
}


def too_long(tree: ast.AST) -> list[str]:
    """The functions with too many lines; decorators do not count."""
    return [
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno - node.lineno >= MOST_LINES_OF_A_FUNCTION
    ]


def texts(tree: ast.AST) -> list[str]:
    nodes = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return [value for value in nodes if isinstance(value, str)]


def test_no_file_and_no_function_is_too_long():
    assert len(TREES) > 100
    for path, tree in TREES.items():
        assert len((PACKAGE / path).read_text().splitlines()) <= MOST_LINES_OF_A_FILE, path
        assert too_long(tree) == [], path


@pytest.mark.parametrize("start", ["def f():", "@cached\nasync def f():"])
def test_the_length_of_a_function_is_seen(start):
    source = start + "\n    pass" * (MOST_LINES_OF_A_FUNCTION - 1)
    assert too_long(ast.parse(source)) == []
    assert too_long(ast.parse(source + "\n    pass")) == ["f"]


def test_no_modules_import_each_other():
    """Also a package's own module (`__init__`), which the contract for siblings does not see."""
    graph = grimp.build_graph("iogauge")
    imported = {each: graph.find_modules_directly_imported_by(each) for each in graph.modules}
    TopologicalSorter(imported).prepare()  # raises CycleError


@pytest.mark.parametrize("name", ORDER)
def test_a_package_says_what_comes_in_and_what_goes_out(name):
    said = ast.get_docstring(TREES[Path(name) / "__init__.py"]) or ""
    assert len(said.split("\n\n")) == 2


def test_no_language_is_known_by_name():
    """A new language is one folder, and no line of Python. Help texts and documentation, which have
    more than four words, give examples.
    """
    languages = {"java", "jvm", "golang", "kotlin", "rust"}
    for path, tree in TREES.items():
        known = path.parts[0] == "commands" or "languages" in path.parts  # of source code
        for text in () if known else texts(tree):
            words = text.lower().replace("/", " ").split()
            assert len(set(words)) > 4 or not languages & set(words), f"{path}: {text!r}"


def test_what_linux_has_in_files_is_read_by_the_host_alone():
    for path, tree in TREES.items():
        if path.parts[0] != "host":
            assert not [each for each in texts(tree) if each.startswith(("/proc", "/sys/"))], path
