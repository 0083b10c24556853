"""Watches processes while they run, and stays inside what that may cost.

A *look* takes the account of each process, and sees in which calls its threads wait. A *window* is
some milliseconds of strace: which calls, on which files, of which size. Both become rarer when they
cost more than they may.
"""

from __future__ import annotations

import math
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from iogauge.host import proctree, strace
from iogauge.host.proctree import Did, Mapped, Open, Resident, State
from iogauge.host.stacks import Frame, Stacks
from iogauge.host.strace import Call
from iogauge.host.supervised import Ended
from iogauge.watching.recognising import Facts, Recogniser

SHARE, LEAST = 0.01, 0.1
"""What watching may cost: of the run time, and in seconds where that is less."""
_CAREFUL = 0.7  # of that: what a look or a window takes is known afterwards
_SPARING = 0.55  # of the share of a long run, for which a few windows less lose nothing
_LOOKS = 0.25  # of what may be spent: the rest is for windows
_OFTEN, _SELDOM = 0.05, 5.0  # s between looks
_SOON, _CHEAP = 0.01, 0.001  # s between the first ones, where one takes no longer than that
_FIRST, _APART = 0.03, 5.0  # s until the first window, and between two at most
_FEWEST = 500  # calls since the last window: of fewer there is little to say
_GROWN = 4.0  # the next is due when the time, or the calls, have grown by so much
_LENGTH, _LINES = 0.012, 250  # s and lines of a window
_GUESS = 0.03  # s that a window takes, before the first is known
_MOST_PIDS = 32  # of a window
_FIRST_STACKS, _STACKS_LATER = 0.15, 2.5  # s until the first stacks; so much later the next ones
_GUESS_OF_STACKS = 0.012  # s that they take, before the first are known
_MOST_STACKS = 4  # processes that are tried
_FILES_EVERY, _FIRST_LOOKS = 4, 16  # looks
_FEWEST_FAULTS = 200  # since the last look at mappings: with fewer, none is used much
LEAST_MAPPED = 4 << 20
"""Bytes of a file that is mapped: a smaller one is worth no look."""
_MAP = re.compile(r"\S+, (\d+), PROT_READ, MAP_\w+[^,]*, \d+<((?:[^>\\]|\\.)*)>, ")
_CALLS = "%desc,%file,fsync,fdatasync,syncfs,sync,sync_file_range,msync"


class Subject(Protocol):
    """What is watched. `before` has what its processes had done already, by pid."""

    pid: int
    began: float
    before: dict[int, Did]
    ended: Ended | None

    def pids(self) -> list[int]: ...
    def wait(self, seconds: float) -> bool: ...


@dataclass(frozen=True)
class Window:
    """Calls that strace saw `at` so many seconds after the start, and how long it was attached;
    `threads` has the process of each thread.
    """

    at: float
    seconds: float
    calls: list[Call]
    threads: dict[int, int]


@dataclass(frozen=True)
class StackLook:
    """Stacks of a process, seen `at` so many seconds after the start."""

    at: float
    pid: int
    stacks: list[list[Frame]]


@dataclass
class Account:
    """What each process had done by a time, with what it waited for."""

    at: float
    by_pid: dict[int, Did]
    processor: float = 0.0  # s, of all
    waiting: bool = False  # a thread was in a call for a file


