"""What one comparison, or one case, says of a claim."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from iogauge.claims.comparable import Comparable
from iogauge.claims.words import Answer, takes
from iogauge.decision.comparison import Comparison

ORDER: tuple[Answer, ...] = ("refuted", "undecided", "holds", "answered", "not-testable")
"""Of several answers, the first in this order is the answer to all."""


@dataclass(frozen=True)
class Finding:
    """One comparison, or one case, and what it says of a claim.

    `ratio` is time(case) / time(reference); None if no two cases were compared. `keys` are those of
    the measured cases that it rests on.
    """

    answer: Answer
    group: str
    setting: str | None
    case: str
    reference: str | None = None
    ratio: Comparison | None = None
    says: str = ""
    keys: tuple[str, ...] = ()

    @property
    def weight(self) -> float:
        """How much this says compared with other findings of the same answer; more is larger.

        It is the certainty that the two times differ. If they may be the same, it is the precision
        of their ratio.
        """
        if self.ratio is None:
            return -math.inf
        lo, hi = self.ratio.lo, self.ratio.hi
        if lo <= 0 or not math.isfinite(hi):
            known = [math.log(each) for each in (lo, 1 / hi) if each > 0]
            return max(known, default=-math.inf) if self.answer != "undecided" else -math.inf
        lo, hi = math.log(lo), math.log(hi)
        return lo - hi if self.answer == "undecided" or lo <= 0 <= hi else max(lo, -hi)


def combined(answers: Iterable[Answer]) -> Answer:
    """One answer to several: refuted if one is, else undecided if one is, and so on."""
    among = set(answers)
    return next((each for each in ORDER if each in among), "not-testable")


def decided(holds: bool, refuted: bool) -> Answer:
    return "holds" if holds else "refuted" if refuted else "undecided"


def of_case(comparable: Comparable, case: int, answer: Answer, says: str) -> Finding:
    """A finding about a single case."""
    entry = comparable.entries[case]
    return Finding(
        answer, comparable.group, entry.setting, entry.variant, says=says, keys=entry.keys
    )


def of_pair(
    comparable: Comparable,
    case: int,
    reference: int,
    answer: Callable[[Comparison], Answer],
) -> Finding:
    """A finding about two cases; "not-testable" if they could not be compared.

    A claim holds only if all of its comparisons agree. So each of them may use the whole error to
    say that it holds.
    """
    a, b = comparable.entries[case], comparable.entries[reference]
    found = comparable.compare(case, reference)
    if found is None or a.failure or b.failure:
        reason = a.failure or b.failure or "nothing in common was measured"
        return no_pair(comparable, case, reference, f"{a.variant} and {b.variant}: {reason}")
    said = answer(found)
    if said == "undecided":
        alone = comparable.alone(case, reference)
        if alone and answer(alone) == "holds":
            said, found = "holds", alone
    return Finding(
        said,
        comparable.group,
        a.setting,
        a.variant,
        b.variant,
        found,
        f"{comparable.group}: {takes(a, b, found)}",
        (*a.keys, *b.keys),
    )


def no_pair(comparable: Comparable, case: int, reference: int, why: str) -> Finding:
    """A pair that could not be compared."""
    a, b = comparable.entries[case], comparable.entries[reference]
    return Finding(
        "not-testable",
        comparable.group,
        a.setting,
        a.variant,
        b.variant,
        None,
        f"{comparable.group}: {why}",
        (*a.keys, *b.keys),
    )


def no_time(comparable: Comparable, case: int) -> Finding:
    """A case without a time that others could be compared with."""
    entry = comparable.entries[case]
    reason = entry.failure or (
        "it was not measured" if entry.sound or entry.ns is None else "its time is impossible"
    )
    return of_case(
        comparable, case, "not-testable", f"{comparable.group}: {entry.variant}: {reason}"
    )
