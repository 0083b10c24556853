"""Series: what one case took in one place, run after run, and where that changed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from iogauge.history import changes
from iogauge.history.changes import Change
from iogauge.history.stored import Index
from iogauge.model.workload import Conditions, Workload
from iogauge.runfile.arrays import Floats
from iogauge.statistics.change_points import FEWEST_POINTS


@dataclass(frozen=True)
class Point:
    """One run of a series. `started` is in seconds since 1970."""

    run: str
    file: str
    started: float
    runtime: str
    iogauge: str
    kernel: str
    ns_per_op: float
    lo: float | None
    hi: float | None
    replicates: int


@dataclass(frozen=True)
class About:
    """What all points of a series have in common."""

    case_key: str
    name: str
    group_id: str
    question: str
    workload: Workload
    conditions: Conditions
    study: str
    protocol: str
    host: str
    host_name: str
    processor: str
    system: str
    file_system: str
    method: str


@dataclass(frozen=True)
class Series:
    """A case on a host and a file system, by one method, in the order of time. `cases` and `files`
    are the rows of its points in the index, shape (n,) each, and `ns` their ns per operation. The
    oldest of `changes` is the first.
    """

    index: Index
    cases: NDArray[np.int64]
    files: NDArray[np.int64]
    started: Floats
    ns: Floats
    changes: tuple[Change, ...]

    def __len__(self) -> int:
        return len(self.ns)

    @cached_property
    def can_see(self) -> float | None:
        """Of a series without a change, how large one it could have seen; None if none."""
        return changes.can_see(self.ns) if self.is_long_enough and not self.changes else None

    @property
    def is_long_enough(self) -> bool:
        return len(self) >= FEWEST_POINTS

    @cached_property
    def about(self) -> About:
        """As its newest run has it."""
        case, file = int(self.cases[-1]), int(self.files[-1])
        group = self._group(case, file)
        of_case = {name: self._word("cases", name, case) for name in ("case_key", "name")}
        of_group = {name: self._word("groups", name, group) for name in ("group_id", "question")}
        of_run = {
            name: self._word("runs", name, file)
            for name in (
                *("study", "protocol"),
                *("host", "host_name", "processor", "system", "file_system"),
            )
        }
        return About(
            **of_case,
            **of_group,
            **of_run,
            method=self._word("runs", "method", file),
            workload=self._workload(group),
            conditions=self._conditions(group),
        )

    def _group(self, case: int, file: int) -> int:
        """The row of the group that a case of a file is in."""
        groups, named = self.index.tables["groups"], self.index.tables["cases"]["group_id"][case]
        found = np.flatnonzero((groups["file"] == file) & (groups["group_id"] == named))
        return int(found[0])

    def _workload(self, group: int) -> Workload:
        """What headings need of it. It is not validated: an index may be of anybody."""
        columns = self.index.tables["groups"]
        known: dict[str, Any] = {
            name: self._word("groups", name, group) for name in ("operation", "content", "medium")
        }
        known |= {"size": int(columns["size"][group])}
        return Workload.model_construct(**known, accesses=int(columns["accesses"][group]) or None)

    def _conditions(self, group: int) -> Conditions:
        known: dict[str, Any] = {
            name: self._word("groups", name, group) or None
            for name in ("cache", "cached_by", "durability")
        }
        return Conditions.model_construct(**known)

    def point(self, place: int) -> Point:
        case, file = int(self.cases[place]), int(self.files[place])
        columns = self.index.tables["cases"]
        lo, hi = float(columns["lo"][case]), float(columns["hi"][case])
        return Point(
            run=self._word("runs", "run", file),
            file=self._word("runs", "path", file),
            started=float(self.started[place]),
            runtime=self._word("cases", "runtime", case),
            iogauge=self._word("runs", "iogauge", file),
            kernel=self._word("runs", "kernel", file),
            ns_per_op=float(self.ns[place]),
            lo=None if np.isnan(lo) else lo,
            hi=None if np.isnan(hi) else hi,
            replicates=int(columns["replicates"][case]),
        )

    @property
    def points(self) -> list[Point]:
        return [self.point(place) for place in range(len(self))]

    def fleet(self, place: int) -> str:
        """The fleet run that a point is of: the folder in which the run files of all hosts are,
        each by the name of its host. Empty for any other run.
        """
        file = int(self.files[place])
        path, name = (self._word("runs", each, file) for each in ("path", "host_name"))
        folder, _, file_name = path.rpartition("/")
        return folder if name and file_name.startswith(f"{name}.") else ""

    def _word(self, table: str, column: str, row: int) -> str:
        place = int(self.index.tables[table][column][row])
        return self.index.words[place] if place >= 0 else ""


@dataclass(frozen=True)
class Changed:
    """A change of a series."""

    series: Series
    change: Change

    @property
    def before(self) -> Point:
        return self.series.point(self.change.at - 1)

    @property
    def after(self) -> Point:
        return self.series.point(self.change.at)

    @property
    def since(self) -> int:
        """How many runs there are from the change on."""
        return len(self.series) - self.change.at

    @property
    def fleets(self) -> tuple[str, str]:
        """The fleet runs before the change and after it, each empty for any other run."""
        return self.series.fleet(self.change.at - 1), self.series.fleet(self.change.at)


@dataclass(frozen=True)
class Event:
    """Changes of several series between the same two runs, perhaps of a fleet, the largest
    first.
    """

    changed: tuple[Changed, ...]

    @property
    def hosts(self) -> list[str]:
        """The names of the hosts on which something changed, of those that have one."""
        names = (each.series.about.host_name for each in self.changed)
        return list(dict.fromkeys(filter(None, names)))

    @property
    def cases(self) -> int:
        """How many cases changed, on whichever hosts. On one host a case may have several
        runtimes, each with a series.
        """
        most = Counter[str]()
        about = [each.series.about for each in self.changed]
        for (key, _), count in Counter((each.case_key, each.host_name) for each in about).items():
            most[key] = max(most[key], count)
        return most.total()

    @property
    def first(self) -> Changed:
        return self.changed[0]


def events(series: Sequence[Series]) -> list[Event]:
    """What changed, the newest first."""
    together: dict[Hashable, list[Changed]] = defaultdict(list)
    for each in series:
        for change in each.changes:
            changed = Changed(each, change)
            files = int(each.files[change.at - 1]), int(each.files[change.at])
            together[changed.fleets if all(changed.fleets) else files].append(changed)
    found = [
        Event(tuple(sorted(same, key=lambda one: -abs(np.log(one.change.ratio)))))
        for same in together.values()
    ]
    return sorted(found, key=lambda event: -event.first.after.started)
