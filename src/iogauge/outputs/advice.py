"""Advice for a terminal of 80 columns: what to use, the code, how sure, what else costs, why, the ceiling."""

from __future__ import annotations

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from iogauge.advise import Advice, Wanted
from iogauge.report import CaseReport, Report
from iogauge.stats import Comparison
from iogauge.units import duration, rate, share, short_size, significant


def render(wanted: Wanted, report: Report, found: list[Advice], elsewhere: str | None) -> RenderableType:
    """`elsewhere` names the machine that measured, where it was another one."""
    header = report.run.header
    parts: list[RenderableType] = [Text(wanted.title[0].upper() + wanted.title[1:], style="bold")]
    parts.append(Text(f"from the run {header.id} of {header.started[:10]}{f', on another machine ({elsewhere})' if elsewhere else ''}", style="dim"))
    parts += [Text(f"! {each}", style="yellow") for each in report.caveats]
    for each in found:
        parts += [Text(""), *_advice(each)]
    return Stack(*parts)


def _advice(found: Advice) -> list[RenderableType]:
    choice, group = found.choice, found.group
    speed = f" ({rate(choice.bytes_per_s.center)})" if choice.bytes_per_s and not group.conditions.durable else f" ({duration(choice.ns_per_op.center / 1e9)})"
    says = [Text.assemble("Use ", (_named(choice), "bold"), f"{speed}: {_how_sure(found)}", f", on {choice.case.setting}.")]
    lines = [f"It took {group.workload.title}; {group.replicates} replicate{'' if group.replicates == 1 else 's'}."]
    if found.fastest and found.fastest[1].outcome != "slower":
        lines.append(f"The fastest, {_named(found.fastest[0])}, takes {_ratio(found.fastest[1])} its time.")
    if found.simpler:
        lines.append(f"Simpler, {_named(found.simpler[0])} takes {_ratio(found.simpler[1])} its time.")
    if found.smaller:
        lines.append(f"Smaller, {_named(found.smaller[0])} takes {_ratio(found.smaller[1])} its time.")
    if found.reason:
        lines.append(f"Why: {found.reason}")
    if found.ceiling and choice.of_ceiling:
        lines.append(f"The ceiling of this machine for these bytes is {rate(found.ceiling.bytes_per_s)}; it reaches {share(choice.of_ceiling.center)} of that.")
    lines += [f"! {each}" for each in choice.caveats]
    hint = Padding(Text(found.hint), (1, 0, 1, 4))
    return [*says, hint, *(Text(each) for each in lines)]


def _how_sure(found: Advice) -> str:
    if found.group.provisional:
        return "the run was cut short, so this is a first guess"
    if found.sure:
        return "surely within 5 % of the best"
    if found.worst < 10:
        return f"probably the best choice, but it may take up to {significant(found.worst, 3)} times the time of the best (a larger --budget tells more)"
    return "probably the best choice, but too little was measured to be sure (a larger --budget tells more)"


def _named(case: CaseReport) -> str:
    """`FileInputStream, read(byte[]) (java/file-input-stream) with a block of 128K`."""
    values = " and ".join(f"a {name} of {short_size(value)}" for name, value in sorted(case.case.parameters.items()))
    return f"{case.case.strategy}{f' with {values}' if values else ''}"


def _ratio(found: Comparison) -> str:
    if found.settled:
        return f"more than {significant(found.lo, 2)} times"
    bounds = f" ({significant(found.lo, 3)}–{significant(found.hi, 3)})" if found.lo > 0 and found.hi < float("inf") else ""
    return f"{significant(found.center, 3)}{bounds} times"
