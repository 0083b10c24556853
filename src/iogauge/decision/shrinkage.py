"""Shrunken variances: what a few replicates say of a pair's variance, together with what pairs of
this kind are like.

A variance from five replicates is known to a factor of three. The variances of the other pairs of
a group, and those of the same kind of pairs in earlier runs, say more than that. So the variance
of a pair is shrunk towards theirs, as far as variances of pairs are alike (Smyth 2004; the robust
location follows Phipson et al. 2016). docs/decisions/0013-decision-rule.md has the simulations.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from iogauge.statistics.quantiles import Array
from iogauge.statistics.special import median_of_f, tetragamma, trigamma


@dataclass(frozen=True, slots=True)
class Prior:
    """What is known of the variances of pairs before they are measured.

    The variance is that of a pair's log ratio between replicates. `log_variance` is the log of its
    typical value, `spread` the SD of that log from group to group and from machine to machine.
    Within a group, variances differ like estimates with `degrees` degrees of freedom. `offset` is
    the log of how many times what is expected they are likely to be in this run.

    Where the noise of single rounds is known, more is: the variance is about that of the forks,
    `forks` as a log per pair, plus `inflation` times what that noise would give if rounds were
    independent. Then `spread` and `degrees` are of what this leaves unexplained.
    """

    log_variance: float
    spread: float
    degrees: float
    inflation: float = 0.0
    offset: float = 0.0
    forks: Array | None = field(default=None, compare=False)

    def expected(self, of_rounds: Array) -> Array:
        """The variances of pairs with so much noise of rounds, NaN where that is not known. Any
        shape, which `forks` has, too.
        """
        usual = math.exp(self.log_variance)
        if self.forks is None:
            return np.full(of_rounds.shape, usual)
        explained = np.exp(self.forks) + self.inflation * of_rounds
        return np.where(np.isfinite(of_rounds), explained, usual)


def shrink_variances(
    variances: Array, degrees: Array, typical: float, uncertain: float, prior: Prior
) -> tuple[Array, float]:
    """The shrunken variances of pairs, shape (P,), and the degrees of freedom that they gain.

    `variances` and `degrees`, shape (P,), are those of the pairs; `typical` is the log of the
    typical variance of their group, and `uncertain` the variance of that log.
    """
    gained = degrees_of(float(trigamma(prior.degrees / 2)) + uncertain)
    own = degrees * np.where(degrees > 0, variances, 0.0)
    return (gained * math.exp(typical) + own) / (gained + degrees), gained


@dataclass(frozen=True, slots=True)
class Noise:
    """What a group says of how noisy it is: the log of how many times what is expected of them the
    variances of its pairs typically are, and the variance of that log.
    """

    log: float
    variance: float


def noise(variances: Array, degrees: Array, values: float, prior: Prior) -> Noise | None:
    """Of a group. `variances` are in multiples of what is expected.

    The group says it by the median over its variances, which a few unlike ones do not move. They
    are not independent of each other, so they count as `values` independent ones. None where they
    say nothing.
    """
    known = (degrees > 0) & (variances > 0)
    if not known.any() or values <= 0:
        return None
    found = np.log(variances[known] / median_of_f(degrees[known], prior.degrees))
    single = trigamma(degrees[known] / 2) + trigamma(prior.degrees / 2)
    return Noise(float(np.median(found)), math.pi / 2 * float(np.median(single)) / values)


def location(said: Noise | None, prior: Prior) -> tuple[float, float]:
    """The log of how many times what is expected the variances of a group typically are, by the
    prior and by what the group itself said; and the variance of that estimate.
    """
    before = 1 / prior.spread**2
    if said is None:
        return prior.offset, 1 / before
    own = 1 / said.variance
    return (before * prior.offset + own * said.log) / (before + own), 1 / (before + own)


def in_run(prior: Prior, others: Iterable[Noise]) -> Prior:
    """The prior of a group, after other groups of its run said how noisy they are. Half of the
    variance of its `spread` is from machine to machine, half from group to group of one run.
    """
    half = prior.spread**2 / 2
    weight, total = 1 / half, 0.0
    for each in others:
        weight += 1 / (each.variance + half)
        total += each.log / (each.variance + half)
    return replace(prior, offset=total / weight, spread=math.sqrt(1 / weight + half))


def degrees_of(log_variance: float) -> float:
    """The degrees of freedom with which the log of an estimated variance has this variance."""
    x = 0.5 + 1 / log_variance  # Newton's method from Smyth (2004), on 1 / trigamma
    for _ in range(50):
        variance = float(trigamma(x))
        step = variance * (1 - variance / log_variance) / float(tetragamma(x))
        x += step
        if -step / x < 1e-8:
            break
    return 2 * x
