"""How many calls of which kind a program made on which file: the shares of calls in windows, times
what the kernel counted around each window.
"""

from __future__ import annotations

import math
import operator
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from iogauge.host import proctree
from iogauge.host.strace import Call
from iogauge.model.watched import COPIES, READS, WRITES, Amounts, Target
from iogauge.watching.recognising import Facts
from iogauge.watching.watcher import Account, Seen, Window

OPENS = {"open", "openat", "openat2", "creat"}
STATS = {"stat", "lstat", "fstat", "newfstatat", "statx"}
SEEKS = {"lseek"}
MOVED = READS | WRITES | COPIES
_SET = re.compile(r", (-?\d+), SEEK_SET$")
_LAST = re.compile(r", (-?\d+)(?:, [A-Z]\w*)?$")
_OFTEN = 3  # looks
_BLOCKED = 0.1  # of the run time
_EXCESS, _MOST_TILT = 1.25, 500.0
_FEW, _MANY = 8, 500  # calls of a window that do not tell what so many others were
Program = tuple[str, str]
Key = tuple[Program, str, str]
"""A program, the name of a call, and a path."""


@dataclass
class Group:
    """Calls of one kind by one program on one path. `sizes` has estimated counts by what a call
    moved; `took` has seconds of those that were `seen`.
    """

    program: Program
    name: str
    path: str
    target: Target
    count: float = 0.0
    bytes: float = 0.0
    failed: float = 0.0
    seen: int = 0
    took: float = 0.0
    sizes: dict[int, float] = field(default_factory=lambda: defaultdict(float))

    @property
    def size(self) -> float:
        """The median of what a call moved."""
        whole, so_far = sum(self.sizes.values()), 0.0
        for each in sorted(self.sizes):
            so_far += self.sizes[each]
            if so_far >= whole / 2:
                return each
        return 0.0


@dataclass(frozen=True)
class Stretch:
    """A part of the run around a window: what was done in it, by process."""

    begins: float
    ends: float
    reads: dict[int, float]
    writes: dict[int, float]
    window: Window | None


@dataclass
class Estimate:
    """All calls. `jumps` has, by program and path, the share of reads that do not go on where the
    last one ended; `stretches` is the run in order; `often` has the paths that were found open in
    most looks at a process; `read_bytes` has what each program read by the account of the kernel,
    and `total` is that of all; `blocked` are programs that waited until somebody read their pipe.
    In one that is `exact` every call was seen.
    """

    groups: dict[Key, Group]
    jumps: dict[tuple[Program, str], float]
    stretches: list[Stretch]
    often: frozenset[str] = frozenset()
    read_bytes: dict[Program, float] = field(default_factory=dict)
    total: Amounts = Amounts()
    blocked: frozenset[Program] = frozenset()
    exact: bool = False

    def of(self, names: Iterable[str], *targets: Target) -> Iterator[Group]:
        """Groups of these calls, on these targets, or on any."""
        wanted = {*names}
        for each in self.groups.values():
            if each.name in wanted and (not targets or each.target in targets):
                yield each


def estimate(seen: Seen, total: Amounts, wall: float) -> Estimate:
    """From what was seen of a run that took `wall` seconds and did so much in `total`."""
    own = Own(seen)
    stretches = _stretches(seen, own, wall)
    reads = _scaled([each.reads for each in stretches], total.read_calls)
    writes = _scaled([each.writes for each in stretches], total.write_calls)
    groups: dict[Key, Group] = {}
    pooled = _shares(seen.windows, own, seen)
    for stretch, read, written in zip(stretches, reads, writes, strict=True):
        here = _shares([stretch.window] if stretch.window else [], own, seen)
        for pid in read.keys() | written.keys():
            calls = here.get(pid) or pooled.get(pid) or _any_of(pooled, pid, seen)
            if _is_thin(calls, read.get(pid, 0.0), written.get(pid, 0.0)):
                calls = pooled.get(pid) or calls
            _add(groups, calls, read.get(pid, 0.0), written.get(pid, 0.0), pid, seen)
    _bound_bytes(groups, total)
    _fit_bytes(groups, total)
    read_bytes = _read_bytes(seen, own, total)
    return Estimate(
        groups, _jumps(seen, own), stretches, _often(seen), read_bytes, total, _blocked(seen)
    )


