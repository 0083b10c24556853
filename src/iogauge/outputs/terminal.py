"""The report as tables for a terminal of 80 columns (Rich renderables: colours are for whoever has
them).
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from iogauge.analysis import forks
from iogauge.analysis.accounting import Account, Unused
from iogauge.analysis.analysis import CaseEvidence
from iogauge.analysis.report import CaseReport, GroupReport, Report
from iogauge.model.plan import Protocol
from iogauge.model.units import duration, rate, share, significant, size
from iogauge.outputs.answers import answers
from iogauge.planning.ceilings import Ceiling
from iogauge.statistics.stats import Comparison

_TOO_WIDE = 4.0
_MOST_FLOOR = 10.0  # a share: of one that is larger nothing is learnt
_LABEL, _SPEED, _RATIO, _SHARE = (
    29,
    15,
    19,
    5,
)  # with 13 or 14 of the group's own columns, and a space between them: 80


def render(report: Report) -> RenderableType:
    """Header, then per group: question, answer, table, notes."""
    parts: list[RenderableType] = [_header(report)]
    for group in report.groups:
        parts += [Text(""), *_group(group, report.run.plan.protocol)]
    skipped = report.run.plan.skipped
    parts += [Text("")] * bool(skipped)
    parts += [Text(f"not measured: {each.what}: {each.why}", style="yellow") for each in skipped]
    if any(case.ns_per_op for group in report.groups for case in group.cases):
        parts += [Text(""), Text(_legend(report), style="dim")]
    return Stack(*parts)


def render_answers(report: Report) -> RenderableType:
    """Header, then per group the question and the answer: what fits a small screen."""
    parts: list[RenderableType] = [_header(report)]
    for group in report.groups:
        parts += [Text(""), Text(group.question, style="bold"), Text(group.title, style="dim")]
        parts += [
            Padding(Text(each), (0, 0, 0, 2))
            for each in (answers(group) if report.run.plan.protocol == "sound" else [])
        ]
    return Stack(*parts)


def render_account(account: Account) -> RenderableType:
    """What was not used, and why (`show --all`)."""
    parts: list[RenderableType] = [
        Text("what was not used", style="bold"),
        Text(f"{account.samples} samples of {account.forks} forks, {account.used} of them used"),
    ]
    for title, found, noun in (
        ("samples not used", account.unused_samples, "sample"),
        ("not measured, or not in every replicate", account.not_measured, "replicate"),
    ):
        parts += [Text(""), Text(title, style="dim")]
        parts += [Padding(Text(_unused(each, noun)), (0, 0, 0, 2)) for each in found] or [
            Text("  none")
        ]
    return Stack(*parts)


def _unused(each: Unused, noun: str) -> str:
    count = f"{each.count} {noun}{'' if each.count == 1 else 's'}: " if each.count else ""
    return f"{each.what}: {count}{each.why}"


def _header(report: Report) -> RenderableType:
    run = report.run
    host = run.header.host
    runtimes = ", ".join(runtime.name for runtime in run.header.runtimes)
    machine = f"{host['processor'] or host['machine']}, {host['cores']} cores, {host['file_system']}, Linux {host['kernel']}"
    text = Text()
    text.append(
        f"{run.plan.study}{'' if run.plan.protocol == 'sound' else ', as published'}", style="bold"
    )
    text.append(
        f"  {runtimes}\n{machine}\n{_replicates(len(run.replicates))} in {duration(run.seconds)}"
    )
    for caveat in report.caveats:
        text.append(f"\n! {caveat}", style="yellow")
    return text


def _replicates(count: int) -> str:
    return f"{count} replicate{'' if count == 1 else 's'}"


def _group(group: GroupReport, protocol: Protocol) -> list[RenderableType]:
    """What was measured as published gets no answer of ours: `iogauge claims` has the verdicts."""
    parts: list[RenderableType] = [
        Text(group.question, style="bold"),
        Text(_conditions(group), style="dim"),
    ]
    says = answers(group) if protocol == "sound" else []
    parts += [
        Padding(Text(each, style="red" if group.suspended else ""), (0, 0, 0, 2)) for each in says
    ]
    parts.append(Text(""))
    parts.append(_table(group))
    if group.across:
        parts += [Text(""), _across(group)]
    parts += [Padding(Text(each, style="yellow"), (0, 0, 0, 2)) for each in _notes(group)]
    return parts


def _conditions(group: GroupReport) -> str:
    says = [group.title]
    if _floor_known(group):
        says.append(f"noise floor {share(group.noise_floor)}")
    if group.workload.medium == "memory":
        return "; ".join(says)
    if group.workload.writes_file:
        says.append(_written(group))
    if not group.workload.reads_file:
        pass
    elif group.resident_before:
        low, high = group.resident_before
        seen = f"{low:.0%}" if low == high else f"{low:.0%} to {high:.0%}"
        devices = [
            case.evidence.device_read_bytes_per_op
            for case in group.cases
            if case.evidence and case.evidence.device_read_bytes_per_op is not None
        ]
        amounts = (
            [size(round(amount)) for amount in (min(devices), max(devices))] if devices else []
        )
        device = (
            f", {' to '.join(dict.fromkeys(amounts))} per operation from the device"
            if devices
            else ""
        )
        says.append(f"observed: {seen} in the cache before every sample{device}")
    else:
        says.append("cache state not observed")
    return "; ".join(says)


@dataclass(frozen=True)
class _Column:
    """What is told of a case beside its speed and its ratio."""

    header: str
    width: int
    cell: Callable[[CaseEvidence], str]


_READ_CALLS = (
    _Column("calls", 6, lambda seen: _count(seen.read_calls_per_op)),
    _Column("B/call", 7, lambda seen: _bytes(seen.bytes_per_read_call)),
)
_COLD = (
    _Column("calls", 6, lambda seen: _count(seen.read_calls_per_op)),
    _Column("dev rd", 7, lambda seen: _bytes(seen.device_read_bytes_per_op, "?")),
)
_WRITE_CALLS = (
    _Column("calls", 6, lambda seen: _count(seen.write_calls_per_op)),
    _Column("B/call", 7, lambda seen: _bytes(seen.bytes_per_write_call)),
)
_DEVICE = (
    _Column("calls", 6, lambda seen: _count(seen.write_calls_per_op)),
    _Column("dev wr", 7, lambda seen: _count(seen.device_writes_per_op)),
)
_HEAP = (_Column("allocates", 14, lambda seen: _bytes(seen.allocated_bytes_per_op, "?")),)


def _in_time(group: GroupReport) -> bool:
    """Whether speeds are told as times: those of waiting for a device, or of nothing to move."""
    return group.conditions.durable or not group.workload.size


def _columns(group: GroupReport) -> tuple[_Column, ...]:
    if group.workload.medium == "memory":
        return _HEAP
    if group.conditions.cache == "cold":
        return _COLD
    if group.workload.operation == "read":
        return _READ_CALLS
    return _DEVICE if group.conditions.durable else _WRITE_CALLS


def _written(group: GroupReport) -> str:
    """What was observed of the device while files were written."""
    writes = [case.evidence.device_writes_per_op for case in group.cases if case.evidence]
    seen = [each for each in writes if each is not None]
    if not seen:
        return "device writes not observed"
    low, high = _count(min(seen)), _count(max(seen))
    return f"observed: {low if low == high else f'{low} to {high}'} device writes per operation"


def _table(group: GroupReport) -> Table:
    table = Table(
        box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim", show_edge=False
    )
    columns, shares = _columns(group), any(case.other_work for case in group.cases)
    width = _LABEL - (_SHARE + 1 if shares else 0)
    table.add_column("", width=width, overflow="fold")
    table.add_column("time" if _in_time(group) else "throughput", width=_SPEED, justify="right")
    table.add_column("time, best = 1", width=_RATIO, justify="right")
    for column in columns:
        table.add_column(column.header, width=column.width, justify="right")
    if shares:
        table.add_column("other", width=_SHARE, justify="right")
    names = [
        *group.sets,
        *dict.fromkeys(case.rank_set for case in group.cases if case.rank_set not in group.sets),
    ]
    for name in names:
        if " on " in name:  # several runtimes of one language: each has a heading, and its own best
            table.add_row(Text(name, style="italic"))
        for case in (each for each in group.cases if each.rank_set == name):
            cells = _row(group, case, columns) + ([Text(_other(case))] if shares else [])
            label = _folded(_label(case), width)
            best = case.is_best and not group.suspended and not group.provisional
            cells.insert(0, Text(label, style="bold green" if best and case.ns_per_op else ""))
            table.add_row(*cells, style="dim" if not case.ns_per_op else None)
    for ceiling in (group.ceiling, group.ceiling_of_threads):
        if ceiling and (ceiling is group.ceiling or ceiling.threads > 1):
            table.add_row(
                Text(_folded(f"ceiling: {ceiling.label}", width)),
                *_ceiling_row(group, ceiling),
                style="dim",
            )
    return table


def _ceiling_row(group: GroupReport, ceiling: Ceiling) -> list[Text]:
    speed = duration(ceiling.ns_per_op / 1e9) if _in_time(group) else rate(ceiling.bytes_per_s)
    best = next(
        (case for case in group.cases if case.is_best and case.rank_set == group.sets[0]), None
    )
    paired = (
        best and best.of_ceiling and best.threads == ceiling.threads
    )  # else of the levels: this pair is not compared
    ratio = (
        _short(best.of_ceiling.center if paired else ceiling.ns_per_op / best.ns_per_op.center)
        if best
        else ""
    )
    return [Text(f"{speed}     "), Text(f"{ratio}                 " if ratio else "")]


def _row(group: GroupReport, case: CaseReport, columns: tuple[_Column, ...]) -> list[Text]:
    """All cells but the label."""
    if case.ns_per_op is None:
        return [
            Text("failed" if case.failure else "no data"),
            Text(""),
            *(Text("") for _ in columns),
        ]
    return [
        Text(_speed(group, case)),
        _ratio(group, case),
        *(Text(column.cell(case.evidence) if case.evidence else "?") for column in columns),
    ]


def _folded(label: str, width: int) -> str:
    """Lines that end after a hyphen or a space, not inside a word."""
    return "\n".join(textwrap.wrap(label, width, subsequent_indent="  "))


def _other(case: CaseReport) -> str:
    """Share of the case's time that its companion takes."""
    if case.other_work is None or not case.ns_per_op:
        return "–" if case.ns_per_op else ""
    share = case.other_work.share.center
    return "<1%" if share < 0.01 else ">100%" if share > 1 else f"{share:.0%}"


