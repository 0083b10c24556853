"""What to use, in sentences: of each set, and how the sets compare. The terminal, the page,
Markdown, the JSON export and advice share them. Nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport
from iogauge.decision.comparison import Comparison
from iogauge.decision.costs import MOST_APART, NEVER, slowdown
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.decision.verdict import CLOSE, SetAnswer, SetVerdict, behind
from iogauge.model.ratios import times, up_to
from iogauge.model.text import capital
from iogauge.model.units import counted, share
from iogauge.outputs import phrases
from iogauge.outputs.phrases import FOR_NOW, NOT_SURE_YET

Answer = SetAnswer[CaseReport]
Verdict = SetVerdict[CaseReport]
_MOST_NAMES = 3
_MOST_SENTENCES = 3  # sets that are compared in a sentence each
_IMPOSSIBLE = "no answer: the baseline seems faster than this machine's measured limit."


@dataclass(frozen=True)
class Said:
    """A verdict in words, without the `name` of the set (`Go`, `Java (17.0.15)`). `long` is one
    sentence or two, `short` a few words, and `instead` what a simpler case (or the next one) costs,
    where that is known: `Read 8K takes 1.4-1.7x`.
    """

    name: str
    verdict: Verdict
    long: str
    short: str
    instead: str


def of(group: GroupReport) -> list[Said]:
    """One per set, in the order of the verdicts."""
    return [Said(group.called(each.set), each, *_text(group, each)) for each in group.verdicts]


def _text(group: GroupReport, found: Verdict) -> tuple[str, str, str]:
    """`long`, `short` and `instead`."""
    answer, name_of = found.answer, group.name_of
    match found.kind:
        case "nothing measured":
            says = "not measured yet" if found.pending else "nothing could be measured"
            return f"{says}.", says, ""
        case "suspended" if answer:
            return _suspended(group, answer), "no answer", ""
        case "impossible":
            return _impossible(group, found), "no answer", ""
    assert answer is not None and found.use is not None  # all other kinds have one
    best = name_of(answer.best)
    match found.kind:
        case "only one":
            return f"{best} is the only one that was measured.", f"{best}, the only one", ""
        case "too few repeats":
            few, needed = "not measured enough", FEWEST_REPLICATES
            ahead = name_of(found.use)
            says = f"{few}: {_repeats(answer)}, and {needed} are needed. So far {ahead} is ahead."
            return says, f"{few}, {needed} repeats are needed", ""
    if found.is_for_now:
        return _open(group, answer), f"{name_of(found.use)} {FOR_NOW}", ""
    other, instead = answer.worth_naming, ""
    if other and other.vs_best:
        instead = f"{name_of(other)} takes {phrases.takes(slowdown(other.vs_best))}"
    return _chosen(group, answer, found.use), name_of(found.use), instead


def _impossible(group: GroupReport, found: Verdict) -> str:
    if not found.beyond:
        return _IMPOSSIBLE
    seem = "seem" if len(found.beyond) > 1 else "seems"
    return (
        f"no answer: {_names(group, found.beyond, 'and')} {seem} faster than this machine's "
        "measured limit; measure again."
    )


def _suspended(group: GroupReport, answer: Answer) -> str:
    """That identical code differed, and what is slower all the same."""
    control = group.control
    assert control is not None  # it is what suspends the group
    bounds = [control.lo, control.hi] if control.lo > 1 else [1 / control.hi, 1 / control.lo]
    says = f"the same code, run twice, came out {times(*bounds)} apart."
    slower = sorted(answer.surely_slower, key=behind)
    if not slower:
        return f"no answer: {says}"
    alone = slower[0].vs_best if len(slower) == 1 else None
    told = f"takes {phrases.as_long(slowdown(alone))}" if alone else "are surely slower"
    return f"no sure answer: {says} Even so, {_names(group, slower, 'and')} {told}."


def _chosen(group: GroupReport, answer: Answer, chosen: CaseReport) -> str:
    """The recommended case, and what the simplest would cost."""
    name, within = group.name_of(chosen), f"(within {share(group.tolerance)})"
    if answer.open:
        return f"{name} is as fast as anything {within}. {_still_open(group, answer)}"
    says = f"{name} is {'fastest' if answer.is_alone else f'as fast as anything {within}'}."
    other = answer.worth_naming
    if other is None or other.vs_best is None:
        return says
    name, costs = group.name_of(other), phrases.as_long(slowdown(other.vs_best))
    never = other.vs_best.lo >= NEVER
    return f"{says} " + (f"Never {name}: {costs}." if never else f"{name} takes {costs}.")


def _still_open(group: GroupReport, answer: Answer) -> str:
    """Of a set with a recommended case: that a simpler one may do, too."""
    slower = [each for each in answer.open if each in answer.surely_slower]
    rest = [each for each in answer.open if each not in slower]
    simpler = ", which is simpler," if group.is_checked else ""
    says = []
    if rest:
        plain = simpler if len(rest) == 1 else ""
        says.append(f"{_names(group, rest, 'or')}{plain} may be as fast, too: {NOT_SURE_YET}.")
    if slower:
        are = "is" if len(slower) == 1 else "are"
        within = f"perhaps by less than {share(group.tolerance)}"
        says.append(f"{_names(group, slower, 'and')} {are} slower, {within}: {NOT_SURE_YET}.")
    return " ".join(says)


def _open(group: GroupReport, answer: Answer) -> str:
    """Several may be the best: which one to use for now, and how much the others matter."""
    use = f"{group.name_of(answer.for_now)} {FOR_NOW}."
    others = [each for each in answer.may_be_as_fast if each is not answer.for_now]
    others.sort(key=behind)
    if answer.reach <= CLOSE:
        says = (
            f"{use} Too close to call after {_repeats(answer)}: {_names(group, others, 'and')} may "
            f"be as fast, and none takes over {share(answer.reach - 1, 2)} longer than the fastest."
        )
    else:
        any_other = len(others) == len(answer.members) - 1 >= _MOST_NAMES
        who = "any other" if any_other or not others else _names(group, others, "or")
        unsure = f"{capital(NOT_SURE_YET)} after {_repeats(answer)}"
        says = f"{use} {unsure}: {who} may be as fast." if others else f"{use} {unsure}."
    slowest = answer.slowest
    if slowest is None or slowest.vs_best is None:
        return says
    name, costs = group.name_of(slowest), phrases.as_long(slowdown(slowest.vs_best))
    if answer.is_to_avoid(slowest):
        return f"{says} Avoid {name}: {costs}."
    return f"{says} {name} takes {costs}."


def _repeats(answer: Answer) -> str:
    return counted(answer.replicates, "repeat")


def _names(group: GroupReport, cases: Sequence[CaseReport], conjunction: str) -> str:
    names = [group.name_of(each) for each in cases[:_MOST_NAMES]]
    if len(cases) > _MOST_NAMES:
        return f"{', '.join(names)} {conjunction} {len(cases) - _MOST_NAMES} more"
    return f" {conjunction} ".join(each for each in (", ".join(names[:-1]), names[-1]) if each)


# between the sets: languages, or versions of one


def of_group(group: GroupReport, next_step: str | None) -> list[str]:
    """All there is to say of a group: a sentence per set, the `next_step` that would decide what is
    open, and how the sets compare.
    """
    said = of(group)
    if only_one_each(said):
        return [each for each in (between(group), next_step) if each]
    if len({each.long for each in said}) == 1 and len(said) > 1:
        return [for_all(said[0])]
    says = [f"{each.name}: {each.long}" for each in said]
    return [each for each in (*says, next_step, between(group)) if each]


def only_one_each(said: Sequence[Said]) -> bool:
    """Whether each of several sets has one case, so that only the sets can be compared."""
    return len(said) > 1 and {each.verdict.kind for each in said} == {"only one"}


def for_all(found: Said) -> str:
    """A sentence that holds for the whole group. One that begins with the name of a case stays as
    it is.
    """
    named = found.verdict.kind in ("only one", "decided", "open")
    return found.long if named else capital(found.long)


def between(group: GroupReport) -> str | None:
    """How the bests of the sets compare. A run does not go on until that is decided."""
    if group.provisional or group.suspended or len(group.answers) < 2:
        return None
    if len(group.answers) > _MOST_SENTENCES:
        return f"{capital(side_by_side(group))}."
    compared = [(name, group.vs_overall[name]) for name in group.sets[1:]]
    found = [(name, _to_first(group, name, each)) for name, each in compared if each]
    unsure = [group.called(name) for name, says in found if says is None]
    says = [each for _, each in found if each]
    if unsure:
        which = "faster" if len(unsure) == 1 else "fastest"
        others = " or ".join([", ".join([group.called(group.sets[0]), *unsure[:-1]]), unsure[-1]])
        says.append(f"{others}: {NOT_SURE_YET} which is {which}.")
    return " ".join(says) or None


def side_by_side(group: GroupReport) -> str:
    """The sets in one line, those of equal cost together: `fastest: C mmap; Go, Rust as fast; Java
    1.4-1.7x`.
    """
    costs: dict[str, list[str]] = {}
    for name in group.sets[1:]:
        says = phrases.briefly(group.verdict_on(name).cost)
        costs.setdefault(says, []).append(group.called(name))
    best = group.sets[0]
    first = f"{phrases.note(group.verdict_on(best))}: {group.called(best)} "
    first += group.name_of(group.best_of[best])
    return "; ".join([first, *(f"{', '.join(names)} {says}" for says, names in costs.items())])


def _to_first(group: GroupReport, name: str, found: Comparison) -> str | None:
    """The best of a set against the best of all. None where it may be anything."""
    first, other = group.called(group.sets[0]), group.called(name)
    that = f"that of {first}" if group.is_version(group.sets[0]) else f"{first}'s"
    best = f"The best of {other}"
    if group.one_each:
        best, that = other, first
    match found.outcome:
        case "same":
            return f"{best} is as fast as {that}."
        case "slower":
            return f"{best} takes {phrases.as_long(slowdown(found), that)}."
    if found.hi <= MOST_APART:
        return f"{best} may be as fast as {that}, or take {up_to(found.hi)} as long."
    return None
