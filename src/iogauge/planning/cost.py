"""About how long a plan takes, guessed before anything was measured. No result rests on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from iogauge.decision.rounds import TYPICAL, Cost, best_rounds
from iogauge.model.case import Case
from iogauge.model.method import Method
from iogauge.model.plan import Bundle, Group, Plan, PublishedProtocol
from iogauge.model.strategy import Runtime, Strategy

_BESIDE = 0.01  # seconds of what surrounds a sample
_COLLECTING = 0.15  # seconds of a sample, with its prelude, that spans garbage collections
_CANDIDATE = 0.2  # seconds of a candidate for a ceiling: its fork and its samples
_LEVEL = 0.2  # seconds until spans of a JVM are level, where it is not warmed up by calls
_SETTLING = 0.02  # seconds more after a write
_CALL = 0.7e-6  # seconds of a system call
_DRAWN = 25e-9  # seconds of a byte that is drawn at random
# Comparing a file takes so many times as long as writing it into the cache.
_CHECKED = 3.0
_WARM, _COLD, _DURABLE = 2e9, 0.7e9, 0.2e9  # bytes per second
_UNPACKED = 0.3e9  # bytes per second that come out of a packed file
# Bytes per second of a file that comes into the cache.
_BROUGHT = {"read-random": 0.15e9, "write-large": 0.4e9, "write-small": 0.4e9}
_LINES = 0.4e9  # bytes per second of a file that is read line by line


def counted_seconds(
    plan: Plan, group: Group, case: int, strategy: Strategy, per_byte: float | None = None
) -> float:
    """A case's seconds at its published length: a guess, unless the seconds per byte are known."""
    found = plan.cases[case]
    operations = _protocol(plan).untimed + (group.operations or 0)
    if not per_byte:
        sizes = [strategy.value(role, found.parameters, 0) for role in ("piece", "buffer")]
        piece = min(filter(None, sizes), default=1 if strategy.unit == "byte" else 8192)
        calls = 0.0 if strategy.unit == "file" else _CALL / piece
        per_byte = calls + (_DRAWN if strategy.generates else 1 / _WARM)
    return operations * per_byte * max(1, found.workload.size)


def timed_seconds(plan: Plan, runtimes: Sequence[Runtime]) -> float:
    """How long a published protocol takes whose iterations last a set time."""
    protocol = _protocol(plan)
    starts = {runtime.name: runtime.start_seconds for runtime in runtimes}
    measured = protocol.iterations * (protocol.iteration or 0.0)
    each = protocol.warm_ups * protocol.warm_up + measured

    def seconds(case: Case) -> float:
        """With comparing what was written into the cache, which takes longer than writing it."""
        checked = case.workload.writes_file and not case.conditions.durable
        return each * (_CHECKED if checked else 1.0) + starts[case.runtime]

    return sum(seconds(plan.cases[case]) for group in plan.groups for case in group.cases)


def replicate_seconds(
    plan: Plan,
    bundle: Bundle,
    runtimes: Sequence[Runtime],
    cores: int,
    method: Method,
    calls: Mapping[int, float] = MappingProxyType({}),
) -> float:
    """About how long one replicate of a bundle takes. Of code of the user's nobody can guess how
    long a call takes: `calls` has the seconds, by case, where they are known.
    """
    if plan.published and plan.published.iteration:
        return timed_seconds(plan, runtimes)
    by_name = {runtime.name: runtime for runtime in runtimes}
    if plan.published:
        return sum(
            counted_seconds(plan, group, number, by_name[case.runtime].strategies[case.strategy])
            for group in plan.groups
            for number, case in ((number, plan.cases[number]) for number in group.cases)
        )
    at_once = max(1, min(cores, 2))
    groups = [plan.groups[index] for index in bundle.groups]
    longest = max(
        (plan.cases[case].bytes_per_operation for group in groups for case in group.cases),
        default=0,
    )
    first: dict[int, float] = {}  # by fork, the longest first call
    for case, seconds in calls.items():
        first[plan.fork_of[case]] = max(seconds, first.get(plan.fork_of[case], 0.0))
    starts = sum(
        max(first.get(fork, 0.0), _started(by_name[plan.forks[fork].runtime], longest / _WARM))
        for fork in bundle.forks
    )
    starts /= at_once
    return starts + sum(
        _samples_seconds(plan, group, by_name, method, starts / len(groups), calls)
        for group in groups
    )


def by_case(plan: Plan, calls: Mapping[str, float]) -> dict[int, float]:
    """Seconds of a call by case, of those by strategy."""
    known = ((number, calls.get(case.strategy)) for number, case in enumerate(plan.cases))
    return {number: seconds for number, seconds in known if seconds is not None}


def ceilings_seconds(candidates: Mapping[int, Sequence[int]]) -> float:
    """About how long these candidates for ceilings, by group, take once."""
    return _CANDIDATE * sum(map(len, candidates.values()))


def _started(runtime: Runtime, operation: float) -> float:
    """About how long a fork takes to start and to warm up on operations of so many seconds."""
    calls = min(runtime.warm_up_calls * operation, runtime.longest_warm_up_seconds)
    if runtime.compiled_after_calls is not None and runtime.warm_up_calls * operation > calls:
        calls = min(calls, _LEVEL)
    return runtime.start_seconds + max(runtime.warm_up_seconds, calls)


def _samples_seconds(
    plan: Plan,
    group: Group,
    runtimes: dict[str, Runtime],
    method: Method,
    starts: float,
    calls: Mapping[int, float],
) -> float:
    """About how long the samples of a group take in a replicate."""
    of_round = once = 0.0
    for case in group.cases:
        call = calls.get(case)
        if call is None:
            of_round += _sample_seconds(group, plan.cases[case], runtimes, method)
        elif call > method.long_call:
            once += _BESIDE + call
        else:
            of_round += _BESIDE + max(call, method.warm_sample + method.prelude)
    fewest = method.fewest_rounds
    left = plan.budget / max(1, len(plan.groups))
    cost = Cost(starts + fewest * of_round, of_round, left, 1)
    brought = _BROUGHT.get(group.conditions.cached_by or "", _COLD)
    bringing = group.workload.size / brought if group.conditions.cache == "warm" else 0.0
    return once + bringing + of_round * best_rounds(TYPICAL, cost, fewest, group.rounds)


def _sample_seconds(
    group: Group, case: Case, runtimes: dict[str, Runtime], method: Method
) -> float:
    runtime, conditions = runtimes[case.runtime], group.conditions
    strategy = runtime.strategies[case.strategy]
    moved = case.bytes_per_operation
    rate = _LINES if strategy.by_line else _WARM
    rate = _UNPACKED if strategy.format == "gzip" else rate
    settling = _SETTLING if group.workload.writes_file else 0.0
    if conditions.cache == "cold":
        return _BESIDE + moved / min(_COLD, rate)
    if conditions.durable:
        return _BESIDE + settling + max(method.durable_sample, moved / _DURABLE)
    if runtime.collects and strategy.needs.memory_per_file_byte:
        return _BESIDE + settling + max(_COLLECTING, 2 * moved / rate)
    prelude = method.prelude_mapped if strategy.reads_mapped else method.prelude
    prelude = max(prelude, moved / rate)
    if moved / rate > method.longest_short_operation:  # it has none
        prelude = 0.0
    return _BESIDE + settling + max(method.warm_sample, moved / rate) + prelude


def _protocol(plan: Plan) -> PublishedProtocol:
    if plan.published is None:
        raise ValueError("this plan is not of a published protocol")
    return plan.published
