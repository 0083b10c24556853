"""Source code parsed by tree-sitter, and what a query finds in it."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query

_QUERIES = Path(__file__).with_name("queries")
_OTHERWISE = {"typescript": "language_typescript", "tsx": "language_tsx"}
_PACKAGES = {"tsx": "typescript"}

Found = dict[str, list["Node"]]
"""The nodes of one match of a query, by the names of its captures."""


def parse(grammar: str, text: bytes) -> Node:
    """The root of the tree of this text. A text with mistakes has one too."""
    from tree_sitter import Parser

    return Parser(_language(grammar)).parse(text).root_node


def matches(grammar: str, root: Node, query: str | None = None) -> Iterator[Found]:
    """What the query of this name finds below a node, in the order of the text; without a name that
    of the grammar: `queries/GRAMMAR.scm`.
    """
    from tree_sitter import QueryCursor

    found = QueryCursor(_query(grammar, query or grammar)).matches(root)
    yield from sorted(
        (captures for _, captures in found),
        key=lambda captures: min(node.start_byte for each in captures.values() for node in each),
    )


def text_of(node: Node | None) -> str:
    """Its text as it stands; empty for None."""
    return node.text.decode("utf-8", "replace") if node and node.text else ""


def on_one_line(node: Node | None) -> str:
    """Its text with single blanks."""
    return " ".join(text_of(node).split())


def line_of(node: Node) -> int:
    """The number of the line where it begins, from 1."""
    return node.start_point[0] + 1


@cache
def _language(grammar: str) -> Language:
    from tree_sitter import Language

    module = importlib.import_module(f"tree_sitter_{_PACKAGES.get(grammar, grammar)}")
    return Language(getattr(module, _OTHERWISE.get(grammar, "language"))())


@cache
def _query(grammar: str, name: str) -> Query:
    from tree_sitter import Query

    return Query(_language(grammar), (_QUERIES / f"{name}.scm").read_text("utf-8"))
