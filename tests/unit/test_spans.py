"""Cases compared across the groups of a span: planning, and analysis of data whose truth is known."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from iogauge.analysis import casereport, judging, spans
from iogauge.analysis.data import GroupData
from iogauge.decision import across as deciding
from iogauge.decision.across import AcrossGroups
from iogauge.decision.best import Pairs
from iogauge.decision.costs import MOST_APART
from iogauge.decision.looks import MOST_REPLICATES, error_at
from iogauge.decision.next_steps import NextStep
from iogauge.decision.rounds import TYPICAL
from iogauge.decision.shrinkage import Prior
from iogauge.decision.status import Pending, status_of
from iogauge.measuring.schedule import UntilDecided
from iogauge.model.ratios import either_way
from iogauge.statistics.special import students_t
from tests.fake_study import group, make_plan, steady
from tests.runs import empty_run
from tests.unit.test_plan import BOTH, MIB, WHOLE
from tests.unit.test_plan import group as table
from tests.unit.test_plan import make as make_here

RATIO = 3.0
ALONG = 'along = "size"\n'


# planning


def test_groups_that_differ_in_one_thing_form_a_span():
    made = make_here(table(BOTH, size='["1M", "2M"]', more='along = "cache"'))
    assert [each.along for each in made.spans] == ["cache", "cache"]
    for each, length in zip(made.spans, (1, 2), strict=True):
        groups = [made.groups[number] for number in each.groups]
        assert [each.value(one) for one in groups] == ["warm", "cold"]
        assert {one.workload.size for one in groups} == {length * MIB}


def test_without_along_nothing_is_a_span_nor_is_what_is_left_alone():
    assert make_here(table(BOTH)).spans == ()
    made = make_here(table(BOTH, size='["1M", "2M"]', more='along = "size"'), max_size=MIB)
    assert len(made.groups) == 2 and made.spans == ()


def test_sizes_of_a_span_share_forks_although_one_needs_a_larger_heap():
    study = table(WHOLE, size='["1M", "200M"]', cache='"warm"')
    apart, made = (make_here(study.replace("cache =", f"{more}cache =")) for more in ("", ALONG))
    assert len(apart.bundles) == 2 and len(made.bundles) == 1
    assert made.bundles[0].heap_mib == max(each.heap_mib for each in apart.bundles)
    first, second = (made.groups[each].cases for each in made.spans[0].groups)
    assert [made.fork_of[case] for case in first] == [made.fork_of[case] for case in second]


# analysis


def planned(fake, more='along = "cache"', size='"64K"', cache='["warm", "cold"]', cases=None):
    text = group(cases or steady(10, 20, 40), cache=cache, more=more).replace("cache = []\n", "")
    made = make_plan(text.replace('size = "64K"', f"size = {size}"), fake, seed=1)
    header = empty_run(fake, 10).header
    of_run = {"plan": made, "header": header, "declared": header.declared, "failed": dict}
    return SimpleNamespace(complete=True, replicates=(), **of_run)


def data_of(run, index, log_ns):
    """A group's data, of as many replicates as `log_ns`, shape (R, C), has; two equal rounds."""
    planned = run.plan.groups[index]
    array, nothing = np.stack([log_ns, log_ns], axis=1), (None,) * len(planned.cases)
    numbers, clock_error = tuple(range(len(log_ns))), np.zeros(len(nothing))
    return GroupData(planned, array, array * 0, numbers, clock_error, nothing, ())


def simulated(run, rng, replicates=5, sd=0.05, common=0.0, ratio=RATIO):
    """Groups whose second takes `ratio` times as long. `common` is the share of the variance that
    all cases of a replicate have alike.
    """
    cases = len(run.plan.groups[0].cases)
    level = 10 + rng.normal(0, 1, cases)
    level[-1] = level[0]  # the control
    first = level + rng.normal(0, 0.2, (replicates, 1))  # the machine drifts, for both alike
    noise = rng.normal(0, sd * math.sqrt(common), (replicates, 1))
    noise = noise + rng.normal(0, sd * math.sqrt(1 - common), (replicates, cases))
    return [data_of(run, 0, first), data_of(run, 1, first + math.log(ratio) + noise)]


def judged(run, data):
    return {index: judging.decided(run, each, last=True) for index, each in enumerate(data)}


