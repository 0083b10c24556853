"""What a session tells while it measures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from iogauge.measuring.schedule import Schedule
from iogauge.statistics.sequential import Judgement


@dataclass(frozen=True)
class Progress:
    """Where a run stands, told between samples; times in seconds.

    `doing` says what comes next. `group` is the index of the group that this is of, None where it
    is of several or of none. `judgements`, by group index, is empty before the first replicate is
    complete. `levels` has, by group index, the median ns per operation of each case in the first
    replicate: something to read meanwhile.
    """

    elapsed: float
    remaining: float
    replicates: int
    doing: str
    group: int | None
    judgements: dict[int, Judgement]
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
                {index: each.judgement for index, each in schedule.standings.items()},
                {index: dict(levels) for index, levels in schedule.levels.items()},
            )
        )
