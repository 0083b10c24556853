"""The packages and what each may import; imports inside functions and under TYPE_CHECKING count
too.
"""

from __future__ import annotations

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "iogauge"
ORDER = (
    "model",
    "statistics",
    "decision",
    "study",
    "host",
    "runfile",
    "corpus",
    "runners",
    "planning",
    "analysis",
    "claims",
    "advice",
    "measuring",
    "outputs",
    "commands",
)
"""Data flows down this list. A package imports from those above it only."""

NOT_ALLOWED = {"measuring": {"analysis", "claims", "advice"}, "statistics": {"model"}}
"""Packages above that must not be imported all the same."""


@cache
def modules() -> dict[str, Path]:
    """Every module inside a package, by its dotted name below iogauge."""
    paths = (path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE)
    return {".".join(path.relative_to(PACKAGE).with_suffix("").parts): path for path in paths}


@cache
def imported(path: Path) -> set[str]:
    """Modules of ours that a file imports anywhere."""
    known, names = modules(), set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "iogauge":
            base = node.module.removeprefix("iogauge").lstrip(".")
            for alias in node.names:
                inside = f"{base}.{alias.name}".lstrip(".")
                names.add(inside if inside in known or f"{inside}.__init__" in known else base)
        elif isinstance(node, ast.Import):
            ours = (alias.name for alias in node.names if alias.name.startswith("iogauge."))
            names |= {name.removeprefix("iogauge.") for name in ours}
    return {f"{name}.__init__" if f"{name}.__init__" in known else name for name in names if name}


def package(module: str) -> str:
    return module.partition(".")[0]


def test_every_package_is_in_the_order():
    assert {package(name) for name in modules()} == set(ORDER)
    alone = {path.name for path in PACKAGE.glob("*.py")}
    assert alone == {"__init__.py", "__main__.py"}


def test_a_package_imports_from_those_above_it_only():
    wrong = []
    for name, path in modules().items():
        own = package(name)
        allowed = set(ORDER[: ORDER.index(own) + 1]) - NOT_ALLOWED.get(own, set())
        wrong += [
            f"{name} imports {each}" for each in imported(path) if package(each) not in allowed
        ]
    assert not wrong


def test_no_package_has_a_cycle_inside():
    graph = {name: imported(path) for name, path in modules().items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(
            f"these modules import each other: {' -> '.join(error.args[1])}"
        ) from None


def test_every_package_says_what_comes_in_and_what_goes_out():
    for name in ORDER:
        said = ast.get_docstring(ast.parse((PACKAGE / name / "__init__.py").read_text())) or ""
        assert len(said.split("\n\n")) == 2, name


def test_no_language_is_known_by_name():
    """A new language is one folder, and no line of Python."""
    languages = {"java", "jvm", "golang", "kotlin", "rust"}
    for name, path in modules().items():
        if package(name) == "commands":  # help texts give examples
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words = set(node.value.lower().replace("/", " ").split())
                documentation = len(words) > 4
                assert documentation or not words & languages, f"{name}: {node.value!r}"


NOT_EVERYWHERE = {"ctypes", "fcntl", "grp", "msvcrt", "pwd", "resource", "signal", "termios"}
"""Modules that differ between systems, or are not on all."""

CALLS_NOT_EVERYWHERE = {
    "fchmod",
    "fdatasync",
    "geteuid",
    "getuid",
    "killpg",
    "major",
    "minor",
    "memfd_create",
    "pidfd_open",
    "posix_fadvise",
    "pread",
    "preadv",
    "pwrite",
    "readv",
    "sched_getaffinity",
    "setsid",
    "statvfs",
    "sync",
    "sysconf",
    "O_DIRECT",
    "O_TMPFILE",
}


def test_what_is_not_on_every_system_is_the_hosts():
    wrong = []
    for name, path in modules().items():
        if package(name) == "host":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                used = {alias.name for alias in node.names} & NOT_EVERYWHERE
            elif isinstance(node, ast.ImportFrom):
                used = {node.module} & NOT_EVERYWHERE
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                used = {node.attr} & CALLS_NOT_EVERYWHERE if node.value.id == "os" else set()
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                used = {node.value} if node.value.startswith(("/proc", "/sys/")) else set()
            else:
                continue
            wrong += [f"{name} uses {each}" for each in used]
    assert not wrong
