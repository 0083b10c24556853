"""Replicates of several runs, judged by the rule of one run."""

from __future__ import annotations

import dataclasses
import math
from types import SimpleNamespace

import numpy as np
import pytest

from iogauge.advice import choice as advised
from iogauge.advice.choice import Ways, recommend
from iogauge.advice.wanted import Wanted
from iogauge.analysis import report
from iogauge.decision import pooled
from iogauge.decision.group import compare, decide
from iogauge.decision.looks import error_at
from iogauge.decision.sets import Control
from iogauge.runfile.dataset import paired_of
from iogauge.runners import hints
from iogauge.statistics.intervals import interval
from tests.answers import group as reported
from tests.datasets import known_group
from tests.fake_study import Clock, group, measure, steady
from tests.reports import case_report, comparable
from tests.simulated import quiet
from tests.unit.test_deciding import asked

TRUTH = (1.0, 1.06, 1.3)
CASES = [
    dataclasses.replace(case_report(f"x/way-{each}", 100 * ratio), column=each)
    for each, ratio in enumerate(TRUTH)
]


@pytest.mark.parametrize("differ", [0.0, 0.1])
def test_replicates_together_are_judged_as_if_one_run_had_them(differ):
    """With an A/A control, also where it differs; by their own spread, without a prior."""
    logs, kept = quiet([1, 1 + differ, *TRUTH[1:]], replicates=9, noise=0.01), [0, 2, 3]
    whole = decide(logs, asked({"x": kept}), None)
    pool = pooled.pool(logs[:, :, kept], 0, whole.noise)
    found, expected = pool.answer([0, 1, 2], 0.1), whole.answers["x"]
    for name in ("centers", "lo", "hi"):
        ours, theirs = getattr(found.costs, name), getattr(expected.costs, name)
        assert ours == pytest.approx(theirs[kept]), name
    for name in ("open_cases", "surely_slower"):
        assert [kept[each] for each in getattr(found, name)] == [*getattr(expected, name)], name
    assert whole.suspended is bool(differ) and (found.recommended is None) is bool(differ)
    costs = zip(pool.costs(found, 0.1), (whole.versus_best[each] for each in kept), strict=True)
    assert all(one and one.outcome == other.outcome for one, other in [*costs][1:])
    if not differ:
        pair, alone = pool.compare(2, 0, 0.03), compare(whole, 3, 0, 0.03)
        assert (pair.lo, pair.hi, pair.outcome) == pytest.approx((alone.lo, alone.hi, "slower"))


@pytest.mark.parametrize(("cases", "family"), [(2, 2), (3, 3), (5, 10)])
def test_the_error_is_shared_as_in_one_run_by_two_comparisons_at_least(cases, family):
    logs = quiet(np.linspace(1, 1.5, cases), 5, noise=0.02)
    found = pooled.pool(logs, 0, None).compare(1, 0, 0.03)
    ratios = np.median(logs[:, :, 1] - logs[:, :, 0], axis=1)
    expected = interval(ratios, float(error_at(5)) / family)
    assert found.replicates == 5
    assert (found.lo, found.hi) == pytest.approx((math.exp(expected.lo), math.exp(expected.hi)))


def test_the_simplest_that_is_good_enough_is_recommended():
    pool = pooled.pool(quiet([1.05, 1.0, 1.3], 12), 0, None)
    answer = pool.answer([2, 0, 1], 0.1)
    assert (answer.recommended, answer.costs.best, answer.surely_slower) == (0, 1, (2, 0))
    slow, good, best = (pool.costs(answer, 0.1)[case] for case in (2, 0, 1))
    assert (slow.outcome, good.outcome, best) == ("slower", "slower", None)
    assert good.hi < 1.1 < slow.lo


def test_where_identical_code_differs_nothing_is_told_of_two_cases():
    logs, differs = quiet([1, 1.3], 12), Control(0.2, 0.1, 0.3, 12)
    found = [pooled.pool(logs, 0, noise).compare(1, 0, 0.03).outcome for noise in (None, differs)]
    assert found == ["slower", "undecided"]


def test_a_case_without_a_replicate_in_common_is_compared_with_none():
    logs = quiet([1, 1.1, 1.2], 6)
    logs[:3, :, 2] = logs[3:, :, 1] = math.nan
    pool = pooled.pool(logs, None, None)
    assert pool.compare(2, 1, 0.03) is None and pool.compare(2, 0, 0.03) is not None


