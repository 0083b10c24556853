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
from iogauge.model.units import compact_count, size, whole_share
from iogauge.outputs import header, legend, next_steps, operations, spans, table
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
        parts += [Text(""), *spans.of(span, next_steps.of_span(report, span))]
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
        Text(_conditions(group), style="dim"),
    ]
    says = of_group(group, how) if protocol == "sound" else []
    parts += [
        Padding(Text(each, style="red" if group.suspended else ""), (0, 0, 0, 2)) for each in says
    ]
    parts.append(Text(""))
    parts.append(table.of(group))
    if (single := operations.of(group)) is not None:
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


def _conditions(group: GroupReport) -> str:
    says = [group.title]
    if group.noise_floor is not None and legend.floor_known(group):
        says.append(f"noise floor {apart(group.noise_floor)}")
    if group.workload.medium == "memory":
        return "; ".join(says)
    if group.workload.writes_file:
        says.append(_written(group))
    if group.workload.reads_file:
        says.append(_cached(group))
    return "; ".join(says)


def _cached(group: GroupReport) -> str:
    """What was observed of the cache and the device while files were read."""
    if not group.resident_before:
        return "cache state not observed"
    low, high = map(whole_share, group.resident_before)
    seen = low if low == high else f"{low} to {high}"
    reads = [case.evidence.device_read_bytes_per_op for case in group.cases if case.evidence]
    known = [each for each in reads if each is not None]
    device = ""
    if known:
        amounts = dict.fromkeys(size(round(amount)) for amount in (min(known), max(known)))
        device = f", {' to '.join(amounts)} per operation from the device"
    return f"observed: {seen} in the cache before every sample{device}"


def _written(group: GroupReport) -> str:
    """What was observed of the device while files were written."""
    writes = [case.evidence.device_writes_per_op for case in group.cases if case.evidence]
    seen = [each for each in writes if each is not None]
    if not seen:
        return "device writes not observed"
    low, high = compact_count(min(seen)), compact_count(max(seen))
    return f"observed: {low if low == high else f'{low} to {high}'} device writes per operation"


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
        notes.append(f"standings after {header.replicates(group.replicates)}, no verdicts")
    return notes
