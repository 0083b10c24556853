"""Data sets of values made by hand, and the values of a run that was measured."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

from iogauge.analysis import report
from iogauge.model.workload import Conditions
from iogauge.runfile.dataset import alike, paired_of, replicates_of
from iogauge.statistics.paired import paired_log_ratios
from tests.datasets import case, known_group
from tests.fake_study import faulty, group, steady

A, B, C = (case(name) for name in ("x/a", "x/b", "x/c"))
NONE = np.nan


def one(value: float, cases=(A, B), **more):
    """A group of one replicate, whose second case takes e to the power of this value as long."""
    return known_group([[[0.0, value]]], cases, **more)


def ratios(*groups):
    return paired_of(groups, B.key, A.key).tolist() if groups else []


def test_a_pair_has_one_ratio_for_each_replicate_that_has_both():
    """The median over the rounds in which both were measured."""
    first = [[1.0, 1.5], [1.0, 1.25], [1.0, 4.0]]
    second = [[2.0, NONE], [2.0, 3.0], [NONE, 9.0]]
    found = known_group([first, second, [[1.0, NONE]] * 3], [A, B])
    assert found.paired(B.key, A.key).tolist() == [0.5, 1.0]
    assert found.paired(A.key, B.key).tolist() == [-0.5, -1.0]
    assert found.paired(B.key, C.key).tolist() == [] == found.paired("", B.key).tolist()
    assert ratios(found, one(3.0), one(4.0, [A, C])) == [0.5, 1.0, 3.0]


def test_of_a_case_in_another_part_than_the_reference_the_baseline_is_the_link():
    logs = [[[0.0, 1.0, NONE], [0.5, NONE, 3.0]]]  # A, the baseline, is in both parts
    assert known_group(logs, [A, B, C]).paired(C.key, B.key).tolist() == [2.5 - 1.0]
    assert known_group(logs, [A, B, C], baseline=1).paired(C.key, B.key).tolist() == []


def test_replicates_of_one_group_come_after_those_of_another_whatever_its_cases_and_rounds():
    first = known_group([[[0.0, 1.0]], [[NONE, NONE]], [[5.0, NONE]]], [A, B])
    second = known_group([[[9.0, 2.0, 3.0], [8.0, NONE, 4.0]]], [C, B, A], run="b", baseline=2)
    found = replicates_of([first, second], [A.key, B.key])
    expected = [[[0.0, 1.0], [NONE] * 2], [[5.0, NONE], [NONE] * 2], [[3.0, 2.0], [4.0, NONE]]]
    np.testing.assert_array_equal(found, expected)


def test_copies_of_a_run_count_once():
    run, copy, another, again = one(1.0), one(2.0), one(3.0, run="b"), one(4.0, run="b")
    known = [run, another, copy, again]
    assert ratios(*alike(known, run)) == ratios(*alike(known, copy)) == [3.0]
    assert ratios(*alike(known, another)) == [1.0]
    second = one(5.0, run="b", id="another group")
    assert ratios(*alike([*known, second], run)) == [3.0, 5.0], "two groups of a run are no copies"


@pytest.mark.parametrize(
    "other",
    [
        {"header": {"plan": SimpleNamespace(published=object())}},
        {"header": {"place": ("elsewhere", "ext4")}},
        {"verdicts": False},
        {"conditions": Conditions(cache="cold")},
        {"workload": A.workload.model_copy(update={"size": 1})},
    ],
)
def test_what_measured_something_else_or_may_not_be_pooled_is_left_out(other):
    own, beside, apart = one(1.0), one(2.0, run="b"), one(3.0, run="c", **other)
    assert ratios(*alike([own, apart, beside], own)) == [2.0]
    assert ratios(*alike([own, beside], apart)) == ([1.0, 2.0] if "verdicts" in other else [])


def test_only_cases_of_runtimes_that_may_be_pooled_remain_but_the_baseline_links_them():
    old = case("y/old", "y-1.0")
    logs = [[[0.0, 1.0, NONE], [0.5, NONE, 3.0]]]
    own, other = (
        known_group(logs, [old, A, B], run=build, header={"builds": {"x-1.0": "1", "y-1.0": build}})
        for build in ("1", "2")
    )
    (found,) = alike([other], own)
    assert found.cases == (A, B)
    assert found.paired(B.key, A.key).tolist() == [1.5]
    assert found.paired(A.key, old.key).tolist() == [], "what was built anew is not compared"
    assert own.paired(A.key, old.key).tolist() == [1.0]
    none = dataclasses.replace(found, baseline=A.key)
    assert np.isnan(none.values_of([old.key, A.key, B.key])[:, :, 0]).all()


def test_a_measured_run_gives_its_valid_values_without_those_of_its_control(study):
    text = group(steady(20, 40) + faulty("wrong-sum")) + group(
        steady(20, 40), identifier="again", cache='["cold"]'
    )
    made = report.make(study(text, seed=3).run)
    cases = made.run.plan.cases
    assert len(made.dataset) == 2
    for known, of_group in zip(made.dataset, made.groups, strict=True):
        assert known.run is made.run.header and known.verdicts == of_group.has_verdicts
        assert (known.workload, known.conditions) == (of_group.workload, of_group.conditions)
        assert known.baseline == of_group.baseline
        assert {each.key for each in known.cases} == {each.case.key for each in of_group.cases}
        assert not any(each.control for each in known.cases)
        data = of_group.data
        for key, column in known.columns.items():
            assert cases[data.group.cases[column]].key == key
        baseline, second = (data.column(data.group.cases[each]) for each in (0, 1))
        keys = [cases[data.group.cases[each]].key for each in (second, baseline)]
        expected = paired_log_ratios(
            data.log_ns, second, baseline, data.column(data.group.baseline)
        )
        assert len(data.replicates) and known.paired(*keys).tolist() == expected.tolist()


def test_where_no_comparison_may_rest_on_a_group_it_has_no_values(study):
    made = report.make(study(group(steady(20, 40)), seed=4).run)
    (of_group,) = made.groups
    assert len(made.dataset[0].cases) == 2
    column = of_group.data.column(of_group.data.group.baseline)
    impossible = dataclasses.replace(of_group.data, impossible=(column,))
    made = dataclasses.replace(made, groups=(dataclasses.replace(of_group, data=impossible),))
    assert made.dataset[0].cases == () and not made.dataset[0].verdicts
