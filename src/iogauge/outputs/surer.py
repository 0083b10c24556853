"""How to get surer of what is open: with how much more time, or why time is not likely to help."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from iogauge.analysis.groupreport import GroupReport, SetAnswer
from iogauge.analysis.report import Report
from iogauge.model.ratios import times
from iogauge.model.units import duration, share
from iogauge.runfile.run import Run
from iogauge.statistics.best import FEWEST_REPLICATES

Prospect = Literal[
    "few",  # there are too few repeats for any answer
    "time",  # more of it would likely decide
    "close",  # the cases hardly differ
    "unsteady",  # times vary too much
]
CLOSE = 1.25
"""What may take at most so many times as long is too close to call; anything further away is not
known well enough.
"""
_SLACK = 1.2  # a repeat is begun only if the slower of the last two would fit, too
_IN_MINUTES = 100.0  # seconds; what takes longer is told in minutes


def prospect(group: GroupReport) -> Prospect | None:
    """What would decide what is open of a group, if anything; None where nothing is open."""
    if group.provisional or group.suspended or not group.has_verdicts or not group.undecided:
        return None
    if group.seconds_needed is not None:
        few = any(each.replicates < FEWEST_REPLICATES for each in group.answers.values())
        return "few" if few else "time"
    return "close" if _reach(group) <= CLOSE else "unsteady"


def of_group(group: GroupReport) -> str | None:
    """A sentence, without the command."""
    found = prospect(group)
    if found is None:
        return None
    more = _more(group.seconds_needed or 0)
    if found == "few":
        return f"About {more} more would give it {FEWEST_REPLICATES} repeats."
    if found == "time":
        each = len(group.answers) > 1 and _within(group)
        what = "which is best in each" if each else "what is open"
        return f"About {more} more would likely decide {what}."
    why = "it hardly matters" if found == "close" else "times vary too much here"
    return f"More repeats are not likely to decide what is open: {why}."


def of_report(report: Report, go_on: str) -> list[str]:
    """Sentences for the whole run. `go_on` is the command that goes on with the run. Of several
    questions, those count of which it is not sure what to use.
    """
    alone = len(report.groups) == 1
    asked = {
        place: group for place, group in enumerate(report.groups) if alone or not _answered(group)
    }
    found = {place: each for place, group in asked.items() if (each := prospect(group))}
    says = []
    for kind, sentence in _SENTENCES.items():
        places = [place for place, each in found.items() if each == kind]
        if places:
            where = _questions(places) if len(places) < len(report.groups) else ""
            says.append(sentence(report, places, where, go_on))
    return says


def reach(answer: SetAnswer) -> float:
    """How many times as long as any other the cases take at most that may be the best."""
    others = [each for each in answer.can_be_best if not each.is_best]
    unmet = any(each.vs_best is None for each in others)
    known = [each.vs_best.hi for each in others if each.vs_best]
    return math.inf if unmet else max(known, default=math.inf)


def _within(group: GroupReport) -> bool:
    """Whether something is open within a set, not only between them."""
    return any(each.open for each in group.answers.values())


def _answered(group: GroupReport) -> bool:
    """Whether it is only open if something simpler will do, too."""
    still = [each for each in group.answers.values() if each.open]
    return bool(still) and all(each.recommended for each in still)


def _reach(group: GroupReport) -> float:
    if _within(group):
        return max(reach(each) for each in group.answers.values() if each.open)
    return max((each.hi for each in group.vs_overall.values() if each), default=math.inf)


def _more_repeats(report: Report, places: Sequence[int], where: str, go_on: str) -> str:
    these = where or ("each question" if len(places) > 1 else "it")
    brings = f"would bring {these} to {FEWEST_REPLICATES} repeats"
    return _more_time(report, places, brings, go_on)


def _likely_decided(report: Report, places: Sequence[int], where: str, go_on: str) -> str:
    return _more_time(report, places, f"would likely decide {where}".strip(), go_on)


def _more_time(report: Report, places: Sequence[int], brings: str, go_on: str) -> str:
    seconds = report.seconds_to_decide(places)
    budget = _budget(report.run.seconds + _SLACK * seconds)
    command = _command(report.run, budget, go_on) or "use a larger --budget"
    return f"About {_more(seconds)} more, {budget} in all, {brings}: {command}"


def _hardly_matters(report: Report, places: Sequence[int], where: str, go_on: str) -> str:
    most = share(max(_reach(report.groups[each]) for each in places) - 1, 2)
    says = f"too close to call, so it hardly matters (at most {most} apart)."
    return _sentence(where, says)


def _unsteady(report: Report, places: Sequence[int], where: str, go_on: str) -> str:
    groups = [report.groups[each] for each in places]
    floor = max(group.noise_floor or 0 for group in groups)
    why = _apart(floor) if floor > groups[0].tolerance else "times vary too much here"
    if not where:
        return f"Surer only on a quieter machine: {why}."
    return _sentence("", f"{where} need{'s' * (len(places) == 1)} a quieter machine: {why}.")


_SENTENCES = {
    "few": _more_repeats,
    "time": _likely_decided,
    "close": _hardly_matters,
    "unsteady": _unsteady,
}


def _apart(floor: float) -> str:
    by = f"differ by {share(floor, 2)}" if floor < 1 else f"come out {times(1 + floor)} apart"
    return f"identical code may {by}"


def _sentence(where: str, says: str) -> str:
    text = f"{where}: {says}" if where else says
    return text[:1].upper() + text[1:]


def _more(seconds: float) -> str:
    """`25 s`, `4 min`."""
    if seconds < _IN_MINUTES:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 90 * 60 else duration(seconds)


def _command(run: Run, budget: str, go_on: str) -> str:
    """The command that measures for so long in all. Empty of a run that cannot be gone on with."""
    if not go_on or run.plan.published or {"advise", "file"} & {*run.header.options}:
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
