"""What to use, said in one line per language: the terminal, the page, Markdown, the JSON export and
advice share these sentences.

Nothing is decided here: analysis says which case is recommended and what is open.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport, SetAnswer
from iogauge.model.ratios import about, over, times, up_to
from iogauge.model.units import duration, share
from iogauge.statistics.best import FEWEST_REPLICATES
from iogauge.statistics.comparing import Comparison

State = Literal[
    "decided",  # a case is recommended
    "open",  # several may be the best, or a simpler one may be good enough
    "too few repeats",  # to compare anything
    "suspended",  # identical code differed
    "impossible",  # what it would rest on is faster than the machine
    "only one",  # case was measured
    "nothing measured",
]
TOO_WIDE = 3.0
"""An interval whose ends are further apart, as a factor, is a word and not a number."""
_CLOSE = 1.25  # times the best at most: too close to call; further away, not known well enough
_HARDLY = 1.1  # times the best: a bound below it is not worth telling
_NEVER = 20.0  # times the best at least
_MOST_NAMES = 3


@dataclass(frozen=True)
class Recommendation:
    """What is known of one set: the cases of a language, or of one of its runtimes.

    `case` is what to use: recommended, or the best so far while nothing is sure. `says` is one
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

    @property
    def name(self) -> str:
        """`Go`, or `Java on jvm-17.0.15`."""
        return self.set[:1].upper() + self.set[1:]


def of(group: GroupReport) -> tuple[Recommendation, ...]:
    """One per set, the set of the best case first, those without data last."""
    names = dict.fromkeys([*group.sets, *(each.rank_set for each in group.cases)])
    return tuple(_of_set(group, name) for name in names)


def sentences(group: GroupReport) -> list[str]:
    """All there is to say of a group: a sentence per set, how the sets compare, and what would
    decide the rest.
    """
    found = of(group)
    if len({each.says for each in found}) == 1 and len(found) > 1:  # what holds for the whole group
        return [capital(found[0].says)]
    says = [f"{each.name}: {each.says}" for each in found]
    return [each for each in (*says, across(group), to_decide(group)) if each]


def cost(case: CaseReport, tolerance: float) -> str:
    """What a case costs against the best of its set: `1.4-1.7x`, `3x`, `over 2x (about 8x)`, `the
    same within 10 %`, `up to 1.6x`, `not sure yet`. Empty for the best itself and without data.
    """
    found = case.vs_best
    if case.is_best or found is None:
        return ""
    if found.hi <= 1 + tolerance:
        return f"the same within {share(tolerance)}"
    if found.outcome == "slower":
        return _slower(found)
    return up_to(found.hi) if found.hi <= TOO_WIDE else "not sure yet"


def across(group: GroupReport) -> str | None:
    """How the bests of the sets compare, as far as that is decided."""
    if group.provisional or group.suspended or len(group.answers) < 2:
        return None
    first, parts = capital(group.sets[0]), []
    for name in group.sets[1:]:
        found = group.vs_overall[name]
        if found and found.outcome == "slower":
            parts.append(
                f"The best of {capital(name)} takes {_slower(found)} as long as {first}'s."
            )
        elif found and found.outcome == "same":
            parts.append(f"The best of {capital(name)} is as fast as {first}'s.")
    return " ".join(parts) or None


def to_decide(group: GroupReport) -> str | None:
    """What it would take to decide what is open."""
    if (
        group.provisional
        or group.suspended
        or not any(each.open for each in group.answers.values())
    ):
        return None
    if group.seconds_needed is None:
        return "More repeats are not likely to decide what is open."
    return f"About {duration(max(1, round(group.seconds_needed)))} more may decide what is open."


def _of_set(group: GroupReport, name: str) -> Recommendation:
    answer = group.answers.get(name)
    if answer is None:
        members = [each for each in group.cases if each.rank_set == name]
        return _without_data(group, name, members)
    best = answer.best
    if group.suspended:
        return Recommendation(name, "suspended", best, answer, _suspended(group), "no answer")
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
    instead = f"{group.name_of(slow)} takes {cost(slow, group.tolerance)}" if slow else ""
    if answer.recommended is None:
        short = _which(group, answer)
        return Recommendation(name, "open", best, answer, _open(group, answer), short)
    state: State = "open" if answer.open else "decided"
    says = _chosen(group, answer, answer.recommended)
    return Recommendation(
        name, state, answer.recommended, answer, says, group.name_of(answer.recommended), instead
    )


