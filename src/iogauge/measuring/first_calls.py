"""The first call of each function of the user's on their file, before anything is planned: how long
it takes, and whether what it returns is what the file holds.

What a function returned when its runner tried it on a small file is no declaration: of this file it
may return some of the lines, or all of them changed. So it has a second strategy, `instead_of` the
first one, which takes whatever it returns for a result of its own. One of the two is measured.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from iogauge.corpus.data_files import Manifest
from iogauge.corpus.own_file import OwnFile
from iogauge.model.case import Variant
from iogauge.model.errors import UserError
from iogauge.model.method import METHOD
from iogauge.model.strategy import Runtime, Strategy
from iogauge.model.workload import Conditions, Consume, Workload
from iogauge.planning.options import Machine, heap_mib
from iogauge.runners import wire
from iogauge.runners.fork import Fork, Overdue, alone, took_longer
from iogauge.runners.own import GIVES
from iogauge.runners.preparing import Ready
from iogauge.runners.wire import Refusal, Spans, WireError

_SILENT_SECONDS = 2.0  # until it is said what is waited for
_AS_RESULT = "measured as a result of its own"
_AS_ANOTHER = f"{_AS_RESULT}, as another version of it is"
_COUNTED = {"bytes": "byte", "text": "character", "lines": "line"}


@dataclass(frozen=True)
class FirstCall:
    """What the first call of a function on a runtime showed: the seconds it took, and what it
    reported of the file, summed; or why it failed.
    """

    runtime: Runtime
    strategy: Strategy
    seconds: float | None = None
    count: int | None = None
    total: int | None = None
    failure: str | None = None

    @property
    def as_result(self) -> Strategy | None:
        """The strategy that takes the same function's result as its own; None where what it returns
        is declared.
        """
        every = self.runtime.strategies.values()
        return next((each for each in every if each.instead_of == self.strategy.name), None)


@dataclass
class Choice:
    """Strategies that are not measured, and what is to be said of others; each by the name of its
    runtime and its own.
    """

    left_out: set[tuple[str, str]] = field(default_factory=set)
    remarks: dict[tuple[str, str], str] = field(default_factory=dict)


def make(
    ready: Iterable[Ready],
    machine: Machine,
    file: OwnFile,
    names: Collection[str],
    say: Callable[[str], None],
) -> list[FirstCall]:
    """A call of each of the functions with these names, wherever it is there. What takes long is
    told. Raises UserError where the file changes meanwhile.
    """
    found = []
    for each in ready if names else ():
        mine = [one for one in each.runtime.strategies.values() if one.name in names]
        left = [one for one in mine if not one.unavailable]
        heap = max([0, *(_heap(each.runtime, one, file, machine) for one in left)])
        while left:
            try:
                with alone(each.launch, heap) as fork:
                    while left:
                        with _unchanged(left[0], file), _told_if_long(left[0], say):
                            found.append(_called(fork, each, left[0], file))
                        del left[0]
                        if found[-1].failure:  # what it left behind is in no other's way
                            break
            except WireError as error:  # it does not even start
                found.append(FirstCall(each.runtime, left.pop(0), failure=str(error)))
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
    the file holds in any version, or versions return different things.
    """
    choice, manifest = Choice(), file.manifest()
    for name in dict.fromkeys(each.strategy.name for each in calls):
        versions = [each for each in calls if each.strategy.name == name]
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


def _called(fork: Fork, ready: Ready, strategy: Strategy, file: OwnFile) -> FirstCall:
    limit = dict(ready.launch.limits).get(strategy.name, METHOD.answer_timeout)
    opening = wire.open_strategy(strategy.name, strategy.defaults, "read", _consume(strategy))
    try:
        fork.ask(opening, max(limit, METHOD.start_timeout))
        reply: Spans = fork.ask(wire.sample(1, 1, [str(file.path)]), limit)
        wire.check_spans(reply, 1, 1)
    except Overdue:
        return FirstCall(ready.runtime, strategy, failure=took_longer(limit))
    except (Refusal, WireError) as error:
        why = str(error).removeprefix(f"{file.path}: ")
        return FirstCall(ready.runtime, strategy, failure=why)
    count, total = (values[0] if values else None for values in (reply.count, reply.sum))
    return FirstCall(ready.runtime, strategy, reply.ns[0] / 1e9, count, total)


@contextmanager
def _told_if_long(strategy: Strategy, say: Callable[[str], None]) -> Iterator[None]:
    text = f"waiting for {strategy.known_as}, its first call"
    timer = threading.Timer(_SILENT_SECONDS, say, [text])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def _unchanged(strategy: Strategy, file: OwnFile) -> Iterator[None]:
    file.manifest()
    yield
    try:
        file.manifest()
    except UserError:
        raise UserError(
            f"{file.given}: has changed while {strategy.known_as} was called, perhaps by it; "
            "measure a copy of the file, and a function that only reads"
        ) from None


def _why_own(call: FirstCall, file: OwnFile, manifest: Manifest) -> str | None:
    """What it returns, where that is not what the file holds; nothing to say where it failed, which
    is told as it is measured. None where it returns what it read, or that is declared.
    """
    strategy = call.strategy
    if call.as_result is None:
        return None
    if call.failure is not None:
        return ""
    gives = GIVES[strategy.sums]
    count, total = manifest.due(_consume(strategy), strategy.sums)
    if count is None:
        return f"{gives}, and the file is no text in UTF-8"
    if call.count == count:
        return None if _same(call.total, total) else f"other {gives} than the file's"
    noun = f"{_COUNTED[gives]}{'' if call.count == 1 else 's'}"
    says = f"{call.count} {noun}, the file has {count}"
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
