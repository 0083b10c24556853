"""The first call of each function of the user's, before anything is planned: how long it takes, and
whether what it returns is what the file holds.

What a function returned when its runner tried it on a small file is no declaration: of this file it
may return some of the lines, or all of them changed. So it has a second strategy, `instead_of` the
first one, which takes whatever it returns for a result of its own. One of the two is measured. One
that fails is not.

It is called with a small file first, and then with a copy of theirs: by its size or by what it
holds, a function may treat that differently. One that changes what it is given is never called with
their file. Where the copy is whole, that call is the first call.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from iogauge.corpus.data_files import Manifest
from iogauge.corpus.own_file import OwnFile
from iogauge.measuring.unchanged import Copy, must_be
from iogauge.model.case import Variant
from iogauge.model.method import METHOD
from iogauge.model.strategy import Runtime, Strategy
from iogauge.model.units import count, counted
from iogauge.model.workload import Conditions, Consume, Workload
from iogauge.planning.options import Machine, heap_mib
from iogauge.runners import wire
from iogauge.runners.fork import Ended, Fork, Overdue, alone, took_longer
from iogauge.runners.own import GIVES
from iogauge.runners.preparing import Ready, told_if_long
from iogauge.runners.wire import Refusal, Spans, Stray, WireError

_TRIAL_SECONDS = 10.0
_TWO_LINES = b"one line of a small file\nand another one\n"
_LONG_AGO = 1_000_000_000  # when that was changed last, as its function sees it
_LEAST_OF_A_FILE = 0.5
_AS_RESULT = "measured as a result of its own"
_AS_ANOTHER = f"{_AS_RESULT}, as another version of it is"
_RETURNS_TWICE = "it starts a process that returns, too; let that one end by itself"
_COUNTED = {"bytes": "byte", "text": "character", "lines": "line"}


@dataclass(frozen=True)
class FirstCall:
    """What the first call of a function on a runtime showed: the seconds it took, and what it
    reported of the file, summed; or why it failed, and whether it `may_work` by its other strategy
    all the same. Or it is `refused`, as it changes files.
    """

    runtime: Runtime
    strategy: Strategy
    seconds: float | None = None
    count: int | None = None
    total: int | None = None
    failure: str | None = None
    may_work: bool = True
    refused: bool = False

    @property
    def function(self) -> str:
        """The name of its strategy that takes what it returns for what it read."""
        return self.strategy.instead_of or self.strategy.name

    @property
    def as_result(self) -> Strategy | None:
        """The strategy that takes the same function's result as its own; None where what it returns
        is declared.
        """
        every = self.runtime.strategies.values()
        return next((each for each in every if each.instead_of == self.function), None)

    @property
    def told(self) -> str:
        """Why it failed, beginning with its name."""
        name, failure = self.strategy.known_as, self.failure or ""
        begins = failure.startswith(f"{name.partition('(')[0]}(")
        return failure if begins else f"{name}: {failure}"


@dataclass
class Choice:
    """Strategies that are not measured, and what is to be said of others; each by the name of its
    runtime and its own. `failed` and `refused` have why functions are not measured at all.
    """

    left_out: set[tuple[str, str]] = field(default_factory=set)
    remarks: dict[tuple[str, str], str] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def make(
    ready: Iterable[Ready],
    machine: Machine,
    file: OwnFile,
    names: Collection[str],
    folder: Path,
    say: Callable[[str], None],
) -> list[FirstCall]:
    """A call of each of the functions with these names, wherever it is there; copies of the file
    are made in the `folder`. What takes long is told. Raises UserError where the file changes
    meanwhile.
    """
    if not names:
        return []
    file.manifest()
    copy, found = Copy(file, folder), list[FirstCall]()
    for each in ready:
        mine = [one for one in each.runtime.strategies.values() if one.name in names]
        left = [one for one in mine if not one.unavailable]
        heap = max([0, *(_heap(each.runtime, one, file, machine) for one in left)])
        for one in () if each.tries else tuple(left):
            with told_if_long(f"trying {one.known_as}", say):
                if _changes_a_file(each, one, heap, folder):
                    left.remove(one)
                    found.append(_refused(each.runtime, one))
        found += _Calls(each, heap, file, copy, say).of(left)
    return found


def seconds(calls: Iterable[FirstCall]) -> dict[str, float]:
    """How long a call takes of each strategy, in the slowest version of it."""
    found: dict[str, float] = {}
    for each in calls:
        for one in filter(None, (each.strategy, each.as_result)):
            found[one.name] = max(each.seconds or 0.0, found.get(one.name, 0.0))
    return found


def choose(calls: Sequence[FirstCall], file: OwnFile) -> Choice:
    """Which strategies to measure: functions as they return what they read, unless that is not what
    the file holds in any version, or versions return different things. None of one that failed.
    """
    choice, manifest = Choice(), file.manifest()
    for each in calls:
        if each.failure is not None:
            both = filter(None, (each.strategy, each.as_result))
            names = {each.function, *(one.name for one in both)}
            choice.left_out |= {(each.runtime.name, name) for name in names}
            of = f" in {each.runtime.label}" if each.runtime.label else ""
            (choice.refused if each.refused else choice.failed).append(f"{each.told}{of}")
    working = [each for each in calls if each.failure is None]
    for name in dict.fromkeys(each.function for each in working):
        versions = [each for each in working if each.function == name]
        whys = {each.runtime.name: _why_own(each, file, manifest) for each in versions}
        kinds = {_called_by(each.runtime): GIVES[each.strategy.sums] for each in versions}
        differ = len({*kinds.values()}) > 1
        own = differ or any(whys[each.runtime.name] is not None for each in versions)
        for each in versions:
            if not (other := each.as_result):
                continue
            where = each.runtime.name
            choice.left_out.add((where, name if own else other.name))
            why = _of_versions(kinds) if differ else whys[where]
            if own and why != "":
                says = f"it returns {why}: {_AS_RESULT}" if why else _AS_ANOTHER
                choice.remarks[where, other.name] = says
    return choice


def _heap(runtime: Runtime, strategy: Strategy, file: OwnFile, machine: Machine) -> int:
    variant = Variant(strategy=strategy.name, parameters=strategy.defaults, runtime=runtime.name)
    workload = Workload(size=file.size, content="own", consume=_consume(strategy))
    return heap_mib(variant.case(workload, Conditions(cache="as-left")), machine)


def _consume(strategy: Strategy) -> Consume:
    return "sum" if "sum" in strategy.consumes else strategy.consumes[-1]


def _opening(strategy: Strategy) -> dict[str, Any]:
    return wire.open_strategy(strategy.name, strategy.defaults, "read", _consume(strategy))


def _changes_a_file(ready: Ready, strategy: Strategy, heap: int, folder: Path) -> bool:
    """Whether a function writes to a small file, or removes it. What else comes of that call is no
    matter.
    """
    with tempfile.TemporaryDirectory(dir=folder) as place:
        path = Path(place, "two-lines.txt")
        path.write_bytes(_TWO_LINES)
        os.utime(path, (_LONG_AGO, _LONG_AGO))
        with suppress(Refusal, WireError), alone(ready.launch, heap) as fork:
            fork.ask(_opening(strategy), METHOD.start_timeout)
            fork.ask(wire.sample(1, 1, [str(path)]), _TRIAL_SECONDS)
        try:
            return path.stat().st_mtime != _LONG_AGO or path.read_bytes() != _TWO_LINES
        except OSError:
            return True


def _refused(runtime: Runtime, strategy: Strategy) -> FirstCall:
    name = strategy.known_as.partition("(")[0]
    why = f"{name}() changes the file that it is given; iogauge measures only what reads"
    return FirstCall(runtime, strategy, failure=why, refused=True)


@dataclass(frozen=True)
class _Calls:
    """First calls of functions on a runtime."""

    ready: Ready
    heap: int
    file: OwnFile
    copy: Copy
    say: Callable[[str], None]

    def of(self, strategies: Iterable[Strategy]) -> Iterator[FirstCall]:
        """A call of each; after one that failed in another process, as it may have left something.
        A function that fails as it returns what it read is called once more for its result.
        """
        left = [(each, True) for each in strategies]
        while left:
            try:
                with alone(self.ready.launch, self.heap) as fork:
                    while left:
                        call, again = self._one(fork, *left.pop(0))
                        if again:
                            left.insert(0, again)
                        else:
                            yield call
                        if call.failure:
                            break
            except WireError as error:  # it does not even start
                yield FirstCall(self.ready.runtime, left.pop(0)[0], failure=str(error))

    def _one(
        self, fork: Fork, strategy: Strategy, on_copy: bool
    ) -> tuple[FirstCall, tuple[Strategy, bool] | None]:
        """A call, on the copy or on the file; and what is to be called next of the same function,
        if this call does not tell all.
        """
        path = self.copy.path if on_copy else self.file.path
        with told_if_long(f"waiting for {strategy.known_as}, its first call", self.say):
            call = _called(fork, self.ready, strategy, path)
        must_be(self.file, [strategy])
        if on_copy and self.copy.is_changed():
            self.copy.renew()
            return _refused(self.ready.runtime, strategy), None
        other = call.as_result
        if call.failure and not call.may_work:
            return call, None
        if call.failure and other and other is not strategy:
            return call, (other, on_copy)
        # What it refuses of a copy it may take where the file is, with others beside it.
        if on_copy and (fork.alive if call.failure else not self.copy.whole):
            return call, (self.ready.runtime.strategies[call.function], False)
        return call, None


def _called(fork: Fork, ready: Ready, strategy: Strategy, path: Path) -> FirstCall:
    limit = dict(ready.launch.limits).get(strategy.name, METHOD.answer_timeout)
    try:
        fork.ask(_opening(strategy), max(limit, METHOD.start_timeout))
        reply: Spans = fork.ask(wire.sample(1, 1, [str(path)]), limit)
        wire.check_spans(reply, 1, 1)
    except Overdue:
        why = took_longer(limit)
        return FirstCall(ready.runtime, strategy, failure=why, may_work=False)
    except Ended as error:
        why = f"{strategy.known_as.partition('(')[0]}() ends the program: {error}"
        return FirstCall(ready.runtime, strategy, failure=why, may_work=False)
    except Stray:
        return FirstCall(ready.runtime, strategy, failure=_RETURNS_TWICE, may_work=False)
    except (Refusal, WireError) as error:
        said, _, why = str(error).partition(f"{path}: ")
        return FirstCall(ready.runtime, strategy, failure=why or said)
    if broken := _why_broken(fork):
        return FirstCall(ready.runtime, strategy, failure=broken, may_work=False)
    number, total = (values[0] if values else None for values in (reply.count, reply.sum))
    return FirstCall(ready.runtime, strategy, reply.ns[0] / 1e9, number, total)


def _why_broken(fork: Fork) -> str | None:
    """Why a function that returned is not measured all the same: the process is not what it was, as
    only the next request shows, and that one may be for another function.
    """
    try:
        fork.ask(wire.release(), METHOD.answer_timeout)
    except Stray:
        return _RETURNS_TWICE
    except Ended as error:
        return f"it returned, but its process ends: {error}; let it leave open what is not its own"
    except (Refusal, WireError) as error:
        return str(error)
    return None


def _why_own(call: FirstCall, file: OwnFile, manifest: Manifest) -> str | None:
    """What it returns, where that is not what the file holds; nothing to say where it works only
    so, or is plainly something else. None where it returns what it read, or that is declared.
    """
    strategy = call.strategy
    if call.as_result is None:
        return None
    if strategy.instead_of:
        return ""
    gives = GIVES[strategy.sums]
    due, total = manifest.due(_consume(strategy), strategy.sums)
    if due is None:
        return f"{gives}, and the file is no text in UTF-8"
    if call.count == due:
        return None if _same(call.total, total) else f"other {gives} than the file's"
    if gives != "lines" and (call.count or 0) < _LEAST_OF_A_FILE * due:
        return ""  # a name, a hash: nobody takes it for what the file holds
    says = f"{counted(call.count or 0, _COUNTED[gives])}, the file has {count(due)}"
    why = file.explained_lines(call.count or 0) if gives == "lines" else None
    return f"{says} ({why})" if why else says


def _same(one: int | None, other: int | None) -> bool:
    """Sums wrap at 64 bits on the wire."""
    if one is None or other is None:
        return one is other
    return (one - other) % (1 << 64) == 0


def _called_by(runtime: Runtime) -> str:
    return runtime.label or runtime.name


def _of_versions(kinds: dict[str, str]) -> str:
    return " and ".join(f"{gives} in {name}" for name, gives in kinds.items())
