"""About how long a plan takes, guessed before anything was measured. No result rests on it."""

from __future__ import annotations

from collections.abc import Sequence

from iogauge.model.case import Case
from iogauge.model.method import Method
from iogauge.model.plan import Bundle, Group, Plan, PublishedProtocol
from iogauge.model.strategy import Runtime, Strategy
from iogauge.planning.order import rounds_of

_SAMPLE = 0.017  # seconds of a short sample with what surrounds it
_SETTLING = 0.02  # seconds more after a write
_CALL = 0.7e-6  # seconds of a system call
_DRAWN = 25e-9  # seconds of a byte that is drawn at random
# Comparing a file takes so many times as long as writing it into the cache.
_CHECKED = 3.0
_WARM, _COLD, _DURABLE = 2e9, 0.7e9, 0.2e9  # bytes per second


def counted_seconds(
    plan: Plan, group: Group, case: int, strategy: Strategy, per_byte: float | None = None
) -> float:
    """How long a case takes at its published length, whose operations are counted. A guess, unless
    the seconds per byte are known.
    """
    found, protocol = plan.cases[case], _protocol(plan)
    operations = protocol.untimed + (group.operations or 0)
    of_byte = per_byte or _seconds_per_byte(found, strategy)
    return operations * of_byte * max(1, found.workload.size)


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
    plan: Plan, bundle: Bundle, runtimes: Sequence[Runtime], cores: int, method: Method
) -> float:
    """About how long one replicate of a bundle takes."""
    if plan.published and plan.published.iteration:
        return timed_seconds(plan, runtimes)
    by_name = {runtime.name: runtime for runtime in runtimes}
    if plan.published:
        return sum(
            counted_seconds(plan, group, case, _declared(plan.cases[case], by_name))
            for group in plan.groups
            for case in group.cases
        )
    at_once = max(1, min(cores, 2))
    starts = sum(by_name[plan.forks[fork].runtime].start_seconds for fork in bundle.forks)
    samples = sum(_samples_seconds(plan, plan.groups[index], method) for index in bundle.groups)
    return starts / at_once + samples


def _samples_seconds(plan: Plan, group: Group, method: Method) -> float:
    """About how long the samples of a group take in a replicate."""
    moved = plan.cases[group.baseline].bytes_per_operation
    speed = _WARM
    if group.conditions.cache == "cold":
        speed = _COLD
    elif group.conditions.durable:
        speed = _DURABLE
    settling = _SETTLING if group.workload.writes_file else 0.0
    one = _SAMPLE + settling + 2 * moved / speed
    return len(group.cases) * rounds_of(group.rounds, moved / speed, method) * one


def _seconds_per_byte(case: Case, strategy: Strategy) -> float:
    """What a case takes before anything of its strategy was measured."""
    sizes = [strategy.value(role, case.parameters, 0) for role in ("piece", "buffer")]
    piece = min(filter(None, sizes), default=1 if strategy.unit == "byte" else 8192)
    calls = 0.0 if strategy.unit == "file" else _CALL / piece
    return calls + (_DRAWN if strategy.generates else 1 / _WARM)


def _declared(case: Case, runtimes: dict[str, Runtime]) -> Strategy:
    return runtimes[case.runtime].strategies[case.strategy]


def _protocol(plan: Plan) -> PublishedProtocol:
    if plan.published is None:
        raise ValueError("this plan is not of a published protocol")
    return plan.published
