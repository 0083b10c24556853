"""What a gate said of code of which it is known whether it is slower."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, get_args

from iogauge.decision.proof import Proved
from iogauge.decision.versions import GateKind
from iogauge.model.units import counted, share, shares, size

_KINDS: tuple[GateKind, ...] = get_args(GateKind)
_FEW = 5  # gates; of fewer an interval of a share says nothing


def as_json(found: Proved) -> dict[str, Any]:
    """For programs: counts, and the 95 % interval of each share."""
    told: dict[str, Any] = {"planted": found.planted, "max_slowdown": found.allowed}
    told["runs"] = found.runs
    for kind in _KINDS:
        lo, hi = found.share(kind)
        told[kind.replace(" ", "_")] = {"n": found.counts[kind], "lo": lo, "hi": hi}
    return told


def progress(found: Proved, of: int, says: str) -> str:
    """A line after each gate."""
    return f"{_what(found)}, {found.runs} of {of}: {says}"


def lines(found: Sequence[Proved], language: str, length: int) -> Iterator[str]:
    """A table for a terminal, and what it means."""
    same, slower = found
    allowed = share(same.allowed) if same.allowed else "nothing"
    yield (
        f"iogauge gate --prove: {language}, {size(length)} cached, {counted(same.runs, 'gate')} "
        f"of each, slower allowed by {allowed}"
    )
    yield ""
    yield " " * 19 + "".join(f"{kind:<15}" for kind in _KINDS).rstrip()
    for each in found:
        cells = "".join(f"{_cell(each, kind):<15}" for kind in _KINDS)
        yield f"{_what(each):<19}{cells}".rstrip()
    yield ""
    fires = f"It fired in {slower.counts['slower']} of {slower.runs} where code was slower"
    yield f"{fires}, and in {same.counts['slower']} of {same.runs} where it was the same."
    if slower.counts["undecided"] or same.counts["undecided"]:
        yield "Undecided (exit status 4): a larger --budget, or a quieter machine, decides more."


def _what(found: Proved) -> str:
    return f"{share(found.planted)} more work" if found.planted else "identical code"


def _cell(found: Proved, kind: GateKind) -> str:
    """`38 (84-99 %)`; the count alone of a few."""
    count = found.counts[kind]
    return str(count) if found.runs < _FEW else f"{count} ({shares(*found.share(kind))})"
