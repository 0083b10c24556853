"""Runners and runtimes: find them, build them, ask them what they can do. Knows no language by
name.

runners/README.md describes `runner.toml`. Builds live in the cache folder, one per state of the
sources and builder, so that an installed, read-only copy works and a second start builds nothing.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.model.strategy import Runtime, Strategy
from iogauge.model.text import for_stream, visible
from iogauge.runners import wire
from iogauge.runners.fork import Fork, Launch
from iogauge.runners.wire import Refusal, WireError

_MOST_SAID = 200  # characters, of what a runtime says instead of its version
_START_SECONDS = 30  # of a runtime, at most
_BUILD_SECONDS = 900
_LAYOUT = "{layout}"
_SEARCH_VARIABLE = "IOGAUGE_RUNNERS"  # more folders with runners in them, like PATH


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RuntimeTable(_Table):
    executable: str
    candidates: Annotated[list[str], Field(min_length=1)]
    version: list[str] = ["--version"]
    pattern: str
    minimum: str


class BuildTable(_Table):
    inputs: list[str] = []
    builder: Annotated[Literal["newest", "each"], Field(alias="with")] = "each"
    needs: str | None = None
    commands: list[list[str]] = []
    layouts: Annotated[int, Field(ge=1, le=64)] = 1
    environment: dict[str, str] = {}


class LaunchTable(_Table):
    command: Annotated[list[str], Field(min_length=1)]
    sound: list[str] = []
    unless: dict[str, re.Pattern[str]] = {}
    environment: dict[str, str] = {}
    start_seconds: float = 0.5
    warm_up_seconds: Annotated[float, Field(ge=0, le=10)] = 0.25
    warm_up_calls: Annotated[int, Field(ge=0)] = 0
    longest_warm_up_seconds: Annotated[float, Field(ge=0, le=10)] = 0.0
    heap_minimum_mib: int = 0
    overhead_mib: int = 64


class RunnerFile(_Table):
    """A runner.toml."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*$")]
    languages: Annotated[list[str], Field(min_length=1)]
    wire: Literal[1]
    install: str
    tools: list[str] = []
    runtime: RuntimeTable
    build: BuildTable = BuildTable()
    launch: LaunchTable


@dataclass(frozen=True)
class Runner:
    """A runner as its folder declares it."""

    folder: Path
    file: RunnerFile

    @property
    def name(self) -> str:
        return self.file.name


@dataclass(frozen=True)
class Installed:
    """A runtime found on this host: its executable, home folder and version."""

    executable: Path
    home: Path
    version: str


@dataclass(frozen=True)
class Ready:
    """A runtime that can be measured: what it can do, and how its forks are started."""

    runtime: Runtime
    launch: Launch
    executable: Path


@dataclass(frozen=True)
class Missing:
    """A runner that cannot be used here, and the one line that says why and what to install."""

    name: str
    languages: tuple[str, ...]
    why: str


# finding


def load(folder: Path) -> Runner:
    """The runner of a folder. Raises UserError, naming file and key."""
    path = folder / "runner.toml"
    try:
        return Runner(folder, RunnerFile.model_validate(tomllib.loads(path.read_text())))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path}: not TOML: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def all_runners() -> list[Runner]:
    """Every runner that travels with iogauge, and those of the folders in $IOGAUGE_RUNNERS; by
    name.
    """
    inside = Path(__file__).parents[1] / "runners_source"
    own = inside if inside.is_dir() else Path(__file__).parents[3] / "runners"
    roots = [own, *map(Path, filter(None, os.environ.get(_SEARCH_VARIABLE, "").split(os.pathsep)))]
    folders = [each.parent for root in roots for each in sorted(root.glob("*/runner.toml"))]
    return sorted(map(load, folders), key=lambda runner: runner.name)


def languages() -> list[str]:
    """Of all runners, whether they can be measured here or not."""
    return sorted(language for runner in all_runners() for language in runner.file.languages)


def installed(runner: Runner, chosen: Sequence[str] = ()) -> list[Installed]:
    """Runtimes on this host that the runner can use, best known first; or just the chosen ones, in
    their order.

    A chosen path is a runtime's home folder or its executable. Raises UserError for one that cannot
    be used.
    """
    table = runner.file.runtime
    if chosen:
        paths = [_chosen(runner, path) for path in chosen]
    else:
        paths = list(
            dict.fromkeys(found.resolve() for each in table.candidates for found in _matches(each))
        )
    usable = []
    for path, (version, said) in zip(paths, _versions(paths, table), strict=True):
        problem = None
        if version is None:
            problem = _no_version(table, said)
        elif version_key(version) < version_key(table.minimum):
            problem = f"is version {version}; at least {table.minimum} is needed"
        if problem and chosen:
            raise UserError(f"--runtime {runner.name}={path}: {problem}")
        if not problem:
            real = path.resolve()
            home = (
                Path(str(real).removesuffix(table.executable))
                if str(real).endswith(table.executable)
                else real.parent
            )
            usable.append(Installed(path, home, version))
    return usable


