"""Answers made by hand: what is known of cases that have only a name and what they cost, for
verdicts and for the sentences on them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport
from iogauge.decision.comparison import Comparison, Outcome
from iogauge.decision.verdict import SetAnswer
from iogauge.model.workload import Conditions, Workload
from tests.reports import case_report

Ratio = tuple[float, float, float]
"""The centre and the bounds."""


def compared(
    ratio: Ratio, outcome: Outcome = "slower", replicates: int = 5, **more: Any
) -> Comparison:
    return Comparison(1, 0, *ratio, replicates, outcome, **{"final": True, **more})


def case(
    name: str,
    cost: Ratio | None = None,
    outcome: Outcome = "slower",
    replicates: int = 5,
    *,
    eliminated: bool = False,
    of: str = "go",
    ns: float | None = None,
    **more: Any,
) -> CaseReport:
    """`cost` is its time over that of the best; None for the best of its set, which is `of`."""
    language, _, runtime = of.partition(" on ")
    strategy = re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")
    made = case_report(f"{language}/{strategy}", ns or 1e6 * (cost[0] if cost else 1))
    given = {
        "case": made.case.model_copy(update={"runtime": runtime or f"{language}-1"}),
        "strategy": made.strategy.model_copy(update={"title": name}),
        "vs_best": cost and compared(cost, outcome, replicates, eliminated=eliminated),
    }
    given |= {"rank_set": of, "is_best": cost is None}
    return replace(made, **{**given, "replicates": replicates, "eliminated": eliminated, **more})


def slower(name: str, lo: float, hi: float, **more: Any) -> CaseReport:
    return case(name, ((lo + hi) / 2, lo, hi), **more)


def maybe(name: str, hi: float, center: float = 1.1, **more: Any) -> CaseReport:
    """It may be as fast as the best."""
    return case(name, (center, 1, hi), "undecided", **more)


def unchecked(made: CaseReport) -> CaseReport:
    """The same, of which nobody knows how much it reads."""
    return replace(made, strategy=made.strategy.model_copy(update={"sums": "nothing"}))


def answer(
    *members: CaseReport,
    recommended: CaseReport | None = None,
    can_be_best: tuple[CaseReport, ...] = (),
    open: tuple[CaseReport, ...] = (),
    tolerance: float = 0.1,
) -> SetAnswer[CaseReport]:
    """Of these, the simplest first. Slower is what is said to be so."""
    best = next(each for each in members if each.is_best)
    slower = tuple(each for each in members if each.vs_best and each.vs_best.outcome == "slower")
    at_most = tuple(each.vs_best.hi if each.vs_best else 1.0 for each in members)
    can_be_best = can_be_best or (best,)
    return SetAnswer(members, best, recommended, can_be_best, open, slower, at_most, tolerance)


def sure(*members: CaseReport, **more: Any) -> SetAnswer[CaseReport]:
    """The last of these is recommended."""
    return answer(*members, recommended=members[-1], **more)


def all_open(*members: CaseReport) -> SetAnswer[CaseReport]:
    """Any of these may be the best."""
    return answer(*members, can_be_best=members, open=members)


def group(
    *answers: SetAnswer[CaseReport],
    without: tuple[CaseReport, ...] = (),
    compare: str = "best",
    usable: bool = True,
    **more: Any,
) -> GroupReport:
    """A group with such an answer for each set, and cases `without` one. It has no data."""
    cases = (*(member for each in answers for member in each.members), *without)
    of_set = {each.best.rank_set: each for each in answers}
    every = range(len(cases) + 1)
    data = SimpleNamespace(group=SimpleNamespace(compare=compare, cases=every))
    data.unusable = () if usable else every
    given = dict.fromkeys(GroupReport.__dataclass_fields__)
    given |= {"id": "g", "question": "Which?", "title": "read", "cases": cases, "data": data}
    given |= {"workload": Workload(size=16 << 20), "conditions": Conditions(cache="warm")}
    given |= {"sets": tuple(of_set), "answers": of_set, "vs_overall": dict.fromkeys(of_set)}
    given |= {"best_of": {name: each.best for name, each in of_set.items()}, "language_names": {}}
    given |= {"replicates": max((each.replicates for each in answers), default=0)}
    given |= {"undecided": sum(bool(each.open) for each in answers), "open_pairs": (), "across": ()}
    given |= {"precision": 0.03, "tolerance": 0.1, "suspended": False, "provisional": False}
    return GroupReport(**{**given, "samples": 9, **more})
