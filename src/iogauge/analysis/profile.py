"""What the time of a run went into."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from iogauge.runfile.records import Phase
from iogauge.runfile.run import Run

Part = Phase | Literal["counted", "untimed", "around", "ending", "between", "other"]
"""A phase of the run file. `sampling` is cut into the samples that count, the untimed operations
before them, and what surrounds them. `ending` is the rest of a replicate, `between` what is outside
of all; `other` is all that a run does not tell apart.
"""


@dataclass(frozen=True)
class Profile:
    """Seconds by part, the longest first; together `seconds`. `repeats` and `rounds` are the fewest
    and the most of a group, and of a group in one replicate; of older runs None. So many `forks`
    measured cases in complete replicates; a `broken_off` replicate is part of what lies `between`.
    """

    seconds: float
    parts: tuple[tuple[Part, float], ...]
    forks: int
    repeats: tuple[int, int] | None
    rounds: tuple[int, int] | None
    broken_off: bool = False


def of_run(run: Run) -> Profile:
    """The complete replicates, and what lies outside of them."""
    columns, parts = run.columns, defaultdict[Part, float](float)
    complete = run.complete_replicates
    ceilings = {run.plan.fork_of[case] for group in run.plan.groups for case in group.ceilings}
    replicates = columns.bundle.tolist(), columns.replicate.tolist(), columns.attempt.tolist()
    rows = np.array([each in complete for each in zip(*replicates, strict=True)], dtype=bool)
    parts["counted"] = float(columns.ns[rows].sum()) / 1e9
    parts["untimed"] = float(np.nansum(columns.prelude_ns[rows])) / 1e9
    of_replicates = sum(each.seconds for each in run.replicates)
    told = sum(sum(each.phases.values()) for each in run.replicates)
    for each in run.replicates:
        for phase in get_args(Phase):
            parts[phase] += each.phases.get(phase, 0.0)
    if told:
        parts["around"] = max(0.0, parts.pop("sampling") - parts["counted"] - parts["untimed"])
        parts["ending"] = max(0.0, of_replicates - told)
        parts["between"] = max(0.0, run.seconds - of_replicates)
    else:
        parts["other"] = max(0.0, run.seconds - sum(parts.values()))
    ordered = sorted(parts.items(), key=lambda part: -part[1])
    groups = Counter(group for each in run.replicates for group in each.groups)
    rounds = [count for each in run.replicates for count in each.rounds.values()]
    return Profile(
        seconds=run.seconds,
        parts=tuple(each for each in ordered if each[1] > 0),
        forks=sum(
            each.replicate_id in complete and each.spec not in ceilings for each in run.forks
        ),
        repeats=(min(groups.values()), max(groups.values())) if groups else None,
        rounds=(min(rounds), max(rounds)) if rounds else None,
        broken_off=not rows.all(),
    )
