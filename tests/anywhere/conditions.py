"""Conditions under which iogauge is tried: each is gone after the test, whatever happened.

Each skips the test, with one line that says why, where the host cannot have it.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOBODY = 65534
_GROUPS = Path("/sys/fs/cgroup")
Done = subprocess.CompletedProcess[str]


@dataclass(frozen=True)
class Command:
    """How iogauge is started: `before` are words before the interpreter, such as those of a program
    that changes something and then starts another.
    """

    before: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)

    def after(self, *words: object, **environment: str) -> Command:
        """The same, and these words first."""
        before = (*map(str, words), *self.before)
        return replace(self, before=before, environment={**self.environment, **environment})

    def __call__(self, *arguments: object, seconds: float = 120) -> Done:
        """Run iogauge."""
        return self.python("-m", "iogauge", *arguments, seconds=seconds)

    def fake(self, *arguments: object, seconds: float = 120) -> Done:
        """Run iogauge as if there were no runner but the fake one."""
        script = Path(__file__).with_name("with_fake_runner.py")
        return self.python(script, *arguments, seconds=seconds)

    def in_turn(self, *commands: Sequence[object]) -> tuple[list[tuple[int, str]], str]:
        """Run commands one after the other, in one process, with the fake runner: the status of
        each and what it said on standard output, and what all said on standard error.
        """
        words = json.dumps([list(map(str, each)) for each in commands])
        done = self.fake("--in-turn", words)
        *said, ended = done.stdout.split("\f\n")
        assert len(said) == len(commands), done.stderr
        statuses = [status for _, status in json.loads(ended)]
        return list(zip(statuses, said, strict=True)), done.stderr

    def python(self, *arguments: object, seconds: float = 120) -> Done:
        """Run Python as iogauge is run."""
        ours = {"PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            [*self.before, sys.executable, *map(str, arguments)],
            capture_output=True,
            encoding="utf-8",
            timeout=seconds,
            env={**os.environ, **ours, **self.environment},
            check=False,
        )


def need_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can set this up")


def need(program: str) -> None:
    if not shutil.which(program):
        pytest.skip(f"no {program} here")


@contextlib.contextmanager
def control_group(controller: str, settings: dict[str, object]) -> Iterator[Command]:
    """In a control group (version 1) below this process's own, with these settings."""
    need_root()
    folder = _GROUPS / controller / f"iogauge-test-{os.getpid()}"
    try:
        folder.mkdir()
    except OSError as error:
        pytest.skip(f"no control groups of version 1 for {controller}: {error.strerror}")
    try:
        for name, value in settings.items():
            (folder / name).write_text(str(value))
        enter = f'echo $$ > {folder}/cgroup.procs && exec "$@"'
        yield Command().after("sh", "-c", enter, "sh")
    finally:
        _remove(folder)


def limited_memory(limit: int) -> contextlib.AbstractContextManager[Command]:
    """In a control group that may use so many bytes of memory."""
    return control_group("memory", {"memory.limit_in_bytes": limit})


def limited_cpu(cores: float) -> contextlib.AbstractContextManager[Command]:
    """In a control group that gets so many cores."""
    return control_group("cpu", {"cpu.cfs_quota_us": round(cores * 100_000)})


def _remove(folder: Path) -> None:
    """Remove a control group, when its last process has ended."""
    for _ in range(100):
        try:
            folder.rmdir()
            return
        except OSError:
            time.sleep(0.05)
    folder.rmdir()


@contextlib.contextmanager
def on_cores(cores: Sequence[int]) -> Iterator[Command]:
    """On these cores only (CPU affinity)."""
    need("taskset")
    if not set(cores) < os.sched_getaffinity(0):
        pytest.skip("no core to leave out")
    yield Command().after("taskset", "-c", ",".join(map(str, cores)))


@contextlib.contextmanager
def another_user(home: Path) -> Iterator[Command]:
    """As a user without any right, at home in this folder, which is made that user's."""
    need_root()
    need("setpriv")
    os.chown(home, NOBODY, NOBODY)
    command = Command().after(
        *("setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"),
        HOME=str(home),
        XDG_CACHE_HOME=str(home / "cache"),
        XDG_DATA_HOME=str(home / "data"),
    )
    try:
        tried = command.python("-c", "import iogauge.commands.cli")
    except OSError as error:
        pytest.skip(f"another user cannot start {sys.executable}: {error.strerror}")
    if tried.returncode:
        pytest.skip(f"another user cannot import iogauge: {tried.stderr.splitlines()[-1]}")
    yield command


@contextlib.contextmanager
def without_call(number: int) -> Iterator[Command]:
    """On a kernel that does not know the system call of this number."""
    loader = Path(__file__).with_name("without_call.py")
    command = Command().after(sys.executable, loader, number)
    tried = command.python("-c", "pass")
    if tried.returncode:
        pytest.skip(f"no seccomp filter: {tried.stderr.splitlines()[-1]}")
    yield command


@contextlib.contextmanager
def mounted(*commands: str) -> Iterator[Command]:
    """In a mount namespace of its own, after these commands of a shell."""
    need_root()
    need("unshare")
    script = " && ".join([*commands, 'exec "$@"'])
    command = Command().after("unshare", "--mount", "sh", "-c", script, "sh")
    tried = command.python("-c", "pass")
    if tried.returncode:
        pytest.skip(f"cannot be mounted: {tried.stderr.splitlines()[-1]}")
    yield command


def few_files(count: int) -> Command:
    """Where so many files may be open at a time, and nobody may raise that."""
    return Command().after("sh", "-c", f'ulimit -n {count} && exec "$@"', "sh")


@contextlib.contextmanager
def frozen_after(seconds: float, for_seconds: float) -> Iterator[Command]:
    """In a control group that is frozen for a while, so many seconds after this begins."""
    with control_group("freezer", {}) as command:
        state = _GROUPS / "freezer" / f"iogauge-test-{os.getpid()}" / "freezer.state"

        def freeze() -> None:
            time.sleep(seconds)
            state.write_text("FROZEN")
            time.sleep(for_seconds)
            state.write_text("THAWED")

        freezing = threading.Thread(target=freeze)
        freezing.start()
        try:
            yield command
        finally:
            freezing.join()
