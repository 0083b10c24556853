"""Which candidates a group has, and which of them is its ceiling."""

from __future__ import annotations

import dataclasses

import pytest

from iogauge.analysis.ceilings import of_group
from iogauge.model.strategy import Runtime, Strategy
from iogauge.model.workload import Conditions, Workload
from iogauge.planning import ceilings
from iogauge.runfile.records import CeilingSample, Failure
from tests import reports
from tests.reports import parameter
from tests.runs import add_sample, empty_run, end_replicate

KIB = 1 << 10


BLOCKS = {"warm": (64 << 10, 256 << 10, 1 << 20), "device": (128 << 10, 1 << 20)}
TRIED = {
    "pread block": BLOCKS,
    "mapped lasting": {"warm": (0, 1), "device": (0,)},
    "direct block": {"device": (1 << 20, 4 << 20)},
    "direct depth": {"device": (4, 32)},
    "write block": {**BLOCKS, "synchronous": (1 << 20, 16 << 20)},
    "write preallocate": {"warm": (0, 1), "append": (0,)},
}


def declared(name: str, parameters=(), **more) -> Strategy:
    has = {
        each: parameter(each, default=1, min=0, tried=TRIED.get(f"{name} {each}", {}))
        for each in parameters
    }
    return reports.declared(f"fast/{name}", **{"role": "ceiling", "parameters": has, **more})


@pytest.fixture
def runtime(fake) -> Runtime:
    writes = {"operation": "write", "consumes": ["none"], "modes": ["truncate"]}
    several = (
        declared("pread", ("block", "threads")),
        declared("mapped", ("lasting", "threads"), consumes=["touch", "sum"]),
        declared("direct", ("block", "depth"), bypasses_cache=True),
        declared("away", unavailable="not on this kernel"),
        declared("contestant", role="contestant"),
        declared("write", ("block", "preallocate"), durabilities=["none", "fsync"], **writes),
        declared("memory", medium="memory"),
    )
    return fake.runtime.model_copy(update={"strategies": {each.name: each for each in several}})


def reading(size: int = 64 << 20, **more) -> Workload:
    return Workload(size=size, **more)


def writing(size: int = 64 << 20, mode: str = "truncate") -> Workload:
    return reading(size, operation="write", consume="none", mode=mode)


def tried(workload, runtime, cores=1, threads=(), **conditions) -> dict[str, dict[str, set[int]]]:
    """The values that are tried of each parameter of each candidate."""
    names: dict[str, dict[str, set[int]]] = {}
    found = ceilings.candidates(workload, Conditions(**conditions), [runtime], cores, threads)
    for case in found:
        for name, value in case.parameters.items():
            names.setdefault(case.strategy, {}).setdefault(name, set()).add(value)
        names.setdefault(case.strategy, {})
    return names


def test_warm_reads_are_tried_by_call_and_by_mapping_over_blocks_and_threads(runtime):
    assert tried(reading(), runtime, 4, cache="warm") == {
        "fast/pread": {"block": {64 * KIB, 256 * KIB, 1024 * KIB}, "threads": {1, 4}},
        "fast/mapped": {"lasting": {0, 1}, "threads": {1, 4}},
    }
    warm = tried(reading(), runtime, 4, {1, 3}, cache="warm")
    assert warm["fast/pread"]["threads"] == {1, 3, 4}, "as many as some way works with"
    assert tried(reading(), runtime, 4, {3}, cache="cold")["fast/pread"]["threads"] == {1, 3}


def test_only_what_waits_for_the_device_may_bypass_the_cache(runtime):
    found = tried(reading(), runtime, 4, cache="cold")
    assert found["fast/direct"] == {"block": {1024 * KIB, 4096 * KIB}, "depth": {4, 32}}
    assert found["fast/pread"]["threads"] == {1}
    assert found["fast/mapped"]["lasting"] == {0}, "what is still mapped cannot leave the cache"


def test_a_block_larger_than_the_file_is_tried_once(runtime):
    found = tried(reading(100_000), runtime, cache="warm")
    assert found["fast/pread"] == {"block": {64 * KIB, 256 * KIB}, "threads": {1}}
    assert tried(reading(10), runtime, cache="warm")["fast/pread"]["block"] == {64 * KIB}


def test_writes_are_durable_as_the_group_asks_with_one_flush_at_the_end(runtime):
    synchronous = Conditions(durability="dsync", lifetime="operation")
    found = ceilings.candidates(writing(), synchronous, [runtime], cores=1)
    assert {case.strategy for case in found} == {"fast/write"}
    assert {case.conditions.durability for case in found} == {"fsync"}, "it cannot open it so"
    of_write = tried(writing(), runtime, durability="dsync", lifetime="operation")["fast/write"]
    assert of_write["preallocate"] == {0, 1}
    waits = {"durability": "sync-inode", "lifetime": "operation"}  # each call
    large = tried(writing(100 << 20), runtime, **waits)
    assert large["fast/write"]["block"] == {1 << 20, 16 << 20}
    none = tried(writing(mode="append"), runtime, durability="none", lifetime="operation")
    assert not none, "a candidate that cannot append is none"


