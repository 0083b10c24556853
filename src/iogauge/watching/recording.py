"""The record of a watch, from what was seen, estimated and found."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence

from iogauge.host import proctree
from iogauge.host.proctree import Did
from iogauge.host.supervised import Ended
from iogauge.model import units
from iogauge.model.watched import (
    COPIES,
    READS,
    SYNCS,
    WRITES,
    Amounts,
    Calls,
    ConstantName,
    Constants,
    Cost,
    Finding,
    Moment,
    Place,
    Program,
    Target,
    Wait,
    Watched,
)
from iogauge.watching.candidates import Candidate
from iogauge.watching.estimating import OPENS, STATS, Estimate, Group, Own, before
from iogauge.watching.recognising import Facts
from iogauge.watching.watcher import Seen, Window

Sizes = tuple[tuple[int, float], ...]

Numbers = dict[tuple[str, str], tuple[int, Facts | None]]
"""The number and the facts of each program, by its key."""

_MORE_BY = {
    "Operation not permitted": "; root, or kernel.yama.ptrace_scope = 0, allows to look",
    "strace is not installed": "; most distributions have it",
}
"""What more would need, by why there are no windows."""
_MOST_MOMENTS = 100
_MOST_CALLS = 60  # kinds of calls that are kept: the rest of a program are put together
_OTHERS = "other files"
_LONG = 1.0  # s: by then a window was due
_SMALL, _WORTH = 64 << 10, 0.02  # bytes of a call; share of the run time that is worth a word


def numbered(seen: Seen, found: Estimate) -> Numbers:
    """The programs in the order in which they began."""
    numbers: Numbers = {}
    for facts in seen.facts.values():
        numbers.setdefault(facts.key, (len(numbers), facts))
    for group in found.groups.values():
        numbers.setdefault(group.program, (len(numbers), None))
    return numbers


def programs(seen: Seen, numbers: Numbers) -> tuple[Program, ...]:
    made = []
    for key, (_, facts) in numbers.items():
        pids = [pid for pid, each in seen.facts.items() if each.key == key]
        made.append(
            Program(
                name=facts.name if facts else key[0],
                language=facts.language if facts else None,
                script=os.path.basename(facts.script) if facts and facts.script else None,
                own=bool(facts and facts.own),
                processes=max(1, len(pids)),
                unseen=_unseen(seen, pids),
            )
        )
    return tuple(made)


def _unseen(seen: Seen, pids: Sequence[int]) -> str | None:
    if seen.no_account.issuperset(pids) and pids:
        return "the kernel does not tell what it reads and writes, as it changes its user"
    if seen.hidden.intersection(pids):
        return "it does not wait for its children, so what they did is not in the account"
    return None


def calls(found: Estimate, numbers: Numbers) -> tuple[Calls, ...]:
    """The most frequent kinds of calls; of each program and target the others together."""
    groups = sorted(found.groups.values(), key=lambda each: -each.count)
    kept, rest = groups[:_MOST_CALLS], groups[_MOST_CALLS:]
    others: dict[tuple[tuple[str, str], str, str], Group] = {}
    for each in rest:
        into = others.setdefault(
            (each.program, each.name, each.target), Group(each.program, each.name, "", each.target)
        )
        into.count += each.count
        into.bytes += each.bytes
        into.failed += each.failed
        into.seen += each.seen
        into.took += each.took
        for size, count in each.sizes.items():
            into.sizes[size] += count
    made = [_calls(each, numbers, os.path.basename(each.path)) for each in kept]
    return (*made, *(_calls(each, numbers, _OTHERS) for each in others.values()))


def _calls(group: Group, numbers: Numbers, file: str) -> Calls:
    return Calls(
        program=numbers[group.program][0],
        name=group.name,
        target=group.target,
        file=file,
        count=group.count,
        bytes=group.bytes,
        failed=group.failed,
        size=round(group.size),
        sizes=tuple(sorted(_by_power(group.sizes).items())),
        seen=group.seen,
        took=group.took / group.seen if group.name in SYNCS and group.seen else None,
    )


def _by_power(sizes: dict[int, float]) -> dict[int, float]:
    """Counts by the largest power of two that is not above a size."""
    found: dict[int, float] = defaultdict(float)
    for size, count in sizes.items():
        found[1 << (size.bit_length() - 1) if size else 0] += count
    return found


def waits(seen: Seen, numbers: Numbers, wall: float) -> tuple[Wait, ...]:
    """In which calls threads were seen to wait, the longest first."""
    found, looked = list[Wait](), seen.accounts[-1].at if seen.accounts else 0.0
    for (pid, name, path), waited in sorted(seen.waited.items(), key=lambda each: -each[1]):
        facts = seen.facts.get(pid)
        if facts is None:
            continue
        found.append(
            Wait(
                program=numbers[facts.key][0],
                name=name,
                target=proctree.target(path),
                file=os.path.basename(path),
                seconds=wall * waited / looked if looked else 0.0,
                looks=seen.waits[pid, name, path],
            )
        )
    return tuple(found)


def moments(seen: Seen, found: Estimate) -> tuple[Moment, ...]:
    """The run in short parts of about the same length: what accounts say of each, divided by size
    as the nearest window has it.
    """
    own, made = Own(seen), list[Moment]()
    wall = found.stretches[-1].ends if found.stretches else 0.0
    for each in found.stretches:
        sizes = _sizes(each.window)
        times = [one.at for one in seen.accounts if each.begins < one.at <= each.ends]
        parts = max(1, min(len(times), round(_MOST_MOMENTS * (each.ends - each.begins) / wall)))
        length = (each.ends - each.begins) / parts
        cuts = [*(each.begins + number * length for number in range(parts)), each.ends]
        made += [
            _moment(seen, own, begins, ends, sizes)
            for begins, ends in zip(cuts, cuts[1:], strict=False)
        ]
    return tuple(made)


def _moment(seen: Seen, own: Own, begins: float, ends: float, sizes: tuple[Sizes, Sizes]) -> Moment:
    done = [0.0] * 4
    for pid in own.pids:
        earlier, later = own.until(pid, begins), own.until(pid, ends)
        done = [
            so_far + max(0.0, end - start)
            for so_far, start, end in zip(done, earlier, later, strict=True)
        ]
    within = [one for one in seen.accounts if begins < one.at <= ends]
    last = before(seen.accounts, begins)
    processor = within[-1].processor - (last.processor if last else 0.0) if within else 0.0
    return Moment(
        begins=begins,
        ends=ends,
        read_calls=done[0],
        write_calls=done[1],
        read_bytes=done[2],
        written_bytes=done[3],
        processor=max(0.0, processor),
        waiting=sum(one.waiting for one in within) / len(within) if within else 0.0,
        read_sizes=sizes[0],
        write_sizes=sizes[1],
    )


def _sizes(window: Window | None) -> tuple[Sizes, Sizes]:
    """How the reads and the writes of a window divide by size."""
    found: tuple[dict[int, float], dict[int, float]] = (defaultdict(float), defaultdict(float))
    for call in window.calls if window else ():
        if call.result is not None and not call.failed:
            if call.name in READS | COPIES:
                found[0][call.result] += 1
            elif call.name in WRITES:
                found[1][call.result] += 1
    reads, writes = (tuple(sorted(_by_power(each).items())) for each in found)
    return reads, writes


def in_calls(found: Estimate, total: Amounts, constants: Constants | None) -> float | None:
    """Seconds of processor time in calls for files, by what each costs here: no more than the
    kernel worked for the program. None where no costs are known.
    """
    if constants is None or not constants.calls:
        return None
    sum_of = 0.0
    for group in found.groups.values():
        sum_of += cost_of(group, constants)
    return min(sum_of, total.system) if total.system is not None else sum_of


_WRITTEN: dict[Target, ConstantName] = {
    "file": "write",
    "null": "null-write",
    "pipe": "pipe-write",
}


def constant_of(group: Group) -> ConstantName | None:
    """Which constant says what these calls cost; None where none does."""
    if group.name in READS:
        return "read"
    if group.name in WRITES:
        return _WRITTEN.get(group.target)
    if group.name in OPENS:
        return "open-close"
    return "stat" if group.name in STATS else None


def cost_of(group: Group, constants: Constants) -> float:
    """Seconds of processor time that these calls took, as far as is known."""
    size = group.bytes / group.count if group.count else 0.0
    name = constant_of(group)
    cost = constants.of(name, size) if name else None
    return group.count * cost.middle / 1e9 if cost else 0.0


def waiting(seen: Seen, wall: float) -> float:
    """Seconds in which a thread waited in a call for a file: a look stands for the time since the
    one before, because the first ones follow one another more closely.
    """
    waited = before = 0.0
    for each in seen.accounts:
        waited += each.waiting * (each.at - before)
        before = each.at
    return wall * waited / before if before else 0.0


def with_left(total: Amounts, pids: Iterable[int]) -> Amounts:
    """What was done in all, with the account of descendants that stayed: nobody waited for them."""
    dids = [
        did
        for pid in pids
        for each in (pid, *proctree.descendants(pid))
        if (did := proctree.did(each))
    ]
    if not dids or total.read_calls is None:
        return total
    sums = dict(zip(Did._fields, map(sum, zip(*dids, strict=True)), strict=True))
    return total.model_copy(
        update={name: (getattr(total, name) or 0) + value for name, value in sums.items()}
    )


def why_no_advice(fixed: Sequence[Candidate], numbers: Numbers) -> str | None:
    """A fact about the largest of what nobody can change from outside; None without any."""
    if not fixed:
        return None
    most = max(fixed, key=lambda each: each.guess)
    _, facts = numbers[most.program]
    name, does = facts.name if facts else most.program[0], most.kind.removeprefix("small-")
    number = units.about_count if most.about else units.count
    calls, piece = number(most.calls), units.size(most.size)
    if not most.kind.startswith("small-"):
        return None
    return f"{calls} {does} of {piece} by {name}, which has no option that changes their size"


def why_half(seen: Seen) -> str | None:
    """Where a part of its work goes through an io_uring, nothing found is no "nothing to gain"."""
    ring = "nothing to gain in the calls that were seen; it has an io_uring, which shows none"
    return ring if has_ring(seen) else None


def why_unsure(found: Estimate, constants: Constants, wall: float) -> str | None:
    """Small calls that take long, of which no look saw on what: that is no "nothing to gain"."""
    costs: list[tuple[float, Group]] = []
    for each in found.groups.values():
        name: ConstantName = "read" if each.name in READS else "write"
        takes = constants.of(name, each.size)
        if takes and not each.seen and each.target == "unknown" and each.size < _SMALL:
            costs.append((each.count * takes.middle / 1e9, each))
    takes_most, most = max(costs, key=lambda each: each[0], default=(0.0, None))
    if most is None or takes_most < _WORTH * wall:
        return None
    said = f"{units.about_count(most.count)} {most.name}s of {units.size(most.size)}"
    return f"not known: {said}, and no look saw on which files"


def cost(seen: Seen) -> Cost:
    return Cost(
        processor=seen.processor + seen.helpers,
        stopped=seen.stopped,
        looks=seen.looks,
        windows=len(seen.windows),
    )


def record(
    seen: Seen,
    ended: Ended,
    found: Estimate,
    numbers: Numbers,
    *,
    name: str,
    started: str,
    host: dict[str, str],
    findings: Iterable[Finding],
    constants: Constants | None,
    no_advice: str | None,
    places: Sequence[Place] = (),
    left: Sequence[str] = (),
    visited: bool = False,
    traced: bool = False,
    untraced: float | None = None,
) -> Watched:
    """All of it."""
    return Watched(
        started=started,
        name=name,
        host=host,
        wall=ended.wall,
        status=None if visited else ended.status,
        visited=visited,
        traced=traced,
        untraced=untraced,
        total=ended.total,
        programs=programs(seen, numbers),
        calls=calls(found, numbers),
        waits=waits(seen, numbers, ended.wall),
        moments=moments(seen, found),
        places=tuple(places),
        in_calls=in_calls(found, ended.total, constants),
        waiting=waiting(seen, ended.wall),
        findings=tuple(findings),
        no_advice=no_advice,
        left=tuple(left),
        unseen=_never_seen(seen) if traced else unseen(seen),
        cost=cost(seen),
    )


def _why_none(seen: Seen) -> str:
    """Why no window has calls, where nothing refused one."""
    if seen.windows:
        return "none was made while they were looked at"
    if seen.accounts and seen.accounts[-1].at >= _LONG:
        return "too few for a look, or one would cost too much"
    return "it ended before they were looked at"


def _never_seen(seen: Seen) -> tuple[str, ...]:
    """What no call shows."""
    return ("mapped reads", *(["what went through io_uring"] if has_ring(seen) else ()))


def has_ring(seen: Seen) -> bool:
    """Whether a process had an io_uring open."""
    return any(file.path == proctree.RING for _, file in seen.open_files)


def unseen(seen: Seen) -> tuple[str, ...]:
    """What could not be seen, in short."""
    found = [*_never_seen(seen)]
    if seen.no_windows:
        found.append(f"single calls ({seen.no_windows}{_MORE_BY.get(seen.no_windows, '')})")
    elif not any(each.calls for each in seen.windows):
        found.append(f"single calls ({_why_none(seen)})")
    if seen.refused:
        found.append("what it waits for (looking at its threads is refused)")
    return tuple(found)
