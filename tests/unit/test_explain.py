"""Sentences from figures: each where its figures are, and nowhere else."""

from __future__ import annotations

import io
import math
from dataclasses import replace

from rich.console import Console

from iogauge.advice import explanations, reasons
from iogauge.advice.explanations import Knee, ParameterWithoutEffect
from iogauge.analysis.evidence import Waiting
from iogauge.model.strategy import Command, Words
from iogauge.outputs import explanation
from iogauge.outputs.document import Document
from iogauge.statistics.intervals import Interval
from tests.fake_study import group, steady
from tests.reports import case_report, declared, interval

MIB = 1 << 20
MS = 1e6


def times(ns: float, user: float, system: float, **more) -> dict:
    """Of an operation, in ms."""
    return {
        "ns": ns * MS,
        "user_ns_per_op": user * MS,
        "system_ns_per_op": system * MS,
        **more,
    }


def reads(calls: float, size: float, **more) -> dict:
    return {"read_calls_per_op": calls, "bytes_per_read_call": size, **more}


SMALL_CALLS = times(8, 1, 5.12, parameters={"block": 4096}, **reads(4096, 4096))
LARGE_CALLS = reads(16, MIB, parameters={"block": MIB})
WRITTEN = {
    "workload": {"operation": "write", "consume": "none", "mode": "truncate"},
    "conditions": {"durability": "none", "lifetime": "operation"},
}
WAITS = times(10, 1, 2, conditions={"cache": "cold"})
KNOWN_CALLS = times(8, 1, 5, **reads(4096, 4096))
TELLS = {**KNOWN_CALLS, "beyond_calls_ns_per_op": 4.6 * MS}
COPIES = {
    "workload": {"operation": "copy", "consume": "none", "mode": "truncate"},
    "conditions": {"cache": "warm", "durability": "none", "lifetime": "operation"},
}
ALL_KERNEL = times(10, 0, 10.4, **LARGE_CALLS)
FASTER_THAN_CAN_BE = times(8, 10, 25, **reads(4096, 4096), of_ceiling=interval(4.0))
MAPPED = {"minor_faults_per_op": 256, "major_faults_per_op": 0, "uncounted": True}
COLLECTS = {"ns": 10 * MS, "gc_ns_per_op": 1 * MS, "allocated_bytes_per_op": 16 * MIB}


def of_64k(calls: int, size: int = 64 << 10, **parameters: int) -> dict:
    return times(8, 1, 5, size=size, parameters=parameters, **reads(calls, size / calls))


