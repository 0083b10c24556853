"""A fork and what it serves: started, warmed up, looked at, asked for samples, every answer
verified.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, field
from typing import Any

from iogauge.corpus.written import WrittenFiles
from iogauge.model.case import ForkSpec
from iogauge.model.strategy import Strategy
from iogauge.runners import wire
from iogauge.runners.fork import Fork, Talk
from iogauge.runners.task import Task
from iogauge.runners.wire import Spans

WARM_UP_SPAN = 0.010  # seconds
MOST_SPANS = 50  # per request
MOST_WARM_UP_REQUESTS = 100
LONGEST_SHORT_OPERATION = (
    0.100  # above it, an operation is one span, and having idled does not matter
)
LONGEST_FIRST = (
    2.0  # a first operation that took no longer may have been long only for being the first
)
ALONE_SPANS, ALONE_SPAN = 3, 0.004
STEADY = math.log(1.10)  # a steady fork's spans alone do not get faster by more
NULL_OPERATIONS, NULL_SPANS, NULL_WARM_UPS = 100_000, 20, 3
START_TIMEOUT, ANSWER_TIMEOUT = 60.0, 120.0


class Failure(Exception):
    """What the runner did was not the work that was asked for."""


@dataclass
class Tenant:
    """A live fork. By shape of task: `levels` ns per operation seen alone (before that: while
    warming up), `fastest` the least seen alone, `warm_up` the whole curve of ns per operation,
    `collections` per operation (None: not told).

    The methods raise Refusal (the runner said no), WireError (it is gone, or not to be believed),
    Failure or WrongFile (wrong work). Where a task writes files, `files` are those that it may
    write.
    """

    fork: Fork
    number: int
    spec: ForkSpec
    flags: list[str] = field(default_factory=list)
    levels: dict[str, float] = field(default_factory=dict)
    fastest: dict[str, float] = field(default_factory=dict)
    collections: dict[str, float | None] = field(default_factory=dict)
    warm_up: dict[str, list[float]] = field(default_factory=dict)
    steady: dict[str, bool | None] = field(default_factory=dict)
    padding: int = 0  # bytes, before each strategy that is opened (docs/wire.md)
    patience: float = ANSWER_TIMEOUT  # seconds, beside what the operations are expected to take
    calls: int = 0  # operations while warming up, and the seconds they took
    warming: float = 0.0
    _opening: dict[str, Any] | None = None

    def greeted(self) -> Talk:
        hello = yield self.fork, wire.hello(), START_TIMEOUT
        self.flags = hello.flags

    def opened(self, task: Task) -> Talk:
        """Have the runner prepare the task, unless that is what it did last."""
        if not self.has_open(task):
            self._opening = None
            yield self.fork, wire.padded(task.opening, self.padding), START_TIMEOUT
            self._opening = task.opening

    def has_open(self, task: Task) -> bool:
        return self._opening == task.opening

    def open(self, task: Task) -> None:
        if not self.has_open(task):
            self._opening = None
            self.fork.ask(wire.padded(task.opening, self.padding), START_TIMEOUT)
            self._opening = task.opening

    def warmed_up(
        self,
        task: Task,
        files: WrittenFiles | None,
        seconds: float,
        calls: int = 0,
        longest: float = 0.0,
    ) -> Talk:
        """At least one operation, then spans of about 10 ms until `seconds` have passed, and the
        fork made so many `calls`, on whatever task, or warmed up for `longest` seconds.
        """
        yield from self.opened(task)
        self.warm_up.setdefault(task.shape, [])
        operations, spans, spent = 1, 1, 0.0
        for _ in range(
            MOST_WARM_UP_REQUESTS
        ):  # a runner that claims to take no time must not keep us here
            request = wire.sample(operations, spans, paths(task, files, operations * spans))
            reply = yield (
                self.fork,
                request,
                ANSWER_TIMEOUT + 4 * operations * self.levels.get(task.shape, 0) / 1e9,
            )
            self.verify(reply, operations, spans, task)
            _tidy(files)
            self.warm_up[task.shape] += [round(ns / operations, 1) for ns in reply.ns]
            per_op = self._learn(task, reply, operations)
            taken = sum(reply.ns) / 1e9
            spent, self.warming, self.calls = (
                spent + taken,
                self.warming + taken,
                self.calls + operations * spans,
            )
            budget = longest - self.warming
            left = max(
                seconds - spent,
                min((calls - self.calls) * per_op / 1e9, budget) if per_op / 1e9 <= budget else 0.0,
            )
            if left <= 0:
                return
            operations = min(max(1, round(WARM_UP_SPAN * 1e9 / per_op)), task.most_operations)
            wanted = math.ceil(left / (operations * per_op / 1e9))
            spans = max(1, min(MOST_SPANS, wanted, task.most_operations // operations))

    def look_alone(self, task: Task, files: WrittenFiles | None) -> bool | None:
        """Do spans keep a level, with nothing else running? None where operations are too long to
        ask. Sets the level.

        Where all that is known is one operation, it was the first that the process carried out,
        while others started: its memory had to be brought in. Reading 64 MiB into a fresh array was
        seen to take 136 ms then, and 20 ms later on. So there is a second one.
        """
        per_op = self.levels[task.shape] / 1e9
        if (
            len(self.warm_up.get(task.shape, ())) == 1
            and LONGEST_SHORT_OPERATION < per_op <= LONGEST_FIRST
        ):
            per_op = self._learn(task, self.work(task, files, 1), 1) / 1e9
        if per_op > LONGEST_SHORT_OPERATION:
            return None
        operations = max(1, min(round(ALONE_SPAN / per_op), task.most_operations // ALONE_SPANS))
        reply = self.work(task, files, operations, ALONE_SPANS)
        levels = [max(ns, 1) / operations for ns in reply.ns]
        self.levels[task.shape] = statistics.median(levels)
        self.fastest[task.shape] = min(levels)
        self.steady[task.shape] = math.log(min(levels[:-1]) / levels[-1]) < STEADY
        return self.steady[task.shape]

    def _learn(self, task: Task, reply: Spans, operations: int) -> float:
        """Keep what is known of the last span, which is the ns per operation, and of the
        collections of all.
        """
        self.levels[task.shape] = max(reply.ns[-1] / operations, 1.0)
        counts = reply.counters.gc_count
        self.collections[task.shape] = (
            None if counts is None else sum(counts) / (operations * len(reply.ns))
        )
        return self.levels[task.shape]

    def work(
        self, task: Task, files: WrittenFiles | None, operations: int, spans: int = 1
    ) -> Spans:
        """Untimed operations, verified; what they wrote is removed."""
        self.open(task)
        reply = self.sample(task, operations, spans, paths(task, files, operations * spans))
        _tidy(files)
        return reply

    def sample(self, task: Task, operations: int, spans: int, where: list[str]) -> Spans:
        """Verified spans of a task that is open. The caller has set the conditions, and looks after
        the files that were written.
        """
        patience = self.patience + 20 * operations * spans * self.levels.get(task.shape, 0) / 1e9
        reply = self.fork.ask(wire.sample(operations, spans, where), patience)
        self.verify(reply, operations, spans, task)
        return reply

    def idle(self, null: Strategy) -> Spans:
        """Spans of the operation that does nothing, once it is compiled."""
        self._opening = None
        parameters = {name: limits.default for name, limits in null.parameters.items()}
        self.fork.ask(wire.open_strategy(null.name, parameters, "read", "none"), START_TIMEOUT)
        for _ in range(NULL_WARM_UPS):
            spans = self.fork.ask(wire.sample(NULL_OPERATIONS, NULL_SPANS, [""]), ANSWER_TIMEOUT)
            wire.check_spans(spans, NULL_OPERATIONS, NULL_SPANS)
        return spans

    def release(self) -> None:
        """Have it let go of every file."""
        self.fork.ask(wire.release(), ANSWER_TIMEOUT)

    def verify(self, reply: Spans, operations: int, spans: int, task: Task) -> None:
        """Equal work, or no sample: counts and sums of every span."""
        wire.check_spans(reply, operations, spans)
        count = task.count * operations
        total = task.total if task.total is None or task.of_last else task.total * operations
        for span in range(spans):
            if reply.count[span] != count:
                raise Failure(
                    f"wrong count: {reply.count[span]} {task.noun} reported, {count} are right"
                )
            said = None if reply.sum is None else reply.sum[span]
            if not _same_sum(said, total):
                raise Failure(f"wrong sum: {said} reported, {total} is right")


def paths(task: Task, files: WrittenFiles | None, operations: int) -> list[str]:
    """The paths of a request: the data file, files to write, or none that matters."""
    if files is not None:
        return files.fresh(operations)
    return [str(task.path) if task.path else ""]


def _tidy(files: WrittenFiles | None) -> None:
    if files is not None:
        files.check()
        files.forget()


def _same_sum(said: int | None, due: int | None) -> bool:
    if said is None or due is None:
        return said is due
    return (said - due) % (1 << 64) == 0  # sums wrap at 64 bits on the wire