@pytest.mark.parametrize(
    "workload",
    [reading(accesses=5), reading(0), reading(operation="copy", consume="none", mode="truncate")],
)
def test_where_the_best_is_not_known_there_is_no_ceiling(runtime, workload):
    assert ceilings.candidates(workload, Conditions(cache="warm"), [runtime], cores=2) == ()


def test_text_is_touched_at_least(runtime):
    text = reading(content="text", consume="sum")
    found = ceilings.candidates(text, Conditions(cache="warm"), [runtime], cores=1)
    assert {case.workload.consume for case in found} == {"touch"}


def run_of(fake, levels: dict[int, list[float]], *, threads: dict[int, int] | None = None):
    """A run whose group has candidates of these ns per operation, one per replicate; their case
    numbers go on after the group's.
    """
    run = empty_run(fake, 10)
    plan, (group,) = run.header.plan, run.header.plan.groups
    numbers = tuple(range(len(plan.cases), len(plan.cases) + len(levels)))
    cases, strategies = [], {}
    for number in levels:
        name, values = f"fake/candidate-{number}", {"threads": (threads or {}).get(number, 1)}
        cases.append(plan.cases[0].model_copy(update={"strategy": name, "parameters": values}))
        strategies[name] = declared("candidate", ("threads",))
    changed = {"cases": (*plan.cases, *cases), "fork_of": (*plan.fork_of, *[0] * len(levels))}
    changed["groups"] = (group.model_copy(update={"ceilings": numbers}),)
    (runtime,) = run.header.runtimes
    runtime = runtime.model_copy(update={"strategies": {**runtime.strategies, **strategies}})
    changed = {"plan": plan.model_copy(update=changed), "runtimes": (runtime,)}
    run.header = run.header.model_copy(update=changed)
    for replicate in range(max(map(len, levels.values()))):
        for case, found in zip(numbers, levels.values(), strict=True):
            for turn in range(3 if replicate < len(found) else 0):
                ns = [found[replicate] * (1 + turn / 100)]
                add_sample(run, case, replicate, turn, 0, ns, kind=CeilingSample)
        end_replicate(run, replicate, list(group.cases))
    return run


def test_the_ceiling_is_the_fastest_candidate_of_each_replicate_with_its_range(fake):
    run = run_of(fake, {0: [2000, 2000, 2100], 1: [1600, 4000, 3500], 2: [9000, 9000, 9000]})
    found, size = of_group(run, run.plan.groups[0]), run.plan.cases[0].workload.size
    assert found.case.strategy == "fake/candidate-0", "not the one that was fast once"
    speeds = [found.bytes_per_s, found.least, found.most]
    assert speeds == pytest.approx([size / (ns * 1.01) * 1e9 for ns in (2000, 2100, 1600)])
    assert found.ns_per_op == pytest.approx(2020) and sorted(found.log_ns) == [0, 1, 2]


def test_with_one_thread_only_candidates_of_one_thread_count(fake):
    run = run_of(fake, {0: [2000] * 3, 1: [1000] * 3}, threads={1: 2})
    (group,) = run.plan.groups
    assert of_group(run, group, 1).case.strategy == "fake/candidate-0"
    ceiling = of_group(run, group)
    assert ceiling.label == "fake/candidate-1, 2 threads"
    switched = declared("mapped", ("lasting", "threads"))
    for lasting, label in ((0, "fast/mapped, 1 thread"), (1, "fast/mapped, lasting, 1 thread")):
        values = {"lasting": lasting, "threads": 1}
        case = ceiling.case.model_copy(update={"strategy": switched.name, "parameters": values})
        assert dataclasses.replace(ceiling, case=case, strategy=switched).label == label


@pytest.mark.parametrize(
    ("levels", "threads", "again"),
    [
        ([1000, 1200, 1400, 500], {3: 2}, [0, 1, 3]),  # one thread has its own best
        ([1000, 1010, 1020, 1030, 1025], {4: 2}, [0, 1, 2]),  # nor more threads that help nothing
    ],
)
def test_only_the_best_three_are_measured_again_and_none_that_is_hopeless(
    fake, levels, threads, again
):
    run = run_of(fake, {at: [level] for at, level in enumerate(levels)}, threads=threads)
    (group,) = run.plan.groups
    assert ceilings.promising(run, group) == [group.ceilings[each] for each in again]


def test_void_samples_and_failed_candidates_do_not_count(fake):
    run = run_of(fake, {0: [1000, 1000], 1: [2000, 2000]})
    group = run.plan.groups[0]
    where = {"fork": 0, "bundle": 0, "replicate": 1, "attempt": 0}
    run.add(Failure(case=group.ceilings[0], reason="wrong sum", **where))
    assert of_group(run, group).case.strategy == "fake/candidate-1"
    for sample in run.ceilings:
        sample.void = "not cold"
    assert of_group(run, group) is None
    assert ceilings.promising(run, group) == list(group.ceilings), "nothing is known of them yet"
