"""What iogauge does under a condition, as docs/reliability.md shows it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "reliability.md"


def shown() -> list[tuple[str, str]]:
    """The rows of the page: a condition, and what happened."""
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return [row for row in rows if row != ("condition", "what happened")]


def texts_of_tests() -> Iterator[str]:
    """Every text in the tests of this folder."""
    for path in HERE.glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
