"""Which cases can be the best, and what does each cost against the best.

Every case is tried as the best: the others are compared with it, which are k - 1 comparisons. A
case that is surely slower than another one cannot be the best. The cases that are left are the
*best set*, and a case's cost is what it takes compared with any of them. One of the cases is the
best in truth, and only the comparisons with that one must be right: so the error is divided by
k - 1, and not by the number of pairs (multiple comparisons with the best: Hsu 1984; Edwards & Hsu
1983). A case also costs at least what it surely takes more than any one other case. Where that is
more, it is the lower bound; such comparisons are of all pairs, so they share the error of a look
among all of them once more.

Nothing is remembered from one look to the next: intervals follow from the data alone. So it does
not matter what ended a run, as long as nobody chose the moment by its result (`looks.error_at`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from iogauge.decision.looks import FEWEST_REPLICATES, error_at
from iogauge.decision.shrinkage import Noise, Prior, location, noise, shrink_variances
from iogauge.statistics.intervals import Estimates, estimates
from iogauge.statistics.paired import ratios_to, variance_of_rounds
from iogauge.statistics.quantiles import Array
from iogauge.statistics.special import students_t

FAR = math.log(2)
"""With fewer than `FEWEST_REPLICATES` only this is said of a pair: that one takes over twice as
long."""
_CAUTION = 3.0
"""times the typical spread between replicates is what such a pair is taken to have."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """All pairs of a group's cases, each of shape (C, C): the log of time(row) / time(column), its
    standard error, the degrees of freedom of that, and the number of replicates. The log is NaN
    where two cases have no replicate in common. `cautious` is a standard error for a few
    replicates, large enough for anything that was ever seen; NaN where there is none.
    """

    centers: Array
    standard_errors: Array
    degrees: Array
    counts: NDArray[np.int64]
    clock_error: Array
    cautious: Array | float = math.nan

    def intervals(self, comparisons: int) -> tuple[Array, Array]:
        """The bounds of the logs, shape (C, C), in a family of so many comparisons."""
        reach = self._reach(comparisons, np.s_[:, :])
        np.fill_diagonal(reach, 0.0)
        return self.centers - reach, self.centers + reach

    def interval(self, case: int, reference: int, comparisons: int) -> tuple[float, float]:
        """The bounds of one log."""
        center = float(self.centers[case, reference])
        if case == reference:
            return center, center
        at = np.s_[case : case + 1, reference : reference + 1]
        reach = float(self._reach(comparisons, at)[0, 0])
        return center - reach, center + reach

    def _reach(self, comparisons: int, at: tuple[slice, slice]) -> Array:
        """Half of the intervals of these pairs."""
        counts, clock_error = self.counts[at], self.clock_error[at]
        cautious = self.cautious if isinstance(self.cautious, float) else self.cautious[at]
        with np.errstate(invalid="ignore"):
            error = error_at(counts) / max(2, comparisons)
            reach = students_t(self.degrees[at], error) * self.standard_errors[at] + clock_error
            early = students_t(math.inf, error) * cautious + clock_error
            far = np.abs(self.centers[at]) - early > FAR
        found: Array = np.where(counts >= FEWEST_REPLICATES, reach, np.where(far, early, np.inf))
        return found


def pairs_of(
    log_ns: Array,
    pivot: int | None,
    prior: Prior | None,
    apart: Sequence[int] = (),
    clock_error: Array | None = None,
) -> Pairs:
    """The pairs of a group from its data, shape (R, K, C). `pivot` links the parts of a replicate.

    Variances are shrunk towards the `prior`, but for pairs with a case in `apart`: its forks have
    two states, and are not like others. `clock_error`, shape (C,), is how far a coarse clock may
    shift the log time of a case in all replicates alike.
    """
    cases = log_ns.shape[2]
    found = _estimates(log_ns, pivot)
    counts, degrees = found.counts, np.maximum(found.degrees, 0).astype(float)
    errors, cautious = found.standard_errors, np.full(cases * cases, np.nan)
    if prior is not None:
        variances = _Variances(log_ns, found, prior, apart)
        if variances.once.any():
            typical, uncertain = location(variances.said(prior), prior)
            mixed, gained = shrink_variances(variances.relative, degrees, typical, uncertain, prior)
            mixed *= variances.expected
            errors = np.where(variances.apart, errors, np.sqrt(mixed / np.maximum(counts, 1)))
            degrees = np.where(variances.apart, degrees, degrees + gained)
        most = np.maximum(variances.expected, math.exp(prior.log_variance + prior.offset))
        usual = _CAUTION * np.sqrt(most / np.maximum(counts, 1))
        cautious = np.where(variances.apart, np.nan, usual)
    shape = (cases, cases)
    shift = np.zeros(cases) if clock_error is None else clock_error
    return Pairs(
        found.centers.reshape(shape),
        errors.reshape(shape),
        np.maximum(degrees, 1).reshape(shape),
        counts.reshape(shape),
        shift[:, None] + shift,
        cautious.reshape(shape),
    )


def noise_of(
    log_ns: Array, pivot: int | None, prior: Prior, apart: Sequence[int] = ()
) -> Noise | None:
    """What a group says of how noisy it is; parameters as in `pairs_of`."""
    variances = _Variances(log_ns, _estimates(log_ns, pivot), prior, apart)
    return variances.said(prior) if variances.once.any() else None


def _estimates(log_ns: Array, pivot: int | None) -> Estimates:
    """Of all pairs, shape (C * C,)."""
    cases = log_ns.shape[2]
    ratios = np.stack([ratios_to(log_ns, each, pivot) for each in range(cases)], axis=2)
    return estimates(ratios.reshape(len(log_ns), cases * cases))


class _Variances:
    """The variances of all pairs of a group, each of shape (C * C,): `relative` to what is
    `expected`. `apart` are pairs with a case of two states; `once` has each other pair that has
    data once.
    """

    def __init__(self, log_ns: Array, found: Estimates, prior: Prior, apart: Sequence[int]):
        cases = log_ns.shape[2]
        of_rounds = [variance_of_rounds(log_ns, each) for each in range(cases)]
        self.expected = prior.expected(np.stack(of_rounds, axis=1)).ravel()
        one, other = np.divmod(np.arange(cases * cases), cases)
        self.apart = np.isin(one, apart) | np.isin(other, apart)
        self.once = (one > other) & ~self.apart & (found.counts > 0)
        self.relative = np.nan_to_num(found.standard_errors) ** 2 * found.counts / self.expected
        self._degrees = np.maximum(found.degrees, 0).astype(float)
        measured = np.diagonal(found.counts.reshape(cases, cases)) > 0
        self._have = int((measured & ~np.isin(np.arange(cases), apart)).sum())

    def said(self, prior: Prior) -> Noise | None:
        """What they say of how noisy the group is. Pairs share cases, so they count as so many
        values as there are cases beyond the first two: what two say of themselves must not count
        twice.
        """
        values = max(0, self._have - 2)
        return noise(self.relative[self.once], self._degrees[self.once], values, prior)


@dataclass(frozen=True, slots=True)
class Costs:
    """What the cases of a set cost against the best of the set, as logs of ratios of times, each by
    case of the group, shape (C,). NaN for cases of other sets, and for those without data.
    """

    best: int | None
    """The case that is the best so far."""
    can_be_best: tuple[int, ...]
    centers: Array
    lo: Array
    hi: Array


def costs(pairs: Pairs, members: Sequence[int], comparisons: int) -> Costs:
    """Of the cases in `members`, in a family of so many comparisons with the best."""
    cases = len(pairs.centers)
    nothing = np.full(cases, np.nan)
    have = [each for each in members if pairs.counts[each, each]]
    if not have:
        return Costs(None, (), nothing, nothing, nothing)
    at = np.ix_(have, have)
    lo, hi = (bounds[at] for bounds in pairs.intervals(comparisons))
    lo, hi = np.where(np.isnan(lo), -np.inf, lo), np.where(np.isnan(hi), np.inf, hi)
    can_be: NDArray[np.bool_] = np.logical_not((hi < 0).any(axis=0))
    if not can_be.any():  # each is surely slower than another one: by an error of the intervals
        can_be[:] = True
    best = have[_first(pairs.centers[at], can_be)]
    centers, lower, upper = nothing.copy(), nothing.copy(), nothing.copy()
    centers[have] = pairs.centers[have, best]
    of_all, _ = pairs.intervals(comparisons * (comparisons + 1) // 2)
    than_any = np.nan_to_num(of_all[at], nan=-math.inf).max(axis=1)
    lower[have] = np.maximum(0.0, np.maximum(lo[:, can_be].min(axis=1), than_any))
    upper[have] = np.maximum(0.0, hi[:, can_be].max(axis=1))
    return Costs(best, tuple(np.array(have)[can_be].tolist()), centers, lower, upper)


def _first(centers: Array, can_be: NDArray[np.bool_]) -> int:
    """The fastest by ratios of pairs: the one to which the slowest-looking rival is nearest."""
    behind = np.where(np.isnan(centers), -np.inf, centers)[:, can_be]
    worst = np.where(can_be, behind.max(axis=1), math.inf)
    return int(np.argmin(worst))
