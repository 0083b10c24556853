"""Deciding a group: which case is the best of each set, what the others cost, and what is open.

The data of a group are `log_ns`, shape (R, K, C): the natural logarithm of ns per operation in
replicate r, round k, case c. NaN means that nothing was measured. A case is a column number.

A decision follows from the data alone, after whichever replicate it is made. The error is kept
over all of them (`looks.error_at`). docs/decisions/0013-decision-rule.md has the simulations.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from iogauge.decision.best import Pairs, pairs_of
from iogauge.decision.comparison import Comparison, as_comparison
from iogauge.decision.looks import FEWEST_REPLICATES, MOST_REPLICATES, family_size
from iogauge.decision.sets import (
    Control,
    SetDecision,
    control_of,
    decide_between,
    decide_set,
    widened,
)
from iogauge.decision.shrinkage import Prior
from iogauge.decision.versions import (
    VersionDecision,
    VersionQuestion,
    decide_versions,
    open_cases,
)
from iogauge.statistics.intervals import Interval, exp
from iogauge.statistics.quantiles import Array


@dataclass(frozen=True, slots=True)
class GroupQuestion:
    """What is asked of a group.

    `sets` has the cases of each set, the simplest first, without the control. A case that costs at
    most `tolerance` more than the best is good enough; `precision` is the margin within which
    two cases are the same. Both are fractions. `all_pairs`: each case is measured until its
    comparisons with all others are decided or as precise as asked. `to_the_end`: no case is
    dropped while another one is measured. `between_sets`: the bests of the sets are compared until
    that is decided, too. With `versions`, only their pairs are asked for, and no set is.
    """

    sets: Mapping[str, Sequence[int]]
    baseline: int
    control: int | None
    precision: float
    tolerance: float
    all_pairs: bool = False
    to_the_end: bool = False
    between_sets: bool = False
    versions: VersionQuestion = VersionQuestion()

    @property
    def waits_for_all(self) -> bool:
        """Whether no case is dropped because it is far behind."""
        return self.all_pairs or self.to_the_end or self.versions.comparisons > 0


@dataclass(frozen=True, slots=True)
class GroupDecision:
    """What the data of a group say after `replicates` replicates."""

    replicates: int
    answers: Mapping[str, SetDecision]
    """By set: the costs of its cases, and the recommended one."""
    between: SetDecision | None
    """How the bests of the sets compare. None where fewer than two sets have data."""
    open: tuple[SetDecision, ...]
    """The answers that a run goes on for: of the sets; where each has one case, between them."""
    noise: Control | None
    versus_baseline: tuple[Comparison | None, ...]
    """By case, in a family of all pairs. None for the baseline itself, and for a case that shares
    no data with it.
    """
    versus_best: tuple[Comparison | None, ...]
    """By case, against the best of its set, whichever that is. None for that best, for the control,
    and for a case without data.
    """
    versus_overall: Mapping[str, Comparison | None]
    """By set, its best case against the best of all. None for the best of all."""
    control: Comparison | None
    """The A/A control against the baseline, in a family of its own."""
    eliminated: tuple[int, ...]
    """Cases that were so far behind that they were not measured to the end."""
    live: tuple[int, ...]
    """Cases that the next replicate must measure."""
    done: bool
    open_pairs: tuple[tuple[int, int], ...]
    """Where all pairs are asked for: those, each once, that are neither decided nor as precise as
    asked.
    """
    still_open: tuple[int, ...]
    """Cases whose comparisons decide what is open: live ones, without those that only link them."""
    pivot: int
    """The case that links the parts of a replicate."""
    pairs: Pairs
    comparisons: int
    """How many pairs there are."""
    comparisons_with_best: int
    versions: tuple[VersionDecision, ...] = ()
    """Of each pair of two versions, where these are the question."""

    def unjudged(self) -> GroupDecision:
        """The same without an outcome, of cases that were not measured in turns."""

        def open_of(found: Comparison | None) -> Comparison | None:
            return found and replace(found, outcome="undecided", final=False)

        return replace(
            self,
            versus_baseline=tuple(map(open_of, self.versus_baseline)),
            versus_best=tuple(map(open_of, self.versus_best)),
            versus_overall={name: open_of(each) for name, each in self.versus_overall.items()},
        )

    @property
    def best_of(self) -> dict[str, int | None]:
        """The best case of each set so far."""
        return {name: each.costs.best for name, each in self.answers.items()}

    @property
    def best(self) -> int | None:
        """The best of all."""
        if self.between:
            return self.between.costs.best
        return next(iter(self.best_of.values()), None)

    @property
    def noise_floor(self) -> float | None:
        """The larger absolute bound of the control's interval, as a fraction (0.006 = 0.6 %). None
        without a control.
        """
        return exp(self.noise.floor) - 1 if self.noise else None

    @property
    def suspended(self) -> bool:
        """The control's interval does not contain 1: identical code seems to differ. So nothing is
        recommended, no pair has an outcome, and a case is called slower only where that is far more
        than the control differs by (`sets.BEYOND_CONTROL`).
        """
        return bool(self.noise and self.noise.alarm)

    @property
    def floor(self) -> float:
        """The noise floor, a log; infinite where identical code seems to differ."""
        return floor_of(self.noise)


def decide(
    log_ns: ArrayLike,
    question: GroupQuestion,
    prior: Prior | None,
    *,
    apart: Sequence[int] = (),
    clock_error: ArrayLike = 0.0,
    last: bool = False,
) -> GroupDecision:
    """Decide a group from its data, shape (R, K, C). `last`: no replicate follows.

    `prior` and `apart`, the cases whose forks have two states, are those of `best.pairs_of`.
    `clock_error`, shape (C,), is how much a coarse clock may shift the log time of a case in all
    replicates alike; intervals are wider by it.

    Raises ValueError if the shapes, the columns or the margins make no sense.
    """
    logs = np.asarray(log_ns, dtype=float)
    _check(logs, question)
    cases = logs.shape[2]
    counts = np.isfinite(logs).any(axis=1).sum(axis=0)
    pivot = pivot_of(logs, question.baseline)
    coarse = np.broadcast_to(np.asarray(clock_error, float), cases)
    pairs = pairs_of(logs, pivot, prior, apart, coarse)
    noise = control_of(pairs, question.control, question.baseline)
    answers, between, still = _answers(widened(pairs, noise), question, noise)
    family = family_size(cases - (question.control is not None))
    to_baseline = _to_baseline(pairs, question, noise, family)
    open_pairs = _open_pairs(pairs, question, noise, family)
    opened = _still_open(still, open_pairs)
    versions = decide_versions(pairs, question.versions, noise, question.precision)
    if question.versions.comparisons:
        still, open_pairs, opened = (), (), open_cases(versions)
    live = set[int]()
    if len(logs) < MOST_REPLICATES:
        live = _live(opened, answers, question, counts)
    eliminated = _eliminated(logs, answers, live, question)
    cost = Costing(pairs, noise, question.tolerance, eliminated)
    return GroupDecision(
        replicates=len(logs),
        answers=answers,
        between=between,
        open=still,
        noise=noise,
        versus_baseline=tuple(to_baseline),
        versus_best=cost.to_best(answers),
        versus_overall=cost.to_overall(answers, between),
        control=None if question.control is None else to_baseline[question.control],
        eliminated=tuple(sorted(eliminated)),
        live=tuple(sorted(live)),
        done=last or (len(logs) >= FEWEST_REPLICATES and not live),
        open_pairs=open_pairs,
        still_open=tuple(sorted(opened | _in_each_round(opened, question))),
        pivot=pivot,
        pairs=pairs,
        comparisons=family,
        comparisons_with_best=cases - (question.control is not None) - 1,
        versions=versions,
    )


def _in_each_round(opened: Set[int], question: GroupQuestion) -> set[int]:
    """The cases that belong into each round although nothing is open of them. Of two versions the
    control, and what it is the control of: with fewer rounds it would be noisier than the pairs,
    and hide what they show.
    """
    if not (opened and question.versions.comparisons):
        return set()
    return {each for each in (question.baseline, question.control) if each is not None}


def _eliminated(
    logs: Array, answers: Mapping[str, SetDecision], live: Set[int], question: GroupQuestion
) -> set[int]:
    """The cases that were dropped because they are far behind. A void sample may leave a case
    short, too: what was dropped has no data at the end. Of two versions none is: they are dropped
    once their pair is decided; nor of what another tool measured, which may have fewer repeats.
    """
    slower = {case for each in answers.values() for case in each.surely_slower}
    if question.versions.comparisons or question.to_the_end:
        return set()
    return {each for each in slower - live if not np.isfinite(logs[-1, :, each]).any()}


def pivot_of(log_ns: Array, baseline: int) -> int:
    """The case that links the parts of a replicate: the baseline or, if that failed, the case with
    the most data.
    """
    counts = np.isfinite(log_ns).any(axis=1).sum(axis=0)
    return baseline if counts[baseline] else int(counts.argmax())


def compare(
    decision: GroupDecision,
    case: int,
    reference: int,
    precision: float,
    comparisons: int | None = None,
) -> Comparison | None:
    """Any pair of a decided group, in a family of all its pairs or of so many `comparisons`. None
    if the two cases share no data.
    """
    family = decision.comparisons if comparisons is None else comparisons
    margin = math.log1p(precision)
    found = pair_of(decision.pairs, case, reference, family, decision.floor, margin)
    return replace(found, outcome="undecided") if found and decision.suspended else found


def _check(logs: np.ndarray, question: GroupQuestion) -> None:
    cases = logs.shape[-1] if logs.ndim == 3 else 0
    members = sorted(case for each in question.sets.values() for case in each)
    baseline, control = question.baseline, question.control
    if members != [each for each in range(cases) if each != control]:
        raise ValueError(f"log_ns has shape {logs.shape}; the sets have cases {members}")
    if not 0 <= baseline < cases or control == baseline:
        raise ValueError(f"no such baseline and control among {cases} cases: {baseline}, {control}")
    if not (question.precision > 0 and question.tolerance > 0):
        raise ValueError(
            "precision and tolerance must be positive, not "
            f"{question.precision}, {question.tolerance}"
        )


def _answers(
    pairs: Pairs, question: GroupQuestion, noise: Control | None
) -> tuple[dict[str, SetDecision], SetDecision | None, tuple[SetDecision, ...]]:
    """Of each set, between the sets, and those of them for which a run goes on: until the sets are
    decided; with `between_sets`, or where every set has one case, until it is decided between them.
    """
    sets, margin = question.sets, math.log1p(question.tolerance)
    comparisons = sum(map(len, sets.values())) - 1
    answers = {
        name: decide_set(pairs, members, comparisons, margin, noise)
        for name, members in sets.items()
    }
    bests = {name: each.costs.best for name, each in answers.items() if each.costs.best is not None}
    between = None
    if len(bests) > 1:
        between = decide_between(pairs, sets, bests, comparisons, margin, noise)
    wanted = [*answers.values(), *([between] if between and question.between_sets else [])]
    if between and all(len(members) == 1 for members in sets.values()):
        wanted = [between]
    return answers, between, tuple(each for each in wanted if not each.decided)


def pair_of(
    pairs: Pairs, case: int, reference: int, comparisons: int, floor: float, margin: float
) -> Comparison | None:
    at, count = (case, reference), int(pairs.counts[case, reference])
    if not count:
        return None
    lo, hi = pairs.interval(case, reference, comparisons)
    found = Interval(float(pairs.centers[at]), lo, hi, count)
    return as_comparison(case, reference, found, floor, margin)


def _to_baseline(
    pairs: Pairs, question: GroupQuestion, noise: Control | None, family: int
) -> list[Comparison | None]:
    floor, margin = floor_of(noise), math.log1p(question.precision)
    found = [
        None
        if case == question.baseline
        else pair_of(pairs, case, question.baseline, family, floor, margin)
        for case in range(len(pairs.centers))
    ]
    if question.control is not None and noise is not None:
        alone = Interval(noise.center, noise.lo, noise.hi, noise.replicates)
        found[question.control] = as_comparison(
            question.control, question.baseline, alone, 0.0, margin
        )
    if noise is not None and noise.alarm:
        found = [each and replace(each, outcome="undecided") for each in found]
    return found


@dataclass(frozen=True, slots=True)
class Costing:
    """What cases cost against the best of their set, whichever that is. Where identical code seems
    to differ, nothing is the same, and nothing is final.
    """

    pairs: Pairs
    noise: Control | None
    tolerance: float
    eliminated: Set[int]

    def to_best(self, answers: Mapping[str, SetDecision]) -> tuple[Comparison | None, ...]:
        found: list[Comparison | None] = [None] * len(self.pairs.centers)
        for each in answers.values():
            for case in np.flatnonzero(np.isfinite(each.costs.centers)):
                if case != each.costs.best:
                    found[case] = self.of(each, int(case))
        return tuple(found)

    def to_overall(
        self, answers: Mapping[str, SetDecision], between: SetDecision | None
    ) -> dict[str, Comparison | None]:
        return {
            name: None
            if between is None or each.costs.best in (None, between.costs.best)
            else self.of(between, each.costs.best)
            for name, each in answers.items()
        }

    def of(self, answer: SetDecision, case: int) -> Comparison:
        found, margin = answer.costs, math.log1p(self.tolerance)
        quiet = not (self.noise and self.noise.alarm)
        assert found.best is not None
        center, lo, hi = (float(each[case]) for each in (found.centers, found.lo, found.hi))
        near = hi <= margin and quiet
        return Comparison(
            case,
            found.best,
            exp(center),
            exp(lo),
            exp(hi),
            int(self.pairs.counts[case, found.best]),
            "slower" if case in answer.surely_slower else "same" if near else "undecided",
            final=quiet and (lo > margin or hi <= margin),
            eliminated=case in self.eliminated,
        )


def _still_open(still: Sequence[SetDecision], open_pairs: Sequence[tuple[int, int]]) -> set[int]:
    """The cases whose comparisons decide what is open."""
    found = {case for each in still for case in (*each.open_cases, *each.costs.can_be_best)}
    return found | {case for pair in open_pairs for case in pair}


def _live(
    opened: set[int],
    answers: Mapping[str, SetDecision],
    question: GroupQuestion,
    counts: np.ndarray,
) -> set[int]:
    """The cases that the next replicate must measure. Before there are enough replicates to say
    more, only what is far behind is dropped.
    """
    linking = {each for each in (question.baseline, question.control) if each is not None}
    if counts.max(initial=0) < FEWEST_REPLICATES:
        far = {case for each in answers.values() for case in each.surely_slower}
        return set(range(len(counts))) - (set() if question.waits_for_all else far - linking)
    measured = {case for case in range(len(counts)) if counts[case]}
    live = opened | linking if opened else set[int]()
    live &= measured
    return measured if live and question.to_the_end else live


def _open_pairs(
    pairs: Pairs, question: GroupQuestion, noise: Control | None, family: int
) -> tuple[tuple[int, int], ...]:
    """The pairs, without the control, that are neither decided nor as precise as asked; none where
    they are not asked for.
    """
    if not (question.all_pairs or question.to_the_end):
        return ()
    floor, margin = floor_of(noise), math.log1p(question.precision)
    lo, hi = pairs.intervals(family)
    differs = (lo > 0) | (hi < 0)
    reported = differs & (np.abs(pairs.centers) > floor)
    # More replicates may lower the noise floor, so what only the floor hides is not final.
    precise = ((hi - lo) / 2 <= margin) & ~(differs & (floor < math.inf))
    pending = ~(reported | precise) & (pairs.counts > 0)
    pending[[] if question.control is None else question.control] = False
    pending[:, [] if question.control is None else question.control] = False
    either = np.triu(pending | pending.T, k=1)
    return tuple((int(one), int(other)) for one, other in np.argwhere(either))


def floor_of(noise: Control | None) -> float:
    """The noise floor, a log; infinite where identical code seems to differ."""
    return 0.0 if noise is None else math.inf if noise.alarm else noise.floor
