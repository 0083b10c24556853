"""Separate runs: what is decided where the truth is known, and to which anchor ratios are taken."""

from __future__ import annotations

import math

import numpy as np
import pytest

from iogauge.analysis import report, separate, unlike_runs
from iogauge.decision import anchors
from iogauge.decision import separate as deciding
from iogauge.decision.anchors import ANCHORS, Known
from iogauge.decision.separate import Level, SeparateQuestion, Series
from iogauge.model.workload import Conditions
from tests.separate_runs import a_run, with_host, with_runtimes

KNOWN = Known(2 * math.log(0.02), math.log(3), 4.0, 0.5)
WARM = Conditions(cache="warm")


def series(bases, new, **more):
    levels = [Level(each, 0.005**2, 10) for each in bases]
    return Series(tuple(levels), None if new is None else Level(new, 0.005**2, 10), KNOWN, **more)


def decided(*ways, allowed=0.05):
    return deciding.decide([ways], SeparateQuestion(allowed, 0.03))[0]


BASES = [0.0, 0.01, -0.01]


@pytest.mark.parametrize(
    "new, kind", [(0.5, "slower"), (0.0, "undecided"), (-0.5, "not slower"), (0.1, "undecided")]
)
def test_a_way_is_called_what_it_surely_is(new, kind):
    (found,) = decided(series(BASES, new))
    assert found.kind == kind and found.bases == 3


def test_the_same_is_not_slower_where_enough_is_allowed():
    assert decided(series(BASES, 0.0), allowed=0.3)[0].kind == "not slower"


def test_what_one_base_says_is_never_decided():
    (found,) = decided(series([0.0], 2.0))
    assert found.kind == "undecided" and found.comparison.outcome == "undecided"
    assert found.comparison.lo > 1, "the interval is there all the same"
    assert decided(series([0.0, 0.01], 2.0))[0].kind == "slower"


def test_bases_that_differ_more_say_less():
    def width(*bases):
        (found,) = decided(series(bases, 0.2))
        return math.log(found.comparison.hi / found.comparison.lo)

    assert width(0.0, 0.1, -0.1) > 1.5 * width(0.0, 0.01, -0.01)
    assert width(*BASES) > width(*BASES, *BASES)


def test_a_new_run_with_few_replicates_is_known_less_well():
    usual = series(BASES, 0.2)
    short = Series(usual.bases, Level(0.2, 0.2**2, 3), KNOWN)
    (one,), (other,) = decided(usual), decided(short)
    assert other.comparison.hi > 1.2 * one.comparison.hi


def test_more_ways_make_wider_intervals_but_by_less_than_each_alone_would():
    (alone,) = decided(series(BASES, 0.2))
    many = decided(*[series(BASES, 0.2) for _ in range(20)])
    ratio = math.log(many[0].comparison.hi / 1.2214) / math.log(alone.comparison.hi / 1.2214)
    assert 1.2 < ratio < 4


def test_a_control_that_differs_downgrades_what_would_be_slower():
    (found,) = decided(series(BASES, 0.5, alarm=True, floor=0.01))
    assert found.kind == "undecided" and found.control_differs
    assert found.comparison.outcome == "undecided"


def test_nothing_below_the_noise_floor_is_reported():
    (found,) = decided(series(BASES, 0.5, floor=0.6))
    assert found.kind == "undecided"


def test_it_says_how_many_bases_likely_decide():
    (near, far) = decided(series(BASES, 0.06), series(BASES, 0.11))
    assert near.needed is None, "not even twelve"
    assert far.kind == "undecided" and 3 < far.needed <= 12


def test_identical_code_is_seldom_called_different_and_what_is_slow_is_found():
    rng, alarms, found, sets = np.random.default_rng(1), 0, 0, 30
    for _ in range(sets):
        values = rng.normal(0, 0.02, (4, 4))
        same = [series(each[:3], each[3]) for each in values]
        outcomes = [each.comparison.outcome for each in decided(*same, allowed=0.0)]
        alarms += bool({"slower", "faster"} & set(outcomes))
        slow = [series(values[0, :3], values[0, 3] + math.log(1.3)), *same[1:]]
        found += decided(*slow, allowed=0.05)[0].kind == "slower"
    assert alarms <= 0.1 * sets and found >= 0.7 * sets


def test_the_steadiest_anchor_is_taken_by_what_stored_runs_were_like():
    within = dict.fromkeys(ANCHORS, 0.0)
    best = min(ANCHORS, key=lambda each: anchors.known(each, WARM, "plain").log_variance)
    assert anchors.steadiest(ANCHORS, WARM, [("plain", within)]) == best
    noisy = {**within, best: 1.0}
    assert anchors.steadiest(ANCHORS, WARM, [("plain", noisy)]) not in (best, None)
    assert anchors.steadiest((), WARM, [("plain", within)]) is None


