"""Groups whose truth is known: forks like those of real machines, on a machine that drifts."""

from pathlib import Path

import numpy as np

from tests.scripts import module_at

_simulate = module_at(Path(__file__).parents[1] / "benchmarks" / "simulate_intervals.py")
FORKS, measured = _simulate.FORKS, _simulate.measured


def quiet(ratios, replicates=12, rounds=3, noise=0.003, seed=1):
    """A calm group: cases at these ratios to case 0, and little noise."""
    forks = np.random.default_rng(seed).normal(0, noise, (replicates, 1, len(ratios)))
    return np.repeat(18 + np.log(ratios) + forks, rounds, axis=1)
