"""What one comparison, or one case, says of a claim: values, which `outputs.statements` words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from iogauge.claims.comparable import Comparable, Entry
from iogauge.decision.comparison import Comparison

Answer = Literal["holds", "refuted", "undecided", "answered", "not-testable"]

ORDER: tuple[Answer, ...] = ("refuted", "undecided", "holds", "answered", "not-testable")
"""Of several answers, the first in this order is the answer to all."""


@dataclass(frozen=True)
class Lacking:
    """Cases that could not be compared. `group` is None where that is not due to one group."""

    group: str | None
    cases: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class Tried:
    """Whether the case failed; `elsewhere`: in a group where it should not."""

    failure: str | None
    elsewhere: bool = False


@dataclass(frozen=True)
class Figure:
    """A figure of the case, in the unit of its metric."""

    metric: str
    value: float


@dataclass(frozen=True)
class Remark:
    """An answer in the words of the study."""

    text: str


Seen = Comparison | Lacking | Tried | Figure | Remark


@dataclass(frozen=True)
class Finding:
    """One comparison, or one case, and what it says of a claim.

    `cases` are the case and the reference that it was compared with, if any; none of a remark.
    `seen` is what the answer rests on: time(case) / time(reference), or what is known instead. Of a
    ratio of ratios, `beside` is the pair that this one is compared with.
    """

    answer: Answer
    group: str
    cases: tuple[Entry, ...]
    seen: Seen
    beside: Finding | None = None

    @property
    def case(self) -> str | None:
        return self.cases[0].variant if self.cases else None

    @property
    def reference(self) -> str | None:
        return self.cases[1].variant if len(self.cases) > 1 else None

    @property
    def setting(self) -> str | None:
        """The runtime of the case with its options; None for published numbers."""
        return self.cases[0].setting if self.cases else None

    @property
    def keys(self) -> tuple[str, ...]:
        """Those of the measured cases that it rests on."""
        own = tuple(key for each in self.cases for key in each.keys)
        return own + (self.beside.keys if self.beside else ())

    @property
    def ratio(self) -> Comparison | None:
        return self.seen if isinstance(self.seen, Comparison) else None

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


def of_pair(
    comparable: Comparable, case: int, reference: int, answer: Callable[[Comparison], Answer]
) -> Finding:
    """A finding about two cases; "not-testable" if they could not be compared.

    A claim holds only if all of its comparisons agree. So each of them may use the whole error to
    say that it holds.
    """
    pair = comparable.entries[case], comparable.entries[reference]
    found = comparable.compare(case, reference)
    failure = pair[0].failure or pair[1].failure
    if found is None or failure:
        return lacking(comparable, pair, failure or "nothing in common was measured")
    said = answer(found)
    if said == "undecided":
        alone = comparable.alone(case, reference)
        if alone and answer(alone) == "holds":
            said, found = "holds", alone
    return Finding(said, comparable.group, pair, found)


def lacking(comparable: Comparable, cases: tuple[Entry, ...], why: str) -> Finding:
    """Cases that could not be compared."""
    seen = Lacking(comparable.group, tuple(each.variant for each in cases), why)
    return Finding("not-testable", comparable.group, cases, seen)


def no_time(comparable: Comparable, entry: Entry) -> Finding:
    """A case without a time that others could be compared with."""
    unmeasured = entry.sound or entry.ns is None
    why = "it was not measured" if unmeasured else "its time is impossible"
    return lacking(comparable, (entry,), entry.failure or why)
