"""Runtimes made ready to be measured: found, built and asked what they can do."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from iogauge.model.errors import UserError
from iogauge.model.strategy import Runtime, Strategy, is_own
from iogauge.model.units import chosen_limit
from iogauge.runners import building, finding, manifest, prebuilt, wire
from iogauge.runners.building import Candidate, target_of
from iogauge.runners.finding import Choice, Choices, Installed, version_key
from iogauge.runners.fork import START_SECONDS, Launch, Overdue, alone
from iogauge.runners.manifest import LaunchTable, Runner
from iogauge.runners.wire import Refusal, WireError

_KNOWN, _ARCHIVE = "description-", ".archive"  # the names of what is kept beside a build
_TRIED = "tried-"  # begins what a runner keeps of the user's functions
_MARKS = f"own/{_TRIED}*.trying"  # what it leaves where one ends the process
_PLACE = "{archive}"
_SILENT_SECONDS = 2.0  # until it is said what is waited for


@dataclass(frozen=True)
class Ready:
    """A runtime that can be measured: its strategies, and how its forks are started; and whether
    its runner `tries` functions of the user's on a small file.
    """

    runtime: Runtime
    launch: Launch
    executable: Path
    tries: bool = False


@dataclass(frozen=True)
class Missing:
    """A runner that cannot be used: `why`, with what to do. A `broken` one has its toolchain."""

    name: str
    languages: tuple[str, ...]
    why: str
    broken: bool = False


def prepare(
    chosen: Choices, say: Callable[[str], None], only: Iterable[Runner] | None = None
) -> tuple[list[Ready], list[Missing]]:
    """Find, build and ask every runner (or `only` these); `chosen` has what
    --runtime says.

    A runner whose toolchain is missing, or whose build fails, is left out with a line that says
    what to do; a choice that cannot be met raises UserError.
    """
    found = [usable(each, chosen.get(each.name, [])) for each in named(chosen, only)]
    wanted = [one for each in found if isinstance(each, Usable) for one in each.wanted]
    made = [*found, *obtain(wanted, say)]
    ready = [each for each in made if isinstance(each, Ready)]
    must_differ([each.runtime for each in ready])
    return ready, list(dict.fromkeys(each for each in made if isinstance(each, Missing)))


def obtain(wanted: Sequence[Candidate], say: Callable[[str], None]) -> list[Ready | Missing]:
    """Build what is not built, and ask each runtime what it can do; or the reason why not."""
    failures = building.build_all([(each.runner, each.builder) for each in wanted], say)
    made: list[Ready | Missing] = []
    for each in wanted:
        why = failures.get(target_of(each.runner, each.builder))
        try:
            made.append(_instead(each, why, say) if why else _asked(each, say))
        except UserError as error:
            made.append(_instead(each, str(error), say))
    return made


def _instead(candidate: Candidate, why: str, say: Callable[[str], None]) -> Ready | Missing:
    """The prebuilt runner instead of one that cannot be built, if its runtime is no other one."""
    runner, builder = candidate.runner, candidate.builder
    runs_any = runner.file.build.builder == "newest"
    if not builder.prebuilt and (runs_any or not candidate.chosen):
        with contextlib.suppress(UserError):
            for other in prebuilt.candidates(runner)[:1]:
                ready = ask(replace(other, found=candidate.found) if runs_any else other, say)
                name = f"{runner.name} {other.builder.version}"
                say(f"{why}; instead, the prebuilt runner is used ({name})")
                return ready
    return Missing(runner.name, tuple(runner.file.languages), why, broken=True)


def prebuilt_of(runner: Runner) -> list[Ready]:
    """The runtimes that a prebuilt runner gives, even with a toolchain; none if it fails."""
    try:
        return [ask(each, lambda _: None) for each in prebuilt.candidates(runner)]
    except UserError:
        return []


def named(chosen: Iterable[str], only: Iterable[Runner] | None) -> list[Runner]:
    """These runners, or all. Raises UserError where none of them has one of the chosen names."""
    runners = manifest.all_runners() if only is None else list(only)
    names = [runner.name for runner in runners]
    for name in (each for each in chosen if each not in names):
        known = ", ".join(names)
        raise UserError(f"--runtime {name}=…: no runner is called {name!r}; there are: {known}")
    return runners


def must_differ(runtimes: Sequence[Runtime]) -> None:
    """Raises UserError where two runtimes have the same name."""
    names = [each.name for each in runtimes]
    for each in runtimes:
        if names.count(each.name) > 1:
            raise UserError(
                f"--runtime: two of the runtimes are both {each.name}; so that their cases can be "
                f"told apart, name them: --runtime {each.runner}:old=…"
                f" --runtime {each.runner}:new=…"
            )


@dataclass(frozen=True)
class Usable:
    """The runtimes of a runner that are wanted, and others that are here."""

    wanted: list[Candidate]
    others: list[Installed]


def usable(runner: Runner, chosen: Sequence[Choice] = ()) -> Usable | Missing:
    """What of a runner can be used here: the chosen runtimes, or the first one; without a toolchain
    a prebuilt runner, if there is one. Raises UserError for a chosen one that cannot be used.
    """
    buildable = _buildable(runner, chosen)
    found = prebuilt.candidates(runner, chosen) if isinstance(buildable, Missing) else []
    if not found:
        return buildable
    return Usable(found, []) if chosen else Usable(found[:1], [each.found for each in found[1:]])


def _buildable(runner: Runner, chosen: Sequence[Choice]) -> Usable | Missing:
    """What can be used by the toolchains that are here."""
    table = runner.file.build
    found, problem = finding.look(runner, chosen)
    # Those that can build, the newest last: some installations can only run programs.
    others = (finding.installed(runner) or found) if chosen and found else found
    able = [each for each in others if not table.needs or (each.home / table.needs).exists()]
    if not able:
        return _missing(runner, problem or f"no runtime has {table.needs}")
    newest = max(reversed(able), key=lambda each: version_key(each.version))
    wanted = [
        _candidate(runner, each, each if table.builder == "each" else newest, bool(chosen))
        for each in (found if chosen else found[:1])
    ]
    absent = [tool for tool in runner.file.tools if not shutil.which(tool)]
    if absent and not all(each.built for each in wanted):
        return _missing(runner, f"no {' and no '.join(absent)} on the PATH")
    return Usable(wanted, [] if chosen else found[1:])


def _candidate(runner: Runner, found: Installed, builder: Installed, chosen: bool) -> Candidate:
    """A runtime with its own build of the runner; with the prebuilt one, where that is the same and
    nothing is built yet. A version does not tell all of a toolchain that the user chose: that one
    builds.
    """
    own = Candidate(runner, found, builder, chosen)
    if own.built or (chosen and found is builder):
        return own
    for each in prebuilt.candidates(runner)[:1]:
        if each.builder.identity == building.identity(runner, builder.version):
            return replace(own, runner=each.runner, builder=each.builder)
    return own


def _missing(runner: Runner, problem: str) -> Missing:
    why = f"{runner.name}: skipped, {problem}; install {prebuilt.to_install(runner)}"
    return Missing(runner.name, tuple(runner.file.languages), why)


def _asked(candidate: Candidate, say: Callable[[str], None]) -> Ready:
    """A candidate asked what it can do. Raises UserError where it does not work."""
    runner, builder = candidate.runner, candidate.builder
    built = building.build(runner, builder, say)
    try:
        return ask(candidate, say)
    except UserError as error:
        if builder.prebuilt or runner.own:
            raise
        # The build may have been damaged since it was made: once more from the sources.
        say(f"{error}; building it anew")
        shutil.rmtree(built, ignore_errors=True)
        building.build(runner, builder, say)
        return ask(candidate, say)


class Description(BaseModel):
    """A runtime's answers to hello and list, kept in the build: asking takes a start-up."""

    hello: wire.Hello
    strategies: list[Strategy]


