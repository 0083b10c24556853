"""Findings: candidates whose change saves enough, each with the seconds that it saves.

A saving is the difference between two ways in the language of the program, which whoever calls
measures; for what only the kernel does it follows from what calls cost on this machine, or from how
long calls were seen to wait.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from iogauge.model.watched import (
    SHORTEST,
    Amounts,
    Basis,
    Change,
    ConstantName,
    Constants,
    Difference,
    Finding,
    FindingKind,
    Place,
    Span,
    TwoWays,
)
from iogauge.watching.candidates import LARGE, Candidate, length_of
from iogauge.watching.placing import fits
from iogauge.watching.recognising import SHELL, Facts

WORTH = 0.02
"""Share of the run time: what saves less is not worth a word."""
_PROMISING = 0.003  # a guess: the kernel's part of a saving can be a seventh of it
_MOST_MEASURED = 3
_UNSURE = 0.25  # of a constant's interval, on either side, for what a table cannot know
_PACKED = 32 << 10  # bytes per call, from which a larger piece unpacks no faster
_ONE_BUSY = 1.25  # processor time by run time: more than that is done side by side
_WORKS = 0.2  # of the run time: a program that works less is likely paced by another one
_OVERLAPS = 0.7  # of what could be done side by side, at least
_PIECES = 16 << 10  # bytes per call
_COLD_CODE = 5.0  # s: in a runtime that compiles while it runs, code of shorter runs is cold

Nothing = Literal["nothing"]
"""Of a program that is no source of the user's: nothing that he can change makes it otherwise."""


@dataclass(frozen=True)
class Means:
    """What findings are made with: what measures two ways, what is known of tools, what calls cost,
    and which languages compile while they run.
    """

    compare: Callable[[TwoWays], Difference | None]
    tool: Callable[[str, FindingKind], Change | Nothing | None]
    constants: Constants
    compiling: frozenset[str] = frozenset()
    cores: float = 1.0
    is_packed: Callable[[str], bool] = lambda path: False


@dataclass(frozen=True)
class Found:
    """The findings, the largest saving first; and candidates about which nothing can be done."""

    findings: list[Finding]
    fixed: list[Candidate]


def promising(some: Iterable[Candidate], wall: float) -> bool:
    """Whether any of them may save enough in a run of so many seconds."""
    return wall >= SHORTEST and any(each.guess >= _PROMISING * wall for each in some)


def findings(
    some: Iterable[Candidate],
    programs: dict[tuple[str, str], tuple[int, Facts | None]],
    places: Sequence[Place],
    total: Amounts,
    wall: float,
    means: Means,
) -> Found:
    """`programs` has the number and the facts of each program by its key, `places` the lines that
    were seen, the most frequent first: a finding has the first that may do what it is about.
    """
    found, fixed, measured = list[Finding](), list[Candidate](), 0
    if wall < SHORTEST:
        return Found([], [])
    for each in some:
        if each.guess < _PROMISING * wall:
            continue
        number, facts = programs[each.program]
        if each.kind == "lines-by-shell" and (facts is None or facts.language != SHELL.language):
            continue
        if each.to_pipe and not _may_hold_back(facts, total, wall):
            continue
        change = _change(each, facts, means)
        if change == "nothing":
            if each.guess >= WORTH * wall:
                fixed.append(each)
            continue
        if measured >= _MOST_MEASURED:
            break
        measured += 1
        place = next(
            (one for one in places if one.program == number and fits(one, each.kind)), None
        )
        finding = _finding(each, number, facts, change, means, wall, place, total)
        if finding:
            found.append(finding)
    bounded = [_bounded(each, total, wall) for each in _joined(found)]
    worth = [each for each in bounded if _is_worth(each, wall)]
    return Found(sorted(worth, key=lambda each: -each.saves.middle), fixed)


def _is_worth(finding: Finding, wall: float) -> bool:
    return finding.saves.middle >= WORTH * wall and finding.saves.low > 0


