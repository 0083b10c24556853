"""The short phrases of all outputs for what is decided: `use this`, `1.4-1.7x`, `as fast? 1-1.6x`;
and what they mean. A better wording is a change of this file.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from iogauge.decision.comparison import Comparison
from iogauge.decision.costs import Cost
from iogauge.decision.verdict import CaseVerdict
from iogauge.model.ratios import from_one, over, times, up_to
from iogauge.model.units import share

FOR_NOW = "for now"
NOT_SURE_YET = "not sure yet"
MACHINE, REACHED = "machine", "reached"
USE, _FASTEST, _AHEAD = "use this", "fastest", "fastest so far"
_SAME, AS_FAST, _SLOWER, _LOOKS_SLOWER = "as fast", "as fast?", "slower", "slower?"
_NOT_SURE, _BEYOND, _LONGER = "not sure", "beyond the limit", "longer"
FOR_NOW_MEANS = f"{FOR_NOW}: {NOT_SURE_YET}, others may be as fast"
DROPPED = ", dropped early"
"""Follows the cost of an eliminated case where there is room."""
SIMPLEST = ", simplest"
"""Follows the name of the simplest case, where that is not the one to use."""


def undecided(found: Comparison | None) -> str:
    """`1.4-1.7x` of cases that were not measured in turns: the interval, and no verdict. Empty
    without a comparison.
    """
    if found is None:
        return ""
    return times(found.lo, found.hi) if found.lo > 0 and found.hi < math.inf else NOT_SURE_YET


def imported(form: str) -> str:
    """What every answer says of a run that was read from another tool's file of this format."""
    return f"imported from {form}: without iogauge's evidence, not measured in turns"


def cost(found: Cost | None) -> str:
    """`1.4-1.7x`, `3x`, `over 2x` where only that is sure, `slower` where not even so much, `as
    fast` within the tolerance; of what may be as fast `as fast?`, with `1-1.6x` where that is
    known, or `slower?` where it looks so; `not sure yet` after too few repeats. Empty without a
    cost.
    """
    if found is None:
        return ""
    match found.kind:
        case "same":
            return _SAME
        case "slower":
            return _range(found) or _SLOWER
        case "unknown":
            return NOT_SURE_YET
        case "open":
            if found.hi is not None:
                return f"{AS_FAST} {from_one(found.hi)}"
            return _LOOKS_SLOWER if found.looks_slower else AS_FAST


def briefly(found: Cost | None) -> str:
    """The cost without the numbers of what is not known."""
    if found and found.kind == "open":
        return "may be slower" if found.looks_slower else "may be as fast"
    return cost(found)


def as_long(found: Cost, than: str = "") -> str:
    """Of what is slower: `1.4-1.7x as long`, `over 2.3x as long as Go's`, or `longer than Go's`."""
    if told := _range(found):
        return f"{told} as long" + (f" as {than}" if than else "")
    return f"{_LONGER} than {than}" if than else _LONGER


def takes(found: Cost) -> str:
    """`1.4-1.7x`, or `longer`."""
    return _range(found) or _LONGER


def note(found: CaseVerdict) -> str:
    """What a table has beside a case: whether to use it, or what it costs."""
    match found.kind:
        case "use":
            return USE
        case "for now":
            return f"{FOR_NOW}, simpler" if found.simpler else FOR_NOW
        case "fastest":
            return _FASTEST
        case "ahead":
            return _AHEAD
        case "unsure":
            return _NOT_SURE
        case "beyond the limit":
            return _BEYOND
        case "cost":
            return cost(found.cost)
        case "none":
            return ""


def _range(found: Cost) -> str:
    if found.lo is None:
        return ""
    return over(found.lo) if found.hi is None else times(found.lo, found.hi)


@dataclass(frozen=True)
class Shown:
    """What a screen shows, so that its words can be explained: `verdicts` of its rows; `sets`:
    several languages; `between`: the bests of sets are compared; `machine`: a row for the machine's
    limit, which may be `beyond` the scale or `reached`; `checked`: the word stands in a question;
    `alone`: no summary explains `for now`. `all_words`, or only those that nobody can guess.
    """

    verdicts: Sequence[CaseVerdict]
    tolerance: float
    sets: bool
    between: bool
    machine: bool
    beyond: bool
    reached: bool
    checked: bool
    alone: bool
    all_words: bool


def meanings(shown: Shown) -> list[str]:
    """What the words on the screen mean, of those that are there."""
    near, kinds = share(shown.tolerance), {each.kind for each in shown.verdicts}
    costs = [each.cost for each in shown.verdicts if each.kind == "cost" and each.cost]
    other = "way compared in its language" if shown.sets else "other"
    fastest = "its language's fastest" if shown.sets and not shown.between else "the fastest"
    slower = [each for each in costs if each.kind == "slower"]
    some = [
        next((each for each in slower if each.lo and bool(each.hi) == known), None)
        for known in (True, False)
    ]
    bounds = ", ".join(_range(each) for each in some if each)
    hidden = any(each.hides and each.cost and each.cost.hi for each in shown.verdicts)
    by_repeat = ", compared repeat by repeat" if hidden else ""
    open_ = [each for each in costs if each.kind == "open" and not each.looks_slower]
    reach = next((each.hi for each in open_ if each.hi is not None), None)
    as_fast = cost(Cost("open", 1.0, reach)) if reach else AS_FAST
    most = f", or take {up_to(reach)} as long" if reach else ""
    every = shown.all_words
    beyond = " (>: off scale)" if shown.beyond else ""
    says: dict[str, object] = {
        f"{USE}: 95 % sure that no {other} is over {near} faster": "use" in kinds,
        FOR_NOW_MEANS: shown.alone and "for now" in kinds,
        f"{_SAME}: within {near} of {fastest}, 95 % sure": every
        and any(each.kind == "same" for each in costs),
        f"{as_fast}: {NOT_SURE_YET}, it may be as fast{most}": every and open_,
        f"{_NOT_SURE}: identical code differed, and this difference may be no larger": (
            "unsure" in kinds
        ),
        f"{bounds}: times the time of {fastest}, 95 % sure{by_repeat}": bounds,
        f"{_SLOWER}: 95 % sure, but by how much is not known": every
        and any(not each.lo for each in slower),
        f"{_LOOKS_SLOWER}: slower so far, but it may be as fast": every
        and any(each.looks_slower for each in costs),
        "checked: iogauge verified the state of the page cache before each sample": shown.checked,
        f"{MACHINE}: the fastest plain way we found to move these bytes{beyond}": shown.machine,
        f"{REACHED}: a way above is as fast as that, or faster": every and shown.reached,
    }
    return [text for text, there in says.items() if there]
