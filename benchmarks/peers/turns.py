"""A peer that takes turns with iogauge: it starts once, waits, and measures on request."""

from __future__ import annotations

import os
import select
import signal
import subprocess
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType

from iogauge.host import pagecache
from iogauge.host.processes import spawn
from iogauge.model.errors import UserError

from . import works
from .works import Staged, Work

VARIABLE = "IOGAUGE_PEER_TURNS"  # names the folder of the two pipes to the benchmarks
_MOST_IN_A_TURN = 255  # a turn is a byte


class InTurns:
    """A context manager: when it is there, the peer is warmed up and waits. Raises UserError when
    the peer ends.

    `what` is its name, `start` gives command and variables, `read` what it found: ns per operation
    of each of its `count` measurements.
    """

    def __init__(
        self,
        what: str,
        work: Work,
        count: int,
        start: Callable[[Staged], tuple[list[str], dict[str, str]]],
        read: Callable[[Staged, str], tuple[float, ...]],
    ):
        self._what, self._work, self._left, self._count, self._read = what, work, count, count, read
        with ExitStack() as opened:
            self._staged = opened.enter_context(works.stage(work))
            folder = self._staged.folder
            pipes = [folder / name for name in ("begin", "done")]
            for pipe in pipes:
                os.mkfifo(pipe)
            self._begin, self._done = (
                os.open(pipe, os.O_RDWR | os.O_CLOEXEC) for pipe in pipes
            )  # so that nobody waits for the other to open it
            opened.callback(os.close, self._begin)
            opened.callback(os.close, self._done)
            command, environment = start(self._staged)
            variables = {
                **environment,
                works.VARIABLE: str(self._staged.file),
                VARIABLE: str(folder),
            }
            with self._said.open("wb") as said:
                self._process = spawn(
                    command,
                    env=variables,
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    stdout=said,
                    stderr=subprocess.STDOUT,
                )
            opened.callback(self._end)
            self._wait()
            self._opened = opened.pop_all()

    def __enter__(self) -> InTurns:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._opened.__exit__(
            kind, error, trace
        )  # files that were being written when it was interrupted are as they are

    @property
    def taken(self) -> int:
        """Measurements that were made."""
        return self._count - self._left

    def take(self, count: int) -> None:
        """So many measurements, now; of cold reads one, of a file that is put out of the cache
        here, as iogauge does: a JVM can only start a program for it.
        """
        if self._work.cold:
            pagecache.evict(self._work.task.path)
        os.write(self._begin, bytes([count]))
        self._left -= count
        self._wait()

    def scores(self) -> tuple[float, ...]:
        """ns per operation of each measurement; those that were not asked for take place first."""
        while self._left:
            self.take(1 if self._work.cold else min(self._left, _MOST_IN_A_TURN))
        if self._process.wait():
            raise self._failed()
        found = self._read(self._staged, self.text)
        if len(found) != self._count:
            raise UserError(
                f"{self._what}: {len(found)} results instead of {self._count}:\n{self.text[-3000:]}"
            )
        return found

    @property
    def text(self) -> str:
        """What it printed so far."""
        return self._said.read_text()

    @property
    def _said(self) -> Path:
        return self._staged.folder / "said"

    def _wait(self) -> None:
        while not select.select([self._done], [], [], 0.2)[0]:
            if (
                self._process.poll() is not None and not select.select([self._done], [], [], 0)[0]
            ):  # its last word may have come meanwhile
                raise self._failed()
        os.read(self._done, 1)

    def _failed(self) -> UserError:
        return UserError(f"{self._what}: status {self._process.returncode}:\n{self.text[-3000:]}")

    def _end(self) -> None:
        with suppress(ProcessLookupError):  # what it started may outlive it
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
