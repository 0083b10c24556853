"""The published protocol: the order as declared, with the same flaws.

A replicate is one repetition of the whole procedure. What the sound protocol sets, proves or waits
for (warm-up, cache state, settling, one heap) is left as the authors left it; what can be observed
is recorded all the same.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby

from iogauge.measuring.bench import Bench
from iogauge.measuring.forks import RUNNER_ERRORS
from iogauge.measuring.iterations import Iterations
from iogauge.measuring.lengths import Lengths
from iogauge.measuring.recorder import Part
from iogauge.model.plan import PublishedProtocol
from iogauge.runners.fork import overlap
from iogauge.runners.live_fork import LiveFork


class Published:
    """Repeats a published procedure, with the parts of a bench."""

    def __init__(self, bench: Bench):
        if bench.plan.published is None:
            raise ValueError(f"{bench.plan.study} has no published protocol")
        self.bench, self._protocol = bench, bench.plan.published
        self.stop_policy = Repetitions(bench, self._protocol)
        self._lengths = Lengths(self._protocol, bench.cases, bench.schedule)

    def begin(self) -> None:
        """Say once what cannot be had here, and what is shortened; the run may be one that goes
        on.
        """
        for text in (*self._protocol.caveats, self._lengths.caveat()):
            if text and text not in [each.text for each in self.bench.run.caveats]:
                self.bench.recorder.caveat("run", text)

    def replicate(self, bundle: int, number: int) -> None:
        """Repeat the whole procedure. No publication measured compute-only variants or ceilings."""
        bench, schedule = self.bench, self.bench.schedule
        start, live, replicate = (
            schedule.elapsed,
            self.stop_policy.live(bundle),
            bench.id(bundle, number),
        )
        try:
            self._repetition(live, Part(replicate), start)
        finally:
            bench.forks.end_processes()
            bench.writing.remove(all_of_them=True)
        seconds = schedule.elapsed - start
        bench.recorder.replicate(
            replicate, bench.groups_of(live), live, seconds=seconds, elapsed=schedule.elapsed
        )
        schedule.replicate_done(bundle, seconds, len(live), 0.0, 0.0, skip_auxiliary=False)
        bench.recorder.sync()

    def _repetition(self, cases: list[int], part: Part, start: float) -> None:
        """One runtime with its options after another; within it, one case after another as
        declared.
        """
        groups, group_of = self.bench.plan.groups, self.bench.cases.group_of
        by_setting: dict[str, list[int]] = defaultdict(list)
        for case in sorted(cases):
            by_setting[self.bench.plan.cases[case].setting].append(case)
        left = [case for users in by_setting.values() for case in users]
        for users in by_setting.values():
            for _, experiment in groupby(users, lambda case: groups[group_of[case]].experiment):
                for index, together in groupby(experiment, group_of.__getitem__):
                    for case in together:
                        self._measure(case, left, part, start)
                        left.remove(case)
                        self._end_process_of("each")
                    self._tell_first(index)
                    self._end_process_of("group")
                self._end_process_of("experiment")
            self.bench.forks.end_processes()

    def _measure(self, case: int, left: list[int], part: Part, start: float) -> None:
        """`left` are the cases of the repetition, which began at `start`, that are still to come,
        with this one.
        """
        bench, found = self.bench, self.bench.plan.cases[case]
        bench.tell(f"{found.label} @{found.setting}", bench.cases.group_of[case])
        live_fork = self._process(case, part)
        if live_fork is None:
            return
        try:
            iterations = Iterations(bench, self._lengths, case, live_fork, part)
            iterations.begin()
            if self._protocol.iteration:
                iterations.by_time(self._protocol.iteration)
            else:
                repetition = part.replicate.number
                iterations.by_count(self._lengths.share_of(case, left, start, repetition))
        except RUNNER_ERRORS as error:
            bench.writing.remove_half_written(case, live_fork)
            bench.recorder.failure(case, str(error), live_fork.number, part)

    def _process(self, case: int, part: Part) -> LiveFork | None:
        """The process that serves the case: the one that serves all, or a fresh one. None if it
        does not start.
        """
        bench, number = self.bench, self.bench.plan.fork_of[case]
        known = bench.forks.live_forks.get(number)
        if known and known.fork.alive:
            return known
        if known:
            text = "the process ended; what follows was measured in another one"
            bench.recorder.caveat("run", text, part)
        live_fork = bench.forks.start_as_published(number, [case], part, bench.plan.budget)
        if live_fork is None:
            return None
        try:
            overlap([live_fork.greeted()], at_once=1)
        except RUNNER_ERRORS as error:
            bench.recorder.failure(case, str(error), live_fork.number, part)
            return None
        bench.recorder.fork(live_fork, number, part)
        return live_fork

    def _end_process_of(self, what: str) -> None:
        """Where the protocol has a process for each of these, which just ended."""
        if self._protocol.process == what:
            self.bench.forks.end_processes()

    def _tell_first(self, group: int) -> None:
        """A repetition is long: the levels of the first one are told at once."""
        if self.bench.schedule.look_at_first(group):
            self.bench.tell("measured once", group)


class Repetitions:
    """The aim of a published protocol: some repetitions, the fewest of which always fit."""

    def __init__(self, bench: Bench, protocol: PublishedProtocol):
        self._plan, self._method, self._schedule = bench.plan, bench.method, bench.schedule
        self._protocol, self._run, self._failed = protocol, bench.run, bench.recorder.failed

    def live(self, bundle: int) -> list[int]:
        """Implements Aim: every case, as long as there are repetitions to come."""
        done = sum(record.bundle == bundle for record in self._run.replicates)
        if done >= self._method.most_repetitions:
            return []
        groups = (self._plan.groups[index] for index in self._plan.bundles[bundle].groups)
        return [case for group in groups for case in group.cases if case not in self._failed]

    def goals(self, bundle: int) -> list[int | None]:
        """Implements Aim."""
        return [self._method.most_repetitions]

    def expected_seconds(self, seconds: float) -> float:
        """Implements Aim: counted operations become fewer until the repetitions that are needed
        fit.
        """
        enough = len(self._run.replicates) >= self._method.fewest_repetitions
        if self._protocol.iteration or enough:
            return seconds
        return min(seconds, max(0.0, self._plan.budget - self._schedule.elapsed))
