"""The runtimes of the peers: those that iogauge would use, started in the same way."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from iogauge.model.errors import UserError
from iogauge.model.method import METHOD
from iogauge.runners import finding, manifest, preparing, wire
from iogauge.runners.fork import Fork, Launch
from iogauge.runners.manifest import Runner
from iogauge.runners.preparing import Ready


@dataclass(frozen=True)
class Found:
    """A runtime, and the runner that serves it."""

    runner: Runner
    ready: Ready

    @property
    def builder_home(self) -> Path:
        """The home folder of a runtime that can compile."""
        needs = self.runner.file.build.needs or self.runner.file.runtime.executable
        return next(
            each.home for each in finding.installed(self.runner) if (each.home / needs).exists()
        )


@dataclass(frozen=True)
class Start:
    """How iogauge starts a fork."""

    command: tuple[str, ...]
    environment: dict[str, str]


_found: dict[tuple[Path, str | None], Found] = {}


def find(language: str, name: str | None = None) -> Found:
    """The runtime of that name (`jvm-17.0.15`), or the one that iogauge takes by itself. Raises
    UserError.
    """
    runner = next(
        (each for each in manifest.all_runners() if language in each.file.languages), None
    )
    if runner is None:
        raise UserError(f"no runner speaks {language}")
    known = (runner.folder, name)
    if known not in _found:
        _found[known] = Found(runner, _ready(runner, name))
    return _found[known]


def _ready(runner: Runner, name: str | None) -> Ready:
    ready, missing = preparing.prepare({}, print, [runner])
    if missing:
        raise UserError(missing[0].why)
    if name not in (None, ready[0].runtime.name):
        others = [
            finding.Choice(str(each.executable))
            for each in finding.installed(runner)
            if name == f"{runner.name}-{each.version}"
        ]
        if not others:
            raise UserError(f"{name} is not here")
        ready, _ = preparing.prepare({runner.name: others[:1]}, print, [runner])
    return ready[0]


def start(found: Found, heap_mib: int, options: Iterable[str]) -> Start:
    """Read off a fork of iogauge's, so that nothing of how it puts a command together is repeated
    here.
    """
    return _start(found.ready.launch, heap_mib, tuple(options))


@functools.cache
def _start(launch: Launch, heap_mib: int, options: tuple[str, ...]) -> Start:
    fork = Fork(launch, heap_mib, options)
    try:
        # For a moment, the process is still the program that starts forks.
        fork.ask(wire.hello(), METHOD.start_timeout)
        command = _strings(Path(f"/proc/{fork.pid}/cmdline"))
        told = _strings(Path(f"/proc/{fork.pid}/environ"))
        variables = dict(each.partition("=")[::2] for each in told)
    finally:
        fork.kill()
    return Start(tuple(command), variables)


def _strings(path: Path) -> list[str]:
    return [os.fsdecode(each) for each in path.read_bytes().split(b"\0")[:-1]]
