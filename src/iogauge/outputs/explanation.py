"""Why each case takes its time, for a terminal of 80 columns: per case a line of figures and what
they mean, then what the sweeps show.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from iogauge.advice.explanations import Explanation
from iogauge.analysis.groupreport import GroupReport
from iogauge.model.units import duration, rate, size
from iogauge.outputs.document import Document, Explained

if TYPE_CHECKING:  # it loads what measures
    from iogauge.measuring.trace import Trace


def render(document: Document) -> RenderableType:
    caveats = document.report.caveats
    parts: list[RenderableType] = [Text(f"! {each}", style="yellow") for each in caveats]
    for each in document.explained:
        parts += [*_group(each, document.traces), Text("")]
    cases = [case for each in document.explained for case in each.found.cases]
    told = {what for case in cases for what, _ in case.figures}
    says = [text for what, text in _WORDS.items() if what in told]
    if says:
        parts.append(Text("; ".join(["all of one operation", *says]), style="dim"))
    return Stack(*parts)


_WORDS = {
    "user": "user, system: processor time in the program and in the kernel, as a share of the time "
    "that passed",
    "faults": "faults: pages that had to be brought in or mapped",
    "switches": "switches: of the processor to something else",
    "collectors": "collectors: the time in which garbage is collected",
    "other work": "other work: what its loop does besides, measured alone, as a share of the time "
    "(an estimate)",
    "of the ceiling": "ceiling: the fastest plain way to move these bytes that was tried here",
}


def _group(explained: Explained, traces: Mapping[str, Trace]) -> list[RenderableType]:
    group = explained.found.group
    parts: list[RenderableType] = [
        Text(group.question, style="bold"),
        Text(group.title, style="dim"),
        *(Text(each, style="dim") for each in _ceilings(group)),
    ]
    for each in explained.found.cases:
        parts += [Text(""), *_case(each)]
        traced = traces.get(each.case.case.key)
        if traced:
            calls = Text(f"strace, one operation: {_calls(traced)}", style="dim")
            parts.append(Padding(calls, (0, 0, 0, 2)))
    says = [*explained.order, *explained.sweeps]
    if group.suspended or group.provisional:
        says.append("no verdicts: nothing is said of sweeps")
    if says:
        parts += [Text(""), *(Padding(Text(each), (0, 0, 0, 2)) for each in says)]
    return parts


def _ceilings(group: GroupReport) -> list[str]:
    if not group.ceiling:
        return ["no ceiling was measured"]
    found = [("the ceiling", group.ceiling)]
    if group.ceiling_of_threads and group.ceiling_of_threads.threads > 1:
        found.append(("that of several threads", group.ceiling_of_threads))
    lines = []
    for title, each in found:
        speed = rate(each.bytes_per_s) if group.workload.size else duration(each.ns_per_op / 1e9)
        lines.append(f"{title}: {speed} ({rate(each.least)} to {rate(each.most)}), {each.label}")
    return lines


def _case(found: Explanation) -> list[RenderableType]:
    case = found.case
    line = Text(case.case.label, style="bold")
    assert case.ns_per_op is not None  # what has no time is not explained
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
