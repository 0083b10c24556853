"""What to use, said in one line per language: the terminal, the page, Markdown, the JSON export and
advice share these sentences.

Nothing is decided here: analysis says which case is recommended and what is open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport, SetAnswer
from iogauge.decision.comparison import Comparison
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.model.ratios import LARGER, from_one, over, times
from iogauge.model.units import share
from iogauge.outputs import next_steps

State = Literal[
    "decided",  # a case is recommended
    "open",  # several may be the best, or a simpler one may be good enough
    "too few repeats",  # to compare anything
    "suspended",  # identical code differed
    "impossible",  # what it would rest on is faster than the machine
    "only one",  # case was measured
    "nothing measured",
]
USE, FOR_NOW, SAME, NOT_SURE = "use this", "for now", "as fast", "not sure"
AS_FAST, SLOWER, LOOKS_SLOWER = "as fast?", "slower", "slower?"
SIMPLEST = ", simplest"
"""What the name of the simplest case ends in, where it is not the one to use."""
TOO_WIDE = 3.0
"""An interval whose ends are further apart, as a factor, is a word and not a number."""
_CLEARLY = 3  # times the tolerance: what costs more so far, and surely more than that, is to avoid
_HARDLY = 1.1  # times the best: a bound below it is not worth telling
_NEVER = 20.0  # times the best at least
_MOST_NAMES = 3
NOT_SURE_YET = "not sure yet"


@dataclass(frozen=True)
class Recommendation:
    """What is known of one set: the cases of a language, or of one of its runtimes.

    `case` is what to use: recommended, or good enough for now while nothing is sure. `says` is one
    plain sentence or two, without the name of the set, `short` a few words, and `instead` what a
    simpler case (or the next one) costs, where that is known: `Read 8K takes 1.4-1.7x`.
    """

    set: str
    state: State
    case: CaseReport | None
    answer: SetAnswer | None
    says: str
    short: str
    instead: str = ""
    name: str = ""  # of the set, for people: `Go`, or `Java (17.0.15)`

    @property
    def is_sure(self) -> bool:
        """Whether `case` is recommended; that a simpler one may do, too, can be open."""
        return bool(self.answer and self.answer.recommended and self.case) and self.state in (
            "decided",
            "open",
        )

    @property
    def is_for_now(self) -> bool:
        """Whether `case` is only to be used until it is known which one is good enough."""
        return self.state == "open" and bool(self.answer and self.answer.recommended is None)

    def is_simplest(self, case: CaseReport) -> bool:
        """Whether the case is the simplest of several."""
        answer = self.answer
        several = bool(answer and len(answer.members) > 1 and case is answer.simplest)
        return several and case.strategy.is_checked


def of(group: GroupReport) -> tuple[Recommendation, ...]:
    """One per set: by name where each has several cases to choose from, else the set of the best
    case first; those without data last.
    """
    names = dict.fromkeys([*group.sets, *(each.rank_set for each in group.cases)])
    if all(len(answer.members) > 1 for answer in group.answers.values()):
        names = dict.fromkeys(sorted(names, key=lambda name: (name not in group.answers, name)))
    return tuple(replace(_of_set(group, name), name=group.called(name)) for name in names)


def cost(case: CaseReport, tolerance: float) -> str:
    """What a case costs against the best of its set: `1.4-1.7x`, `3x`, `over 2x` where only that is
    sure, `slower` where not even so much, `as fast` within the tolerance; of what may be as fast
    `as fast?`, with `1-1.6x` where that is known, or `slower?` where it looks so; `not sure yet`
    after too few repeats. Empty for the best itself and without data.
    """
    return "" if case.is_best or case.vs_best is None else cost_of(case.vs_best, tolerance)


def cost_of(found: Comparison, tolerance: float) -> str:
    if found.hi <= 1 + tolerance and found.outcome != "undecided":
        return SAME
    if found.outcome == "slower":
        return _slower(found) or SLOWER
    if found.replicates < FEWEST_REPLICATES:
        return NOT_SURE_YET
    if found.hi <= TOO_WIDE:
        return f"{AS_FAST} {from_one(found.hi)}"
    return LOOKS_SLOWER if found.center > LARGER else AS_FAST


def note(group: GroupReport, case: CaseReport, found: Recommendation) -> str:
    """What a table tells of a case of the set: whether to use it, or what it costs."""
    answer, costs = found.answer, cost(case, group.tolerance)
    if found.state == "impossible":
        return "beyond the limit" if case.impossible else ""
    if found.state in ("too few repeats", "only one"):
        ahead = case.is_best and found.state == "too few repeats"
        return "fastest so far" if ahead else ""
    if answer is None:
        return costs
    if found.state == "suspended":
        return costs if case in answer.surely_slower else NOT_SURE
    if case is answer.recommended:
        return USE
    if found.is_for_now and case is found.case:
        return FOR_NOW if case.is_best or not group.is_checked else f"{FOR_NOW}, simpler"
    if case.is_best and answer.recommended:
        return "fastest" if answer.can_be_best == (case,) else "fastest so far"
    unsure = case.is_best or (case.vs_best and case.vs_best.outcome == "undecided")
    return AS_FAST if unsure and looks_as_fast(case, found.case) else costs or AS_FAST


def looks_as_fast(case: CaseReport, than: CaseReport | None) -> bool:
    """Whether its own time is no longer than that of the one to use."""
    levels = case.ns_per_op, than and than.ns_per_op
    return bool(levels[0] and levels[1] and levels[0].center <= levels[1].center)


def _of_set(group: GroupReport, name: str) -> Recommendation:
    answer = group.answers.get(name)
    if answer is None:
        members = [each for each in group.cases if each.rank_set == name]
        return _without_data(group, name, members)
    best = answer.best
    if group.suspended:
        says = _suspended(group, answer)
        return Recommendation(name, "suspended", best, answer, says, "no answer")
    if not group.has_verdicts:
        return Recommendation(name, "impossible", best, answer, _IMPOSSIBLE, "no answer")
    beyond = [each for each in group.cases if each.rank_set == name and each.impossible]
    if beyond:  # whatever is told of the others, one of these may be better
        seem = "seem" if len(beyond) > 1 else "seems"
        says = f"no answer: {_names(group, beyond, 'and')} {seem} faster than {_LIMIT} is; "
        says += "measure again."
        return Recommendation(name, "impossible", best, answer, says, "no answer")
    if len(answer.members) == 1:
        says = f"{group.name_of(best)} is the only one that was measured."
        short = f"{group.name_of(best)}, the only one"
        return Recommendation(name, "only one", best, answer, says, short)
    if answer.replicates < FEWEST_REPLICATES:
        says = (
            f"not measured enough: {_repeats(answer)}, and {FEWEST_REPLICATES} are needed. So far "
            f"{group.name_of(best)} is ahead."
        )
        short = f"not measured enough, {FEWEST_REPLICATES} repeats are needed"
        return Recommendation(name, "too few repeats", best, answer, says, short)
    slow = _told(group, answer)
    instead = ""
    if slow and slow.vs_best:
        instead = f"{group.name_of(slow)} takes {_slower(slow.vs_best) or _LONGER}"
    if answer.recommended is None:
        chosen, says = answer.for_now, _open(group, answer)
        short = f"{group.name_of(chosen)} for now"
        return Recommendation(name, "open", chosen, answer, says, short)
    state: State = "open" if answer.open else "decided"
    says = _chosen(group, answer, answer.recommended)
    return Recommendation(
        name, state, answer.recommended, answer, says, group.name_of(answer.recommended), instead
    )


_LONGER = "longer"
_LIMIT = "what was measured as this machine's limit"
_IMPOSSIBLE = "no answer: what the others are compared with seems faster than the machine can be."


def _without_data(group: GroupReport, name: str, members: Sequence[CaseReport]) -> Recommendation:
    if any(each.ns_per_op for each in members):
        return Recommendation(name, "impossible", None, None, _IMPOSSIBLE, "no answer")
    failed = any(each.failure for each in members)
    waits = group.provisional and not group.samples and not failed
    says = "not measured yet." if waits else "nothing could be measured."
    return Recommendation(name, "nothing measured", None, None, says, says[:-1])


def _suspended(group: GroupReport, answer: SetAnswer) -> str:
    """That identical code differed, and what is slower all the same."""
    control = group.control
    assert control is not None  # it is what suspends the group
    apart = [control.lo, control.hi] if control.lo > 1 else [1 / control.hi, 1 / control.lo]
    says = f"the same code, run twice, came out {times(*apart)} apart."
    slower = _by_place(answer.surely_slower)
    if not slower:
        return f"no answer: {says}"
    names = _names(group, slower, "and")
    alone = slower[0].vs_best if len(slower) == 1 else None
    told = f"takes {as_long(alone)}" if alone else "are surely slower"
    return f"no sure answer: {says} Even so, {names} {told}."


def _chosen(group: GroupReport, answer: SetAnswer, chosen: CaseReport) -> str:
    """The recommended case, and what the simplest would cost."""
    name, within = group.name_of(chosen), f"(within {share(group.tolerance)})"
    if answer.open:
        return f"{name} is as fast as anything {within}. {_still_open(group, answer)}"
    others = [each for each in answer.members if each is not chosen]
    alone = all(each in answer.surely_slower for each in others)
    alone = alone and chosen not in answer.surely_slower
    says = f"{name} is {'fastest' if alone else f'as fast as anything {within}'}."
    told = _told(group, answer)
    if told is None or told.vs_best is None:
        return says
    name, costs = group.name_of(told), as_long(told.vs_best)
    return f"{says} " + (
        f"Never {name}: {costs}." if told.vs_best.lo >= _NEVER else f"{name} takes {costs}."
    )


def _still_open(group: GroupReport, answer: SetAnswer) -> str:
    """Of a set with a recommended case: that a simpler one may do, too."""
    slower = [each for each in answer.open if each in answer.surely_slower]
    rest = [each for each in answer.open if each not in slower]
    simpler = "The simpler " if group.is_checked else ""
    says = []
    if rest:
        says.append(f"{simpler}{_names(group, rest, 'or')} may be, too; that is not sure yet.")
    if slower:
        names = _names(group, slower, "and")
        within = f"within {share(group.tolerance)}"
        says.append(
            f"{simpler}{names} {'is' if len(slower) == 1 else 'are'} slower, but may be {within}."
        )
    return " ".join(says)


def _told(group: GroupReport, answer: SetAnswer) -> CaseReport | None:
    """Who would write the simplest wants to know what it costs; who does already, what the next one
    would. None where nothing costs more than the tolerance.
    """
    worse = [
        each
        for each in answer.surely_slower
        if each.vs_best and each.vs_best.hi > 1 + group.tolerance
    ]
    if answer.simplest in worse:
        return answer.simplest
    return min(worse, key=_behind, default=None)


def _open(group: GroupReport, answer: SetAnswer) -> str:
    """Several may be the best: which one to use for now, and how much the others matter."""
    name = group.name_of(answer.for_now)
    others = [each for each in answer.may_be_as_fast if each is not answer.for_now]
    if (reach := next_steps.reach(answer)) <= next_steps.CLOSE:
        says = (
            f"{name} for now. It and {_names(group, _by_place(others), 'and')} are too close to "
            f"call after {_repeats(answer)} (at most {share(reach - 1, 2)} apart)."
        )
    else:
        any_other = len(others) == len(answer.members) - 1 >= _MOST_NAMES
        who = "any other" if any_other else _names(group, _by_place(others), "or")
        says = f"{name} for now. Not sure yet after {_repeats(answer)}: {who} may be as fast."
    if not answer.surely_slower:
        return says
    told = max(answer.surely_slower, key=_behind)
    assert told.vs_best is not None
    slow, cost_of_it = group.name_of(told), as_long(told.vs_best)
    surely, so_far = 1 + group.tolerance, 1 + _CLEARLY * group.tolerance
    if told.vs_best.lo >= surely and told.vs_best.center >= so_far:
        return f"{says} Avoid {slow}: {cost_of_it}."
    return f"{says} {slow} takes {cost_of_it}."


def _by_place(cases: Sequence[CaseReport]) -> list[CaseReport]:
    """The one that is ahead first."""
    return sorted(cases, key=_behind)


def _behind(case: CaseReport) -> float:
    return case.vs_best.center if case.vs_best and not case.is_best else 0.0


def _repeats(answer: SetAnswer) -> str:
    return f"{answer.replicates} repeat{'' if answer.replicates == 1 else 's'}"


def _names(group: GroupReport, cases: Sequence[CaseReport], conjunction: str) -> str:
    names = [group.name_of(each) for each in cases[:_MOST_NAMES]]
    if len(cases) > _MOST_NAMES:
        return f"{', '.join(names)} {conjunction} {len(cases) - _MOST_NAMES} more"
    return f" {conjunction} ".join(each for each in (", ".join(names[:-1]), names[-1]) if each)


def _slower(found: Comparison) -> str:
    """The cost of what is surely slower: `1.4-1.7x`; `over 2.3x` where only the lower bound says
    something; nothing where that is hardly above 1, so that no number is sure.
    """
    wide = not found.hi <= TOO_WIDE * found.lo
    if wide and found.lo < _HARDLY:
        return ""
    if wide or (found.eliminated and found.lo < _NEVER):
        return over(found.lo)
    return times(found.lo, found.hi)


def as_long(found: Comparison, than: str = "") -> str:
    """`1.4-1.7x as long`, `over 2.3x as long as Go's`, or `longer than Go's`."""
    if costs := _slower(found):
        return f"{costs} as long" + (f" as {than}" if than else "")
    return f"{_LONGER} than {than}" if than else _LONGER
