"""How a run stands: what measuring has to know of the results so far. The caller derives it,
because this package does not know how results are derived.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from iogauge.decision.status import GroupStatus
from iogauge.runfile.run import Run


@dataclass(frozen=True)
class Judge:
    """The functions that say how a run stands.

    `statuses` gives a GroupStatus for each group that has complete replicates, by the index of the
    group. `levels` gives the median ns per operation of each case of a group, by case, also of a
    replicate that is not complete.
    """

    statuses: Callable[[Run], Mapping[int, GroupStatus]]
    levels: Callable[[Run, int], Mapping[int, float]]
