"""Builds of runners.

They live in the cache folder, one for each state of the sources and each builder. So an installed,
read-only copy works, and a second start builds nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.model.units import duration
from iogauge.runners import causes, programs
from iogauge.runners.causes import Failed
from iogauge.runners.environment import Variables, environment
from iogauge.runners.finding import Installed
from iogauge.runners.manifest import BuildTable, Runner
from iogauge.runners.prebuilt import Prebuilt
from iogauge.runners.sources import identity, input_files, own_files

_BUILD_SECONDS = 900
_SETTINGS_SECONDS = 30
_LAYOUT, _TEMPORARY = "{layout}", "temporary"


def target_of(runner: Runner, builder: Installed) -> Path:
    """The folder of the build by this runtime. It exists once the build is made, and a prebuilt one
    always.
    """
    if isinstance(builder, Prebuilt):
        return builder.folder
    # Machines of two kinds may share a home folder.
    here = f"{builder.home} {runner.file.build.layouts} {platform.machine()}"
    place = hashlib.sha256(here.encode()).hexdigest()[:6]
    name = f"{runner.name}-{identity(runner, builder.release)}-{place}"
    return folders.cache() / "runners" / name


def build(runner: Runner, builder: Installed, say: Callable[[str], None]) -> Path:
    """Make the build by this runtime unless it is there; returns its folder. Raises UserError when
    the build fails, or could not be used where it is: why, and what to do, in a line.
    """
    target = target_of(runner, builder)
    why = why_unusable(runner, builder)
    if target.is_dir() and not why:
        return target
    if not why:
        say(_announced(runner, builder))
        why = _build(target, runner, builder)
    if why:
        raise UserError(f"the {runner.name} runner cannot be built: {why}")
    return target


def _announced(runner: Runner, builder: Installed) -> str:
    table = runner.file.build
    if runner.own:
        with_it = f"{runner.name} {builder.version}"
        return f"preparing {runner.own.given} for {with_it} (once for each version of it)"
    once = f"once, about {duration(table.seconds)}" if table.seconds else "once"
    if table.builder == "newest":
        once += f"; it runs on {runner.name} {runner.file.runtime.minimum} and newer"
    return f"building the {runner.name} runner with {runner.name} {builder.version} ({once})"


def why_unusable(runner: Runner, builder: Installed) -> str | None:
    """Why no build of this runner could be started where builds are; None if it can. A prebuilt one
    is elsewhere.
    """
    if isinstance(builder, Prebuilt):
        return None
    starts_itself = runner.file.launch.command[0].startswith("{build}")
    return causes.noexec(folders.cache() / "runners") if starts_itself else None


def _build(target: Path, runner: Runner, builder: Installed) -> str | None:
    """Why the build fails; None where it is made."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(
            tempfile.mkdtemp(prefix=f"{runner.name}-", suffix=".partial", dir=target.parent)
        )
        try:
            failed = _build_in(scratch, runner, builder)
            if failed is None:
                _move(scratch, target)
            was_full = causes.full(target.parent)
        finally:
            folders.remove_tree(scratch)
    except OSError as error:
        return causes.of_folder(target.parent, error)
    if failed is None:
        return None
    log = _kept(failed, target.parent / f"{runner.name}.log")
    return causes.of_command(failed, target.parent, log, was_full=was_full)


def _move(scratch: Path, target: Path) -> None:
    try:
        scratch.rename(target)
    except OSError:
        if not target.is_dir():  # else another iogauge was quicker, with the same result
            raise


def _kept(failed: Failed, log: Path) -> Path | None:
    """The log of a build that failed. None where it cannot be written."""
    try:
        log.write_text(f"{failed.command} {failed.why}\n{failed.output}", encoding="utf-8")
    except OSError:
        return None
    return log


def build_all(
    wanted: Iterable[tuple[Runner, Installed]], say: Callable[[str], None]
) -> dict[Path, str]:
    """Make the builds that are not there, side by side: most tools that build keep one core busy
    and wait for the network. Each is named by its runner and the runtime that builds it. Gives why
    builds failed, by their folders; others are made all the same. An interruption ends them all.
    """
    missing = {target_of(*each): each for each in wanted if not target_of(*each).is_dir()}
    saying = threading.Lock()

    def say_whole(text: str) -> None:
        with saying:  # print() writes a line and its end apart, and lines of two builds would mix
            say(text)

    made = programs.side_by_side(partial(build, *each, say_whole) for each in missing.values())
    failures = {target: each.exception() for target, each in zip(missing, made, strict=True)}
    for failure in failures.values():
        if failure and not isinstance(failure, UserError):
            raise failure
    return {target: str(failure) for target, failure in failures.items() if failure}


