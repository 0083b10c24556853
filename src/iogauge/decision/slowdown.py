"""Whether one case is surely no slower than another one, but for what is allowed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from iogauge.decision import group
from iogauge.decision.comparison import Comparison
from iogauge.decision.group import GroupDecision

SlowdownKind = Literal["not slower", "slower", "failed", "undecided"]


@dataclass(frozen=True, slots=True)
class Slowdown:
    """How a case compares with its reference, of which it may take (1 + `allowed`) times the time.

    `failed`: it fails, and its reference does not. `comparison` is None without data of both;
    `suspended` where identical code seems to differ, so that nothing is sure.
    """

    kind: SlowdownKind
    allowed: float
    comparison: Comparison | None = None
    suspended: bool = False


def slowdown(decided: GroupDecision, case: int, reference: int, allowed: float) -> Slowdown:
    """Judge a case (a column of the group) against its reference. It is surely slower where its
    interval begins beyond what is allowed, and surely not where the interval ends within; neither
    where identical code seems to differ.
    """
    found = group.compare(decided, case, reference, max(allowed, 1e-9), comparisons=1)
    if found is None:
        return Slowdown("undecided", allowed)
    kind: SlowdownKind = "undecided"
    if not decided.suspended:
        if found.lo > 1 + allowed:
            kind = "slower"
        elif found.hi <= 1 + allowed:
            kind = "not slower"
    return Slowdown(kind, allowed, found, decided.suspended)
