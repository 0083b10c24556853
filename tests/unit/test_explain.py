"""Sentences from figures: each where its figures are, and nowhere else."""

from __future__ import annotations

import io
import math
from dataclasses import replace

import pytest
from rich.console import Console

from iogauge.advice import explanations, reasons
from iogauge.advice.sweeps import Knee, ParameterWithoutEffect
from iogauge.outputs import explanation
from iogauge.outputs.document import Document
from iogauge.statistics.intervals import Interval
from tests.fake_study import group, steady
from tests.reports import case_report, interval

MIB = 1 << 20
MS = 1e6


SMALL_CALLS = {
    "parameters": {"block": 4096},
    "ns": 8 * MS,
    "user_ns_per_op": 1 * MS,
    "system_ns_per_op": 5.12 * MS,
    "read_calls_per_op": 4096,
    "bytes_per_read_call": 4096,
}


def says(**figures) -> str:
    return " ".join(explanations.of_case(case_report(**figures)).says)


def limit(**given) -> str | None:
    return explanations.of_case(case_report(**given)).of_limit


def figures(**given) -> dict[str, str]:
    return dict(explanations.of_case(case_report(**given)).figures)


def test_why_calls_are_not_known_is_said():
    assert says(why_uncounted="a loop's are counted with them") == (
        "Its calls are not known: a loop's are counted with them."
    )


def test_without_evidence_nothing_is_said():
    assert says() == "" and figures() == {}


def test_small_calls_are_counted_and_larger_ones_proposed():
    found = says(**SMALL_CALLS)
    assert (
        found
        == "The kernel takes about 64 % of the time, in 4 096 read calls of 4 KiB (at most 1.25 µs each). With calls of 64 KiB there would be 16 times fewer, which saves at most about 60 % of the time."
    )


@pytest.mark.parametrize(
    "little_to_gain",
    [
        {"system_ns_per_op": 1.2 * MS, "user_ns_per_op": 6.8 * MS},
        {"other_share": 0.85},
        {"of_ceiling": interval(0.9)},
    ],
)
def test_larger_calls_are_proposed_only_where_they_may_save_time(little_to_gain):
    """The kernel takes little of the time; or other work leaves little; or the case is near the
    ceiling already.
    """
    found = says(**{**SMALL_CALLS, **little_to_gain})
    assert "4 096 read calls of 4 KiB" in found and "fewer" not in found


@pytest.mark.parametrize(
    ("size", "parameters", "calls", "shown", "sentence"),
    [
        (64 << 10, {"block": 64 << 10}, 2, "1 of 64 KiB and an empty one", "in 1 read call of 64"),
        (64 << 10, {}, 2, "1 of 64 KiB and an empty one", "in 1 read call of 64"),
        (64 << 10, {"block": 32 << 10}, 2, "2 of 32 KiB", "in 2 read calls of 32"),
        (64 << 10, {"block": 1, "buffer": 8192}, 9, "8 of 8 KiB and an empty one", "8 read calls"),
        (100_000, {"block": 65536}, 3, "2 of 48.8 KiB and an empty one", "2 read calls"),
        (64 << 10, {"block": 64 << 10}, 1, "1 of 64 KiB", "in 1 read call of 64"),
    ],
)
def test_the_empty_call_at_the_end_is_no_call_of_data(size, parameters, calls, shown, sentence):
    case = {"size": size, "parameters": parameters, "ns": 8 * MS, "user_ns_per_op": 1 * MS}
    counted = {"read_calls_per_op": calls, "bytes_per_read_call": size / calls}
    assert figures(**case, **counted)["read calls"] == shown, "as nothing else tells it"
    assert sentence in says(**case, **counted, system_ns_per_op=5 * MS)


def test_where_no_end_is_read_no_call_is_empty():
    written = {"operation": "write", "consume": "none", "mode": "truncate"}
    conditions = {"durability": "none", "lifetime": "operation"}
    calls = {"read_calls_per_op": 2, "bytes_per_read_call": 100}
    assert figures(**calls, workload=written, conditions=conditions)["read calls"] == "2 of 100 B"
    at_random = {"accesses": 2, "access_bytes": 100}
    assert figures(**calls, workload=at_random)["read calls"] == "2 of 100 B"


def test_large_calls_are_only_counted():
    found = says(
        ns=8 * MS,
        user_ns_per_op=1 * MS,
        system_ns_per_op=5.12 * MS,
        read_calls_per_op=16,
        bytes_per_read_call=MIB,
        parameters={"block": MIB},
    )
    assert "16 read calls of 1 MiB" in found and "fewer" not in found


