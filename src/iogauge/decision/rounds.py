"""How many rounds a replicate should have.

With K rounds, the variance of a pair's log ratio between replicates is about σ² + τ²/K, and a
replicate takes the time of its forks and of K rounds. For many replicates the least variance in a
given time is at K = (τ/σ) √(time of the forks / time of a round) (Kalibera & Jones 2013, "Rigorous
benchmarking in reasonable time"). Of few replicates each counts for more than that, because an
interval from few is wide: so the K is chosen that makes the interval at the end of the budget the
narrowest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from iogauge.decision.looks import FEWEST_REPLICATES, error_at
from iogauge.statistics.quantiles import Array, median
from iogauge.statistics.special import students_t

_MEDIAN = math.pi / 2  # the variance of a median of normal values over that of their mean


@dataclass(frozen=True, slots=True)
class Spread:
    """SDs of the log ratio of two cases: of single rounds within a replicate, and of replicates
    that have very many rounds.
    """

    within: float
    between: float


TYPICAL = Spread(0.10, 0.03)
"""Until the run itself tells. It is chosen low: rounds were noisier in stored runs (`python
benchmarks/priors.py --check benchmarks/pairs.csv`), but a first repeat is to be short.
"""
_COMPARISONS, _GAINED = 6, 2.0  # of a usual group: its family, and what a prior gives in degrees
_FEWEST = 3  # rounds that show how noisy they are
_TYPICAL_WEIGHT = 4  # degrees of freedom that the typical spread counts as


def spread_of(log_ns: Array, pivot: int) -> Spread:
    """The spread of the ratios to the case `pivot` in data of shape (R, K, C), drawn towards the
    typical one: a few replicates say little. Medians over the cases, which a few unlike ones do not
    move.
    """
    others = [case for case in range(log_ns.shape[2]) if case != pivot]
    ratios = log_ns[:, :, others] - log_ns[:, :, [pivot]]
    variances, rounds = _variances(ratios)
    enough = rounds >= _FEWEST
    if not enough.any():
        return TYPICAL
    found = _typical(variances[enough], rounds[enough] - 1)
    tau = _mixed(TYPICAL.within**2, found, int((rounds[enough] - 1).sum()))
    between, replicates = _variances(np.where(enough, median(ratios, axis=1), np.nan)[None])
    several = replicates > 1
    sigma = TYPICAL.between**2
    if several.any():
        seen = _typical(between[several], replicates[several] - 1)
        left = max(0.0, seen - _MEDIAN * tau / float(np.median(rounds[enough])))
        sigma = _mixed(sigma, left, int(replicates.max()) - 1)
    return Spread(math.sqrt(tau), math.sqrt(sigma))


def _variances(values: Array) -> tuple[Array, Array]:
    """The variances along the second axis of three, and how many values they are of."""
    counts = np.isfinite(values).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.nansum(values, axis=1, keepdims=True) / counts[:, None]
        return np.nansum((values - means) ** 2, axis=1) / (counts - 1), counts


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of a replicate with the fewest rounds, of each further round, and that are `left`;
    `done` is how many replicates there are, with the one that is being measured.
    """

    replicate: float
    further: float
    left: float
    done: int


def best_rounds(spread: Spread, cost: Cost, fewest: int, most: int) -> int:
    """The number of rounds with the narrowest interval at the end, of those for which there is
    time.
    """
    fewest = min(fewest, most)
    rounds = np.arange(fewest, most + 1)
    seconds = cost.replicate + (rounds - fewest) * cost.further
    if not cost.further > 0 or not cost.replicate > 0:
        return int(rounds[-1])
    replicates = cost.done + (cost.left - seconds) / seconds
    in_time = seconds <= cost.left
    if replicates[0] < FEWEST_REPLICATES or not in_time.any():
        return fewest
    rounds, replicates = rounds[in_time], replicates[in_time]
    variances = spread.between**2 + _MEDIAN * spread.within**2 / rounds
    error = error_at(replicates) / _COMPARISONS
    widths = students_t(replicates - 1 + _GAINED, error) * np.sqrt(variances / replicates)
    return int(rounds[np.argmin(np.where(replicates < FEWEST_REPLICATES, np.inf, widths))])


def _typical(variances: Array, degrees: Array) -> float:
    """The median of variances, each freed of the bias that the median of a chi-squared has."""
    return float(np.median(variances / (1 - 2 / (9 * degrees)) ** 3))


def _mixed(typical: float, found: float, degrees: int) -> float:
    return (_TYPICAL_WEIGHT * typical + degrees * found) / (_TYPICAL_WEIGHT + degrees)
