"""The next step where something is open: how much more time, or why time is not likely to help."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from iogauge.analysis.groupreport import GroupReport
from iogauge.analysis.report import SLACK, Report
from iogauge.analysis.spans import SpanReport
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.decision.next_steps import NextStepKind
from iogauge.model.ratios import apart
from iogauge.model.text import capital
from iogauge.model.units import duration, share

_IN_MINUTES = 100.0  # seconds; what takes longer is told in minutes
_QUIETER = "More repeats are not likely to decide what is open; a quieter machine may: {}."
_VARIES = "times vary too much here"
_KINDS = get_args(NextStepKind)


@dataclass(frozen=True)
class Step:
    """A sentence without its end, and the command that carries it out, if there is one."""

    says: str
    command: str = ""

    def __str__(self) -> str:
        return f"{self.says}: {self.command}" if self.command else self.says


def of_group(report: Report, place: int) -> str | None:
    """A sentence on the group of this index alone, without the command."""
    group = report.groups[place]
    found = group.next_step
    if found is None:
        return None
    if found.kind != "time":
        return str(_step(found.kind, report, [place], "", None))
    each = len(group.answers) > 1 and found.within and not group.open_pairs
    what = f"which is best in each {_sets(group)}" if each else "what is open"
    return str(_likely_decided(report, [place], what, None))


def budget_of_group(report: Report, place: int) -> str | None:
    """The `--budget` that is likely to decide the group of this index, where time helps."""
    group = report.groups[place]
    seconds = report.budget(group, group.next_step.replicates if group.next_step else None)
    return None if seconds is None else budget(seconds)


def of_span(report: Report, span: SpanReport, go_on: str | None = None) -> Step | None:
    """What would tell more of how the groups of a span compare, with the command that resumes the
    run, if that is given.
    """
    found = span.next_step
    if found is None:
        return None
    if found.replicates is None:
        return Step(_QUIETER.format(_VARIES))
    spanned = {each.id for each in span.groups}
    places = [place for place, each in enumerate(report.groups) if each.id in spanned]
    goals = dict.fromkeys(places, found.replicates)
    return _more_time(report, goals, "would likely decide what is open", go_on)


def of_report(report: Report, go_on: str) -> list[Step]:
    """Sentences for the whole run. `go_on` is the command that resumes the run. Of several
    questions, those count of which it is not sure what to use.
    """
    alone = len(report.groups) == 1
    found: dict[tuple[NextStepKind, str], list[int]] = defaultdict(list)
    for place, group in enumerate(report.groups):
        if (step := group.next_step) and (alone or not step.only_simpler):
            what = _too_close([group]) if step.kind == "close" else ""
            found[step.kind, what].append(place)
    says = []
    for (kind, _), places in sorted(found.items(), key=lambda each: _KINDS.index(each[0][0])):
        where = _questions(places) if len(places) < len(report.groups) else ""
        says.append(_step(kind, report, places, where, go_on))
    return says


def _step(
    kind: NextStepKind, report: Report, places: Sequence[int], where: str, go_on: str | None
) -> Step:
    """On the groups of these indexes; `where` names them if these are not all."""
    groups = [report.groups[each] for each in places]
    match kind:
        case "few":
            these = where or ("each question" if len(places) > 1 else "it")
            brings = f"would bring {these} to {FEWEST_REPLICATES} repeats"
            return _more_time(report, _goals(report, places), brings, go_on)
        case "time":
            return _likely_decided(report, places, where or "what is open", go_on)
        case "more":
            brings = f"may decide {where or 'what is open'}"
            return _more_time(report, _goals(report, places), brings, go_on)
        case "close":
            reach = max(each.next_step.reach for each in groups if each.next_step)
            says = (
                f"{_too_close(groups)}, so it hardly matters (at most {share(reach - 1, 2)} apart)."
            )
            return Step(capital(f"{where}: {says}" if where else says))
        case "unsteady":
            noisiest = max(groups, key=lambda each: each.noise_floor or 0)
            why = _identical_code(noisiest) or _VARIES
            if not where:
                return Step(_QUIETER.format(why))
            need = f"{where} need{'s' * (len(places) == 1)}"
            return Step(capital(f"{need} a quieter machine: {why}."))


def _too_close(groups: Sequence[GroupReport]) -> str:
    """What is too close to call: of a question whose sets are decided, only how these compare."""
    steps = [each.next_step for each in groups if each.next_step]
    if not any(each.within for each in steps):
        return f"how the {_sets(groups[0])}s compare is too close to call"
    if all(each.only_simpler for each in steps):
        return "whether something simpler will do is too close to call"
    return "too close to call"


def _sets(group: GroupReport) -> str:
    """What a set is, as people call it."""
    return "version" if any(map(group.is_version, group.sets)) else "language"


def _identical_code(group: GroupReport) -> str | None:
    """By how much identical code differed, where that is more than what is to be told apart."""
    floor, control = group.noise_floor, group.control
    if floor is None or control is None or floor <= group.tolerance:
        return None
    seen = max(control.center, 1 / control.center) - 1
    return f"identical code differed by {apart(seen)}, and may differ by {apart(floor)}"


def _likely_decided(report: Report, places: Sequence[int], what: str, go_on: str | None) -> Step:
    return _more_time(report, _goals(report, places), f"would likely decide {what}", go_on)


def _goals(report: Report, places: Sequence[int]) -> dict[int, int]:
    """By group, how many replicates are likely to decide it."""
    steps = {each: report.groups[each].next_step for each in places}
    return {place: step.replicates or 0 for place, step in steps.items() if step}


def _more_time(report: Report, goals: Mapping[int, int], brings: str, go_on: str | None) -> Step:
    """How much longer it takes; with the budget and the command, or without where `go_on` is
    None.
    """
    seconds = SLACK * report.seconds_until(goals)
    if go_on is None:
        return Step(f"About {_more(seconds)} more {brings}.")
    run, options = report.run, report.run.header.options
    in_all = budget(run.seconds + seconds)
    resumes = bool(go_on) and not run.plan.published and "advise" not in options
    command = f"{go_on} --budget {in_all}" if resumes else "use a larger --budget"
    if "file" in options:  # it begins anew
        return Step(f"{in_all} in all {brings}", command)
    return Step(f"About {_more(seconds)} more, {in_all} in all, {brings}", command)


def about_more(report: Report, goals: Mapping[int, int]) -> str:
    """`40 s more`, until groups have so many replicates, by index: about so long."""
    return f"{_more(SLACK * report.seconds_until(goals))} more"


def budget(seconds: float) -> str:
    """So many seconds in all as a `--budget`, rounded up."""
    minutes, tens = math.ceil(seconds / 60), math.ceil(seconds / 10)
    return f"{minutes}m" if seconds > _IN_MINUTES else f"{tens}0s"


def _more(seconds: float) -> str:
    """`25 s`, `4 min`."""
    if seconds < _IN_MINUTES:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 90 * 60 else duration(seconds)


def _questions(places: Sequence[int]) -> str:
    """`question 1`, `questions 1, 2 and 3`."""
    *most, last = (str(place + 1) for place in places)
    return f"questions {', '.join(most)} and {last}" if most else f"question {last}"
