"""The plan's cases with what is needed to measure them: strategies, tasks and data files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path

from iogauge.corpus.own_file import OwnFile
from iogauge.corpus.store import Corpus
from iogauge.host import capacity, device, provable
from iogauge.host.device import SYNCHRONOUS, has_flag
from iogauge.host.kernel import mount_of
from iogauge.measuring.recorder import Recorder
from iogauge.model.case import Case
from iogauge.model.errors import cause
from iogauge.model.plan import Group, Plan
from iogauge.model.strategy import Runtime, Strategy
from iogauge.model.units import size
from iogauge.model.workload import Conditions, Durability
from iogauge.runfile.header import Header
from iogauge.runners import task
from iogauge.runners.task import Task


class Place:
    """The directory of our files, or the user's own file where that is read."""

    def __init__(self, directory: Path, own: OwnFile | None = None):
        self._directory, self._own = directory, own
        self._not_durable: dict[Durability, str | None] = {}

    def why_not(self, conditions: Conditions) -> str | None:
        """The reason why these conditions cannot be had here; None if they can."""
        if conditions.cache == "cold" and self._why_not_cold:
            return self._why_not_cold
        wanted = conditions.durability
        if wanted is None:
            return None
        if wanted not in self._not_durable:
            self._not_durable[wanted] = device.why_not_durable(wanted, self._directory)
        return self._not_durable[wanted]

    @cached_property
    def why_not_observed(self) -> str | None:
        """The reason why nobody can tell here what is in the page cache; None if one can."""
        if self._own:
            return provable.why_not_observed(self._own.path)
        return provable.why_not_observed_in(self._directory)

    @cached_property
    def reads_are_seen(self) -> bool:
        """Whether a read of the user's file from the device is: one without such was cached."""
        return self._own is not None and provable.reads_are_seen(self._own.path)

    @cached_property
    def _why_not_cold(self) -> str | None:
        if self._own:
            return self._own.why_not_cold()
        return provable.why_not_cold_in(self._directory)


