"""What to use where a file may have come into the cache in several ways, in a sentence or two for
each language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from iogauge.advice.mapping import InOtherFolios, Kind, MappingHere
from iogauge.analysis.casereport import CaseReport
from iogauge.analysis.groupreport import GroupReport
from iogauge.analysis.spans import SpanReport
from iogauge.decision.costs import Cost
from iogauge.decision.states import OverStates, Way
from iogauge.model.ratios import FRACTION, about, either_way
from iogauge.model.strategy import name_of
from iogauge.model.text import capital
from iogauge.model.units import ago, share, size
from iogauge.model.workload import CACHED_BY_WORDS
from iogauge.outputs import phrases
from iogauge.outputs.phrases import FOR_NOW, NOT_SURE_YET

HOWEVER = "however the file came into the cache"


def of(span: SpanReport) -> dict[str, str]:
    """By language what to use; empty of what is not along states of the cache."""
    first = span.groups[0]
    return {
        first.called(name): says(first, found, span.values) for name, found in span.states.items()
    }


def briefly(span: SpanReport, questions: str = "") -> str:
    """`However the file came into the cache: C: it depends, read 128K loses least; Go: unix.Mmap`;
    empty of what is not along states of the cache. `questions` names those that it answers, where
    others are about states, too.
    """
    first, said = span.groups[0], []
    for name, found in span.states.items():
        way = first.name_of(found.use.cases[0])
        how = {
            "same": way,
            "turns": f"it depends, {way} loses least",
            "open": f"{way} {FOR_NOW}",
        }
        said.append(f"{first.called(name)}: {how[found.kind]}")
    begins = f"{questions}, {HOWEVER}" if questions else capital(HOWEVER)
    return f"{begins}: {'; '.join(said)}" if said else ""


def says(group: GroupReport, found: OverStates[CaseReport], values: Sequence[int | str]) -> str:
    """`memmap2::Mmap is fastest if the file was written in large pieces; it takes 1.8-2.1x as long
    if it was written in small pieces.` The group knows the names of cases; `values` are the states.
    """
    name, turning = group.name_of(found.use.cases[0]), found.turning[:1]
    told = [of_way(group, each, values) for each in turning]
    match found.kind:
        case "same":
            near = "" if all(found.use.fastest) else f" (within {share(group.tolerance)})"
            how = "fastest" if all(found.use.fastest) else "as fast as anything"
            return " ".join([f"{name} is {how}{near}, {HOWEVER}.", *told])
        case "turns":
            if found.use in turning:
                return f"{told[0]} If you do not know, it still loses least."
            return f"{told[0]} If you do not know, use {name}{_at_worst(found.use)}."
        case "open" if any(each.kind in ("same", "slower") for each in found.use.costs):
            return of_way(group, found.use, values)
        case "open":
            return f"{name} {FOR_NOW}: {NOT_SURE_YET} in any of the states."


def of_way(group: GroupReport, way: Way[CaseReport], values: Sequence[int | str]) -> str:
    """What a way costs in each of the states."""
    kinds: dict[str, list[int]] = {"same": [], "slower": [], "": []}
    for place, cost in enumerate(way.costs):
        kinds[cost.kind if cost.kind in kinds else ""].append(place)
    fastest = all(way.fastest[place] for place in kinds["same"])
    parts = []
    if kinds["same"]:
        how = "fastest" if fastest else "as fast as anything"
        parts.append(f"is {how} if the file was {_states(values, kinds['same'])}")
    if kinds["slower"]:
        takes = phrases.as_long(_together([way.costs[place] for place in kinds["slower"]]))
        if_it = f"if {'it' if parts else 'the file'} was {_states(values, kinds['slower'])}"
        parts.append(f"{'it ' if parts else ''}takes {takes} {if_it}")
    if kinds[""]:
        if_it = f"if {'it' if parts else 'the file'} was {_states(values, kinds[''])}"
        parts.append(f"{'' if parts else 'for now: '}{NOT_SURE_YET} {if_it}")
    return f"{group.name_of(way.cases[0])} {'; '.join(parts)}."


def _at_worst(way: Way[CaseReport]) -> str:
    """`: at its worst it takes 1.2-1.4x as long as the fastest`."""
    place = max(range(len(way.costs)), key=lambda each: way.behind[each])
    found = way.costs[place]
    if found.kind == "slower":
        return f": at its worst it takes {phrases.as_long(found, 'the fastest')}"
    return f" ({NOT_SURE_YET} what it costs at its worst)"


def _together(costs: Sequence[Cost]) -> Cost:
    """Of several that are slower the range of all, as far as it is known."""
    los = [each.lo for each in costs]
    lo = None if None in los else min(each for each in los if each is not None)
    his = [each.hi for each in costs]
    hi = None if None in his else max(each for each in his if each is not None)
    return Cost("slower", lo, hi)


def _states(values: Sequence[int | str], places: Sequence[int]) -> str:
    """`read at random or written in small pieces`."""
    names = [CACHED_BY_WORDS[str(values[place])] for place in places]
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


# a file of the user's

_LEAVES: dict[Kind, str] = {
    "large": "large writes, or reading in order,",
    "middle": "copying a file",
    "small": "small writes, or reads at random,",
}
"""What leaves a file in such folios: `as … often leave it`."""


def how_cached(folio_bytes: int, kind: Kind | None, alike: str | None) -> str:
    """`cached in folios of 4 KiB, as small writes, or reads at random, leave it`; without what
    leaves it so where no `kind` is given; or, where all files are `alike`, why.
    """
    if kind is None:
        return f"cached in folios of {size(folio_bytes)}"
    if alike:
        return f"cached in folios of {size(folio_bytes)}: {alike}"
    leave = "leaves" if kind == "middle" else "leave"
    return f"cached in folios of {size(folio_bytes)}, as {_LEAVES[kind]} {leave} it"


def mapping_here(group: GroupReport, found: MappingHere) -> str:
    """Why a mapping is the best way here, or a slow one. The group knows the names of languages."""
    how = "fast" if found.fast else "slow"
    where = "".join(f", in {group.called(each)}" for each in found.languages[:1])
    where += "".join(f" and {group.called(each)}" for each in found.languages[1:])
    return f"A mapping is {how} here{where}. {found.why}"


def in_other_folios(found: InOtherFolios, names: Mapping[str, str], age: float) -> str:
    """`Cached in large folios a mapping would take about 1/3 of the time in Rust (seen on 16 MiB,
    2 days ago).`
    """
    ratio = 1 / round(1 / found.ratio) if found.ratio < FRACTION else found.ratio
    told = either_way(ratio, ratio)
    takes = f"{told}{' of' if told.startswith('1/') else ''} the time"
    return (
        f"Cached in {found.kind} folios a mapping would take about {takes} in "
        f"{name_of(found.language, names)} (seen on {size(found.size)}, {ago(age)})."
    )


# who reads next


def one_for_readers(why: str, *, alike: bool) -> str:
    """That a reader finds each file alike, or that nobody can tell."""
    if alike:
        return f"It makes no difference to a reader how the file was written: {why}."
    return f"What the way of writing costs a reader is not measured: {why}."


def left_behind(call_bytes: int, found: InOtherFolios, names: Mapping[str, str], age: float) -> str:
    """What writes of this size leave to a reader that maps the file."""
    small = found.kind == "large"  # where large folios are the others
    ratio = 1 / found.ratio if small else found.ratio
    seen = f"{name_of(found.language, names)}, seen on {size(found.size)}, {ago(age)}"
    leave = f"Calls of {size(call_bytes)} leave the file in {'small' if small else 'large'} folios"
    takes = f"takes {about(ratio)} as long"
    if small:
        return f"{leave}: a mapping of it {takes} as of one written in large pieces ({seen})."
    return f"{leave}: a mapping of one written in small pieces {takes} ({seen})."
