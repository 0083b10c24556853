"""Groups whose truth is known: forks like those of real machines, on a machine that drifts."""

import math

import numpy as np

HEAVY_OUTLIERS = 0.1


def heavy_forks(rng, shape):
    """Effects of forks whose pairs have SD 8.8 % and robust SD 3.0 %, as measured for the JVM."""
    return rng.normal(0, np.where(rng.random(shape) < HEAVY_OUTLIERS, 0.19, 0.0175))


def normal_forks(rng, shape):
    return rng.normal(0, 0.021, shape)


def two_state_forks(rng, shape):
    return rng.normal(0, 0.012, shape) + math.log(1.15) * (rng.random(shape) < 0.15)


def measured(rng, forks, rounds=5):
    """log_ns (..., R, K, C) of forks (..., R, C) in randomised rounds on a machine that drifts by
    47 % over the run, steps by 10 % inside half of the replicates, and wavers inside a fork with
    autocorrelation 0.6.
    """
    *lead, replicates, cases = forks.shape
    shape = (*lead, replicates, rounds, cases)
    position = (
        rng.permuted(np.broadcast_to(np.arange(cases) / cases, shape), axis=-1)
        + np.arange(rounds)[:, None]
    )
    run = (np.arange(replicates)[:, None, None] + position / rounds) / replicates
    waver = rng.normal(0, 0.02, shape)
    for k in range(1, rounds):
        waver[..., k, :] = 0.6 * waver[..., k - 1, :] + 0.8 * waver[..., k, :]
    step_at = rng.uniform(0, 2 * rounds, (*lead, replicates, 1, 1))
    return 18 + forks[..., None, :] + waver + math.log(1.47) * run + 0.1 * (position > step_at)


def quiet(ratios, replicates=12, rounds=3, noise=0.003, seed=1):
    """A calm group: cases at these ratios to case 0, and little noise."""
    rng = np.random.default_rng(seed)
    forks = rng.normal(0, noise, (replicates, len(ratios)))
    return measured(rng, forks, rounds) * 0 + 18 + np.log(ratios) + forks[:, None, :]
