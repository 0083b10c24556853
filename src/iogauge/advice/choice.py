"""Which way to advise: the simplest, with the smallest block or buffer, that is surely within the
tolerance of the best; while none is, the way to use for now. `decision` says which one that is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from iogauge.advice import reasons
from iogauge.advice.pooled import Ways
from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport
from iogauge.analysis.report import Report
from iogauge.decision.comparison import Comparison
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
    leads: bool  # it is the best so far
    fastest: Other | None  # None if the choice itself came out fastest
    in_most: bool  # the `fastest` took less time in most replicates
    simpler: Other | None  # the fastest of the ways that are easier to write
    simplest: Other | None  # the easiest to write, if that is neither the choice nor `simpler`
    smaller: Other | None  # the choice itself with a smaller block or buffer
    reason: str | None
    hint: str | None  # code; None if the code that is known would not do what was asked
    runs: int  # the comparisons rest on so many runs


def choose(
    report: Report, group: GroupReport, ways: Ways, considered: int, beyond_ceiling: int = 0
) -> Advice:
    """Advice from the ways of a set; `considered` counts those without data, too."""
    answer = ways.answer
    chosen, members = answer.chosen, answer.members
    # What was eliminated, and is surely slower, was measured too little to be the fastest.
    slow = {id(each) for each in answer.surely_slower if each.eliminated}
    fastest = _fastest(ways, (each for each in members if id(each) not in slow))
    simpler = _fastest(
        ways, (each for each in members if each.strategy.effort < chosen.strategy.effort)
    )
    simplest = _fastest(ways, [answer.simplest])
    if simpler and simplest and simplest[0] is simpler[0]:
        simplest = None
    smaller = _fastest(ways, (each for each in members if _is_smaller(each, chosen)))
    return Advice(
        header=report.run.header,
        caveats=report.caveats,
        group=group,
        choice=_of(group, chosen),
        among=len(members),
        uncompared=considered - len(members),
        beyond_ceiling=beyond_ceiling,
        worst=answer.worst(chosen),
        sure=answer.recommended is not None,
        leads=chosen is answer.best,
        fastest=_other(group, fastest) if fastest and fastest[1].center < 1 else None,
        in_most=fastest is not None and ways.faster_in_most(fastest[0], chosen),
        simpler=_other(group, simpler),
        simplest=_other(group, simplest),
        smaller=_other(group, smaller),
        reason=reasons.first(chosen),
        hint=hints.of_case(chosen.case),
        runs=ways.runs,
    )


def _is_smaller(one: CaseReport, than: CaseReport) -> bool:
    """Whether it is the same strategy with no parameter larger."""
    return one.case.strategy == than.case.strategy and all(
        value <= than.case.parameters[name] for name, value in one.case.parameters.items()
    )


def _fastest(ways: Ways, others: Iterable[CaseReport]) -> Other | None:
    """The fastest of the others, with its time over that of the choice: where that is the best,
    what all outputs show as its cost.
    """
    chosen = ways.answer.chosen
    found = [
        (each, ratio)
        for each in others
        if each is not chosen
        and (ratio := (each.vs_best if chosen.is_best else None) or ways.compare(each, chosen))
    ]
    return min(found, key=lambda each: each[1].center, default=None)


def _other(group: GroupReport, found: Other | None) -> Other | None:
    return found and (_of(group, found[0]), found[1])


def _of(group: GroupReport, case: CaseReport) -> CaseReport:
    """The case as its own run has it: several runs may have been compared."""
    return next(each for each in group.cases if each.case.key == case.case.key)
