"""A fork and what it serves: started, warmed up, looked at, asked for samples, every answer verified."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, field
from pathlib import Path

from iogauge import wire
from iogauge.corpus import Manifest
from iogauge.fork import Fork, Talk
from iogauge.model import ForkSpec, Strategy
from iogauge.wire import Spans

WARM_UP_SPAN = 0.010  # seconds
MOST_SPANS = 50  # per request
MOST_WARM_UP_REQUESTS = 20
LONGEST_SHORT_OPERATION = 0.100  # above it, an operation is one span, and having idled does not matter
ALONE_SPANS, ALONE_SPAN = 3, 0.004
STEADY = math.log(1.10)  # a steady fork's spans alone do not get faster by more
START_TIMEOUT, ANSWER_TIMEOUT = 60.0, 120.0


class Failure(Exception):
    """What the runner did was not the work that was asked for."""


@dataclass(frozen=True)
class DataFile:
    path: Path
    manifest: Manifest

    @property
    def shape(self) -> str:
        """Files of one shape hold the same bytes, whatever their cache state: `bytes 16777216`."""
        return f"{self.manifest.content} {self.manifest.size}"


@dataclass
class Tenant:
    """A live fork. By shape of file: `levels` ns per operation seen alone (before that: while warming up), `fastest` the
    least seen alone, `warm_up` the whole curve of ns per operation, `collections` per operation (None: not told).

    The methods raise Refusal (the runner said no), WireError (it is gone, or not to be believed) or Failure (wrong work).
    """

    fork: Fork
    number: int
    spec: ForkSpec
    strategy: Strategy
    flags: list[str] = field(default_factory=list)
    levels: dict[str, float] = field(default_factory=dict)
    fastest: dict[str, float] = field(default_factory=dict)
    collections: dict[str, float | None] = field(default_factory=dict)
    warm_up: dict[str, list[float]] = field(default_factory=dict)
    steady: dict[str, bool | None] = field(default_factory=dict)

    def opened(self) -> Talk:
        """Greet the runner and have it prepare the strategy."""
        hello = yield self.fork, wire.hello(), START_TIMEOUT
        self.flags = hello.flags
        spec = self.spec
        opening = wire.open_strategy(spec.strategy, spec.parameters, self.strategy.operation, spec.consume)
        yield self.fork, opening, START_TIMEOUT

    def warmed_up(self, file: DataFile, seconds: float) -> Talk:
        """At least one operation, then spans of about 10 ms until `seconds` have passed."""
        series = self.warm_up.setdefault(file.shape, [])
        operations, spans, spent = 1, 1, 0.0
        for _ in range(MOST_WARM_UP_REQUESTS):  # a runner that claims to take no time must not keep us here
            request = wire.sample(operations, spans, str(file.path))
            reply = yield self.fork, request, ANSWER_TIMEOUT + 4 * operations * self.levels.get(file.shape, 0) / 1e9
            self.verify(reply, operations, spans, file)
            series += [round(ns / operations, 1) for ns in reply.ns]
            per_op = max(reply.ns[-1] / operations, 1.0)
            self.levels[file.shape] = per_op
            counts = reply.counters.gc_count
            self.collections[file.shape] = None if counts is None else sum(counts) / (operations * spans)
            spent += sum(reply.ns) / 1e9
            if spent >= seconds:
                return
            operations = max(1, round(WARM_UP_SPAN * 1e9 / per_op))
            spans = max(1, min(MOST_SPANS, math.ceil((seconds - spent) / (operations * per_op / 1e9))))

    def look_alone(self, file: DataFile) -> bool | None:
        """Do spans keep a level, with nothing else running? None where operations are too long to ask. Sets the level."""
        per_op = self.levels[file.shape] / 1e9
        if per_op > LONGEST_SHORT_OPERATION:
            return None
        operations = max(1, round(ALONE_SPAN / per_op))
        reply = self.fork.ask(wire.sample(operations, ALONE_SPANS, str(file.path)), ANSWER_TIMEOUT)
        self.verify(reply, operations, ALONE_SPANS, file)
        levels = [max(ns, 1) / operations for ns in reply.ns]
        self.levels[file.shape] = statistics.median(levels)
        self.fastest[file.shape] = min(levels)
        self.steady[file.shape] = math.log(min(levels[:-1]) / levels[-1]) < STEADY
        return self.steady[file.shape]

    def sample(self, file: DataFile, operations: int) -> Spans:
        """One verified span. The caller has set the conditions."""
        patience = ANSWER_TIMEOUT + 20 * operations * self.levels.get(file.shape, 0) / 1e9
        reply = self.fork.ask(wire.sample(operations, 1, str(file.path)), patience)
        self.verify(reply, operations, 1, file)
        return reply

    def release(self) -> None:
        """Have it let go of every file."""
        self.fork.ask(wire.release(), ANSWER_TIMEOUT)

    def verify(self, reply: Spans, operations: int, spans: int, file: DataFile) -> None:
        """Equal work, or no sample: counts, bytes and sums of every span, and some time taken."""
        wire.check_spans(reply, operations, spans)
        idle = self.strategy.role == "null"
        length = 0 if idle else file.manifest.size
        total = None if idle else file.manifest.expected_sum(self.spec.consume)
        for span in range(spans):
            if reply.bytes[span] != length * operations:
                raise Failure(f"wrong count: {reply.bytes[span]} bytes reported, {length * operations} are right")
            said = None if reply.sum is None else reply.sum[span]
            if not _same_sum(said, None if total is None else total * operations):
                raise Failure(f"wrong sum: {said} reported, {None if total is None else total * operations} is right")


def _same_sum(said: int | None, due: int | None) -> bool:
    if said is None or due is None:
        return said is due
    return (said - due) % (1 << 64) == 0  # sums wrap at 64 bits on the wire