def test_each_kind_has_something_stored():
    for anchor in ANCHORS:
        for way in ("plain", "mapped", "decoding", "allocating"):
            for conditions in (WARM, Conditions(cache="cold"), Conditions(durability="fsync")):
                assert anchors.known(anchor, conditions, way).common < 1


def compared(fake, new, bases=None, allowed=0.05):
    bases = bases or [a_run(fake, each) for each in "abc"]
    measured = [separate.of_report(report.make(each)) for each in (*bases, new)]
    return separate.compare(measured[:-1], measured[-1], allowed)


def ratios(found):
    return [each.found.comparison.center for each in found.ways]


def test_a_machine_of_another_pace_changes_nothing(fake):
    found = compared(fake, a_run(fake, "d", pace=1.7))
    assert ratios(found) == pytest.approx([1, 1, 1], abs=0.02)
    assert {each.anchor for each in found.ways} <= {"canary", "hashing", "copying"}
    assert not found.differs and found.gate != "slower"


def test_the_way_that_takes_longer_is_found_and_the_baseline_too(fake):
    found = compared(fake, a_run(fake, "d", pace=0.6, times=(1.0, 1.0, 2.0)))
    assert [each.kind for each in found.ways][-1] == "slower" and found.gate == "slower"
    all_slower = compared(fake, a_run(fake, "d", times=(2.0, 2.0, 2.0)))
    assert {each.kind for each in all_slower.ways} == {"slower"}, "its change must not cancel"


OLD = {"a": "1", "b": "1"}


def test_the_baseline_is_an_anchor_only_where_its_runtime_did_not_change(fake):
    def with_builds(new):
        bases = [a_run(fake, each, change=with_runtimes(OLD, OLD)) for each in "abc"]
        run = a_run(fake, "d", times=(1.0, 1.5, 1.0), change=with_runtimes(new, new))
        return compared(fake, run, bases)

    found = with_builds({"a": "1", "b": "2"})
    by_way = {each.case.case.parameters["speed"]: each for each in found.ways}
    assert by_way[20].anchor == "baseline" and by_way[20].kind == "slower"
    assert by_way[10].anchor != "baseline", "the baseline itself is told by fixed work"
    other = with_builds({"a": "2", "b": "2"})
    assert "baseline" not in {each.anchor for each in other.ways}
    assert [each.fact for each in other.differs] == ["runtime", "runtime"]


def test_another_kernel_leaves_fixed_work_as_the_only_anchor(fake):
    new = a_run(
        fake,
        "d",
        change=lambda run: (
            with_host(kernel="9")(run),
            with_runtimes({"a": "1", "b": "2"}, OLD)(run),
        ),
    )
    bases = [a_run(fake, each, change=with_runtimes(OLD, OLD)) for each in "abc"]
    found = compared(fake, new, bases)
    assert {each.anchor for each in found.ways} <= set(anchors.FIXED_WORK)
    assert [each.fact for each in found.differs] == ["kernel", "runtime"]


def test_what_no_anchor_takes_out_decides_nothing(fake):
    def version(run):
        run.header = run.header.model_copy(update={"iogauge": "9"})

    for change in (with_host(identity="other"), with_host(identity=None), version):
        found = compared(fake, a_run(fake, "d", times=(3.0, 3.0, 3.0), change=change))
        assert {each.kind for each in found.ways} == {"undecided"} and found.gate == "undecided"


def test_without_any_anchor_times_are_shown_and_nothing_is_decided(fake):
    bases = [a_run(fake, each, canary=False) for each in "abc"]
    found = compared(fake, a_run(fake, "d", canary=False, times=(3.0, 3.0, 3.0)), bases)
    assert {(each.anchor, each.kind) for each in found.ways} == {(None, "undecided")}
    assert ratios(found) == pytest.approx([3, 3, 3], rel=0.05)


def test_without_a_control_nothing_is_decided(fake):
    def change(run):
        group = run.plan.groups[0].model_copy(update={"control": None})
        plan = run.plan.model_copy(update={"groups": (group,)})
        run.header = run.header.model_copy(update={"plan": plan})

    bases = [a_run(fake, each, change=change) for each in "abc"]
    found = compared(fake, a_run(fake, "d", change=change, times=(3.0, 3.0, 3.0)), bases)
    assert {(each.kind, each.controlled) for each in found.ways} == {("undecided", False)}
    assert all(each.anchor and each.found.comparison.lo > 1 for each in found.ways)


def test_a_control_that_differs_in_one_run_stops_its_group(fake):
    bases = [a_run(fake, "a", control=1.3), a_run(fake, "b"), a_run(fake, "c")]
    found = compared(fake, a_run(fake, "d", times=(3.0, 3.0, 3.0)), bases)
    assert found.suspended == {"fakes": (0,)}
    assert {each.kind for each in found.ways} == {"undecided"}