def _change(each: Candidate, facts: Facts | None, means: Means) -> Change | Nothing | None:
    """What is known to change it; None where the language of the program says."""
    if each.change:
        return each.change
    if facts is None:
        return "nothing"
    if each.to_pipe:
        return Change(text="collect what goes into the pipe, and write 64 KiB with each call")
    if (tool := means.tool(facts.name, each.kind)) is not None:
        return tool
    return None if facts.own else "nothing"


def _may_hold_back(facts: Facts | None, total: Amounts, wall: float) -> bool:
    """Whether a program of the user's own, in a language that has buffers, works rather than waits:
    else less work of its own may make nothing faster.
    """
    busy = (total.user or 0.0) + (total.system or 0.0)
    known = facts is not None and facts.own and facts.language not in (None, SHELL.language)
    return known and busy >= _WORKS * wall


def _finding(
    each: Candidate,
    number: int,
    facts: Facts | None,
    change: Change | None,
    means: Means,
    wall: float,
    place: Place | None,
    total: Amounts,
) -> Finding | None:
    def made(saves: Span, basis: Basis, instead: Change | None, *, at_least: bool) -> Finding:
        return Finding(
            kind=each.kind,
            program=number,
            file=each.path.rpartition("/")[2],
            calls=each.calls,
            size=each.size,
            bytes=each.bytes,
            saves=saves,
            basis=basis,
            at_least=at_least,
            files=each.files,
            about=each.about,
            change=instead,
            place=place,
        )

    if each.saves:
        return made(each.saves, "constants", change, at_least=False)
    if each.kind == "synced":
        return made(_of_syncs(each, means.constants), _basis_of(each), change, at_least=False)
    if each.to_null or each.to_pipe:
        # Who reads a pipe is woken less often, too.
        name: ConstantName = "pipe-write" if each.to_pipe else "null-write"
        saved = _by_constants(each, name, means.constants)
        return made(saved, "constants", change, at_least=each.to_pipe) if saved else None
    language = facts.language if facts and facts.own else None
    difference = means.compare(_question(each, facts, language, place, means))
    if difference is None:
        saved = _without_ways(each, means.constants)
        known = language is not None or each.appends
        return made(saved, "constants", change, at_least=known) if saved else None
    cold = language in means.compiling and wall < _COLD_CODE
    if each.kind == "unpacking":
        beside = _beside(each, difference, total, wall, means)
        return made(beside, "two-ways", None, at_least=False) if beside else None
    saves = _by_ways(each, difference)
    # Read as a whole, a file costs less than by small calls.
    pieces = each.kind == "read-again" and each.size < min(_PIECES, each.length)
    return made(saves, "two-ways", change or difference.change, at_least=cold or pieces)


def _question(
    each: Candidate, facts: Facts | None, language: str | None, place: Place | None, means: Means
) -> TwoWays:
    packed = each.kind == "small-reads" and facts is not None and facts.own
    return TwoWays(
        # What unpacks a file pays for each piece, too.
        kind="unpacking" if packed and means.is_packed(each.path) else each.kind,
        language=language or "native",
        size=max(1, min(round(_piece(each)), _PACKED if each.kind == "unpacking" else LARGE)),
        length=max(1, each.length or length_of(each.path) or round(each.bytes)),
        executable=facts.path if facts and language else None,
        appends=each.appends,
        # Of calls that a library makes itself no stack has a name, but the line does.
        hint=(place.does or place.text) if place else "",
    )


def _beside(
    each: Candidate, difference: Difference, total: Amounts, wall: float, means: Means
) -> Span | None:
    """Seconds that it saves to unpack beside the rest: the shorter of both, at most. None where one
    processor has to do both, or where more than one does already.
    """
    busy = (total.user or 0.0) + (total.system or 0.0)
    if means.cores < 2 or busy > _ONE_BUSY * wall:
        return None
    unpacking = difference.slow_ns_per_byte.times(each.bytes / 1e9)
    saved = [
        max(0.0, min(one, busy - one)) for one in (unpacking.low, unpacking.middle, unpacking.high)
    ]
    return Span(low=min(saved) * _OVERLAPS, middle=saved[1], high=max(saved))


