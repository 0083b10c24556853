"""The next step where something is open: how much more time, or why time is not likely to help."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from iogauge.analysis.groupreport import GroupReport
from iogauge.analysis.report import Report
from iogauge.analysis.spans import SpanReport
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.model.ratios import apart
from iogauge.model.text import capital
from iogauge.model.units import duration, share
from iogauge.runfile.run import Run

_SLACK = 1.2  # a repeat is begun only if the slower of the last two would fit, too
_IN_MINUTES = 100.0  # seconds; what takes longer is told in minutes
_QUIETER = "More repeats are not likely to decide what is open; a quieter machine may: {}."
_VARIES = "times vary too much here"


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
    if found.kind == "time":
        each = len(group.answers) > 1 and found.within and not group.open_pairs
        set_ = "version" if any(map(group.is_version, group.sets)) else "language"
        what = f"which is best in each {set_}" if each else "what is open"
        goals = _goals(report, [place])
        return str(_more_time(report, goals, f"would likely decide {what}", None))
    return str(_SENTENCES[found.kind](report, [place], "", None))


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
    found = {
        place: step.kind
        for place, group in enumerate(report.groups)
        if (step := group.next_step) and (alone or not step.only_simpler)
    }
    says = []
    for kind, sentence in _SENTENCES.items():
        places = [place for place, each in found.items() if each == kind]
        if places:
            where = _questions(places) if len(places) < len(report.groups) else ""
            says.append(sentence(report, places, where, go_on))
    return says


def _more_repeats(report: Report, places: Sequence[int], where: str, go_on: str | None) -> Step:
    these = where or ("each question" if len(places) > 1 else "it")
    brings = f"would bring {these} to {FEWEST_REPLICATES} repeats"
    return _more_time(report, _goals(report, places), brings, go_on)


def _likely_decided(report: Report, places: Sequence[int], where: str, go_on: str | None) -> Step:
    brings = f"would likely decide {where or 'what is open'}"
    return _more_time(report, _goals(report, places), brings, go_on)


def _goals(report: Report, places: Sequence[int]) -> dict[int, int]:
    """By group, how many replicates are likely to decide it."""
    return {each: report.groups[each].replicates_needed or 0 for each in places}


def _more_time(report: Report, goals: Mapping[int, int], brings: str, go_on: str | None) -> Step:
    """How much longer it takes; with the budget and the command, or without where `go_on` is
    None.
    """
    seconds = _SLACK * report.seconds_until(goals)
    if go_on is None:
        return Step(f"About {_more(seconds)} more {brings}.")
    budget = _budget(report.run.seconds + seconds)
    command = _command(report.run, budget, go_on) or "use a larger --budget"
    if "file" in report.run.header.options:  # it begins anew
        return Step(f"{budget} in all {brings}", command)
    return Step(f"About {_more(seconds)} more, {budget} in all, {brings}", command)


def _hardly_matters(report: Report, places: Sequence[int], where: str, go_on: str | None) -> Step:
    most = share(max(_reach(report.groups[each]) for each in places) - 1, 2)
    says = f"too close to call, so it hardly matters (at most {most} apart)."
    return Step(_sentence(where, says))


def _reach(group: GroupReport) -> float:
    return group.next_step.reach if group.next_step else math.inf


def _unsteady(report: Report, places: Sequence[int], where: str, go_on: str | None) -> Step:
    groups = [report.groups[each] for each in places]
    floor = max(group.noise_floor or 0 for group in groups)
    why = f"identical code may differ by {apart(floor)}" if floor > groups[0].tolerance else _VARIES
    if not where:
        return Step(_QUIETER.format(why))
    need = f"{where} need{'s' * (len(places) == 1)}"
    return Step(capital(f"{need} a quieter machine: {why}."))


_SENTENCES = {
    "few": _more_repeats,
    "time": _likely_decided,
    "close": _hardly_matters,
    "unsteady": _unsteady,
}


def _sentence(where: str, says: str) -> str:
    return capital(f"{where}: {says}" if where else says)


def _more(seconds: float) -> str:
    """`25 s`, `4 min`."""
    if seconds < _IN_MINUTES:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 90 * 60 else duration(seconds)


def _command(run: Run, budget: str, go_on: str) -> str:
    """The command that measures for so long in all. Empty where there is none."""
    if not go_on or run.plan.published or "advise" in run.header.options:
        return ""
    return f"{go_on} --budget {budget}"


def _budget(seconds: float) -> str:
    """`90s`, `4m`, for the command line."""
    if seconds > _IN_MINUTES:
        return f"{math.ceil(seconds / 60)}m"
    return f"{math.ceil(seconds / 10)}0s"


def _questions(places: Sequence[int]) -> str:
    """`question 1`, `questions 1, 2 and 3`."""
    *most, last = (str(place + 1) for place in places)
    return f"questions {', '.join(most)} and {last}" if most else f"question {last}"
