"""What a gate said of code of which it is known whether it is slower."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from iogauge.model.units import counted, share, size
from iogauge.statistics.intervals import share_of

_KINDS = "not slower", "slower", "undecided", "failed"


@dataclass(frozen=True)
class Proved:
    """Gates that allow a fraction, `allowed`, of code that reads the fraction `planted` more; how
    often each kind of answer came.
    """

    planted: float
    allowed: float
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def runs(self) -> int:
        return self.counts.total()

    def with_one(self, kind: str) -> Proved:
        """With one more answer."""
        return replace(self, counts=self.counts + Counter([kind]))

    @property
    def what(self) -> str:
        return f"{share(self.planted)} more work" if self.planted else "identical code"

    def as_json(self) -> dict[str, Any]:
        """For programs: counts, and the 95 % interval of each share."""
        return {
            "planted": self.planted,
            "max_slowdown": self.allowed,
            "runs": self.runs,
            **{
                kind.replace(" ", "_"): dict(
                    zip(("n", "lo", "hi"), (self.counts[kind], *self._share(kind)), strict=True)
                )
                for kind in _KINDS
            },
        }

    def _share(self, kind: str) -> tuple[float, float]:
        return share_of(self.counts[kind], self.runs)

    def cell(self, kind: str) -> str:
        """`38 (84-99 %)`; the count alone of a few."""
        count = self.counts[kind]
        if self.runs < _FEW:
            return str(count)
        lo, hi = (round(100 * each) for each in self._share(kind))
        return f"{count} ({lo}-{hi} %)"


_FEW = 5  # gates; of fewer an interval of a share says nothing


def progress(found: Proved, of: int, says: str) -> str:
    """A line after each gate."""
    return f"{found.what}, {found.runs} of {of}: {says}"


def lines(found: Sequence[Proved], language: str, length: int) -> Iterator[str]:
    """A table for a terminal, and what it means."""
    same, slower = found
    allowed = share(same.allowed)
    yield (
        f"iogauge gate --prove: {language}, {size(length)} cached, {counted(same.runs, 'gate')} "
        f"of each, at most {allowed} slower allowed"
    )
    yield ""
    yield "                   " + "".join(f"{kind:<15}" for kind in _KINDS).rstrip()
    for each in found:
        yield (f"{each.what:<19}" + "".join(f"{each.cell(kind):<15}" for kind in _KINDS)).rstrip()
    yield ""
    alarms = same.counts["slower"]
    fires = f"It fired in {slower.counts['slower']} of {slower.runs} where code was slower"
    yield f"{fires}, and in {alarms} of {same.runs} where it was the same."
    if slower.counts["undecided"] or same.counts["undecided"]:
        yield "Undecided (exit status 4): a larger --budget, or a quieter machine, decides more."
