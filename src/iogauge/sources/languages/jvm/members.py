"""What the sources of Java and Kotlin have in common: what a file declares, and where that is."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from iogauge.sources.functions import Function

if TYPE_CHECKING:
    from tree_sitter import Node

NEVER = {"toString", "hashCode", "equals", "close", "iterator", "compareTo"}
"""Methods that are not what anybody wants to have measured."""


@dataclass
class Declared:
    """What a file of Java or Kotlin declares. `imports` are whole names by what they are called in
    the file, `stars` packages of which it imports all. `loose` are methods that are in no class.
    """

    package: str = ""
    imports: dict[str, str] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    loose: list[Function] = field(default_factory=list)

    def add_import(self, name: str, called: str = "") -> None:
        """`a.b.C`, perhaps under another name, or `a.b.*`."""
        if name.endswith("*"):
            self.stars.append(name.removesuffix("*").rstrip("."))
        else:
            self.imports[called or name.rpartition(".")[2]] = name


def above(node: Node, kinds: Collection[str]) -> Iterator[Node]:
    """The nodes of these kinds that it is inside of, the nearest first."""
    outer = node.parent
    while outer is not None:
        if outer.type in kinds:
            yield outer
        outer = outer.parent


def is_inside(node: Node, kinds: Collection[str]) -> bool:
    return next(above(node, kinds), None) is not None