def ask(candidate: Candidate, say: Callable[[str], None]) -> Ready:
    """A runtime with a built runner, asked what it can do. Raises UserError if it does not work."""
    runner, found, builder = candidate.runner, candidate.found, candidate.builder
    built, table = target_of(runner, builder), runner.file.launch
    plain = Launch(
        tuple(building.placed(word, found, built) for word in table.command),
        tuple(
            {**runner.file.environment, **building.filled(table.environment, found, built)}.items()
        ),
        tuple(building.placed(word, found, built) for word in table.sound),
        tuple((word, pattern.pattern) for word, pattern in table.unless.items()),
        runner.file.build.layouts,
    )
    known = built / _identity(found, built, plain)
    archive = known.with_suffix(_ARCHIVE)
    described = _described(runner, plain, known, archive, say)
    hello, title = described.hello, described.hello.name
    if builder.prebuilt:
        how = "prebuilt" if found.prebuilt else f"runner prebuilt with {builder.version}"
        title = f"{title} ({how})"
    words = table.archive.use if table.archive and archive.is_file() else []
    launch = replace(_with_archive(plain, words, archive), limits=_limits(runner, described))
    named = found.label or found.kind or (runner.own and runner.own.label)
    own = f"{runner.name}-{hello.version}" if runner.own else hello.runtime
    runtime = runtime_of(
        runner,
        described.strategies,
        name=found.name(runner) if named else own,
        version=hello.version,
        title=title,
        build=building.identity_of(runner, builder),
        clock_resolution_ns=hello.clock_resolution_ns,
    )
    return Ready(runtime, launch, found.executable, runner.tries)


