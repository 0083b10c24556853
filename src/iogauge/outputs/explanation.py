"""Why each case takes its time, for a terminal of 80 columns: the answers with what most of the
difference is, what the sweeps show, then each case with its reasons and other figures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from iogauge.advice.explanations import Explanation
from iogauge.analysis.groupreport import GroupReport
from iogauge.model.case import runtimes_differ
from iogauge.model.strategy import told_with
from iogauge.model.units import counted, duration, rate, size
from iogauge.outputs import headings, sentences, spans, states, versions
from iogauge.outputs.document import Document, Explained

if TYPE_CHECKING:  # it loads what measures
    from iogauge.measuring.trace import Trace


def render(document: Document) -> RenderableType:
    several = len(document.explained) > 1
    of_arrays, shown = document.report.of_arrays, set[str]()
    parts: list[RenderableType] = []
    for number, each in enumerate(document.explained, 1):
        of_memory = list(of_arrays) if _large_arrays(each) else []
        shown |= {*of_memory}
        count = f"{number} " if several else ""
        parts += [*_group(each, count, of_memory, document), Text("")]
    for span in document.report.spans:
        if of_states := states.of(span):
            parts.append(Text(f"{span.question} ({spans.where(span)})", style="bold"))
            parts += [
                Padding(Text(f"{name}: {says}"), (0, 0, 0, 2)) for name, says in of_states.items()
            ]
            parts.append(Text(""))
    caveats = [each for each in document.report.caveats if each not in shown]
    parts += [Text(f"! {each}", style="yellow") for each in caveats]
    unknown = headings.unknown_state(each.found.group.conditions for each in document.explained)
    parts += [Text(each, style="dim") for each in unknown]
    cases = [case for each in document.explained for case in each.found.cases]
    told = {what for case in cases for what, _ in case.figures}
    says = [text for what, text in _WORDS.items() if what in told]
    if says:
        parts.append(Text("; ".join(["Figures are of one operation", *says]), style="dim"))
    return Stack(*parts)


_OWN = "your file"
_MALLOCED = 128 << 10  # bytes: so large an array begins there
_WORDS = {
    "program": "program, kernel: processor time in each, as a share of the time that passed",
    "faults": "faults: pages of memory that had to be brought in or mapped",
    "switches": "switches: how often the processor turned to something else",
    "collectors": "collectors: the time in which garbage is collected",
    "not I/O": "not I/O: the program's own work, measured alone (an estimate)",
}


def _group(
    explained: Explained, count: str, of_memory: Sequence[str], document: Document
) -> list[RenderableType]:
    """The answer with what most of the difference is, then the rest."""
    group = explained.found.group
    cases = explained.found.cases
    several = runtimes_differ((each.case.case.language, each.case.case.setting) for each in cases)
    parts: list[RenderableType] = [
        Text(f"{count}{headings.question(group, checked=True)}", style="bold"),
        *[Text(f"of {_OWN}", style="dim")] * (group.workload.content == "own"),
        *map(_indented, _answers(explained, document)),
        *(_indented(f"! {each}", "yellow") for each in of_memory),
        *(_indented(each) for each in (*explained.order, *explained.sweeps)),
    ]
    if (group.suspended or group.provisional) and not group.versions:
        says = "Which block or buffer is best is not told: the group has no verdicts."
        parts.append(_indented(says))
    if group.is_checked:
        parts.append(_indented(_limit(group), "dim"))
    for each in cases:
        case = each.case.case
        language = document.run.header.runtime(case.runtime).name_of(case.language)
        parts += _case(group, each, language, several)
        if traced := document.traces.get(case.key):
            parts.append(_indented(f"strace, one operation: {_calls(traced)}", "dim", 4))
    return parts


def _indented(text: str, style: str = "", by: int = 2) -> RenderableType:
    return Padding(Text(text, style=style), (0, 0, 0, by))


def _answers(explained: Explained, document: Document) -> Iterator[str]:
    """Per language what to use, and what most of the difference is to what takes longer; of two
    versions how they compare.
    """
    if explained.found.group.versions:
        yield from versions.says(document.report, explained.found.group)
        return
    group, differences = explained.found.group, explained.found.differences
    if group.one_each and (compared := sentences.between(group)):
        yield compared
        return
    for each in sentences.of(group):
        says = f"{each.name}: {each.short}."
        if found := differences.get(each.verdict.set):
            other = found.case
            sure = bool(other.vs_best and other.vs_best.outcome == "slower")
            takes = "takes longer" if sure else "looks slower"
            says += f" {group.name_of(other)} {takes}: {found.why}."
        yield says


def _large_arrays(explained: Explained) -> bool:
    """Whether a case reads a file into arrays so large that malloc puts them into a page."""
    values = (
        max(each.case.value("piece") or 0, each.case.value("buffer") or 0)
        for each in explained.found.cases
    )
    return explained.found.group.workload.reads_file and max(values, default=0) >= _MALLOCED


def _limit(group: GroupReport) -> str:
    if not group.ceiling:
        return "This machine's limit was not measured."
    found = [group.ceiling]
    if group.ceiling_of_threads and group.ceiling_of_threads.threads > 1:
        found.append(group.ceiling_of_threads)
    limit = ", ".join(
        f"{rate(each.bytes_per_s)} with {counted(each.threads, 'thread')}" for each in found
    )
    return f"This machine's limit, the fastest plain way to move these bytes: {limit}"


def _case(
    group: GroupReport, found: Explanation, language: str, several: bool
) -> list[RenderableType]:
    case = found.case
    assert case.ns_per_op is not None  # what has no time is not explained
    named = told_with(language, case.case.setting) if several else language
    line = Text(f"{named}: {group.name_of(case)}", style="bold")
    seconds = case.ns_per_op.center / 1e9
    told = "".join(f", {each}" for each in (duration(seconds), found.of_limit) if each)
    line.append(told, style="not bold")
    parts = [_indented(" ".join(found.says), by=4)] if found.says else []
    if found.figures:
        figures = ", ".join(f"{what} {how}" for what, how in found.figures)
        parts.append(_indented(figures, "dim", 4))
    return [Padding(line, (0, 0, 0, 2)), *parts]


def _calls(traced: Trace) -> str:
    if traced.unknown:
        return f"not known: {traced.unknown}"
    shown = []
    for each in traced.calls:
        moved = f" of {size(each.bytes / each.count)}" if each.bytes else ""
        failed = f" ({each.failed} failed)" if each.failed else ""
        shown.append(f"{each.count} {each.name}{moved}{failed}")
    return ", ".join(shown) or "no system call"