def compared(run, data):
    decisions = judged(run, data)
    groups = [SimpleNamespace(data=each, decision=decisions[at]) for at, each in enumerate(data)]
    (report,) = spans.make(run, groups)
    assert report.groups == tuple(groups[each] for each in run.plan.spans[0].groups)
    return report


def test_a_case_is_compared_with_itself_in_the_first_group(fake):
    run = planned(fake)
    report = compared(run, simulated(run, np.random.default_rng(1)))
    assert report.values == ("warm", "cold") and report.per == "operation"
    assert len(report.across) == 3  # not the control
    for each in report.across:
        assert each.case.variant == each.reference.variant
        assert (each.reference.conditions.cache, each.case.conditions.cache) == ("warm", "cold")
        found = each.comparison
        assert found.lo < RATIO < found.hi and found.lo > 0.7 * RATIO and found.hi < RATIO / 0.7
        assert found.outcome == "slower" and found.replicates == 5


def test_replicates_are_paired_by_their_number(fake):
    """What both groups have alike in a replicate is no noise, and lone replicates do not count."""
    run = planned(fake)
    first, second = simulated(run, np.random.default_rng(2), replicates=6, sd=0.001)
    names = ("log_ns", "position", "replicates")
    late = replace(second, **{name: getattr(second, name)[2:] for name in names})
    for each in compared(run, [first, late]).across:
        assert each.comparison.replicates == 4
        assert each.comparison.center == pytest.approx(RATIO, rel=0.005)


@pytest.mark.parametrize(("sd", "common"), [(0.1, 0.8), (0.17, 0.0), (0.7, 0.8)])
def test_intervals_hold_the_truth_of_all_cases_together(fake, sd, common):
    """Also where the variance is 3 or 50 times what is known beforehand."""
    run, rng, missed, draws = planned(fake), np.random.default_rng(3), 0, 100
    for _ in range(draws):
        found = compared(run, simulated(run, rng, sd=sd, common=common)).across
        missed += any(not each.comparison.lo < RATIO < each.comparison.hi for each in found)
    assert missed <= 0.06 * draws


def test_sizes_are_compared_per_byte(fake):
    run = planned(fake, 'along = "size"', size='["4K", "32K"]', cache='"warm"')
    data = simulated(run, np.random.default_rng(4), ratio=8 * 0.7, sd=0.01)
    report = compared(run, data)
    assert report.per == "byte" and report.units == (4096, 32768)
    for each in report.across:
        assert each.comparison.lo < 0.7 < each.comparison.hi < 0.9


def test_a_case_that_one_group_lacks_is_not_compared(fake):
    run = planned(fake)
    first, second = simulated(run, np.random.default_rng(5))
    second.log_ns[:, :, 1] = np.nan
    found = compared(run, [first, second]).across
    assert [each.case.parameters["speed"] for each in found] == [10, 40]


def test_what_identical_code_differs_by_is_no_difference(fake):
    """The control takes a third longer in the second group than its double does."""
    run = planned(fake)
    data = simulated(run, np.random.default_rng(9), replicates=6, sd=0.01, ratio=1.25)
    assert {each.comparison.outcome for each in compared(run, data).across} == {"slower"}
    data[1].log_ns[:, :, -1] += math.log(4 / 3)
    assert {each.comparison.outcome for each in compared(run, data).across} == {"undecided"}


# what is measured until when


@pytest.mark.parametrize("ratio", [1.1, 30.0])
def test_both_sides_of_what_is_open_are_measured(fake, ratio):
    """The ratio of 1.1 is on the edge of the tolerance; with 30 it is decided."""
    run = planned(fake, cases=steady(10))
    (span,) = run.plan.spans
    data = simulated(run, np.random.default_rng(6), replicates=8, sd=0.03, ratio=ratio)
    both = {index: Pending((run.plan.groups[index].cases[0],), None) for index in span.groups}
    found, is_open = spans.pending(run, span, data, judged(run, data)), ratio == 1.1
    assert found == (both if is_open else {})
    assert compared(run, data).next_step == (NextStep("unsteady") if is_open else None)


def test_a_wide_interval_is_open_until_it_can_be_told(fake):
    run = planned(fake, cases=steady(10))
    (span,), rng = run.plan.spans, np.random.default_rng(7)
    few = simulated(run, rng, replicates=4, sd=0.5, ratio=50)
    first, second = spans.pending(run, span, few, judged(run, few)).values()
    assert first.goal == second.goal and 4 < first.goal <= 64
    assert compared(run, few).next_step == NextStep("time", first.goal)
    run.complete = False
    assert compared(run, few).next_step is None, "it may still be decided"


