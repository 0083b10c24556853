"""The page and the tests tell the same."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.anywhere.conftest import shown


def test_every_row_of_the_page_is_told_by_a_test():
    trees = (ast.parse(each.read_text("utf-8")) for each in Path(__file__).parent.glob("test_*.py"))
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    texts, rows = {node.value for node in nodes if isinstance(node.value, str)}, shown()
    assert rows
    assert not [row for row in rows if not set(row) <= texts]
