"""Warnings that more than one package recognises, each by its kind."""

from __future__ import annotations

from typing import Literal, NamedTuple

CaveatKind = Literal[
    "cpu-quota",
    "stood-still",
    "left-cache",
    "slow-alignment",
    "other-result",
    "changing-result",
    "own-result",
    "much-output",
    "keeps-mapping",
]
"""`cpu-quota`: the quota of a control group stopped processes. `stood-still`: the machine slept, or
iogauge was stopped. `left-cache`: a file that was measured as it lay in the cache does so no more.
`slow-alignment`: this processor is slow to read into arrays as malloc aligns
them. `other-result`: a user's function returns something else than the one of its group that was
measured first; `changing-result`: not the same each time; `own-result`: something else than its
file; `much-output`: it prints much; `keeps-mapping`: it maps its file for longer than a call.
"""
SLOWED: tuple[CaveatKind, ...] = ("cpu-quota", "stood-still")
CHANGES_READING: tuple[CaveatKind, ...] = (*SLOWED, "left-cache")
"""What changes how tables are read."""
RESULT_KINDS: tuple[CaveatKind, ...] = (
    "other-result",
    "changing-result",
    "own-result",
    "much-output",
    "keeps-mapping",
)


class CaveatText(NamedTuple):
    """The text of a caveat, and its kind; None where nobody has to recognise it."""

    text: str
    kind: CaveatKind | None = None
