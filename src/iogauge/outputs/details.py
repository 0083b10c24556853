"""The tables of a run for a terminal of 80 columns, as Rich renderables: per group the question,
the answer, the table and notes; then
what the signs and words mean, and what of the run was not used.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from iogauge.analysis.accounting import Account
from iogauge.analysis.groupreport import GroupReport
from iogauge.analysis.report import Report
from iogauge.decision.costs import too_wide
from iogauge.model.plan import RunProtocol
from iogauge.model.ratios import apart
from iogauge.model.units import cores_of, counted, duration, share, system_of
from iogauge.outputs import headings, next_steps, phrases, skipped, spans, table, versions
from iogauge.outputs.document import Document
from iogauge.outputs.sentences import of_group

_CONSUMED = {
    "touch": "every 64th byte is looked at (touch)",
    "sum": "every byte, character or line is (sum)",
}
_MOST_FLOOR = 10.0  # a share of the time; a noise floor that is larger says nothing


def render(document: Document) -> RenderableType:
    report = document.report
    parts: list[RenderableType] = [_header(report)]
    for place, group in enumerate(report.groups):
        how = next_steps.of_group(report, place)
        count = f"{place + 1} " if len(report.groups) > 1 else ""
        pairs = list(versions.says(report, group))
        parts += [Text(""), *_group(group, count, report.run.plan.protocol, how, pairs)]
    for span in report.spans:
        parts += [Text(""), *spans.of(span, str(next_steps.of_span(report, span) or ""))]
    left_out = skipped.lines(report.run.plan.skipped, together=False)
    parts += [Text("")] * bool(left_out)
    parts += [Text(each, style="yellow") for each in left_out]
    if handled := _handled(report):
        parts += [Text(""), *map(Text, handled)]
    if any(case.ns_per_op for group in report.groups for case in group.cases):
        parts += [Text(""), Text(_legend(report), style="dim")]
    return Stack(*parts, Text(""), *account(document.account))


def _header(report: Report) -> Text:
    run, host = report.run, report.run.header.host
    text = Text()
    study = f"{run.plan.study}{', as published' if run.plan.published else ''}"
    text.append(study, style="bold")
    used = {each.case.runtime for group in report.groups for each in group.cases}
    names = [each.name for each in run.header.runtimes if each.name in used]
    text.append(f"  {', '.join(names)}\n")
    if run.header.imported:
        text.append(f"{phrases.imported(run.header.imported)}\n")
    text.append(f"{host['processor'] or host['machine']}, {cores_of(host)}, ")
    text.append(f"{system_of(host)}\n")
    text.append(f"{counted(len(run.replicates), 'replicate')} in {duration(run.seconds)}")
    for caveat in report.caveats:
        text.append(f"\n! {caveat}", style="yellow")
    for says in headings.unknown_state(each.conditions for each in report.groups):
        text.append(f"\n{says}", style="dim")
    return text


def _group(
    group: GroupReport, count: str, protocol: RunProtocol, how: str | None, pairs: Sequence[str]
) -> list[RenderableType]:
    """What was measured as published gets no answer of ours: `iogauge claims` has the verdicts. Of
    two versions the `pairs` are the answer.
    """
    parts: list[RenderableType] = [
        Text(f"{count}{headings.question(group, checked=False)}", style="bold"),
        Text(_conditions(group, protocol), style="dim"),
    ]
    says = of_group(group, how) if protocol == "sound" else []
    says = [*pairs, *([how] if how else [])] if pairs else says
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


def _conditions(group: GroupReport, protocol: RunProtocol) -> str:
    says = [group.title] if group.title else []
    if group.noise_floor is not None and _floor_known(group):
        says.append(f"noise floor {apart(group.noise_floor)}")
    return "; ".join([*says, headings.observed(group, protocol)])


def _notes(group: GroupReport) -> list[str]:
    notes = headings.other_folios(group)
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
        notes.append(f"preliminary, after {counted(group.replicates, 'replicate')}: no verdicts")
    return notes


# what the signs and words mean


def _legend(report: Report) -> str:
    """Signs and words that most tables have, and of the others those that these have."""
    groups, sound = report.groups, report.run.plan.protocol == "sound"
    cases = [case for group in groups for case in group.cases]
    ways = [(case.evidence, "read" if case.case.workload.reads_file else "write") for case in cases]
    compared = [case.vs_best for case in cases if case.vs_best]
    what_of = "replicates" if sound else "repetitions of the procedure (three at least)"
    imported = report.run.header.imported
    if imported:
        what_of = "what the other tool gives as forks, runs or lines (three at least)"
    consumed = {each.workload.consume for each in groups if each.workload.operation == "read"}
    looked_at = ", ".join(says for consume, says in _CONSUMED.items() if consume in consumed)
    offers_ceilings = any(
        strategy.role == "ceiling"
        for runtime in report.run.header.runtimes
        for strategy in runtime.strategies.values()
    )
    says = {
        f"± and (…): 95 % intervals over {what_of}, those of ratios simultaneous": True,
        "best = 1: that of its language; a ratio is of times in the same rounds, not of the "
        "levels beside it": bool(compared) and not imported,
        "~ not told apart (the interval holds 1, or the noise floor hides the difference), "
        f"= the same within {share(groups[0].precision)}": not imported,
        "unsure: the interval is too wide to be of use": any(
            not each.eliminated and too_wide(each.center, each.hi) for each in compared
        ),
        "≥: surely slower, and so not measured to the end": any(
            each.eliminated for each in compared
        ),
        "a time below 1: ahead of that best where both were measured, but not of all others": any(
            each.center < 0.995 for each in compared
        ),
        f"consume: of what was read {looked_at}": bool(looked_at),
        "fork: a process that measures, in each replicate a new one": any(
            case.forks and case.forks.has_caveats for case in cases
        ),
        "calls: system calls of one operation, B/call: bytes of each": True,
        "?: not known (the kernel does not count what is mapped)": not imported
        and any(seen and seen.figures[f"{way}_calls_per_op"] is None for seen, way in ways),
        "dev rd, dev wr: bytes read and writes made by the device per operation": any(
            each.conditions.durable or each.conditions.cache == "cold" for each in groups
        ),
        "compute: share of the time that the program's own work takes alone (summing, decoding, "
        "drawing numbers), an estimate": any(case.compute for case in cases),
        "ceiling: the fastest plain way to move these bytes that was tried here": any(
            each.ceiling for each in groups
        ),
        "no ceilings: measuring them needs Rust, which this run did not have": (
            sound and not offers_ceilings
        ),
        "noise floor: by so much the same code measured twice may differ (A/A control)": any(
            map(_floor_known, groups)
        ),
    }
    return "; ".join(text for text, there in says.items() if there)


def _floor_known(group: GroupReport) -> bool:
    """Whether the group has a noise floor that says something."""
    return group.noise_floor is not None and 0 < group.noise_floor < _MOST_FLOOR


# what was not used


def account(found: Account) -> list[RenderableType]:
    """What of a run was not used, and why."""
    parts: list[RenderableType] = [
        Text("what was not used", style="bold"),
        Text(f"{found.samples} samples of {found.forks} forks, {found.used} of them used"),
    ]
    for title, unused, noun in (
        ("samples not used", found.unused_samples, "sample"),
        ("not measured, or not in every replicate", found.not_measured, "replicate"),
    ):
        parts += [Text(""), Text(title, style="dim")]
        for each in unused:
            count = f"{counted(each.count, noun)}: " if each.count else ""
            parts.append(Padding(Text(f"{each.what}: {count}{each.why}"), (0, 0, 0, 2)))
        if not unused:
            parts.append(Text("  none"))
    return parts
