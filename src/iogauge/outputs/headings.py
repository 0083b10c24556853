"""What a group asks, under which conditions, and how well it was observed: in words for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from iogauge.model.caveats import RESULT_KINDS
from iogauge.model.plan import RunProtocol
from iogauge.model.ratios import times
from iogauge.model.strategy import Strategy
from iogauge.model.text import listed
from iogauge.model.units import compact_count, counted, size, whole_share
from iogauge.model.workload import CACHED_BY_WORDS, USUAL, Conditions, Workload

if TYPE_CHECKING:  # a history says what was measured without a report
    from iogauge.analysis.asked import Asked
    from iogauge.analysis.groupreport import GroupReport
    from iogauge.runfile.run import Run

_BY = {"line": " by lines", "char": " by characters", "byte": " by bytes"}
_DURABLE = {
    "fsync": "fsync",
    "fdatasync": "fdatasync",
    "dsync": "O_DSYNC",
    "sync-inode": "synchronous file",
    "sync-mount": "synchronous disk",
}
_CACHES = {"warm": "cached", "cold": "from disk", "as-left": "cache as left"}
_PROTOCOLS: dict[RunProtocol, str] = {
    "sound": "in fresh processes",
    "published": "of the authors' procedure",
    "imported": "as imported",
}
_LISTED = 3  # functions that a line names
_STEADY = 1.1  # times the fastest round


def label(group: GroupReport | Asked) -> str:
    """A few words: `Read 16 MiB by lines, cached`, `Write 64 KiB by 100 B`; the question where it
    is not known what is read or written.
    """
    if not group.workload.known:
        return group.question
    by = by_unit(each.strategy for each in group.cases)
    if group.record_bytes and group.record_bytes < group.workload.size:
        by = f" by {size(group.record_bytes)}"
    return of_work(group.workload, _told(group), by, told=group.of_states)


def by_unit(strategies: Iterable[Strategy]) -> str:
    """` by lines`, where all of them take the data so; else nothing."""
    units = {"line" if each.by_line else each.unit for each in strategies}
    return _BY.get(units.pop(), "") if len(units) == 1 else ""


def of_work(work: Workload, conditions: Conditions, by: str = "", *, told: bool = False) -> str:
    """`Read 16 MiB, cached`; also how it came into the cache, where that is to be `told`."""
    what = f"{work.operation.capitalize()} {size(work.size)}"
    if work.accesses:
        what = f"{work.operation.capitalize()} {counted(work.accesses, 'random block')}"
    elif not by and work.content.startswith("text"):
        by = " text"
    parts = [what + by] + ["in memory"] * (work.medium == "memory")
    return ", ".join([*parts, *state(conditions, told=told, own=work.content == "own")])


def question(group: GroupReport, *, checked: bool) -> str:
    """The question, with the conditions behind it and, if asked for, whether they were seen."""
    own = group.workload.content == "own"
    under = state(_told(group), told=group.of_states, own=own)
    if group.workload.writes_file and not under:
        under.append("not forced to disk")
    if checked and group.is_checked and seen(group):
        under.append("checked")
    return f"{group.question} ({', '.join(under)})" if under else group.question


def _told(group: GroupReport | Asked) -> Conditions:
    """The conditions, but for how the file came into the cache where that makes no difference."""
    alike = group.all_alike
    return group.conditions.model_copy(update={"cached_by": None}) if alike else group.conditions


def seen(group: GroupReport) -> bool:
    """Whether the file was seen to be cached, or not to be, before every sample."""
    return group.resident_before in ((0.0, 0.0), (1.0, 1.0))


def observed(group: GroupReport, protocol: RunProtocol) -> str:
    """What the figures rest on: repeats, and what was seen of the cache and of the device."""
    of, known = _PROTOCOLS[protocol], group.is_checked or protocol == "imported"
    seen = [each for each in (_cached(group), _written(group)) if each]
    seen += [] if known else [not_checked(commands=group.of_commands)]
    return ", ".join([f"{counted(group.replicates, 'repeat')} {of}", *seen])


def not_checked(*, commands: bool) -> str:
    """Of what does not tell how much it reads."""
    return f"what {'the commands read' if commands else 'your code reads'} is not checked"


def pace(group: GroupReport) -> str | None:
    """How much the device itself varied, where operations wait for it."""
    pace = group.data.pace if group.conditions.waits_for_device else None
    if pace is None:
        return None
    if pace < _STEADY:
        return "The disk itself was steady (within 10 %)."
    did = "reads" if group.conditions.cache == "cold" else "writes"
    return f"The disk itself varied: the same {did} took up to {times(pace)} as long at times."


def unlike(group: GroupReport, run: Run) -> list[str]:
    """What does not do the same work as others: reads less of the file, returns something else, or
    writes much to its output.
    """
    results = [each for each in run.caveats if each.kind in RESULT_KINDS]
    found, unlike, others = list[str](), list[str](), list[str]()
    for case in (each for each in group.cases if not each.case.control):
        of = f" of {group.called(case.rank_set)}" if group.one_each else ""  # `count(path) of C`
        name, mine = f"{group.name_of(case)}{of}", [e for e in results if e.about == case.case.key]
        own = [each.text for each in mine if each.kind != "other-result"]
        texts = [case.failure] if case.unread else [case.reads_less, *own]
        found += [f"{name}: {each}." for each in dict.fromkeys(texts) if each]
        kinds = {each.kind for each in mine}
        if not (case.failure or "changing-result" in kinds):
            (unlike if "other-result" in kinds else others).append(name)
    if unlike and others:
        returns = "returns" if len(unlike) == 1 else "return"
        found.append(f"Results differ: {_few(unlike)} {returns} another one than {_few(others)}.")
    return found


def _few(names: list[str]) -> str:
    more = [f"{len(names) - _LISTED} more"] if len(names) > _LISTED + 1 else []
    return listed([*names[:_LISTED], *more] if more else names)


def of_file(group: GroupReport, run: Run) -> list[str]:
    """What was seen of the file before anything was measured, and changes how figures are read."""
    return list(
        dict.fromkeys(
            f"{each.text[:1].upper()}{each.text[1:]}."
            for each in run.caveats
            if group.workload.reads_file and each.about == group.id and each.replicate_id is None
        )
    )


def unknown_state(groups: Iterable[Conditions]) -> list[str]:
    """A sentence where a file was cached and the run, of an older version, does not say how it came
    into the cache.
    """
    found = any(each.cache == "warm" and each.cached_by is None for each in groups)
    why = "an older version of iogauge measured this"
    return [f"How the file came into the cache is not known: {why}."] if found else []


def other_folios(group: GroupReport) -> list[str]:
    """A caveat where the file was seen in other folios than its way into the cache is to leave."""
    by = group.conditions.cached_by
    if not group.is_in_other_folios or by is None or group.folio_bytes is None:
        return []
    wanted = "large" if by == "write-large" else "small"
    return [
        f"A file {CACHED_BY_WORDS[by]} should lie in {wanted} folios; here it lay in folios of "
        f"{size(group.folio_bytes)}."
    ]


def state(conditions: Conditions, *, told: bool = False, own: bool = False) -> list[str]:
    """Whether the file is cached, and how writes are made durable; how it came into the cache where
    that is not the usual way, or is to be `told`. A file of the user's `own` is usually left as it
    was.
    """
    found = [_CACHES[conditions.cache]] if conditions.cache else []
    by = conditions.cached_by if conditions.cache == "warm" else None
    if by and (told or not (by in USUAL or (own and by == "as-left"))):
        found.append(CACHED_BY_WORDS[by])
    durability = conditions.durability
    return found + ([_DURABLE[durability]] if durability in _DURABLE else [])


def _cached(group: GroupReport) -> str | None:
    if not group.workload.reads_file:
        return None
    if not group.resident_before:
        return "what was cached is not known"
    low, high = group.resident_before
    if low == 1:
        folios = f", in folios of {size(group.folio_bytes)}" if group.folio_bytes else ""
        return f"the file fully cached before each sample{folios}"
    measured = [case.evidence for case in group.cases if case.evidence and case.ns_per_op]
    reads = [each.device_read_bytes_per_op for each in measured]
    known = [each for each in reads if each is not None]
    if high == 0:
        of_it = f", {size(round(min(known)))} from the disk" if known else ""
        return f"nothing cached before a sample{of_it}"
    return f"{whole_share(low)} to {whole_share(high)} of the file cached before a sample"


def _written(group: GroupReport) -> str | None:
    if not group.workload.writes_file:
        return None
    writes = [case.evidence.device_writes_per_op for case in group.cases if case.evidence]
    known = [each for each in writes if each is not None]
    if not known:
        return "what the disk wrote is not known"
    low, high = compact_count(min(known)), compact_count(max(known))
    if high == "0":
        return "written to the page cache, not to the disk"
    return f"{low if low == high else f'{low} to {high}'} writes to the disk each time"