def _no_version(table: RuntimeTable, said: str) -> str:
    """Launchers that choose among installations say here that there is none."""
    first = visible(next((line.strip() for line in said.splitlines() if line.strip()), ""))
    first = first if len(first) <= _MOST_SAID else f"{first[:_MOST_SAID]}…"
    return f"does not say its version to {' '.join(table.version)!r}" + (
        f", but: {first}" if first else ""
    )


def _why_none(runner: Runner) -> str:
    """Why no runtime here can be used. Each is asked by the name that it was found by, from which a
    launcher knows what it is to launch.
    """
    table = runner.file.runtime
    paths = [
        *{found.resolve(): found for each in table.candidates for found in _matches(each)}.values()
    ]
    silent = [
        (path, said)
        for path, (version, said) in zip(paths, _versions(paths, table), strict=True)
        if version is None
    ]
    none = f"no {table.executable} {table.minimum} or newer"
    return f"{none} ({silent[0][0]} {_no_version(table, silent[0][1])})" if silent else none


def version_key(version: str) -> tuple[int, ...]:
    """For comparing: `17.0.15` → (17, 0, 15)."""
    return tuple(int(number) for number in re.findall(r"\d+", version))


def _chosen(runner: Runner, path: str) -> Path:
    given = Path(path).expanduser().absolute()
    executable = given / runner.file.runtime.executable if given.is_dir() else given
    if not (executable.is_file() and os.access(executable, os.X_OK)):
        raise UserError(
            f"--runtime {runner.name}={path}: no {runner.file.runtime.executable} there"
        )
    return executable


def _matches(candidate: str) -> Iterable[Path]:
    """Executables that a candidate of runner.toml names on this host."""
    missing = [name for name in re.findall(r"\$\{(\w+)\}", candidate) if not os.environ.get(name)]
    if missing:
        return []
    text = os.path.expanduser(re.sub(r"\$\{(\w+)\}", lambda match: os.environ[match[1]], candidate))
    if "/" not in text:
        found = shutil.which(text)
        return [Path(found)] if found else []
    return [
        Path(each)
        for each in sorted(glob.glob(text))
        if os.path.isfile(each) and os.access(each, os.X_OK)
    ]


def _versions(paths: list[Path], table: RuntimeTable) -> list[tuple[str | None, str]]:
    """What each executable says its version is, and all that it says; asked side by side, as some
    take a while to start.
    """
    asked = [_started([str(path.absolute()), *table.version]) for path in paths]
    versions: list[tuple[str | None, str]] = []
    for process in asked:
        if process is None:
            versions.append((None, ""))
            continue
        try:
            said = process.communicate(timeout=20)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            said = process.communicate()[0]
        match = re.search(table.pattern, said)
        versions.append((match[1] if match else None, said))
    return versions


def _started(command: list[str]) -> subprocess.Popen[str] | None:
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            cwd="/",  # some launchers choose a version by the files of the current folder
        )
    except OSError:  # not for this machine, or no program at all
        return None


# building


