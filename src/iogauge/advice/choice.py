"""Which way to advise: the simplest, with the smallest block or buffer, that is surely within the
tolerance of the best. Of one run, analysis says which that is, for all outputs.

If the intervals are too wide to be sure of any, the choice is the fastest so far, or a simpler way
that is within the tolerance so far. The advice then says how much the choice may lose.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from iogauge.advice import reasons
from iogauge.advice.pooled import Typical
from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport
from iogauge.analysis.report import Report
from iogauge.claims.comparable import Comparable
from iogauge.decision.comparison import Comparison
from iogauge.decision.verdict import SetAnswer
from iogauge.runfile.header import Header
from iogauge.runners import hints

Other = tuple[CaseReport, Comparison]
"""Another way, with its time over that of the choice."""


@dataclass(frozen=True)
class Advice:
    """A choice, how sure it is, and the other ways worth naming."""

    header: Header
    caveats: tuple[str, ...]  # of the run
    group: GroupReport
    choice: CaseReport
    among: int  # ways that were compared
    uncompared: int  # ways with too few valid samples
    beyond_ceiling: int  # ways left out: they seem faster than the machine, so a time is wrong
    worst: float  # at most so many times the best's time does the choice take
    sure: bool  # it is surely within the tolerance of the best
    leads: bool  # no other way took less time in most replicates
    fastest: Other | None  # None if the choice itself came out fastest
    in_most: bool  # the `fastest` took less time in most replicates
    simpler: Other | None  # the fastest of the ways that are easier to write
    simplest: Other | None  # the easiest to write, if that is neither the choice nor `simpler`
    smaller: Other | None  # the choice itself with a smaller block or buffer
    reason: str | None
    hint: str | None  # code; None if the code that is known would not do what was asked
    runs: int  # the comparisons rest on so many runs


def choose(
    report: Report,
    group: GroupReport,
    comparable: Comparable,
    indexes: list[int],
    typical: Typical,
    beyond_ceiling: int = 0,
    runs: int = 1,
    answer: SetAnswer[CaseReport] | None = None,
) -> Advice:
    """Advice from the cases at these indexes among the entries of a Comparable. The `answer` is
    what analysis says of them, in every output; None where several runs tell, and the Comparable
    does.
    """
    ways = _Ways(comparable, indexes, typical, group.tolerance, answer)
    chosen, sure = ways.choice()
    mine = ways.case[chosen]
    worst = answer.at_most.get(mine.case.key, math.inf) if answer else ways.worst[chosen]
    fastest = ways.fastest_beside(chosen, ways.rivals)
    quicker = [
        ways.case[each]
        for each in ways.rivals
        if each != chosen and (typical(each, chosen) or math.inf) < 1
    ]
    simpler = (each for each in indexes if ways.case[each].strategy.effort < mine.strategy.effort)
    smaller = (each for each in indexes if _is_smaller(ways.case[each], mine))
    simpler_one = ways.fastest_beside(chosen, simpler)
    simplest = ways.fastest_beside(chosen, [ways.simplest()])
    if simpler_one and simplest and simplest[0] is simpler_one[0]:
        simplest = None
    return Advice(
        header=report.run.header,
        caveats=report.caveats,
        group=group,
        choice=mine,
        among=len(ways.known),
        uncompared=len(indexes) - len(ways.known),
        beyond_ceiling=beyond_ceiling,
        worst=worst,
        sure=sure,
        leads=mine is answer.best if answer else not quicker,
        fastest=fastest if fastest and fastest[1].center < 1 else None,
        in_most=fastest is not None and fastest[0] in quicker,
        simpler=simpler_one,
        simplest=simplest,
        smaller=ways.fastest_beside(chosen, smaller),
        reason=reasons.first(mine),
        hint=hints.of_case(mine.case),
        runs=runs,
    )


def _is_smaller(one: CaseReport, than: CaseReport) -> bool:
    """Whether it is the same strategy with no parameter larger."""
    return one.case.strategy == than.case.strategy and all(
        value <= than.case.parameters[name] for name, value in one.case.parameters.items()
    )


class _Ways:
    """The ways to choose from, by their indexes among the entries of a Comparable."""

    def __init__(
        self,
        comparable: Comparable,
        indexes: list[int],
        typical: Typical,
        tolerance: float,
        answer: SetAnswer[CaseReport] | None,
    ) -> None:
        self.comparable, self.typical, self.tolerance = comparable, typical, tolerance
        self.answer = answer
        measured = {each: comparable.entries[each].measured for each in indexes}
        self.case = {each: found for each, found in measured.items() if found is not None}
        # A way that cannot be compared with any other has too few valid samples.
        self.known = [each for each in indexes if self._is_compared(each, indexes)] or indexes
        remaining = [each for each in self.known if not self.case[each].eliminated]
        # A way that was settled early and is surely behind another is no choice.
        self.rivals = [
            each
            for each in self.known
            if not (self.case[each].eliminated and self._is_behind(each, remaining))
        ]
        self.worst = {each: self._at_most(each) for each in self.rivals}

    def simplest(self) -> int:
        return min(self.known, key=lambda each: self.case[each].simplicity)

    def choice(self) -> tuple[int, bool]:
        """The simplest way that is near enough, whichever is the best, and whether that is sure.

        Among equally simple ways it is the one with the smallest parameters. If no way is surely
        near enough, it is the typically fastest so far, or a simpler one within the tolerance
        so far: a narrow interval is no merit of a way.
        """
        if answer := self.answer:
            told = answer.recommended or answer.for_now
            chosen = next(each for each in self.case if self.case[each] is told)
            return chosen, answer.recommended is not None
        near = [each for each in self.rivals if self.worst[each] <= 1 + self.tolerance]
        if near:
            return min(near, key=lambda each: (*self.case[each].simplicity, self.worst[each])), True
        so_far = self._fastest_so_far()
        behind = {
            each: 1.0 if each == so_far else self.typical(each, so_far) or math.inf
            for each in self.rivals
        }
        near = [each for each in self.rivals if behind[each] <= 1 + self.tolerance]
        return min(near, key=lambda each: (self.case[each].strategy.effort, behind[each])), False

    def fastest_beside(self, chosen: int, others: Iterable[int]) -> Other | None:
        """The fastest of the others, with its time over that of the choice: where that is the best,
        what all outputs tell that they cost.
        """
        is_best = self.answer is not None and self.case[chosen] is self.answer.best

        def compared(one: int) -> Comparison | None:
            told = self.case[one].vs_best if is_best else None
            return told or self.comparable.compare(one, chosen)

        found = [
            (self.case[each], ratio)
            for each in others
            if each != chosen and (ratio := compared(each)) is not None
        ]
        return min(found, key=lambda each: each[1].center, default=None)

    def _is_compared(self, one: int, indexes: list[int]) -> bool:
        others = (each for each in indexes if each != one)
        return any(self.comparable.compare(one, other) is not None for other in others)

    def _is_behind(self, one: int, others: list[int]) -> bool:
        compared = (self.comparable.compare(one, other) for other in others)
        return any(found is not None and found.outcome == "slower" for found in compared)

    def _at_most(self, one: int) -> float:
        """How many times the best's time it takes at most, whichever rival is the best."""
        compared = [self.comparable.compare(one, each) for each in self.rivals if each != one]
        return max([1.0, *(math.inf if found is None else found.hi for found in compared)])

    def _fastest_so_far(self) -> int:
        """The typically fastest, by the replicates that two ways have in common.

        Its own time alone would not do: a way that was measured in fewer replicates may have met a
        quieter machine.
        """
        fastest, met = min(self.rivals, key=self.comparable.ns), set[int]()
        while fastest not in met:
            met.add(fastest)
            faster = {
                each: found
                for each in self.rivals
                if each not in met
                and (found := self.typical(each, fastest)) is not None
                and found < 1
            }
            fastest = min(faster, key=lambda each: faster[each], default=fastest)
        return fastest
