"""One fork: a runner process, started, asked and ended. The only module that talks to runners.

Forks are started in one thread: the parent-death signal belongs to the *thread* that starts a
child, so forks started from a helper thread would die with it.
"""

from __future__ import annotations

import contextlib
import re
import subprocess
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from iogauge.host import processes
from iogauge.host.evidence import ProcessCounters
from iogauge.host.pauses import QUIET, RUNNING, TICK, Running
from iogauge.model.text import visible
from iogauge.model.units import chosen_limit
from iogauge.runners import wire
from iogauge.runners.programs import environment
from iogauge.runners.wire import Refusal, Stray, WireError

START_SECONDS = 30  # of a runtime, at most
_LONGEST_REPLY = 64 << 20
_BROKE = re.compile(  # as runtimes begin the line: code of the user's may print lines of a log
    r"^(panic|fatal error): |^thread .* panicked at |^fatal.*out of memory|OutOfMemoryError\b",
    re.IGNORECASE | re.MULTILINE,
)
_OPTIONS, _SOUND = "{options}", "{sound}"

Request = tuple["Fork", dict[str, Any] | bytes, float]  # whom, what, for how many seconds at most
Talk = Generator[Request, Any, None]  # yields requests, is sent the replies


@dataclass(frozen=True)
class Launch:
    """How a runtime's forks are started: an argument list with {heap_mib} and {young_mib} left
    open, and variables (False: not to be set).

    Options of the runtime take the place of the word {options}; where the list has none, they are
    variables, `NAME=VALUE`. `sound` are words of the sound protocol only, in the place of {sound}.
    `unless` has words that are left out where an option matches their pattern, because the two
    contradict each other. {layout} is the number of one of the `layouts`: builds whose code lies in
    other places; {number} is that of the fork. `limits` has the seconds that a call may take of
    each strategy that is code of the user's.
    """

    command: tuple[str, ...]
    environment: tuple[tuple[str, str | Literal[False]], ...] = ()
    sound: tuple[str, ...] = ()
    unless: tuple[tuple[str, str], ...] = ()
    layouts: int = 1
    limits: tuple[tuple[str, float], ...] = ()

    @property
    def options_are_variables(self) -> bool:
        return _OPTIONS not in self.command