def _label(case: CaseReport) -> str:
    mark = " failed" if case.failure and case.ns_per_op else ""
    return case.case.label + mark


def _speed(group: GroupReport, case: CaseReport) -> str:
    if case.bytes_per_s and not _in_time(group):
        found, text = case.bytes_per_s, rate(case.bytes_per_s.center)
    else:
        found, text = case.ns_per_op, duration(case.ns_per_op.center / 1e9)
    if found.lo <= 0 or found.hi == float("inf"):
        return f"{text}     "
    half = (found.hi / found.lo) ** 0.5 - 1
    return f"{text} ±{significant(half * 100, 1 if half < 0.1 else 2)}%"


def _ratio(group: GroupReport, case: CaseReport) -> Text:
    found = case.vs_best
    if case.is_best or found is None:
        return Text("1                 " if case.is_best else "")
    return _compared(found, group.suspended or group.provisional)


def _compared(found: Comparison, no_verdict: bool) -> Text:
    """A ratio with its interval and what it amounts to: nothing (decided), = (the same), or ~ (not
    told apart).
    """
    if found.settled:
        return Text(f"≥ {significant(found.lo, 1)}, about {_short(found.center)}")
    text = (
        f"{_short(found.center)} ({_short(found.lo)}–{_short(found.hi)})"
        if _told(found)
        else f"{_short(found.center)} (unsure)"
    )
    if no_verdict or found.outcome == "undecided":
        return Text(f"{text} ~", style="dim")
    return Text(f"{text} {'=' if found.outcome == 'same' else ' '}")


