"""Verdicts: what to use of a set of cases, how sure that is, why, and what to say of each case.

A verdict is a value, without a word of text: every output renders it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

from iogauge.decision.comparison import Comparison
from iogauge.decision.costs import Cost, cost_of
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.decision.sets import SetDecision
from iogauge.statistics.intervals import Interval, exp

CLOSE = 1.25
"""Cases that take at most so many times as long are too close to call; beyond it, too little is
known.
"""
_CLEARLY = (
    3  # times the tolerance: a case that costs more so far, surely above it, is to be avoided
)

VerdictKind = Literal[
    "decided",  # a case is recommended
    "open",  # several may be the best, or a simpler one may be good enough
    "too few repeats",  # to compare anything
    "suspended",  # identical code differed
    "impossible",  # the answer would rest on a case that is faster than the machine
    "only one",  # case was measured
    "nothing measured",
]


class MeasuredCase(Protocol):
    """What a verdict needs of a case: its cost against the best of its set, and its own level."""

    @property
    def vs_best(self) -> Comparison | None: ...
    @property
    def is_best(self) -> bool: ...
    @property
    def replicates(self) -> int: ...
    @property
    def ns_per_op(self) -> Interval | None: ...
    @property
    def impossible(self) -> bool: ...
    @property
    def failure(self) -> str | None: ...
    @property
    def is_checked(self) -> bool: ...


C = TypeVar("C", bound=MeasuredCase)


@dataclass(frozen=True)
class SetAnswer(Generic[C]):
    """What is known about the cases of one set, those without data left out.

    `members` begins with the simplest. `recommended` is the simplest that is surely within the
    tolerance of the best; None while there is none. `open` are those that more replicates may make
    the recommended one. `at_most` has how many times the best's time each of the `members` takes at
    most, whichever case is the best.
    """

    members: tuple[C, ...]
    best: C
    recommended: C | None
    can_be_best: tuple[C, ...]
    open: tuple[C, ...]
    surely_slower: tuple[C, ...]
    at_most: tuple[float, ...]
    tolerance: float

    @property
    def simplest(self) -> C:
        return self.members[0]

    @property
    def may_be_as_fast(self) -> tuple[C, ...]:
        """The best, and what is not surely slower: the noise may hide that it is."""
        return tuple(each for each in self.members if each not in self.surely_slower)

    @property
    def for_now(self) -> C:
        """What to use while none is recommended: the simplest that may be the best and is so far
        within the tolerance of it.
        """
        before = self.members[: self.members.index(self.best)]
        as_fast = (
            each
            for each in before
            if each in self.can_be_best
            and each.vs_best
            and each.vs_best.center <= 1 + self.tolerance
        )
        return next(as_fast, self.best)

    @property
    def chosen(self) -> C:
        """What to use: recommended, or for now."""
        return self.recommended or self.for_now

    @property
    def ahead(self) -> C:
        """Of those that may be the best the fastest by its own time, as outputs show it. With few
        replicates pairs may say otherwise: they leave out rounds that only one of two was in.
        """
        return min((self.best, *self.may_be_as_fast), key=_level)

    @property
    def replicates(self) -> int:
        """How many the best-known case has."""
        return max(each.replicates for each in self.members)

    def worst(self, case: C) -> float:
        """How many times the best's time the case takes at most."""
        return self.at_most[self.members.index(case)]

    @property
    def is_alone(self) -> bool:
        """Whether every other case is surely slower than the chosen one."""
        others = [each for each in self.members if each is not self.chosen]
        return self.chosen not in self.surely_slower and all(
            each in self.surely_slower for each in others
        )

    @property
    def reach(self) -> float:
        """How many times as long as the best the cases take at most that may be as fast."""
        others = [each for each in self.may_be_as_fast if not each.is_best]
        unmet = any(each.vs_best is None for each in others)
        known = [each.vs_best.hi for each in others if each.vs_best]
        return math.inf if unmet else max(known, default=math.inf)

    @property
    def worth_naming(self) -> C | None:
        """The case whose cost a reader wants to know: who would write the simplest, what that
        costs; who does already, what the next one would. None where nothing costs more than the
        tolerance.
        """
        worse = [
            each
            for each in self.surely_slower
            if each.vs_best and each.vs_best.hi > 1 + self.tolerance
        ]
        return self.simplest if self.simplest in worse else min(worse, key=behind, default=None)

    @property
    def slowest(self) -> C | None:
        """Of those that are surely slower."""
        return max(self.surely_slower, key=behind, default=None)

    def is_to_avoid(self, case: C) -> bool:
        """Whether a case is so much slower that nobody should use it."""
        found = case.vs_best
        return (
            found is not None
            and found.lo >= 1 + self.tolerance
            and found.center >= 1 + _CLEARLY * self.tolerance
        )


def answer_of(
    found: SetDecision, members: Sequence[int], cases: Mapping[int, C], tolerance: float
) -> SetAnswer[C] | None:
    """The decision on a set in terms of its cases, which are given by their columns; `members` are
    columns, the simplest first. None without data.
    """
    costs = found.costs
    if costs.best is None:
        return None

    def of(columns: Iterable[int]) -> tuple[C, ...]:
        return tuple(cases[each] for each in columns)

    known = [each for each in members if math.isfinite(costs.centers[each])]
    return SetAnswer(
        members=of(known),
        best=cases[costs.best],
        recommended=None if found.recommended is None else cases[found.recommended],
        can_be_best=of(costs.can_be_best),
        open=of(found.open_cases),
        surely_slower=of(found.surely_slower),
        at_most=tuple(exp(float(costs.hi[each])) for each in known),
        tolerance=tolerance,
    )


