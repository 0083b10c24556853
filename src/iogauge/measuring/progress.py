"""What a session tells while it measures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from iogauge.decision.group import GroupDecision
from iogauge.measuring.schedule import Schedule


@dataclass(frozen=True)
class Progress:
    """Where a run stands, told between samples; times in seconds.

    `doing` says what comes next. `group` is the index of the group that this is of, None where it
    is of several or of none. `decisions`, by group index, is empty before the first replicate is
    complete. `levels` has, by group index, the median ns per operation of each case in the first
    replicate: something to read meanwhile.
    """

    elapsed: float
    remaining: float
    replicates: int
    doing: str
    group: int | None
    decisions: dict[int, GroupDecision]
    levels: dict[int, dict[int, float]]


class Teller:
    """Tells `show` how a session goes. Called between samples only: whatever it draws would disturb
    one.
    """

    def __init__(self, show: Callable[[Progress], None], schedule: Schedule):
        self._show, self._schedule = show, schedule

    def __call__(self, doing: str, group: int | None = None) -> None:
        schedule = self._schedule
        self._show(
            Progress(
                schedule.elapsed,
                schedule.remaining(),
                schedule.replicates,
                doing,
                group,
                {index: each.decision for index, each in schedule.statuses.items()},
                {index: dict(levels) for index, levels in schedule.levels.items()},
            )
        )