def _told(found: Comparison) -> bool:
    """An interval that is wider says only that little is known."""
    return found.hi < _TOO_WIDE * found.center


def _across(group: GroupReport) -> Table:
    """The same variant on two runtimes."""
    reference = group.across[0].reference.setting
    table = Table(
        box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim", show_edge=False
    )
    table.add_column(f"time, {reference} = 1", width=_LABEL, overflow="fold")
    table.add_column("", width=_SPEED, justify="right", overflow="fold")
    table.add_column("", width=_RATIO, justify="right")
    for each in group.across:
        ratio = _compared(each.comparison, group.suspended or group.provisional)
        table.add_row(Text(each.case.label), Text(each.case.setting), ratio)
    return table


def _short(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 10 else significant(ratio, 2)


def _count(value: float | None) -> str:
    if value is None:
        return "?"
    if value >= 1e6:
        return f"{significant(value / 1e6, 3)}M"
    if value >= 1e5:
        return f"{value / 1e3:.0f}k"
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}".removesuffix(".0")


def _bytes(value: float | None, unknown: str = "–") -> str:
    """Without calls there are no bytes per call, which is no lack of knowledge."""
    if value is None:
        return unknown
    return (
        "0"
        if value < 0.5
        else significant(value, 3)
        if value < 1024
        else size(value).replace("iB", "").replace(" ", "")
    )