def build(runner: Runner, builder: Installed, say: Callable[[str], None]) -> Path:
    """The folder of the build by this runtime, made unless it is there. Raises UserError when it
    fails.
    """
    target = folders.cache() / "runners" / f"{runner.name}-{_state(runner, builder)}"
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
        for path in _input_files(runner):
            copy = scratch / path.relative_to(runner.folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        temporary = (
            scratch / "temporary"
        )  # so that what a killed build leaves is removed with the scratch folder
        temporary.mkdir()
        own = _filled(runner.file.build.environment, builder, scratch)
        environment = {**os.environ, "TMPDIR": str(temporary), **own}
        for command in _all_commands(runner.file.build):
            _run(
                [_placed(word, builder, scratch) for word in command], scratch, environment, runner
            )
        shutil.rmtree(temporary, ignore_errors=True)
        try:
            scratch.rename(target)
        except OSError:
            if not target.is_dir():  # else another iogauge was quicker, with the same result
                raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return target


def _all_commands(table: BuildTable) -> Iterator[list[str]]:
    """In order; one that names {layout} once for each layout."""
    for command in table.commands:
        layouts = table.layouts if any(_LAYOUT in word for word in command) else 1
        yield from (
            [word.replace(_LAYOUT, str(layout)) for word in command] for layout in range(layouts)
        )


def remove_builds() -> int:
    """Remove all builds (they are made again when needed) but what may be under way; returns the
    bytes freed.
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
            text=True,
            errors="replace",
            timeout=_BUILD_SECONDS,
        )
        problem = f"status {done.returncode}:\n{done.stdout[-3000:]}" if done.returncode else None
    except (OSError, subprocess.TimeoutExpired) as error:
        problem = str(error)
    if problem:
        raise UserError(f"the {runner.name} runner cannot be built: {' '.join(command)}: {problem}")


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
                f"{runner.folder / 'runner.toml'}: build.inputs: no {name} in that folder"
            )
    return sorted(files)


def _state(runner: Runner, builder: Installed) -> str:
    """Hash of all that decides what a build is."""
    digest = hashlib.sha256()
    digest.update(runner.file.build.model_dump_json().encode())
    digest.update(f"{builder.version} {builder.home}".encode())
    for path in _input_files(runner):
        digest.update(str(path.relative_to(runner.folder)).encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]


def _placed(word: str, found: Installed, built: Path) -> str:
    values = {"{runtime}": str(found.executable), "{home}": str(found.home), "{build}": str(built)}
    for name, value in values.items():
        word = word.replace(name, value)
    return word


def _filled(environment: dict[str, str], found: Installed, built: Path) -> dict[str, str]:
    return {name: _placed(value, found, built) for name, value in environment.items()}


# asking


def prepare(
    chosen: dict[str, list[str]], say: Callable[[str], None], only: Iterable[Runner] | None = None
) -> tuple[list[Ready], list[Missing]]:
    """Find, build and ask every runner (or `only` these); `chosen` maps a runner to its --runtime
    paths.

    A runner whose toolchain is missing is left out with a line that says what to install; a build
    that fails, or a choice that cannot be met, raises UserError.
    """
    runners = list(all_runners() if only is None else only)
    for name in chosen:
        if name not in {runner.name for runner in runners}:
            known = ", ".join(runner.name for runner in runners)
            raise UserError(f"--runtime {name}=…: no runner is called {name!r}; there are: {known}")
    prepared = [_prepared(runner, chosen.get(runner.name, []), say) for runner in runners]
    ready = [each for some in prepared if not isinstance(some, Missing) for each in some]
    names = [each.runtime.name for each in ready]
    for name in names:
        if names.count(name) > 1:
            raise UserError(
                f"--runtime: two of the runtimes are both {name}; their cases could not be told apart"
            )
    return ready, [each for each in prepared if isinstance(each, Missing)]


def _prepared(
    runner: Runner, wanted: list[str], say: Callable[[str], None]
) -> list[Ready] | Missing:
    """The runtimes of a runner that are wanted, or its first one. Raises UserError."""
    problem = _toolchain_problem(runner)
    found = [] if problem else installed(runner, wanted)
    if not problem and not found:
        problem = _why_none(runner)
    builders = (
        [] if problem else _builders(runner, (installed(runner) or found) if wanted else found)
    )
    if not problem and not builders:
        problem = f"no runtime has {runner.file.build.needs}"
    if problem:
        return Missing(
            runner.name,
            tuple(runner.file.languages),
            f"{runner.name}: skipped, {problem}; install {runner.file.install}",
        )
    ready = []
    for each in found if wanted else found[:1]:
        builder = builders[-1] if runner.file.build.builder == "newest" else each
        built = build(runner, builder, say)
        try:
            ready.append(_ask(runner, each, built))
        except (
            UserError
        ) as error:  # a build may have been damaged since: once more from the sources
            say(f"{error}; building it anew")
            shutil.rmtree(built, ignore_errors=True)
            ready.append(_ask(runner, each, build(runner, builder, say)))
    return ready


def _builders(runner: Runner, found: list[Installed]) -> list[Installed]:
    """The runtimes that can build, oldest first: some installations can only run."""
    needs = runner.file.build.needs
    able = [each for each in found if not needs or (each.home / needs).exists()]
    return sorted(able, key=lambda each: version_key(each.version))


def _toolchain_problem(runner: Runner) -> str | None:
    absent = [tool for tool in runner.file.tools if not shutil.which(tool)]
    return f"no {' and no '.join(absent)} on the PATH" if absent else None


class _Description(BaseModel):
    """What a runtime answered to hello and list, kept beside the build: asking again takes a
    start-up.
    """

    name: str
    version: str
    title: str
    clock_resolution_ns: int
    strategies: list[Strategy]


def _ask(runner: Runner, found: Installed, built: Path) -> Ready:
    table = runner.file.launch
    launch = Launch(
        tuple(_placed(word, found, built) for word in table.command),
        tuple(_filled(table.environment, found, built).items()),
        tuple(_placed(word, found, built) for word in table.sound),
        tuple((word, pattern.pattern) for word, pattern in table.unless.items()),
        runner.file.build.layouts,
    )
    files = "".join(
        f"{path.name} {path.stat().st_size} {path.stat().st_mtime_ns}\n"
        for path in _built_files(built)
    )
    identity = (
        f"{found.executable.resolve()} {found.executable.stat().st_mtime_ns} {launch} {files}"
    )
    kept = built / f"description-{hashlib.sha256(identity.encode()).hexdigest()[:12]}.json"
    try:
        description = _Description.model_validate_json(kept.read_text())
    except (OSError, ValidationError):
        description = _describe(runner, launch)
        with contextlib.suppress(
            OSError
        ):  # a cache that cannot be written costs a start-up, no more
            kept.write_text(description.model_dump_json())
    runtime = Runtime(
        name=description.name,
        runner=runner.name,
        version=description.version,
        title=description.title,
        languages=tuple(runner.file.languages),
        build=built.name.rpartition("-")[2],
        strategies={strategy.name: strategy for strategy in description.strategies},
        clock_resolution_ns=description.clock_resolution_ns,
        heap_minimum_mib=table.heap_minimum_mib,
        overhead_mib=table.overhead_mib,
        start_seconds=table.start_seconds,
        warm_up_seconds=table.warm_up_seconds,
        warm_up_calls=table.warm_up_calls,
        longest_warm_up_seconds=table.longest_warm_up_seconds,
        options_are_variables=launch.options_are_variables,
    )
    return Ready(runtime, launch, found.executable)


def _built_files(built: Path) -> list[Path]:
    return sorted(
        path
        for path in built.rglob("*")
        if path.is_file() and not path.name.startswith("description-")
    )


def _describe(runner: Runner, launch: Launch) -> _Description:
    with tempfile.TemporaryDirectory(prefix="iogauge-") as folder:
        try:
            fork = Fork(launch, runner.file.launch.heap_minimum_mib, Path(folder) / "log")
            try:
                hello = fork.ask(wire.hello(), timeout=_START_SECONDS)
                if hello.wire != wire.WIRE:
                    raise WireError(
                        f"it speaks wire version {hello.wire}, this iogauge {wire.WIRE}"
                    )
                strategies = fork.ask(wire.list_strategies(), timeout=_START_SECONDS).strategies
            finally:
                if fork.alive:
                    fork.end()
        except (WireError, Refusal) as error:
            raise UserError(f"the {runner.name} runner does not work: {error}") from None
    return _Description(
        name=hello.runtime,
        version=hello.version,
        title=hello.name,
        clock_resolution_ns=hello.clock_resolution_ns,
        strategies=strategies,
    )


def refused(launch: Launch, heap_mib: int, options: tuple[str, ...]) -> str | None:
    """Why a runtime does not start so with these options; None where it does."""
    with tempfile.TemporaryDirectory(prefix="iogauge-") as folder:
        try:
            fork = Fork(launch, heap_mib, Path(folder) / "log", options)
            try:
                fork.ask(wire.hello(), timeout=_START_SECONDS)
            finally:
                if fork.alive:
                    fork.end()
        except (WireError, Refusal) as error:
            return str(error)
    return None


def main() -> int:
    """Build every runner whose toolchain is here (`make setup`). Status 2 when none is, or when a
    build fails.
    """
    try:
        ready, missing = prepare({}, lambda text: print(for_stream(text, sys.stdout), flush=True))
    except UserError as error:
        print(for_stream(f"iogauge: {error}", sys.stderr), file=sys.stderr)
        return 2
    for each in missing:
        print(for_stream(each.why, sys.stderr), file=sys.stderr)
    if not ready:
        print("iogauge: no language can be measured here", file=sys.stderr)
        return 2
    print(f"ready: {', '.join(each.runtime.name for each in ready)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