CASES = {
    "no evidence": {},
    "calls that are not known": {"why_uncounted": "a loop's are counted with them"},
    # Larger calls are proposed where they may save time: not where the kernel takes little of it, or
    # other work leaves little, or the case is near the ceiling already.
    "small calls": SMALL_CALLS,
    "small calls, little time in the kernel": {**SMALL_CALLS, **times(8, 6.8, 1.2)},
    "small calls, much other work": {**SMALL_CALLS, "other_share": 0.85},
    "small calls, near the ceiling": {**SMALL_CALLS, "of_ceiling": interval(0.9)},
    "large calls": times(8, 1, 5.12, **LARGE_CALLS),
    "one call": times(8, 1, 4, **reads(1.0001, MIB, parameters={"block": MIB})),
    # The empty call at the end is no call of data.
    "a call, and an empty one": of_64k(2, block=64 << 10),
    "a call of an unknown block, and an empty one": of_64k(2),
    "two calls, and no empty one": of_64k(2, block=32 << 10),
    "calls of a buffer, and an empty one": of_64k(9, block=1, buffer=8192),
    "two calls of a large block, and an empty one": of_64k(3, 100_000, block=65536),
    "one call, and no empty one": of_64k(1, block=64 << 10),
    "written, where no end is read": {**WRITTEN, **reads(2, 100)},
    "read at random, where no end is read": {
        "workload": {"accesses": 2, "access_bytes": 100},
        **reads(2, 100),
    },
    "write calls": {
        **WRITTEN,
        **times(8, 1, 4, **reads(1, 10)),
        "write_calls_per_op": 2048,
        "bytes_per_write_call": 8192,
    },
    # Calls are not blamed where they need not be what takes the time: the processor's time is not
    # known, or not the kernel's; there are faults beside them.
    "no time of the kernel": {**KNOWN_CALLS, "system_ns_per_op": None},
    "no calls": {**KNOWN_CALLS, "read_calls_per_op": None},
    "no size of a call": {**KNOWN_CALLS, "bytes_per_read_call": None},
    "hardly any time in the kernel": {**KNOWN_CALLS, "system_ns_per_op": 0.2 * MS},
    # What calls cannot cost here is for others, which larger blocks do not save.
    "other calls": TELLS,
    "other calls, and little else": {**TELLS, "beyond_calls_ns_per_op": 4.98 * MS},
    "other calls, and page faults": {
        **TELLS,
        **times(8, 5, 1.8),
        "beyond_calls_ns_per_op": 1.5 * MS,
        "minor_faults_per_op": 400,
        "major_faults_per_op": 0,
    },
    "other calls, on two processors": {
        **TELLS,
        **times(8, 2, 12),
        "beyond_calls_ns_per_op": 9 * MS,
    },
    "other calls, few beside calls that are worth saving": {
        **TELLS,
        "beyond_calls_ns_per_op": 0.8 * MS,
    },
    "faults beside the calls": {
        **KNOWN_CALLS,
        "minor_faults_per_op": 4000,
        "major_faults_per_op": 0,
    },
    "no time that all took": {**KNOWN_CALLS, "elapsed_ns_per_op": None},
    "copied, where calls read and write": {**KNOWN_CALLS, **COPIES},
    "waits": WAITS,
    "warm, where nothing waits": {**WAITS, "conditions": {"cache": "warm"}},
    "cold, and hardly waits": {**WAITS, "user_ns_per_op": 8 * MS},
    "sleeps": {"waiting": Waiting(0.981, True)},
    "sleeps, and hardly works": {"waiting": Waiting(0.9991, True)},
    "waits, perhaps for something else from the device": {"waiting": Waiting(0.7, False)},
    # The kernel's time over the calls: what each of them waits for the device is not in it.
    "calls that wait": times(
        16,
        0.8,
        3.2,
        conditions={"cache": "cold"},
        **reads(128, 128 << 10, parameters={"block": 128 << 10}),
    ),
    "two processors": times(10, 10, 8),
    "one processor, and what a request takes": times(10, 10, 2),
    "22 ticks of the clock, which may be 18": times(10, 10, 4, operations=16),
    "the kernel, on two processors": times(10, 4, 15, **LARGE_CALLS),
    "416 ticks of the kernel, which may be 376": {**ALL_KERNEL, "operations": 160},
    "the kernel, surely over one processor": {**ALL_KERNEL, "operations": 1_000_000},
    # Processor time is a share of all that passed, slow operations too; what stands above is the
    # typical operation.
    "slow operations among them": times(
        8,
        1,
        8,
        elapsed_ns_per_op=16 * MS,
        **reads(40, 100 << 10, parameters={"block": 100 << 10}),
    ),
    "faster than can be": FASTER_THAN_CAN_BE,
    "mapped": MAPPED,
    "mapped page by page": {**MAPPED, "minor_faults_per_op": 4096},
    "mapped, in small folios": {**MAPPED, "folio_bytes": 4096},
    "mapped, in middle ones": {**MAPPED, "folio_bytes": 65536},
    "mapped, in large ones": {**MAPPED, "minor_faults_per_op": 30, "folio_bytes": MIB},
    "copied out of small folios": times(
        8, 1, 5, **reads(128, 128 << 10, parameters={"block": 128 << 10}), folio_bytes=4096
    ),
    "copied out of large folios": times(
        8, 1, 5, **reads(128, 128 << 10, parameters={"block": 128 << 10}), folio_bytes=MIB
    ),
    "small pieces of small folios": times(8, 1, 5, **reads(4096, 4096), folio_bytes=4096),
    "few faults, calls that the kernel does not tell": {**MAPPED, "uncounted": False},
    "such calls, and faults that may be of the file's pages": {
        **MAPPED,
        "uncounted": False,
        "minor_faults_per_op": 4096,
    },
    "such calls and faults, though writes are known": {
        **MAPPED,
        "uncounted": False,
        "minor_faults_per_op": 4096,
        "write_calls_per_op": 0,
    },
    "fresh memory": {
        "minor_faults_per_op": 8192,
        "major_faults_per_op": 0,
        **reads(2, 8 * MIB),
    },
    "some pages of a library": {"minor_faults_per_op": 3, "major_faults_per_op": 0},
    "other work": {"other_share": 0.6},
    "nothing but other work": {"other_share": 1.3},
    "hardly any other work": {"other_share": 0.05},
    "garbage collection": COLLECTS,
    "garbage collection of what is not known": {**COLLECTS, "allocated_bytes_per_op": None},
    "little garbage collection": {**COLLECTS, "gc_ns_per_op": 0.1 * MS},
    "a share of the ceiling": {"of_ceiling": interval(0.8, 0.05)},
    "a share of the ceiling in one repeat": {"of_ceiling": Interval(0.8, 0.0, math.inf, 1)},
    "of the ceiling of two threads": {
        "of_ceiling": interval(0.8, 0.05),
        "parameters": {"threads": 2},
    },
    "twice the ceiling": {"of_ceiling": interval(2.0, 0.1)},
    "perhaps the ceiling": {"of_ceiling": interval(1.05, 0.1)},
    "surely the ceiling": {"of_ceiling": interval(1.05, 0.01)},  # "100-100 %" would say nothing
    "all figures": times(
        8,
        2,
        4,
        **reads(2049, 8188),
        minor_faults_per_op=0.01,
        major_faults_per_op=0,
        context_switches_per_op=500,
        device_read_bytes_per_op=24 * MIB,
        allocated_bytes_per_op=8192,
        of_ceiling=interval(0.5),
    ),
    "the program, on two processors": {
        "user_ns_per_op": 1.4 * MS,
        "system_ns_per_op": 0.01 * MS,
    },
    "figures that were to be expected": {
        "device_read_bytes_per_op": 16 * MIB,
        "context_switches_per_op": 3,
    },
}


