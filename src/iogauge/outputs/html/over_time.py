"""Pictures of a watch over time: calls by size, and the share of waiting. Each is a set of bars
over the run, with places and heights as shares of the picture, so that the style sheet lays it out
for any width. Words beside it are HTML, which stays readable when the picture is narrow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

from iogauge.model.units import chosen_duration, chosen_limit, rounded, significant
from iogauge.model.watched import Moment
from iogauge.outputs import watch_words as words
from iogauge.outputs.html.drawing import COLOURS, GREY

WIDTH, HEIGHT = 1000, 100  # of a picture, in units of its own
_MOST_BARS = 200  # more would be finer than a pixel
_MOST_TICKS = 5
_LARGEST_MEAN = 2.0**50
_LARGEST = 17  # as a power of two: calls of 128 KiB and more cost little per byte
_BLUE, _RED, _GREEN, _OCHRE = COLOURS[0], COLOURS[6], COLOURS[2], COLOURS[4]
_RAMP = (_RED, COLOURS[1], _OCHRE, _GREEN, _BLUE)  # from single bytes to large pieces

Sizes = tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Bar:
    """A part of a picture, in its units, and what it says."""

    x: float
    y: float
    width: float
    height: float
    colour: str
    says: str


@dataclass(frozen=True)
class Tick:
    """A label at a share of the axis, in percent."""

    at: float
    label: str


@dataclass(frozen=True)
class Picture:
    """Bars under a heading; `top` is the label of the upper end."""

    heading: str
    top: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Key:
    """A colour of the pictures and what it stands for."""

    colour: str
    label: str


@dataclass(frozen=True)
class OverTime:
    """All pictures of a watch, over one axis. With `means`, sizes were not seen all the time: there
    the colour is that of the mean.
    """

    pictures: tuple[Picture, ...]
    keys: tuple[Key, ...]
    means: bool
    ticks: tuple[Tick, ...]


def over_time(moments: Iterable[Moment], wall: float) -> OverTime:
    """Those for which there is something to show."""
    known = [each for each in moments if each.ends > each.begins >= 0]
    some = _joined(known, math.ceil(len(known) / _MOST_BARS)) if known else []
    end = max([wall, *(each.ends for each in some)])
    reads = _calls("reads", some, end, _reads)
    writes = _calls("writes", some, end, _writes)
    pictures = [each for each in (reads, writes, _waiting(some, end)) if each]
    done = [of(each) for of in (_reads, _writes) for each in some]
    means = any(each.calls >= 0.5 and not each.sizes for each in done)
    return OverTime(tuple(pictures), _keys(done), means, _ticks(end))


@dataclass(frozen=True)
class _Done:
    """The reads or the writes of a moment."""

    calls: float
    bytes: float
    sizes: Sizes

    @property
    def parts(self) -> list[tuple[int, float]]:
        """Shares by size, the smallest first; all of them as the mean where no size was seen."""
        whole = sum(number for _, number in self.sizes)
        if whole:
            return [(size, number / whole) for size, number in sorted(self.sizes) if number > 0]
        mean = int(min(_LARGEST_MEAN, self.bytes / self.calls)) if self.calls > 0 else 0
        return [(1 << (mean.bit_length() - 1) if mean > 0 else 0, 1.0)]


def _reads(moment: Moment) -> _Done:
    return _Done(moment.read_calls, moment.read_bytes, moment.read_sizes)


def _writes(moment: Moment) -> _Done:
    return _Done(moment.write_calls, moment.written_bytes, moment.write_sizes)


def _joined(moments: Sequence[Moment], number: int) -> list[Moment]:
    """Every so many moments as one."""
    return [reduce(_join, moments[at : at + number]) for at in range(0, len(moments), number)]


def _join(one: Moment, other: Moment) -> Moment:
    lengths = [each.ends - each.begins for each in (one, other)]
    waited = one.waiting * lengths[0] + other.waiting * lengths[1]
    return Moment(
        begins=one.begins,
        ends=max(one.ends, other.ends),
        read_calls=one.read_calls + other.read_calls,
        write_calls=one.write_calls + other.write_calls,
        read_bytes=one.read_bytes + other.read_bytes,
        written_bytes=one.written_bytes + other.written_bytes,
        processor=one.processor + other.processor,
        waiting=waited / sum(lengths),
        read_sizes=_sum(one.read_sizes, one.read_calls, other.read_sizes, other.read_calls),
        write_sizes=_sum(one.write_sizes, one.write_calls, other.write_sizes, other.write_calls),
    )


def _sum(one: Sizes, of_one: float, other: Sizes, of_other: float) -> Sizes:
    """Two divisions by size, each as heavy as the calls that it divides."""
    found: dict[int, float] = {}
    for sizes, calls in ((one, of_one), (other, of_other)):
        whole = sum(number for _, number in sizes)
        for size, number in sizes if whole else ():
            found[size] = found.get(size, 0.0) + calls * number / whole
    return tuple(sorted(found.items()))


def _calls(
    name: str,
    moments: Sequence[Moment],
    end: float,
    of: Callable[[Moment], _Done],
) -> Picture | None:
    """Calls per second, stacked by size, the smallest at the bottom."""
    rates = [max(0.0, of(each).calls) / (each.ends - each.begins) for each in moments]
    if not any(each >= 0.5 for each in rates):
        return None
    most = max(rates)
    bars = []
    for each, rate in zip(moments, rates, strict=True):
        if not rate:
            continue
        foot, done = float(HEIGHT), of(each)
        for size, part in done.parts:
            height = HEIGHT * rate / most * part
            foot -= height
            says = f"{_between(each)}: {_rate(rate * part)} {name} per second, {_called(size)}"
            says += "" if done.sizes else " on average"
            bars.append(_bar(each, end, foot, height, _colour(size), says))
    return Picture(f"{name} per second", _rate(most), tuple(bars))


def _waiting(moments: Sequence[Moment], end: float) -> Picture | None:
    """The share of looks in which a thread waited for a file."""
    if not any(each.waiting >= 0.005 for each in moments):
        return None
    bars = []
    for each in moments:
        if (part := min(1.0, each.waiting)) > 0:
            says = f"{_between(each)}: waiting in {words.share(part, 1.0)} of the looks"
            height = HEIGHT * part
            bars.append(_bar(each, end, HEIGHT - height, height, COLOURS[5], says))
    return Picture("share of looks that saw it wait for a file", "100 %", tuple(bars))


def _bar(moment: Moment, end: float, y: float, height: float, colour: str, says: str) -> Bar:
    x, width = (
        WIDTH * moment.begins / end,
        WIDTH * (moment.ends - moment.begins) / end,
    )
    return Bar(round(x, 2), round(y, 2), round(width, 2), round(height, 2), colour, says)


def _between(moment: Moment) -> str:
    return f"{words.seconds(moment.begins)} to {words.seconds(moment.ends)}"


def _rate(value: float) -> str:
    """`1.05M`, `13k`, `320`, `0.4`."""
    if value >= 1e12:
        return rounded(value, 1)
    if value >= 1e6:
        return f"{significant(value / 1e6, bare=True)}M"
    if value >= 1e4:
        return f"{significant(value / 1e3, bare=True)}k"
    return significant(value, 3 if value >= 1 else 1, bare=True)


def _called(size: int) -> str:
    """`512 B to 1 KiB`: a power of two stands for sizes up to the next."""
    if size <= 1:
        return "nothing" if size < 1 else "1 B"
    return f"{words.amount(size)} to {words.amount(2 * size)}"


def _colour(size: int) -> str:
    """Between red for single bytes and blue for large pieces."""
    if size <= 0:
        return GREY
    place = min(1.0, math.log2(size) / _LARGEST) * (len(_RAMP) - 1)
    at = min(int(place), len(_RAMP) - 2)
    one, other = (bytes.fromhex(each[1:]) for each in _RAMP[at : at + 2])
    mixed = (round(a + (b - a) * (place - at)) for a, b in zip(one, other, strict=True))
    return f"#{bytes(mixed).hex()}"


def _keys(done: Iterable[_Done]) -> tuple[Key, ...]:
    """A key for each size, the smallest first."""
    sizes = {size for each in done if each.calls >= 0.5 for size, _ in each.parts}
    return tuple(Key(_colour(each), _called(each)) for each in sorted(sizes))


def _ticks(end: float) -> tuple[Tick, ...]:
    """At round seconds, from 0 on."""
    if not 0 < end < math.inf:
        return ()
    step = _round_up(end / _MOST_TICKS)
    places = [number * step for number in range(int(end / step * (1 + 1e-9)) + 1)]
    return tuple(Tick(round(100 * each / end, 2), _at(each)) for each in places)


def _at(seconds: float) -> str:
    if seconds < 1e-9:
        return "0"
    exact = float(rounded(seconds))  # without what multiplying left behind
    return chosen_limit(exact) if exact >= 120 else chosen_duration(exact)


def _round_up(value: float) -> float:
    """The next of 1, 2 and 5 times a power of ten; from a minute on, of minutes."""
    if value > 30:
        return 60 * _round_up(value / 60) if value > 60 else 60.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(each * power for each in (1, 2, 5, 10) if each * power >= value * (1 - 1e-9))
