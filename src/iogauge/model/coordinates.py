"""Where in a run something was measured."""

from __future__ import annotations

from typing import NamedTuple


class ReplicateId(NamedTuple):
    """One replicate of a bundle. `attempt` counts the sessions of the run, because a replicate that
    was cut short is measured again when the run goes on.
    """

    bundle: int
    number: int
    attempt: int


class Coordinates(NamedTuple):
    """Where a sample stands. A replicate whose forks do not fit into memory together is cut into
    parts; `position` is the sample's place in the random order of its round, from 0.
    """

    replicate: ReplicateId
    part: int
    group: int
    case: int
    round: int
    position: int