CASES |= {
    f"{name}, time not known": {**figures, "system_ns_per_op": None}
    for name, figures in CASES.items()
    if "empty one" in name
}
"""So that the calls are among the figures."""


def told(**figures) -> str:
    """All that is said of a case."""
    found = explanations.of_case(case_report(**figures))
    says = [*found.says, *([f"({found.of_limit})"] if found.of_limit else [])]
    return " ".join([*says, *(f"[{name}: {text}]" for name, text in found.figures)]) or "–"


def test_what_is_said_of_a_case(snapshot):
    assert "\n".join(f"{name}: {told(**figures)}" for name, figures in CASES.items()) == snapshot


def test_of_few_repeats_the_other_work_is_said_to_be_so():
    hardly = case_report(other_share=0.6)
    work = replace(hardly.compute, share=Interval(0.6, 0.0, math.inf, 2))
    assert [each.says for each in reasons.of_case(replace(hardly, compute=work))] == [
        "The program's own work takes about 60 % of the time (measured alone, in few repeats)."
    ]


def test_what_accounts_for_most_of_the_time_is_said_first():
    mostly_work = case_report(**SMALL_CALLS, other_share=0.7)
    assert (
        reasons.first(mostly_work)
        == "The program's own work takes about 70 % of the time (measured alone)."
    )
    mostly_calls = case_report(**SMALL_CALLS, other_share=0.3)
    assert reasons.first(mostly_calls).startswith("The kernel takes about 64 % of the time")
    assert reasons.first(case_report(**FASTER_THAN_CAN_BE)) is None


COMMAND = Command(text="x {file}", run=Words(words=("x", "{file}")))
BUFFERED = times(
    0.02, 0.005, 0.015, **reads(9, (64 << 10) / 9), size=64 << 10, parameters={"block": 8192}
)
BY_BYTE = times(60, 15, 45, **reads(65537, 65536 / 65537), size=64 << 10, parameters={"block": 1})


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


def test_other_calls_are_no_reason_to_read_in_larger_blocks():
    others = {**BY_BYTE, "beyond_calls_ns_per_op": 40 * MS}
    assert why(others, BUFFERED) == (
        "75 % of the difference is time in the kernel (calls that do not read)"
    )
    fresh = {"major_faults_per_op": 0, "minor_faults_per_op": 60}  # what they cost is not known
    assert why({**others, **fresh}, BUFFERED).endswith("(65 536 read calls of 1 B, not 8 of 8 KiB)")
    command = replace(case_report(**TELLS), strategy=declared("x/a", command=COMMAND))
    assert [each.says for each in reasons.of_case(command)] == [
        "The kernel takes about 62 % of the time: 4 095 read calls of 4 KiB, about 5 %, and other "
        "calls to the kernel (its start among them), about 57 %; `strace -c -f` counts them."
    ]


def test_knees_and_parameters_without_effect_in_words(snapshot):
    called = {"x/read": "Read"}
    blocks = (4096, 65536, 262144, MIB)
    sure = Knee("x/read", "x-1.0", {}, "block", blocks, MIB, (262144, MIB), 65536)
    unsure = Knee("x/read", "x-1.0", {"buffer": 8192}, "block", (4096, MIB), MIB, (MIB,), None)
    largest = Knee("x/read", "x-1.0", {}, "block", (4096, MIB), MIB, (MIB,), MIB)
    without_effect = ParameterWithoutEffect("x/read", "x-1.0", {}, "buffer", (1024, MIB))
    overridden = ParameterWithoutEffect("x/read", "x-1.0", {}, "block", (65536,), 8192.0)
    said = [explanations.of_knee(each, called) for each in (sure, unsure, largest)]
    said.append(explanations.of_knee(largest, {}))
    said.append(explanations.of_knee(unsure, called, several=True))
    said += [
        explanations.of_parameter_without_effect(each, 0.03, called)
        for each in (without_effect, overridden)
    ]
    assert "\n".join(said) == snapshot


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
