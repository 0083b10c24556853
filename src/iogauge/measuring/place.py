"""What can be measured in the place where the files are: found out by probes, once for each."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from iogauge.corpus.own_file import OwnFile
from iogauge.host import device, provable
from iogauge.model.workload import Conditions, Durability


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
