"""What somebody wants to read, write or copy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from iogauge.model.strategy import Format
from iogauge.model.units import short_size, size
from iogauge.model.workload import Access, Cache, Durability, Operation
from iogauge.runners import manifest

DEFAULT_SIZE = 16 << 20
"""The size in bytes of the file that is measured if no size was given."""

SUMS_OF = {
    "byte": ("byte",),
    "char": ("utf16", "codepoint"),
    "line": ("line-byte", "line-utf16", "line-codepoint"),
}
"""By unit, what a strategy may sum up that takes the data in this unit."""

Unit = Literal["byte", "char", "line"]
_CACHES: dict[Cache | None, str] = {"warm": "cached", "cold": "from disk"}


@dataclass(frozen=True)
class Wanted:
    """A workload in plain options.

    `language` is None for all languages. `unit` is how the program takes the data. `size` is in
    bytes, None for any. `record` is how much the program reads or writes at a time, in bytes or in
    characters of text; None if that is open. Random access always has it: how much is read at each
    place. `own` stands for a file of the user's, and `format` says what it is.
    """

    language: str | None = None
    operation: Operation = "read"
    unit: Unit = "byte"
    size: int | None = None
    cache: Cache | None = None
    durability: Durability | None = None
    record: int | None = None
    own: bool = False
    access: Access = "sequential"
    format: Format = "plain"

    @property
    def title(self) -> str:
        """`read a file of 16 MiB line by line, cached, in Java`."""
        unit = {"byte": "", "char": " as text", "line": " line by line"}[self.unit]
        length = f" of {size(self.size)}" if self.size is not None else ""
        pieces = ""
        if self.record:
            piece = f"{self.record} characters" if self.unit == "char" else size(self.record)
            at = " at random places" if self.access == "random" else ""
            pieces = f" in pieces of {piece}{at}"
        durable = {None: None, "none": "not made durable"}.get(
            self.durability, f"made durable by {self.durability}"
        )
        parts = [
            f"{self.operation} {'your' if self.own else 'a'} file{length}{unit}{pieces}",
            _CACHES.get(self.cache, self.cache),
            durable,
            f"in {manifest.name_of(self.language)}" if self.language else None,
        ]
        return ", ".join(each for each in parts if each)

    @property
    def options(self) -> list[str]:
        """The options of the command line that ask for this, without those that are the default.

        The size of an own file is not among them: the file has it.
        """
        given = {
            "language": self.language,
            "operation": self.operation,
            "unit": self.unit,
            "cache": self.cache,
            "durability": self.durability,
            "access": self.access,
        }
        usual = {
            "operation": "read",
            "unit": "byte",
            "cache": "warm",
            "durability": "none",
            "access": "sequential",
        }
        sizes = {"size": None if self.own else self.size, "record": self.record}
        named = {
            name: value for name, value in given.items() if value and value != usual.get(name)
        } | {name: short_size(value) for name, value in sizes.items() if value}
        return [word for name, value in named.items() for word in (f"--{name}", value)]