@pytest.mark.parametrize("compare", ["best", "all"])
def test_cases_that_cannot_be_the_answer_are_not_measured_for_a_span(fake, compare):
    run = planned(fake, f'along = "cache"\ncompare = "{compare}"')
    (span,), rng = run.plan.spans, np.random.default_rng(8)
    first, second = simulated(run, rng, replicates=8, sd=0.03, ratio=1.1)
    first.log_ns[:, :, :3] += np.log([1, 5, 9]) - first.log_ns[:1, :, :3]
    first.log_ns[:, :, 3] = first.log_ns[:, :, 0]
    noise = rng.normal(math.log(1.1), 0.03, (8, 1, 4))
    data = [first, replace(second, log_ns=first.log_ns + noise)]
    found = spans.pending(run, span, data, judged(run, data))
    measured, groups = 3 if compare == "all" else 1, run.plan.groups
    assert {index: each.cases for index, each in found.items()} == {
        index: each.cases[:measured] for index, each in enumerate(groups)
    }


def test_what_a_span_needs_is_live_though_its_group_is_decided(fake):
    def status(goal, pending=None, of_ceiling=(0.5, 1.0)):
        decision = SimpleNamespace(live=(1, 2), still_open=(2,))
        found = status_of(decision, (7, 8, 9), TYPICAL, goal, pending, of_ceiling, ())
        assert found.open == tuple(each for each in found.live if each != 8)
        return (
            tuple(each for each in found.live if each != 8),
            found.goal,
            found.above_ceiling,
            found.maybe_above_ceiling,
        )

    open_, unknown = Pending((7,), 6), Pending((7,), None)
    assert status(4) == ((9,), 4, False, False) and status(4, open_)[:2] == ((7, 9), 6)
    assert [status(*each)[1] for each in ((0, open_), (9, open_))] == [6, 9]
    assert status(4, unknown)[1] is status(None, open_)[1] is None
    assert status(4, None, (1.05, 1.2))[2:] == (False, True)
    assert status(4, None, (1.2, 1.3))[2:] == (True, True)

    plan = planned(fake).plan
    assert [each.groups for each in plan.bundles] == [(0, 1)]
    statuses = {0: SimpleNamespace(live=(1,)), 1: SimpleNamespace(live=(5,))}
    schedule = SimpleNamespace(plan=plan, statuses=statuses, is_over=lambda bundle: False)
    assert UntilDecided(schedule, set()).live(0) == [1, 5]
    assert UntilDecided(schedule, {5}).live(0) == [1]


# the decision on one case


def across_of(center: float, reach: float, count: int = 9) -> AcrossGroups:
    """A ratio whose interval reaches so far in a family of two; all are logs."""
    unit = students_t(np.array([50.0]), error_at(count) / 2)[0]
    both = np.array([[0, center], [-center, 0]])
    errors, counts = np.full((2, 2), reach / unit), np.full((2, 2), count)
    return AcrossGroups(Pairs(both, errors, np.full((2, 2), 50.0), counts, np.zeros((2, 2))))


MARGIN = math.log(1.1)


@pytest.mark.parametrize(
    ("center", "reach", "count", "is_open"),
    [
        (0, 0.09, 9, False),  # surely within
        (0, 0.10, 9, True),
        (0.30, 0.2, 9, False),  # surely beyond
        (-0.30, 0.2, 9, False),
        (0.30, 0.21, 9, True),
        (2.0, math.log(MOST_APART) / 2 - 0.01, 9, False),  # known well enough to be reported
        (2.0, math.log(MOST_APART) / 2 + 0.01, 9, True),
        (0.30, 0.3, MOST_REPLICATES - 1, True),
        (0.30, 0.3, MOST_REPLICATES, False),  # nothing more is measured
        (0.30, 0.01, 2, True),
        (0.30, 0.01, 0, False),  # nothing was
    ],
)
def test_a_ratio_is_open_while_more_replicates_may_say_more(center, reach, count, is_open):
    found = across_of(center, reach, count)
    assert found.is_open(MARGIN, 1) is is_open and found.replicates == count
    known = found.interval(1)
    assert (known.center, known.n) == (center, count)
    assert known.hi - known.center == pytest.approx(reach if count > 2 else math.inf)


