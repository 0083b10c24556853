"""The few special functions that intervals and variances need: quantiles of Student's t and F, and
the derivatives of the logarithm of the gamma function.

SciPy has all of them, and takes 145 MB for it, more than everything else that is installed. Here
they are by their textbook formulas (Abramowitz and Stegun, chapters 6 and 26). Tests compare each
with SciPy's.

Arguments are numbers or arrays, results have the shape of all arguments together. The pairs of a
group have few different degrees of freedom, so each value is computed once, and kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, wraps
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from iogauge.statistics.quantiles import Array

_PRECISION = 1e-15
_MOST_TERMS = 20_000  # of a continued fraction; it takes about the root of the degrees of freedom
_NEARLY_NORMAL = 1e9  # degrees of freedom
_SHIFT = 10  # from where on the asymptotic series are exact to the last digits
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def _of_each(function: Callable[..., float]) -> Callable[..., Array]:
    """The function of numbers as one of arrays, too."""
    kept = lru_cache(10_000)(function)

    @wraps(function)
    def of_each(*arguments: ArrayLike) -> Array:
        arrays = np.broadcast_arrays(*(np.asarray(each, float) for each in arguments))
        values = map(kept, *(each.ravel().tolist() for each in arrays))
        return np.fromiter(values, float, arrays[0].size).reshape(arrays[0].shape)

    return of_each


@_of_each
def students_t(degrees: float, error: float) -> float:
    """What the absolute value of Student's t exceeds with the probability `error`, which is above 0
    and at most 1. NaN without a degree of freedom.
    """
    if not degrees > 0:
        return math.nan
    if degrees >= _NEARLY_NORMAL:
        return -NormalDist().inv_cdf(error / 2)
    return math.sqrt(degrees * math.exp(-_log_odds(degrees / 2, 0.5, error)))


@_of_each
def median_of_f(numerator: float, denominator: float) -> float:
    """The median of F with these degrees of freedom, which are positive."""
    odds = _log_odds(numerator / 2, denominator / 2, 0.5)
    return denominator / numerator * math.exp(odds)


def exceeds_f(numerator: float, denominator: float, value: float) -> float:
    """The probability that F with these degrees of freedom exceeds a value."""
    if value <= 0:
        return 1.0
    a, b = denominator / 2, numerator / 2
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    odds = math.log(denominator / numerator) - math.log(value)
    return math.exp(_log_below(a, b, log_beta, odds)[0])


def _log_odds(a: float, b: float, probability: float) -> float:
    """log(x / (1 - x)) of a quantile x of a beta distribution.

    The log of the distribution function over these odds is concave and rises. Newton's method
    starts left of its root, where its asymptote is at the target, and never oversteps.
    """
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    target = math.log(probability)
    odds = (target + math.log(a) + log_beta) / a
    for _ in range(200):
        below, density = _log_below(a, b, log_beta, odds)
        step = (target - below) * math.exp(below - density)
        odds += step
        if abs(step) <= 4 * _PRECISION * (1 + abs(odds)):
            break
    return odds


def _log_below(a: float, b: float, log_beta: float, odds: float) -> tuple[float, float]:
    """The log of the distribution function of a beta distribution at these log odds, and the log of
    its derivative by them.
    """
    x, rest = 1 / (1 + math.exp(-odds)), 1 / (1 + math.exp(odds))
    density = a * math.log(x) + b * math.log(rest) - log_beta
    if x < (a + 1) / (a + b + 2):
        return density - math.log(a * _fraction(a, b, x)), density
    # From the other end the continued fraction converges fast.
    return math.log1p(-math.exp(density) / (b * _fraction(b, a, rest))), density


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction 26.5.8, from the front."""
    value = c = 1.0
    d = 0.0
    for n in range(1, _MOST_TERMS):
        m = n // 2
        term = -(a + m) * (a + b + m) if n % 2 else m * (b - m)
        term *= x / ((a + n - 1) * (a + n))
        d = 1 / (1 + term * d)
        c = 1 + term / c
        value *= c * d
        if abs(c * d - 1) <= _PRECISION:
            break
    return value


@_of_each
def digamma(x: float) -> float:
    """The derivative of the log of the gamma function, at positive places."""
    before, z = sum(1 / (x + k) for k in range(_SHIFT)), x + _SHIFT
    series = sum(b / (2 * k * z ** (2 * k)) for k, b in enumerate(_BERNOULLI, 1))
    return math.log(z) - 1 / (2 * z) - series - before


@_of_each
def trigamma(x: float) -> float:
    """The derivative of digamma, at positive places."""
    before, z = sum((x + k) ** -2 for k in range(_SHIFT)), x + _SHIFT
    series = sum(b / z ** (2 * k + 1) for k, b in enumerate(_BERNOULLI, 1))
    return 1 / z + 1 / (2 * z**2) + series + before


@_of_each
def tetragamma(x: float) -> float:
    """The derivative of trigamma, at positive places."""
    before, z = sum((x + k) ** -3 for k in range(_SHIFT)), x + _SHIFT
    series = sum((2 * k + 1) * b / z ** (2 * k + 2) for k, b in enumerate(_BERNOULLI, 1))
    return -(1 / z**2 + 1 / z**3 + series) - 2 * before
