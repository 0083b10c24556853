"""What a study is resolved with: options of the command line, and the machine."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from iogauge.host.folios import OneSize
from iogauge.host.processes import Files
from iogauge.model.case import Case
from iogauge.model.errors import UserError
from iogauge.model.plan import Compare, Plan, Protocol, Versions
from iogauge.model.strategy import Runtime, Strategy
from iogauge.model.workload import CachedBy, Workload

MIB = 1 << 20
OURS_MIB = 144
"""What iogauge itself takes while it measures, and the kernel for it."""
_LITTLE_MIB = 512
_FILES_OF_A_FORK = 6  # three pipes, and three files of /proc with what it did
_OUR_FILES = 16  # of iogauge itself, while it measures and starts forks


@dataclass(frozen=True)
class Options:
    """What the command line changes about a study. None leaves it as the study says.

    `cached_by` has the states in which cached files are read instead of the study's. `settings`
    holds pairs of a runner and options of its runtimes: every case of these runtimes is measured
    with and without them. With `versions`, only these are measured, against each other: what has
    their names, or those of `sides`, as runtime, strategy or label.
    """

    only: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    max_size: int | None = None
    budget: float | None = None
    precision: float | None = None
    tolerance: float | None = None
    compare: Compare | None = None
    seed: int = 0
    protocol: Protocol = "sound"
    settings: tuple[tuple[str, tuple[str, ...]], ...] = ()
    cached_by: tuple[CachedBy, ...] = ()
    versions: Versions | None = None
    sides: tuple[str, str] | None = None

    def asks(self, *ids: str) -> bool:
        """Whether a question with one of these ids (its own, its group's) is wanted."""
        return not self.questions or any(
            fnmatchcase(each, pattern) for pattern in self.questions for each in ids
        )

    @property
    def as_published(self) -> bool:
        return self.protocol == "published"


@dataclass(frozen=True)
class Machine:
    """The host to plan for: its runtimes, free memory (bytes), cores, and how many files iogauge
    may open (None: any number); `absent`, why a language cannot be measured here; and why cached
    files have only `one_state` where the data files go, None where they may have several.
    """

    runtimes: Sequence[Runtime]
    absent: Mapping[str, str]
    available_memory: int
    cores: int
    files: Files | None = None
    one_state: OneSize | None = None

    @property
    def memory_limit_mib(self) -> int:
        """Live forks take at most half of the available memory, or more where there is little."""
        return max(self.available_memory // 2 // MIB, min(_LITTLE_MIB, self.room_mib))

    @property
    def room_mib(self) -> int:
        """What is there for forks and for files in the cache together."""
        return max(0, self.available_memory // MIB - OURS_MIB)

    @property
    def largest_cached(self) -> int:
        """The bytes of the largest file that can stay in the cache."""
        return self.available_memory // 2

    def runtime(self, name: str) -> Runtime:
        return next(each for each in self.runtimes if each.name == name)

    def declared(self, strategy: str, runtime: str) -> Strategy:
        return self.runtime(runtime).strategies[strategy]


def most_forks(files: Files | None) -> float:
    """How many forks can live at a time with the files that iogauge may open."""
    return math.inf if files is None else max(0, files.left - _OUR_FILES) // _FILES_OF_A_FORK


def must_have_files(files: Files | None, forks: int) -> None:
    """Raises UserError where so many forks cannot live at a time."""
    if files is None or forks <= most_forks(files):
        return
    needed = files.limit - files.left + _OUR_FILES + forks * _FILES_OF_A_FORK
    raise UserError(
        f"iogauge may have {files.limit} files open at a time here (ulimit -n), and it needs "
        f"{needed} to measure this; raise the limit: ulimit -n {needed}"
    )


_HEAP_STEP_MIB = 64
# A fork holds the data to write as bytes and, while it decodes them, as characters.
_PAYLOAD_COPIES = 4


def heap_mib(case: Case, machine: Machine) -> int:
    """A fork's managed heap for a case in MiB: twice what an operation holds; 0 without heap."""
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


def together_mib(
    cases: Sequence[Case], baseline: int, heap_mib: int, machine: Machine, *, pairs: bool = False
) -> int:
    """The most that two forks take in MiB, one of them the baseline's (its control has one too). Of
    two versions, in `pairs`, both live beside the baseline.
    """

    def taken(case: Case) -> int:
        fixed = heap_mib if machine.runtime(case.runtime).heap_minimum_mib else 0
        return memory_mib(case, fixed, machine.runtimes)

    return taken(cases[baseline]) + max(map(taken, cases)) * (2 if pairs else 1)


def fork_memory_mib(plan: Plan, runtimes: Sequence[Runtime]) -> dict[int, int]:
    """The memory that each fork of the plan takes at most, in MiB."""
    most: dict[int, int] = {}
    for case, fork in zip(plan.cases, plan.fork_of, strict=True):
        needed = memory_mib(case, plan.forks[fork].heap_mib, runtimes)
        most[fork] = max(most.get(fork, 0), needed)
    return most


def _held(case: Case, runtime: Runtime) -> float:
    """Bytes that one operation holds at a time, without the data that it was given."""
    strategy, parameters = runtime.strategies[case.strategy], case.parameters
    pieces = max(strategy.value(role, parameters, 1) for role in ("parallel", "depth"))
    buffers = pieces * strategy.value("piece", parameters, 0)
    buffers += strategy.value("buffer", parameters, 0)  # as docs/wire.md has them
    return strategy.needs.memory_per_file_byte * case.workload.size + buffers


def _payload(workload: Workload) -> int:
    """Bytes of data that a fork holds in memory to write, or to work on."""
    return workload.size if workload.takes_payload else 0
