"""From what was measured of calls to constants: each is checked in a second way, and what does not
pass is left out with the reason. Measures nothing.

Each bound below is wide: a check is to find what is wrong by a multiple, such as a bandwidth that
was divided by a size and called the cost of a call, and no ordinary noise.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from iogauge.model.watched import (
    Check,
    Constant,
    ConstantName,
    LeftOut,
    PathName,
    PathRate,
    Span,
    Why,
)
from iogauge.statistics.intervals import summary

FEWEST = 6
"""Undisturbed values of a constant, from as many rounds, without which it is not known."""
_UNEVEN, _UNEVEN_WAITING = 1.3, 2.0  # times: between halves, and between lengths
_WIDE, _WIDE_WAITING = 1.6, 3.0  # times: between the ends of an interval
_ABOVE = 1.25  # times the bandwidth of the path
_BESIDE = 1.5  # times what other sizes allow
_LARGEST = 3  # calls that a path is held against
_UNCOUNTED = 0.01  # of the calls
_MOVED = 0.9  # of the bytes that must have been seen at the device
_ERROR = 0.05

_ROOFS: dict[str, PathName] = {
    "read": "cached-read",
    "pread": "cached-read",
    "write": "cache-write",
}
"""By calls, the path whose bandwidth theirs cannot be above."""
_SIZELESS = ("null-write", "fsync", "fdatasync")
"""Calls whose cost has next to nothing to do with their bytes: other sizes must cost the same."""
_ABOVE_IT: dict[PathName, PathName] = {"device-read": "cached-read", "device-write": "cache-write"}
"""By paths, the one that is at least as fast, since the data take it as well."""


@dataclass(frozen=True)
class Value:
    """One span of calls: what a call took, in ns; the share of that time in which it had a
    processor; whether it was of twice as many calls as others; and whether something disturbed it.
    `calls` were asked for, with those that were not timed, and the kernel `counted` so many; None
    where it counts none of this kind. `moved` is the share of its bytes that a device was seen to
    move; None where nobody can tell. Of each series a round has one value at most.
    """

    ns: float
    round: int = 0
    processor: float = 1.0
    doubled: bool = False
    disturbed: bool = False
    calls: int = 0
    counted: int | None = None
    moved: float | None = None


@dataclass
class Series:
    """The values of one kind of call and size, in the order of their rounds. A call that `waits`
    for a device needs no processor meanwhile. Of a path, a value is that of `moves` bytes in calls
    of that size. `failed` says why there are no more.
    """

    name: ConstantName | PathName
    size: int | None = None
    waits: bool = False
    moves: int = 0
    values: list[Value] = field(default_factory=list)
    failed: str | None = None

    @property
    def good(self) -> list[Value]:
        return [each for each in self.values if not each.disturbed]


@dataclass(frozen=True)
class _Found:
    """A number in ns, of a series, with the checks that it passed so far."""

    series: Series
    ns: Span
    checked: tuple[Check, ...]

    @property
    def bytes_per_s(self) -> float:
        return (self.series.moves or self.series.size or 0) / self.ns.middle * 1e9


def constants(
    calls: Iterable[Series], paths: Iterable[Series]
) -> tuple[tuple[Constant, ...], tuple[PathRate, ...], tuple[LeftOut, ...]]:
    """What is known of calls and of paths, and what is left out. A path may have several series, of
    other sizes of calls: the fastest is the path.
    """
    out: list[LeftOut] = []
    found = _alone(calls, out)
    roofs = _fastest(_alone(paths, out))
    sound = _sound(roofs, found, out)
    found = _beside_other_sizes(_below_roofs(found, roofs, out), out)
    rates = tuple(_rate(name, each) for name, each in sound.items())
    made = tuple(_constants(found))
    # Of a path, and of a call that has no size, one of its series is enough.
    known = {*sound, *(each.name for each in made if each.size is None)}
    return made, rates, tuple(dict.fromkeys(each for each in out if each.name not in known))


def _alone(series: Iterable[Series], out: list[LeftOut]) -> list[_Found]:
    """Those whose own values agree with each other and with what the kernel counted."""
    found = []
    for each in series:
        verdict = _judged(each)
        if isinstance(verdict, _Found):
            found.append(verdict)
        else:
            out.append(
                LeftOut(name=each.name, size=_size(each), why=verdict, reason=each.failed or "")
            )
    return found


def _size(series: Series) -> int | None:
    """What a constant is of; no path is of a size."""
    return None if series.moves else series.size


def _judged(series: Series) -> _Found | Why:
    if series.failed:
        return "failed"
    values = series.good
    if len(values) < FEWEST:
        return "disturbed"
    checked: list[Check] = []
    uneven, wide = (_UNEVEN_WAITING, _WIDE_WAITING) if series.waits else (_UNEVEN, _WIDE)
    counts = [each for each in values if each.counted is not None]
    if any(abs((each.counted or 0) - each.calls) > _UNCOUNTED * each.calls for each in counts):
        return "uncounted"
    if counts:
        checked.append("counted")
    moved = [each.moved for each in values if each.moved is not None]
    if moved and min(moved) < _MOVED:
        return "device"
    if moved:
        checked.append("device")
    middle = len(values) // 2
    if _differ(values[:middle], values[middle:], uneven):
        return "halves"
    checked.append("halves")
    single = [each for each in values if not each.doubled]
    doubled = [each for each in values if each.doubled]
    if single and doubled:
        if _differ(single, doubled, uneven):
            return "lengths"
        checked.append("lengths")
    ns = _span([each.ns for each in values])
    if ns.high > wide * ns.low:
        return "varies"
    return _Found(series, ns, tuple(checked))


def _differ(some: Sequence[Value], others: Sequence[Value], most: float) -> bool:
    ratio = _median(some) / _median(others)
    return not 1 / most < ratio < most


def _median(values: Sequence[Value]) -> float:
    return statistics.median(each.ns for each in values)


def _span(ns: Sequence[float]) -> Span:
    """The median over rounds, in an interval that follows from how much they differ."""
    middle = statistics.median(ns)
    spread = summary([math.log(each) for each in ns], _ERROR)
    return Span(low=min(spread.lo, middle), middle=middle, high=max(spread.hi, middle))


def _fastest(paths: Iterable[_Found]) -> dict[PathName, _Found]:
    """The paths by name."""
    ordered = sorted(paths, key=lambda each: each.bytes_per_s)
    return {cast(PathName, each.series.name): each for each in ordered}


def _sound(
    roofs: dict[PathName, _Found], calls: Sequence[_Found], out: list[LeftOut]
) -> dict[PathName, _Found]:
    """The paths with which most of the largest calls agree, and a faster path that their data take
    as well. Where they do not, nobody knows which is wrong: neither is known.
    """
    sound = {}
    for name, each in roofs.items():
        on_it = [one for one in calls if _ROOFS.get(one.series.name) == name and one.series.size]
        largest = sorted(on_it, key=lambda one: one.series.size or 0)[-_LARGEST:]
        above = [one.bytes_per_s > _ABOVE * each.bytes_per_s for one in largest]
        faster = roofs.get(_ABOVE_IT[name]) if name in _ABOVE_IT else None
        if faster:
            above.append(each.bytes_per_s > _ABOVE * faster.bytes_per_s)
        if sum(above) * 2 > len(above):
            out.append(LeftOut(name=name, why="bandwidth"))
        else:
            passed: tuple[Check, ...] = ("bandwidth",) if above else ()
            sound[name] = replace(each, checked=(*each.checked, *passed))
    return sound


def _below_roofs(
    found: Sequence[_Found], roofs: dict[PathName, _Found], out: list[LeftOut]
) -> list[_Found]:
    """Calls whose bytes per second the path can give: calls × size ≤ bandwidth."""
    kept = []
    for each in found:
        name = _ROOFS.get(each.series.name)
        roof = roofs.get(name) if name else None
        if roof is None:
            kept.append(each)
        elif each.bytes_per_s > _ABOVE * roof.bytes_per_s:
            out.append(LeftOut(name=each.series.name, size=each.series.size, why="bandwidth"))
        else:
            kept.append(replace(each, checked=(*each.checked, "bandwidth")))
    return kept


def _beside_other_sizes(found: Sequence[_Found], out: list[LeftOut]) -> list[_Found]:
    """Calls that agree with those of other sizes. Those that disagree with most of the others are
    left out, until no two disagree: of two alone nobody knows which one is wrong.
    """
    kept: list[_Found] = [each for each in found if not each.series.size]
    for name in dict.fromkeys(each.series.name for each in found if each.series.size):
        own = [each for each in found if each.series.name == name and each.series.size]
        agree = _cost_the_same if name in _SIZELESS else _agree
        while worst := max((_disagreeing(each, own, agree) for each in own), default=0):
            gone = [each for each in own if _disagreeing(each, own, agree) == worst]
            own = [each for each in own if each not in gone]
            out += [LeftOut(name=name, size=each.series.size, why="sizes") for each in gone]
        passed: tuple[Check, ...] = ("sizes",) if len(own) > 1 else ()
        kept += [replace(each, checked=(*each.checked, *passed)) for each in own]
    return kept


def _disagreeing(one: _Found, own: Sequence[_Found], agree: Callable[..., bool]) -> int:
    return sum(not agree(one, other) for other in own)


def _agree(one: _Found, other: _Found) -> bool:
    """Whether a larger call costs no less than a smaller one, and no more than as many of the
    smaller ones as move its bytes. Every line a + b·size with a, b ≥ 0 keeps to that.
    """
    small, large = sorted((one, other), key=lambda each: each.series.size or 0)
    times = math.ceil((large.series.size or 1) / (small.series.size or 1))
    cheap, dear = small.ns.middle, large.ns.middle
    return cheap <= _BESIDE * dear and dear <= _BESIDE * times * cheap


def _cost_the_same(one: _Found, other: _Found) -> bool:
    return 1 / _BESIDE < one.ns.middle / other.ns.middle < _BESIDE


def _constants(found: Iterable[_Found]) -> Iterator[Constant]:
    """One for each; of calls whose cost has nothing to do with the size, one for all sizes."""
    sizeless = set()
    for each in found:
        name, size = cast(ConstantName, each.series.name), each.series.size
        if name in _SIZELESS:
            if name in sizeless:
                continue
            sizeless.add(name)
            size = None
        yield Constant(name=name, size=size, ns=each.ns, checked=each.checked)


def _rate(name: PathName, found: _Found) -> PathRate:
    size = found.series.moves * 1e9
    low, middle, high = size / found.ns.high, size / found.ns.middle, size / found.ns.low
    rate = Span(low=low, middle=middle, high=high)
    return PathRate(name=name, bytes_per_s=rate, checked=found.checked)