@dataclass(frozen=True)
class Worked:
    """What a process did until the last look at it, without its children: page faults that no
    device had to answer, and seconds in the kernel. Then bytes of its memory: what it has now, and
    what it had of its own at most; by how much that and what it has of files went up and down
    between looks. `mapped_at` is how many faults it had when its mappings were looked at. It
    `began` then (a later process may have its number); what it had done and held before it was
    watched counts nowhere.
    """

    faults: int
    system: float
    now: Resident = Resident(0, 0)
    most: int = 0
    moved: int = 0
    moved_of_files: int = 0
    mapped_at: int = 0
    began: float = 0.0
    before: tuple[int, float, int] = (0, 0.0, 0)  # faults, seconds in the kernel, bytes of its own

    @classmethod
    def of(cls, state: State, now: Resident, *, is_new: bool) -> Worked:
        """At the first look, of a process that is new or was running already."""
        if is_new:
            return cls(0, 0.0, began=state.began)
        before = state.own_minor_faults, state.system, now.own
        return cls(0, 0.0, now=now, began=state.began, before=before)

    def after(self, state: State, now: Resident) -> Worked:
        """With what the next look saw."""
        faults, system, own = self.before
        return replace(
            self,
            faults=state.own_minor_faults - faults,
            system=state.system - system,
            now=now,
            most=max(self.most, now.own - own),
            moved=self.moved + abs(now.own - self.now.own),
            moved_of_files=self.moved_of_files + abs(now.files - self.now.files),
        )


@dataclass
class Seen:
    """What was seen. `waits` counts looks by pid, call and path, and `waited` has the seconds for
    which they stand: each for those since the one before. `open_files` counts looks that found a
    file open, and `mapped` has the bytes of it that were mapped at most. A pid stands for the
    program that it ran last.
    """

    accounts: list[Account] = field(default_factory=list)
    before: dict[int, Did] = field(default_factory=dict)  # by pid: done before the start
    windows: list[Window] = field(default_factory=list)
    stacks: list[StackLook] = field(default_factory=list)
    waits: Counter[tuple[int, str, str]] = field(default_factory=Counter)
    waited: dict[tuple[int, str, str], float] = field(default_factory=lambda: defaultdict(float))
    open_files: Counter[tuple[int, Open]] = field(default_factory=Counter)
    mapped: dict[tuple[int, Mapped], int] = field(default_factory=dict)
    worked: dict[int, Worked] = field(default_factory=dict)
    facts: dict[int, Facts] = field(default_factory=dict)
    parents: dict[int, int] = field(default_factory=dict)
    hidden: set[int] = field(default_factory=set)  # pids that hide their children's account
    refused: set[int] = field(default_factory=set)  # pids whose waits may not be seen
    no_account: set[int] = field(default_factory=set)
    no_windows: str | None = None  # why there are none
    looks: int = 0
    processor: float = 0.0  # s of the watcher itself
    helpers: float = 0.0  # s of processor time of strace
    stopped: float = 0.0  # s for which the program was slowed or stood still


