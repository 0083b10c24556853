"""Taking one sample: set the conditions and observe them, measure, verify, record."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from iogauge.host import pagecache
from iogauge.host.bringing_in import bring_in, write_back
from iogauge.host.pagecache import Residency
from iogauge.host.placement import Placement
from iogauge.measuring.calibration import Calibrator
from iogauge.measuring.cases import Cases
from iogauge.measuring.forks import RUNNER_ERRORS, LiveForks
from iogauge.measuring.observed import Observed, Observer, State, dirty_pages
from iogauge.measuring.recorder import Part, Recorder, Where
from iogauge.measuring.writing import Writing
from iogauge.model.caveats import CaveatText
from iogauge.model.errors import cause
from iogauge.model.plan import Coordinates, Group, ReplicateId
from iogauge.model.units import percent, size
from iogauge.model.workload import CachedBy
from iogauge.runfile.records import Calibration
from iogauge.runners.live_fork import LiveFork, paths
from iogauge.runners.task import Task
from iogauge.runners.wire import Spans


@dataclass
class Sampler:
    """Takes samples of cases that are calibrated and have a live fork. After a call `watch` looks
    whether the user's file is as it was.
    """

    cases: Cases
    forks: LiveForks
    caching: Caching
    writing: Writing
    observer: Observer
    calibrator: Calibrator
    recorder: Recorder
    placement: Placement
    watch: Callable[[Iterable[int]], None]

    def __post_init__(self) -> None:
        self._results = Results(self.cases, self.recorder)

    def take(self, at: Coordinates) -> None:
        """Take a sample and record it. Where something goes wrong, the case fails."""
        live_fork, part = self.forks.serving(at.case), Part(at.replicate, at.part)
        calibration = self.recorder.run.calibrations[at.case]
        prelude = calibration.prelude
        try:
            state, seen, void = self._measure(at, live_fork, part, calibration)
        except (*RUNNER_ERRORS, OSError) as error:
            self.watch([at.case])
            self.writing.remove_half_written(at.case, live_fork)
            why = cause(error) if isinstance(error, OSError) else str(error)
            self.recorder.failure(at.case, why, live_fork.number, part)
            return
        self.watch([at.case])
        if _may_have_read(seen):
            self._results.seen(at.group, at.case, seen.spans, part)
        self._results.heard(at.case, seen, part)
        if not void:
            self.calibrator.resize(at.group, at.case, seen.spans)
        ceiling = self.cases.strategy(at.case).role == "ceiling"
        self.recorder.sample(
            at, live_fork, seen, state, prelude=prelude, void=void, ceiling=ceiling
        )

    def _measure(
        self, at: Coordinates, live_fork: LiveFork, part: Part, calibration: Calibration
    ) -> tuple[State, Observed, str | None]:
        """The state before, what was observed, and why the sample is void."""
        # All in one request: between two, the fork would wait and be slow again.
        operations, count = calibration.operations, calibration.prelude + calibration.spans
        work, group = self.cases.tasks[at.case], self.cases.plan.groups[at.group]
        if group.conditions.cache == "warm":
            # What another process maps as well may be mapped faster, most in folios of 4 KiB.
            self.forks.release(part, mapped=True)
        live_fork.open(work)
        self.writing.touch_ballast(at.case, operations * count)
        cached = self.caching.set(at.group, work, part)
        residency = cached.residency
        files = self.writing.sampled(at.case, live_fork)
        length = files.length if files else None
        where = paths(work, files, operations * count)
        dirty = dirty_pages(files) if files or residency is None else residency.dirty
        placed = calibration.prelude and group.conditions.cache == "warm"
        move = partial(self.placement.move, live_fork.fork.pid, part.replicate)
        sent = move if placed and not work.strategy.command else None
        seen = self.observer.observe(live_fork, work, operations, count, where, sent)
        if group.conditions.cache == "cold" or files:
            # What the fork mapped would stay in memory for the next sample.
            live_fork.release()
        if files:
            self.writing.tidy(at.group, files, part)
        least_read = self.cases.least_from_device(at.case)
        void = why_void(group, residency, dirty, operations * count, least_read, seen)
        if at.group in self.caching.lost:
            void = void or "pages of the file had left the cache, so it is no longer as it was left"
        share = residency.share if residency else None
        state = State(share, dirty, length, cached.recached, cached.folio_bytes)
        return state, seen, void


def why_void(
    group: Group,
    cached: Residency | None,
    dirty: int | None,
    operations: int,
    least_read: int | None,
    seen: Observed,
) -> str | None:
    """Why a sample does not have the conditions of its group, or its time is not its own; None if
    it counts. `operations` include untimed ones; `cached` is the residency before, `dirty` the
    pages of its files to be written, `least_read` the bytes per operation from the device, if cold;
    None where they are not known.
    """
    if seen.stood_still:
        return seen.stood_still
    if dirty:
        return f"{dirty} pages of its files waited to be written when it began"
    read_bytes = None if least_read is None else seen.evidence["read_bytes"]
    writes = seen.device["writes"] if seen.device else None
    if group.conditions.durable and writes is not None and 2 * writes < operations:
        waiting = f"{operations} operations that were to wait for it"
        return f"the device wrote {writes} times during {waiting}"
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
            share = percent(cached.share, 1)
            return f"only {share} of the file was in the cache before a warm sample"
        if read_bytes:
            return f"a warm sample read {read_bytes} bytes from the device"
    return None


_FEWEST_RESULTS = (
    2  # of a function with which others are compared: one may return another each time
)
_MUCH_SAID = 64 << 10  # bytes: what an operation writes to its output beyond takes time


@dataclass
class _Result:
    """What a function returned first, in a sample of which case, and how often it was seen."""

    case: int
    number: int
    times: int = 0
    changes: bool = False
    told: bool = False


class Results:
    """Records once per case that a function of the user's returns something else than the first, or
    that it writes much to its output.
    """

    def __init__(self, cases: Cases, recorder: Recorder):
        self._cases, self._recorder = cases, recorder
        self._known: dict[tuple[int, str, str], _Result] = {}  # by group and function
        self._first: dict[int, _Result] = {}  # by group, that with which others are compared
        self._heard: set[int] = set()

    def heard(self, case: int, seen: Observed, part: Part) -> None:
        """What a sample wrote to its output."""
        said = seen.said / sum(seen.spans.operations)
        if said > _MUCH_SAID and case not in self._heard:
            self._heard.add(case)
            text = f"it writes {size(said)} to its output each time, which is in its time"
            self._recorder.caveat(self._cases[case].key, text, part, kind="much-output")

    def seen(self, group: int, case: int, spans: Spans, part: Part) -> None:
        """A sample; its sums stand for results, or are None where these cannot be compared."""
        if self._cases.strategy(case).sums != "nothing" or not spans.sum:
            return
        key, number = (group, self._cases[case].variant, self._cases[case].setting), spans.sum[-1]
        known = self._known.setdefault(key, _Result(case, number))
        known.times += 1
        if number != known.number and not known.changes:  # it is compared with no other
            known.changes = True
            if self._first.get(group) is known:
                del self._first[group]
            text = "it does not return the same each time"
            self._tell(known.case, CaveatText(text, "changing-result"), part)
        if known.times >= _FEWEST_RESULTS and not known.changes:
            self._first.setdefault(group, known)
        if first := self._first.get(group):
            for each in (one for (of, *_), one in self._known.items() if of == group):
                if each.number != first.number and not (each.changes or each.told):
                    each.told = True
                    self._tell(each.case, self._unlike(each.case, first.case), part)

    def _tell(self, case: int, caveat: CaveatText, part: Part) -> None:
        about = self._cases[case].doubled_key
        self._recorder.caveat(about, caveat.text, part, kind=caveat.kind)

    def _unlike(self, case: int, first: int) -> CaveatText:
        this, other = self._cases[case], self._cases[first]
        name = self._cases.strategy(first).known_as
        of = "" if this.setting == other.setting else f" of {other.setting}"
        return CaveatText(f"it returns a different result from {name}{of}", "other-result")


def _may_have_read(seen: Observed) -> bool:
    """Whether a sample's calls, faults or the device may have read anything for each operation.
    What keeps an earlier result is compared with nothing.
    """
    evidence, operations = seen.evidence, sum(seen.spans.operations)
    read, faults = evidence.get("rchar"), evidence.get("minor_faults")
    if read is None or faults is None:
        return True
    return (
        read - seen.request_bytes >= operations
        or faults >= operations
        or bool(evidence.get("read_bytes"))
    )


_MOST_RECACHED = 2  # times before a warm sample


@dataclass
class Caching:
    """Brings the page cache into the state that a group asks for. `first_touch_matters` says
    whether untouched memory is slow at its first touch here; `clock` gives seconds; `look` tells
    how large the folios are in which a file is cached, in bytes, None where that is not seen.
    Groups whose file is not wholly cached any more as it was left go to `lost`.
    """

    cases: Cases
    forks: LiveForks
    recorder: Recorder
    first_touch_matters: bool
    clock: Callable[[], float]
    look: Callable[[Path], int | None]
    lost: set[int]
    _folios: dict[Path, int | None] = field(default_factory=dict)
    _state: dict[Path, CachedBy | None] = field(default_factory=dict)
    _came_in: dict[Path, ReplicateId] = field(default_factory=dict)

    def read_files(self, group: int) -> dict[Path, Path | None]:
        """The data files that the group's cases read: one, unless formats differ; and for each the
        one that it is written from, if it is.
        """
        cases = self.cases.plan.groups[group].cases
        works = [self.cases.tasks[case] for case in cases]
        return {work.path: work.source for work in works if work.path}

    def bring_in_anew(self, group: int, where: Where) -> float:
        """Put the group's files out of the cache and bring them in again, so that replicates
        average over where their pages lie. Returns the seconds that bringing in the slowest took.
        What is to be cached as it was left is only looked at.
        """
        conditions, slowest = self.cases.plan.groups[group].conditions, 0.0
        if conditions.cache not in ("warm", "cold"):
            return slowest
        for path, source in self.read_files(group).items():
            if conditions.as_left:
                write_back(path)  # what waits to be written would disturb samples
                self.forks.release(where, mapped=True)  # and mappings disturb the look
            else:
                self.put_out(group, path, where)
                start = self.clock()
                bring_in(path, conditions.cached_by, source)
                slowest = max(slowest, self.clock() - start)
            if conditions.cache == "warm" and group not in self.lost:
                self._folios[path], self._state[path] = self.look(path), conditions.cached_by
        return slowest

    def bring_in(self, group: int, where: Where) -> None:
        """The same for ceilings, unless all pages are still where they were for the cases. Several
        groups may read one file of the user's, each in another state.
        """
        conditions = self.cases.plan.groups[group].conditions
        if conditions.cache != "warm" or conditions.as_left or self.cases.unobserved:
            return
        if any(
            self._state.get(path) != conditions.cached_by or pagecache.observe(path).share < 1
            for path in self.read_files(group)
        ):
            self.bring_in_anew(group, where)

    def look_whether_left(self, groups: Iterable[int], where: Where) -> None:
        """Of these groups, those whose file is to be cached as it was left are lost if a page is
        missing: to be asked before anything reads the file, which would bring the page in again.
        """
        for group in groups:
            if self.cases.plan.groups[group].conditions.as_left and not self.cases.unobserved:
                for path in self.read_files(group):
                    self._still_left(group, pagecache.observe(path), where)

    def _still_left(self, group: int, seen: Residency, where: Where) -> None:
        if seen.share < 1 and group not in self.lost:
            self.lost.add(group)
            text = (
                f"{seen.of - seen.pages} of {seen.of} pages of the file left the cache, so it is "
                "no longer as it was: what came later is void; --cached-by read-sequential brings "
                "it in anew each time"
            )
            about = self.cases.plan.groups[group].id
            self.recorder.caveat(about, text, where, kind="left-cache")

    def bring_in_once(self, group: int, work: Task, part: Part) -> None:
        """Bring in the file of a task, unless all of it is still as it came in for another task of
        the same replicate.
        """
        path, state = work.path, self.cases.plan.groups[group].conditions.cached_by
        if path is None:
            return
        seen = None if self.cases.unobserved else pagecache.observe(path)
        if self._came_in.get(path) != part.replicate or (seen and seen.share < 1):
            if state not in (None, "as-left"):
                self.put_out(group, path, part)
            bring_in(path, state, work.source)
            self._came_in[path], self._folios[path] = part.replicate, self.look(path)

    def folio_bytes(self, path: Path) -> int | None:
        """How large its folios were when it came in last."""
        return self._folios.get(path)

    def put_out(self, group: int, path: Path, where: Where) -> None:
        """Put a group's file out of the cache, where one can; live forks let go of it first."""
        if pagecache.WHY_NOT:
            return
        self.forks.release(where)
        if self.cases.unobserved:
            pagecache.evict(path, patience=0)
            return
        left = pagecache.evict(path)
        if left.pages:
            stayed = f"{left.pages} of {left.of} pages stayed, somebody maps them"
            text = f"the file could not be put out of the cache: {stayed}"
            self.recorder.caveat(self.cases.plan.groups[group].id, text, where)

    def set(self, group: int, work: Task, where: Where) -> Cached:
        """Bring the file of a task into the group's cache state, and observe it."""
        conditions, path, recached = self.cases.plan.groups[group].conditions, work.path, 0
        if path is None:
            return Cached(None)
        if conditions.cache == "cold":
            self._state.pop(path, None)
        if self.cases.unobserved:
            return Cached(None, 0, self._folios.get(path) if conditions.cache == "warm" else None)
        if conditions.cache == "cold":
            if self.first_touch_matters:
                # Reading just before keeps the guest's memory backed by its host.
                pagecache.cache(path)
            return Cached(pagecache.evict(path))
        seen, warm = pagecache.observe(path), conditions.cache == "warm"
        if warm and conditions.as_left:
            self._still_left(group, seen, where)
        while warm and not conditions.as_left and seen.share < 1 and recached < _MOST_RECACHED:
            # Hosts page out idle cache. Then the whole file comes in anew, never only the missing
            # pages.
            self.put_out(group, path, where)
            bring_in(path, conditions.cached_by, work.source)
            self._folios[path], self._state[path] = self.look(path), conditions.cached_by
            seen = pagecache.observe(path)
            recached += 1
        return Cached(seen, recached, self._folios.get(path))


class Cached(NamedTuple):
    """How a file is cached before a sample: its `residency` (None: no file is read, or nobody can
    tell), how often it was cached anew, and the size of its folios in bytes, None where not seen.
    """

    residency: Residency | None
    recached: int = 0
    folio_bytes: int | None = None
