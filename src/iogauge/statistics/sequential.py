"""Judging a group: which case is the best of each set, what the others cost, and what is open.

The data of a group are `log_ns`, shape (R, K, C): the natural logarithm of ns per operation in
replicate r, round k, case c. NaN means that nothing was measured. A case is a column number.

A judgement follows from the data alone, after whichever replicate it is made. The error is kept
over all of them (`best.error_at`). docs/decisions/0013-decision-rule.md has the simulations.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from iogauge.statistics.best import FEWEST_REPLICATES, Pairs, pairs_of
from iogauge.statistics.comparing import Comparison, as_comparison
from iogauge.statistics.deciding import Answer, Standing, stand
from iogauge.statistics.intervals import Interval, exp
from iogauge.statistics.looks import MOST_REPLICATES, family_size
from iogauge.statistics.moderation import Prior


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the data of a group say after `replicates` replicates."""

    replicates: int
    answers: Mapping[str, Answer]
    """By set: the costs of its cases, and the recommended one."""
    open: tuple[Answer, ...]
    """The answers that a run goes on for: of these sets; where each has one case, between them."""
    versus_baseline: tuple[Comparison | None, ...]
    """By case, in a family of all pairs. None for the baseline itself, and for a case that shares
    no data with it.
    """
    versus_best: tuple[Comparison | None, ...]
    """By case, against the best of its set, whichever that is. None for that best, for the twin,
    and for a case without data.
    """
    versus_overall: Mapping[str, Comparison | None]
    """By set, its best case against the best of all. None for the best of all."""
    best_of: Mapping[str, int | None]
    best: int | None
    twin: Comparison | None
    """The A/A twin against the baseline, in a family of its own."""
    noise_floor: float | None
    """The larger absolute bound of the twin's interval, as a fraction (0.006 = 0.6 %). None without
    a twin.
    """
    suspended: bool
    """The twin's interval does not contain 1: identical code seems to differ. So nothing is
    recommended, no pair has an outcome, and a case is called slower only where that is far more
    than the twin differs by (`deciding.BEYOND_TWIN`).
    """
    settled: tuple[int, ...]
    """Cases that were so far behind that they were not measured to the end."""
    live: tuple[int, ...]
    """Cases that the next replicate must measure."""
    done: bool
    open_pairs: tuple[tuple[int, int], ...]
    """Where all pairs are asked for: those, each once, that are neither decided nor as precise as
    asked.
    """
    pairs: Pairs
    comparisons: int
    """How many pairs there are."""
    comparisons_with_best: int


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of a group.

    `sets` has the cases of each set, the simplest first, without the twin. A case that costs at
    most `tolerance` more than the best is good enough; `precision` is the margin within which
    two cases are the same. Both are fractions. `everything`: each case is measured until its
    comparisons with all others are decided or as precise as asked. `to_the_end`: no case is
    dropped while another one is measured. `sets_too`: the bests of the sets are compared until
    that is decided, too.
    """

    sets: Mapping[str, Sequence[int]]
    baseline: int
    twin: int | None
    precision: float
    tolerance: float
    everything: bool = False
    to_the_end: bool = False
    sets_too: bool = False


def judge(
    log_ns: ArrayLike,
    asked: Asked,
    prior: Prior | None,
    *,
    apart: Sequence[int] = (),
    blur: ArrayLike = 0.0,
    last: bool = False,
) -> Judgement:
    """Judge a group from its data, shape (R, K, C). `last`: no replicate follows.

    `prior` and `apart`, the cases whose forks have two states, are those of `best.pairs_of`.
    `blur`, shape (C,), is how much a coarse clock may shift the log time of a case in all
    replicates alike; intervals are wider by it.

    Raises ValueError if the shapes, the columns or the margins make no sense.
    """
    logs = np.asarray(log_ns, dtype=float)
    _check(logs, asked)
    cases = logs.shape[2]
    counts = np.isfinite(logs).any(axis=1).sum(axis=0)
    # The pivot links the parts of a replicate: the baseline or, if that failed, the case with the
    # most data.
    pivot = asked.baseline if counts[asked.baseline] else int(counts.argmax())
    pairs = pairs_of(logs, pivot, prior, apart, np.broadcast_to(np.asarray(blur, float), cases))
    standing = _standing(pairs, asked)
    family = family_size(cases - (asked.twin is not None))
    to_baseline = _to_baseline(pairs, asked, standing, family)
    live = _live(pairs, standing, asked, family, counts) if len(logs) < MOST_REPLICATES else set()
    slower = {case for each in standing.answers.values() for case in each.surely_slower}
    # A void sample may leave a case short, too: who was dropped has no data at the end.
    settled = {each for each in slower - live if not np.isfinite(logs[-1, :, each]).any()}
    between = standing.between
    best_of = {name: each.costs.best for name, each in standing.answers.items()}
    twin = standing.twin
    return Judgement(
        replicates=len(logs),
        answers=standing.answers,
        open=standing.open,
        versus_baseline=tuple(to_baseline),
        versus_best=_to_best(pairs, standing, asked.tolerance, settled),
        versus_overall={
            name: None
            if between is None or best in (None, between.costs.best)
            else _cost(pairs, standing, between, best, asked.tolerance, settled)
            for name, best in best_of.items()
        },
        best_of=best_of,
        best=between.costs.best if between else next(iter(best_of.values()), None),
        twin=None if asked.twin is None else to_baseline[asked.twin],
        noise_floor=exp(twin.floor) - 1 if twin else None,
        suspended=bool(twin and twin.alarm),
        settled=tuple(sorted(settled)),
        live=tuple(sorted(live)),
        done=last or (len(logs) >= FEWEST_REPLICATES and not live),
        open_pairs=_open_pairs(pairs, asked, standing, family),
        pairs=pairs,
        comparisons=family,
        comparisons_with_best=cases - (asked.twin is not None) - 1,
    )


def compare(
    judgement: Judgement,
    case: int,
    reference: int,
    precision: float,
    comparisons: int | None = None,
) -> Comparison | None:
    """Any pair of a judged group, in a family of all its pairs or of so many `comparisons`. None if
    the two cases share no data.
    """
    floor = math.inf if judgement.suspended else math.log1p(judgement.noise_floor or 0.0)
    family = judgement.comparisons if comparisons is None else comparisons
    found = _pair(judgement.pairs, case, reference, family, floor, math.log1p(precision))
    return replace(found, outcome="undecided") if found and judgement.suspended else found


def _check(logs: np.ndarray, asked: Asked) -> None:
    cases = logs.shape[-1] if logs.ndim == 3 else 0
    members = sorted(case for each in asked.sets.values() for case in each)
    if members != [each for each in range(cases) if each != asked.twin]:
        raise ValueError(f"log_ns has shape {logs.shape}; the sets have cases {members}")
    if not 0 <= asked.baseline < cases or asked.twin == asked.baseline:
        raise ValueError(
            f"no such baseline and twin among {cases} cases: {asked.baseline}, {asked.twin}"
        )
    if not (asked.precision > 0 and asked.tolerance > 0):
        raise ValueError(
            f"precision and tolerance must be positive, not {asked.precision}, {asked.tolerance}"
        )


def _standing(pairs: Pairs, asked: Asked) -> Standing:
    sets, twin = asked.sets, asked.twin
    return stand(pairs, sets, asked.tolerance, asked.baseline, twin, sets_too=asked.sets_too)


def _pair(
    pairs: Pairs, case: int, reference: int, comparisons: int, floor: float, margin: float
) -> Comparison | None:
    at, count = (case, reference), int(pairs.counts[case, reference])
    if not count:
        return None
    lo, hi = pairs.interval(case, reference, comparisons)
    found = Interval(float(pairs.centers[at]), lo, hi, count)
    return as_comparison(case, reference, found, floor, margin)


def _to_baseline(
    pairs: Pairs, asked: Asked, standing: Standing, family: int
) -> list[Comparison | None]:
    twin = standing.twin
    floor, margin = _floor(standing), math.log1p(asked.precision)
    found = [
        None
        if case == asked.baseline
        else _pair(pairs, case, asked.baseline, family, floor, margin)
        for case in range(len(pairs.centers))
    ]
    if twin is not None and twin.alarm:
        found = [each and replace(each, outcome="undecided") for each in found]
    if asked.twin is not None and twin is not None:
        alone = Interval(twin.center, twin.lo, twin.hi, twin.replicates)
        compared = as_comparison(asked.twin, asked.baseline, alone, 0.0, margin)
        outcome = "undecided" if twin.alarm else compared.outcome
        found[asked.twin] = replace(compared, outcome=outcome)
    return found


def _to_best(
    pairs: Pairs, standing: Standing, tolerance: float, settled: Set[int]
) -> tuple[Comparison | None, ...]:
    found: list[Comparison | None] = [None] * len(pairs.centers)
    for each in standing.answers.values():
        for case in np.flatnonzero(np.isfinite(each.costs.centers)):
            if case != each.costs.best:
                found[case] = _cost(pairs, standing, each, int(case), tolerance, settled)
    return tuple(found)


def _cost(
    pairs: Pairs, standing: Standing, answer: Answer, case: int, tolerance: float, settled: Set[int]
) -> Comparison:
    """What a case costs against the best of its set, whichever that is. Where identical code seems
    to differ, nothing is the same, and nothing is final.
    """
    found, margin = answer.costs, math.log1p(tolerance)
    told = not (standing.twin and standing.twin.alarm)
    assert found.best is not None
    center, lo, hi = (float(each[case]) for each in (found.centers, found.lo, found.hi))
    near = hi <= margin and told
    return Comparison(
        case,
        found.best,
        exp(center),
        exp(lo),
        exp(hi),
        int(pairs.counts[case, found.best]),
        "slower" if case in answer.surely_slower else "same" if near else "undecided",
        final=told and (lo > margin or hi <= margin),
        settled=case in settled,
    )


def _live(
    pairs: Pairs, standing: Standing, asked: Asked, family: int, counts: np.ndarray
) -> set[int]:
    """The cases that the next replicate must measure. Nothing is dropped before there are enough
    replicates to say anything.
    """
    if counts.max(initial=0) < FEWEST_REPLICATES:
        return set(range(len(counts)))
    measured = {case for case in range(len(counts)) if counts[case]}
    live = set(standing.live) & measured
    if asked.everything or asked.to_the_end:
        live |= {case for pair in _open_pairs(pairs, asked, standing, family) for case in pair}
        live |= {each for each in (asked.baseline, asked.twin) if each in measured and live}
    return measured if live and asked.to_the_end else live


def _open_pairs(
    pairs: Pairs, asked: Asked, standing: Standing, family: int
) -> tuple[tuple[int, int], ...]:
    """The pairs, without the twin, that are neither decided nor as precise as asked; none where
    they are not asked for.
    """
    if not (asked.everything or asked.to_the_end):
        return ()
    floor, margin = _floor(standing), math.log1p(asked.precision)
    lo, hi = pairs.intervals(family)
    differs = (lo > 0) | (hi < 0)
    told = differs & (np.abs(pairs.centers) > floor)
    # More replicates may lower the noise floor, so what only the floor hides is not final.
    precise = ((hi - lo) / 2 <= margin) & ~(differs & (floor < math.inf))
    pending = ~(told | precise) & (pairs.counts > 0)
    pending[[] if asked.twin is None else asked.twin] = False
    pending[:, [] if asked.twin is None else asked.twin] = False
    either = np.triu(pending | pending.T, k=1)
    return tuple((int(one), int(other)) for one, other in np.argwhere(either))


def _floor(standing: Standing) -> float:
    """The noise floor, a log; infinite where identical code seems to differ."""
    twin = standing.twin
    return 0.0 if twin is None else math.inf if twin.alarm else twin.floor