def test_one_call_is_one():
    found = says(
        ns=8 * MS,
        user_ns_per_op=1 * MS,
        system_ns_per_op=4 * MS,
        read_calls_per_op=1.0001,
        bytes_per_read_call=MIB,
        parameters={"block": MIB},
    )
    assert ", in 1 read call of 1 MiB (at most 4.00 ms)." in found


def test_writes_speak_of_write_calls():
    found = says(
        ns=8 * MS,
        workload={"operation": "write", "consume": "none", "mode": "truncate"},
        conditions={"durability": "none", "lifetime": "operation"},
        user_ns_per_op=1 * MS,
        system_ns_per_op=4 * MS,
        write_calls_per_op=2048,
        bytes_per_write_call=8192,
        read_calls_per_op=1,
        bytes_per_read_call=10,
    )
    assert "2 048 write calls of 8 KiB" in found and "read calls" not in found


@pytest.mark.parametrize(
    "missing",
    [
        {"system_ns_per_op": None},
        {"read_calls_per_op": None},
        {"bytes_per_read_call": None},
        {"system_ns_per_op": 0.2 * MS},
        {"minor_faults_per_op": 4000, "major_faults_per_op": 0},
        {"elapsed_ns_per_op": None},
        {
            "workload": {"operation": "copy", "consume": "none", "mode": "truncate"},
            "conditions": {"cache": "warm", "durability": "none", "lifetime": "operation"},
        },
    ],
)
def test_calls_are_not_blamed_without_the_figures(missing):
    """Processor time unknown, or not the kernel's; faults beside them: the calls need not be what
    takes the time.
    """
    known = {
        "ns": 8 * MS,
        "user_ns_per_op": 1 * MS,
        "system_ns_per_op": 5 * MS,
        "read_calls_per_op": 4096,
        "bytes_per_read_call": 4096,
    }
    assert "calls" not in says(**{**known, **missing})


def test_waiting_is_said_where_an_operation_may_wait():
    cold = {
        "ns": 10 * MS,
        "conditions": {"cache": "cold"},
        "user_ns_per_op": 1 * MS,
        "system_ns_per_op": 2 * MS,
    }
    assert says(**cold) == "The process waits for at least about 70 % of the time."
    assert says(**{**cold, "conditions": {"cache": "warm"}}) == ""
    assert "waits" not in says(**{**cold, "user_ns_per_op": 8 * MS})


def test_where_operations_wait_calls_are_given_only_the_kernels_time():
    """The kernel's time over the calls: what each of them waits for the device is not in it, and
    nothing says that it is.
    """
    found = says(
        ns=16 * MS,
        conditions={"cache": "cold"},
        user_ns_per_op=0.8 * MS,
        system_ns_per_op=3.2 * MS,
        read_calls_per_op=128,
        bytes_per_read_call=128 << 10,
        parameters={"block": 128 << 10},
    )
    assert (
        "The kernel takes about 20 % of the time, in 128 read calls of 128 KiB (at most 25.0 µs each)."
        in found
    )


def test_several_processors():
    busy = {"ns": 10 * MS, "user_ns_per_op": 10 * MS, "system_ns_per_op": 8 * MS}
    assert "The process keeps about 1.8 cores busy at a time." in says(**busy)
    assert "cores" not in says(**{**busy, "system_ns_per_op": 2 * MS}), (
        "what a request takes around its operations"
    )
    assert "cores" not in says(**{**busy, "system_ns_per_op": 4 * MS, "operations": 16}), (
        "22 ticks may be 18"
    )
    beyond = says(
        ns=10 * MS,
        user_ns_per_op=4 * MS,
        system_ns_per_op=15 * MS,
        read_calls_per_op=16,
        bytes_per_read_call=MIB,
        parameters={"block": MIB},
    )
    assert "The kernel keeps about 1.50 cores busy, in 16 read calls" in beyond
    counted = {
        "ns": 10 * MS,
        "user_ns_per_op": 0,
        "system_ns_per_op": 10.4 * MS,
        "read_calls_per_op": 16,
        "bytes_per_read_call": MIB,
        "parameters": {"block": MIB},
    }
    assert "The kernel takes all of the time, in 16 read calls" in says(
        **counted, operations=160
    ), "416 ticks may be 376"
    assert "The kernel keeps about 1.04 cores busy" in says(**counted, operations=1_000_000)


def test_the_time_of_a_call_fits_the_time_above_it():
    """Processor time is a share of all that passed, slow operations too; what stands above is the
    typical operation.
    """
    found = says(
        ns=8 * MS,
        elapsed_ns_per_op=16 * MS,
        user_ns_per_op=1 * MS,
        system_ns_per_op=8 * MS,
        read_calls_per_op=40,
        bytes_per_read_call=100 << 10,
        parameters={"block": 100 << 10},
    )
    assert (
        "The kernel takes about 50 % of the time, in 40 read calls of 100 KiB (at most 100 µs each)."
        in found
    )


