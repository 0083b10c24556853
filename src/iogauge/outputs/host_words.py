"""Words for what is known over hosts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from iogauge.decision.hosts import GoesWith, OverHosts
from iogauge.model.ratios import either_way, times
from iogauge.model.text import listed
from iogauge.model.units import share
from iogauge.outputs import next_steps

MOST_NAMED = 6
"""Hosts that a line names; of more it has the number."""
FEW = 4
"""With fewer hosts a range over them says little."""
_LEAST_CHANCE = 1e-6
"""What is less likely than this is told so."""
WIDE = 4.0
"""A range over hosts whose ends are further apart, as a factor, says only that hosts differ."""


def over_hosts(found: OverHosts) -> str:
    """`1.6-1.8x over hosts; on another one likely 1.2-2.4x`. Empty where nothing is known."""
    told = found.ratios
    if not math.isfinite(told.hi):
        return ""
    if told.hi / told.lo > WIDE:
        if found.hosts < FEW:
            return f"{times(told.center)} in the mean of {found.hosts} hosts, too few for a range"
        return f"{times(told.center)} in the mean; hosts differ by much"
    says = f"{either_way(told.lo, told.hi)} over hosts"
    ahead = next_host(found)
    return f"{says}; {ahead}" if ahead else says


def next_host(found: OverHosts) -> str:
    """`on another one likely 1.2-2.4x`. Empty where nothing is known."""
    told = found.ratios
    if not math.isfinite(told.next_hi):
        return ""
    if is_anything(found):
        return "another one may differ by much"
    return f"on another one likely {either_way(told.next_lo, told.next_hi)}"


def is_anything(found: OverHosts) -> bool:
    """Whether the range of one more host says only that hosts differ, or is not known."""
    told = found.ratios
    return not math.isfinite(told.next_hi) or told.next_hi / told.next_lo > WIDE * WIDE


def goes_with(found: GoesWith) -> str:
    """`0.55-0.61x with file system ext4, 0.97-1.02x with tmpfs (by chance: 2.1 %)`."""
    facts, parts = listed(found.facts), []
    for place, (values, ratio) in enumerate(found.parts):
        value = " and ".join(dict.fromkeys(map(str, values)))
        told = ratio.ratios
        known = math.isfinite(told.hi) and told.hi / told.lo <= WIDE
        takes = either_way(told.lo, told.hi) if known else times(told.center)
        parts.append(f"{takes} with {f'{facts} ' if place == 0 else ''}{value}")
    rare = found.chance < _LEAST_CHANCE
    chance = f"under {share(_LEAST_CHANCE)}" if rare else share(found.chance, 2)
    return f"{', '.join(parts)} (by chance: {chance})"


def more_time(needed: Sequence[float | None], brings: str = "would likely decide") -> str:
    """How much time is likely to help: `needed` has the seconds in all of each host, None where no
    time helps. Empty where it helps on none.
    """
    known = [each for each in needed if each is not None]
    if not known:
        return ""
    on = "" if len(known) == len(needed) else f" on {len(known)} of them"
    return f"--budget {next_steps.budget(max(known))} {brings}{on}"


def on_all(hosts: int) -> str:
    """`on all 11 hosts`."""
    return {1: "on the one host", 2: "on both hosts"}.get(hosts, f"on all {hosts} hosts")


def names(hosts: Iterable[str]) -> str:
    """A few by name, of many the first ones and how many more there are."""
    found = list(hosts)
    if len(found) > MOST_NAMED + 1:
        return f"{', '.join(found[:MOST_NAMED])} and {len(found) - MOST_NAMED} more"
    return listed(found)
