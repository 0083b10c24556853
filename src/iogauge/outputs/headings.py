"""What a group asks, under which conditions, and how well it was observed: in words for people."""

from __future__ import annotations

from iogauge.analysis.groupreport import GroupReport
from iogauge.model.plan import Protocol
from iogauge.model.ratios import ratio
from iogauge.model.units import compact_count, share, size, whole_share
from iogauge.model.workload import Conditions

_BY = {"line": " by lines", "char": " by characters", "byte": " by bytes"}
_DURABLE = {
    "fsync": "fsync",
    "dsync": "O_DSYNC",
    "sync-inode": "synchronous file",
    "sync-mount": "synchronous disk",
}
_CACHES = {"warm": "cached", "cold": "from disk", "as-left": "cache as left"}
_NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split()


def label(group: GroupReport) -> str:
    """A few words: `Read 16 MiB, cached`."""
    work, units = group.workload, {each.strategy.unit for each in group.cases}
    what = f"{work.operation.capitalize()} {size(work.size)}"
    if work.accesses:
        what = f"{work.operation.capitalize()} {counted(work.accesses, 'random block')}"
    parts = [what + (_BY.get(*units, "") if len(units) == 1 else "")]
    parts += ["in memory"] * (work.medium == "memory")
    return ", ".join([*parts, *state(group.conditions)])


def question(group: GroupReport) -> str:
    """The question, with the conditions behind it."""
    under = state(group.conditions)
    return f"{group.question} ({', '.join(under)})" if under else group.question


def counted(number: int, noun: str) -> str:
    """`3 repeats`, `1 repeat`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def in_words(number: int) -> str:
    """`two`, `48`."""
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def state(under: Conditions) -> list[str]:
    """Whether the file is cached, and how writes are made durable."""
    found = [_CACHES[under.cache]] if under.cache else []
    return found + ([_DURABLE[under.durability]] if under.durability in _DURABLE else [])


def observed(group: GroupReport, protocol: Protocol) -> str:
    """What the figures rest on: repeats, and what was seen of the cache and of the device."""
    how = (
        f"{counted(group.replicates, 'repeat')} in fresh processes"
        if protocol == "sound"
        else f"{counted(group.replicates, 'repeat')} of the authors' procedure"
    )
    seen = [each for each in (_cached(group), _written(group), _control(group)) if each]
    return "; ".join([how, *seen])


def pace(group: GroupReport) -> str | None:
    """How much the device itself varied, where operations wait for it."""
    if not group.conditions.waits_for_device or group.pace is None:
        return None
    return (
        f"The disk itself varied: a slow round took {ratio(round(group.pace, 1))} times as long as "
        "a fast one, in all ways."
    )


def _cached(group: GroupReport) -> str | None:
    if not group.workload.reads_file:
        return None
    if not group.resident_before:
        return "what was cached was not observed"
    low, high = group.resident_before
    if low == 1:
        return "the whole file was cached before each sample"
    reads = [case.evidence.device_read_bytes_per_op for case in group.cases if case.evidence]
    known = [each for each in reads if each is not None]
    if high == 0:
        of_it = f" ({size(round(min(known)))} came from the disk)" if known else ""
        return f"nothing of the file was cached before a sample{of_it}"
    return f"{whole_share(low)} to {whole_share(high)} of the file was cached before a sample"


def _written(group: GroupReport) -> str | None:
    if not group.workload.writes_file:
        return None
    writes = [case.evidence.device_writes_per_op for case in group.cases if case.evidence]
    known = [each for each in writes if each is not None]
    if not known:
        return "writes to the disk were not observed"
    low, high = compact_count(min(known)), compact_count(max(known))
    if high == "0":
        return "written to the page cache, not to the disk"
    return f"{low if low == high else f'{low} to {high}'} writes to the disk each time"


def _control(group: GroupReport) -> str | None:
    """How much identical code may differ, where that is more than the tolerance."""
    floor = group.noise_floor
    if floor is None or floor <= group.tolerance or group.suspended:
        return None
    if floor > 1:
        return f"identical code may differ by a factor of {ratio(round(1 + floor, 1))}"
    return f"identical code may differ by {share(floor, 2)}"