def test_of_what_cannot_be_only_that_is_said():
    known = {
        "ns": 8 * MS,
        "user_ns_per_op": 10 * MS,
        "system_ns_per_op": 25 * MS,
        "read_calls_per_op": 4096,
        "bytes_per_read_call": 4096,
        "of_ceiling": interval(4.0),
    }
    assert says(**known) == "" and limit(**known) == (
        "4.0 times this machine's limit, so something is wrong: see the notes of `iogauge show "
        "--details`"
    )
    assert reasons.first(case_report(**known)) is None


def test_faults_of_a_mapping_and_of_fresh_memory():
    mapped = {"minor_faults_per_op": 256, "major_faults_per_op": 0, "uncounted": True}
    assert (
        says(**mapped) == "The file is read without system calls: 256 page faults map 64 KiB each."
    )
    assert (
        says(**{**mapped, "minor_faults_per_op": 4096})
        == "The file is read without system calls: 4 096 page faults map 4 KiB each."
    )
    assert says(**{**mapped, "uncounted": False}) == "", (
        "calls may be unknown because the kernel tells none"
    )
    assert says(**{**mapped, "uncounted": False, "minor_faults_per_op": 4096}) == "", (
        "so these may be the file's pages"
    )
    unsure = {"uncounted": False, "minor_faults_per_op": 4096, "write_calls_per_op": 0}
    assert says(**{**mapped, **unsure}) == "", "nor does it help that writes are known"
    fresh = says(
        minor_faults_per_op=8192,
        major_faults_per_op=0,
        read_calls_per_op=2,
        bytes_per_read_call=8 * MIB,
    )
    assert (
        fresh
        == "Each operation touches 8 192 fresh pages of memory, 2.0 times as many as the data fill."
    )
    assert says(minor_faults_per_op=3, major_faults_per_op=0) == "", (
        "some pages of a library say nothing"
    )


def test_other_work_and_collections():
    assert says(other_share=0.6) == "About 60 % of the time is not I/O (measured alone)."
    assert says(other_share=1.3) == "All of the time is not I/O (measured alone)."
    assert "not I/O" not in says(other_share=0.05)
    hardly = case_report(other_share=0.6)
    work = replace(hardly.compute, share=Interval(0.6, 0.0, math.inf, 2))
    assert [each.says for each in reasons.of_case(replace(hardly, compute=work))] == [
        "About 60 % of the time is not I/O (measured alone, in few repeats)."
    ]
    found = says(ns=10 * MS, gc_ns_per_op=1 * MS, allocated_bytes_per_op=16 * MIB)
    assert found == "Garbage collection takes 1.00 ms, for 16 MiB that each operation allocates."
    assert says(ns=10 * MS, gc_ns_per_op=1 * MS) == "", "what it allocates is not known"
    assert says(ns=10 * MS, gc_ns_per_op=0.1 * MS, allocated_bytes_per_op=16 * MIB) == ""


def test_the_distance_to_the_ceiling():
    assert limit(of_ceiling=interval(0.8, 0.05)) == "80 % of the limit (76-84 %)"
    assert limit(of_ceiling=Interval(0.8, 0.0, float("inf"), 1)) == "80 % of the limit"
    assert limit(of_ceiling=interval(0.8, 0.05), parameters={"threads": 2}) == (
        "80 % of the limit with 2 threads (76-84 %)"
    )
    assert "something is wrong" in limit(of_ceiling=interval(2.0, 0.1))
    assert limit(of_ceiling=interval(1.05, 0.1)) == "100 % of the limit (94-100 %)"
    assert limit(of_ceiling=interval(1.05, 0.01)) == "100 % of the limit", "100-100 % says nothing"
    assert limit() is None


def test_what_accounts_for_most_of_the_time_is_said_first():
    mostly_work = case_report(**SMALL_CALLS, other_share=0.7)
    assert reasons.first(mostly_work) == "About 70 % of the time is not I/O (measured alone)."
    mostly_calls = case_report(**SMALL_CALLS, other_share=0.3)
    assert reasons.first(mostly_calls).startswith("The kernel takes about 64 % of the time")


def test_figures_that_a_sentence_has_are_not_told_again():
    assert "64 %" in says(**SMALL_CALLS) and figures(**SMALL_CALLS).keys() == {"program"}


BUFFERED = {
    "ns": 0.02 * MS,
    "user_ns_per_op": 0.005 * MS,
    "system_ns_per_op": 0.015 * MS,
    "read_calls_per_op": 9,
    "bytes_per_read_call": (64 << 10) / 9,
    "size": 64 << 10,
    "parameters": {"block": 8192},
}
BY_BYTE = {
    "ns": 60 * MS,
    "user_ns_per_op": 15 * MS,
    "system_ns_per_op": 45 * MS,
    "read_calls_per_op": 65537,
    "bytes_per_read_call": 65536 / 65537,
    "size": 64 << 10,
    "parameters": {"block": 1},
}


