"""The page cache: it is brought into the state that a group asks for, and observed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from iogauge.host import pagecache
from iogauge.host.pagecache import Residency
from iogauge.measuring.cases import Cases
from iogauge.measuring.forks import LiveForks
from iogauge.measuring.recorder import Recorder, Where
from iogauge.runners.task import Task

_MOST_RECACHED = 2  # times before a warm sample


class Caching:
    """Sets the state of the cache for the files of a group. `first_touch_matters` says whether
    memory that rested is slow at its first touch here; `clock` gives seconds.
    """

    def __init__(
        self,
        cases: Cases,
        forks: LiveForks,
        recorder: Recorder,
        first_touch_matters: bool,
        clock: Callable[[], float],
    ):
        self._cases, self._forks, self._recorder = cases, forks, recorder
        self.first_touch_matters, self._clock = first_touch_matters, clock

    def read_files(self, group: int) -> list[Path]:
        """The data files that the group's cases read: one, unless formats differ."""
        cases = self._cases.plan.groups[group].cases
        found = (self._cases.tasks[case].path for case in cases)
        return [path for path in dict.fromkeys(found) if path]

    def bring_in_anew(self, group: int, where: Where) -> float:
        """Put the group's files out of the cache and bring them in again, so that replicates
        average over where their pages lie. Returns the seconds that reading the slowest took.
        """
        if self._cases.plan.groups[group].conditions.cache not in ("warm", "cold"):
            return 0.0
        slowest = 0.0
        for path in self.read_files(group):
            self.put_out(group, path, where)
            start = self._clock()
            pagecache.cache(path)
            slowest = max(slowest, self._clock() - start)
        return slowest

    def bring_in(self, group: int, where: Where) -> None:
        """The same for what is measured after the cases of a replicate, unless all pages are still
        where they were for these.
        """
        if self._cases.unobserved:
            return
        if any(pagecache.observe(path).share < 1 for path in self.read_files(group)):
            self.bring_in_anew(group, where)

    def put_out(self, group: int, path: Path, where: Where) -> None:
        """Put a group's file out of the cache. Every live fork lets go of it first: one that served
        another group may map it. Where no file can be put out, nothing is done.
        """
        if pagecache.WHY_NOT:
            return
        self._forks.release(where)
        if self._cases.unobserved:
            pagecache.evict(path, patience=0)
            return
        left = pagecache.evict(path)
        if left.pages:
            text = (
                f"the file could not be put out of the cache: {left.pages} of {left.of} pages"
                " stayed, somebody maps them"
            )
            self._recorder.caveat(self._cases.plan.groups[group].id, text, where)

    def set(self, group: int, work: Task, where: Where) -> tuple[Residency | None, int]:
        """Bring the file of a task into the group's cache state. Returns what was observed (None:
        no file is read, or nobody can tell), and how often the file was cached anew.
        """
        cache, path, recached = self._cases.plan.groups[group].conditions.cache, work.path, 0
        if path is None or self._cases.unobserved:
            return None, recached
        if cache == "cold":
            if self.first_touch_matters:
                # Reading just before keeps the guest's memory backed by its host.
                pagecache.cache(path)
            return pagecache.evict(path), recached
        seen = pagecache.observe(path)
        while cache == "warm" and seen.share < 1 and recached < _MOST_RECACHED:
            # Hosts page out idle cache. Then the whole file comes in anew, never only the missing
            # pages.
            self.put_out(group, path, where)
            pagecache.cache(path)
            seen = pagecache.observe(path)
            recached += 1
        return seen, recached