class Watcher:
    """Watches a subject until it has ended."""

    def __init__(
        self,
        subject: Subject,
        recogniser: Recogniser,
        *,
        tracer: str | None = None,
        lookers: Mapping[str, Callable[[int], Stacks]] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._subject, self._recogniser, self._tracer = subject, recogniser, tracer
        self._clock, self._lookers = clock, lookers or {}
        self.seen = Seen(before=subject.before)
        if tracer is None:
            self.seen.no_windows = "strace is not installed"
        self._next_look, self._recognising = 0.0, 0.0
        self._look_takes: float | None = None
        self._next_window, self._window_takes = _FIRST, _GUESS
        self._next_stacks, self._stacks_take = _FIRST_STACKS, _GUESS_OF_STACKS
        self._calls, self._calls_then = 0, 0  # now, and at the last window
        self._is_new = False
        self._runs: dict[int, tuple[str, float, int]] = {}  # program, start and stack, by pid

    def watch(self) -> Seen:
        began_with = time.process_time()
        wait = 0.0
        while not self._subject.wait(wait):
            if self._now >= self._next_look:
                self._look()
            self.seen.processor = time.process_time() - began_with
            if self._window_is_due() and not self._subject.wait(0.0):
                self._window()
            elif self._stacks_are_due() and not self._subject.wait(0.0):
                self._see_stacks()
            chance = self._next_chance
            until = min(self._next_look, chance) if chance > self._now else self._next_look
            wait = max(0.0, until - self._now)
        self.seen.processor = time.process_time() - began_with
        return self.seen

    @property
    def _now(self) -> float:
        """Seconds since the start."""
        return self._clock() - self._subject.began

    @property
    def _spent(self) -> float:
        return self.seen.processor + self.seen.helpers + self.seen.stopped

    @property
    def _allowed(self) -> float:
        """What may be spent by now."""
        return max(_CAREFUL * LEAST, _SPARING * SHARE * self._now)

    @property
    def _next_chance(self) -> float:
        """When the next window may begin, as far as is known now; it is not looked for earlier."""
        if self.seen.no_windows is not None:
            return math.inf
        planned = self._spent + self._window_takes
        afforded = planned / (_SPARING * SHARE) if planned > self._allowed else 0.0
        return max(self._next_window, afforded)

    def _window_is_due(self) -> bool:
        return (
            self.seen.no_windows is None
            and (self._now >= self._next_window or self._has_grown())
            and self._calls >= self._calls_then + _FEWEST
            and self._spent + self._window_takes <= self._allowed
        )

    def _stacks_are_due(self) -> bool:
        return (
            self._now >= self._next_stacks
            and self._spent + self._stacks_take <= self._allowed
            and bool(self._lookers)
        )

    def _has_grown(self) -> bool:
        """Whether far more calls were made since the last window than before, or another program
        has begun: what it saw then may have been no more than the start.
        """
        return self._now >= _FIRST and (
            self._is_new or self._calls > _GROWN * self._calls_then + _FEWEST
        )

    def _look(self) -> None:
        """One look, and when the next one is due: by what looks cost, but for what is looked up
        once for each program.
        """
        began, recognising = time.process_time(), self._recognising
        self._see()
        took = time.process_time() - began - (self._recognising - recognising)
        self._look_takes = took if self._look_takes is None else (3 * self._look_takes + took) / 4
        # The first ones follow one another more closely, for what does not live long.
        afforded = max(_OFTEN, self._look_takes / (SHARE * _LOOKS))
        wait = min(max(_SOON, self._now / 3), afforded) if self._look_takes < _CHEAP else afforded
        self._next_look = self._now + min(_SELDOM, wait)

    def _see(self) -> None:
        seen, pids = self.seen, self._subject.pids()
        seen.looks += 1
        account = Account(self._now, {})
        since = account.at - (seen.accounts[-1].at if seen.accounts else 0.0)
        for pid in pids:
            state = proctree.state(pid)
            if state is None:
                continue
            seen.parents[pid] = state.parent
            account.processor += state.user + state.system
            account.processor += state.children_user + state.children_system
            if did := proctree.did(pid):
                account.by_pid[pid] = did
            else:
                seen.no_account.add(pid)
            self._recognise(pid, state)
            now, known = proctree.resident(pid), seen.worked.get(pid)
            if known is None or known.began != state.began:
                known = Worked.of(state, now, is_new=pid not in seen.before)
            worked = known.after(state, now)
            seen.worked[pid] = worked
            self._see_waits(pid, account, since)
            if seen.looks % _FILES_EVERY == 1 or seen.looks < _FIRST_LOOKS:
                if proctree.hides_children(pid):
                    seen.hidden.add(pid)
                for each in proctree.open_files(pid):
                    seen.open_files[pid, each] += 1
                if not 0 <= worked.faults - known.mapped_at < _FEWEST_FAULTS:
                    self._see_mappings(pid, worked)
        seen.accounts.append(account)
        self._calls = max(self._calls, _calls_of(account.by_pid) - _calls_of(seen.before))

    def _recognise(self, pid: int, state: State) -> None:
        """Anew where it runs another program than before, or the same one anew: an interpreter may
        have another script then. A pid may also be that of another process now.
        """
        program = proctree.executable(pid)
        runs = program, state.began, state.stack
        if program and self._runs.get(pid) != runs:
            self._runs[pid] = runs
            began = time.process_time()
            self.seen.facts[pid] = self._recogniser.facts(pid, program)
            self._is_new, self._calls_then = True, self._calls
            self._recognising += time.process_time() - began

    def _see_waits(self, pid: int, account: Account, since: float) -> None:
        look = proctree.look(pid)
        if look.refused:
            self.seen.refused.add(pid)
        for name, number in look.waiting:
            path = "" if number is None else proctree.descriptor(pid, number)
            self.seen.waits[pid, name, path] += 1
            # Of many threads a part was looked at.
            self.seen.waited[pid, name, path] += since * look.threads / look.seen
            account.waiting |= proctree.is_for_file(name, path)

    def _see_mappings(self, pid: int, worked: Worked) -> None:
        for file, length in proctree.mapped_files(pid, LEAST_MAPPED).items():
            self.seen.mapped.pop((pid, Mapped(file.path, 0)), None)  # noted by a call
            self.seen.mapped[pid, file] = max(length, self.seen.mapped.get((pid, file), 0))
        self.seen.worked[pid] = replace(worked, mapped_at=worked.faults)

    def _see_stacks(self) -> None:
        """The stacks of the process that makes most calls, where it runs code of the user's own and
        something can tell them: for compiled code while it makes calls. Who was only asked for them
        is looked at again soon.
        """
        at = self._now
        self._next_stacks = min(at + _APART, at * _STACKS_LATER)
        for pid in self._most_active()[:_MOST_STACKS]:
            facts = self.seen.facts.get(pid)
            looker = self._lookers.get(facts.stacks) if facts and facts.own else None
            if looker is None:
                continue
            began = time.monotonic()
            found = looker(pid)
            if found.is_asked:
                self._next_stacks = at
                continue
            self.seen.helpers += found.processor
            self.seen.stopped += found.stopped
            self._stacks_take = found.processor + max(found.stopped, time.monotonic() - began)
            self.seen.stacks.append(StackLook(at, pid, found.stacks))
            return

    def _window(self) -> None:
        """A window of the processes that make most calls."""
        assert self._tracer is not None
        at, pids = self._now, self._most_active()
        self._next_window = min(at + _APART, at * _GROWN)
        self._calls_then, self._is_new = self._calls, False
        if not pids:
            return
        threads = {each: pid for pid in pids for each in proctree.threads(pid)}
        found = strace.look(
            self._tracer, pids, _LENGTH, most=_LINES, options=("-y", "-T"), calls=_CALLS
        )
        self.seen.helpers += found.processor
        self.seen.stopped += found.seconds
        self._window_takes = found.seconds + found.processor
        if found.why:
            self.seen.no_windows = found.why
            return
        calls = [*strace.completed(found.lines)]
        if not calls:  # they had no time to make any
            self._next_window = self._now
            self._calls_then = max(0, self._calls - _FEWEST)
        threads |= {each: pid for pid in pids for each in proctree.threads(pid)}
        self.seen.windows.append(Window(at, found.seconds, calls, threads))
        for each in calls:
            self._note_mapping(threads.get(each.thread, each.thread), each)

    def _note_mapping(self, pid: int, call: Call) -> None:
        """A file that a call maps, and which may be unmapped again before the next look."""
        found = _MAP.match(call.arguments) if call.name == "mmap" and not call.failed else None
        if found and int(found[1]) >= LEAST_MAPPED:
            file = Mapped(strace.unescaped(found[2]), 0)
            known = any(pid == one and file.path == other.path for one, other in self.seen.mapped)
            if proctree.target(file.path) == "file" and not known:
                self.seen.mapped[pid, file] = int(found[1])

    def _most_active(self) -> Sequence[int]:
        """The pids that made most calls since the last window."""
        accounts = self.seen.accounts
        now = accounts[-1].by_pid
        since = self.seen.windows[-1].at if self.seen.windows else -1.0
        earlier = [each.by_pid for each in accounts if each.at <= since]
        before = earlier[-1] if earlier else self.seen.before

        def made(pid: int) -> int:
            done, was = now[pid], before.get(pid)
            return (
                done.read_calls
                + done.write_calls
                - (was.read_calls + was.write_calls if was else 0)
            )

        return sorted(now, key=made, reverse=True)[:_MOST_PIDS]


def _calls_of(by_pid: Mapping[int, Did]) -> int:
    return sum(did.read_calls + did.write_calls for did in by_pid.values())
