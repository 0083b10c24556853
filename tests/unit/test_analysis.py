"""Evidence per operation, and the levels of a run as published, from samples made by hand."""

from __future__ import annotations

import math

import pytest

from iogauge.advice import reasons
from iogauge.analysis import report
from iogauge.analysis.call_costs import CallCost
from iogauge.analysis.data import all_data
from iogauge.analysis.evidence import TICK_NS, Waiting, case_evidence, own_calls
from iogauge.model.plan import PublishedProtocol
from iogauge.runfile.records import Harness
from tests.runs import add_sample, empty_run, end_replicate, replanned

EVIDENCE = {
    "syscr": 241,
    "rchar": 240 * 8192 + 70,
    "syscw": 1,
    "wchar": 30,
    "user_ns": 80_000_000,
    "system_ns": 800_000_000,
}


def sampled(fake, **more):
    """A run of one sample: its 20 operations made EVIDENCE."""
    run = empty_run(fake, 10)
    given = {"ns": [100.0], "operations": [20], "evidence": EVIDENCE, **more}
    add_sample(run, 0, 0, 0, 0, given.pop("ns"), **given)
    return run


REQUEST = {"request_bytes": 70, "reply_bytes": 30}


def evidence_of(run, case=None):
    case = case or run.plan.cases[0]
    return case_evidence(run.columns, case, own_calls(run, case))


def in_memory(run):
    """The case, if it worked in memory."""
    case = run.plan.cases[0]
    workload = case.workload.model_copy(update={"medium": "memory"})
    return case.model_copy(update={"workload": workload})


def test_what_the_kernel_counts_is_shared_by_the_prelude_too(fake):
    """Two spans of 5 operations count and two before them do not: 20 operations made 240 calls; of
    the runtime's own counters only 10 are told.
    """
    collected = {"allocated_bytes": [50, 50], "gc_ns": [0, 10], "gc_count": [0, 1]}
    spans = {"ns": [100.0, 100.0], "operations": [5, 5], "prelude_ns": [120, 110]}
    found = evidence_of(sampled(fake, **spans, **REQUEST, counters=collected))
    assert found.operations == 10
    assert (found.read_calls_per_op, found.bytes_per_read_call) == (12, 8192)
    assert found.write_calls_per_op == 0
    assert (found.user_ns_per_op, found.system_ns_per_op) == (4e6, 40e6)
    assert (found.allocated_bytes_per_op, found.gc_ns_per_op) == (10, 1)
    assert found.gc_count_per_sample == 1
    assert evidence_of(sampled(fake, **REQUEST)).read_calls_per_op == 12, "without a prelude"


@pytest.mark.parametrize(("ticks", "known"), [(19, False), (20, True)])
def test_a_few_clock_ticks_say_nothing_of_processor_time(fake, ticks, known):
    evidence = {**EVIDENCE, "user_ns": 4 * TICK_NS, "system_ns": (ticks - 4) * TICK_NS}
    found = evidence_of(sampled(fake, evidence=evidence))
    assert (found.user_ns_per_op is not None, found.system_ns_per_op is not None) == (known, known)


def test_calls_that_the_kernel_does_not_count_are_not_known(fake):
    """A file that is read with less than a call for each operation is mapped, or goes through a
    ring: no calls would be a lie.
    """
    run = sampled(fake, evidence={**EVIDENCE, "syscr": 1, "rchar": 70}, **REQUEST)
    found = evidence_of(run)
    assert found.read_calls_per_op is found.bytes_per_read_call is None
    assert found.write_calls_per_op == 0
    assert evidence_of(run, in_memory(run)).read_calls_per_op == 0


