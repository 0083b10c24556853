"""How often a gate of two versions said what, of code of which it is known whether it is slower."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Literal

from iogauge.decision.versions import GateKind
from iogauge.statistics.intervals import share_of

_MOST_ALARMS = 0.05  # of gates of identical code
_FEWEST_FOUND = 0.5  # of gates of slower code

ProofKind = Literal["proved", "refuted", "undecided"]


@dataclass(frozen=True)
class Proved:
    """Gates that allow a fraction, `allowed`, of code that reads the fraction `planted` more; how
    often each kind of answer came.
    """

    planted: float
    allowed: float
    counts: Counter[GateKind] = field(default_factory=Counter)

    @property
    def runs(self) -> int:
        return self.counts.total()

    def with_one(self, kind: GateKind) -> Proved:
        """With one more answer."""
        return replace(self, counts=self.counts + Counter([kind]))

    def share(self, kind: GateKind) -> tuple[float, float]:
        """The 95 % interval of how often this answer comes."""
        return share_of(self.counts[kind], self.runs)


def proof_of(same: Proved, slower: Proved) -> ProofKind:
    """Whether the gate is silent on identical code, and finds code that is slower. Where something
    is allowed, to be silent is to say that identical code is not slower.
    """
    if same.counts["slower"] > _MOST_ALARMS * same.runs or slower.counts["not slower"]:
        return "refuted"
    found = slower.counts["slower"] > _FEWEST_FOUND * slower.runs
    passed = not same.allowed or same.counts["not slower"] > _FEWEST_FOUND * same.runs
    failed = same.counts["failed"] + slower.counts["failed"]
    return "proved" if found and passed and not failed else "undecided"
