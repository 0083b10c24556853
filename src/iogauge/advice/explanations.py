"""Why the cases of a group differ: figures, reasons, knees and parameters without effect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from iogauge.advice import reasons
from iogauge.advice.reasons import Difference, figures
from iogauge.advice.sweeps import (
    NEAR,
    Knee,
    ParameterWithoutEffect,
    knees,
    parameters_without_effect,
)
from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport
from iogauge.claims.comparable import Comparable
from iogauge.model.units import share, short_size, size


@dataclass(frozen=True)
class Explanation:
    """A case with the reasons for its time, how much it reaches of what the machine can do, and its
    other figures, as (name, figure).
    """

    case: CaseReport
    figures: tuple[tuple[str, str], ...]
    says: tuple[str, ...]
    of_limit: str | None


@dataclass(frozen=True)
class GroupExplained:
    """A group with its cases explained, and by set why one takes longer than what to use. There are
    neither these nor knees without verdicts.
    """

    group: GroupReport
    cases: tuple[Explanation, ...]
    differences: Mapping[str, Difference]
    knees: tuple[Knee, ...]
    without_effect: tuple[ParameterWithoutEffect, ...]


def of_group(group: GroupReport, comparable: Comparable) -> GroupExplained:
    """Explains a group. Parameters without effect are named even without verdicts."""
    cases = tuple(of_case(case) for case in group.cases if case.ns_per_op and case.evidence)
    has_verdicts = group.has_verdicts and not group.provisional
    found = tuple(knees(comparable, group.noise_floor)) if has_verdicts else ()
    answers = group.answers.items() if group.has_verdicts else ()
    why = {name: each for name, answer in answers if (each := reasons.of_answer(answer))}
    return GroupExplained(group, cases, why, found, tuple(parameters_without_effect(comparable)))


def of_case(case: CaseReport) -> Explanation:
    """Explains one measured case."""
    found = reasons.of_case(case)
    told = {name for each in found for name in each.tells}
    others = tuple(each for each in figures(case) if each[0] not in told)
    says = tuple(each.says for each in found)
    return Explanation(case, others, says, reasons.of_limit(case))


def of_knee(knee: Knee, called: Mapping[str, str], several: bool = False) -> str:
    """`FileInputStream: the best block is 1M, and 256K may be as good. The smallest that is surely
    within 5 % is 64K.`

    `called` has what users call a strategy. With `several` runtimes, it names the runtime.
    """
    others = ", ".join(short_size(value) for value in knee.level if value != knee.best)
    so_far = " so far" if knee.near is None else ""
    best = f"{_named(knee, called, several)}: the best {knee.parameter}{so_far} is "
    best += short_size(knee.best) + (f", and {others} may be as good" if others else "")
    if knee.near is None:
        return f"{best}. That is not sure yet."
    if not others and knee.near == knee.best:
        return f"{best}. No smaller one is surely within {share(NEAR)}."
    near = short_size(knee.near)
    return f"{best}. The smallest that is surely within {share(NEAR)} is {near}."


def of_parameter_without_effect(
    knob: ParameterWithoutEffect, precision: float, called: Mapping[str, str], several: bool = False
) -> str:
    """`FileWriter: buffer has no effect from 1K to 1M. …`

    `precision` is that of the run, a share of the time. `called` has what users call a strategy.
    With `several` runtimes, it names the runtime.
    """
    name = _named(knob, called, several)
    if knob.seen is not None:
        values = ", ".join(short_size(each) for each in knob.values)
        return (
            f"{name}: the API overrides {knob.parameter} {values}. "
            f"Its calls move {size(knob.seen)} each."
        )
    values = f"{short_size(knob.values[0])} to {short_size(knob.values[-1])}"
    return (
        f"{name}: {knob.parameter} has no effect from {values}. "
        f"The calls stay the same, and the time changes by {share(precision)} at most."
    )


def _named(sweep: Knee | ParameterWithoutEffect, called: Mapping[str, str], several: bool) -> str:
    inside = ", ".join(f"{name} {short_size(value)}" for name, value in sweep.others.items())
    return (
        called.get(sweep.strategy, sweep.strategy)
        + (f" ({inside})" if inside else "")
        + (f" on {sweep.setting}" if several else "")
    )
