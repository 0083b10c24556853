"""Why each case takes its time, for a terminal of 80 columns: per case a line of figures and what
they mean, then what the sweeps show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from iogauge.advice.explanations import Explanation
from iogauge.analysis.ceilings import Ceiling
from iogauge.analysis.groupreport import GroupReport
from iogauge.model.case import runtimes_differ
from iogauge.model.units import duration, rate, size
from iogauge.outputs import headings
from iogauge.outputs.document import Document, Explained

if TYPE_CHECKING:  # it loads what measures
    from iogauge.measuring.trace import Trace


def render(document: Document) -> RenderableType:
    caveats = document.report.caveats
    parts: list[RenderableType] = [Text(f"! {each}", style="yellow") for each in caveats]
    parts += [Text("")] * bool(caveats)
    for each in document.explained:
        parts += [*_group(each, document), Text("")]
    cases = [case for each in document.explained for case in each.found.cases]
    told = {what for case in cases for what, _ in case.figures}
    says = [text for what, text in _WORDS.items() if what in told]
    if says:
        parts.append(Text("; ".join(["Figures are of one operation", *says]), style="dim"))
    return Stack(*parts)


_OWN = "a file of the user's"
_WORDS = {
    "user": "user, system: processor time in the program and in the kernel, as a share of the time "
    "that passed",
    "faults": "faults: pages of memory that had to be brought in or mapped",
    "switches": "switches: how often the processor turned to something else",
    "collectors": "collectors: the time in which garbage is collected",
    "not I/O": "not I/O: the program's own work, measured alone, as a share of the time (an "
    "estimate)",
}


def _group(explained: Explained, document: Document) -> list[RenderableType]:
    group = explained.found.group
    cases = explained.found.cases
    several = runtimes_differ((each.case.case.language, each.case.case.setting) for each in cases)
    parts: list[RenderableType] = [
        Text(headings.question(group, checked=True), style="bold"),
        *[Text(f"of {_OWN}", style="dim")] * (group.workload.content == "own"),
        Text(_limit(group), style="dim"),
    ]
    for each in cases:
        case = each.case.case
        language = document.run.header.runtime(case.runtime).name_of(case.language)
        parts += [Text(""), *_case(group, each, language, several)]
        traced = document.traces.get(case.key)
        if traced:
            calls = Text(f"strace, one operation: {_calls(traced)}", style="dim")
            parts.append(Padding(calls, (0, 0, 0, 2)))
    says = [*explained.order, *explained.sweeps]
    if group.suspended or group.provisional:
        says.append("Which block or buffer is best is not told: the group has no verdicts.")
    if says:
        parts += [Text(""), *(Padding(Text(each), (0, 0, 0, 2)) for each in says)]
    return parts


def _limit(group: GroupReport) -> str:
    if not group.ceiling:
        return "What this machine can do with these bytes was not measured."
    found = [group.ceiling]
    if group.ceiling_of_threads and group.ceiling_of_threads.threads > 1:
        found.append(group.ceiling_of_threads)
    return "The fastest plain way to move these bytes here: " + ", ".join(map(_speed, found))


def _speed(ceiling: Ceiling) -> str:
    """`9.15 GB/s with 1 thread (8-9.2 GB/s)`, the range where it differs from that."""
    speed, ends = rate(ceiling.bytes_per_s), [rate(ceiling.least), rate(ceiling.most)]
    says = f"{speed} with {headings.counted(ceiling.threads, 'thread')}"
    return says if {*ends} == {speed} else f"{says} ({' to '.join(ends)})"


def _case(
    group: GroupReport, found: Explanation, language: str, several: bool
) -> list[RenderableType]:
    case = found.case
    line = Text(f"{language}: {group.name_of(case)}", style="bold")
    assert case.ns_per_op is not None  # what has no time is not explained
    on = f" on {case.case.setting}" if several else ""
    line.append(f"{on}, {duration(case.ns_per_op.center / 1e9)}", style="not bold")
    figures = ", ".join(f"{what} {how}" for what, how in found.figures)
    says = [Text(" ".join(found.says))] if found.says else []
    return [line, *(Padding(each, (0, 0, 0, 2)) for each in (*says, Text(figures, style="dim")))]


def _calls(traced: Trace) -> str:
    if traced.unknown:
        return f"not known: {traced.unknown}"
    shown = []
    for each in traced.calls:
        moved = f" of {size(each.bytes / each.count)}" if each.bytes else ""
        failed = f" ({each.failed} failed)" if each.failed else ""
        shown.append(f"{each.count} {each.name}{moved}{failed}")
    return ", ".join(shown) or "no system call"
