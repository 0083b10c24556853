"""The published protocol: the order as declared, with the same flaws.

A replicate is one repetition of the whole procedure. What the sound protocol sets, proves or waits
for (warm-up, cache state, settling, one heap) is left as the authors left it; what can be observed
is recorded all the same.
"""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import groupby

from iogauge.corpus.written import WrittenFiles
from iogauge.host import pagecache
from iogauge.measuring.bench import Bench
from iogauge.measuring.cases import Cases
from iogauge.measuring.forks import RUNNER_ERRORS
from iogauge.measuring.observed import Observed, State, dirty_pages, joined
from iogauge.measuring.recorder import Part
from iogauge.measuring.schedule import Schedule
from iogauge.model.plan import Coordinates, PublishedProtocol
from iogauge.model.units import chosen_duration, rounded
from iogauge.planning.cost import counted_seconds, timed_seconds
from iogauge.runners.fork import overlap
from iogauge.runners.live_fork import LiveFork, paths
from iogauge.runners.task import Task


class Published:
    """Repeats a published procedure, with the parts of a bench."""

    def __init__(self, bench: Bench):
        if bench.plan.published is None:
            raise ValueError(f"{bench.plan.study} has no published protocol")
        self.bench, self._protocol = bench, bench.plan.published
        self.stop_policy = Repetitions(bench, self._protocol)
        self._lengths = Lengths(self._protocol, bench.cases, bench.schedule)

    def begin(self) -> None:
        """Record once what cannot be had here, and what is shortened; the run may be resumed."""
        self.bench.cases.look_at(range(len(self.bench.plan.groups)), self.bench.recorder)
        for text in (*self._protocol.caveats, self._lengths.caveat()):
            if text and text not in [each.text for each in self.bench.run.caveats]:
                self.bench.recorder.caveat("run", text)

    def replicate(self, bundle: int, number: int) -> None:
        """Repeat the whole procedure. No publication measured compute-only variants or ceilings."""
        bench, replicate = self.bench, self.bench.id(bundle, number)
        start, live = bench.schedule.elapsed, self.stop_policy.live(bundle)
        try:
            self._repetition(live, Part(replicate), start)
        finally:
            bench.forks.end_processes()
            bench.writing.remove(all_of_them=True)
        bench.complete(replicate, live, start)

    def _repetition(self, cases: list[int], part: Part, start: float) -> None:
        """One runtime with its options after another; within it the cases as declared."""
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
        """`left` are the cases from this one on of the repetition, which began at `start`."""
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
        """The process of the case, shared or fresh; None if it does not start."""
        bench, number = self.bench, self.bench.plan.fork_of[case]
        if known := bench.forks.alive(number):
            return known
        if number in bench.forks.live_forks:
            text = "the process ended; what follows was measured in another one"
            bench.recorder.caveat("run", text, part)
        live_fork = bench.forks.start(number, [case], part)
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
        """A repetition is long: the levels of the first one are shown at once."""
        if self.bench.schedule.look_at_first(group):
            self.bench.tell("measured once", group)


class Repetitions:
    """What a published protocol measures: some repetitions, the fewest of which always fit."""

    def __init__(self, bench: Bench, protocol: PublishedProtocol):
        self._plan, self._method, self._schedule = bench.plan, bench.method, bench.schedule
        self._protocol, self._run, self._failed = protocol, bench.run, bench.recorder.failed

    def live(self, bundle: int) -> list[int]:
        """Implements StopPolicy: every case, as long as there are repetitions to come."""
        done = sum(record.bundle == bundle for record in self._run.replicates)
        if done >= self._method.most_repetitions:
            return []
        groups = (self._plan.groups[index] for index in self._plan.bundles[bundle].groups)
        return [case for group in groups for case in group.cases if case not in self._failed]

    def goals(self, bundle: int) -> list[int | None]:
        """Implements StopPolicy."""
        return [self._method.most_repetitions]

    def expected_seconds(self, seconds: float) -> float:
        """Implements StopPolicy: counted operations shrink until enough repetitions fit."""
        enough = len(self._run.replicates) >= self._method.fewest_repetitions
        if self._protocol.iteration or enough:
            return seconds
        return min(seconds, max(0.0, self._plan.budget - self._schedule.elapsed))


class Lengths:
    """Shortens a published procedure to fit the budget; `share` is what fits of iterations."""

    def __init__(self, protocol: PublishedProtocol, cases: Cases, schedule: Schedule):
        self.protocol, self._cases, self._schedule = protocol, cases, schedule
        self._plan, self._method = cases.plan, cases.method
        self._seen: dict[tuple[str, str], float] = {}
        self.share = 1.0
        if protocol.iteration:  # then it is known beforehand how long all of them take
            whole = timed_seconds(self._plan, tuple(cases.runtimes.values()))
            self.share = min(1.0, self._plan.budget / whole)

    def caveat(self) -> str | None:
        """What is shortened; None where iterations are as long as published."""
        if self.share == 1:
            return None
        protocol = self.protocol
        says = [
            f"{what} of {rounded(self.iteration_seconds(then), 2)} s"
            f" instead of {chosen_duration(then)}"
            for what, then in (("iterations", protocol.iteration), ("warm-ups", protocol.warm_up))
            if then
        ]
        return f"{', '.join(says)}, to fit the budget"

    def iteration_seconds(self, published: float) -> float:
        """How long an iteration lasts here that lasted so many seconds."""
        return max(self._method.shortest_iteration, published * self.share)

    def saw(self, case: int, seconds: float) -> None:
        """An operation of a case took so many seconds."""
        found = self._cases[case]
        self._seen[found.setting, found.variant] = seconds / max(1, found.workload.size)

    def share_of(self, case: int, cases: list[int], start: float, repetition: int) -> float:
        """The share of its published length that a case gets, so that the other `cases` of the
        repetition, which began at `start`, and further repetitions fit into the budget. The longest
        are shortened first, so that most are measured as published.
        """
        needed = max(1, self._method.fewest_repetitions - repetition)
        left = start + (self._plan.budget - start) / needed - self._schedule.elapsed
        most = _longest([self._expected(each) for each in cases], left)
        return min(1.0, most / self._expected(case))

    def _expected(self, case: int) -> float:
        """Seconds of the case at its published length, as far as its variant was seen."""
        found, group = self._cases[case], self._cases.group(case)
        seen = self._seen.get((found.setting, found.variant))
        return counted_seconds(self._plan, group, case, self._cases.strategy(case), seen)


