"""Replicates of several runs, taken together."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from iogauge.advice import pooled
from iogauge.claims.comparable import Comparable
from iogauge.decision.best import error_at
from iogauge.decision.comparison import Comparison
from iogauge.statistics.intervals import interval


@pytest.mark.parametrize(("cases", "family"), [(2, 2), (3, 3), (5, 10)])
def test_the_error_is_shared_as_in_one_run_by_two_comparisons_at_least(cases, family):
    logs = np.array([0.1, 0.12, 0.08, 0.11, 0.1])
    alone = Comparison(1, 0, 1.1, 1.0, 1.2, 3, "undecided", False)
    entries = tuple(SimpleNamespace(keys=(name,)) for name in "ab")
    same = SimpleNamespace(
        groups=[SimpleNamespace(cases=range(cases))], paired=lambda case, reference: logs
    )
    found = pooled.together(Comparable("g", entries, lambda *_: alone), same).compare(1, 0)
    expected = interval(logs, float(error_at(5)) / family)
    assert (found.replicates, found.hi) == (5, pytest.approx(math.exp(expected.hi)))