@pytest.mark.parametrize(
    ("reads", "operations", "found"),
    [
        ([], 20, 12),
        ([None, None], 20, 12),
        ([1] * 16, 20, 12),
        ([3] * 16, 20, 11.9),
        ([3] * 12 + [2, 4, 4, 9], 20, 11.9),  # calls of the runtime's own, now and then
        ([2, 2, 4, 4], 20, 11.9),
        ([2] * 8 + [14] * 8, 20, None),
        ([2] * 8 + [14] * 8, 1000, 0.233),  # the strategy's own can be told all the same
        ([1] * 8 + [3] * 8, 1, 239),  # two of so many do not matter
    ],
)
def test_calls_of_requests_are_taken_out_as_the_null_strategy_showed_them(
    fake, reads, operations, found
):
    run = sampled(fake, operations=[operations])
    run.add(harness(run, [{"syscr": each, "syscw": 1} for each in reads]))
    seen = evidence_of(run, in_memory(run))
    assert seen.read_calls_per_op == (None if found is None else pytest.approx(found))
    assert (seen.write_calls_per_op, seen.uncounted) == (0, False)


def test_calls_that_cannot_be_told_from_others_are_not_known(fake, monkeypatch):
    run, why = sampled(fake), "a loop's are counted with them"
    case = run.plan.cases[0]
    seen = case_evidence(run.columns, case, own_calls(run, case), why)
    assert seen.read_calls_per_op is seen.bytes_per_read_call is seen.write_calls_per_op is None
    assert (seen.uncounted, seen.why_uncounted) == (False, why)
    assert seen.system_ns_per_op == evidence_of(run).system_ns_per_op
    strategies = run.header.runtimes[0].strategies
    uncounted = strategies[case.strategy].model_copy(update={"uncounted": why})
    monkeypatch.setitem(strategies, case.strategy, uncounted)  # other tests have the same runtime
    end_replicate(run, 0)
    (found,) = report.make(run).groups[0].cases[:1]
    assert found.evidence.read_calls_per_op is None and f"not known: {why}" in str(found.caveats)


QUICK_CALLS = {"read_call": {"ns": 900.0, "ns_per_byte": 0.04}, "usable_cores": 2}


@pytest.mark.parametrize(
    ("host", "system_ms", "cache", "beyond"),
    [
        (QUICK_CALLS, 800, "warm", 800 - 240 * (0.0009 + 8192 * 0.08e-6)),
        (QUICK_CALLS, 800, "cold", 800 - 240 * (3 * 0.0009 + 8192 * 0.08e-6)),
        ({"read_call": {"ns": 2e6, "ns_per_byte": 0.0}}, 800, "warm", 0),  # 480 ms for calls
        ({"read_call": None}, 800, "warm", 800 - 240 * (0.0015 + 8192 * 0.2e-6)),
        ({}, 800, "warm", 800 - 240 * (0.0015 + 8192 * 0.2e-6)),
    ],
)
def test_what_calls_cannot_cost_on_this_machine_is_for_others(fake, host, system_ms, cache, beyond):
    run = sampled(fake, evidence={**EVIDENCE, "system_ns": system_ms * 1_000_000}, **REQUEST)
    case = run.plan.cases[0]
    conditions = case.conditions.model_copy(update={"cache": cache})
    case = case.model_copy(update={"conditions": conditions})
    found = case_evidence(run.columns, case, own_calls(run, case), None, host)
    assert found.beyond_calls_ns_per_op == pytest.approx(beyond * 1e6 / 20)
    in_a_mapping = case_evidence(run.columns, in_memory(run), own_calls(run, case), None, host)
    assert in_a_mapping.beyond_calls_ns_per_op is None


def test_kernel_time_that_calls_may_take_is_theirs():
    cost, calls = CallCost(900.0, 0.04), (10, 40_960)
    usual, most = (10 * 900 + 40_960 * times * 0.04 for times in (2, 8))
    assert cost.beyond_calls(2 * most, *calls, from_device=False) == 0
    beyond = cost.beyond_calls(2.1 * most, *calls, from_device=False)
    assert beyond == pytest.approx(2.1 * most - usual)


def test_what_a_later_version_tells_of_calls_besides_is_passed_over():
    facts = {"read_call": {"ns": 800.0, "ns_per_byte": 0.05, "of_later": 1.0}}
    assert CallCost.of_host(facts) == CallCost(800.0, 0.05)


