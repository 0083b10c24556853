"""How the sets of a group compare: languages, or versions of one. In sentences, and in a line."""

from __future__ import annotations

from iogauge.analysis.groupreport import GroupReport
from iogauge.decision.comparison import Comparison
from iogauge.model.ratios import up_to
from iogauge.model.text import capital
from iogauge.outputs import recommendation
from iogauge.outputs.recommendation import (
    AS_FAST,
    LOOKS_SLOWER,
    NOT_SURE_YET,
    TOO_WIDE,
    as_long,
    cost_of,
)

_MOST_SENTENCES = 3  # sets that are compared in a sentence each
_BRIEFLY = {AS_FAST: "may be as fast", LOOKS_SLOWER: "may be slower"}


def sentences(group: GroupReport, how: str | None) -> list[str]:
    """All there is to say of a group: a sentence per set, `how` to get surer of what is open
    (`next_steps.of_group`), and how the sets compare.
    """
    found = recommendation.of(group)
    if group.one_each and {each.state for each in found} == {"only one"}:
        return [each for each in (sets(group), how) if each]
    if len({each.says for each in found}) == 1 and len(found) > 1:
        return [for_all(group, found[0].says)]
    says = [f"{each.name}: {each.says}" for each in found]
    return [each for each in (*says, how, sets(group)) if each]


def for_all(group: GroupReport, says: str) -> str:
    """A sentence that holds for the whole group. It may begin with a name, which stays as it is."""
    named = any(says.startswith(group.name_of(case)) for case in group.cases)
    return says if named else capital(says)


def sets(group: GroupReport) -> str | None:
    """How the bests of the sets compare. A run does not go on until that is decided."""
    if group.provisional or group.suspended or len(group.answers) < 2:
        return None
    if len(group.answers) > _MOST_SENTENCES:
        return f"{capital(side_by_side(group))}."
    compared = [(name, group.vs_overall[name]) for name in group.sets[1:]]
    beside = [(name, _beside(group, name, found)) for name, found in compared if found]
    unsure = [group.called(name) for name, says in beside if says is None]
    says = [each for _, each in beside if each]
    if unsure:
        which = "faster" if len(unsure) == 1 else "fastest"
        others = " or ".join([", ".join([group.called(group.sets[0]), *unsure[:-1]]), unsure[-1]])
        says.append(f"{others}: not sure yet which is {which}.")
    return " ".join(says) or None


def side_by_side(group: GroupReport) -> str:
    """The sets in one line, those of equal cost together: `fastest: C mmap; Go, Rust as fast; Java
    1.4-1.7x`.
    """
    costs: dict[str, list[str]] = {}
    for name in group.sets[1:]:
        costs.setdefault(_briefly(of_set(group, name)), []).append(group.called(name))
    best = group.sets[0]
    first = f"{of_set(group, best)}: {group.called(best)} {group.name_of(group.best_of[best])}"
    return "; ".join([first, *(f"{', '.join(names)} {says}" for says, names in costs.items())])


def of_set(group: GroupReport, name: str) -> str:
    """What the best of a set costs against the best of all; of that one itself `fastest`, or
    `fastest so far`.
    """
    if name == group.sets[0]:
        others = (group.vs_overall.get(each) for each in group.sets[1:])
        sure = all(each and (each.final or each.outcome == "slower") for each in others)
        return "fastest" if sure and not group.provisional else "fastest so far"
    found = group.vs_overall.get(name)
    return NOT_SURE_YET if found is None else cost_of(found, group.tolerance)


def _briefly(cost: str) -> str:
    """Without the numbers of what is not known."""
    return next((says for word, says in _BRIEFLY.items() if cost.startswith(word)), cost)


def _beside(group: GroupReport, name: str, found: Comparison) -> str | None:
    """The best of a set against the best of all. None where it may be anything."""
    first, other = group.called(group.sets[0]), group.called(name)
    that = f"that of {first}" if first.endswith(")") else f"{first}'s"
    best = f"The best of {other}"
    if group.one_each:
        best, that = other, first
    if found.outcome == "same":
        return f"{best} is as fast as {that}."
    if found.outcome == "slower":
        return f"{best} takes {as_long(found, that)}."
    if found.hi <= TOO_WIDE:
        return f"{best} may be as fast as {that}, or take {up_to(found.hi)} as long."
    return None
