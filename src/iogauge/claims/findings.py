"""What one comparison, or one case, says of a claim: values, which `words` turns into text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from iogauge.claims.comparable import Comparable
from iogauge.decision.comparison import Comparison

Answer = Literal["holds", "refuted", "undecided", "answered", "not-testable"]

ORDER: tuple[Answer, ...] = ("refuted", "undecided", "holds", "answered", "not-testable")
"""Of several answers, the first in this order is the answer to all."""


@dataclass(frozen=True)
class Pair:
    """Two cases of a group that were compared. `ratio` is time(case) / time(reference)."""

    group: str
    case: str
    reference: str
    settings: tuple[str | None, str | None]
    ratio: Comparison


@dataclass(frozen=True)
class Compared:
    """A pair; of a ratio of ratios also the pair that it is compared with."""

    pair: Pair
    beside: Pair | None = None


@dataclass(frozen=True)
class Lacking:
    """One or two cases that could not be compared. `group` is None where the claim spans groups."""

    group: str | None
    cases: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class Tried:
    """Whether a case failed. `elsewhere` is the group where it should not."""

    case: str
    failure: str | None
    elsewhere: str | None = None


@dataclass(frozen=True)
class Figure:
    """A figure of a case, in the unit of its metric."""

    case: str
    metric: str
    value: float


@dataclass(frozen=True)
class Remark:
    """An answer in the words of the study."""

    text: str


Seen = Compared | Lacking | Tried | Figure | Remark


@dataclass(frozen=True)
class Finding:
    """One comparison, or one case, and what it says of a claim.

    `seen` is what the answer rests on, and `keys` are those of the measured cases behind it.
    `runtime` and `setting` (the runtime with its options) are None for published numbers.
    """

    answer: Answer
    group: str
    setting: str | None
    case: str
    seen: Seen
    reference: str | None = None
    runtime: str | None = None
    keys: tuple[str, ...] = ()

    @property
    def ratio(self) -> Comparison | None:
        """time(case) / time(reference); None if no two cases were compared."""
        return self.seen.pair.ratio if isinstance(self.seen, Compared) else None

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


def of_case(comparable: Comparable, case: int, answer: Answer, seen: Seen) -> Finding:
    """A finding about a single case."""
    entry = comparable.entries[case]
    return Finding(
        answer,
        comparable.group,
        entry.setting,
        entry.variant,
        seen,
        runtime=entry.runtime,
        keys=entry.keys,
    )


def of_two(
    comparable: Comparable, case: int, reference: int, answer: Answer, seen: Seen
) -> Finding:
    """A finding about two cases, in the setting of the first."""
    a, b = comparable.entries[case], comparable.entries[reference]
    keys = (*a.keys, *b.keys)
    return Finding(answer, comparable.group, a.setting, a.variant, seen, b.variant, a.runtime, keys)


def of_pair(
    comparable: Comparable, case: int, reference: int, answer: Callable[[Comparison], Answer]
) -> Finding:
    """A finding about two cases; "not-testable" if they could not be compared.

    A claim holds only if all of its comparisons agree. So each of them may use the whole error to
    say that it holds.
    """
    a, b = comparable.entries[case], comparable.entries[reference]
    found = comparable.compare(case, reference)
    if found is None or a.failure or b.failure:
        reason = a.failure or b.failure or "nothing in common was measured"
        return no_pair(comparable, case, reference, reason)
    said = answer(found)
    if said == "undecided":
        alone = comparable.alone(case, reference)
        if alone and answer(alone) == "holds":
            said, found = "holds", alone
    seen = Compared(pair(comparable, case, reference, found))
    return of_two(comparable, case, reference, said, seen)


def pair(comparable: Comparable, case: int, reference: int, found: Comparison) -> Pair:
    a, b = comparable.entries[case], comparable.entries[reference]
    return Pair(comparable.group, a.variant, b.variant, (a.setting, b.setting), found)


def no_pair(comparable: Comparable, case: int, reference: int, why: str) -> Finding:
    """A pair that could not be compared."""
    names = tuple(comparable.entries[each].variant for each in (case, reference))
    seen = Lacking(comparable.group, names, why)
    return of_two(comparable, case, reference, "not-testable", seen)


def no_time(comparable: Comparable, case: int) -> Finding:
    """A case without a time that others could be compared with."""
    entry = comparable.entries[case]
    why = entry.failure or (
        "it was not measured" if entry.sound or entry.ns is None else "its time is impossible"
    )
    seen = Lacking(comparable.group, (entry.variant,), why)
    return of_case(comparable, case, "not-testable", seen)