CaseKind = Literal[
    "use",  # recommended
    "for now",  # to use while nothing is recommended
    "fastest",  # and not recommended, because a simpler one is good enough
    "ahead",  # the fastest so far
    "unsure",  # identical code differed, and this case may be no slower than that
    "beyond the limit",  # faster than the machine
    "cost",  # see the cost
    "none",  # nothing to say
]


@dataclass(frozen=True, slots=True)
class CaseVerdict:
    """What to say of a case beside its time. `simpler`: it is used for now because it is simpler
    than the best so far. `hides`: its own time is no longer than that of the case to use, which
    only the comparison repeat by repeat tells apart.
    """

    kind: CaseKind
    cost: Cost | None = None
    simpler: bool = False
    hides: bool = False


_NONE = CaseVerdict("none")
_OPEN = CaseVerdict("cost", Cost("open"))


@dataclass(frozen=True)
class SetVerdict(Generic[C]):
    """What is known of one set: the cases of a language, or of one of its runtimes.

    `use` is recommended, or good enough for now while nothing is sure; where nothing can be
    compared, the best so far. `beyond` are cases that are faster than the machine. `pending`:
    nothing was measured yet, but may still be.
    """

    set: str
    kind: VerdictKind
    use: C | None = None
    answer: SetAnswer[C] | None = None
    beyond: tuple[C, ...] = ()
    pending: bool = False

    @property
    def is_sure(self) -> bool:
        """Whether `use` is recommended; that a simpler case may do, too, can be open."""
        return bool(self.answer and self.answer.recommended) and self.kind in ("decided", "open")

    @property
    def is_for_now(self) -> bool:
        """Whether `use` holds only until it is known which case is good enough."""
        return self.kind == "open" and bool(self.answer and self.answer.recommended is None)

    def is_simplest(self, case: C) -> bool:
        """Whether the case is the simplest of several; of what is not checked none is simpler."""
        answer = self.answer
        several = bool(answer and len(answer.members) > 1 and case is answer.simplest)
        return several and case.is_checked

    def of_case(self, case: C, tolerance: float) -> CaseVerdict:
        """What to say of a case of the set."""
        answer, cost = self.answer, cost_to_best(case, tolerance)
        hides = looks_as_fast(case, self.use)
        costs = CaseVerdict("cost", cost, hides=hides) if cost else _NONE
        if self.kind == "impossible":
            return CaseVerdict("beyond the limit") if case.impossible else _NONE
        if self.kind in ("too few repeats", "only one"):
            ahead = case is self.use and self.kind == "too few repeats"
            return CaseVerdict("ahead") if ahead else _NONE
        if answer is None:
            return costs
        if self.kind == "suspended":
            return costs if case in answer.surely_slower else CaseVerdict("unsure")
        if case is answer.recommended:
            return CaseVerdict("use")
        if self.is_for_now and case is self.use:
            return CaseVerdict("for now", simpler=not case.is_best and case.is_checked)
        if case.is_best and answer.recommended:
            return CaseVerdict("fastest" if answer.can_be_best == (case,) else "ahead")
        open_ = case.is_best or (case.vs_best and case.vs_best.outcome == "undecided")
        return _OPEN if (open_ and hides) or cost is None else costs


def verdict_of(
    name: str,
    cases: Sequence[C],
    answer: SetAnswer[C] | None,
    *,
    suspended: bool,
    usable: bool,
    pending: bool,
) -> SetVerdict[C]:
    """The verdict on a set with these cases. `suspended`: identical code differed; `usable`: the
    baseline and its control are not faster than the machine; `pending`: the group may still be
    measured.
    """
    if answer is None:
        if any(each.ns_per_op for each in cases):
            return SetVerdict(name, "impossible")
        waits = pending and not any(each.failure for each in cases)
        return SetVerdict(name, "nothing measured", pending=waits)
    if suspended:
        return SetVerdict(name, "suspended", answer.best, answer)
    beyond = tuple(each for each in cases if each.impossible)
    if not usable or beyond:  # of the others, one that is beyond may be better
        return SetVerdict(name, "impossible", answer.best, answer, beyond if usable else ())
    if len(answer.members) == 1:
        return SetVerdict(name, "only one", answer.best, answer)
    if answer.replicates < FEWEST_REPLICATES:
        return SetVerdict(name, "too few repeats", answer.ahead, answer)
    kind: VerdictKind = "open" if answer.open or answer.recommended is None else "decided"
    return SetVerdict(name, kind, answer.chosen, answer)


def verdict_on_first(others: Iterable[Comparison | None], *, provisional: bool) -> CaseVerdict:
    """On the best of all, from the comparisons of the bests of the other sets with it."""
    sure = all(each and (each.final or each.outcome == "slower") for each in others)
    return CaseVerdict("fastest" if sure and not provisional else "ahead")


def verdict_on_other(found: Comparison | None, tolerance: float) -> CaseVerdict:
    """On the best of another set, from its comparison with the best of all."""
    return CaseVerdict("cost", cost_of(found, tolerance) if found else Cost("unknown"))


def cost_to_best(case: MeasuredCase, tolerance: float) -> Cost | None:
    """What a case costs against the best of its set; None for the best itself and without data."""
    if case.is_best or case.vs_best is None:
        return None
    return cost_of(case.vs_best, tolerance)


def looks_as_fast(case: MeasuredCase, than: MeasuredCase | None) -> bool:
    """Whether its own time is no longer than that of the one to use."""
    levels = case.ns_per_op, than and than.ns_per_op
    return bool(levels[0] and levels[1] and levels[0].center <= levels[1].center)


def _level(case: MeasuredCase) -> float:
    return case.ns_per_op.center if case.ns_per_op else math.inf


def behind(case: MeasuredCase) -> float:
    """How far it is behind the best, to sort by."""
    return case.vs_best.center if case.vs_best and not case.is_best else 0.0
