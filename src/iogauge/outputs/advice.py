"""Advice for a terminal of 80 columns: what to use, the code, how sure, what else costs, where the
time goes, the ceiling.
"""

from __future__ import annotations

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from iogauge.advice.advise import Advice, Wanted
from iogauge.analysis.casereport import CaseReport
from iogauge.model.units import duration, rate, share, short_size, significant
from iogauge.statistics.stats import Comparison

# times the time of another at most: a larger bound tells only that little is known, as in the
# tables
_SAYS_NOTHING = 4.0
_FASTEST_SO_FAR = {
    True: "The fastest so far, which cannot be told apart from it",
    False: "Faster on average, not in most replicates",
}


def render(wanted: Wanted, found: list[Advice], here: str | None) -> RenderableType:
    """`here` is the identity of this machine."""
    parts: list[RenderableType] = [Text(wanted.title[0].upper() + wanted.title[1:], style="bold")]
    for each in found:
        parts += [Text(""), *_advice(each, here)]
    return Stack(*parts)


def _advice(found: Advice, here: str | None) -> list[RenderableType]:
    choice, group = found.choice, found.group
    speed = (
        rate(choice.bytes_per_s.center)
        if choice.bytes_per_s and not group.conditions.durable
        else duration(choice.ns_per_op.center / 1e9)
    )
    says = Text.assemble("Use ", (_named(choice), "bold"), f" ({speed}): {_how_sure(found)}.")
    hint = (
        found.hint.expandtabs(4)
        if found.hint
        else "The code for it is not shown: it has to make the file durable before it closes it."
    )
    lines = others(found)
    if found.uncompared:
        lines.append(
            f"{found.uncompared} more could not be compared: too few of their samples are valid."
        )
    if found.beyond_ceiling:
        lines.append(
            f"{found.beyond_ceiling} more left out: faster than the machine's ceiling, so either is wrong (iogauge show)."
        )
    if found.reason:
        lines.append(f"Where the time goes: {found.reason}")
    if group.ceiling and choice.of_ceiling:
        moved = (
            "touched"
            if group.workload.content != "bytes" and group.workload.operation == "read"
            else "moved"
        )
        lines.append(
            f"The machine's ceiling, these bytes just {moved}: {rate(group.ceiling.bytes_per_s)}; it reaches {share(choice.of_ceiling.center)} of that."
        )
    machine = found.header.host.get("processor") or "unknown"
    elsewhere = (
        "" if found.header.host.get("identity") == here else f" on another machine ({machine})"
    )
    lines.append(
        f"Measured: {group.title}; {choice.case.setting}; {choice.replicates} replicate{'' if choice.replicates == 1 else 's'}{_more_runs(found.runs - 1)}, {found.header.started[:10]}{elsewhere}, run {found.header.id}."
    )
    return [
        says,
        Padding(Text(hint, no_wrap=True, overflow="ignore"), (1, 0, 1, 4)),
        *(Text(each) for each in lines),
        *(Text(f"! {each}", style="yellow") for each in (*choice.caveats, *found.caveats)),
    ]


def others(found: Advice) -> list[str]:
    """A line for each other way that is worth naming: one may be faster and simpler."""
    fastest = (
        "The fastest"
        if found.fastest is None or found.fastest[1].outcome != "undecided"
        else _FASTEST_SO_FAR[found.in_most]
    )
    named: dict[str, list[str]] = {}
    for what, other in (
        (fastest, found.fastest),
        ("Simpler", found.simpler),
        ("Smaller", found.smaller),
    ):
        if other:
            named.setdefault(f"{_named(other[0])} takes {_ratio(other[1])} its time.", []).append(
                what
            )
    return [
        f"{first}{''.join(f', and {each.lower()}' for each in more)}: {says}"
        for says, (first, *more) in named.items()
    ]


def _how_sure(found: Advice) -> str:
    ways = f"of {found.among} ways compared"
    if found.sure:
        return f"surely within 5 % of the best {ways}"
    if found.group.provisional or found.worst >= _SAYS_NOTHING:
        return f"{'' if found.leads else 'simpler and hardly slower than '}the fastest {ways} so far, after too little to be sure"
    if found.worst <= 1.05:
        noise = (
            "how large the noise here is is not known"
            if found.group.noise_floor is None
            else "the noise here is as large as that"
        )
        return f"within 5 % of the best {ways}, but {noise}"
    return f"which is the best {ways} is not sure; this takes at most {significant(found.worst, 3)} times the time of any other"


def _more_runs(count: int) -> str:
    return f" and those of {count} more run{'' if count == 1 else 's'}" if count else ""


def _named(case: CaseReport) -> str:
    """`java/file-input-stream with a block of 128K`."""
    values = " and ".join(
        f"a {name} of {short_size(value)}" for name, value in sorted(case.case.parameters.items())
    )
    return f"{case.case.strategy}{f' with {values}' if values else ''}"


def _ratio(found: Comparison) -> str:
    if found.settled:
        return f"more than {significant(found.lo, 2)} times"
    bounds = (
        f" ({significant(found.lo, 3)}–{significant(found.hi, 3)})"
        if found.hi < _SAYS_NOTHING * found.center
        else " (unsure)"
    )
    return f"{significant(found.center, 3)}{bounds} times"
