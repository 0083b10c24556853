"""Advice for a terminal of 80 columns: what to use, the code for it, how sure that is, what else
comes close, where the time goes, and the ceiling.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.text import Text

from iogauge.advice.choice import Advice, Other
from iogauge.analysis.casereport import CaseReport
from iogauge.decision.comparison import Comparison
from iogauge.decision.costs import MOST_APART, is_known
from iogauge.decision.states import OverStates
from iogauge.model.case import Case, runtimes_differ, worth_showing
from iogauge.model.ratios import about, either_way, over, up_to
from iogauge.model.strategy import name_of, told_with
from iogauge.model.units import counted, duration, rate, share, short_size, whole_share
from iogauge.model.workload import CACHED_BY_WORDS
from iogauge.outputs import headings, narrow, states
from iogauge.outputs.document import Advised
from iogauge.outputs.phrases import FOR_NOW, NOT_SURE_YET

_FASTEST_SO_FAR = {True: "Faster so far", False: "Faster on average, but not in most repeats"}
_MOST_IN_FULL, _CODE_OF = 3, 3
"""So many languages are told of in full; of more there is a line each, and the code of so many."""
_AS_LONG = 1.05  # times the other's time, either way


def render(document: Advised) -> RenderableType:
    title = document.wanted.title
    parts: list[RenderableType] = [Text(title[0].upper() + title[1:], style="bold")]
    if document.whence:
        parts.append(Text(document.whence, style="dim"))
    many = len(document.advice) > _MOST_IN_FULL
    if many:
        parts += _in_short(document.advice)
    for each in () if many else document.advice:
        name = _names(document.advice)[id(each)] if len(document.advice) > 1 else ""
        parts += [Text(""), *_advice(each, document.here, name)]
        if says := document.not_considered.get(each.choice.case.language):
            parts.append(Text(f"Not considered: {says}.", style="dim"))
    caveats = dict.fromkeys(text for each in document.advice for text in each.caveats)
    parts += [Text("")] * bool(caveats)
    return Stack(*parts, *(Text(f"! {each}", style="yellow") for each in caveats))


def _in_short(advice: Sequence[Advice]) -> list[RenderableType]:
    """A line for each language, the fastest first, and the code of the fastest ones."""
    names = _names(advice)
    ranked = sorted(advice, key=_ns)
    ways = {id(each): each.choice.display(_shown(each)) for each in ranked}
    room = [max(map(len, column.values())) for column in (names, ways)]
    parts: list[RenderableType] = [Text("")]
    for each in ranked:
        told = f"  {names[id(each)]:<{room[0]}}  {ways[id(each)]:<{room[1]}}  {_speed(each):>9}"
        parts.append(Text(f"{told}{_remark(each)}"))
    if any(each.over for each in ranked):
        state = next(_if_state(each) for each in ranked if each.over)
        parts.append(Text(f"\n  The speeds are those {state}.", style="dim"))
    for each in [each for each in ranked if each.hint][:_CODE_OF]:
        assert each.hint is not None
        parts += [
            Text(f"\n{names[id(each)]}, {ways[id(each)]}:", style="bold"),
            narrow.uncut(textwrap.indent(each.hint.expandtabs(4), " " * 4)),
        ]
    languages = dict.fromkeys(each.choice.case.language for each in ranked)
    how = "How sure it is, what else there is, and the code of the others: add"
    return [*parts, Text(f"\n{how}\n    --language {'|'.join(languages)}")]


def _remark(found: Advice) -> str:
    if not found.settled:
        return f"  {NOT_SURE_YET}"
    return "" if found.sure else "  it depends on how the file came into the cache"


def _ns(found: Advice) -> float:
    assert found.choice.ns_per_op is not None  # only what was measured is chosen
    return found.choice.ns_per_op.center


def _names(advice: Sequence[Advice]) -> dict[int, str]:
    """What people call the language of each, with its runtime where there are several."""
    cases = [(each.choice.case.language, each.choice.case.setting) for each in advice]
    several = runtimes_differ(cases)
    names = [name_of(each.choice.case.language, each.header.language_names) for each in advice]
    return {
        id(each): told_with(name, setting) if several else name
        for each, name, (_, setting) in zip(advice, names, cases, strict=True)
    }


def _advice(found: Advice, here: str | None, language: str) -> list[RenderableType]:
    choice = found.choice
    name = choice.display(_shown(found))
    for_now = "" if found.settled else f" {FOR_NOW}"
    use = f"{language}: use " if language else "Use "
    where = f" {_if_state(found)}" if found.over else ""
    says = Text.assemble(use, (name, "bold"), f"{for_now} ({_speed(found)}{where}): ")
    says.append(_how_sure(found))
    hint = found.hint or "There is no code to show for this way of making a file durable."
    lines = [*of_states(found), *others(found)]
    if found.uncompared:
        why = "could not be compared: too few of their samples are valid."
        lines.append(f"{found.uncompared} more {why}")
    if found.beyond_ceiling:
        why = "faster than this machine's limit, so one of the two is wrong"
        lines.append(f"{found.beyond_ceiling} more left out: {why} (iogauge show --details).")
    if found.reason:
        lines.append(f"Where the time goes: {found.reason}")
    if found.group.ceiling and choice.of_ceiling:
        share_of = whole_share(min(choice.of_ceiling.center, 1.0))
        lines.append(f"This way reaches {share_of} of this machine's limit.")
    lines += [_measured(found, here), _in_a_study(choice.case)]
    return [
        says,
        narrow.uncut(f"\n{textwrap.indent(hint.expandtabs(4), ' ' * 4)}\n"),
        *(Text(each) for each in lines),
        *(Text(f"! {each}", style="yellow") for each in choice.caveats),
    ]


def _speed(found: Advice) -> str:
    choice = found.choice
    if choice.bytes_per_s and not found.group.conditions.durable:
        return rate(choice.bytes_per_s.center)
    assert choice.ns_per_op is not None  # only what was measured is chosen
    return duration(choice.ns_per_op.center / 1e9)


def _measured(found: Advice, here: str | None) -> str:
    choice, header = found.choice, found.header
    machine = header.host.get("processor") or "unknown"
    elsewhere = "" if header.host.get("identity") == here else f" on another machine ({machine})"
    repeats = counted(choice.replicates, "repeat")
    others = found.runs - 1
    more = f" and those of {counted(others, 'more run')}" if others else ""
    is_unknown = headings.unknown_state([found.group.conditions])
    unknown = "; how the file came into the cache is not known" if is_unknown else ""
    by = found.group.conditions.cached_by
    several = f", {CACHED_BY_WORDS[by]}" if by and not found.group.of_states else ""
    if found.over:
        states_too = [CACHED_BY_WORDS[each] for each in found.states if each != by]
        several = f", and {' and '.join(states_too)}"
    return (
        f"Measured: {headings.label(found.group)}{several}{unknown}; {choice.case.setting}; "
        f"{repeats}{more}, {header.started[:10]}{elsewhere}, "
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
            where = f" {_if_state(found)}" if found.over else ""
            says = f"{other[0].display(shown)} takes {_takes(found, other)}{where}."
            named.setdefault(says, []).append(what)
    return [
        f"{first}{''.join(f' and {each.lower()}' for each in more)}: {says}"
        for says, (first, *more) in named.items()
    ]


def _takes(found: Advice, other: Other) -> str:
    """What another way costs, as all outputs tell it: of one run against the fastest, also where
    that is not the choice; by the replicates of several runs, against the choice.
    """
    case, ratio = other
    if case.is_best or case.vs_best is None or found.choice.is_best or found.runs > 1:
        return _cost(ratio)
    return _cost(case.vs_best, " as the fastest")


def of_states(found: Advice) -> list[str]:
    """What the ways cost by how the file came into the cache, where that differs: of the choice,
    and of the one way that is furthest behind in a state though good enough in another.
    """
    if found.over is None:
        if not found.is_of_one_state or found.group.conditions.cached_by is None:
            return []
        return [
            f"Measured only {_if_state(found)}: in another state a mapping may take far longer."
        ]
    use = found.over.use
    known = any(each.kind in ("same", "slower") for each in use.costs)
    told = [use] if known and not use.is_good else []
    told += [each for each in found.over.turning[:1] if each not in told]
    return [states.of_way(found.group, each, found.states) for each in told]


def _if_state(found: Advice) -> str:
    """`if the file was read in order`: of what the figures are."""
    return f"if the file was {CACHED_BY_WORDS[str(found.group.conditions.cached_by)]}"


def _how_sure(found: Advice) -> str:
    ways = f"of {found.among} ways compared"
    if found.over:
        return _how_sure_over_states(found, found.over, ways)
    if found.sure:
        return f"as fast as anything (within {share(found.group.tolerance)}) {ways}."
    unsure = f"{NOT_SURE_YET} after {counted(found.choice.replicates, 'repeat')}"
    if found.worst <= MOST_APART:
        unsure += f", it may take {up_to(found.worst)} as long as the best"
    near = f"simpler, and so far within {share(found.group.tolerance)} of the fastest {ways}"
    return f"{f'the fastest so far {ways}' if found.leads else near}; {unsure}."


def _how_sure_over_states(found: Advice, over: OverStates[CaseReport], ways: str) -> str:
    where = states.HOWEVER
    if found.unanswered:
        words = " or ".join(CACHED_BY_WORDS[each] for each in found.unanswered)
        where = f"but {NOT_SURE_YET} if the file was {words}"
    if over.kind == "same":
        near = f"(within {share(found.group.tolerance)})"
        return f"as fast as anything {near} {ways}, {where}."
    least = f"of {found.among} ways the one that lost least, {where}"
    return f"{least}." if found.settled or found.unanswered else f"{least}; {NOT_SURE_YET}."


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


def _cost(found: Comparison, other: str = "") -> str:
    """`1.2-1.5x as long`; `about 2x as long (not sure yet)` of what is hardly known."""
    if is_known(found.lo, found.hi) and not found.eliminated:
        return f"{either_way(found.lo, found.hi)} as long{other}"
    if found.outcome == "slower" or found.eliminated:
        return f"{over(found.lo)} as long{other}"
    near = 1 / _AS_LONG <= found.center <= _AS_LONG
    so_far = "about as long" if near else f"{about(found.center)} as long"
    return f"{so_far}{other} ({NOT_SURE_YET})"
