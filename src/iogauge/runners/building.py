"""Builds of runners.

They live in the cache folder, one for each state of the sources and each builder. So an installed,
read-only copy works, and a second start builds nothing.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psutil

from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.runners.finding import Installed
from iogauge.runners.manifest import BuildTable, Runner

_BUILD_SECONDS = 900
_AGAIN_SECONDS = 0.05  # a build that was between two commands starts the next one
_LAYOUT = "{layout}"


def target_of(runner: Runner, builder: Installed) -> Path:
    """The folder of the build by this runtime. It exists once the build is made."""
    return folders.cache() / "runners" / f"{runner.name}-{_state(runner, builder)}"


def build(runner: Runner, builder: Installed, say: Callable[[str], None]) -> Path:
    """Make the build by this runtime unless it is there; returns its folder. Raises UserError when
    the build fails.
    """
    target = target_of(runner, builder)
    if target.is_dir():
        return target
    runs_on = (
        f"; it runs on {runner.name} {runner.file.runtime.minimum} and newer"
        if runner.file.build.builder == "newest"
        else ""
    )
    say(f"building the {runner.name} runner with {runner.name} {builder.version} (once{runs_on})")
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f"{runner.name}-", suffix=".partial", dir=target.parent))
    try:
        _build_in(scratch, runner, builder)
        try:
            scratch.rename(target)
        except OSError:
            if not target.is_dir():  # else another iogauge was quicker, with the same result
                raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return target


def build_all(wanted: Iterable[tuple[Runner, Installed]], say: Callable[[str], None]) -> None:
    """Make the builds that are not there, side by side: most tools that build keep one core busy
    and wait for the network. Each is named by its runner and the runtime that builds it. Raises
    UserError once all have ended, when one of them failed. An interruption ends them all.
    """
    missing = {target_of(*each): each for each in wanted if not target_of(*each).is_dir()}
    saying = threading.Lock()

    def say_whole(text: str) -> None:
        with saying:  # print() writes a line and its end apart, and lines of two builds would mix
            say(text)

    with ThreadPoolExecutor(max(1, len(missing))) as pool:
        started = [pool.submit(build, *each, say_whole) for each in missing.values()]
        try:
            for made in started:
                made.result()
        except KeyboardInterrupt:
            while not all(made.done() for made in started):
                _end_commands()
                time.sleep(_AGAIN_SECONDS)
            raise


def _end_commands() -> None:
    """End the commands of all builds, which are the only children of this process then. The pool
    waits for them, and an interruption that is not from the terminal reaches only this process.
    """
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            process.kill()


def _build_in(scratch: Path, runner: Runner, builder: Installed) -> None:
    """Copy the inputs into this folder and run the commands there."""
    for path in _input_files(runner):
        copy = scratch / path.relative_to(runner.folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    # Inside, so that what a killed build leaves is removed with the scratch folder.
    temporary = scratch / "temporary"
    temporary.mkdir()
    own = filled(runner.file.build.environment, builder, scratch)
    environment = {**os.environ, "TMPDIR": str(temporary), **own}
    for command in _all_commands(runner.file.build):
        _run([placed(word, builder, scratch) for word in command], scratch, environment, runner)
    shutil.rmtree(temporary, ignore_errors=True)


def _all_commands(table: BuildTable) -> Iterator[list[str]]:
    """All commands in order. A command that names {layout} comes once for each layout."""
    for command in table.commands:
        layouts = table.layouts if any(_LAYOUT in word for word in command) else 1
        yield from (
            [word.replace(_LAYOUT, str(layout)) for word in command] for layout in range(layouts)
        )


def remove_builds() -> int:
    """Remove all builds except those that may be under way; returns the bytes freed. They are made
    again when they are needed.
    """
    folder = folders.cache() / "runners"
    freed = 0
    for each in folder.iterdir() if folder.is_dir() else []:
        if each.suffix == ".partial" and time.time() - each.stat().st_mtime < _BUILD_SECONDS:
            continue
        freed += sum(path.stat().st_blocks * 512 for path in each.rglob("*") if path.is_file())
        shutil.rmtree(each, ignore_errors=True)
    return freed


def _run(command: list[str], folder: Path, environment: dict[str, str], runner: Runner) -> None:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=_BUILD_SECONDS,
        )
        problem = f"status {done.returncode}:\n{done.stdout[-3000:]}" if done.returncode else None
    except (OSError, subprocess.TimeoutExpired) as error:
        problem = str(error)
    if problem:
        raise UserError(
            f"the {runner.name} runner cannot be built: {' '.join(command)}: {problem}; "
            "run again when this is mended"
        )


def _input_files(runner: Runner) -> list[Path]:
    files = []
    for name in runner.file.build.inputs:
        path = runner.folder / name
        if path.is_dir():
            files += [each for each in path.rglob("*") if each.is_file()]
        elif path.is_file():
            files.append(path)
        else:
            raise UserError(
                f"{runner.folder / 'runner.toml'}: build.inputs: no {name} in that folder; "
                "add it, or leave it out"
            )
    return sorted(files)


def _state(runner: Runner, builder: Installed) -> str:
    """A hash of everything that a build depends on."""
    digest = hashlib.sha256()
    digest.update(runner.file.build.model_dump_json().encode())
    digest.update(f"{builder.version} {builder.home}".encode())
    for path in _input_files(runner):
        digest.update(str(path.relative_to(runner.folder)).encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]


def placed(word: str, found: Installed, built: Path) -> str:
    """A word of a command with its placeholders filled in."""
    values = {"{runtime}": str(found.executable), "{home}": str(found.home), "{build}": str(built)}
    for name, value in values.items():
        word = word.replace(name, value)
    return word


def filled(environment: dict[str, str], found: Installed, built: Path) -> dict[str, str]:
    """Variables of the environment with the placeholders in their values filled in."""
    return {name: placed(value, found, built) for name, value in environment.items()}