def _build_in(scratch: Path, runner: Runner, builder: Installed) -> Failed | None:
    """Copy the inputs into this folder and run the commands there, up to one that fails. Code of
    the user's that lies beside a runner is put into a copy of the runner's own build.
    """
    beside = runner.own is not None and runner.file.own is not None and runner.file.own.beside
    if beside:
        without = build(replace(runner, own=None), builder, lambda _: None)
        shutil.copytree(without, scratch, dirs_exist_ok=True, symlinks=True)
    for place, path in own_files(runner) if beside else input_files(runner):
        copy = scratch / place
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy) if runner.own else shutil.copyfile(path, copy)
    if beside:
        return None
    # Inside, so that what a killed build leaves is removed with the scratch folder.
    temporary = scratch / _TEMPORARY
    temporary.mkdir()
    table = runner.file.build
    own = environment(
        runner.file.environment,
        _settings(runner, builder, scratch),
        {"TMPDIR": str(temporary)},
        filled(table.environment, builder, scratch),
    )
    for command in _all_commands(table):
        if failed := _run([placed(word, builder, scratch) for word in command], scratch, own):
            return failed
    folders.remove_tree(temporary)
    return None


def _settings(runner: Runner, builder: Installed, scratch: Path) -> dict[str, str]:
    """The user's settings that a build keeps, as the tool itself tells them: it alone knows where
    they are. None where it does not tell.
    """
    command = [placed(word, builder, scratch) for word in runner.file.build.settings]
    if not command:
        return {}
    own = environment(runner.file.environment)
    try:
        with programs.running(command, cwd=scratch, env=own, stderr=subprocess.DEVNULL) as process:
            told = process.communicate(timeout=_SETTINGS_SECONDS)[0]
        known = {} if process.returncode else json.loads(told)
        return {name: _place(name, str(value), scratch) for name, value in known.items() if value}
    except (OSError, subprocess.SubprocessError, ValueError, AttributeError):
        return {}


def _place(name: str, value: str, scratch: Path) -> str:
    """A setting as the build gets it. A folder of the user's that is not there yet, such as a cache
    of a tool he never used, is not left behind: it is among what the build leaves out.
    """
    new = os.path.isabs(value) and not os.path.exists(value)
    return str(scratch / _TEMPORARY / name) if new else value


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
        inside = each.rglob("*") if each.is_dir() else [each]  # a file is a log
        # What links lead to, as those to a prebuilt runner do, stays.
        freed += sum(folders.occupied(path.lstat()) for path in inside if path.is_file())
        with suppress(OSError):
            each.unlink() if each.is_file() else folders.remove_tree(each)
    return freed


def _run(command: list[str], folder: Path, variables: dict[str, str]) -> Failed | None:
    """Carry out a command of a build; None where all is well."""
    name = " ".join(command)
    merged = subprocess.STDOUT
    try:
        with programs.running(command, cwd=folder, env=variables, stderr=merged) as process:
            try:
                said = process.communicate(timeout=_BUILD_SECONDS)[0]
            except subprocess.TimeoutExpired:
                why = f"took longer than {_BUILD_SECONDS // 60} min"
                return Failed(name, why, programs.done(process))
    except OSError as error:
        return Failed(name, f"cannot be started ({error.strerror})")
    status = process.returncode
    return Failed(name, f"ended with status {status}", said) if status else None


def placed(word: str, found: Installed, built: Path) -> str:
    """A word of a command with its placeholders filled in."""
    values = {"{runtime}": str(found.executable), "{home}": str(found.home), "{build}": str(built)}
    for name, value in values.items():
        word = word.replace(name, value)
    return word


def filled(variables: Variables, found: Installed, built: Path) -> Variables:
    """Variables of the environment with the placeholders in their values filled in."""
    return {
        name: value if value is False else placed(value, found, built)
        for name, value in variables.items()
    }
