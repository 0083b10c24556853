"""What tables and answers say in cases that whole runs seldom show."""

from __future__ import annotations

from types import SimpleNamespace

from iogauge.outputs import table
from iogauge.statistics.intervals import Interval


def of_ceiling(center, threads=1):
    best = SimpleNamespace(
        is_best=True,
        rank_set="java",
        ns_per_op=Interval(100.0, 90.0, 110.0, 9),
        of_ceiling=Interval(center, 0.8, 1.0, 9),
        strategy=SimpleNamespace(is_own=False),
        threads=threads,
    )
    group = SimpleNamespace(
        cases=[best],
        best_of={"java": best},
        sets=["java"],
        conditions=SimpleNamespace(durable=False),
        workload=SimpleNamespace(size=1),
        of_commands=False,
        is_checked=True,
    )
    return group, SimpleNamespace(ns_per_op=50.0, bytes_per_s=1e9, threads=1)


def test_the_ratio_of_a_ceiling_is_that_of_the_pairs():
    assert table._ceiling_row(*of_ceiling(0.9))[1].plain.strip() == "0.900"
    assert table._ceiling_row(*of_ceiling(0.9, threads=2))[1].plain.strip() == "0.500", (
        "of the levels, as it is paired with another ceiling"
    )
