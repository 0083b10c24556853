"""How long one case takes relative to another, replicate by replicate.

A pair of cases yields one number per replicate: the median, over the rounds that both have, of the
paired log ratios. Only the spread *between* replicates enters an interval.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from iogauge.statistics.quantiles import Array, median


def paired_log_ratios(log_ns: ArrayLike, case: int, reference: int, baseline: int | None) -> Array:
    """log(time(case) / time(reference)) per replicate, shape (R,), from log_ns of shape (R, K, C).

    A value is the median of the paired log ratios over the rounds that both cases have. If the two
    cases were in different parts of a replicate, it is the difference of their medians against the
    baseline, which is in every part. NaN if there is neither.
    """
    columns = [case, reference, *([] if baseline in (None, reference) else [baseline])]
    return ratios_to(
        np.asarray(log_ns, dtype=float)[:, :, columns], 1, 2 if len(columns) > 2 else None
    )[:, 0]


def ratios_to(log_ns: Array, reference: int, pivot: int | None) -> Array:
    """Every case's paired log ratios to one reference, shape (R, C); see `paired_log_ratios`."""
    ratios = median(log_ns - log_ns[:, :, [reference]], axis=1)
    if pivot is not None and pivot != reference:
        linked = median(log_ns - log_ns[:, :, [pivot]], axis=1)
        ratios = np.where(np.isnan(ratios), linked - linked[:, [reference]], ratios)
    return ratios


def variance_of_rounds(log_ns: Array, reference: int) -> Array:
    """The variance that the noise of single rounds gives to each case's value of a replicate, as a
    ratio to one reference, shape (C,), if rounds were independent.

    The spread within a replicate is Gini's mean difference, unbiased for few rounds, and the median
    over the replicates counts; a median of K rounds has π/2 times the variance of their mean. A
    case that has never two rounds with the reference is taken to be as noisy as others typically
    are; NaN where no case tells, and of a case without any round.
    """
    ordered = np.sort(log_ns - log_ns[:, :, [reference]], axis=1)  # NaNs last
    counts = np.isfinite(ordered).sum(axis=1)
    rank = np.arange(1, log_ns.shape[1] + 1)[:, None]
    weights = np.where(rank <= counts[:, None], 2 * rank - counts[:, None] - 1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        differences = 2 * np.nansum(weights * ordered, axis=1) / (counts * (counts - 1))
        deviations = (
            median(np.where(counts > 1, differences, np.nan), axis=0) * math.sqrt(math.pi) / 2
        )
        share = median(np.where(counts > 0, 1 / counts, np.nan), axis=0)
    of_round = np.where(np.isfinite(deviations), deviations, _typical(deviations, reference)) ** 2
    found: Array = math.pi / 2 * of_round * share
    return found


def _typical(values: Array, reference: int) -> float:
    """The median of what is known of the cases other than the reference; NaN of nothing."""
    known = np.isfinite(values)
    known[reference] = False
    return float(np.median(values[known])) if known.any() else math.nan
