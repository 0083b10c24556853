"""What a request costs a runner is measured, and taken out of what a strategy is said to do."""

from __future__ import annotations

import contextlib
import dataclasses
from pathlib import Path

import pytest

from iogauge.analysis import report
from iogauge.runfile import reading
from iogauge.runners import conformance, manifest, preparing
from tests.fake_study import Clock, group, measure

LOOPS = Path(__file__).parents[1] / "wrong_runners" / "loops"
READ = '[[group.case]]\nstrategy = "loops/read"\n'


@pytest.fixture
def loops():
    ready, _ = preparing.prepare({}, print, [manifest.load(LOOPS)])
    return ready[0]


@pytest.mark.parametrize("uneven", [False, True])
def test_a_runner_whose_requests_do_not_cost_the_same_breaks_the_contract(loops, uneven):
    if uneven:
        launch = dataclasses.replace(loops.launch, environment=(("LOOPS", "uneven"),))
        loops = dataclasses.replace(loops, launch=launch)
    subject = conformance.Subject(loops)
    try:
        (check,) = (each for each in conformance.checks(subject) if each.name == "request costs")
        with pytest.raises(conformance.Broken) if uneven else contextlib.nullcontext():
            check.run()
    finally:
        subject.close()


def calls_of(run) -> tuple[float | None, float | None, bool]:
    (found,) = report.make(run).groups
    evidence = found.cases[0].evidence
    return evidence.read_calls_per_op, evidence.write_calls_per_op, evidence.uncounted


def measured(loops, folder, options=""):
    text = group(READ + options, more='consume = "none"')
    return measure(text, loops, folder, clock=Clock(step=0.001), budget=0.2)


def test_a_request_of_three_reads_leaves_those_of_the_strategy(loops, tmp_path):
    run = reading.read(measured(loops, tmp_path).path)
    (harness,) = run.harness
    assert len(harness.evidence) == run.header.method.null_requests
    assert {each["syscr"] for each in harness.evidence} == {3}
    assert calls_of(run) == (64 / 4 + 1, 0, False), "16 of 4 KiB, and one that finds the end"
    assert all(sum(each.operations) < 20 for each in run.samples), "so that two calls would show"
    harness.evidence.clear()
    assert calls_of(run)[0] > 17.1, "one call is supposed where nobody counted"


def test_where_requests_differ_too_much_calls_are_not_known(loops, tmp_path):
    run = measured(loops, tmp_path, 'options = ["LOOPS=uneven"]\n').run
    assert {each["syscr"] for each in run.harness[0].evidence} == {3, 23, 43, 63}
    assert calls_of(run) == (None, 0, False)