def _blocked(seen: Seen) -> frozenset[Program]:
    """Programs that a good part of the looks found waiting to write to a pipe, and those that may
    not be looked at.
    """
    waited: dict[Program, float] = defaultdict(float)
    for (pid, name, path), seconds in seen.waited.items():
        if name in WRITES and proctree.target(path) == "pipe":
            waited[_program(pid, pid, seen)] += seconds
    looked = seen.accounts[-1].at if seen.accounts else 0.0
    found = {each for each, seconds in waited.items() if seconds > _BLOCKED * looked}
    return frozenset(found | {_program(pid, pid, seen) for pid in seen.refused})


def _read_bytes(seen: Seen, own: Own, total: Amounts) -> dict[Program, float]:
    """What each program read, so that the sum is what the kernel counted in all."""
    found: dict[Program, float] = defaultdict(float)
    for pid in own.pids:
        found[_program(pid, pid, seen)] += own.until(pid, math.inf)[2]
    known = sum(found.values())
    if total.read_bytes is None or not known:
        return {}
    return {program: each * total.read_bytes / known for program, each in found.items()}


def _often(seen: Seen) -> frozenset[str]:
    """Files that are read, and were open in at least half of the looks at a process."""
    most: Counter[int] = Counter()
    for (pid, file), looks in seen.open_files.items():
        if file.reads:
            most[pid] = max(most[pid], looks)
    return frozenset(
        file.path
        for (pid, file), looks in seen.open_files.items()
        if file.reads and looks >= max(_OFTEN, most[pid] / 2)
    )


Four = tuple[float, ...]
"""Read calls, write calls, and the bytes of both."""


class Own:
    """What each process did itself, since the start: without the account of children that it waited
    for.
    """

    def __init__(self, seen: Seen):
        self.pids = {pid for each in seen.accounts for pid in each.by_pid}
        self._times = [each.at for each in seen.accounts]
        self._first: dict[int, int] = {}  # the account from which on a process has a series
        self._series: dict[int, list[Four]] = defaultdict(list)
        self._fill(seen)

    def _fill(self, seen: Seen) -> None:
        """The series of each process, growing, until the last account that has it."""
        known: dict[int, proctree.Did] = {}
        gone: dict[int, Four] = {}  # what children had done that are there no more
        waited_for: dict[int, Four] = {}  # the sum of that, by who waited for them
        for number, account in enumerate(seen.accounts):
            for child in known.keys() - account.by_pid.keys():
                done, parent = _four(known[child]), seen.parents.get(child, 0)
                more = _less(done, gone.get(child, _NOTHING))
                waited_for[parent] = _plus(waited_for.get(parent, _NOTHING), more)
                gone[child] = done
            known = account.by_pid
            for pid, did in known.items():
                less = waited_for.get(pid, _NOTHING)
                if pid in seen.before:
                    less = _plus(less, _four(seen.before[pid]))
                last = self._at(pid, number - 1)
                now = tuple(map(max, last, _less(_four(did), less)))
                series = self._series[pid]
                missing = number - self._first.setdefault(pid, number) - len(series)
                series += [*[last] * missing, now]

    def _at(self, pid: int, number: int) -> Four:
        """What it had done by an account."""
        number -= self._first.get(pid, number + 1)
        series = self._series[pid]
        return series[min(number, len(series) - 1)] if number >= 0 else _NOTHING

    def until(self, pid: int, at: float) -> Four:
        """What it had done by a time, between two accounts in proportion."""
        after = bisect_right(self._times, at)
        if after == len(self._times):
            return self._at(pid, after - 1)
        ends, low, high = self._times[after], self._at(pid, after - 1), self._at(pid, after)
        begins = self._times[after - 1] if after else 0.0
        share = (at - begins) / (ends - begins) if ends > begins else 1.0
        return tuple(one + (other - one) * share for one, other in zip(low, high, strict=True))

    def unit(self, pid: int, seen: Seen) -> int:
        """The process to whose account a process counts: itself, or who waited for it."""
        for _ in range(64):
            if pid in self.pids or pid not in seen.parents:
                return pid
            pid = seen.parents[pid]
        return pid


_NOTHING: Four = (0.0, 0.0, 0.0, 0.0)


def _four(did: proctree.Did) -> Four:
    return (did.read_calls, did.write_calls, did.read_bytes, did.written_bytes)


def _plus(one: Four, other: Four) -> Four:
    return tuple(map(operator.add, one, other))


def _less(one: Four, other: Four) -> Four:
    return tuple(map(operator.sub, one, other))


