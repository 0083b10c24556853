"""What a plan does not measure, in lines."""

from __future__ import annotations

from collections.abc import Sequence

from iogauge.model.plan import Skipped, by_reason


def lines(skipped: Sequence[Skipped], *, together: bool = True) -> list[str]:
    """A line for each reason, or for each thing; and on states of the cache that are all alike."""
    found = by_reason(skipped) if together else skipped
    says = (f"not measured: {each.what}: {each.why}" for each in found if not each.alike)
    return [*dict.fromkeys(says), *all_alike(skipped)]


def all_alike(skipped: Sequence[Skipped]) -> list[str]:
    """`btrfs keeps what is cached in folios of 4 KiB, however it came into the cache: measured
    once`, where it was to be measured in several states.
    """
    return list(dict.fromkeys(f"{each.alike}: measured once" for each in skipped if each.alike))
