"""A live fork and its work: warmed up, looked at alone, asked for samples that are verified."""

from __future__ import annotations

import contextlib
import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from iogauge.corpus.written import WrittenFiles
from iogauge.host import opens, processes
from iogauge.host.pauses import RUNNING
from iogauge.host.proctree import mapped_files
from iogauge.model.case import ForkSpec
from iogauge.model.method import Method
from iogauge.model.strategy import Runtime, Strategy
from iogauge.runners import wire
from iogauge.runners.fork import Fork, Overdue, Talk, overlap, took_longer
from iogauge.runners.task import Task
from iogauge.runners.wire import Spans, WireError

_FEWEST_LEVEL = 7  # spans: the first is of one operation, and three are compared with three


class Failure(Exception):
    """The runner did other work than it was asked to do."""


@dataclass(frozen=True)
class WarmUp:
    """How long a fork is warmed up on a task: for `seconds`, and until it made `calls` on all its
    tasks, which may take `longest` seconds in all. Where the compiler needs `compiled` calls, it
    ends after these as soon as spans are level and the threads of these names, which compile, have
    nothing to do.
    """

    seconds: float
    calls: int = 0
    longest: float = 0.0
    compiled: int | None = None
    threads: tuple[str, ...] = ()

    @classmethod
    def of(cls, runtime: Runtime) -> WarmUp:
        """As the runtime needs it on its first task."""
        return cls(
            runtime.warm_up_seconds,
            runtime.warm_up_calls,
            runtime.longest_warm_up_seconds,
            runtime.compiled_after_calls,
            runtime.compiling_threads,
        )

    def left(self, spent: float, calls: int, warming: float, per_op: float) -> float:
        """Seconds still to go after `spent` on this task, and `calls` in `warming` on all tasks."""
        budget = self.longest - warming
        for_calls = min((self.calls - calls) * per_op, budget) if per_op <= budget else 0.0
        return max(self.seconds - spent, for_calls)


class _Look(NamedTuple):
    """Seconds of operations so far in a warm-up, and of compiling (None: nobody can tell)."""

    spent: float
    compiling: float | None


def is_level(curve: Sequence[float], ratio: float) -> bool:
    """Whether the last third of a curve is not faster than the third before it by this ratio. Of
    fewer than seven spans nobody can tell.
    """
    third = len(curve) // 3
    if len(curve) < _FEWEST_LEVEL:
        return False
    before, last = curve[-2 * third : -third], curve[-third:]
    return statistics.median(before) <= ratio * statistics.median(last)


