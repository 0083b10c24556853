"""What a file is: its encoding, how its lines end, and what some languages read otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from iogauge.corpus.sniffing import Packing, Wide
from iogauge.model.strategy import Peculiarity
from iogauge.model.text import listed

Encoding = Literal["ascii", "utf-8", Wide, "other", "binary"]
"""`other`: text in an encoding that is none of these, such as Latin-1. `binary`: no text."""

_OTHER_ENDS: dict[Peculiarity, tuple[str, ...]] = {
    "lone-cr": ("lone carriage returns",),
    "form-feed": ("form feeds", "vertical tabs"),
    "separators": ("U+001C", "U+001D", "U+001E"),
    "next-line": ("U+0085",),
    "line-separator": ("U+2028", "U+2029"),
}
_KNOWN: tuple[tuple[Peculiarity, ...], ...] = (
    ("lone-cr",),  # text files of Python, BufferedReader of Java
    ("lone-cr", "line-separator"),  # readline of Node 24
    ("lone-cr", "next-line", "line-separator"),  # Scanner of Java
    tuple(_OTHER_ENDS),  # splitlines of Python
)
"""The characters at which known readers end lines, besides LF and CRLF."""


@dataclass(frozen=True)
class Profile:
    """What `scanned` bytes of data are, which begin a file or are all of it.

    `lf` are line feeds without a carriage return before them, `cr` carriage returns without a line
    feed behind them. `others` counts other characters at which some languages end a line,
    `nuls_first` the NULs before anything else, `quoted_ends` line ends inside quotes, of what looks
    like CSV. `longest` is the longest line, in bytes and without its end. `ends_with` is the
    character at the very end, if a line may end with it.
    """

    scanned: int
    encoding: Encoding
    bom: bool
    packing: Packing | None
    lf: int
    crlf: int
    cr: int
    others: Mapping[Peculiarity, int]
    nuls: int
    nuls_first: int
    longest: int
    quoted_ends: int
    ends_with: Literal["lf", Peculiarity] | None

    @property
    def is_text(self) -> bool:
        """Whether it is UTF-8, which most ways to read text take it to be."""
        return self.encoding in ("ascii", "utf-8")

    @property
    def lines(self) -> int:
        """Lines that end with LF, with CRLF or with the data."""
        return self.lf + self.crlf + (self.ends_with != "lf")

    @property
    def other_ends(self) -> dict[Peculiarity, int]:
        """How often each character is there at which some languages end a line, others not."""
        every: dict[Peculiarity, int] = {"lone-cr": self.cr, **self.others}
        return {kind: count for kind, count in every.items() if count}

    @property
    def peculiarities(self) -> frozenset[Peculiarity]:
        found: set[Peculiarity] = {*self.other_ends}
        if self.ends_with == "lone-cr":
            found.add("final-cr")
        if self.nuls:
            found.add("nul")
        return frozenset(found)

    def explained_lines(self, count: int) -> str | None:
        """Why a reader may see so many lines, and not `lines`; None if nothing here tells."""
        if count < self.lines:
            quoted = self.quoted_ends and count == self.lines - self.quoted_ends
            return "it ends no line inside quotes" if quoted else None
        # Behind what ends the data there is nothing that would be one more line.
        more = {kind: many - (kind == self.ends_with) for kind, many in self.other_ends.items()}
        for kinds in _subsets([*more]) if count > self.lines else ():
            if sum(more[kind] for kind in kinds) == count - self.lines:
                ends = [end for kind in kinds for end in _OTHER_ENDS[kind]]
                return f"it also ends lines at {listed(ends)}"
        return None


def _subsets(kinds: Sequence[Peculiarity]) -> Iterator[tuple[Peculiarity, ...]]:
    """All of them that are not empty: first what known readers take, then the smaller ones."""
    for known in _KNOWN:
        if taken := tuple(kind for kind in known if kind in kinds):
            yield taken
    for many in range(1, len(kinds) + 1):
        yield from combinations(kinds, many)