def test_failures_are_told_apart(fake):
    new = a_run(fake, "d", failing=[1])
    assert compared(fake, new).gate == "slower"
    assert [each.kind for each in compared(fake, new).ways].count("fails only in new") == 1
    both = compared(fake, new, [a_run(fake, each, failing=[1]) for each in "abc"])
    assert both.gate == "failed"
    alone = compared(fake, new, [a_run(fake, "a")])
    assert alone.gate == "undecided", "with one base nothing is decided"


def test_what_the_new_run_lacks_is_not_passed(fake):
    def other_way(run):
        cases = [*run.plan.cases]
        cases[2] = cases[2].model_copy(update={"parameters": {"speed": 41}})
        plan = run.plan.model_copy(update={"cases": tuple(cases)})
        run.header = run.header.model_copy(update={"plan": plan})

    whole = compared(fake, a_run(fake, "d"), allowed=0.3)
    assert (whole.gate, whole.gone) == ("not slower", 0)
    lacking = compared(fake, a_run(fake, "d", change=other_way), allowed=0.3)
    assert (lacking.gate, lacking.gone) == ("undecided", 1)
    assert {each.kind for each in lacking.ways} == {"not slower"}
    slow = compared(fake, a_run(fake, "d", times=(1.0, 2.0, 1.0), change=other_way), allowed=0.3)
    assert slow.gate == "slower"


def test_more_runs_are_advised_only_where_they_may_help(fake):
    bases = [a_run(fake, each) for each in "abc"]
    alarm = compared(fake, a_run(fake, "d", control=1.3), bases)
    assert {(each.kind, each.found.needed, each.found.hopeless) for each in alarm.ways} == {
        ("undecided", None, False)
    }


def test_what_no_base_measured_in_enough_replicates_is_left_out(fake):
    bases = [a_run(fake, each, replicates=2) for each in "abc"]
    found = compared(fake, a_run(fake, "d"), bases)
    assert (found.ways, found.few) == ((), 3)
    short = compared(fake, a_run(fake, "d", replicates=2))
    assert {each.kind for each in short.ways} == {"undecided"}, "the new run must show it"


def test_runtimes_go_together_by_name_and_what_is_left_where_that_is_one(fake):
    run = a_run(fake, "a", replicates=1, change=with_runtimes(OLD, OLD))

    def renamed(name, new):
        copy = a_run(fake, "d", replicates=1, change=with_runtimes(OLD, OLD))
        runtimes = tuple(
            each.model_copy(update={"name": new}) if each.name == name else each
            for each in copy.header.runtimes
        )
        cases = tuple(
            each.model_copy(update={"runtime": new}) if each.runtime == name else each
            for each in copy.plan.cases
        )
        plan = copy.plan.model_copy(update={"cases": cases})
        copy.header = copy.header.model_copy(update={"runtimes": runtimes, "plan": plan})
        return copy

    def pairs(new):
        return [(each.base.name, each.new.name) for each in unlike_runs.runtime_pairs(run, new)]

    assert pairs(run) == [("fake-a", "fake-a"), ("fake-b", "fake-b")]
    assert pairs(renamed("fake-b", "fake-c")) == [("fake-a", "fake-a"), ("fake-b", "fake-c")]


def test_what_differs_comes_in_the_order_of_how_much_it_matters(fake):
    def change(run):
        with_host(kernel="9", file_system="xfs", transparent_huge_pages="always")(run)
        method = run.header.method.model_copy(update={"warm_sample": 1.0})
        group = run.plan.groups[0].model_copy(update={"rounds": 9})
        plan = run.plan.model_copy(update={"groups": (group,), "study": "other"})
        run.header = run.header.model_copy(update={"method": method, "plan": plan})

    found = compared(fake, a_run(fake, "d", change=change))
    facts = ["settings", "kernel", "file system", "method", "study", "rounds"]
    assert [each.fact for each in found.differs] == facts
    assert found.differs[1].bases == ("0",) and found.differs[1].new == "9"


def test_of_sizes_and_parameters_only_those_are_told_that_not_all_runs_have(fake):
    def change(run):
        first, *others = run.plan.cases
        other = first.model_copy(update={"parameters": {**first.parameters, "speed": 77}})
        plan = run.plan.model_copy(update={"cases": (other, *others)})
        run.header = run.header.model_copy(update={"plan": plan})

    new = a_run(fake, "d", change=change)
    (found,) = compared(fake, new).differs
    assert found.fact == "parameters" and "speed=77" in found.new and "speed=20" not in found.new
    assert [each.count("speed=10") for each in found.bases] == [1]
