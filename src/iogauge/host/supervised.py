"""The processes that are watched: a command that was started for it, or one that runs already."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from iogauge.host import proctree
from iogauge.host.proctree import Did
from iogauge.model.watched import Amounts

_PROGRAM = Path(__file__).with_name("supervisor.py")
_STARTS = 30.0  # s until a command has begun
_OF_LOOKS = 0.001  # share of a processor that accounts may take
_GLANCE = 0.1  # s between looks whether a process is still there
_TERMINAL = ("SIGINT", "SIGQUIT")
_FORWARDED = ("SIGTERM", "SIGHUP")


class NotStarted(Exception):
    """A command could not be started: an errno."""

    def __init__(self, number: int):
        super().__init__(os.strerror(number))
        self.number = number


class NoAccounts(Exception):
    """This kernel does not tell what processes read and write."""


class Ended(NamedTuple):
    """How a command ended: its status as a shell has it, its run time, and what it did with all
    that it started.
    """

    status: int
    wall: float
    total: Amounts


class Started:
    """A command under a supervisor, which counts what it and all its descendants do. It has our
    terminal, input and output. Signals of the terminal are left to it, others are passed on.
    """

    visited = False
    before: dict[int, Did] = {}

    def __init__(self, words: Sequence[str], *, quiet: bool = False, passed: Sequence[int] = ()):
        """With `quiet` input and output are the null device; `passed` are descriptors that the
        command gets. Raises NotStarted.
        """
        source, report = os.pipe()
        self.ended: Ended | None = None
        self._source, self._text, self._left = source, b"", list[int]()
        self.supervisor = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_PROGRAM), str(report), "--", *words],
            pass_fds=[report, *passed],
            **dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL if quiet else None),
        )
        os.close(report)
        first = self._message(_STARTS)
        if first is None or "failed" in first:
            self.supervisor.wait()
            os.close(source)
            raise NotStarted(first["failed"] if first else 0)
        self.pid: int = first["pid"]
        self.began: float = first["began"]

    def pids(self) -> list[int]:
        """All processes of the command that are there."""
        return proctree.descendants(self.supervisor.pid)

    def left(self) -> list[int]:
        """Descendants that stayed when the command ended. They go on, as they would without us."""
        return self._left

    def wait(self, seconds: float) -> bool:
        """Wait for its end, but no longer; whether it has ended."""
        if self.ended is None and (told := self._message(seconds)) is not None:
            self._left = told.get("left", [])
            self.supervisor.wait()
            status = self.supervisor.returncode
            status = status if status >= 0 else 128 - status  # somebody killed the supervisor
            wall = told.get("wall", time.monotonic() - self.began)
            self.ended = Ended(status, wall, _amounts(told))
            os.close(self._source)
        return self.ended is not None

    def _message(self, seconds: float) -> dict[str, Any] | None:
        """What the supervisor tells next; None after so many seconds, {} where it has gone."""
        waiting, until = select.poll(), time.monotonic() + seconds
        waiting.register(self._source, select.POLLIN)
        while b"\n" not in self._text:
            left = max(0.0, until - time.monotonic())
            if not waiting.poll(left * 1000):
                return None
            part = os.read(self._source, 1 << 16)
            if not part:
                return {}
            self._text += part
        line, _, self._text = self._text.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        return found

    @contextlib.contextmanager
    def heeding(self) -> Iterator[list[int]]:
        """Leave what the terminal sends to the command, and pass on what is sent to us. Yields the
        signals that arrived.
        """
        arrived: list[int] = []

        def left(number: int, _: object) -> None:
            arrived.append(number)

        def passed(number: int, _: object) -> None:
            arrived.append(number)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(self.pid, number)

        with _handled({**dict.fromkeys(_TERMINAL, left), **dict.fromkeys(_FORWARDED, passed)}):
            yield arrived


class Visited:
    """A process that runs already, with its descendants. It is only looked at."""

    visited = True

    def __init__(self, pid: int):
        """Raises ProcessLookupError, PermissionError where its account is not ours to see, and
        NoAccounts.

        `before` is what each process had done already.
        """
        state = proctree.state(pid)
        if state is None:
            raise ProcessLookupError
        if proctree.did(pid) is None:
            if not proctree.has_accounts():
                raise NoAccounts
            if proctree.state(pid) is None:  # it has ended meanwhile
                raise ProcessLookupError
            raise PermissionError
        self.pid, self._since, self.began = pid, state.began, time.monotonic()
        self.ended: Ended | None = None
        self._stopped = False
        self._first = self._times(self._all())
        self._last: dict[int, Did] = {}
        self.before = self._last = self._dids()
        self._usage, self._next = self._first, 0.0
        self.look()

    def _all(self) -> list[int]:
        return [self.pid, *proctree.descendants(self.pid)]

    def pids(self) -> list[int]:
        """It and all its descendants that are there."""
        return self._all() if self._there() else []

    def left(self) -> list[int]:
        """None: all of it goes on."""
        return []

    def look(self) -> None:
        """Take its account, with that of its descendants: of what has ended meanwhile, who waited
        for it has that. The next one is due later where this one took long.
        """
        began = time.process_time()
        dids, usage = self._dids(), self._times(self._all())
        if self.pid in dids and self._there():  # else there is no more than it was
            self._last, self._usage = dids, usage
        took = time.process_time() - began
        self._next = time.monotonic() + max(_GLANCE, took / _OF_LOOKS)

    def _dids(self) -> dict[int, Did]:
        pids = {*self._all(), *self._last}  # some may have another parent now
        return {each: found for each in pids if (found := proctree.did(each))}

    def wait(self, seconds: float) -> bool:
        """Wait for its end, or for Ctrl-C, but no longer; whether watching has ended."""
        until = time.monotonic() + seconds
        while not self._stopped and self._there():
            if time.monotonic() >= self._next:
                self.look()  # what it did last is gone with it
            if (left := until - time.monotonic()) <= 0:
                return False
            time.sleep(min(left, _GLANCE))  # a signal ends it no sooner, so it is short
        self.ended = Ended(0, time.monotonic() - self.began, self._amounts())
        return True

    def _there(self) -> bool:
        state = proctree.state(self.pid)
        return state is not None and state.began == self._since and state.letter not in "ZX"

    def _amounts(self) -> Amounts:
        if self._there():
            self.look()
        gained = [
            max(0, sum(each[at] for each in self._last.values()) - was)
            for at, was in enumerate(map(sum, zip(*self.before.values(), strict=True)))
        ]
        used = [max(0.0, now - was) for now, was in zip(self._usage, self._first, strict=True)]
        return Amounts(
            **dict(zip(Did._fields, gained, strict=False)),
            user=used[0],
            system=used[1],
            minor_faults=round(used[2]),
            major_faults=round(used[3]),
        )

    def _times(self, pids: Sequence[int]) -> tuple[float, float, float, float]:
        found = [state for each in pids if (state := proctree.state(each))]
        return (
            sum(each.user + each.children_user for each in found),
            sum(each.system + each.children_system for each in found),
            float(sum(each.minor_faults for each in found)),
            float(sum(each.major_faults for each in found)),
        )

    @contextlib.contextmanager
    def heeding(self) -> Iterator[list[int]]:
        """End watching, and not the process, by Ctrl-C. Yields the signals that arrived."""
        arrived: list[int] = []

        def stop(number: int, _: object) -> None:
            arrived.append(number)
            self._stopped = True

        with _handled(dict.fromkeys(("SIGINT", "SIGTERM", "SIGHUP"), stop)):
            yield arrived


@contextlib.contextmanager
def _handled(handlers: dict[str, Any]) -> Iterator[None]:
    before = {}
    for name, handler in handlers.items():
        number = getattr(signal, name)
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup stays what it is
            before[number] = signal.signal(number, handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _amounts(told: dict[str, Any]) -> Amounts:
    """What a supervisor counted; nothing where it died before."""
    counted, used = told.get("io", {}), told.get("usage", {})
    return Amounts(
        read_calls=counted.get("syscr"),
        write_calls=counted.get("syscw"),
        read_bytes=counted.get("rchar"),
        written_bytes=counted.get("wchar"),
        device_read_bytes=counted.get("read_bytes"),
        device_written_bytes=counted.get("write_bytes"),
        user=used.get("user"),
        system=used.get("system"),
        minor_faults=used.get("minor"),
        major_faults=used.get("major"),
        waits=used.get("waits"),
    )
