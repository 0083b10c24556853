"""TODO"""

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
    ratios_to,
)
from iogauge.statistics.intervals import Interval, column_intervals, exp, interval
from iogauge.statistics.looks import LOOKS, error_per_comparison, family_size
from iogauge.statistics.quantiles import Array


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a group's data say after `replicates` replicates."""

    replicates: int
    comparisons: int
    """Size of the family over which the error is spent."""
    versus_baseline: tuple[Comparison | None, ...]
    """Per case; None for the baseline itself and where there are no common data."""
    versus_language: tuple[Comparison | None, ...]
    """Per case, against the best of its language; None for that best, for the twin and where there
    are no data.
    """
    versus_overall: Mapping[str, Comparison | None]
    """Per language, its best against the best of all; None for the best of all."""
    best_of: Mapping[str, int | None]
    best: int | None
    twin: Comparison | None
    """The A/A twin against the baseline, at its own level (a family of one)."""
    noise_floor: float | None
    """The larger absolute bound of the twin's interval, as a fraction (0.006 = 0.6 %); None without
    a twin.
    """
    suspended: bool
    """The twin's interval leaves 1 out: identical code seems to differ, so no verdict is given."""
    settled: tuple[int, ...]
    live: tuple[int, ...]
    """Cases which the next replicate must measure."""
    done: bool
    provisional: bool
    """Whether what is not final comes from between two looks."""


# verdicts


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
) -> Judgement:
    """Walks a group's data, shape (R, K, C), through settling and the planned looks.

    `languages` labels the C cases; `precision` is the half-width asked for, as a fraction, and the
    margin of `same`. `last` says that no replicate follows: what is between two looks is then
    judged as a forced look. Without it, it gives provisional comparisons, and `live` as of the last
    look. `settling_ratio` must be beyond what noise alone does. `blur` is how far each case's log
    time, shape (C,), may be off in every replicate alike, by a coarse clock: intervals are wider by
    it.
    """
    return _Walk(
        np.asarray(log_ns, dtype=float),
        baseline,
        twin,
        tuple(languages),
        precision,
        settling_ratio,
        blur,
    ).run(last)