class Fork:
    """A running fork. `said` has what it writes to its standard error. Raises WireError when it
    cannot be started.

    `request_bytes` and `reply_bytes` are the lengths of the last request and reply; `layout` is the
    one that it has.
    """

    def __init__(
        self,
        launch: Launch,
        heap_mib: int,
        options: tuple[str, ...] = (),
        layout: int = 0,
        number: int = 0,
    ):
        self.layout = layout
        young_mib = max(1, heap_mib // 4)
        sizes = {"heap_mib": heap_mib, "young_mib": young_mib, "layout": layout, "number": number}
        unless = launch.unless
        dropped = {word for word, no in unless if any(re.search(no, each) for each in options)}

        def filled(words: Iterable[str]) -> list[str]:
            kept = [word for word in words if word not in dropped]
            for name, size in sizes.items():
                kept = [word.replace("{" + name + "}", str(size)) for word in kept]
            return kept

        placed = {_OPTIONS: options, _SOUND: filled(launch.sound)}
        command = [each for word in filled(launch.command) for each in placed.get(word, [word])]
        variables = environment(dict(launch.environment))
        if launch.options_are_variables:
            variables |= dict(option.partition("=")[::2] for option in options)
        pipe = subprocess.PIPE
        try:
            self._process = processes.spawn(
                command, stdin=pipe, stdout=pipe, stderr=pipe, env=variables, bufsize=0
            )
        except OSError as error:
            raise WireError(f"it cannot be started: {error.strerror}: {command[0]}") from None
        assert self._process.stdin is not None  # all were asked for, as pipes
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._input = self._process.stdin
        self.output = processes.Pipe(self._process.stdout)
        self.said = processes.Said(self._process.stderr)
        self._received = bytearray()
        self._counters: ProcessCounters | None = None
        self.alive = True
        self.request_bytes = self.reply_bytes = 0

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def counters(self) -> ProcessCounters:
        if self._counters is None:
            self._counters = ProcessCounters(self.pid)
        return self._counters

    def send(self, request: dict[str, Any] | bytes) -> None:
        """Write one request, or a raw line of tests. Raises WireError when the runner is gone."""
        if not self.alive:
            raise WireError("it has ended")
        stray = self.output.read(80)
        if stray:  # an answer that came late would be taken for the answer to this
            raise Stray(f"it spoke without being asked: {stray!r}")
        line = request if isinstance(request, bytes) else wire.encode(request)
        self.request_bytes = len(line)
        try:
            view = memoryview(line)
            while view:
                view = view[self._input.write(view) :]
        except OSError:
            raise self._death() from None

    def received(self) -> bytes | None:
        """The reply line if it is there; does not wait. Raises WireError if the runner is gone."""
        try:
            chunk = self.output.read(1 << 20)
        except OSError as error:
            raise WireError(f"its output cannot be read: {error.strerror}") from None
        if chunk == b"":
            raise self._death()
        self._received += chunk or b""
        line, newline, rest = self._received.partition(b"\n")
        if newline:
            if rest:
                raise Stray(f"it spoke without being asked: {bytes(rest[:80])!r}")
            self._received = bytearray()
            self.reply_bytes = len(line) + 1
            return bytes(line)
        if len(self._received) > _LONGEST_REPLY:
            raise WireError("garbage: a reply without an end")
        return None

    def ask(
        self,
        request: dict[str, Any] | bytes,
        timeout: float,
        sent: Callable[[], None] | None = None,
    ) -> Any:
        """One request and its reply; `sent` is called between them. Raises Refusal, or WireError,
        which ends the fork.
        """
        replies: list[Any] = []

        def talk() -> Talk:
            replies.append((yield self, request, timeout))

        overlap([talk()], at_once=1, sent=sent)
        return replies[0]

    def end(self) -> None:
        """Close its input and wait until it is gone, killing it if it does not go."""
        end_all([self])

    def kill(self) -> None:
        """End it now, with all that it may have started."""
        processes.end(self._process)
        self._process.wait()
        self._let_go()

    def close_input(self) -> None:
        """The runner ends by itself when its input does."""
        with contextlib.suppress(OSError):  # it died with a request half read
            self._input.close()

    def wait(self, timeout: float) -> None:
        """Wait until it is gone, killing it if it does not go in time."""
        if processes.ends(self._process, timeout):
            processes.end(self._process)  # what the user's code started, and left
            self._process.wait()
        else:
            self.kill()
        self._let_go()

    def _let_go(self) -> None:
        self.alive = False
        self.close_input()
        self.output.close()
        if self._counters:
            self._counters.close()
            self._counters = None

    def _death(self) -> WireError:
        try:
            code = self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            return WireError("it closed its output")
        how = processes.how_ended(code)
        said = self.said.end().decode("utf-8", "replace")
        last = " / ".join(map(visible, said[-2000:].strip().splitlines()[-3:]))[-300:]
        how += f"; its last words: {last}" if last else ""
        return WireError(how) if code < 0 or _BROKE.search(said) else Ended(how)


def end_all(forks: Iterable[Fork]) -> None:
    """End forks side by side: all are told before the first is waited for."""
    forks = [fork for fork in forks if fork.alive]
    for fork in forks:
        fork.close_input()
    deadline = time.monotonic() + 2
    for fork in forks:
        fork.wait(timeout=max(0.0, deadline - time.monotonic()))


class Ended(WireError):
    """It ended by itself, and not since it broke."""


class Overdue(WireError):
    """An answer did not come in time."""


def took_longer(limit: float) -> str:
    """Why a call of code of the user's was ended, and what to do."""
    longer = f"a call took longer than {chosen_limit(limit)} and was ended"
    return f"{longer}; a larger --limit gives it longer"


def overlap(
    talks: Iterable[Talk],
    at_once: int,
    clock: Running = RUNNING,
    sent: Callable[[], None] | None = None,
) -> None:
    """Carry on several conversations, at most `at_once` at a time. A talk is started when its turn
    comes; `sent` is called after each request. Time in which iogauge itself stood still is no time
    to answer in.

    An error is thrown into the talk that it concerns; an error that the talk does not catch ends
    this call. After a WireError the fork is killed, because whatever it says later could be taken
    for the answer to another request.
    """
    waiting = iter(talks)
    active: dict[Fork, tuple[Talk, str, float]] = {}

    def advance(talk: Talk, step: Any, *value: Any) -> None:
        """Let a talk go on to its next request that can be sent, or to its end."""
        with contextlib.suppress(StopIteration):
            while True:
                fork, request, timeout = step(*value)
                try:
                    fork.send(request)
                except WireError as error:
                    fork.kill()
                    step, value = talk.throw, (error,)
                    continue
                verb = "" if isinstance(request, bytes) else request.get("verb", "")
                active[fork] = talk, verb, clock() + timeout
                if sent:
                    sent()
                return

    tick = QUIET
    while True:
        while len(active) < at_once and (talk := next(waiting, None)) is not None:
            advance(talk, talk.send, None)
        if not active:
            return
        first_due = min(due for _, _, due in active.values())
        ready = partial(processes.Pipe.ready, {fork: fork.output for fork in active})
        heard = clock.wait(ready, min(tick, max(0.0, first_due - clock())))
        tick, now = QUIET if heard else TICK, clock()
        for fork, (talk, verb, due) in list(active.items()):
            answered = _answered(fork, verb) if fork in heard else None
            if answered is None and due < now:
                answered = Overdue(f"no answer to {verb!r} in time")
            if answered is None:
                continue
            del active[fork]
            if isinstance(answered, WireError):
                fork.kill()
            failed = isinstance(answered, Refusal | WireError)
            advance(talk, talk.throw if failed else talk.send, answered)


def _answered(fork: Fork, verb: str) -> Any:
    """The reply, or the error in its place; None where no whole line is there yet."""
    try:
        line = fork.received()
        return None if line is None else wire.decode(verb, line)
    except (Refusal, WireError) as error:
        return error


@contextlib.contextmanager
def alone(
    launch: Launch, heap_mib: int, options: tuple[str, ...] = (), *, patience: float = 2.0
) -> Iterator[Fork]:
    """A fork for a few requests; it has so many seconds to end. Raises WireError."""
    fork = Fork(launch, heap_mib, options)
    try:
        yield fork
    finally:
        if fork.alive:
            fork.close_input()
            fork.wait(patience)


def refused(launch: Launch, heap_mib: int, options: tuple[str, ...]) -> str | None:
    """Why a runtime does not start so with these options; None where it does."""
    try:
        with alone(launch, heap_mib, options) as fork:
            fork.ask(wire.hello(), timeout=START_SECONDS)
    except (WireError, Refusal) as error:
        return str(error)
    return None
