"""Judging the cases of a group: who is the best of which set, and what is still open."""

from __future__ import annotations

import math

import numpy as np

from iogauge.analysis.data import GroupData
from iogauge.model.plan import Group, Plan
from iogauge.runfile.run import Run
from iogauge.statistics import comparing, looks, quantiles, sequential
from iogauge.statistics.comparing import Comparison
from iogauge.statistics.sequential import Judgement

# Cold reads of one case were seen to spread 2 to 5 times, for several replicates on end. So twice
# as slow proves nothing there, nor where operations wait for a device to have written.
_UNSTEADY_SETTLING_RATIO = 5.0
# Times the best after a replicate or two: what is slower is not likely to be the best.
_CONTENDING, _CONTENDING_UNSTEADY = 1.5, 2.0


def languages(plan: Plan, group: Group) -> list[str]:
    """The set of each case, in which it is to be the best: its language, or its runtime (with
    options) where one language has several.
    """
    settings: dict[str, set[str]] = {}
    for case in group.cases:
        settings.setdefault(plan.cases[case].language, set()).add(plan.cases[case].setting)
    labels = []
    for case in group.cases:
        language, setting = plan.cases[case].language, plan.cases[case].setting
        labels.append(f"{language} on {setting}" if len(settings[language]) > 1 else language)
    return labels


def judge(plan: Plan, data: GroupData, *, last: bool) -> Judgement:
    """The judgement of a group; cases in it are columns of its array. `last`: no more replicates
    will come.
    """
    group, log_ns = data.group, data.log_ns.copy()
    log_ns[:, :, data.unusable] = np.nan
    return sequential.judge(
        log_ns,
        baseline=data.column(group.baseline),
        twin=data.twin,
        languages=languages(plan, group),
        precision=plan.precision,
        last=last,
        settling_ratio=_settling_ratio(plan, group),
        blur=data.blur,
    )


def _settling_ratio(plan: Plan, group: Group) -> float:
    if plan.published or group.to_the_end:
        return math.inf
    return (
        _UNSTEADY_SETTLING_RATIO if group.conditions.waits_for_device else comparing.SETTLING_RATIO
    )


def contenders(plan: Plan, data: GroupData) -> list[int]:
    """The cases that may be the best of their language, as far as the replicates tell so far, and
    those that the noise floor needs; all cases where nothing may be left out. No claim rests on it.
    """
    if plan.published or data.group.to_the_end:
        return list(data.group.cases)
    far = math.log(_CONTENDING_UNSTEADY if data.group.conditions.waits_for_device else _CONTENDING)
    by_language = np.array(languages(plan, data.group))
    levels = quantiles.median(quantiles.median(data.log_ns, axis=1), axis=0)  # shape (C,)
    levels[data.unusable] = np.nan
    kept = {data.group.baseline, data.group.twin}
    for language in set(by_language.tolist()):
        of_language = np.flatnonzero((by_language == language) & np.isfinite(levels))
        kept |= {
            data.group.cases[column]
            for column in of_language
            if levels[column] <= levels[of_language].min() + far
        }
    return [case for case in data.group.cases if case in kept]


def across_runtimes(plan: Plan, data: GroupData, judgement: Judgement) -> list[Comparison]:
    """Each variant on a further runtime compared with the same variant on the first runtime that
    has it. Cases are columns of the array.
    """
    first: dict[str, int] = {}
    found = []
    for column, number in enumerate(data.group.cases):
        case = plan.cases[number]
        if number == data.group.twin or column in data.unusable:
            continue
        reference = first.setdefault(case.variant, column)
        if reference != column:
            baseline, blur = (
                data.column(data.group.baseline),
                float(data.blur[column] + data.blur[reference]),
            )
            found.append(
                sequential.compare(
                    data.log_ns, column, reference, baseline, judgement, plan.precision, blur
                )
            )
    return [each for each in found if each]


def levels(run: Run, group: int) -> dict[int, float]:
    """The median ns per operation by case, over all valid samples of a group: those of a replicate
    that is not complete are included.
    """
    columns = run.columns
    rows = np.flatnonzero((columns.group == group) & (columns.void == 0))
    return {
        int(case): float(np.median(columns.levels[rows[columns.case[rows] == case]]))
        for case in np.unique(columns.case[rows])
    }


def replicates_to_decide(plan: Plan, judgement: Judgement | None) -> int | None:
    """How many replicates, in all, it takes until every comparison of a group is likely decided or
    as precise as asked; None when that cannot be said.

    Nothing is decided before the first look, so it takes at least as many as that.
    """
    first = looks.LOOKS[0]
    if judgement is None:
        return first
    needed = [
        comparing.replicates_needed(
            each, plan.precision, judgement.comparisons, judgement.noise_floor
        )
        for each in open_comparisons(judgement)
    ]
    if judgement.replicates < first:
        return max([first, *(each for each in needed if each)]) if needed else 0
    known = [each for each in needed if each is not None]
    return max(known, default=0) if len(known) == len(needed) else None


def open_comparisons(judgement: Judgement) -> list[Comparison]:
    """The comparisons about which more replicates could say something; each pair once."""
    every = (
        *judgement.versus_baseline,
        *judgement.versus_language,
        *judgement.versus_overall.values(),
    )
    twin = judgement.twin
    still = [
        each for each in every if each and not each.final and not (twin and each.case == twin.case)
    ]
    return list({frozenset((each.case, each.reference)): each for each in still}.values())