def _described(
    runner: Runner, launch: Launch, known: Path, archive: Path, say: Callable[[str], None]
) -> Description:
    """What a runtime says of itself, now or before. What comes of trying functions of the user's is
    not kept, because one may have failed for once; their runner keeps those that did not.
    """
    if runner.own and runner.tries:
        with told_if_long(f"trying functions of {runner.own.path.name}", say):
            return _without_deadly(runner, launch, archive)
    with contextlib.suppress(OSError, ValidationError):
        return Description.model_validate_json(known.read_text("utf-8"))
    described = _describe(runner, launch, archive)
    with contextlib.suppress(OSError):  # a read-only cache costs a start-up, no more
        known.write_text(described.model_dump_json(), "utf-8")
    return described


class _Died(UserError):
    """A runner with code of the user's ended before it said what it can do."""


def _without_deadly(runner: Runner, launch: Launch, archive: Path) -> Description:
    """What a runtime says of itself that tries functions of the user's. One that ends the process
    leaves a mark; the runtime is asked again, and does not try that one.
    """
    built = archive.parent
    _remove(built.glob(_MARKS))
    count = 0
    try:
        while True:
            try:
                return _describe(runner, launch, archive)
            except _Died:
                before, count = count, len([*built.glob(_MARKS)])
                if count <= before:
                    raise
    finally:
        _remove(built.glob(_MARKS))


def _remove(files: Iterable[Path]) -> None:
    for each in files:
        with contextlib.suppress(OSError):
            each.unlink()


@contextlib.contextmanager
def told_if_long(text: str, say: Callable[[str], None]) -> Iterator[None]:
    """Say what is waited for, once it takes long."""
    timer = threading.Timer(_SILENT_SECONDS, say, [text])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _limits(runner: Runner, described: Description) -> tuple[tuple[str, float], ...]:
    """What a call may take of each strategy that is code of the user's: of a runner that is theirs,
    all.
    """
    if runner.own is None:
        return ()
    names = [each.name for each in described.strategies]
    theirs = [each for each in names if is_own(each) or runner.file.own is None]
    return tuple((each, runner.own.limit) for each in theirs)