def _stretches(seen: Seen, own: Own, wall: float) -> list[Stretch]:
    """The run, cut in the middle between windows; the whole of it where there are none."""
    windows: Sequence[Window | None] = [each for each in seen.windows if each.calls] or [None]
    times = [each.at for each in windows if each]
    cuts = [0.0, *((a + b) / 2 for a, b in zip(times, times[1:], strict=False)), wall]
    found = []
    for window, begins, ends in zip(windows, cuts, cuts[1:], strict=False):
        reads: dict[int, float] = {}
        writes: dict[int, float] = {}
        for pid in own.pids:
            # What came after the last account is known of the whole only.
            before, after = own.until(pid, begins), own.until(pid, ends)
            reads[pid] = max(0.0, after[0] - before[0])
            writes[pid] = max(0.0, after[1] - before[1])
        found.append(Stretch(begins, ends, reads, writes, window))
    return found


def _scaled(parts: list[dict[int, float]], total: int | None) -> list[dict[int, float]]:
    """The counts, so that their sum is what the kernel counted in all."""
    known = sum(sum(each.values()) for each in parts)
    if total is None or not known:
        if total and parts and not known:  # over before the first account
            pids = {pid for each in parts for pid in each} or {0}
            return [{next(iter(pids)): float(total)}] + [{} for _ in parts[1:]]
        return parts
    return [{pid: each * total / known for pid, each in part.items()} for part in parts]


def _shares(windows: Iterable[Window], own: Own, seen: Seen) -> dict[int, list[tuple[int, Call]]]:
    """The calls in windows by the process to whose account they count, each with its process."""
    found: dict[int, list[tuple[int, Call]]] = defaultdict(list)
    for window in windows:
        for call in window.calls:
            pid = window.threads.get(call.thread, call.thread)
            found[own.unit(pid, seen)].append((pid, call))
    return found


def _is_thin(calls: list[tuple[int, Call]], reads: float, writes: float) -> bool:
    """Whether a window saw one or two of calls that were many: they would stand for all of them."""
    for names, count in ((READS, reads), (WRITES, writes)):
        seen = sum(call.name in names | COPIES for _, call in calls)
        if 0 < seen < _FEW and count > _MANY:
            return True
    return False


def _any_of(
    pooled: dict[int, list[tuple[int, Call]]], pid: int, seen: Seen
) -> list[tuple[int, Call]]:
    """Calls of other processes of the same program, where none of this one were seen."""
    facts = seen.facts.get(pid)
    if facts is None:
        return []
    same = (other for other in pooled if (known := seen.facts.get(other)) and known == facts)
    return next((pooled[other] for other in same), [])


def _add(
    groups: dict[Key, Group],
    calls: list[tuple[int, Call]],
    reads: float,
    writes: float,
    pid: int,
    seen: Seen,
) -> None:
    """So many calls of a process, divided like these."""
    seen_reads = sum(call.name in READS | COPIES for _, call in calls)
    seen_writes = sum(call.name in WRITES | COPIES for _, call in calls)
    if reads and not seen_reads:
        _unknown(groups, pid, "read", reads, seen)
    if writes and not seen_writes:
        _unknown(groups, pid, "write", writes, seen)
    of_reads = reads / seen_reads if seen_reads else 0.0
    of_writes = writes / seen_writes if seen_writes else 0.0
    counted = seen_reads + seen_writes
    of_others = (of_reads * seen_reads + of_writes * seen_writes) / counted if counted else 0.0
    for process, call in calls:
        path = call.opened if call.name in OPENS else call.path
        weight = of_others
        if call.name in READS | COPIES:
            weight = of_reads
        elif call.name in WRITES:
            weight = of_writes
        group = _group(groups, _program(process, pid, seen), call.name, path)
        group.count += weight
        group.seen += 1
        group.took += call.seconds or 0.0
        if call.failed:
            group.failed += weight
        elif call.name in MOVED and call.result is not None:
            group.bytes += weight * call.result
            group.sizes[call.result] += weight


def _unknown(groups: dict[Key, Group], pid: int, name: str, count: float, seen: Seen) -> None:
    """Calls that no window saw: on the file that was seen open, or nobody knows on what."""
    looks = {
        file.path: looks
        for (each, file), looks in seen.open_files.items()
        if each == pid and (file.reads if name == "read" else file.writes)
    }
    path = max(looks, key=lambda each: looks[each]) if looks else ""
    # Of several files one must have been open far longer than the others.
    if sum(looks.values()) > 1.5 * looks.get(path, 0):
        path = ""
    group = _group(groups, _program(pid, pid, seen), name, path)
    group.count += count