@pytest.mark.parametrize(
    ("log_ratios", "faster"),
    [([-0.1, -0.1, 5.0], True), ([0.1, 0.1, -5.0], False), ([0.0], False), ([], False)],
)
def test_one_slow_replicate_does_not_decide_what_is_mostly_faster(log_ratios, faster):
    assert pooled.most_often_faster(log_ratios) is faster


# the ways of a set


def ways(*runs: np.ndarray) -> Ways:
    """Of the cases above, by these runs, the first of which is asked."""
    cases = [each.case for each in CASES]
    known = [known_group(logs, cases, run=str(at)) for at, logs in enumerate(runs)]
    keys = [each.case.key for each in CASES]
    made = reported(
        cases=tuple(CASES),
        baseline=keys[0],
        decision=decide(runs[0], asked({"x": [0, 1, 2]}, control=None), None),
        data=SimpleNamespace(
            column=lambda case: case, group=SimpleNamespace(baseline=0), control=None
        ),
    )
    return advised.ways_of(made, CASES, comparable(*CASES), advised.the_same(known, known[0]))


def test_of_one_run_its_own_answer_and_comparisons_tell():
    logs = quiet(TRUTH, replicates=5)
    found, whole = ways(logs), decide(logs, asked({"x": [0, 1, 2]}, control=None), None)
    assert (found.runs, found.answer.best) == (1, CASES[0])
    assert found.answer.at_most == pytest.approx(np.exp(whole.answers["x"].costs.hi))
    assert found.compare(CASES[2], CASES[0]) == comparable(*CASES).compare(2, 0)
    assert found.faster_in_most(CASES[0], CASES[2]) and not found.faster_in_most(*CASES[2:0:-1])


def test_two_runs_tell_more_and_never_the_contrary():
    """Runs of the same truth: their pool is narrower, holds the truth, and agrees with both."""
    missed, narrower, draws = 0, [], 60
    for seed in range(draws):
        runs = [quiet(TRUTH, replicates=5, noise=0.02, seed=each) for each in (seed, seed + 1000)]
        together, alone = ways(*runs), [pooled.pool(each, 0, None) for each in runs]
        assert (together.runs, together.answer.best.case.key) == (2, CASES[0].case.key)
        for one, other in ((1, 0), (2, 0), (2, 1)):
            found = together.compare(CASES[one], CASES[other])
            parts = [each.compare(one, other, 0.03) for each in alone]
            assert found.replicates == 10
            missed += not found.lo <= TRUTH[one] / TRUTH[other] <= found.hi
            narrower.append(found.hi / found.lo < max(each.hi / each.lo for each in parts))
            for part in parts:
                assert found.lo < part.hi and part.lo < found.hi, "they overlap"
                assert {found.outcome, part.outcome} != {"slower", "faster"}
    assert missed <= 0.05 * draws and np.mean(narrower) > 0.95


def test_the_cost_of_a_way_is_that_of_the_pool_with_nothing_of_its_own_run():
    runs = quiet(TRUTH, seed=2), quiet([1.3, 1.06, 1.0], seed=3)
    found = ways(*runs)
    pool = pooled.pool(np.concatenate(runs), 0, None)
    costs = pool.costs(pool.answer([0, 1, 2], 0.1), 0.1)
    assert [each.vs_best for each in found.answer.members] == [*costs]
    assert [each.is_best for each in found.answer.members] == [each is None for each in costs]


def test_where_no_run_is_sure_the_replicates_of_all_that_measured_the_same_tell(
    fake, tmp_path, monkeypatch
):
    monkeypatch.setattr(hints, "all_names", lambda: {"fake/steady"})
    monkeypatch.setattr(hints, "of_case", lambda case: None)

    def too_short(seed: int):
        text, clock = group(steady(100, 103, 300, scatter=100)), Clock(step=0.01)
        named = {"seed": seed, "name": f"run-{seed}", "budget": 0.6}
        return report.make(measure(text, fake, tmp_path, clock=clock, **named).run)

    runs = [too_short(seed) for seed in range(1, 5)]
    known = [each for run in runs for each in run.dataset]
    wanted = Wanted(cache="warm", size=64 << 10)
    (alone,), (together,) = (recommend(runs[0], wanted, each).values() for each in ((), known))
    assert (alone.runs, together.runs) == (1, 4) and not alone.sure
    assert together.worst < alone.worst
    cases = runs[0].groups[0].cases[:2]
    found = advised.ways_of(runs[0].groups[0], cases, None, advised.the_same(known, known[0]))
    keys = [each.case.key for each in cases]
    assert found.compare(*cases).replicates == len(paired_of(known, *keys))
