"""Does a runner keep the contract of docs/wire.md? One suite for all of them: `iogauge check FOLDER`, tests/conformance/."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from iogauge import pagecache, wire
from iogauge.fork import Fork
from iogauge.model import Consume, Strategy
from iogauge.runners import Ready
from iogauge.wire import Refusal, Spans, WireError

SIZES = (0, 1, 63, 64, 65, 4095, 4096, 4097, (1 << 20) + 7)
VALUES = (1, 7, 64, 4096, 65536)  # of every parameter
_SMALL = 4097  # byte by byte only files up to here: a call per byte takes a while
_TINY = 64  # blocks below this read larger files once only, for the same reason
_TOO_LARGE = 1 << 31  # what one array or one buffer cannot take in some languages
_SECONDS = 60.0


@dataclass(frozen=True)
class Check:
    """One promise of the contract. Calling `run` returns None, or raises Broken, Refusal or WireError."""

    name: str
    run: Callable[[], None]


@dataclass(frozen=True)
class Result:
    name: str
    problem: str | None


class Broken(Exception):
    """The runner does not keep the contract, and how."""


class Subject:
    """The runtime that is examined: one fork, started anew when it is gone, and a folder for the files it reads.

    A fork serves many checks on purpose: a runner has to live on, whatever it was asked. Close it when done.
    """

    def __init__(self, ready: Ready):
        self.ready = ready
        # On the user's own disk: /tmp may be memory, which cannot be evicted.
        self._folder = tempfile.TemporaryDirectory(prefix="iogauge-check-", dir=os.environ.get("TMPDIR", "/var/tmp"))
        self.folder = Path(self._folder.name)
        self._fork: Fork | None = None

    @property
    def strategies(self) -> list[Strategy]:
        return list(self.ready.runtime.strategies.values())

    @property
    def fork(self) -> Fork:
        if self._fork is None or not self._fork.alive:
            self._fork = Fork(self.ready.launch, self.ready.runtime.heap_minimum_mib, self.folder / "log")
        return self._fork

    def close(self) -> None:
        if self._fork and self._fork.alive:
            self._fork.end()
        self._folder.cleanup()


def suite(ready: Ready) -> Iterator[Result]:
    subject = Subject(ready)
    try:
        for check in checks(subject):
            try:
                check.run()
            except (Broken, Refusal, WireError, OSError) as error:
                yield Result(check.name, str(error) or type(error).__name__)
            else:
                yield Result(check.name, None)
    finally:
        subject.close()


def checks(subject: Subject) -> list[Check]:
    """Every check for this runtime."""
    made = [Check(function.__name__[1:].replace("_", " "), partial(function, subject)) for function in _OF_RUNTIMES]
    for strategy in subject.strategies:
        if strategy.unavailable:
            made.append(Check(f"{strategy.name}: unavailable", partial(_unavailable, subject, strategy)))
            continue
        for consume in strategy.consumes:
            made.append(Check(f"{strategy.name}: reads, {consume}", partial(_reads, subject, strategy, consume)))
        functions = [_parameters]
        if strategy.role != "null":
            functions += [_bad_files, _several_files, _release]
            functions += [_too_large] if strategy.unit == "file" else []
        for function in functions:
            name = function.__name__[1:].replace("_", " ")
            made.append(Check(f"{strategy.name}: {name}", partial(function, subject, strategy)))
    return made


# ---------------------------------------------------------------------------------------------------------- the checks


def _hello(subject: Subject) -> None:
    fork = subject.fork
    said = fork.ask(wire.hello(), _SECONDS)
    _must(said.wire == wire.WIRE, f"speaks wire version {said.wire}")
    _must(said.runtime == f"{said.runner}-{said.version}", f"runtime {said.runtime!r} is not RUNNER-VERSION")


def _list(subject: Subject) -> None:
    names = list(subject.ready.runtime.strategies)
    languages = {name.partition("/")[0] for name in names}
    _must(languages == set(subject.ready.runtime.languages), f"strategies of {languages}, runner.toml names {subject.ready.runtime.languages}")
    nulls = [each.name for each in subject.ready.runtime.strategies.values() if each.role == "null"]
    _must(bool(nulls), "no strategy with the role null")
    for each in subject.ready.runtime.strategies.values():
        for name, limits in each.parameters.items():
            _must(limits.min <= limits.default <= limits.max, f"{each.name}: default of {name} is out of its range")


def _end_of_input(subject: Subject) -> None:
    fork = subject.fork
    fork.ask(wire.hello(), _SECONDS)
    start = time.monotonic()
    fork.close_input()
    fork.wait(timeout=4)
    _must(time.monotonic() - start < 2, "does not end within 2 s of the end of its input")


def _request_costs(subject: Subject) -> None:
    """The host takes one read and one write per request out of its evidence: that must be what a request costs."""
    null = next((each for each in subject.ready.runtime.strategies.values() if each.role == "null"), None)
    _must(null is not None, "no strategy with the role null")
    fork = subject.fork
    _open(fork, null, "none")
    path = str(_file(subject.folder, 64)[0])
    seen = []
    for _ in range(5):
        before = fork.witness.look()
        fork.ask(wire.sample(10, 1, path), _SECONDS)
        gained = fork.witness.look().since(before)
        seen.append((gained["syscr"], gained["syscw"]))
    _must((1, 1) in seen, f"a request costs {seen} (reads, writes), not one of each")


def _bad_requests(subject: Subject) -> None:
    fork = subject.fork
    strategy = next(each for each in subject.ready.runtime.strategies.values() if not each.unavailable)
    defaults = _defaults(strategy)
    _refused(fork, {"verb": "sample", "operations": 1, "samples": 1, "paths": ["/"]}, "sample before open")
    _refused(fork, {"verb": "dance"}, "an unknown verb")
    _refused(fork, {}, "a request without a verb")
    _refused(fork, wire.open_strategy("none/such", {}, "read", "touch"), "an unknown strategy")
    _refused(fork, wire.open_strategy(strategy.name, {**defaults, "sugar": 1}, "read", strategy.consumes[0]), "an unknown parameter")
    _refused(fork, wire.open_strategy(strategy.name, defaults, "read", "devour"), "an unknown consume")
    _refused(fork, wire.open_strategy(strategy.name, defaults, "destroy", strategy.consumes[0]), "an unknown operation")
    for garbage in (b"not json\n", b"\n", b"[]\n", b'"hello"\n', b"\xff\xfe{}\n"):
        _refused_line(fork, garbage)


def _unavailable(subject: Subject, strategy: Strategy) -> None:
    fork = subject.fork
    request = wire.open_strategy(strategy.name, _defaults(strategy), strategy.operation, strategy.consumes[0])
    _refused(fork, request, "a strategy that it calls unavailable")


def _reads(subject: Subject, strategy: Strategy, consume: Consume) -> None:
    """Right bytes and sums: every size, each parameter through its values with the others at their defaults."""
    fork = subject.fork
    files = [_file(subject.folder, length) for length in SIZES]
    for parameters in _grid(strategy):
        _open(fork, strategy, consume, parameters)
        tiny = any(value < _TINY for value in parameters.values())
        for path, content in files:
            large = len(content) > _SMALL
            if large and strategy.unit in ("byte", "char"):
                continue
            operations, spans = (1, 1) if large and tiny else (2, 3)
            where = f"{parameters}, {len(content)} bytes"
            reply = fork.ask(wire.sample(operations, spans, str(path)), _SECONDS)
            _verify(reply, strategy, consume, [content] * operations, spans, where)


def _parameters(subject: Subject, strategy: Strategy) -> None:
    fork = subject.fork
    defaults = _defaults(strategy)
    for name, limits in strategy.parameters.items():
        for value in (0, -1, limits.max + 1, 1.5, "many", None):
            if isinstance(value, int) and limits.min <= value <= limits.max:
                continue
            request = wire.open_strategy(strategy.name, {**defaults, name: value}, "read", strategy.consumes[0])
            reason = _refused(fork, request, f"{name} = {value!r}")
            _must(name in reason, f"{name} = {value!r} is refused without naming {name}: {reason}")
        rest = {other: value for other, value in defaults.items() if other != name}
        _refused(fork, wire.open_strategy(strategy.name, rest, "read", strategy.consumes[0]), f"no {name}")


def _bad_files(subject: Subject, strategy: Strategy) -> None:
    fork = subject.fork
    path, content = _file(subject.folder, 65)
    consume = strategy.consumes[-1]
    _open(fork, strategy, consume)
    for bad in (subject.folder / "no such file", subject.folder):
        reason = _refused(fork, wire.sample(1, 1, str(bad)), f"{'a directory' if bad == subject.folder else 'a missing file'}")
        _must(bad.name in reason, f"an error about {bad.name!r} does not name it: {reason}")
    _refused(fork, {**wire.sample(3, 1, str(path)), "paths": [str(path)] * 2}, "two paths for three operations")
    _refused(fork, {**wire.sample(1, 1, str(path)), "operations": 0}, "no operations")
    _verify(fork.ask(wire.sample(1, 1, str(path)), _SECONDS), strategy, consume, [content], 1, "after refusals")


def _several_files(subject: Subject, strategy: Strategy) -> None:
    fork = subject.fork
    consume = strategy.consumes[-1]
    _open(fork, strategy, consume)
    files = [_file(subject.folder, length) for length in (65, 4096, 0, 1)]
    request = {**wire.sample(2, 2, ""), "paths": [str(path) for path, _ in files]}
    reply = fork.ask(request, _SECONDS)
    wire.check_spans(reply, 2, 2)
    for span in range(2):
        contents = [content for _, content in files[2 * span : 2 * span + 2]]
        _must(reply.bytes[span] == sum(map(len, contents)), f"span {span}: {reply.bytes[span]} bytes of several files")
        due = _sum(contents, consume)
        _must((reply.sum or [None] * 2)[span] == due, f"span {span}: a wrong sum over several files")


def _release(subject: Subject, strategy: Strategy) -> None:
    """After release the file can leave the page cache, which it cannot while a process maps it."""
    fork = subject.fork
    if pagecache.can_evict(subject.folder):
        return
    path, _ = _file(subject.folder, 300_000 if strategy.unit != "byte" else _SMALL)
    _open(fork, strategy, strategy.consumes[-1])
    for _ in range(3):
        fork.ask(wire.sample(4, 1, str(path)), _SECONDS)
        fork.ask(wire.release(), _SECONDS)
        left = pagecache.evict(path)
        _must(left.pages == 0, f"{left.pages} of {left.of} pages stay in the cache after release")


def _too_large(subject: Subject, strategy: Strategy) -> None:
    """A file too large for the API is an error with its reason, or it is read right; the runner lives on either way."""
    fork = subject.fork
    path, content = _file(subject.folder, 65)
    large = subject.folder / "large"
    with large.open("wb") as file:
        file.truncate(_TOO_LARGE)
    consume = strategy.consumes[-1]
    _open(fork, strategy, "touch" if "touch" in strategy.consumes else consume)
    try:
        reply = fork.ask(wire.sample(1, 1, str(large)), _SECONDS)
        _must(reply.bytes == [_TOO_LARGE], f"{reply.bytes} bytes of {_TOO_LARGE}")
    except Refusal as refusal:
        _must(len(str(refusal)) > 10, f"refused without a reason: {refusal}")
    _open(fork, strategy, consume)
    _verify(fork.ask(wire.sample(1, 1, str(path)), _SECONDS), strategy, consume, [content], 1, "after a large file")


# -------------------------------------------------------------------------------------------------------------- tools


def _file(folder: Path, length: int) -> tuple[Path, bytes]:
    """A file of bytes in which every value occurs, and a slip of one position changes the sums."""
    content = bytes((7 * offset + offset // 251) % 256 for offset in range(length))
    path = folder / f"{length}.bin"
    path.write_bytes(content)
    return path, content


def _sum(contents: list[bytes], consume: Consume) -> int | None:
    match consume:
        case "none":
            return None
        case "touch":
            return sum(sum(content[::64]) for content in contents)
        case "sum":
            return sum(map(sum, contents))


def _verify(reply: Spans, strategy: Strategy, consume: Consume, contents: list[bytes], samples: int, where: str) -> None:
    wire.check_spans(reply, len(contents), samples)
    if strategy.role == "null":
        contents = []
    for span in range(samples):
        length, due = sum(map(len, contents)), _sum(contents, consume)
        _must(reply.bytes[span] == length, f"{where}: {reply.bytes[span]} bytes, {length} are right")
        said = None if reply.sum is None else reply.sum[span]
        _must(said == due, f"{where}: sum {said}, {due} is right")


def _defaults(strategy: Strategy) -> dict[str, Any]:
    return {name: limits.default for name, limits in strategy.parameters.items()}


def _grid(strategy: Strategy) -> list[dict[str, int]]:
    defaults = _defaults(strategy)
    rows = [
        {**defaults, name: value}
        for name, limits in strategy.parameters.items()
        for value in VALUES
        if limits.min <= value <= limits.max
    ]
    return rows or [defaults]


def _open(fork: Fork, strategy: Strategy, consume: Consume, parameters: dict[str, int] | None = None) -> None:
    values = _defaults(strategy) if parameters is None else parameters
    fork.ask(wire.open_strategy(strategy.name, values, strategy.operation, consume), _SECONDS)


def _refused(fork: Fork, request: dict[str, Any], what: str) -> str:
    """The reason of the error reply; the runner must be as usable as before."""
    try:
        fork.ask(request, _SECONDS)
    except Refusal as refusal:
        _must(bool(str(refusal).strip()), f"{what} is refused without a reason")
        fork.ask(wire.hello(), _SECONDS)
        return str(refusal)
    except WireError as error:
        raise Broken(f"{what}: {error}") from None
    raise Broken(f"{what} is not refused")


def _refused_line(fork: Fork, line: bytes) -> None:
    try:
        fork.ask(line, _SECONDS)
    except Refusal:
        fork.ask(wire.hello(), _SECONDS)
        return
    except WireError as error:
        raise Broken(f"the line {line!r}: {error}") from None
    raise Broken(f"the line {line!r} is not refused")


def _must(kept: bool, otherwise: str) -> None:
    if not kept:
        raise Broken(otherwise)


_OF_RUNTIMES = (_hello, _list, _bad_requests, _request_costs, _end_of_input)
