"""Reasons for a terminal of 80 columns: per case a line of figures and what they mean, then knees
and dead knobs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from iogauge.advice import explanations
from iogauge.advice.explanations import Explanation, GroupExplained
from iogauge.analysis.report import Report
from iogauge.claims import measured
from iogauge.model.case import runtimes_differ
from iogauge.model.units import duration, rate, size

if TYPE_CHECKING:  # it loads what measures
    from iogauge.measuring.trace import Trace


def render(report: Report, traces: dict[str, Trace]) -> RenderableType:
    """`traces` by the keys of cases: shown where there are any."""
    parts: list[RenderableType] = [Text(f"! {each}", style="yellow") for each in report.caveats]
    explained = [
        explanations.of_group(group, comparable)
        for group, comparable in zip(report.groups, measured.comparables(report), strict=True)
    ]
    for each in explained:
        parts += [*_group(each, traces), Text("")]
    told = {what for group in explained for case in group.cases for what, _ in case.figures}
    says = [text for what, text in _WORDS.items() if what in told]
    return Stack(
        *parts, *([Text("; ".join(["all of one operation", *says]), style="dim")] if says else [])
    )


_WORDS = {
    "user": "user, system: processor time in the program and in the kernel, as a share of the time that passed",
    "faults": "faults: pages that had to be brought in or mapped",
    "switches": "switches: of the processor to something else",
    "collectors": "collectors: the time in which garbage is collected",
    "other work": "other work: what its loop does besides, measured alone, as a share of the time (an estimate)",
    "of the ceiling": "ceiling: the fastest plain way to move these bytes that was tried here",
}


def _group(found: GroupExplained, traces: dict[str, Trace]) -> list[RenderableType]:
    group = found.group
    parts: list[RenderableType] = [
        Text(group.question, style="bold"),
        Text(group.title, style="dim"),
    ]
    for title, ceiling in (
        ("the ceiling", group.ceiling),
        ("that of several threads", group.ceiling_of_threads),
    ):
        if ceiling and (title == "the ceiling" or ceiling.threads > 1):
            speed = (
                rate(ceiling.bytes_per_s)
                if group.workload.size
                else duration(ceiling.ns_per_op / 1e9)
            )
            parts.append(
                Text(
                    f"{title}: {speed} ({rate(ceiling.least)} to {rate(ceiling.most)}), {ceiling.label}",
                    style="dim",
                )
            )
    if not group.ceiling:
        parts.append(Text("no ceiling was measured", style="dim"))
    for each in found.cases:
        parts += [Text(""), *_case(each)]
        traced = traces.get(each.case.case.key)
        if traced:
            parts.append(
                Padding(Text(f"strace, one operation: {_calls(traced)}", style="dim"), (0, 0, 0, 2))
            )
    several = runtimes_differ(
        (each.case.case.language, each.case.case.setting) for each in found.cases
    )
    says = [
        *(explanations.of_knee(each, several) for each in found.knees),
        *(explanations.of_dead_knob(each, group.precision, several) for each in found.dead),
    ]
    if group.suspended or group.provisional:
        says.append("no verdicts: nothing is said of sweeps")
    if says:
        parts += [Text(""), *(Padding(Text(each), (0, 0, 0, 2)) for each in says)]
    return parts


def _case(found: Explanation) -> list[RenderableType]:
    case = found.case
    line = Text(case.case.label, style="bold")
    line.append(f" @{case.case.setting}  {duration(case.ns_per_op.center / 1e9)}", style="not bold")
    figures = ", ".join(f"{what} {how}" for what, how in found.figures)
    parts: list[RenderableType] = [line, Padding(Text(figures, style="dim"), (0, 0, 0, 2))]
    return [*parts, Padding(Text(" ".join(found.says)), (0, 0, 0, 2))] if found.says else parts


def _calls(traced: Trace) -> str:
    if traced.unknown:
        return f"not known: {traced.unknown}"
    shown = []
    for each in traced.calls:
        moved = f" of {size(each.bytes / each.count)}" if each.bytes else ""
        failed = f" ({each.failed} failed)" if each.failed else ""
        shown.append(f"{each.count} {each.name}{moved}{failed}")
    return ", ".join(shown) or "no system call"