def _notes(group: GroupReport) -> list[str]:
    notes = []
    if group.twin_failure:
        notes.append(
            f"the A/A twin failed, so no noise floor is known, and verdicts rest on intervals alone: {group.twin_failure}"
        )
    failed: dict[str, list[str]] = {}
    earlier: dict[str, list[str]] = {}
    for case in group.cases:
        if case.failure:
            failed.setdefault(case.failure, []).append(case.case.label)
    for reason, labels in failed.items():
        who = f"all {len(labels)}" if len(labels) == len(group.cases) > 1 else ", ".join(labels)
        notes.append(f"{who}: failed: {reason}")
    for case in group.cases:
        notes += [f"{case.case.label}: {each}" for each in case.caveats]
        if case.vs_best_key not in (None, _best_key(group, case)):
            earlier.setdefault(case.vs_best_key.partition(" ")[0], []).append(case.case.label)
    notes += [
        f"decided against {best}, the best at the time: {', '.join(labels)}"
        for best, labels in earlier.items()
    ]
    if group.provisional and not group.suspended:
        notes.append(f"standings after {_replicates(group.replicates)}, no verdicts")
    return notes


def _best_key(group: GroupReport, case: CaseReport) -> str | None:
    best = group.best_of.get(case.rank_set)
    return best.case.key if best else None


def _floor_known(group: GroupReport) -> bool:
    """As far as it says anything."""
    return group.noise_floor is not None and 0 < group.noise_floor < _MOST_FLOOR


def _calls_unknown(case: CaseReport) -> bool:
    calls = "read_calls_per_op" if case.case.workload.reads_file else "write_calls_per_op"
    return bool(case.evidence) and getattr(case.evidence, calls) is None


def _shows_device(group: GroupReport) -> bool:
    return group.conditions.durable or group.conditions.cache == "cold"


def _legend(report: Report) -> str:
    """What the signs and words of these tables mean; of most of those that are not in them nothing
    is said.
    """
    cases = [case for group in report.groups for case in group.cases]
    what_of = (
        "replicates"
        if report.run.plan.protocol == "sound"
        else "repetitions of the procedure (three at least)"
    )
    consumed = {
        group.workload.consume for group in report.groups if group.workload.operation == "read"
    }
    behind = [case.vs_best.center for case in cases if case.vs_best]
    says = {
        f"± and (…): 95 % intervals over {what_of}, those of ratios simultaneous": True,
        "best = 1: that of its language; a ratio is of times in the same rounds, not of the levels beside it": any(
            case.vs_best for case in cases
        ),
        f"~ not told apart (the interval holds 1, or the noise floor hides the difference), = the same within {share(report.groups[0].precision)}": True,
        "unsure: the interval is too wide to be of use": any(
            case.vs_best and not case.vs_best.settled and not _told(case.vs_best) for case in cases
        ),
        "≥: so far behind from the start that it was not measured further": any(
            case.vs_best and case.vs_best.settled for case in cases
        ),
        "a time below 1: compared with an earlier best, or in too few replicates to be it": min(
            behind, default=1
        )
        < 0.995,
        f"consume: of what was read {', '.join(_CONSUMED[each] for each in ('touch', 'sum') if each in consumed)}": bool(
            consumed & set(_CONSUMED)
        ),
        "fork: a process that measures, in each replicate a new one": any(
            case.forks and forks.caveats(case.forks) for case in cases
        ),
        "calls: system calls of one operation, B/call: bytes of each": True,
        "?: not known (the kernel does not count what is mapped)": any(map(_calls_unknown, cases)),
        "dev rd, dev wr: bytes read and writes made by the device per operation": any(
            map(_shows_device, report.groups)
        ),
        "other: share of the time that a loop's other work takes alone (summing, decoding, drawing numbers), an estimate": any(
            case.other_work for case in cases
        ),
        "ceiling: the fastest plain way to move these bytes that was tried here": any(
            group.ceiling for group in report.groups
        ),
        "no ceilings: they are measured with Rust, which this run had not": report.run.plan.protocol
        == "sound"
        and not _has_ceilings(report),
        "noise floor: by so much the same code measured twice may differ (A/A twin)": any(
            map(_floor_known, report.groups)
        ),
    }
    return "; ".join(text for text, there in says.items() if there)


def _has_ceilings(report: Report) -> bool:
    """Whether a runtime of the run offers any."""
    return any(
        strategy.role == "ceiling"
        for runtime in report.run.header.runtimes
        for strategy in runtime.strategies.values()
    )


_CONSUMED = {
    "touch": "every 64th byte is looked at (touch)",
    "sum": "every byte, character or line is (sum)",
}