_LIMIT = "what was measured as this machine's limit"
_IMPOSSIBLE = "no answer: what the others are compared with seems faster than the machine can be."


def _without_data(group: GroupReport, name: str, members: Sequence[CaseReport]) -> Recommendation:
    if any(each.ns_per_op for each in members):
        return Recommendation(name, "impossible", None, None, _IMPOSSIBLE, "no answer")
    failed = any(each.failure for each in members)
    waits = group.provisional and not group.samples and not failed
    says = "not measured yet." if waits else "nothing could be measured."
    return Recommendation(name, "nothing measured", None, None, says, says[:-1])


def _suspended(group: GroupReport) -> str:
    twin = group.twin
    assert twin is not None  # it is what suspends the group
    apart = [twin.lo, twin.hi] if twin.lo > 1 else [1 / twin.hi, 1 / twin.lo]
    return (
        f"no answer: identical code, measured twice as a control, came out {times(*apart)} apart."
    )


def _chosen(group: GroupReport, answer: SetAnswer, chosen: CaseReport) -> str:
    """The recommended case, and what the simplest would cost."""
    name, within = group.name_of(chosen), f"(within {share(group.tolerance)})"
    if answer.open:
        return (
            f"{name} is as fast as anything {within}. The simpler "
            f"{_names(group, answer.open, 'or')} may be, too; that is not sure yet."
        )
    others = [each for each in answer.members if each is not chosen]
    alone = all(each in answer.surely_slower for each in others)
    alone = alone and chosen not in answer.surely_slower
    says = f"{name} is {'fastest' if alone else f'as fast as anything {within}'}."
    told = _told(group, answer)
    if told is None or told.vs_best is None:
        return says
    if told.vs_best.lo >= _NEVER:
        return f"{says} Never {group.name_of(told)}: {about(told.vs_best.center)} as long."
    return f"{says} {group.name_of(told)} takes {_slower(told.vs_best)} as long."


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
    """Several may be the best."""
    rivals, slower = _rivals(answer), answer.surely_slower
    reach = max((each.vs_best.hi for each in rivals if each.vs_best), default=math.inf)
    if reach <= _CLOSE:
        says = (
            f"{_names(group, rivals, 'and')} are too close to call after {_repeats(answer)} (at "
            f"most {share(reach - 1, 2)} apart)."
        )
    else:
        any_of_them = len(rivals) == len(answer.members) > _MOST_NAMES
        who = "any" if any_of_them else _names(group, rivals, "or")
        says = f"not sure yet after {_repeats(answer)}: {who} may be the best."
    if not slower:
        return says
    told = max(slower, key=_behind)
    assert told.vs_best is not None
    return f"{says} Avoid {group.name_of(told)}: {_slower(told.vs_best)} as long."


def _which(group: GroupReport, answer: SetAnswer) -> str:
    """`mmap or Read?`, or `not sure yet` where that could be anything."""
    first, *others = _rivals(answer)
    if len(others) == 1:
        return f"{group.name_of(first)} or {group.name_of(others[0])}?"
    if len(others) == len(answer.members) - 1:
        return "not sure yet"
    return f"{group.name_of(first)} or {len(others)} others?"


def _rivals(answer: SetAnswer) -> list[CaseReport]:
    """Those that can be the best, the one that is ahead first."""
    return sorted(answer.can_be_best, key=_behind)


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
    """The cost of what is surely slower. A bound just above 1 beside a wide interval says nothing
    more than that, so the center stands alone then.
    """
    wide = not found.hi <= TOO_WIDE * found.lo
    if wide and found.lo < _HARDLY:
        return about(found.center)
    if found.settled and found.lo < _NEVER:
        return f"{over(found.lo)} ({about(found.center)})"
    if wide:
        return over(found.lo)
    return times(found.lo, found.hi)


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]
