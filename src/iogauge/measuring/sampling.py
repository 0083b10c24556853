"""Taking one sample: set the conditions and observe them, measure, verify, record."""

from __future__ import annotations

from iogauge.host.pagecache import Residency
from iogauge.measuring.caching import Caching
from iogauge.measuring.cases import Cases
from iogauge.measuring.forks import RUNNER_ERRORS, LiveForks
from iogauge.measuring.observed import Observed, Observer, State, dirty_pages
from iogauge.measuring.recorder import Part, Recorder
from iogauge.measuring.results import Results
from iogauge.measuring.writing import Writing
from iogauge.model.coordinates import Coordinates
from iogauge.model.errors import cause
from iogauge.model.plan import Group
from iogauge.model.units import percent
from iogauge.runners.live_fork import LiveFork, paths


class Sampler:
    """Takes samples of cases that are calibrated and have a live fork."""

    def __init__(
        self,
        cases: Cases,
        forks: LiveForks,
        caching: Caching,
        writing: Writing,
        observer: Observer,
        recorder: Recorder,
    ):
        self._cases, self._forks, self._caching = cases, forks, caching
        self._writing, self._observer, self._recorder = writing, observer, recorder
        self._results = Results(cases, recorder)

    def take(self, at: Coordinates) -> None:
        """Take a sample and record it. Around the measuring nothing else happens. Where something
        goes wrong, the case fails.
        """
        live_fork, part = self._forks.serving(at.case), Part(at.replicate, at.part)
        calibration = self._recorder.run.calibrations[at.case]
        operations, prelude = calibration.operations, calibration.prelude
        # All in one request: between two, the fork would wait and be slow again.
        count = prelude + calibration.spans
        try:
            cached, state, seen = self._measure(at, live_fork, part, operations, count)
        except (*RUNNER_ERRORS, OSError) as error:
            self._writing.remove_half_written(at.case, live_fork)
            why = cause(error) if isinstance(error, OSError) else str(error)
            self._recorder.failure(at.case, why, live_fork.number, part)
            return
        self._results.seen(at.group, at.case, seen.spans, part)
        group = self._cases.plan.groups[at.group]
        self._recorder.sample(
            at,
            live_fork,
            seen,
            state,
            prelude=prelude,
            void=why_void(
                group,
                cached,
                state.dirty_before,
                operations * count,
                self._cases.least_from_device(at.case),
                seen,
            ),
            ceiling=self._cases.strategy(at.case).role == "ceiling",
        )

    def _measure(
        self, at: Coordinates, live_fork: LiveFork, part: Part, operations: int, count: int
    ) -> tuple[Residency | None, State, Observed]:
        """`count` spans with all that surrounds them: what was in the cache, the state before, and
        what was observed.
        """
        work = self._cases.tasks[at.case]
        live_fork.open(work)
        self._writing.touch_ballast(at.case, operations * count)
        cached, recached = self._caching.set(at.group, work, part)
        files = self._writing.sampled(at.case, live_fork)
        length = files.length if files else None
        where = paths(work, files, operations * count)
        dirty = dirty_pages(files) if files or cached is None else cached.dirty
        seen = self._observer.observe(live_fork, work, operations, count, where)
        if self._cases.plan.groups[at.group].conditions.cache == "cold" or files:
            # What the fork mapped would stay in memory for the next sample.
            live_fork.release()
        if files:
            self._writing.tidy(at.group, files, part)
        return cached, State(cached.share if cached else None, dirty, length, recached), seen


def why_void(
    group: Group,
    cached: Residency | None,
    dirty: int | None,
    operations: int,
    least_read: int | None,
    seen: Observed,
) -> str | None:
    """Why a sample of so many operations, untimed ones with it, was not taken under the conditions
    of its group; None where it was. `cached` is what the cache held before (None: nobody can tell),
    `dirty` how many pages of its files waited to be written, `least_read` the bytes that an
    operation on a cold file gets from the device at least (None: nobody knows what it reads).
    """
    if dirty:
        return f"{dirty} pages of its files waited to be written when it began"
    read_bytes = None if least_read is None else seen.evidence["read_bytes"]
    writes = seen.device["writes"] if seen.device else None
    if group.conditions.durable and writes is not None and 2 * writes < operations:
        return (
            f"the device wrote {writes} times during {operations} operations that were"
            " to wait for it"
        )
    if not (group.workload.reads_file and group.workload.size):  # neither warm nor cold
        return None
    if group.conditions.cache == "cold":
        if cached and cached.pages:
            return f"{percent(cached.share, 1)} of the file was in the cache before a cold sample"
        needed = (least_read or 0) * operations
        if read_bytes is not None and read_bytes < needed:
            return f"a cold sample read {read_bytes} bytes from the device, {needed} are needed"
    if group.conditions.cache == "warm":
        if cached and cached.share < 1:
            return (
                f"only {percent(cached.share, 1)} of the file was in the cache before a warm sample"
            )
        if read_bytes:
            return f"a warm sample read {read_bytes} bytes from the device"
    return None
