"""Advice for a terminal of 80 columns: what to use, the code for it, how sure that is, what else
comes close, where the time goes, and the ceiling.
"""

from __future__ import annotations

import textwrap

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.text import Text

from iogauge.advice.choice import Advice
from iogauge.model.case import Case, worth_showing
from iogauge.model.ratios import TOO_WIDE, about, either_way, over, up_to
from iogauge.model.units import duration, rate, share, short_size, whole_share
from iogauge.outputs import headings, narrow
from iogauge.outputs.document import Advised
from iogauge.statistics.comparing import Comparison

_FASTEST_SO_FAR = {True: "Ahead so far", False: "Faster on average, not in most repeats"}
_AS_LONG = 1.05  # times the other's time, either way


def render(document: Advised) -> RenderableType:
    title = document.wanted.title
    parts: list[RenderableType] = [Text(title[0].upper() + title[1:], style="bold")]
    if document.whence:
        parts.append(Text(document.whence, style="dim"))
    for each in document.advice:
        parts += [Text(""), *_advice(each, document.here)]
        if says := document.not_considered.get(each.choice.case.language):
            parts.append(Text(f"Not considered: {says}.", style="dim"))
    caveats = dict.fromkeys(text for each in document.advice for text in each.caveats)
    parts += [Text("")] * bool(caveats)
    return Stack(*parts, *(Text(f"! {each}", style="yellow") for each in caveats))


def _advice(found: Advice, here: str | None) -> list[RenderableType]:
    choice = found.choice
    name = choice.display(_shown(found))
    for_now = "" if found.sure else " for now"
    says = Text.assemble("Use ", (name, "bold"), f"{for_now} ({_speed(found)}): ")
    says.append(_how_sure(found))
    hint = (
        found.hint.expandtabs(4)
        if found.hint
        else "The code for it is not shown: it has to make the file durable before it closes it."
    )
    lines = [*others(found), *_left_out(found)]
    if found.reason:
        lines.append(f"Where the time goes: {found.reason}")
    lines += [*_ceiling(found), _measured(found, here), _in_a_study(choice.case)]
    return [
        says,
        narrow.uncut(f"\n{textwrap.indent(hint, ' ' * 4)}\n"),
        *(Text(each) for each in lines),
        *(Text(f"! {each}", style="yellow") for each in choice.caveats),
    ]


def _speed(found: Advice) -> str:
    choice = found.choice
    if choice.bytes_per_s and not found.group.conditions.durable:
        return rate(choice.bytes_per_s.center)
    assert choice.ns_per_op is not None  # only what was measured is chosen
    return duration(choice.ns_per_op.center / 1e9)


def _left_out(found: Advice) -> list[str]:
    lines = []
    if found.uncompared:
        lines.append(
            f"{found.uncompared} more could not be compared: too few of their samples are valid."
        )
    if found.beyond_ceiling:
        lines.append(
            f"{found.beyond_ceiling} more left out: faster than this machine's limit, so one of "
            "the two is wrong (iogauge show --details)."
        )
    return lines


def _ceiling(found: Advice) -> list[str]:
    reached = found.choice.of_ceiling
    if not found.group.ceiling or not reached:
        return []
    share_of = whole_share(min(reached.center, 1.0))
    return [f"This way reaches {share_of} of this machine's limit."]


def _measured(found: Advice, here: str | None) -> str:
    choice, header = found.choice, found.header
    machine = header.host.get("processor") or "unknown"
    elsewhere = "" if header.host.get("identity") == here else f" on another machine ({machine})"
    repeats = headings.counted(choice.replicates, "repeat")
    return (
        f"Measured: {headings.label(found.group)}; {choice.case.setting}; "
        f"{repeats}{_more_runs(found.runs - 1)}, {header.started[:10]}{elsewhere}, "
        f"run {header.id}."
    )


def others(found: Advice) -> list[str]:
    """A line for each other way that is worth naming: one may be faster and simpler."""
    fastest = (
        "The fastest"
        if found.fastest is None or found.fastest[1].outcome != "undecided"
        else _FASTEST_SO_FAR[found.in_most]
    )
    shown = _shown(found)
    named: dict[str, list[str]] = {}
    for what, other in (
        (fastest, found.fastest),
        ("Simpler", found.simpler),
        ("Simplest", found.simplest),
        ("Smaller", found.smaller),
    ):
        if other:
            named.setdefault(f"{other[0].display(shown)} takes {_cost(other[1])}.", []).append(what)
    return [
        f"{first}{''.join(f', and {each.lower()}' for each in more)}: {says}"
        for says, (first, *more) in named.items()
    ]


def _how_sure(found: Advice) -> str:
    ways = f"of {found.among} ways compared"
    if found.sure:
        return f"as fast as anything (within {share(found.group.tolerance)}) {ways}."
    unsure = f"not sure yet after {headings.counted(found.choice.replicates, 'repeat')}"
    if found.worst < TOO_WIDE:
        unsure += f", it may take {up_to(found.worst)} as long as the best"
    near = f"simpler, and so far within {share(found.group.tolerance)} of the fastest {ways}"
    return f"{f'the fastest {ways} so far' if found.leads else near}; {unsure}."


def _more_runs(count: int) -> str:
    return f" and those of {count} more run{'' if count == 1 else 's'}" if count else ""


def _shown(found: Advice) -> set[str]:
    """The parameters that tell a reader what to write, and these ways apart."""
    others = (found.fastest, found.simpler, found.simplest, found.smaller)
    ways = [found.choice, *(other[0] for other in others if other)]
    return worth_showing((each.case, each.strategy) for each in ways).union(
        *(each.case.unusual(each.strategy) for each in ways)
    )


def _in_a_study(case: Case) -> str:
    """`In a study: java/file-input-stream with block = "128K".`"""
    values = ", ".join(f'{name} = "{short_size(value)}"' for name, value in case.parameters.items())
    return f"In a study: {case.strategy}{f' with {values}' if values else ''}."


def _cost(found: Comparison) -> str:
    """`1.2-1.5x as long`; `about 2x as long (not sure yet)` of what is hardly known."""
    range_ = None if found.settled else either_way(found.lo, found.hi)
    if range_:
        return f"{range_} as long"
    if found.outcome == "slower" or found.settled:
        return f"{over(found.lo)} as long"
    near = 1 / _AS_LONG <= found.center <= _AS_LONG
    so_far = "about as long" if near else f"{about(found.center)} as long"
    return f"{so_far} (not sure yet)"
