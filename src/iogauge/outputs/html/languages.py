"""The languages of a study that compares them side by side: a matrix of what each takes, and a
chart for each question, where the fastest language is 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from iogauge.model.units import duration, rate, shares, size, whole_share
from iogauge.outputs import headings
from iogauge.outputs.contract import Case, Group
from iogauge.outputs.html.dots import Dot, Dots, Row, Scale, are_times
from iogauge.outputs.of_language import OfLanguage

_TOLERANCE = 0.1  # where a run says none
_WARMEST = 10.0  # times the fastest: a cell has its full colour
_NARROW = 1.25  # times: a share of the limit that is known better is told as one number


@dataclass(frozen=True)
class Cell:
    """What a language takes in a question, with which way. `warmth` is 0 of the fastest, 100 of
    what takes ten times as long.
    """

    cost: str
    way: str
    warmth: int


@dataclass(frozen=True)
class Question:
    """A group that compares languages, with the number that it has in the answers below."""

    number: int
    group: Group

    @property
    def short(self) -> str:
        """`Read 16 MiB, cached`."""
        case, record = self.group.cases[0], self.group.record_bytes
        by = f" by {size(record)}" if record and record < case.workload.size else ""
        return headings.of_work(case.workload, case.conditions, by)

    @property
    def title(self) -> str:
        """The question with its conditions: another may differ in these alone."""
        under = ", ".join(headings.state(self.group.cases[0].conditions))
        return f"{self.group.question} ({under})" if under else self.group.question

    @property
    def ceiling(self) -> str:
        """What the machine reaches; empty where that is not known."""
        found = self.group.ceiling
        return "" if found is None or are_times(self.group.cases) else rate(found.bytes_per_s)

    @property
    def below_limit(self) -> list[str]:
        """What the languages cost that stay well below the machine's limit."""
        said = []
        for each in self.group.languages:
            reached = _reached(self._cases[each.case])
            if each.reason and reached:
                said.append(f"{each.name} reaches {reached} of the machine's limit. {each.reason}")
        return said

    @cached_property
    def dots(self) -> Dots:
        """A row for the best way of each language, with a ring for the usual one."""
        found = self.group.languages
        tolerance = self.group.tolerance or _TOLERANCE
        ratios = [each.ratio or 1.0 for each in found]
        usual = [self._usual(each) or 1.0 for each in found]
        scale = Scale.holding(max([*ratios, *usual], default=1.0))
        in_time = are_times(self.group.cases)
        return Dots(
            panels=("",),
            figure="time each" if in_time else "speed",
            sets=tuple((each.set, (self._row(each, scale, in_time=in_time),)) for each in found),
            ticks=scale.ticks,
            zone=(scale.place(1.0), scale.place(1 + tolerance)),
            left_out=0,
        )

    @cached_property
    def _cases(self) -> dict[str, Case]:
        return {each.key: each for each in self.group.cases}

    def cell(self, of: str) -> Cell | None:
        """None of a language that was not measured for it."""
        found = next((each for each in self.group.languages if each.set == of), None)
        if found is None:
            return None
        ratio = min(max(found.ratio or 1.0, 1.0), _WARMEST)
        warmth = round(100 * math.log(ratio) / math.log(_WARMEST))
        return Cell(found.cost, self._cases[found.case].name, warmth)

    def _row(self, of: OfLanguage, scale: Scale, *, in_time: bool) -> Row:
        case, ratio, usual = self._cases[of.case], of.ratio or 1.0, self._usual(of)
        compared = of.ratio is not None
        level = (case.ns_per_op if in_time else case.bytes_per_s).center or 0.0
        dot = Dot(
            at=scale.place(ratio),
            left=scale.place(of.lo or 1.0) if compared else None,
            right=scale.place(of.hi or math.inf) if compared else None,
            faded=of.outcome == "undecided",
            beyond=ratio > scale.end,
            chosen=False,
            says=of.cost,
            usual=None if usual is None else scale.place(usual),
        )
        speed = duration(level / 1e9) if in_time else rate(level)
        return Row(case, case.name, False, (dot,), of.cost, speed)

    def _usual(self, of: OfLanguage) -> float | None:
        """The usual way's time over the fastest language's; None where it is the best, too."""
        behind = self._cases[of.usual].vs_best.ratio if of.usual else None
        return None if behind is None else behind * (of.ratio or 1.0)


@dataclass(frozen=True)
class Languages:
    """The questions of a run that compare languages."""

    questions: tuple[Question, ...]

    @classmethod
    def of(cls, groups: Sequence[Group]) -> Languages:
        return cls(
            tuple(Question(number, each) for number, each in enumerate(groups, 1) if each.languages)
        )

    @property
    def has_usual(self) -> bool:
        """Whether the usual way is another one than the fastest, of any."""
        return any(each.usual for one in self.questions for each in one.group.languages)

    @property
    def kind(self) -> str:
        """What is compared."""
        sets = {
            each.set.partition(" on ") for one in self.questions for each in one.group.languages
        }
        return "version" if len({language for language, _, _ in sets}) == 1 else "language"

    @cached_property
    def rows(self) -> list[tuple[str, str, list[Cell | None]]]:
        """Each language's set and name with a cell per question; first those that are ahead, by
        what they take on average of the questions that they have.
        """
        names = {each.set: each.name for one in self.questions for each in one.group.languages}
        return [
            (of, name, [each.cell(of) for each in self.questions])
            for of, name in sorted(names.items(), key=lambda each: self._behind(each[0]))
        ]

    def _behind(self, of: str) -> float:
        every = (each for one in self.questions for each in one.group.languages if each.set == of)
        logs = [math.log(each.ratio or 1.0) for each in every]
        return sum(logs) / len(logs)


def _reached(case: Case) -> str:
    """The share of the machine's limit, as a range where it is not known well; empty where it is
    not known at all.
    """
    if case.of_ceiling is None:
        return ""
    known = case.of_ceiling_interval
    if known.lo and known.hi and known.hi > known.lo * _NARROW:
        return shares(min(known.lo, 1.0), min(known.hi, 1.0))
    return whole_share(min(case.of_ceiling, 1.0))
