"""How much memory forks take, and how large their heaps must be."""

from __future__ import annotations

from collections.abc import Sequence

from iogauge.model.case import Case
from iogauge.model.plan import Plan
from iogauge.model.strategy import Runtime, Strategy
from iogauge.model.workload import Workload
from iogauge.planning.options import MIB, Machine

_HEAP_STEP_MIB = 64
# A fork holds the data to write as bytes and, while it decodes them, as characters.
_PAYLOAD_COPIES = 4


def heap_mib(case: Case, machine: Machine) -> int:
    """The managed heap of a fork that serves this case, in MiB: twice what one operation holds, and
    some; 0 where the runtime has no heap of a set size.
    """
    runtime = machine.runtime(case.runtime)
    if not runtime.heap_minimum_mib:
        return 0
    held = _held(case, runtime) + _PAYLOAD_COPIES * _payload(case.workload) / 2
    steps = 1 - (-int(2 * held / MIB) // _HEAP_STEP_MIB)  # blocks below a MiB need none
    return max(runtime.heap_minimum_mib, steps * _HEAP_STEP_MIB)


def memory_mib(case: Case, heap_mib: int, runtimes: Sequence[Runtime]) -> int:
    """What a fork takes for a case, in MiB; `heap_mib` is its fixed heap, 0 where it has none.

    That is twice what one operation holds. Without a fixed heap, the garbage of one operation stays
    while the next one allocates; with one, what is read into the heap may have a copy outside of it
    on its way.
    """
    runtime = next(each for each in runtimes if each.name == case.runtime)
    held = _held(case, runtime)
    if not heap_mib:
        held = 2 * held + _PAYLOAD_COPIES * _payload(case.workload)
    return heap_mib + runtime.overhead_mib + int(held / MIB)


def together_mib(cases: Sequence[Case], baseline: int, heap_mib: int, machine: Machine) -> int:
    """The most that two forks of a group take in MiB: each is compared with that of the baseline
    (the place of a case), whose control has one too.
    """

    def taken(case: Case) -> int:
        fixed = heap_mib if machine.runtime(case.runtime).heap_minimum_mib else 0
        return memory_mib(case, fixed, machine.runtimes)

    return taken(cases[baseline]) + max(map(taken, cases))


def fork_memory_mib(plan: Plan, runtimes: Sequence[Runtime]) -> dict[int, int]:
    """The memory that each fork of the plan takes at most, in MiB."""
    most: dict[int, int] = {}
    for case, fork in zip(plan.cases, plan.fork_of, strict=True):
        needed = memory_mib(case, plan.forks[fork].heap_mib, runtimes)
        most[fork] = max(most.get(fork, 0), needed)
    return most


def _held(case: Case, runtime: Runtime) -> float:
    """Bytes that one operation holds at a time, without the data that it was given."""
    strategy = runtime.strategies[case.strategy]
    held = strategy.needs.memory_per_file_byte * case.workload.size
    return held + _buffers(strategy, case.parameters)


def _payload(workload: Workload) -> int:
    """Bytes of data that a fork holds in memory to write, or to work on."""
    return workload.size if workload.takes_payload else 0


def _buffers(strategy: Strategy, parameters: dict[str, int]) -> int:
    """Bytes of the arrays and buffers that the parameters ask for (docs/wire.md)."""
    pieces = max(strategy.value(role, parameters, 1) for role in ("parallel", "depth"))
    buffer = strategy.value("buffer", parameters, 0)
    return pieces * strategy.value("piece", parameters, 0) + buffer
