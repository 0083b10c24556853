"""How a case is sampled (operations, spans, prelude, rounds): it is sized before its first sample,
and anew where a sample lasted much longer or shorter than planned.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass

import msgspec

from iogauge.measuring.cases import Cases
from iogauge.measuring.forks import RUNNER_ERRORS, LiveForks
from iogauge.measuring.recorder import Recorder
from iogauge.model.method import Method
from iogauge.model.strategy import Runtime, Strategy
from iogauge.planning.order import rounds_of
from iogauge.runfile.records import Calibration
from iogauge.runners.wire import Spans


@dataclass
class Calibrator:
    """Calibrates cases by the levels that their forks showed alone."""

    cases: Cases
    forks: LiveForks
    recorder: Recorder

    def calibrate(self, group: int, cases: list[int], cold_seconds: float = 0.0) -> None:
        """Record the calibration of the cases of a group that have none; all of them have a live
        fork. Reading the group's file from the device takes `cold_seconds`: compared with that,
        none of several cases is slow.
        """
        new = [case for case in cases if case not in self.recorder.run.calibrations]
        if not new:
            return
        cold = self.cases.plan.groups[group].conditions.cache == "cold"
        if self.cases.plan.groups[group].conditions.cache == "warm":
            self._look_at_cached(group, new)
        levels = {case: self._level(case) for case in cases}
        device = cold_seconds * 1e9 if cold else 0.0
        fastest = max(min(levels.values()), device)
        for case in new:
            # Cases compete within their language, or within one of its runtimes.
            best = min(levels[each] for each in cases if self._rival(each) == self._rival(case))
            self._calibrate(group, case, levels[case], fastest, max(best, device))

    def resize(self, group: int, case: int, seen: Spans) -> None:
        """Size the next samples of a case anew, if this one lasted much longer or shorter than
        planned.
        """
        was = self.recorder.run.calibrations[case]
        planned = (was.prelude + was.spans) * was.operations * was.ns_per_op
        most = self.cases.method.most_of_plan
        if 1 / most <= sum(seen.ns) / planned <= most:
            return
        levels = [ns / done for ns, done in zip(seen.ns, seen.operations, strict=True)]
        found = self._sized(group, case, statistics.median(levels[was.prelude :]))
        found = msgspec.structs.replace(found, rounds=was.rounds)
        if msgspec.structs.replace(found, ns_per_op=was.ns_per_op) != was:
            self.recorder.add(found)

    def seconds(self, case: int) -> float:
        """How long a sample of the case is to last, with its prelude."""
        sized = self.recorder.run.calibrations[case]
        return (sized.prelude + sized.spans) * sized.operations * sized.ns_per_op / 1e9

    def _look_at_cached(self, group: int, cases: list[int]) -> None:
        """Learn how long operations take on the file as it lies in the cache now: that may be a
        multiple of what they took before it was cached anew.
        """
        for case in cases:
            work, live_fork = self.cases.tasks[case], self.forks.serving(case)
            if work.path is None or self.cases[case].workload.writes_file:
                continue
            if self.forks.is_long(case) or not self.forks.can_measure(case):
                continue
            try:
                live_fork.look(work)
            except RUNNER_ERRORS as error:
                dead = [each for each in cases if self.forks.serving(each) is live_fork]
                users = [case] if live_fork.fork.alive else dead
                self.recorder.failures(users, str(error), live_fork.number, None)

    def _rival(self, case: int) -> tuple[str, str]:
        """What rivals have in common."""
        return self.cases.strategy(case).language, self.cases[case].runtime

    def _level(self, case: int) -> float:
        """ns per operation."""
        return self.forks.serving(case).levels[self.cases.tasks[case].shape]

    def _least(self, case: int) -> float:
        """ns per operation in the fork's fastest span so far: a disturbed one does not count."""
        live_fork, shape = self.forks.serving(case), self.cases.tasks[case].shape
        least = live_fork.fastest.get(shape, live_fork.levels[shape])
        return min([least, *live_fork.warm_up.get(shape, ())])

    def _calibrate(self, group: int, case: int, level: float, fastest: float, best: float) -> None:
        """ns per operation: `level` of the case, `fastest` of the group, `best` of its rivals."""
        method = self.cases.method
        live_fork, work = self.forks.serving(case), self.cases.tasks[case]
        slow = live_fork.fastest.get(work.shape, level) > method.slow * fastest
        found, rounds = self._sized(group, case, level), 1
        if not slow and not self.forks.is_long(case):
            near = not self._need_not_be_near(group, case)
            behind = 1.0 if near else self._least(case) / best
            sample = found.operations * found.spans * level / 1e9
            rounds = rounds_of(self.cases.plan.groups[group].rounds, sample, method, behind)
        self.recorder.add(msgspec.structs.replace(found, rounds=rounds))

    def _sized(self, group: int, case: int, level: float) -> Calibration:
        """A sample of operations that take `level` ns each, in one round."""
        method, conditions = self.cases.method, self.cases.plan.groups[group].conditions
        live_fork, work = self.forks.serving(case), self.cases.tasks[case]
        per_op = level / 1e9
        collections = live_fork.collections[work.shape] if self.cases.allocates(case) else None
        operations, spans = self._sample_of(group, case, level, collections)
        idle_matters = conditions.cache != "cold" and not conditions.durable
        idle_matters &= per_op <= method.longest_short_operation
        idle_matters &= not work.prepared_each_time  # what prepares comes before each anyway
        strategy, runtime = self.cases.strategy(case), self.cases.runtime(case)
        untimed = prelude_seconds(method, strategy, runtime, per_op, collections)
        most = work.most_operations // operations
        prelude = max(1, min(round(untimed / (operations * per_op)), most))
        return Calibration(
            case=case,
            operations=operations,
            spans=spans,
            prelude=prelude if idle_matters else 0,
            ns_per_op=round(level, 1),
            rounds=1,
        )

    def _need_not_be_near(self, group: int, case: int) -> bool:
        """Whether it only matters if a case is the best. The baseline and its control show the
        group's noise; what waits for a device is known too badly to be far behind.
        """
        plan, found = self.cases.plan, self.cases.plan.groups[group]
        return (
            found.compare == "best"
            and not found.to_the_end
            and not found.conditions.waits_for_device
            and case not in (found.baseline, found.control)
            and not any(group in span.groups for span in plan.spans)
        )

    def _sample_of(
        self, group: int, case: int, level: float, collections: float | None
    ) -> tuple[int, int]:
        """Operations in a span, and spans in a sample."""
        method, conditions = self.cases.method, self.cases.plan.groups[group].conditions
        per_op, most = level / 1e9, self.cases.tasks[case].most_operations
        if conditions.durable:
            wanted = min(round(method.durable_sample / per_op), method.most_durable, most)
            return 1, max(1, wanted)
        if conditions.cache == "cold":
            return 1, 1
        seconds = spanning(
            method.warm_sample,
            method.longest_allocating,
            method.collections_per_sample,
            per_op,
            collections,
        )
        wanted = max(1, min(round(seconds / per_op), most))
        spans = min(method.warm_spans, wanted)
        resolution = self.cases.runtime(case).clock_resolution_ns
        least = math.ceil(2 * resolution / method.most_clock_share / level)
        return max(1, min(max(round(wanted / spans), least), most // spans)), spans


def prelude_seconds(
    method: Method, strategy: Strategy, runtime: Runtime, per_op: float, collections: float | None
) -> float:
    """Seconds of untimed operations before a warm sample; parameters as in `spanning`."""
    if collections is None:
        return method.prelude_mapped if strategy.reads_mapped else method.prelude
    least = max(method.prelude_collected, runtime.steady_after_rest)
    most = max(method.longest_prelude, least)
    return spanning(least, most, method.prelude_collections, per_op, collections)


def spanning(
    least: float, most: float, count: int, per_op: float, collections: float | None
) -> float:
    """As many seconds as it takes to span `count` garbage collections, within bounds. An operation
    takes `per_op` seconds, in which `collections` happen (None: it does not allocate, or its
    runtime does not tell).
    """
    if collections is None:
        return least
    wanted = count * per_op / collections if collections else math.inf
    return min(max(least, wanted), most)
