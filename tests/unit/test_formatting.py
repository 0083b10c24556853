"""Quantities become text in the package `model` only: elsewhere no ratio, interval, share or size is
formatted by hand.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "iogauge"
MODULES = sorted(
    path.relative_to(PACKAGE).as_posix()
    for path in PACKAGE.rglob("*.py")
    if path.relative_to(PACKAGE).parts[0] != "model"
)
ALLOWED = {
    ("outputs/html/vega.py", "format .6g")  # numbers for a drawing: fewer digits, smaller pages
}
"""What is no quantity for people to read: the module, and what is found in it."""

OF_NUMBERS = re.compile(r"(,|[%eEfFgGn])$")  # how the format of a number, or of a share, ends
UNIT = re.compile(r" ?(%|[KMGT]iB\b|[kKMGT]?B/s\b|[kMG]B\b)")


def formatted_by_hand(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            yield from _in_f_string(node)
        elif isinstance(node, ast.Call) and _name(node.func) == "format":
            # format(value, ".3g") and "{:.3g}".format(value)
            texts = [*node.args[1:2], *([node.func.value] if hasattr(node.func, "value") else [])]
            for text in map(_text, texts):
                specs = re.findall(r":([^{}]*)}", text) or [text]
                yield from (f"format {spec}" for spec in specs if OF_NUMBERS.search(spec))
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            yield from re.findall(r"%[-+ 0#]*\d*(?:\.\d+)?[eEfFgG]", _text(node.left))


def _in_f_string(node: ast.JoinedStr) -> Iterator[str]:
    before: ast.expr | None = None
    for part, after in zip(node.values, [*node.values[1:], None], strict=True):
        if isinstance(part, ast.FormattedValue):
            spec = "".join(map(_text, getattr(part.format_spec, "values", [])))
            if OF_NUMBERS.search(spec):
                yield f"format {spec}"
        elif isinstance(before, ast.FormattedValue):
            if _text(part).strip() == "–" and isinstance(after, ast.FormattedValue):
                yield "an interval"
            if found := UNIT.match(_text(part)):
                yield f"the unit{found[0]}"
        before = part


def _name(function: ast.expr) -> str:
    return getattr(function, "id", None) or getattr(function, "attr", "")


def _text(node: ast.expr) -> str:
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value if is_text else ""


@pytest.mark.parametrize("module", MODULES)
def test_no_quantity_is_formatted_outside_of_the_model(module):
    found = {(module, each) for each in formatted_by_hand((PACKAGE / module).read_text())}
    assert not found - ALLOWED


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('f"{share:.0%}"', "format .0%"),
        ('f"{value:.3g} times"', "format .3g"),
        ('f"{value:.2f}"', "format .2f"),
        ('f"{count:,}"', "format ,"),
        ('format(value, ".1f")', "format .1f"),
        ('"{:.1f}".format(value)', "format .1f"),
        ('"%.2f" % value', "%.2f"),
        ('f"({lo}–{hi})"', "an interval"),
        ('f"{say(lo)} – {say(hi)}"', "an interval"),
        ('f"{memory} MiB"', "the unit MiB"),
        ('f"{speed} GB/s"', "the unit GB/s"),
        ('f"{share * 100}%"', "the unit%"),
        ('f"{share * 100} % of it"', "the unit %"),
    ],
)
def test_what_is_formatted_by_hand_is_found(source, found):
    assert list(formatted_by_hand(source)) == [found]


@pytest.mark.parametrize(
    "source", ['f"{name:<13}"', 'f"{number:02d}"', 'f"{a}–"', 'f"within 5 % of {a}"', "a % b"]
)
def test_other_text_is_not(source):
    assert not list(formatted_by_hand(source))


def test_what_is_allowed_is_still_there():
    for module, what in ALLOWED:
        assert what in set(formatted_by_hand((PACKAGE / module).read_text()))