def _group(groups: dict[Key, Group], program: Program, name: str, path: str) -> Group:
    key = program, name, path
    if key not in groups:
        groups[key] = Group(program, name, path, proctree.target(path))
    return groups[key]


def _program(process: int, pid: int, seen: Seen) -> Program:
    facts: Facts | None = seen.facts.get(process) or seen.facts.get(pid)
    return facts.key if facts else ("", "")


def _bound_bytes(groups: dict[Key, Group], total: Amounts) -> None:
    """No more bytes than the kernel counted: where windows saw too many large calls, fewer of
    them and more of the small ones, as many in all.
    """
    for names, whole in ((READS, total.read_bytes), (WRITES, total.written_bytes)):
        some = [each for each in groups.values() if each.name in names and each.seen]
        moved = sum(each.bytes for each in some)
        counted = [(size, count) for each in some for size, count in each.sizes.items()]
        calls, largest = sum(count for _, count in counted), max(counted, default=(0, 0.0))[0]
        if whole is None or moved <= _EXCESS * whole:
            continue
        if whole <= calls * min(counted)[0]:
            continue  # no division of so many calls has so few bytes

        low, high = 0.0, _MOST_TILT
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (
                (middle, high)
                if _bytes_of(_tilted(counted, middle / largest)) > whole
                else (low, middle)
            )
        tilted = _tilted(counted, high / largest)
        share = iter(count for _, count in tilted)
        for each in some:
            for size in [*each.sizes]:
                was = each.sizes[size]
                now = next(share)
                each.sizes[size] = now
                each.count += now - was
                each.bytes += (now - was) * size


def _tilted(counted: Sequence[tuple[int, float]], by: float) -> list[tuple[int, float]]:
    """Sizes and counts, with fewer of the large and as many in all."""
    least = min(size for size, _ in counted)
    weighed = [(size, count * math.exp(-by * (size - least))) for size, count in counted]
    calls, mass = sum(each for _, each in counted), sum(each for _, each in weighed)
    return [(size, each * calls / mass) for size, each in weighed]


def _bytes_of(counted: Sequence[tuple[int, float]]) -> float:
    return sum(size * count for size, count in counted)


def _fit_bytes(groups: dict[Key, Group], total: Amounts) -> None:
    """Bytes of groups whose sizes nobody saw: what is left of the account, by their calls."""
    for names, whole in ((READS, total.read_bytes), (WRITES, total.written_bytes)):
        blind = [each for each in groups.values() if each.name in names and not each.seen]
        calls = sum(each.count for each in blind)
        if whole is None or not calls:
            continue
        rest = whole - sum(each.bytes for each in groups.values() if each.name in names)
        for each in blind:
            each.bytes = max(0.0, rest) * each.count / calls
            each.sizes[round(each.bytes / each.count)] = each.count


def _jumps(seen: Seen, own: Own) -> dict[tuple[Program, str], float]:
    """By program and path, the share of reads that do not follow the one before."""
    reads: Counter[tuple[Program, str]] = Counter()
    jumps: Counter[tuple[Program, str]] = Counter()
    for window in seen.windows:
        places: dict[tuple[int, str], int | None] = {}
        moved: set[tuple[int, str]] = set()
        for call in window.calls:
            pid = window.threads.get(call.thread, call.thread)
            at = call.thread, call.path
            key = _program(pid, own.unit(pid, seen), seen), call.path
            if call.name in SEEKS and not call.failed:
                if call.result != places.get(at):
                    moved.add(at)
                places[at] = call.result
            elif call.name in READS and call.result:
                offset = _LAST.search(call.arguments) if call.name.startswith("p") else None
                reads[key] += 1
                begins = int(offset[1]) if offset else places.get(at)
                known = places.get(at)
                jumps[key] += at in moved or bool(offset and known is not None and begins != known)
                moved.discard(at)
                places[at] = begins + call.result if begins is not None else None
    return {key: jumps[key] / count for key, count in reads.items()}


def before(accounts: Sequence[Account], at: float) -> Account | None:
    """The last account that was taken by a time."""
    found = [each for each in accounts if each.at <= at]
    return found[-1] if found else None
