"""Figures of measured cases, alone and inside sentences of a study."""

from __future__ import annotations

import re

from iogauge.claims.comparable import Comparable, Entry
from iogauge.claims.selection import each_case, in_groups
from iogauge.model.units import count, duration, whole_share

FIGURE = re.compile(r"\{([a-z_]+)\|([^|{}]+)(?:\|([^|{}]+))?\}")
"""A figure inside a sentence: `{metric|pattern of a variant|pattern of a group}`."""


def metric(entry: Entry, name: str) -> float | None:
    """A figure of a measured case: `ns_per_op`, `other_share`, or one of its evidence.

    None if it was not measured, if the case failed, or if its time is impossible.
    """
    found = entry.measured
    if found is None or found.failure or found.impossible:
        return None
    if name == "other_share":
        return found.compute.share.center if found.compute else None
    if name == "ns_per_op":
        return entry.ns
    return getattr(found.evidence, name, None) if found.evidence else None


def shown(name: str, value: float) -> str:
    """A figure with its unit."""
    if name.endswith("ns_per_op"):
        return duration(value / 1e9)
    if name != "other_share":
        return count(value)
    # The other work is measured alone, where it may take longer than inside the loop.
    return whole_share(value) if value < 1 else "about all"


def filled(text: str, comparables: list[Comparable]) -> str | None:
    """A sentence with its figures filled in. None if one of them was not measured."""
    missing = False

    def value(figure: re.Match[str]) -> str:
        nonlocal missing
        name, variant, group = figure[1], figure[2], figure[3] or "*"
        found: dict[str | None, float] = {}
        for comparable, n in each_case(in_groups(comparables, [group]), [variant]):
            entry = comparable.entries[n]
            measured = metric(entry, name)
            if measured is not None:
                found.setdefault(entry.setting, measured)
        missing = missing or not found
        several = len(found) > 1
        return ", ".join(
            shown(name, measured) + (f" ({setting})" if several else "")
            for setting, measured in found.items()
        )

    made = FIGURE.sub(value, text)
    return None if missing else made