def test_until_when_a_ratio_is_likely_known():
    assert across_of(0.3, 0.1, 2).goal(MARGIN, 1) == 3, "the fewest"
    near, far = across_of(0.15, 0.06).goal(MARGIN, 1), across_of(0.15, 0.1).goal(MARGIN, 1)
    assert 9 < near < far <= MOST_REPLICATES
    assert across_of(MARGIN, 0.1).goal(MARGIN, 1) is None, "it is on the edge"
    wide, wider = across_of(3.0, 0.6).goal(MARGIN, 1), across_of(3.0, 0.8).goal(MARGIN, 1)
    assert 10 < wide < wider <= MOST_REPLICATES, "far beyond, it must be known well enough"
    assert across_of(0.15, 0.1).goal(MARGIN, 9) > far, "of several comparisons each knows less"


def test_what_is_known_beforehand_makes_no_noise_smaller():
    rng = np.random.default_rng(10)
    first = rng.normal(0, 1, 8)
    prior = Prior(math.log(0.02**2), 0.5, 8.0)

    def reach(second, prior):
        found = deciding.compared(second, first, prior).interval(1)
        return found.hi - found.center

    noisy, quiet = (first + rng.normal(1, sd, 8) for sd in (0.3, 0.001))
    assert reach(noisy, prior) == reach(noisy, None)
    assert reach(quiet, prior) > 2 * reach(quiet, None)


def test_the_noise_floor_is_the_larger_bound_of_identical_code():
    rng = np.random.default_rng(11)
    baseline = rng.normal(0, 0.01, 8)
    for shift in (0.3, -0.3):
        floor = deciding.noise_floor(baseline + shift + rng.normal(0, 0.01, 8), baseline, None)
        assert 0.3 < floor < 0.35


def test_across_groups_the_noisier_prior_counts_and_is_widened():
    one, other = Prior(-6.0, 0.5, 8.0), Prior(-4.0, 0.3, 9.0)
    assert deciding.prior_of([one, None, other]) == Prior(-4.0 + math.log(4), 0.5, 8.0)
    assert deciding.prior_of([None, None]) is None


def test_of_interest_is_what_can_be_best_or_is_recommended():
    def answer(use, *can_be_best):
        return SimpleNamespace(recommended=use, costs=SimpleNamespace(can_be_best=can_be_best))

    answers = {"a": answer(0, 2, 3), "b": answer(None, 5)}
    assert deciding.of_interest(SimpleNamespace(answers=answers)) == {0, 2, 3, 5}


# records


WRITES = '[[group.case]]\nstrategy = ["fake/writing"]\n'


def of_records(run, of):
    return casereport.record_bytes(run, of), casereport.records_per_operation(run, of)


@pytest.mark.parametrize(("mode", "found"), [("append", (4096, 1)), ("truncate", (None, None))])
def test_what_is_appended_is_a_record(fake, mode, found):
    run = planned(fake, f'operation = "write"\nmode = "{mode}"', '"4K"', "[]", WRITES)
    assert of_records(run, run.plan.groups[0]) == found


@pytest.mark.parametrize(
    ("blocks", "size", "mode", "found"),
    [
        ([1024], 4096, "truncate", (1024, 4)),
        ([100], 65536, "truncate", (100, 656)),
        ([1024, 2048], 65536, "truncate", (None, None)),
        ([65536], 1024, "append", (1024, 1)),
        ([65536], 1024, "truncate", (None, None)),
    ],
)
def test_equal_pieces_are_records(blocks, size, mode, found):
    cases = [SimpleNamespace(parameters={"block": each}) for each in blocks]
    declared = SimpleNamespace(value=lambda role, parameters, otherwise: parameters["block"])
    header = SimpleNamespace(declared=lambda case: declared)
    run = SimpleNamespace(plan=SimpleNamespace(cases=cases), header=header)
    workload = SimpleNamespace(operation="write", size=size, mode=mode)
    assert of_records(run, SimpleNamespace(cases=range(len(cases)), workload=workload)) == found


# words


def test_a_ratio_is_a_range_of_times():
    ranges = {
        (1.42, 1.74): "1.4-1.7x",
        (41.2, 58.4): "41-58x",
        (2.96, 3.04): "3x",
        (0.7, 0.85): "0.7-0.85x",
        (1 / 60, 1 / 40): "1/60-1/40",
        (1 / 11, 0.249): "1/11-1/4",
    }
    assert {each: either_way(*each) for each in ranges} == ranges