@dataclass
class LiveFork:
    """A live fork and what is known of its speed.

    By shape of task: `levels` has ns per operation, seen alone (before that: while it warmed up);
    `fastest` the least of those seen alone; `warm_up` the curve of ns per operation; `collections`
    garbage collections per operation (None: the runtime does not tell).

    The methods raise Refusal (the runner said no), WireError (it is gone, or its answer is not
    credible), Failure or WrongFile (it did wrong work). `files` are the files that a task may
    write; None for a task that writes none.
    """

    fork: Fork
    number: int
    spec: ForkSpec
    method: Method
    flags: list[str] = field(default_factory=list)
    levels: dict[str, float] = field(default_factory=dict)
    fastest: dict[str, float] = field(default_factory=dict)
    collections: dict[str, float | None] = field(default_factory=dict)
    warm_up: dict[str, list[float]] = field(default_factory=dict)
    steady: dict[str, bool] = field(default_factory=dict)
    padding: int = 0  # bytes that the fork allocates before it opens a strategy (docs/wire.md)
    extra_patience: float = 0.0  # seconds that an answer may take beyond the method's limit
    limit: float | None = None  # seconds that a call may take, of code of the user's
    calls: int = 0  # operations while warming up
    warming: float = 0.0  # seconds that these took
    first_read: int | None = None  # bytes that calls read in the first one, of the user's code
    opens: dict[str, bool] = field(default_factory=dict)  # of whole commands, by variant
    _opening: dict[str, Any] | None = None
    may_map: bool = False  # the file of an operation, whose end did not unmap it
    _holds: bool = False  # operations ran since it last let go of its files
    _own: dict[str, Task] = field(default_factory=dict)  # what code of the user's did, by path

    def due(self, task: Task, operations: int, times: float) -> float:
        """Seconds that an answer to `sample` may take: some beside so many `times` of what the
        operations should take. A call of the user's has its limit.
        """
        expected = times * operations * self.levels.get(task.shape, 0) / 1e9
        if self.limit is None:
            return self.method.answer_timeout + self.extra_patience + expected
        return min(operations * self.limit, self.limit + self.extra_patience + expected)

    @contextlib.contextmanager
    def _limited(self) -> Iterator[None]:
        """Says which limit was passed where code of the user's gives no answer in time."""
        try:
            yield
        except Overdue:
            if self.limit is None:
                raise
            raise WireError(took_longer(self.limit)) from None

    def _starting(self) -> float:
        """Seconds that an answer may take for which the runner starts, or prepares."""
        return max(self.method.start_timeout, self.limit or 0.0)

    def greeted(self) -> Talk:
        """Say hello; keeps the flags that the runner was started with."""
        with self._limited():
            hello = yield self.fork, wire.hello(), self._starting()
        self.flags = hello.flags

    def opened(self, task: Task) -> Talk:
        """Have the runner prepare the task, unless it is prepared already."""
        if not self.has_open(task):
            self._opening = None
            patience = self._starting() + self.extra_patience
            with self._limited():
                yield self.fork, wire.padded(task.opening, self.padding), patience
            self._opening = task.opening

    def has_open(self, task: Task) -> bool:
        """Whether the runner is prepared for the next operations of the task."""
        return self._opening == task.opening and not (self._holds and task.prepared_each_time)

    def open(self, task: Task) -> None:
        """The same as `opened`, for one fork alone: it waits for the answer."""
        overlap([self.opened(task)], at_once=1)

    def warmed_up(self, task: Task, files: WrittenFiles | None, until: WarmUp) -> Talk:
        """Warm up on a task: at least one operation, then spans of about 10 ms."""
        yield from self.opened(task)
        self.warm_up.setdefault(task.shape, [])
        operations, spans, looks = 1, 1, [_Look(0.0, self._compiling(until))]
        # The limit: a runner that claims to take no time must not keep us here.
        for _ in range(self.method.most_warm_up_requests):
            request = wire.sample(operations, spans, paths(task, files, operations * spans))
            self._ran(task)
            stood_still, before = RUNNING.stood_still, self._before_first(task)
            with self._limited():
                reply = yield self.fork, request, self.due(task, operations * spans, 4)
            if before:
                self.first_read = self._read_since(before)
            self.verify(reply, operations, spans, task)
            _tidy(files)
            if RUNNING.since(stood_still):  # then its times say nothing
                continue
            self.warm_up[task.shape] += [round(ns / operations, 1) for ns in reply.ns]
            per_op = self._learn(task, reply, operations)
            taken = sum(reply.ns) / 1e9
            looks.append(_Look(looks[-1].spent + taken, self._compiling(until)))
            self.warming += taken
            self.calls += operations * spans
            left = until.left(looks[-1].spent, self.calls, self.warming, per_op / 1e9)
            if left <= 0 or self._may_end(until, task, looks, per_op / 1e9):
                return
            if until.compiled is not None:
                left = min(left, self.method.warm_up_step)
            wanted = max(1, round(self.method.warm_up_span * 1e9 / per_op))
            operations = min(wanted, task.most_operations)
            wanted = math.ceil(left / (operations * per_op / 1e9))
            spans = max(1, min(self.method.most_spans, wanted, task.most_operations // operations))

    def _before_first(self, task: Task) -> Mapping[str, int | None] | None:
        """The counters of the process before its first operation, which is of the user's code."""
        first = self.first_read is None and self.calls == 0 and task.strategy.is_own
        return self.fork.counters.read() if first else None

    def _read_since(self, before: Mapping[str, int | None]) -> int | None:
        """Bytes that its calls read since then, besides the request."""
        read = self.fork.counters.since(before)["rchar"]
        return None if read is None else max(0, read - self.fork.request_bytes)

    def _may_end(self, until: WarmUp, task: Task, looks: list[_Look], per_op: float) -> bool:
        """Whether the spans are level, nothing compiles, and the compiler had its calls, as far as
        there is time for them: a level before that is one of code that is not compiled for good.
        """
        now, method = looks[-1], self.method
        if until.compiled is None or now.spent < method.least_warm_up:
            return False
        quick, longest = method.quick_calls - self.warming, until.longest - self.warming
        for calls, seconds in ((until.calls, quick), (until.compiled, longest)):
            missing = (calls - self.calls) * per_op
            if 0 < missing <= seconds:
                return False
        then = max(
            (each for each in looks if each.spent <= now.spent - method.least_warm_up),
            key=lambda each: each.spent,
        )
        if now.compiling is None or then.compiling is None:
            return False
        if now.compiling - then.compiling > method.busy_beside * (now.spent - then.spent):
            return False
        return is_level(self.warm_up[task.shape], method.level_ratio)

    def _compiling(self, until: WarmUp) -> float | None:
        """Seconds that the fork compiled so far."""
        if until.compiled is None or not until.threads:
            return 0.0
        return processes.thread_seconds(self.fork.pid, until.threads)

    def gets_faster(self, task: Task) -> bool:
        """Whether the spans of a task got faster until its warm-up ended, if one can tell."""
        curve, ratio = self.warm_up[task.shape], self.method.level_ratio
        return len(curve) >= _FEWEST_LEVEL and not is_level(curve, ratio)

    def look_alone(self, task: Task, files: WrittenFiles | None) -> bool | None:
        """Whether spans keep a level while nothing else runs; None where operations are too long to
        tell. Sets the level of the task.

        If only one operation is known, it was the first of the process, while other forks started
        and its memory had to be brought in: reading 64 MiB into a fresh array once took 136 ms
        then, and 20 ms later. So a second operation is made.
        """
        per_op = self.levels[task.shape] / 1e9
        if (
            len(self.warm_up.get(task.shape, ())) == 1
            and self.method.longest_short_operation < per_op <= self.method.longest_first
        ):
            per_op = self._learn(task, self.work(task, files, 1), 1) / 1e9
        if per_op > self.method.longest_short_operation:
            return None
        most = task.most_operations // self.method.alone_spans
        operations = max(1, min(round(self.method.alone_span / per_op), most))
        reply = self.work(task, files, operations, self.method.alone_spans)
        levels = [max(ns, 1) / operations for ns in reply.ns]
        self.levels[task.shape] = statistics.median(levels)
        self.fastest[task.shape] = min(levels)
        self.steady[task.shape] = min(levels[:-1]) / levels[-1] < self.method.steady_ratio
        return self.steady[task.shape]

    def look_whether_it_opens(self, variant: str, task: Task) -> None:
        """Whether an operation opens its data file, while nothing else runs that may. What prepares
        it comes before.
        """
        if task.path is None:
            return
        self.open(task)
        with opens.watched(task.path) as was_opened:
            self.sample(task, 1, 1, paths(task, None, 1))
            found = was_opened()
        if found is not None:
            self.opens[variant] = found

    def look(self, task: Task) -> None:
        """Set the level of a task that writes nothing by a span of a few ms: too short a one to see
        how often garbage is collected.
        """
        per_op = self.levels[task.shape] / 1e9
        operations = max(1, min(round(self.method.alone_span / per_op), task.most_operations))
        level = max(self.work(task, None, operations).ns[-1] / operations, 1.0)
        self.levels[task.shape] = level
        if task.shape in self.fastest:
            self.fastest[task.shape] = min(level, self.fastest[task.shape])

    def _learn(self, task: Task, reply: Spans, operations: int) -> float:
        """Keep the level of the last span and the collections of all. Returns ns per operation."""
        self.levels[task.shape] = max(reply.ns[-1] / operations, 1.0)
        counts = reply.counters["gc_count"]
        self.collections[task.shape] = (
            None if counts is None else sum(counts) / (operations * len(reply.ns))
        )
        return self.levels[task.shape]

    def work(
        self, task: Task, files: WrittenFiles | None, operations: int, spans: int = 1
    ) -> Spans:
        """Untimed operations, verified; the files that they wrote are removed. Once more where all
        stood still meanwhile.
        """
        self.open(task)
        while True:
            stood_still = RUNNING.stood_still
            reply = self.sample(task, operations, spans, paths(task, files, operations * spans))
            _tidy(files)
            if not RUNNING.since(stood_still):
                return reply

    def sample(
        self,
        task: Task,
        operations: int,
        spans: int,
        where: list[str],
        sent: Callable[[], None] | None = None,
    ) -> Spans:
        """Verified spans of an open task. The caller sets conditions and removes written files; its
        `sent` is called when the fork has the request.
        """
        self._ran(task)
        due = self.due(task, operations * spans, 20)
        with self._limited():
            reply: Spans = self.fork.ask(wire.sample(operations, spans, where), due, sent)
        self.verify(reply, operations, spans, task)
        return reply

    def idle(self, null: Strategy) -> tuple[Spans, list[dict[str, int | None]]]:
        """Spans of the operation that does nothing, after its code was compiled; and what the
        process did in each of some more requests for it, by counter.
        """
        self._opening = None
        opening = wire.open_strategy(null.name, null.defaults, "read", "none")
        self.fork.ask(opening, self.method.start_timeout)
        for _ in range(self.method.null_warm_ups):
            spans = self._nothing(self.method.null_operations, self.method.null_spans)
        observed = []
        for _ in range(self.method.null_requests):
            before = self.fork.counters.read()
            self._nothing(1, 1)  # what a request costs, not what the operations cost
            observed.append(self.fork.counters.since(before))
        return spans, observed

    def _nothing(self, operations: int, spans: int) -> Spans:
        """Spans of the null strategy, which is open."""
        request = wire.sample(operations, spans, [""])
        reply: Spans = self.fork.ask(request, self.method.answer_timeout)
        wire.check_spans(reply, operations, spans)
        return reply

    def released(self) -> Talk:
        """Have the fork let go of every file; one that ran nothing since it last did holds none."""
        if self._holds:
            yield self.fork, wire.release(), self.method.answer_timeout
            self._holds = self.may_map = False

    def kept(self) -> list[Task]:
        """What code of the user's did with files that it still maps, told to let go of all."""
        mapped = {each.path for each in mapped_files(self.fork.pid, 1)} if self._own else set()
        return [task for path, task in self._own.items() if path in mapped]

    def _ran(self, task: Task) -> None:
        self._holds = True
        if task.strategy.is_own and task.path:
            self._own[str(task.path)] = task
        self.may_map |= task.strategy.mapped or task.strategy.is_own

    def release(self) -> None:
        """The same as `released`, for one fork alone: it waits for the answer."""
        overlap([self.released()], at_once=1)

    def verify(self, reply: Spans, operations: int, spans: int, task: Task) -> None:
        """Check counts and sums of every span. Raises Failure for other work than was due."""
        wire.check_spans(reply, operations, spans)
        count = None if task.count is None else task.count * operations
        total = task.total if task.total is None or task.of_last else task.total * operations
        for span in range(spans):
            counted = None if reply.count is None else reply.count[span]
            if counted != count:
                why = _why_other(task, counted, operations)
                raise Failure(
                    f"wrong count: {counted} {task.noun} reported, {count} are right{why}"
                )
            said = None if reply.sum is None else reply.sum[span]
            same = said is total
            if said is not None and total is not None:
                same = (said - total) % (1 << 64) == 0  # sums wrap at 64 bits on the wire
            if task.strategy.sums != "nothing" and not same:
                raise Failure(f"wrong sum: {said} reported, {total} is right")


_NOT_ALL = "if it is to hand over only a part, see returns in docs/your-code.md"


def _why_other(task: Task, counted: int | None, operations: int) -> str:
    """Behind a wrong count: what tells it in the file, or else what code of the user's may do."""
    if counted is not None and task.explained and (why := task.explained(counted // operations)):
        return f" ({why})"
    return f" ({_NOT_ALL})" if task.strategy.is_own else ""


def paths(task: Task, files: WrittenFiles | None, operations: int) -> list[str]:
    """The paths of a request: files to write, or the data file, or an empty one in memory."""
    if files is not None:
        return files.fresh(operations)
    return [str(task.path) if task.path else ""]


def _tidy(files: WrittenFiles | None) -> None:
    if files is not None:
        files.check()
        files.forget()
