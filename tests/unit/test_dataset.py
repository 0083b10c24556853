"""Data sets on rows made by hand, and the rows of a run that was measured."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from iogauge.analysis import report
from iogauge.model.workload import Conditions
from iogauge.runfile.dataset import SOURCES, concatenate
from iogauge.runfile.header import identity, pool_key
from iogauge.statistics.paired import paired_log_ratios
from tests.datasets import KEY, WARM, WORKLOAD, case, dataset
from tests.fake_study import faulty, group, steady

A, B, C = (case(name) for name in ("x/a", "x/b", "x/c"))
NONE = np.nan


def random_logs(*shape: int) -> np.ndarray:
    """A third of the values is missing."""
    random = np.random.default_rng(7)
    return np.where(random.random(shape) < 1 / 3, NONE, random.normal(size=shape))


def test_a_pair_has_one_ratio_for_each_replicate_that_has_both():
    """The median over the rounds in which both were measured."""
    first = [[1.0, 1.5], [1.0, 1.25], [1.0, 4.0]]
    second = [[2.0, NONE], [2.0, 3.0], [NONE, 9.0]]
    found = dataset([first, second, [[1.0, NONE]] * 3], [A, B])
    assert found.paired(B.key, A.key).tolist() == [0.5, 1.0]
    assert found.paired(A.key, B.key).tolist() == [-0.5, -1.0]
    assert found.paired(B.key, C.key).tolist() == [] == found.paired("", B.key).tolist()


def test_of_a_case_in_another_part_than_the_reference_the_baseline_is_the_link():
    logs = [[[0.0, 1.0, NONE], [0.5, NONE, 3.0]]]  # A, the baseline, is in both parts
    assert dataset(logs, [A, B, C]).paired(C.key, B.key).tolist() == [2.5 - 1.0]
    assert dataset(logs, [A, B, C], baseline=1).paired(C.key, B.key).tolist() == []


@pytest.mark.parametrize("baseline", range(5))
def test_ratios_are_those_of_the_comparison_within_a_run(baseline):
    logs, cases = random_logs(40, 4, 5), [case(f"x/{name}") for name in "abcde"]
    found = dataset(logs, cases, baseline=baseline)
    for one in range(5):
        for other in range(5):
            expected = paired_log_ratios(logs, one, other, baseline)
            ratios = found.paired(cases[one].key, cases[other].key)
            assert ratios.tolist() == expected[np.isfinite(expected)].tolist()


def test_two_runs_of_a_case_are_one_case_with_the_replicates_of_both():
    """Whatever its place in either run."""
    one = dataset([[[0.0, 1.0]], [[0.0, 2.0]]], [A, B])
    other = dataset([[[9.0, 3.0, 0.0]]], [C, B, A], run="b", baseline=2)
    both = concatenate([one, other])
    assert [each.key for each in both.cases] == [A.key, B.key, C.key]
    assert both.paired(B.key, A.key).tolist() == [1.0, 2.0, 3.0]
    assert both.run.tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert both.groups[1].cases == (2, 1, 0) and both.groups[1].baseline == 0
    assert both.of_case(B.key).log_ns.tolist() == [1.0, 2.0, 3.0]
    assert len(both.of_case("x/unknown")) == 0
    assert both.of_groups([1, 0]).paired(B.key, A.key).tolist() == [3.0, 1.0, 2.0]


def test_without_parts_there_is_no_data_set():
    with pytest.raises(ValueError):
        concatenate([])


def test_two_groups_of_a_run_have_replicates_of_their_own():
    """Those of two bundles have the same numbers."""
    one, other = (dataset([[[0.0, value]]], [A, B], id=str(value)) for value in (1.0, 2.0))
    groups = (*one.groups, dataclasses.replace(other.groups[0], run=0))
    both = dataclasses.replace(concatenate([one, other]), runs=one.runs, groups=groups)
    assert both.paired(B.key, A.key).tolist() == [1.0, 2.0]


def test_copies_of_a_run_count_once():
    run, copy = (dataset([[[0.0, value]]], [A, B]) for value in (1.0, 2.0))
    another = dataset([[[0.0, 3.0]]], [A, B], run="b")
    known = concatenate([run, another, copy, another])
    assert known.paired(B.key, A.key).tolist() == [1.0, 3.0, 2.0, 3.0]
    assert known.poolable_with(0).paired(B.key, A.key).tolist() == [1.0, 3.0]
    assert known.poolable_with(2).paired(B.key, A.key).tolist() == [3.0, 2.0]
    assert known.poolable_with(1).paired(B.key, A.key).tolist() == [1.0, 3.0]


@pytest.mark.parametrize(
    "other",
    [
        {"published": True},
        {"pool": None},
        {"pool": KEY._replace(method="another")},
        {"pool": KEY._replace(place=KEY.place._replace(identity="elsewhere"))},
        {"pool": KEY._replace(builds={"x-1.0": "2"})},
    ],
)
def test_runs_that_may_not_be_pooled_are_left_out(other):
    own, beside = (dataset([[[0.0, value]]], [A, B], run=str(value)) for value in (1.0, 2.0))
    apart = dataset([[[0.0, 3.0]]], [A, B], run="c", **other)
    known = concatenate([own, apart, beside])
    assert known.poolable_with(0).paired(B.key, A.key).tolist() == [1.0, 2.0]
    assert known.poolable_with(1).paired(B.key, A.key).tolist() == [3.0]
    assert len(known.poolable_with(0)) == 4


def test_only_cases_of_runtimes_that_may_be_pooled_remain_but_the_baseline_links_them():
    old = case("y/old", "y-1.0")
    logs = [[[0.0, 1.0, NONE], [0.5, NONE, 3.0]]]
    keys = [KEY._replace(builds={"x-1.0": "1", "y-1.0": build}) for build in ("1", "2")]
    own, other = (dataset(logs, [old, A, B], run=key.builds["y-1.0"], pool=key) for key in keys)
    found = concatenate([own, other]).poolable_with(0)
    assert [each.cases for each in found.groups] == [(0, 1, 2), (1, 2)]
    assert found.paired(B.key, A.key).tolist() == [1.5, 1.5]
    assert found.paired(A.key, old.key).tolist() == [1.0], "what was built anew is not compared"
    assert found.of_case(old.key).run.tolist() == [0, 0] and len(found) == 8
    assert found.by_replicate().of_case(old.key).log_ns.tolist() == [0.25]
    assert len(found.by_replicate()) == 5


def test_groups_are_found_by_workload_and_conditions():
    cold = Conditions(cache="cold")
    others = dataset([[[1.0]]], [A], run="b", conditions=cold), dataset([[[2.0]]], [A], run="c")
    known = concatenate([dataset([[[0.0]]], [A]), *others])
    assert known.measuring(WORKLOAD, WARM) == [0, 2]
    assert known.of_groups(known.measuring(WORKLOAD, cold)).log_ns.tolist() == [1.0]
    assert known.measuring(WORKLOAD.model_copy(update={"size": 1}), WARM) == []


def test_the_value_of_a_replicate_is_the_median_of_its_rounds():
    logs = random_logs(6, 5, 3)
    logs[2, :, 1] = NONE
    numbers = [0, 1, 2, 3, 5, 8]
    parts = dataset(logs, [A, B, C], replicates=numbers), dataset(logs + 1, [A, B, C])
    found = concatenate(parts).by_replicate()
    first = found.group == 0
    assert len(found) == 2 * (6 * 3 - 1) and not found.round.any()
    for row in np.flatnonzero(first):
        at = numbers.index(found.replicate[row])
        assert found.log_ns[row] == np.nanmedian(logs[at, :, found.case[row]])
    assert found.log_ns[~first] == pytest.approx(found.log_ns[first] + 1)


def test_a_case_is_found_whatever_its_runtime():
    later = case("x/a", "x-2.0")
    known = concatenate([dataset([[[1.0, 7.0]]], [A, B]), dataset([[[2.0]]], [later], run="b")])
    assert known.of_case(later.key).log_ns.tolist() == [2.0]
    assert known.of_case(A.key_without_runtime, any_runtime=True).log_ns.tolist() == [1.0, 2.0]


def test_imported_values_stand_beside_measured_ones_and_are_pooled_with_nothing():
    measured = dataset([[[0.0, 1.0]], [[0.0, 2.0]]], [A, B])
    summary = dataset([[[0.0, 3.0]]], [A, B], run="b", pool=None, source="imported")
    known = concatenate([measured, summary])
    sources = [SOURCES[each] for each in known.of_case(B.key).source]
    assert sources == ["measured", "measured", "imported"]
    assert known.of_case(B.key).log_ns.tolist() == [1.0, 2.0, 3.0]
    for run in (0, 1):
        assert {*known.poolable_with(run).run} == {run}


def test_a_measured_run_gives_its_valid_values_without_those_of_its_control(study):
    text = group(steady(20, 40) + faulty("wrong-sum")) + group(
        steady(20, 40), identifier="again", cache='["cold"]'
    )
    made = report.make(study(text, seed=3).run)
    found, header = made.dataset, made.run.header
    assert (found.runs[0].identity, found.runs[0].pool) == (identity(header), pool_key(header))
    assert not found.runs[0].published and {*found.source.tolist()} == {SOURCES.index("measured")}
    assert len(found.groups) == 2 and not any(found.cases[each].control for each in {*found.case})
    for number, of_group in enumerate(made.groups):
        data, known = of_group.data, found.groups[number]
        assert (known.id, known.verdicts) == (of_group.id, of_group.has_verdicts)
        assert (known.workload, known.conditions) == (of_group.workload, of_group.conditions)
        assert found.cases[known.baseline].key == of_group.baseline
        keys = {each.case.key for each in of_group.cases}
        assert {found.cases[each].key for each in known.cases} == keys
        rows = found.of_groups([number])
        for case_number in known.cases:
            key = found.cases[case_number].key
            column = [made.run.plan.cases[each].key for each in data.group.cases].index(key)
            own = rows.of_case(key)
            again = np.full(data.log_ns.shape[:2], NONE)
            again[np.searchsorted(data.replicates, own.replicate), own.round] = own.log_ns
            assert np.array_equal(again, data.log_ns[:, :, column], equal_nan=True)
        pair = data.column(data.group.cases[1]), data.column(data.group.cases[0])
        keys = [made.run.plan.cases[data.group.cases[each]].key for each in pair]
        baseline = data.column(data.group.baseline)
        assert len(data.replicates) and found.of_groups([number]).paired(*keys).tolist() == (
            paired_log_ratios(data.log_ns, *pair, baseline).tolist()
        )


def test_where_no_comparison_may_rest_on_a_group_it_has_no_values(study):
    made = report.make(study(group(steady(20, 40)), seed=4).run)
    assert len(made.dataset)
    (of_group,) = made.groups
    column = of_group.data.column(of_group.data.group.baseline)
    impossible = dataclasses.replace(of_group.data, impossible=(column,))
    made = dataclasses.replace(made, groups=(dataclasses.replace(of_group, data=impossible),))
    assert not len(made.dataset) and not made.dataset.groups[0].verdicts
