"""Two versions against each other, as a run measured them: the table of differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from iogauge.analysis.groupreport import GroupReport, VersionPair
from iogauge.analysis.report import Report
from iogauge.decision.comparison import Comparison, Outcome
from iogauge.decision.versions import gate_of
from iogauge.model.plan import Versions
from iogauge.model.ratios import between, ratio
from iogauge.model.units import counted
from iogauge.outputs import headings, next_steps, skipped
from iogauge.outputs.contract import Export, Ratio
from iogauge.outputs.contract import VersionPair as VersionPairExported
from iogauge.outputs.differences import Difference, Differences, Question


def of_report(report: Report, unmeasured: Sequence[Difference] = ()) -> Differences | None:
    """The differences of a run, with what failed before anything was measured. None where two
    versions are not the question.
    """
    asked = report.run.plan.versions
    if asked is None:
        return None
    questions = [question(report, place) for place in range(len(report.groups))]
    found = Differences(
        asked.old,
        asked.new,
        tuple(each for each in questions if each.differences),
        asked.max_slowdown,
        report.gate,
        left_out=tuple(skipped.lines(report.run.plan.skipped)),
    )
    return with_failed(found, unmeasured, asked)


def with_failed(
    found: Differences | None, failed: Sequence[Difference], versions: Versions | None
) -> Differences | None:
    """The differences with what could not be measured."""
    if not failed or versions is None:
        return found
    questions = found.questions if found else ()
    questions = (*questions, Question("Before anything was measured", tuple(failed)))
    gate = gate_of(each.kind for question in questions for each in question.differences)
    left_out = found.left_out if found else ()
    return Differences(
        versions.old, versions.new, questions, versions.max_slowdown, gate, left_out=left_out
    )


def of_export(export: Export) -> Differences | None:
    """The same of a run that was exported."""
    asked = export.run.versions
    if asked is None:
        return None
    questions = [
        Question(
            group.label,
            tuple(_of_pair(each) for each in group.versions),
            _comparison(group.control, group.replicates or 0) if group.control else None,
        )
        for group in export.groups
    ]
    shown = tuple(each for each in questions if each.differences)
    return Differences(asked.old, asked.new, shown, asked.max_slowdown, asked.verdict)


def _of_pair(pair: VersionPairExported) -> Difference:
    found = _comparison(pair, pair.replicates)
    return Difference(pair.way, pair.verdict, found, pair.failure or "", told=pair.says)


def _comparison(of: Ratio | VersionPairExported, repeats: int) -> Comparison | None:
    if of.ratio is None or of.lo is None or of.hi is None:
        return None
    outcome = cast(Outcome, of.outcome or "undecided")
    return Comparison(0, 0, of.ratio, of.lo, of.hi, repeats, outcome, final=False)


def says(report: Report, group: GroupReport) -> Iterator[str]:
    """A sentence on each pair of a group: `read(path): new / old 0.96-1.09, undecided.`"""
    found = of_report(report)
    if found is None:
        return
    for each in question(report, report.groups.index(group)).differences:
        yield f"{each.way}: {found.new} / {found.old} {each.bounds}, {found.in_words(each)}."


def question(report: Report, place: int) -> Question:
    """The pairs of the group of this index."""
    group, asked = report.groups[place], report.run.plan.versions
    labels = [headings.label(each) for each in report.groups]
    label = labels[place]
    if labels.count(label) > 1:
        label = f"{label}: {group.question}"
    return Question(
        label,
        tuple(_difference(report, place, group, pair) for pair in group.versions),
        group.control,
        (*_control_differs(group, asked.old if asked else ""), *headings.unlike(group, report.run)),
    )


def _difference(report: Report, place: int, group: GroupReport, pair: VersionPair) -> Difference:
    old, new = group.name_of(pair.old), group.name_of(pair.new)
    return Difference(
        new if old == new else f"{old} -> {new}",
        pair.kind,
        pair.comparison,
        pair.new.failure or pair.old.failure or "",
        _more(report, place, pair),
    )


def _more(report: Report, place: int, pair: VersionPair) -> str:
    """What would decide a pair that is open."""
    if pair.found is None or not pair.found.open or pair.found.control_differs:
        return ""
    needed = pair.found.needed
    if needed is None:
        return "too noisy here"
    return next_steps.about_more(report, {place: needed})


def _control_differs(group: GroupReport, old: str) -> list[str]:
    """Where the same code differed from itself, so that nothing is called slower."""
    control = group.control
    if not group.suspended or control is None:
        return []
    would = sum(bool(each.found and each.found.control_differs) for each in group.versions)
    less = f": {counted(would, 'way')} would be" if would else ""
    return [
        f"the control differs: {old} against itself took "
        f"{between(control.lo, control.hi, ratio)} times as long, so nothing is called slower "
        f"here{less}"
    ]