def _by_ways(each: Candidate, difference: Difference) -> Span:
    """Seconds: of all bytes; where a whole operation is saved, of those that it reads again."""
    if each.kind in ("opened-again", "read-again") and not each.appends:
        again = each.bytes - each.length
        return difference.slow_ns_per_byte.times(max(0.0, again) / 1e9)
    return difference.ns_per_byte.times(each.bytes / 1e9)


def _by_constants(each: Candidate, name: ConstantName, constants: Constants) -> Span | None:
    """Seconds that larger calls save, by what calls cost here."""
    small = constants.of(name, each.size)
    large = constants.of(name, 128 << 10)
    if small is None or large is None:
        return None
    middle = max(0.0, small.middle - large.middle * each.size / (128 << 10))
    saved = each.calls * middle / 1e9
    return Span(low=saved * (1 - _UNSURE), middle=saved, high=saved * (1 + _UNSURE))


def _without_ways(each: Candidate, constants: Constants) -> Span | None:
    """Seconds that the kernel's part of a change saves; None where that is not known."""
    if each.appends:
        return _of_opens(each, constants)
    if each.kind not in ("small-reads", "small-writes"):
        return None
    return _by_constants(each, "write" if each.kind == "small-writes" else "read", constants)


def _piece(each: Candidate) -> float:
    """Bytes per call."""
    return each.bytes / max(1.0, each.calls) if each.appends else each.size


def _of_opens(each: Candidate, constants: Constants) -> Span | None:
    """Seconds of opens, and of writes that larger ones would join, by what they cost here."""
    opened = constants.of("open-close")
    joined = _by_constants(replace(each, size=_piece(each)), "write", constants)
    if opened is None:
        return joined
    middle = max(0.0, each.calls - 1) * opened.middle / 1e9
    again = Span(low=middle * (1 - _UNSURE), middle=middle, high=middle * (1 + _UNSURE))
    return again.plus(joined) if joined else again


def _of_syncs(each: Candidate, constants: Constants) -> Span:
    """Seconds of all calls but one for each file: by what they were seen to take, else by what one
    takes here.
    """
    calls = max(0.0, each.calls - each.files)
    if each.took:
        middle = calls * each.took
        unsure = min(0.5, 1 / max(1, each.seen) ** 0.5)
        return Span(low=middle * (1 - unsure), middle=middle, high=middle * (1 + unsure))
    known = constants.of("fsync")
    return known.times(calls / 1e9) if known else Span(low=0, middle=0, high=0)


def _basis_of(each: Candidate) -> Basis:
    return "waits" if each.took else "constants"


def _bounded(finding: Finding, total: Amounts, wall: float) -> Finding:
    """No change saves more than the run took, and none that shortens calls more than the processor
    time that there was. An estimate above that keeps its width, in proportion. Where processors
    worked side by side, the run is shorter by that part of their time, at least.
    """
    most, beside = wall, 1.0
    if finding.basis != "waits" and total.user is not None and total.system is not None:
        busy = total.user + total.system
        most, beside = min(wall, busy), max(1.0, busy / wall)
    saves = finding.saves
    if saves.middle > most:
        saves = saves.times(most / saves.middle)
    bounded = saves.model_copy(update={"low": saves.low / beside, "high": min(saves.high, most)})
    return finding.model_copy(update={"saves": bounded})


def _joined(found: Iterable[Finding]) -> list[Finding]:
    """Findings of one program that the same change mends, as one."""
    joined: list[Finding] = []
    for each in found:
        same = [
            index
            for index, other in enumerate(joined)
            if other.program == each.program and other.change == each.change and each.change
        ]
        if same:
            other = joined[same[0]]
            joined[same[0]] = other.model_copy(
                update={
                    "saves": other.saves.plus(each.saves),
                    "at_least": other.at_least or each.at_least,
                }
            )
        else:
            joined.append(each)
    return joined
