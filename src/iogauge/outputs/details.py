"""The tables of a run for a terminal of 80 columns, as Rich renderables: per group the question,
the answer, the table and notes.
"""

from __future__ import annotations

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from iogauge.analysis.groupreport import GroupReport
from iogauge.analysis.report import Report
from iogauge.model.plan import Protocol
from iogauge.model.ratios import apart
from iogauge.outputs import header, headings, legend, next_steps, spans, table
from iogauge.outputs.document import Document
from iogauge.outputs.sentences import of_group


def render(document: Document) -> RenderableType:
    report = document.report
    parts: list[RenderableType] = [header.of(report)]
    for place, group in enumerate(report.groups):
        how = next_steps.of_group(report, place)
        count = f"{place + 1} " if len(report.groups) > 1 else ""
        parts += [Text(""), *_group(group, count, report.run.plan.protocol, how)]
    for span in report.spans:
        parts += [Text(""), *spans.of(span, str(next_steps.of_span(report, span) or ""))]
    skipped = report.run.plan.skipped
    parts += [Text("")] * bool(skipped)
    parts += [Text(f"not measured: {each.what}: {each.why}", style="yellow") for each in skipped]
    if handled := _handled(report):
        parts += [Text(""), *map(Text, handled)]
    if any(case.ns_per_op for group in report.groups for case in group.cases):
        parts += [Text(""), Text(legend.of(report), style="dim")]
    return Stack(*parts)


def _group(
    group: GroupReport, count: str, protocol: Protocol, how: str | None
) -> list[RenderableType]:
    """What was measured as published gets no answer of ours: `iogauge claims` has the verdicts."""
    parts: list[RenderableType] = [
        Text(f"{count}{group.question}", style="bold"),
        Text(_conditions(group, protocol), style="dim"),
    ]
    says = of_group(group, how) if protocol == "sound" else []
    parts += [
        Padding(Text(each, style="red" if group.suspended else ""), (0, 0, 0, 2)) for each in says
    ]
    parts.append(Text(""))
    parts.append(table.of(group))
    if (single := table.operations(group)) is not None:
        parts += [Text(""), single]
    if group.across:
        parts += [Text(""), table.across(group)]
    parts += [Padding(Text(each, style="yellow"), (0, 0, 0, 2)) for each in _notes(group)]
    return parts


def _handled(report: Report) -> list[str]:
    """`new buffer: go/read-file, go/read-all`: what tells strategies that look alike apart."""
    found: dict[str, dict[str, None]] = {}
    for group in report.groups:
        for case in group.cases:
            if case.strategy.handling:
                alike = found.setdefault(", ".join(case.strategy.handling), {})
                alike[case.strategy.name] = None
    return [f"{how}: {', '.join(sorted(names))}" for how, names in sorted(found.items())]


def _conditions(group: GroupReport, protocol: Protocol) -> str:
    says = [group.title]
    if group.noise_floor is not None and legend.floor_known(group):
        says.append(f"noise floor {apart(group.noise_floor)}")
    return "; ".join([*says, headings.observed(group, protocol)])


def _notes(group: GroupReport) -> list[str]:
    notes = []
    if group.control_failure:
        notes.append(
            "the A/A control failed, so no noise floor is known, and verdicts rest on intervals "
            f"alone: {group.control_failure}"
        )
    failed: dict[str, list[str]] = {}
    for case in group.cases:
        if case.failure:
            failed.setdefault(case.failure, []).append(case.label)
    for reason, labels in failed.items():
        who = f"all {len(labels)}" if len(labels) == len(group.cases) > 1 else ", ".join(labels)
        notes.append(f"{who}: failed: {reason}")
    for case in group.cases:
        notes += [f"{case.label}: {each}" for each in case.caveats]
    if group.provisional and not group.suspended:
        notes.append(f"preliminary, after {header.replicates(group.replicates)}: no verdicts")
    return notes