def compare(
    log_ns: ArrayLike,
    case: int,
    reference: int,
    baseline: int,
    judgement: Judgement,
    precision: float,
    blur: float = 0.0,
) -> Comparison | None:
    """Any other pair of a judged group, at its error and noise floor: the family holds every pair;
    wider by `blur`. None without common data.

    For one look at the end of a run; it is provisional, and undecided, while the group's judgement
    is.
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
    ) -> None:
        if log_ns.ndim != 3 or log_ns.shape[2] != len(languages):
            raise ValueError(
                f"log_ns has shape {log_ns.shape}; expected (replicates, rounds, {len(languages)})"
            )
        if not 0 <= baseline < len(languages) or twin == baseline:
            raise ValueError(
                f"no such baseline and twin among {len(languages)} cases: {baseline}, {twin}"
            )
        if not precision > 0:
            raise ValueError(f"precision must be positive, not {precision}")
        self.log_ns, self.baseline, self.twin, self.languages = log_ns, baseline, twin, languages
        self.margin, self.settling_ratio = math.log1p(precision), settling_ratio
        self.blur = np.broadcast_to(np.asarray(blur, dtype=float), len(languages))
        counts = np.isfinite(log_ns).any(axis=1).sum(axis=0)
        self.cases = [c for c in range(len(languages)) if c != twin and counts[c]]
        self.family = family_size(
            len(languages) - (twin is not None)
        )  # of the plan, whatever failed since
        # Ratios to one pivot order the cases and link blocks: the baseline, or, if it failed, the
        # case with most data.
        self.pivot = (
            baseline
            if counts[baseline]
            else max(self.cases, key=lambda c: counts[c], default=baseline)
        )
        self.reference = baseline if counts[baseline] else None
        self.ratios: dict[int, Array] = {}
        self.tables: dict[tuple[int, int, int], list[Interval]] = {}
        # What is decided, by case.
        self.to_baseline: dict[int, Comparison] = {}
        self.to_language: dict[int, Comparison] = {}
        self.to_overall: dict[int, Comparison] = {}
        self.settled: list[int] = []
        self.best_of: dict[str, int | None] = dict.fromkeys(languages)
        self.best: int | None = None
        self.live = set(range(len(languages)))
        self.done = False

    def run(self, last: bool) -> Judgement:
        replicates = len(self.log_ns)
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

    def table(self, reference: int, n: int, comparisons: int) -> list[Interval]:
        """The intervals of every case's log ratio to one reference after n replicates."""
        key = (reference, n, comparisons)
        if key not in self.tables:
            if reference not in self.ratios:
                self.ratios[reference] = ratios_to(self.log_ns, reference, self.pivot)
            center, lo, hi, count = column_intervals(
                self.ratios[reference][:n], error_per_comparison(n, comparisons)
            )
            blur = self.blur + self.blur[reference]
            self.tables[key] = [
                Interval(*row)
                for row in zip(
                    *(part.tolist() for part in (center, lo - blur, hi + blur, count)), strict=True
                )
            ]
        return self.tables[key]

    def compare(
        self, case: int, reference: int, n: int, comparisons: int, floor: float = 0.0
    ) -> Comparison | None:
        """One comparison, decided if it can be; `floor` is the noise floor of the log ratio."""
        found = self.table(reference, n, comparisons)[case]
        if not found.n:
            return None
        return as_comparison(case, reference, found, floor, self.margin)

    def far(self, case: int, reference: int) -> Comparison | None:
        """The settled comparison, if the case is far slower than the reference in each of the first
        replicates.
        """
        self.table(reference, SETTLING_REPLICATES, self.family)
        return far(self.ratios[reference][:, case], case, reference, self.settling_ratio)

    def choose(self, n: int) -> int | None:
        """Updates the best case of each language and returns the best of all.

        Candidates are measured still, in at least half of the replicates, and not yet found slower
        than a best: so a best that was replaced does not come back. The twin is an instrument, not
        a candidate.
        """
        to_pivot = self.table(self.pivot, n, self.family)
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
            bests[label] = self.ahead(
                held, [c for c in candidates if self.languages[c] == label], n, most
            )
        self.best_of |= bests
        rivals = sorted(set(bests.values()) - _slower(self.to_overall))
        if rivals:
            self.best = self.ahead(min(rivals, key=lambda c: to_pivot[c].center), rivals, n, most)
        return self.best

    def ahead(self, best: int, rivals: Sequence[int], n: int, most: int) -> int:
        """The best, or who is faster in the replicates that they share, at least half of the `most`
        there are, and so on from that one until nobody is: by ratios to the pivot another may lead
        than by those of the pair.
        """
        met = {best}
        while True:
            to_best = self.table(best, n, self.family)
            faster = [
                c
                for c in rivals
                if c not in met and to_best[c].center < 0 and most <= 2 * to_best[c].n
            ]
            if not faster:
                return best
            best = min(faster, key=lambda c: to_best[c].center)
            met.add(best)

    # -- the steps of the walk

    def settle(self) -> None:
        """Ends the measuring of cases far behind the best of their language, or, alone in it,
        behind the best of all.

        Their comparison with the baseline ends too, decided or not: the question is what to use,
        and not this.
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
        if (
            best == self.baseline and 0 < len(self.settled) == len(self.cases) - 1
        ):  # nothing is left to compare
            self.live, self.done = set(), True

    def look(self, n: int, *, last: bool = False, provisional: bool = False) -> Judgement:
        """The judgement after n replicates; unless it is provisional, what it decides is frozen."""
        twin = (
            self.compare(self.twin, self.reference, n, 1)
            if None not in (self.twin, self.reference)
            else None
        )
        floor, suspended = 0.0, False
        if twin:
            bounds = self.table(self.reference, n, 1)[self.twin]
            floor, suspended = max(-bounds.lo, bounds.hi), bounds.lo > 0 or bounds.hi < 0
            twin = replace(
                twin, provisional=provisional, outcome="undecided" if suspended else twin.outcome
            )
        best = self.choose(n)

        def against(
            reference: int | None, case: int, decided: dict[int, Comparison]
        ) -> Comparison | None:
            if reference is None or case == reference:
                return None
            limit = math.inf if suspended else floor
            found = decided.get(case) or self.compare(case, reference, n, self.family, limit)
            if found is None:
                return None
            if case not in decided:
                if provisional:
                    found = replace(found, outcome="undecided", final=False, provisional=True)
                elif found.final and not suspended:
                    decided[case] = found
            if (
                found.settled
            ):  # no interval, and far above any noise: neither floor nor alarm concern it
                return found
            # The floor may have risen since a comparison was decided.
            below = found.outcome in ("slower", "faster") and abs(math.log(found.center)) <= floor
            return replace(found, outcome="undecided") if suspended or below else found

        to_baseline: list[Comparison | None] = [None] * len(self.languages)
        to_language = to_baseline.copy()
        for c in self.cases:
            to_baseline[c] = against(self.reference, c, self.to_baseline)
            to_language[c] = against(self.best_of[self.languages[c]], c, self.to_language)
        to_overall = {
            label: None if own is None else against(best, own, self.to_overall)
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
            replicates=len(self.log_ns),
            comparisons=self.family,
            versus_baseline=tuple(to_baseline),
            versus_language=tuple(to_language),
            versus_overall=to_overall,
            best_of=dict(self.best_of),
            best=best,
            twin=twin,
            noise_floor=None if twin is None else exp(floor) - 1,
            suspended=suspended,
            settled=tuple(self.settled),
            live=tuple(sorted(self.live)),
            done=self.done,
            provisional=provisional,
        )

    def anchors(self, best: int | None, pending: set[int]) -> set[int | None]:
        """What is measured as long as anything is: the others are compared with it."""
        labels = {self.languages[c] for c in pending}
        far = {c for c, found in self.to_overall.items() if found.settled}
        bests = {own for label, own in self.best_of.items() if own not in far or label in labels}
        return {self.pivot, self.twin, best} | bests


def _slower(decided: Mapping[int, Comparison]) -> set[int]:
    return {c for c, found in decided.items() if found.outcome == "slower"}
