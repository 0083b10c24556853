"""Judging a group at planned looks.

The data of a group are `log_ns`, shape (R, K, C): the natural logarithm of ns per operation in
replicate r, round k, case c. NaN means that nothing was measured. A case is a column number.

A comparison is decided at one of the `LOOKS` and then stays as it is: it is computed from the
replicates up to that look, whatever is measured later. docs/decisions/0002-interval-method.md has
the simulations behind the method and its constants.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from iogauge.statistics.comparing import (
    SETTLING_RATIO,
    SETTLING_REPLICATES,
    Comparison,
    as_comparison,
    far,
    paired_log_ratios,
)
from iogauge.statistics.intervals import exp, interval
from iogauge.statistics.looks import LOOKS, error_per_comparison, family_size
from iogauge.statistics.quantiles import Array
from iogauge.statistics.tables import Tables


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the data of a group say after `replicates` replicates."""

    replicates: int
    comparisons: int
    """Size of the family that shares the error."""
    versus_baseline: tuple[Comparison | None, ...]
    """By case. None for the baseline itself, and for a case that shares no data with it."""
    versus_language: tuple[Comparison | None, ...]
    """By case, against the best case of its language. None for that best, for the twin, and for a
    case without data.
    """
    versus_overall: Mapping[str, Comparison | None]
    """By language, its best case against the best of all. None for the best of all."""
    best_of: Mapping[str, int | None]
    best: int | None
    twin: Comparison | None
    """The A/A twin against the baseline, in a family of its own."""
    noise_floor: float | None
    """The larger absolute bound of the twin's interval, as a fraction (0.006 = 0.6 %). None without
    a twin.
    """
    suspended: bool
    """The twin's interval does not contain 1: identical code seems to differ, so there are no
    verdicts.
    """
    settled: tuple[int, ...]
    live: tuple[int, ...]
    """Cases that the next replicate must measure."""
    done: bool
    provisional: bool
    """Comparisons that are not final were computed between two looks."""


def judge(
    log_ns: ArrayLike,
    baseline: int,
    twin: int | None,
    languages: Sequence[str],
    precision: float,
    *,
    last: bool = False,
    settling_ratio: float = SETTLING_RATIO,
    blur: ArrayLike = 0.0,
    comparisons: int | None = None,
) -> Judgement:
    """Judge a group from its data, shape (R, K, C), as the planned looks would have done.

    `languages` has a label per case. `precision` is the half-width asked for, as a fraction, and
    also the margin of `same`. If no replicate follows (`last`), replicates after the last look are
    judged in a forced look; otherwise they only give provisional comparisons, and `live` is that of
    the last look. `settling_ratio` must be larger than any ratio that noise alone makes. `blur`,
    shape (C,), is how much a coarse clock may shift the log time of a case in all replicates alike;
    intervals are wider by it. `comparisons` is the size of the family, by default that of all
    planned cases, even if some of them have failed.

    Raises ValueError if the shapes, the columns or the precision make no sense.
    """
    logs = np.asarray(log_ns, dtype=float)
    cases = len(languages)
    if logs.ndim != 3 or logs.shape[2] != cases:
        raise ValueError(f"log_ns has shape {logs.shape}; expected (replicates, rounds, {cases})")
    if not 0 <= baseline < cases or twin == baseline:
        raise ValueError(f"no such baseline and twin among {cases} cases: {baseline}, {twin}")
    if not precision > 0:
        raise ValueError(f"precision must be positive, not {precision}")
    family = family_size(cases - (twin is not None)) if comparisons is None else comparisons
    walk = _Walk(logs, baseline, twin, tuple(languages), precision, settling_ratio, blur, family)
    return walk.run(last)


def compare(
    log_ns: ArrayLike,
    case: int,
    reference: int,
    baseline: int,
    judgement: Judgement,
    precision: float,
    blur: float = 0.0,
) -> Comparison | None:
    """Compare any other pair of a judged group, with the group's error and noise floor.

    The family already counts every pair. The interval is wider by `blur`. For one look at the end
    of a run: as long as the group is not done, the comparison is provisional and undecided. None
    if the two cases share no data.
    """
    values = paired_log_ratios(log_ns, case, reference, baseline)
    found = interval(values, error_per_comparison(judgement.replicates, judgement.comparisons))
    if not found.n:
        return None
    found = replace(found, lo=found.lo - blur, hi=found.hi + blur)
    compared = as_comparison(
        case, reference, found, math.log1p(judgement.noise_floor or 0.0), math.log1p(precision)
    )
    if judgement.suspended or not judgement.done:
        return replace(compared, outcome="undecided", final=False, provisional=not judgement.done)
    return compared


