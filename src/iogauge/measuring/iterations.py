"""One case as a publication measured it: counted operations in one span, or iterations that last
some time.
"""

from __future__ import annotations

import math

from iogauge.corpus.written import WrittenFiles
from iogauge.host import pagecache
from iogauge.measuring.bench import Bench
from iogauge.measuring.lengths import Lengths
from iogauge.measuring.observed import Observed, State, dirty_pages, joined
from iogauge.measuring.recorder import Part
from iogauge.model.coordinates import Coordinates
from iogauge.runners.live_fork import LiveFork, paths
from iogauge.runners.task import Task


class Iterations:
    """The iterations of one case in a repetition, which a live fork carries out. The methods raise
    what Live fork raises.
    """

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
        if path and cache == "warm":
            pagecache.cache(path)
        elif path and cache == "cold":
            self._bench.caching.put_out(self._bench.cases.group_of[self._case], path, self._part)
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
        """Iterations that lasted so many seconds in the publication, in as few requests as that
        takes.
        """
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
        if self._bench.cases.unobserved:
            return State(None, dirty_pages(self._files), length)
        cached = pagecache.observe(self._work.path)
        return State(cached.share, cached.dirty, length)

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
        self._bench.recorder.sample(
            at, self._live_fork, joined(requests), state, prelude=0, void=None, untimed=untimed
        )