def _longest(seconds: list[float], left: float) -> float:
    """The longest that one may take so that all take `left` seconds; infinite where all fit."""
    for number, each in enumerate(sorted(seconds)):
        most = max(0.0, left) / (len(seconds) - number)
        if each > most:
            return most
        left -= each
    return math.inf


class Iterations:
    """The iterations of one case in a repetition. The methods raise what LiveFork raises."""

    def __init__(self, bench: Bench, lengths: Lengths, case: int, live_fork: LiveFork, part: Part):
        self._bench, self._lengths, self._protocol = bench, lengths, lengths.protocol
        self._case, self._live_fork, self._part = case, live_fork, part
        self._work: Task = bench.cases.tasks[case]
        self._files: WrittenFiles | None = bench.writing.sampled(case, live_fork)

    def begin(self) -> None:
        """Bring about the state of the cache that the authors' file was in when a case began, as
        far as it is known, and open the task. From then on the cache is left alone.
        """
        cache, path = self._bench.cases[self._case].conditions.cache, self._work.path
        group, caching = self._bench.cases.group_of[self._case], self._bench.caching
        if path and cache == "warm":
            caching.bring_in_once(group, self._work, self._part)
        elif path and cache == "cold":
            caching.put_out(group, path, self._part)
        self._live_fork.open(self._work)
        self._live_fork.levels.pop(self._work.shape, None)  # of another strategy, maybe

    def by_count(self, share: float) -> None:
        """Untimed operations, then the timed ones in one span: a share of the published numbers."""
        published = self._bench.cases.group(self._case).operations or 1
        untimed = math.floor(self._protocol.untimed * share)
        operations = max(1, math.floor(published * share))
        left, most = untimed, min(self._work.most_operations, self._bench.method.most_untimed)
        while left > 0:
            some = min(left, most)
            self._live_fork.sample(self._work, some, 1, paths(self._work, self._files, some))
            self._check()
            left -= some
        state = self._state()
        seen = self._observed(operations)
        self._lengths.saw(self._case, sum(seen.spans.ns) / 1e9 / operations)
        self._record([seen], 0, state, untimed)

    def by_time(self, seconds: float) -> None:
        """Iterations of so many published seconds, in as few requests as possible."""
        for _ in range(self._protocol.warm_ups):
            self._iteration(self._lengths.iteration_seconds(self._protocol.warm_up))
        for number in range(self._protocol.iterations):
            state = self._state()
            seen = self._iteration(self._lengths.iteration_seconds(seconds))
            self._record(seen, number, state)

    def _iteration(self, seconds: float) -> list[Observed]:
        requests: list[Observed] = []
        levels, shape, taken = self._live_fork.levels, self._work.shape, 0.0
        while taken < seconds:
            per_op, operations = levels.get(shape), 1
            if per_op is not None:
                wanted = round((seconds - taken) / (per_op / 1e9))
                operations = max(1, min(wanted, self._work.most_operations))
            seen = self._observed(operations)
            requests.append(seen)
            taken += seen.spans.ns[0] / 1e9
            levels[shape] = max(seen.spans.ns[0] / operations, 1.0)
        return requests

    def _observed(self, operations: int) -> Observed:
        """One span, with its evidence; its files are checked."""
        where = paths(self._work, self._files, operations)
        seen = self._bench.observer.observe(self._live_fork, self._work, operations, 1, where)
        self._check()
        return seen

    def _state(self) -> State:
        """The state before an iteration: observed, not set."""
        length = self._files.length if self._files else None
        if self._work.path is None:
            return State(None, dirty_pages(self._files), length)
        folios = self._bench.caching.folio_bytes(self._work.path)
        if self._bench.cases.unobserved:
            return State(None, dirty_pages(self._files), length, folio_bytes=folios)
        cached = pagecache.observe(self._work.path)
        return State(cached.share, cached.dirty, length, folio_bytes=folios)

    def _check(self) -> None:
        """What was written must be right in a publication too; nothing waits for the device."""
        if self._files is None:
            return
        self._files.check()
        if self._files.forget(sync=False):
            text = "a file that grows without end in the publication was begun anew after 1 GiB"
            self._bench.recorder.caveat(self._bench.cases[self._case].key, text)

    def _record(
        self, requests: list[Observed], number: int, state: State, untimed: int | None = None
    ) -> None:
        group = self._bench.cases.group_of[self._case]
        at = Coordinates(self._part.replicate, self._part.number, group, self._case, number, 0)
        seen = joined(requests)
        void = seen.stood_still  # all else is as the authors had it
        self._bench.recorder.sample(
            at, self._live_fork, seen, state, prelude=0, void=void, untimed=untimed
        )