class Cases:
    """The cases of a plan, by index. `group_of` has the index of each case's group; `tasks` are set
    by `prepare`, and `unobserved` if the state of the page cache cannot be observed.
    """

    def __init__(self, header: Header):
        self.plan: Plan = header.plan
        self.method = header.method
        self.runtimes: dict[str, Runtime] = {each.name: each for each in header.runtimes}
        self.group_of: dict[int, int] = {
            case: index
            for index, group in enumerate(self.plan.groups)
            for case in (*group.cases, *group.ceilings)
        }
        self.tasks: dict[int, Task] = {}
        self.unobserved = False
        self._stored: dict[Path, tuple[int, int]] = {}

    def __getitem__(self, case: int) -> Case:
        return self.plan.cases[case]

    def group(self, case: int) -> Group:
        """The group that a case belongs to, maybe as a candidate for its ceiling."""
        return self.plan.groups[self.group_of[case]]

    def runtime(self, case: int) -> Runtime:
        """The runtime of a case, as the run's header describes it."""
        return self.runtimes[self[case].runtime]

    def strategy(self, case: int) -> Strategy:
        """The strategy of a case, as its runner declares it."""
        return self.runtime(case).strategies[self[case].strategy]

    def allocates(self, case: int) -> bool:
        """Whether an operation holds memory in proportion to the file."""
        return self.strategy(case).needs.memory_per_file_byte > 0

    def waits_for_its_file(self, case: int) -> bool:
        """Whether the file makes calls wait; the case is warmed up on files that do not."""
        return self[case].conditions.durability == "sync-inode"

    def shapes_of(self, cases: list[int]) -> list[tuple[int, list[int]]]:
        """One case for each shape of task among these cases, with all cases of that shape."""
        found: dict[str, list[int]] = {}
        for case in cases:
            found.setdefault(self.tasks[case].shape, []).append(case)
        return [(users[0], users) for users in found.values()]

    def prepare(self, corpus: Corpus, recorder: Recorder, tell: Callable[[str], None]) -> None:
        """Make data files and tasks; cases that are not testable here fail. Raises UserError.

        To look whether a file can be read cold evicts it. So where one is to be read as it was
        left, groups are looked at when they are measured.
        """
        data = task.all_data(self.plan, list(self.runtimes.values()))
        corpus.check_room(data, task.most_written(self.plan, self.method))
        self._place = Place(corpus.directory, corpus.own)
        for group in self.plan.groups:
            tell(f"preparing data of {size(group.workload.size)}")
            cases = (*group.cases, *group.ceilings)
            for case in cases:
                copy = task.copy_for(self.plan, group, case)
                self.tasks[case] = task.make(
                    self[case], self.strategy(case), corpus, self.method, copy
                )
        self._to_look_at = set(range(len(self.plan.groups)))
        if not any(group.conditions.as_left for group in self.plan.groups):
            self.look_at(self._to_look_at, recorder)
        _warn_about_writing(self.plan, corpus, recorder)

    def look_at(self, groups: Iterable[int], recorder: Recorder) -> None:
        """See, once, whether these groups can be measured here; else their cases fail."""
        for index in sorted(self._to_look_at.intersection(groups)):
            self._to_look_at.remove(index)
            group = self.plan.groups[index]
            if reason := self._why_not(group, self._place, recorder):
                for case in (*group.cases, *group.ceilings):
                    recorder.failure(case, f"not testable here: {reason}")

    def least_from_device(self, case: int) -> int | None:
        """Bytes that an operation on a cold file gets from the device at least: those stored there.
        None for what may read less: a whole command, or a function that returns a result.
        """
        if not self.strategy(case).is_checked:
            return None
        work, workload = self.tasks[case], self[case].workload
        assert work.count is not None  # only of a command it is not known
        needed = work.count if work.strategy.sums == "byte" else workload.size
        if work.path not in self._stored:
            return needed
        stored, length = self._stored[work.path]
        needed = length if work.strategy.format == "gzip" else needed
        return needed * min(stored, length) // length

    def _why_not(self, group: Group, place: Place, recorder: Recorder) -> str | None:
        """Why a group cannot be measured here, also where a probe fails; None if it can."""
        try:
            reason = place.why_not(group.conditions) or self._why_not_stored(group)
            if group.conditions.cache in ("warm", "cold") and not reason:
                self._look_at_files(group, place, recorder)
        except OSError as error:
            return cause(error)
        return reason

    def _files_read(self, group: Group) -> list[Path]:
        paths = dict.fromkeys(self.tasks[case].path for case in group.cases)
        return [path for path in paths if path and group.workload.size]

    def _why_not_stored(self, group: Group) -> str | None:
        """Why a file that the group reads cold is not on the device; None if all are."""
        if group.conditions.cache != "cold":
            return None
        reasons = map(provable.why_not_stored, self._files_read(group))
        return next((each for each in reasons if each), None)

    def _look_at_files(self, group: Group, place: Place, recorder: Recorder) -> None:
        """Caveats on how the group's files are stored and whether their cache can be observed."""
        cold = group.conditions.cache == "cold"
        says = []
        for path in self._files_read(group):
            if cold and path not in self._stored:
                self._stored[path] = (provable.device_bytes(path), path.stat().st_size)
            if group.workload.content != "sparse":
                says += provable.remarks(path, self._stored[path][0] if cold else None)
        if not cold and place.why_not_observed:
            self.unobserved = True
            if not place.reads_are_seen:
                says.append(f"cache not proven: {place.why_not_observed}")
        for text in dict.fromkeys(says):
            recorder.caveat(group.id, text)


def _warn_about_writing(plan: Plan, corpus: Corpus, recorder: Recorder) -> None:
    writing = [group for group in plan.groups if group.workload.writes_file]
    synchronous = None
    if mount_of(corpus.directory).sync:
        synchronous = "file system is mounted sync"
    elif has_flag(corpus.directory, SYNCHRONOUS):
        synchronous = "files inherit its synchronous flag"
    if synchronous and any(group.conditions.durability == "none" for group in writing):
        waits = "every write waits for the device, whatever the durability says"
        recorder.caveat("run", f"the directory's {synchronous}: {waits}")
    threshold = capacity.background_write_back()
    for group in writing:
        if not group.conditions.durable and threshold and group.workload.size > threshold / 4:
            text = f"one operation writes {size(group.workload.size)}; the system begins to write"
            text += f" back at about {size(threshold)}, so samples may contain the writing-back of"
            recorder.caveat(group.id, f"{text} others")