def test_a_loop_that_asks_where_it_is_before_each_read_is_told_of_other_calls(fake):
    run = sampled(fake, ns=[1.2e9], **REQUEST)
    run.header = run.header.model_copy(update={"host": {**run.header.host, **QUICK_CALLS}})
    end_replicate(run, 0)
    (found,) = report.make(run).groups[0].cases[:1]
    assert [each.says for each in reasons.of_case(found)] == [
        "The kernel takes about 67 % of the time: 11 read calls of 8.73 KiB, under 1 %, and other "
        "calls to the kernel, about 67 %; `explain --trace` names them."
    ]


SLEPT = {"user_ns": TICK_NS, "system_ns": TICK_NS, "read_bytes": 0, "write_bytes": 0}


@pytest.mark.parametrize(
    ("evidence", "machine", "found"),
    [
        ({}, {}, Waiting(0.98, True)),
        ({}, {"busy_ns": 1.2e9}, Waiting(0.98, True)),
        ({}, {"busy_ns": 1.4e9}, None),  # it may have waited for a processor
        ({}, {"busy_ns": 1.2e9, "steal_ns": 2e8}, None),
        ({"read_bytes": 4096}, {}, Waiting(0.98, False)),
        ({"write_bytes": 4096}, {}, Waiting(0.98, False)),
        ({"read_bytes": None}, {}, Waiting(0.98, False)),
        ({"user_ns": 4e8}, {}, None),  # it may be at work for half of the time
        ({"user_ns": 2e9}, {}, None),  # several threads are
        ({"user_ns": None}, {}, None),
    ],
)
def test_what_waits_for_nothing_that_can_be_seen_waits(fake, evidence, machine, found):
    machine = {"busy_ns": 2 * TICK_NS, "steal_ns": 0, "running": 0} | machine
    run = sampled(fake, ns=[1e9], evidence={**EVIDENCE, **SLEPT, **evidence}, machine=machine)
    case = run.plan.cases[0]

    def waiting(of=case, cores=2):
        host = {"usable_cores": cores}
        return case_evidence(run.columns, of, own_calls(run, of), None, host).waiting

    assert waiting() == found
    assert waiting(cores=None) is None
    cold = case.conditions.model_copy(update={"cache": "cold"})
    assert waiting(case.model_copy(update={"conditions": cold})) is None
    assert waiting(in_memory(run)) is None


def test_a_moment_says_nothing_of_waiting(fake):
    run = sampled(fake, ns=[1.9e8], evidence={**EVIDENCE, **SLEPT, "user_ns": 0, "system_ns": 0})
    assert evidence_of(run).waiting is None


def test_calls_of_requests_are_those_of_the_same_runtime_and_options(fake):
    run = sampled(fake)
    run.add(harness(run, [{"syscr": 41}], options=["-X"]))
    assert evidence_of(run).read_calls_per_op == 12
    run.add(harness(run, [{"syscr": 41}]))
    assert evidence_of(run).read_calls_per_op == 10


def harness(run, evidence, options=()):
    of = {"runtime": run.plan.cases[0].runtime, "options": list(options), "strategy": "fake/null"}
    return Harness(**of, ns=[1], operations=[1], evidence=evidence)


def test_as_published_a_level_is_the_mean_of_the_iterations_by_the_authors_clock(fake):
    """Half a tick where the clock would say nothing."""
    protocol = PublishedProtocol(iterations=3, clock=0.001)
    run = replanned(empty_run(fake, 10), protocol="published", published=protocol)
    for number, ns in enumerate((2_400_000, 3_600_000, 400_000)):
        add_sample(run, 0, 0, number, 0, [float(ns)])
    end_replicate(run, 0)
    (data,) = all_data(run)
    assert data.log_ns.shape[:2] == (1, 1)
    first, *others = data.log_ns[0, 0]
    assert math.exp(first) == pytest.approx((2e6 + 4e6 + 0.5e6) / 3)
    assert all(map(math.isnan, others))
