"""Advice for a terminal of 80 columns: what to use, the code for it, how sure that is, what else
comes close, where the time goes, and the ceiling.
"""

from __future__ import annotations

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from iogauge.advice.choice import Advice
from iogauge.model.case import Case, worth_showing
from iogauge.model.ratios import TOO_WIDE, ratio, told
from iogauge.model.units import duration, rate, share, short_size, significant
from iogauge.outputs.document import Advised
from iogauge.statistics.comparing import Comparison

_FASTEST_SO_FAR = {
    True: "The fastest so far, which cannot be told apart from it",
    False: "Faster on average, not in most replicates",
}


def render(document: Advised) -> RenderableType:
    title = document.wanted.title
    parts: list[RenderableType] = [Text(title[0].upper() + title[1:], style="bold")]
    for each in document.advice:
        parts += [Text(""), *_advice(each, document.here)]
        if says := document.not_considered.get(each.choice.case.language):
            parts.append(Text(f"Not considered: {says}.", style="dim"))
    return Stack(*parts)


def _advice(found: Advice, here: str | None) -> list[RenderableType]:
    choice = found.choice
    says = Text.assemble("Use ", (choice.display(_shown(found)), "bold"), f" ({_speed(found)}): ")
    says.append(f"{_how_sure(found)}.")
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
        Padding(Text(hint, no_wrap=True, overflow="ignore"), (1, 0, 1, 4)),
        *(Text(each) for each in lines),
        *(Text(f"! {each}", style="yellow") for each in (*choice.caveats, *found.caveats)),
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
            f"{found.beyond_ceiling} more left out: faster than the machine's ceiling, so either "
            "is wrong (iogauge show)."
        )
    return lines


def _ceiling(found: Advice) -> list[str]:
    group, reached = found.group, found.choice.of_ceiling
    if not group.ceiling or not reached:
        return []
    touched = group.workload.content != "bytes" and group.workload.operation == "read"
    return [
        f"The machine's ceiling, these bytes just {'touched' if touched else 'moved'}: "
        f"{rate(group.ceiling.bytes_per_s)}; it reaches {share(reached.center)} of that."
    ]


def _measured(found: Advice, here: str | None) -> str:
    choice, header = found.choice, found.header
    machine = header.host.get("processor") or "unknown"
    elsewhere = "" if header.host.get("identity") == here else f" on another machine ({machine})"
    replicates = f"{choice.replicates} replicate{'' if choice.replicates == 1 else 's'}"
    return (
        f"Measured: {found.group.title}; {choice.case.setting}; "
        f"{replicates}{_more_runs(found.runs - 1)}, {header.started[:10]}{elsewhere}, "
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
        ("Smaller", found.smaller),
    ):
        if other:
            named.setdefault(
                f"{other[0].display(shown)} takes {_ratio(other[1])} its time.", []
            ).append(what)
    return [
        f"{first}{''.join(f', and {each.lower()}' for each in more)}: {says}"
        for says, (first, *more) in named.items()
    ]


def _how_sure(found: Advice) -> str:
    ways = f"of {found.among} ways compared"
    if found.sure:
        return f"surely within 5 % of the best {ways}"
    if found.group.provisional or found.worst >= TOO_WIDE:
        which = "" if found.leads else "simpler and hardly slower than "
        return f"{which}the fastest {ways} so far, after too little to be sure"
    if found.worst <= 1.05:
        noise = (
            "how large the noise here is is not known"
            if found.group.noise_floor is None
            else "the noise here is as large as that"
        )
        return f"within 5 % of the best {ways}, but {noise}"
    return (
        f"which is the best {ways} is not sure; this takes at most {ratio(found.worst)} times the "
        "time of any other"
    )


def _more_runs(count: int) -> str:
    return f" and those of {count} more run{'' if count == 1 else 's'}" if count else ""


def _shown(found: Advice) -> set[str]:
    """The parameters that tell a reader what to write, and these ways apart."""
    others = (found.fastest, found.simpler, found.smaller)
    ways = [found.choice, *(other[0] for other in others if other)]
    return worth_showing((each.case, each.strategy) for each in ways).union(
        *(each.case.unusual(each.strategy) for each in ways)
    )


def _in_a_study(case: Case) -> str:
    """`In a study: java/file-input-stream with block = "128K".`"""
    values = ", ".join(f'{name} = "{short_size(value)}"' for name, value in case.parameters.items())
    return f"In a study: {case.strategy}{f' with {values}' if values else ''}."


def _ratio(found: Comparison) -> str:
    if found.settled:
        return f"more than {significant(found.lo, 2)} times"
    return f"{told(found.center, found.lo, found.hi)} times"
