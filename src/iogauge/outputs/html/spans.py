"""Cards of spans: what the same case takes across groups, as dots on a scale where the first of
them is 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from iogauge.model.case import runtimes_differ
from iogauge.model.ratios import either_way
from iogauge.model.text import capital
from iogauge.model.units import duration
from iogauge.outputs.contract import AcrossGroups, Case, Group, Span
from iogauge.outputs.html.dots import Dot, Dots, Row

_TICKS = (1, 2, 5)  # and these by powers of ten
_FEWEST_TIMES = 1.5  # what the scale reaches at least, either way
_APART = 18.0  # per cent of the width between two ticks, at least
_MARGIN = 3.0  # per cent of the width, at either end
_TOLERANCE = 0.1  # where a run says none


@dataclass(frozen=True)
class Figures:
    """A row of the details: a case under one of the values."""

    case: Case
    value: str
    time: str
    cost: str


@dataclass(frozen=True)
class SpanCard:
    """`cases` are by their keys, those of all groups."""

    span: Span
    cases: dict[str, Case]
    tolerance: float

    @classmethod
    def of(cls, span: Span, groups: Iterable[Group]) -> SpanCard:
        spanned = [each for each in groups if each.id in span.groups]
        cases = {case.key: case for group in spanned for case in group.cases}
        tolerance = next((each.tolerance for each in spanned if each.tolerance), _TOLERANCE)
        return cls(span, cases, tolerance)

    @property
    def title(self) -> str:
        """`1 KiB, fsync against not durable: time per operation`."""
        return capital(self.span.title or ", ".join(self._names))

    @property
    def first(self) -> str:
        """What the others are compared with: `warm`."""
        return self._names[0]

    @property
    def unit(self) -> str:
        """Of what the details give the time."""
        return "record" if self.span.per == "record" else "operation"

    @property
    def answers(self) -> list[tuple[str, str]]:
        """A value, and what it takes; a sentence of none has an empty one."""
        parts = (
            each.partition(": ") if ": " in each else ("", "", each) for each in self.span.answers
        )
        return [(name, says) for name, _, says in parts]

    @cached_property
    def dots(self) -> Dots:
        """A row per case, a panel per further value."""
        scale = _Scale.of(self.span.across)
        rows: dict[str, list[Row]] = {}
        several = runtimes_differ((each.language, each.setting) for each in self._references)
        for case in self._references:
            name = f"{case.language} on {case.setting}" if several else case.language
            found = [self._against(case, place) for place in range(1, len(self._names))]
            # Where there are several, the chart says that this is the one at worst.
            told = [each for each in found if each and each.ratio]
            worst = max(told, key=lambda each: each.ratio or 0.0, default=None)
            time = self._time(self.cases[worst.key]) if worst else ""
            drawn = tuple(_dot(each, scale) if each else None for each in found)
            row = Row(case, case.name, False, drawn, worst.cost if worst else "", time)
            rows.setdefault(name, []).append(row)
        zone = scale.place(1 / (1 + self.tolerance)), scale.place(1 + self.tolerance)
        return Dots(
            panels=self._names[1:] if len(self._names) > 2 else ("",),
            sets=tuple((name, tuple(found)) for name, found in rows.items()),
            ticks=tuple(_ticks(scale, _APART if len(self._names) == 2 else 2 * _APART)),
            zone=zone,
            left_out=0,
            figure="time each",
        )

    @property
    def rows(self) -> Iterator[Figures]:
        for case in self._references:
            yield Figures(case, self.first, self._time(case), "1")
            for place, value in enumerate(self._names[1:], 1):
                if found := self._against(case, place):
                    further = self.cases[found.key]
                    yield Figures(further, value, self._time(further), found.cost)

    @property
    def _names(self) -> tuple[str, ...]:
        return self.span.names or tuple(map(str, self.span.values))

    @property
    def _references(self) -> list[Case]:
        return [self.cases[key] for key in dict.fromkeys(e.reference for e in self.span.across)]

    def _against(self, reference: Case, place: int) -> AcrossGroups | None:
        """The same case in another of the groups."""
        value = self.span.values[place]
        return next(
            (
                each
                for each in self.span.across
                if each.reference == reference.key and self._value(self.cases[each.key]) == value
            ),
            None,
        )

    def _value(self, case: Case) -> int | str | None:
        if self.span.along == "size":
            return case.workload.size
        conditions = case.conditions
        return conditions.cache if self.span.along == "cache" else conditions.durability

    def _time(self, case: Case) -> str:
        """Of an operation, or of a record."""
        level = case.ns_per_record if self.unit == "record" else case.ns_per_op
        return "" if level.center is None else duration(level.center / 1e9)


@dataclass(frozen=True)
class _Scale:
    """Logarithmic, from `least` to `most` times the first value's time."""

    least: float
    most: float

    @classmethod
    def of(cls, across: Iterable[AcrossGroups]) -> _Scale:
        ratios = [each.ratio for each in across if each.ratio]
        return cls(
            min([1 / _FEWEST_TIMES, *(each / _FEWEST_TIMES for each in ratios)]),
            max([_FEWEST_TIMES, *(each * _FEWEST_TIMES for each in ratios)]),
        )

    def place(self, ratio: float) -> float:
        within = min(max(ratio, self.least), self.most)
        share = math.log(within / self.least) / math.log(self.most / self.least)
        return round(_MARGIN + (100 - 2 * _MARGIN) * share, 1)


def _dot(found: AcrossGroups, scale: _Scale) -> Dot | None:
    if found.ratio is None:
        return None
    known = found.lo is not None or found.hi is not None
    return Dot(
        at=scale.place(found.ratio),
        left=scale.place(found.lo or 0.0) if known else None,
        right=scale.place(found.hi or math.inf) if known else None,
        beyond=False,
        faded=found.outcome == "undecided",
        chosen=False,
        says=found.cost,
    )


def _ticks(scale: _Scale, least_apart: float) -> Iterator[tuple[float, str]]:
    """1, which is there in any case, and what is far enough from it and from each other."""
    kept = [(scale.place(1.0), "1x")]
    upwards = [digit * 10**power for power in range(4) for digit in _TICKS]
    for tick in [*upwards, *(1 / each for each in upwards)]:
        place = scale.place(tick)
        apart = all(abs(place - other) >= least_apart for other, _ in kept)
        if apart and scale.least <= tick <= scale.most:
            kept.append((place, either_way(tick, tick)))
    yield from sorted(kept)