def why(slower, faster) -> str | None:
    return reasons.main_reason(case_report(**slower), case_report(**faster))


def test_one_thing_is_most_of_a_difference():
    assert why(BY_BYTE, BUFFERED) == (
        "75 % of the difference is time in the kernel (65 536 read calls of 1 B, not 8 of 8 KiB)"
    )
    assert why(BUFFERED, BY_BYTE) is None, "it is the faster one"
    assert why({**BY_BYTE, "system_ns_per_op": None}, BUFFERED) is None
    even = {"user_ns_per_op": 20 * MS, "system_ns_per_op": 20 * MS}
    assert why({**BY_BYTE, **even}, BUFFERED) is None, "a third each is not most"
    own = {"user_ns_per_op": 50 * MS, "system_ns_per_op": 5 * MS}
    assert why({**BY_BYTE, **own}, BUFFERED).endswith("is time in the program itself")
    assert why({**BY_BYTE, **own, "other_share": 0.8}, BUFFERED) == (
        "80 % of the difference is work that is not I/O"
    )


def test_the_line_of_figures():
    found = figures(
        ns=8 * MS,
        user_ns_per_op=2 * MS,
        system_ns_per_op=4 * MS,
        read_calls_per_op=2049,
        bytes_per_read_call=8188,
        minor_faults_per_op=0.01,
        major_faults_per_op=0,
        context_switches_per_op=500,
        device_read_bytes_per_op=24 * MIB,
        allocated_bytes_per_op=8192,
        of_ceiling=interval(0.5),
    )
    assert found == {
        "program": "25 %",
        "switches": "500",
        "from the device": "24 MiB",
        "allocates": "8 KiB",
    }
    assert figures(user_ns_per_op=1.4 * MS, system_ns_per_op=0.01 * MS)["program"] == "1.4 cores"
    assert "faults" not in found, "what hardly happens is not told"
    as_asked = figures(device_read_bytes_per_op=16 * MIB, context_switches_per_op=3)
    assert as_asked == {}, "nor is what was to be expected"


def test_knees_and_dead_knobs_in_words():
    called = {"x/read": "Read"}
    knee = Knee(
        "x/read", "x-1.0", {}, "block", (4096, 65536, 262144, MIB), MIB, (262144, MIB), 65536
    )
    assert (
        explanations.of_knee(knee, called)
        == "Read: the best block is 1M, and 256K may be as good. The smallest that is surely within 5 % is 64K."
    )
    unknown = Knee("x/read", "x-1.0", {"buffer": 8192}, "block", (4096, MIB), MIB, (MIB,), None)
    assert (
        explanations.of_knee(unknown, called)
        == "Read (buffer 8K): the best block so far is 1M. That is not sure yet."
    )
    alone = Knee("x/read", "x-1.0", {}, "block", (4096, MIB), MIB, (MIB,), MIB)
    assert (
        explanations.of_knee(alone, {})
        == "x/read: the best block is 1M. No smaller one is surely within 5 %."
    )
    assert explanations.of_knee(unknown, called, several=True).startswith(
        "Read (buffer 8K) on x-1.0: the best block"
    )
    without_effect = ParameterWithoutEffect("x/read", "x-1.0", {}, "buffer", (1024, MIB))
    assert (
        explanations.of_parameter_without_effect(without_effect, 0.03, called)
        == "Read: buffer has no effect from 1K to 1M. The calls stay the same, and the time changes by 3 % at most."
    )
    overridden = ParameterWithoutEffect("x/read", "x-1.0", {}, "block", (65536,), 8192.0)
    assert (
        explanations.of_parameter_without_effect(overridden, 0.03, called)
        == "Read: the API overrides block 64K. Its calls move 8 KiB each."
    )


def test_a_question_begins_with_its_answer_and_its_number(measured_once):
    """What stands for the whole run comes last, and of memory where it matters."""
    text = group(steady(20, 21, 100)) + group(steady(20, 60), size="4K", identifier="small")
    document = Document(measured_once(text).run)
    report = replace(document.report, caveats=("the machine changed its pace",))
    document.__dict__["report"] = report
    console = Console(file=io.StringIO(), width=80)
    console.print(explanation.render(document))
    lines = console.file.getvalue().splitlines()
    assert lines[0].startswith("1 Which fake is fastest? (cached")
    assert lines[1].startswith("  Fake: steady, speed 20.")
    assert any(line.startswith("2 Which fake") for line in lines)
    pace = next(place for place, line in enumerate(lines) if "its pace" in line)
    assert pace > max(place for place, line in enumerate(lines) if "Fake: " in line)