def runtime_of(runner: Runner, strategies: Iterable[Strategy], **own: Any) -> Runtime:
    """A runtime with what the manifest says of all runtimes of its runner, and with its `own`."""
    table, known = runner.file.launch, {each.name: each for each in strategies}
    told = {each.language for each in known.values()}  # an executable's own alone tell
    others = not told & {*runner.file.languages} and sorted(told)
    return Runtime(
        **own,
        runner=runner.name,
        languages=tuple(others or runner.file.languages),
        strategies=known,
        **table.model_dump(include=LaunchTable.model_fields.keys() & Runtime.model_fields),
        options_are_variables=Launch(tuple(table.command)).options_are_variables,
        language_names=runner.file.names,
    )


def _identity(found: Installed, built: Path, launch: Launch) -> str:
    """The name of files with what is known of a runtime: another where that might change."""
    files = "".join(
        f"{path.name} {path.stat().st_size} {path.stat().st_mtime_ns}\n"
        for path in sorted(built.rglob("*"))
        if path.is_file() and not path.name.startswith((_KNOWN, _TRIED))
    )
    executable = found.executable
    identity = f"{executable.resolve()} {executable.stat().st_mtime_ns} {launch} {files}"
    return f"{_KNOWN}{hashlib.sha256(identity.encode()).hexdigest()[:12]}.json"


def _with_archive(launch: Launch, words: Sequence[str], archive: Path) -> Launch:
    """The launch with these words, that name an archive, in the place of {archive}."""
    named = tuple(word.replace(_PLACE, str(archive)) for word in words)
    sound = [named if word == _PLACE else (word,) for word in launch.sound]
    return replace(launch, sound=tuple(word for each in sound for word in each))


def _describe(runner: Runner, launch: Launch, archive: Path) -> Description:
    """Ask the runtime. What it loads meanwhile goes into its archive, if it can write one."""
    table = runner.file.launch.archive
    partial = archive.with_suffix(f".{os.getpid()}.partial")
    asked = _with_archive(launch, table.make if table else [], partial)
    heap, patience = runner.file.launch.heap_minimum_mib, START_SECONDS if table else 2.0
    longest = max(START_SECONDS, runner.own.limit) if runner.own else START_SECONDS
    hello = None
    try:
        with alone(asked, heap, patience=patience) as fork:  # an archive is written at the end
            hello = fork.ask(wire.hello(), timeout=longest)
            if hello.wire != wire.WIRE:
                raise WireError(f"it speaks wire version {hello.wire}, this iogauge {wire.WIRE}")
            strategies = fork.ask(wire.list_strategies(), timeout=longest).strategies
            null = next((each for each in strategies if each.role == "null"), None)
            if table and null:  # have it load what every sample needs
                opening = wire.open_strategy(null.name, null.defaults, "read", "none")
                for request in (opening, wire.sample(1, 1, [""]), wire.release()):
                    fork.ask(request, timeout=START_SECONDS)
    except (WireError, Refusal) as error:
        if runner.own and isinstance(error, Overdue):
            silent = f"it did not say within {chosen_limit(longest)} what it can do"
            raise UserError(f"{silent}; a larger --limit gives it longer") from None
        if runner.own and runner.file.own is None and hello is None:  # a program of the user's
            raise UserError(
                f"it does not speak as docs/wire.md says ({error}); give source code, or a program "
                "that does"
            ) from None
        if runner.own:
            kind = _Died if isinstance(error, WireError) else UserError
            raise kind(str(error)) from None
        raise UserError(
            f"the {runner.called} runner does not work: {error}; to test it: "
            f"iogauge check {runner.folder}"
        ) from None
    with contextlib.suppress(OSError):  # it wrote none: forks start as fast as without
        partial.rename(archive)
    return Description(hello=hello, strategies=strategies)
