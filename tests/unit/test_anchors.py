"""What is stored of how runs differ: estimated from runs whose truth is known; and the proof of the
whole on runs made by hand.
"""

from __future__ import annotations

import math
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from iogauge.analysis import report, separate
from iogauge.decision import anchors as shipped
from iogauge.decision.anchors import ANCHORS, Kind
from iogauge.decision.priors import ANY
from tests.scripts import module_at
from tests.separate_runs import a_run

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
anchors = module_at(BENCHMARKS / "anchors.py")


def rows(rng, between, *, within=0.003, groups=12, ways=6, runs=4, common=0.0):
    """Of groups whose ways differ from run to run by this SD, a share of it in common."""
    found = []
    for number in range(groups):
        together = rng.normal(0, between * math.sqrt(common), (1, runs))
        own = rng.normal(0, between * math.sqrt(1 - common), (ways, runs))
        values = together + own + rng.normal(0, within, (ways, runs))
        shared = float(values.mean(axis=0).var(ddof=1))
        for each in values:
            variance = float(each.var(ddof=1))
            row = ("p", str(number), "warm", "-", "plain", "canary", runs)
            found.append(anchors.Row(*row, variance, within**2, shared))
    return found


def known(found):
    return anchors.estimate(found)[Kind("canary", "warm", "-", ANY)][0]


@pytest.mark.parametrize("between", [0.02, 0.08])
def test_the_level_is_found_and_is_what_replicates_do_not_explain(between):
    found = known(rows(np.random.default_rng(1), between, within=0.01))
    assert math.exp(found.log_variance / 2) == pytest.approx(between, rel=0.25)
    assert found.spread == pytest.approx(math.log(3)), "another machine may differ so much"


def test_what_ways_have_in_common_is_found():
    rng = np.random.default_rng(2)
    assert known(rows(rng, 0.05)).common < 0.4
    assert known(rows(rng, 0.05, common=0.9)).common > 0.7


def test_too_few_ways_say_nothing_of_a_kind():
    assert anchors.estimate(rows(np.random.default_rng(3), 0.05, groups=2)) == {}


def test_the_file_that_travels_is_what_the_command_writes():
    """From the rows that are kept beside it."""
    kept = (BENCHMARKS / "between_runs.csv").read_text()
    text = anchors.as_toml(anchors.estimate(anchors.as_rows(kept)))
    assert text == Path(shipped.__file__).with_name("anchors.toml").read_text()
    assert {each["anchor"] for each in tomllib.loads(text)["kind"]} == set(ANCHORS)


def test_rows_are_of_runs_and_go_through_csv(fake):
    runs = [a_run(fake, each, pace=pace) for each, pace in zip("abc", (1, 1.5, 2), strict=True)]
    found = list(anchors.rows("plan", runs))
    assert anchors.as_rows(anchors.as_csv(found)) == [
        each for each in found if not math.isnan(each.common)
    ]
    by_anchor = {each.anchor: each.variance for each in found}
    assert by_anchor.keys() == {"baseline", "canary", "hashing", "copying"}
    assert max(by_anchor.values()) < 0.01**2, "the pace of the machine is taken out"


def test_a_planted_slow_down_is_in_every_sample_of_its_way_alone(fake, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    proof = module_at(BENCHMARKS / "compare.py")
    reports = [report.make(a_run(fake, each)) for each in "abcde"]
    measured = [separate.of_report(each) for each in reports]
    every = proof.draws(5, 3, 99, 1)
    assert len(set(every)) == 20 and all(each.new not in each.bases for each in every)
    key = reports[4].groups[0].cases[0].case.key
    slow = proof.planted(reports[4], key, 1.5)
    found = separate.compare(measured[:3], slow, 0.05)
    kinds = {each.case.case.key: each.kind for each in found.ways}
    assert kinds.pop(key) == "slower" and "slower" not in kinds.values()
    table = "\n".join(proof.alarms(measured, every))
    assert "| draws with an alarm: a way called slower or faster | 0 of 20" in table
