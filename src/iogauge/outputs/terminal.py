"""The report as tables for a terminal of 80 columns (Rich renderables: colours are for whoever has them)."""

from __future__ import annotations

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from iogauge.answers import answers
from iogauge.report import CaseReport, GroupReport, Report
from iogauge.stats import Comparison
from iogauge.units import duration, rate, share, significant, size

_TOO_WIDE = 4.0
_LABEL, _SPEED, _RATIO, _CALLS, _BYTES = 29, 15, 19, 6, 7  # 76, and a space between them


def render(report: Report) -> RenderableType:
    """Header, then per group: question, answer, table, notes."""
    parts: list[RenderableType] = [_header(report)]
    for group in report.groups:
        parts += [Text(""), *_group(group)]
    skipped = report.run.plan.skipped
    parts += [Text("")] * bool(skipped)
    parts += [Text(f"not measured: {each.what}: {each.why}", style="yellow") for each in skipped]
    if any(case.ns_per_op for group in report.groups for case in group.cases):
        parts += [Text(""), Text(_legend(report), style="dim")]
    return Stack(*parts)


def _header(report: Report) -> RenderableType:
    run = report.run
    host = run.header.host
    runtimes = ", ".join(runtime.name for runtime in run.header.runtimes)
    machine = f"{host['processor'] or host['machine']}, {host['cores']} cores, {host['file_system']}, Linux {host['kernel']}"
    text = Text()
    text.append(f"{run.plan.study}", style="bold")
    text.append(f"  {runtimes}\n{machine}\n{_replicates(len(run.replicates))} in {duration(run.seconds)}")
    for caveat in report.caveats:
        text.append(f"\n! {caveat}", style="yellow")
    return text


def _replicates(count: int) -> str:
    return f"{count} replicate{'' if count == 1 else 's'}"


def _group(group: GroupReport) -> list[RenderableType]:
    parts: list[RenderableType] = [Text(group.question, style="bold"), Text(_conditions(group), style="dim")]
    parts += [Padding(Text(each, style="red" if group.suspended else ""), (0, 0, 0, 2)) for each in answers(group)]
    parts.append(Text(""))
    parts.append(_table(group))
    if group.across:
        parts += [Text(""), _across(group)]
    parts += [Padding(Text(each, style="yellow"), (0, 0, 0, 2)) for each in _notes(group)]
    return parts


def _conditions(group: GroupReport) -> str:
    says = [group.title]
    if group.resident_before:
        low, high = group.resident_before
        seen = f"{low:.0%}" if low == high else f"{low:.0%} to {high:.0%}"
        devices = [
            case.evidence.device_read_bytes_per_op
            for case in group.cases
            if case.evidence and case.evidence.device_read_bytes_per_op is not None
        ]
        device = f", {size(min(devices))} per operation from the device" if devices else ""
        says.append(f"observed: {seen} in the cache before every sample{device}")
    else:
        says.append("cache state not observed")
    return "; ".join(says)


def _table(group: GroupReport) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim", show_edge=False)
    table.add_column("", width=_LABEL, overflow="fold")
    table.add_column("throughput", width=_SPEED, justify="right")
    table.add_column("time, best = 1", width=_RATIO, justify="right")
    table.add_column("calls", width=_CALLS, justify="right")
    table.add_column("B/call", width=_BYTES, justify="right")
    names = [*group.sets, *dict.fromkeys(case.rank_set for case in group.cases if case.rank_set not in group.sets)]
    for name in names:
        if " on " in name:  # several runtimes of one language: each has a heading, and its own best
            table.add_row(Text(name.partition(" on ")[2], style="italic"))
        for case in (each for each in group.cases if each.rank_set == name):
            table.add_row(*_row(group, case), style="dim" if not case.ns_per_op else None)
    return table


def _row(group: GroupReport, case: CaseReport) -> list[Text]:
    label = _label(case)
    if case.ns_per_op is None:
        return [Text(label), Text("failed" if case.failure else "no data"), Text(""), Text(""), Text("")]
    best = case.is_best and not group.suspended and not group.provisional
    evidence = case.evidence
    return [
        Text(label, style="bold green" if best else ""),
        Text(_speed(case)),
        _ratio(group, case),
        Text(_count(evidence.read_calls_per_op if evidence else None)),
        Text(_bytes(evidence.bytes_per_read_call if evidence else None)),
    ]


def _label(case: CaseReport) -> str:
    mark = " failed" if case.failure and case.ns_per_op else ""
    return case.case.label + mark


def _speed(case: CaseReport) -> str:
    if case.bytes_per_s:
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
    """A ratio with its interval and what it amounts to: nothing (decided), = (the same), or ~ (not told apart)."""
    if found.settled:
        return Text(f"≥ {significant(found.lo, 1)}, about {_short(found.center)}")
    told = found.hi < _TOO_WIDE * found.center  # an interval this wide says only that little is known
    text = f"{_short(found.center)} ({_short(found.lo)}–{_short(found.hi)})" if told else f"{_short(found.center)} (unsure)"
    if no_verdict or found.outcome == "undecided":
        return Text(f"{text} ~", style="dim")
    return Text(f"{text} {'=' if found.outcome == 'same' else ' '}")


def _across(group: GroupReport) -> Table:
    """The same variant on two runtimes."""
    reference = group.across[0].reference.runtime
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim", show_edge=False)
    table.add_column(f"time, {reference} = 1", width=_LABEL, overflow="fold")
    table.add_column("", width=_SPEED, justify="right")
    table.add_column("", width=_RATIO, justify="right")
    for each in group.across:
        ratio = _compared(each.comparison, group.suspended or group.provisional)
        table.add_row(Text(each.case.label), Text(each.case.runtime), ratio)
    return table


def _short(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 10 else significant(ratio, 2)


def _count(value: float | None) -> str:
    if value is None:
        return "?"
    return f"{value:.0f}" if value >= 10 or value == int(value) else f"{value:.1f}"


def _bytes(value: float | None) -> str:
    return "–" if value is None else significant(value, 3) if value < 1024 else size(value).replace("iB", "").replace(" ", "")


def _notes(group: GroupReport) -> list[str]:
    notes = []
    if group.twin_failure:
        notes.append(f"the A/A twin failed, so no noise floor is known: {group.twin_failure}")
    for case in group.cases:
        notes += [f"{case.case.label}: failed: {case.failure}"] if case.failure else []
        notes += [f"{case.case.label}: {each}" for each in case.caveats]
        if case.vs_best_key not in (None, _best_key(group, case)):
            notes.append(f"{case.case.label}: decided against {case.vs_best_key.partition(' ')[0]}, the best at the time")
    if group.provisional and not group.suspended:
        notes.append(f"standings after {_replicates(group.replicates)}, no verdicts")
    return notes


def _best_key(group: GroupReport, case: CaseReport) -> str | None:
    best = group.best_of.get(case.rank_set)
    return best.case.key if best else None


def _legend(report: Report) -> str:
    floors = [group.noise_floor for group in report.groups if group.noise_floor is not None]
    floor = f"; noise floor (A/A twin) up to {share(max(floors))}" if floors and max(floors) < 10 else ""
    return (
        "± and (…): 95 % intervals over replicates, those of ratios simultaneous; ~ not told apart, = the same"
        f"\nwithin {share(report.groups[0].precision)}; calls and bytes per call: read system calls of one operation{floor}"
    )


