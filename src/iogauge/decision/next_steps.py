"""What would decide an open question, if anything."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from iogauge.decision.comparison import Comparison
from iogauge.decision.looks import FEWEST_REPLICATES
from iogauge.decision.verdict import CLOSE, MeasuredCase, SetAnswer

C = TypeVar("C", bound=MeasuredCase)

_TELL = 6
"""Replicates that tell how many more are needed. With three, Student's t is four times what it is
with six, and the noise is hardly known, so even a clear difference looks out of reach."""

NextStepKind = Literal[
    "few",  # there are too few replicates for any answer
    "time",  # more of it would likely decide
    "more",  # more of it may help: there are too few replicates to tell how much
    "close",  # the cases hardly differ
    "unsteady",  # times vary too much
]


@dataclass(frozen=True, slots=True)
class NextStep:
    """`replicates` is how many, in all, would likely decide; None where more of them are not likely
    to help. Cases that are open take at most `reach` times as long as the best. `within`: something
    is open within a set. `only_simpler`: it is known what to use, and open only whether something
    simpler will do.
    """

    kind: NextStepKind
    replicates: int | None = None
    reach: float = math.inf
    within: bool = True
    only_simpler: bool = False


def of_group(
    answers: Sequence[SetAnswer[C]],
    open_pairs: Sequence[Comparison],
    between: Iterable[Comparison | None],
    needed: int | None,
) -> NextStep:
    """For a group in which something is open. `between` compares the bests of the sets; `needed` is
    how many replicates, in all, would likely decide it.
    """
    still = [each for each in answers if each.open]
    only_simpler = bool(still) and all(each.recommended for each in still) and not open_pairs
    reach = _reach(answers, open_pairs, between)
    fewest = min((each.replicates for each in answers), default=0)
    kind: NextStepKind = "close" if reach <= CLOSE else "unsteady"
    if needed is not None:
        kind = "few" if fewest < FEWEST_REPLICATES else "time"
    elif kind == "unsteady" and fewest < _TELL:
        kind, needed = "more", max(_TELL, 2 * fewest)
    return NextStep(kind, needed, reach, bool(still), only_simpler)


def of_span(needed: int | None) -> NextStep:
    """For a span in which something is open."""
    return NextStep("unsteady" if needed is None else "time", needed)


def _reach(
    answers: Sequence[SetAnswer[C]],
    open_pairs: Sequence[Comparison],
    between: Iterable[Comparison | None],
) -> float:
    within = [each.reach for each in answers if each.open]
    pairs = [max(each.hi, 1 / each.lo if each.lo else math.inf) for each in open_pairs]
    return max([*within, *pairs] or [each.hi for each in between if each], default=math.inf)