@dataclass(frozen=True, slots=True)
class _Look:
    """What holds for all comparisons of one look."""

    n: int
    provisional: bool
    floor: float
    """Of the log ratio."""
    suspended: bool


class _Walk:
    """The state of `judge` between looks."""

    def __init__(
        self,
        log_ns: Array,
        baseline: int,
        twin: int | None,
        languages: tuple[str, ...],
        precision: float,
        settling_ratio: float,
        blur: ArrayLike,
        family: int,
    ) -> None:
        self.replicates = len(log_ns)
        self.baseline, self.twin, self.languages = baseline, twin, languages
        self.margin, self.settling_ratio = math.log1p(precision), settling_ratio
        counts = np.isfinite(log_ns).any(axis=1).sum(axis=0)
        self.cases = [c for c in range(len(languages)) if c != twin and counts[c]]
        self.family = family
        # Ratios to the pivot order the cases and link the parts of a replicate. It is the baseline
        # or, if that failed, the case with the most data.
        self.pivot = (
            baseline
            if counts[baseline]
            else max(self.cases, key=lambda c: counts[c], default=baseline)
        )
        self.reference = baseline if counts[baseline] else None
        blurs = np.broadcast_to(np.asarray(blur, dtype=float), len(languages))
        self.tables = Tables(log_ns, self.pivot, blurs)
        # Decided comparisons: by case, the last by language.
        self.to_baseline: dict[int, Comparison] = {}
        self.to_language: dict[int, Comparison] = {}
        self.to_overall: dict[int, Comparison] = {}
        self.settled: list[int] = []
        self.best_of: dict[str, int | None] = dict.fromkeys(languages)
        self.best: int | None = None
        self.live = set(range(len(languages)))
        self.done = False

    def run(self, last: bool) -> Judgement:
        replicates = self.replicates
        if replicates >= SETTLING_REPLICATES:
            self.settle()
            if self.done:
                return self.look(SETTLING_REPLICATES)
        for n in LOOKS:
            if n > replicates:
                return self.look(replicates, last=last, provisional=not last)
            judgement = self.look(n, last=n == LOOKS[-1] or (last and n == replicates))
            if self.done or n == replicates:
                return judgement
        return judgement

    def compare(
        self, case: int, reference: int, n: int, comparisons: int, floor: float = 0.0
    ) -> Comparison | None:
        """One comparison, decided if possible. `floor` is the noise floor of the log ratio."""
        found = self.tables.intervals(reference, n, comparisons)[case]
        if not found.n:
            return None
        return as_comparison(case, reference, found, floor, self.margin)

    def far(self, case: int, reference: int) -> Comparison | None:
        """The settled comparison, if the case is far slower than the reference in each of the first
        replicates.
        """
        ratios = self.tables.log_ratios(reference)
        return far(ratios[:, case], case, reference, self.settling_ratio)

    def choose(self, n: int) -> int | None:
        """Update the best case of each language, and return the best of all.

        A candidate is still measured, has data in at least half of the replicates, and has not been
        found slower than a best. So a best that was replaced does not come back. The twin is an
        instrument and no candidate.
        """
        to_pivot = self.tables.intervals(self.pivot, n, self.family)
        most = max((found.n for found in to_pivot), default=0)
        behind = _slower(self.to_language)
        candidates = [
            c
            for c in self.cases
            if c in self.live and c not in behind and 0 < most <= 2 * to_pivot[c].n
        ]
        bests: dict[str, int] = {}
        for c in candidates:
            held = bests.setdefault(self.languages[c], c)
            if to_pivot[c].center < to_pivot[held].center:
                bests[self.languages[c]] = c
        for label, held in bests.items():
            own = [c for c in candidates if self.languages[c] == label]
            bests[label] = self.ahead(held, own, n, most)
        self.best_of |= bests
        rivals = sorted(set(bests.values()) - _slower(self.to_overall))
        if rivals:
            fastest = min(rivals, key=lambda c: to_pivot[c].center)
            self.best = self.ahead(fastest, rivals, n, most)
        return self.best

    def ahead(self, best: int, rivals: Sequence[int], n: int, most: int) -> int:
        """The best by ratios of pairs: `best`, or a rival that is faster, or one faster than that.

        Only rivals count that share at least half of the `most` replicates with the best. The
        ratios to the pivot may give another order than the ratios of the pair.
        """
        met = {best}
        while True:
            to_best = self.tables.intervals(best, n, self.family)
            faster = [
                c
                for c in rivals
                if c not in met and to_best[c].center < 0 and most <= 2 * to_best[c].n
            ]
            if not faster:
                return best
            best = min(faster, key=lambda c: to_best[c].center)
            met.add(best)

    def settle(self) -> None:
        """Stop measuring cases that are far behind the best case of their language.

        The only case of a language is compared with the best of all instead. The comparison of a
        settled case with the baseline ends too, decided or not: the question is which case to use.
        """
        best = self.choose(SETTLING_REPLICATES)
        for c in self.cases:
            own = self.best_of[self.languages[c]]
            target, decided = (best, self.to_overall) if c == own else (own, self.to_language)
            if target is None or c == target:
                continue
            found = self.far(c, target)
            if found is None:
                continue
            decided[c] = found
            alone = sum(self.languages[d] == self.languages[c] for d in self.cases) == 1
            if c == self.baseline or (c == own and not alone):
                continue
            self.settled.append(c)
            if self.reference is not None:
                to_baseline = self.far(c, self.reference) or self.compare(
                    c, self.reference, SETTLING_REPLICATES, self.family
                )
                if to_baseline:
                    self.to_baseline[c] = replace(to_baseline, final=True)
        self.live -= set(self.settled)
        nothing_left = 0 < len(self.settled) == len(self.cases) - 1
        if best == self.baseline and nothing_left:
            self.live, self.done = set(), True

    def look(self, n: int, *, last: bool = False, provisional: bool = False) -> Judgement:
        """The judgement after n replicates. Unless it is provisional, its decisions are kept."""
        twin, look = self.twin_at(n, provisional)
        best = self.choose(n)
        to_baseline: list[Comparison | None] = [None] * len(self.languages)
        to_language = to_baseline.copy()
        for c in self.cases:
            to_baseline[c] = self.against(self.reference, c, self.to_baseline, look)
            own = self.best_of[self.languages[c]]
            to_language[c] = self.against(own, c, self.to_language, look)
        to_overall = {
            label: None if own is None else self.against(best, own, self.to_overall, look)
            for label, own in self.best_of.items()
        }
        if not provisional and not self.done:
            family = (*to_baseline, *to_language, *to_overall.values())
            pending = {c.case for c in family if c and not c.final}
            self.done = last or not pending
            self.live = set() if self.done else self.live & (pending | self.anchors(best, pending))
        if self.twin is not None:
            to_baseline[self.twin] = twin
        return Judgement(
            replicates=self.replicates,
            comparisons=self.family,
            versus_baseline=tuple(to_baseline),
            versus_language=tuple(to_language),
            versus_overall=to_overall,
            best_of=dict(self.best_of),
            best=best,
            twin=twin,
            noise_floor=None if twin is None else exp(look.floor) - 1,
            suspended=look.suspended,
            settled=tuple(self.settled),
            live=tuple(sorted(self.live)),
            done=self.done,
            provisional=provisional,
        )

    def twin_at(self, n: int, provisional: bool) -> tuple[Comparison | None, _Look]:
        """The twin against the baseline after n replicates, and what follows for the others."""
        nothing = None, _Look(n, provisional, floor=0.0, suspended=False)
        if self.twin is None or self.reference is None:
            return nothing
        twin = self.compare(self.twin, self.reference, n, 1)
        if twin is None:
            return nothing
        bounds = self.tables.intervals(self.reference, n, 1)[self.twin]
        suspended = bounds.lo > 0 or bounds.hi < 0
        outcome = "undecided" if suspended else twin.outcome
        twin = replace(twin, provisional=provisional, outcome=outcome)
        return twin, _Look(n, provisional, max(-bounds.lo, bounds.hi), suspended)

    def against(
        self, reference: int | None, case: int, decided: dict[int, Comparison], look: _Look
    ) -> Comparison | None:
        """A comparison of this look: the decided one if there is one, else a new one."""
        if reference is None or case == reference:
            return None
        limit = math.inf if look.suspended else look.floor
        found = decided.get(case) or self.compare(case, reference, look.n, self.family, limit)
        if found is None:
            return None
        if case not in decided:
            if look.provisional:
                found = replace(found, outcome="undecided", final=False, provisional=True)
            elif found.final and not look.suspended:
                decided[case] = found
        if found.settled:  # without an interval and far above noise: floor and alarm do not matter
            return found
        # The floor may have risen since the comparison was decided.
        below = found.outcome in ("slower", "faster") and abs(math.log(found.center)) <= look.floor
        return replace(found, outcome="undecided") if look.suspended or below else found

    def anchors(self, best: int | None, pending: set[int]) -> set[int | None]:
        """Cases that are measured as long as any other is, because the others are compared with
        them.
        """
        labels = {self.languages[c] for c in pending}
        far = {c for c, found in self.to_overall.items() if found.settled}
        bests = {own for label, own in self.best_of.items() if own not in far or label in labels}
        return {self.pivot, self.twin, best} | bests


def _slower(decided: Mapping[int, Comparison]) -> set[int]:
    return {c for c, found in decided.items() if found.outcome == "slower"}
