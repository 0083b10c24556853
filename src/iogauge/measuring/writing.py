"""The files that cases write, and an idle device after them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iogauge.corpus.written import WrittenFiles
from iogauge.host import capacity, memory
from iogauge.host.device import Device
from iogauge.measuring.cases import Cases
from iogauge.measuring.recorder import Recorder, Where
from iogauge.model.workload import Lifetime
from iogauge.runners import task
from iogauge.runners.live_fork import LiveFork

_LEAST_BALLAST = 8 << 20  # bytes


@dataclass
class Writing:
    """Gives out the files that cases write, and removes them. `scratch` is their folder;
    `first_touch_matters` says whether untouched memory is slow at its first touch here. Without
    `settles`, nobody waits for the device: what others wrote may take it minutes.
    """

    cases: Cases
    device: Device
    recorder: Recorder
    first_touch_matters: bool
    scratch: Path = Path()
    settles: bool = True

    def __post_init__(self) -> None:
        self._written: dict[tuple[Any, ...], WrittenFiles] = {}

    def throw_away(
        self, case: int, live_fork: LiveFork, *, synchronous: bool = True
    ) -> WrittenFiles | None:
        """Files for untimed operations of a case, opened like those of its samples; None where it
        writes none. Without `synchronous` they lack the synchronous flag.
        """
        one_each = self.cases[case].conditions.lifetime == "operation"
        lifetime: Lifetime = "operation" if one_each else "sample"
        key = ("untimed" if synchronous else "unsynchronous", live_fork.number, case)
        return self._files(case, key, lifetime, synchronous=synchronous)

    def sampled(self, case: int, live_fork: LiveFork) -> WrittenFiles | None:
        """The files of the case's samples; None where it writes none."""
        lifetime, owner = self.cases[case].conditions.lifetime, (live_fork.number, case)
        if lifetime == "run":
            shared = self.cases.group_of[case], self.cases.strategy(case).format
            return self._files(case, (lifetime, *shared), lifetime)
        return self._files(case, (lifetime, *owner), lifetime)

    def remove_half_written(self, case: int, live_fork: LiveFork) -> None:
        """After a failure: nobody knows what is in these files, and others may need the room."""
        for files in (
            self.throw_away(case, live_fork),
            self.throw_away(case, live_fork, synchronous=False),
            self.sampled(case, live_fork),
        ):
            if files is not None:
                files.remove()

    def remove(self, *, all_of_them: bool = False) -> None:
        """Remove files whose forks have ended; with `all_of_them` also those of the run."""
        for key in [key for key in self._written if all_of_them or key[0] != "run"]:
            self._written.pop(key).close()

    def settle(self, group: int, where: Where) -> None:
        """Wait until nothing that was written disturbs what is measured next."""
        if self.settles and not self.device.settle():
            text = "the device was not idle 2 s after a write"
            text += ": the next sample may contain the writing-back of others"
            self.recorder.caveat(self.cases.plan.groups[group].id, text, where)

    def tidy(self, group: int, files: WrittenFiles, where: Where) -> None:
        """Verify and remove a sample's files, and let the device settle. Raises WrongFile."""
        files.check()
        if files.forget():
            text = "a file that grows from sample to sample was begun anew after 1 GiB"
            self.recorder.caveat(self.cases.plan.groups[group].id, text, where)
        self.settle(group, where)

    def touch_ballast(self, case: int, operations: int) -> None:
        """Where untouched memory is slow at first touch, touch the next pages of the cache before
        a case that writes. (The untimed operations touch the memory that a runtime allocates.)
        """
        found = self.cases[case]
        if found.workload.writes_file and self.first_touch_matters:
            wanted = max(_LEAST_BALLAST, found.bytes_per_operation * operations)
            memory.touch_ballast(min(wanted, capacity.available_memory() // 2))

    def _files(
        self,
        case: int,
        key: tuple[Any, ...],
        lifetime: Lifetime | None,
        *,
        synchronous: bool = True,
    ) -> WrittenFiles | None:
        found = self.cases[case]
        if not found.workload.writes_file or lifetime is None:
            return None
        if not synchronous:
            conditions = found.conditions.model_copy(update={"durability": "none"})
            found = found.model_copy(update={"conditions": conditions})
        if key not in self._written:
            folder = self.scratch / "-".join(map(str, key))
            strategy, work = self.cases.strategy(case), self.cases.tasks[case]
            files = task.written_files(found, strategy, work, folder, lifetime, self.cases.method)
            if files is not None:
                self._written[key] = files
        return self._written.get(key)
