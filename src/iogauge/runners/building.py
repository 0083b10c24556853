"""Builds of runners: their sources, the commands that make them, and why one fails.

They live in the cache folder, one for each state of the sources and each builder. So an installed,
read-only copy works, and a second start builds nothing. Nothing here knows a tool by name.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, takewhile
from pathlib import Path

from iogauge.host import kernel
from iogauge.model import folders
from iogauge.model.errors import UserError, cause
from iogauge.model.text import visible
from iogauge.model.units import duration
from iogauge.runners import manifest, mistakes, programs
from iogauge.runners.finding import Installed, shortened
from iogauge.runners.manifest import Runner
from iogauge.runners.programs import Variables, environment

_BUILD_SECONDS = 900
_SETTINGS_SECONDS = 30
_LAYOUT, _TEMPORARY = "{layout}", "iogauge-temporary-"
_OWN = "own"  # the folder of the user's code in a build
_COMPILED = "__pycache__"
_LEFT_OUT = {_COMPILED, "node_modules", "site-packages", "target", "build"}
_WORD = re.compile(r"[\w-]+")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_NO_SPACE = re.compile(r"no space left on device|os error 28|disk quota exceeded", re.I)
_NO_NETWORK = re.compile(
    r"no such host|unknown host|could not resolve|name resolution|network is unreachable"
    r"|no route to host|connection (refused|reset|timed out)|(failed|couldn't|unable) to connect"
    r"|could not (transfer|connect)|network error|i/o timeout|server misbehaving"
    r"|in offline mode|(--|in the )offline (flag|mode)|unknown proxy|proxy authentication"
    r"|proxy(connect)? (error|failed|tcp)|407 proxy|PKIX path|unable to get local issuer"
    r"|certificate (verify failed|has expired|signed by|problem)",
    re.I,
)
_ERROR = re.compile(r"error|fatal|fail|cannot|could not|denied|not found", re.I)
_FULL = 1 << 20  # bytes that are free where a tool stopped for want of space
_LIBRARIES = threading.Lock()
_ELSEWHERE = "set XDG_CACHE_HOME to a folder"


@dataclass
class Failed(Exception):
    """A command of a build failed: why in a few words, and all that it printed."""

    command: str
    why: str
    output: str = ""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A runtime of a runner, and the runtime that builds it. The user may have `chosen` it."""

    runner: Runner
    found: Installed
    builder: Installed
    chosen: bool = False

    @property
    def built(self) -> Path | None:
        """The folder of the build; None where it is not there, or cannot be used there."""
        target = target_of(self.runner, self.builder)
        unusable = not target.is_dir() or why_unusable(self.runner, self.builder)
        return None if unusable else target


def target_of(runner: Runner, builder: Installed) -> Path:
    """The folder of the build by this runtime. It exists once it is made, a prebuilt one always."""
    if builder.prebuilt:
        return builder.prebuilt
    # Machines of two kinds may share a home folder.
    here = f"{builder.home} {runner.file.build.layouts} {platform.machine()}"
    if runner.glue:
        here += f" {runner.glue.root} {sorted(runner.glue.values.items())}"
    place = hashlib.sha256(here.encode()).hexdigest()[:6]
    return _folder() / f"{runner.name}-{identity_of(runner, builder)}-{place}"


def identity_of(runner: Runner, builder: Installed) -> str:
    """The identity of the build of a runner by this runtime."""
    return builder.identity or identity(runner, builder.release)


def identity(runner: Runner, compiler: str) -> str:
    """A hash of a runner's sources, its settings and the version of the compiler. It is the same on
    every host, wherever the compiler is installed.
    """
    digest = hashlib.sha256()
    digest.update(runner.file.build.model_dump_json(exclude={"layouts", "seconds"}).encode())
    digest.update(json.dumps(runner.file.environment).encode())
    digest.update(compiler.encode())
    for place, path in input_files(runner):
        digest.update(os.fsencode(place) + _hash(path))
    for name, path in runner.glue.reads if runner.glue else ():
        digest.update(os.fsencode(name) + _hash(path))
    for place, told in own_words(runner).items():
        digest.update(os.fsencode(place) + told)
    return digest.hexdigest()[:12]


def _hash(path: Path) -> bytes:
    """Of what a build reads. Raises UserError."""
    if path.exists() and not path.is_file():  # who reads a pipe may wait for ever
        raise UserError(f"{path}: no ordinary file; a build cannot read it; move it")
    return hashlib.sha256(_content(path)).digest()


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{cause(error)}; make it readable, or move it") from None


def _folder() -> Path:
    return folders.cache() / "runners"


def build(runner: Runner, builder: Installed, say: Callable[[str], None]) -> Path:
    """Make the build by this runtime unless it is there; returns its folder. Raises UserError when
    the build fails, or could not be used where it is: why, and what to do, in a line.
    """
    target = target_of(runner, builder)
    why = why_unusable(runner, builder)
    if target.is_dir() and not why:
        return target
    if not why:
        if library := _library(runner):
            with _LIBRARIES:  # two versions side by side need it once
                build(library, builder, say)
        say(_announced(runner, builder))
        why = _build(target, runner, builder)
    if why:
        of = "" if runner.glue else f"the {runner.called} runner cannot be built: "
        raise UserError(f"{of}{why}")
    return target


def _announced(runner: Runner, builder: Installed) -> str:
    if runner.own:
        tool = f"{runner.called} {builder.version}"
        return f"preparing {runner.own.given} for {tool} (once for each version of it)"
    seconds = runner.file.build.seconds
    once = f"once, about {duration(seconds)}" if seconds else "once"
    return f"building the {runner.called} runner with {builder.version} ({once})"


def why_unusable(runner: Runner, builder: Installed) -> str | None:
    """Why no build of this runner could be made or started where builds are; None if it can. A
    prebuilt one needs no tools, but perhaps a runtime that starts it, and trips on its path.
    """
    folder = _folder()  # it need not exist yet
    starts_itself = runner.file.launch.command[0].startswith("{build}")
    unfit = next((each for each in runner.file.unfit if each in str(folder)), None)
    if unfit and not (builder.prebuilt and starts_itself):
        has = f"its tools take no path with {unfit!r} in it, as {folder} has"
        return f"{has}; {_ELSEWHERE} without it"
    if builder.prebuilt or not starts_itself:
        return None
    if kernel.noexec(next(each for each in (folder, *folder.parents) if each.exists())):
        return f"{folder} is mounted noexec: no program starts there; {_ELSEWHERE} elsewhere"
    return None


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


def _build(target: Path, runner: Runner, builder: Installed) -> str | None:
    """Why the build fails; None where it is made."""
    folder, log = target.parent, target.parent / f"{runner.name}.log"
    scratch: Path | None = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f"{runner.name}-", suffix=".partial", dir=folder))
        _build_in(scratch, runner, builder)
        try:
            scratch.rename(target)
        except OSError:
            if not target.is_dir():  # else another iogauge was quicker
                raise
        return None
    except Failed as failed:
        if scratch and (mistake := _mistake(failed, scratch, runner)):
            return mistake
        told = replace(failed, command="its build") if runner.glue else failed
        why = why_failed(told, folder, was_full=shutil.disk_usage(folder).free < _FULL)
        text = f"{failed.command} {failed.why}\n{failed.output}"
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return _no_space(folder)
        return f"{folder} cannot be written ({error.strerror}); {_ELSEWHERE} that can"
    finally:
        if scratch:
            folders.remove_tree(scratch)
    with suppress(OSError):  # only now there may be space for it
        log.write_text(text, encoding="utf-8")
        return f"{why}; log: {log}"
    return why


def _mistake(failed: Failed, scratch: Path, runner: Runner) -> str | None:
    """The first mistake in the user's code that stopped a build; None if there is none."""
    if runner.own is None:
        return None
    path = Path(os.path.abspath(runner.own.path))
    root = runner.glue.root if runner.glue else path if path.is_dir() else path.parent
    takes_flags = runner.file.own is not None and "flags" in runner.file.own.options
    return mistakes.first(failed.output, scratch, root, own_files(runner), takes_flags=takes_flags)


def why_failed(failed: Failed, folder: Path, *, was_full: bool) -> str:
    """Why a command failed, in a line. `was_full`: the folder had no space, which tools hide."""
    lines = [" ".join(line.split()) for line in failed.output.splitlines() if line.strip()]
    last = lines[-1] if lines else ""
    line = shortened(visible(next(filter(_ERROR.search, lines), last)))
    if was_full:
        return _no_space(folder)
    if _NO_SPACE.search(failed.output):
        return f"no space is left for its tools ({line}); free some"
    if _NO_NETWORK.search(failed.output):
        return (
            "its build could not fetch what it needs; connect this machine to the network once, or "
            "tell the toolchain of a proxy or a mirror"
        )
    said = f": {line}" if line else ""
    return f"{failed.command} {failed.why}{said}; run again when this is mended"


def _no_space(folder: Path) -> str:
    return f"no space is left in {folder}; free some, or {_ELSEWHERE} that has more"


def _build_in(scratch: Path, runner: Runner, builder: Installed) -> None:
    """Copy the inputs into this folder and run the commands there. Code of the user's that lies
    beside a runner is put into a copy of the runner's own build. Raises Failed.
    """
    beside = runner.own is not None and runner.file.own is not None and runner.file.own.beside
    if beside:
        # Code as it stands may have commands of its own.
        plain = manifest.load(runner.folder) if runner.glue else replace(runner, own=None)
        with _LIBRARIES:
            without = build(plain, builder, lambda _: None)
        shutil.copytree(without, scratch, dirs_exist_ok=True, symlinks=True)
    for place, path in own_files(runner) if beside else input_files(runner):
        copy = scratch / place
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy) if runner.own else shutil.copyfile(path, copy)
    values = {**runner.glue.values} if runner.glue else {}
    if library := _library(runner):
        values["library"] = str(target_of(library, builder))
    for place, told in own_words(runner).items():
        (scratch / place).parent.mkdir(parents=True, exist_ok=True)
        if runner.glue and str(place) in runner.glue.texts:
            told = _filled(told, place, builder, scratch, values)
        (scratch / place).write_bytes(told)
    for name, target in runner.glue.links.items() if runner.glue else ():
        (scratch / name).parent.mkdir(parents=True, exist_ok=True)
        (scratch / name).symlink_to(target)
    table = runner.file.build
    if beside and not (runner.file.own and runner.file.own.commands is not None):
        return
    with _left_out(scratch) as temporary:
        variables = environment(
            runner.file.environment,
            _settings(runner, builder, scratch, temporary),
            {"TMPDIR": str(temporary)},
            filled(table.environment, builder, scratch),
        )
        given = runner.glue.otherwise if runner.glue else {}
        otherwise = {place: dict(lines) for place, lines in given.items()}
        for command in table.commands:
            # A command that names {layout} comes once for each layout.
            for layout in range(table.layouts if any(_LAYOUT in word for word in command) else 1):
                words = [word.replace(_LAYOUT, str(layout)) for word in command]
                words = [placed(word, builder, scratch, values) for word in words]
                _compile(words, scratch, variables, otherwise)


def _library(runner: Runner) -> Runner | None:
    """The runner as a library that builds with code of the user's need; None if they need none. It
    is a build of its own: it is made once, and stays while they come and go.
    """
    table = runner.file.own
    if not (runner.glue and table and table.library):
        return None
    return manifest.load(runner.folder).with_build(commands=table.library)


def _filled(
    told: bytes, place: Path, builder: Installed, scratch: Path, values: Mapping[str, str]
) -> bytes:
    """A text of glue with its placeholders filled in. In JSON and TOML these are in quotes."""
    quoted = place.suffix in (".json", ".toml")
    text = placed(os.fsdecode(told), builder, scratch, values, _escaped if quoted else str)
    return os.fsencode(text)


def _escaped(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)[1:-1]


@contextmanager
def _left_out(scratch: Path) -> Iterator[Path]:
    """A folder for what is not part of a build. It is inside, so that what a killed build leaves is
    removed with it; but not where a list of folders, as GOPATH is one, could not name it.
    """
    within = os.pathsep not in str(scratch)
    folder = Path(tempfile.mkdtemp(prefix=_TEMPORARY, dir=scratch if within else None))
    try:
        yield folder
    finally:
        folders.remove_tree(folder)


def _settings(runner: Runner, builder: Installed, scratch: Path, temporary: Path) -> dict[str, str]:
    """The user's settings that a build keeps, as the tool tells them; empty where it does not.

    A folder of the user's that is not there yet, such as a cache of a tool he never used, is not
    left behind: it is among what the build leaves out.
    """
    command = [placed(word, builder, scratch) for word in runner.file.build.settings]
    if not command:
        return {}
    own, silent = environment(runner.file.environment), subprocess.DEVNULL
    try:
        status, told = programs.output(
            command, _SETTINGS_SECONDS, cwd=scratch, env=own, stderr=silent
        )
        known = {name: str(value) for name, value in json.loads(told).items() if value}
    except (OSError, ValueError, AttributeError):
        return {}
    for name, value in known.items():
        if os.path.isabs(value) and not os.path.exists(value):
            known[name] = str(temporary / name)
    return {} if status else known


def _compile(
    command: list[str],
    folder: Path,
    variables: dict[str, str],
    otherwise: Mapping[str, dict[int, str]],
) -> None:
    """Carry out a command of a build; where calls in glue do not compile, without these."""
    while True:
        try:
            return _run(command, folder, variables)
        except Failed as failed:
            if not mistakes.leave_out(failed.output, folder, otherwise):
                raise


def _run(command: list[str], folder: Path, variables: dict[str, str]) -> None:
    """Carry out a command of a build. Raises Failed."""
    name, merged = " ".join(command), subprocess.STDOUT
    try:
        status, said = programs.output(
            command, _BUILD_SECONDS, cwd=folder, env=variables, stderr=merged
        )
    except OSError as error:
        raise Failed(name, f"cannot be started ({error.strerror})") from None
    if status is None:
        raise Failed(name, f"took longer than {_BUILD_SECONDS // 60} min", said)
    if status:
        raise Failed(name, f"ended with status {status}", said)


def placed(
    word: str,
    found: Installed,
    built: Path,
    values: Mapping[str, str] | None = None,
    written: Callable[[str], str] = str,
) -> str:
    """A word of a command with its placeholders filled in, and those of glue with its `values`;
    each is `written` so. What was filled in stays as it is.
    """
    known = {"runtime": str(found.executable), "home": str(found.home), "build": str(built)}
    known |= values or {}
    return _PLACEHOLDER.sub(lambda m: written(known[m[1]]) if m[1] in known else m[0], word)


def filled(variables: Variables, found: Installed, built: Path) -> Variables:
    """Variables of the environment with the placeholders in their values filled in."""
    return {
        name: value if value is False else placed(value, found, built)
        for name, value in variables.items()
    }


def remove_builds() -> int:
    """Remove all builds but those that may be under way; returns the bytes freed."""
    freed = 0
    for each in _folder().iterdir() if _folder().is_dir() else []:
        if each.suffix == ".partial" and time.time() - each.stat().st_mtime < _BUILD_SECONDS:
            continue
        found = each.rglob("*") if each.is_dir() else [each]  # a file is a log
        # What links lead to, as those to a prebuilt runner do, stays.
        freed += sum(folders.occupied(path.lstat()) for path in found if path.is_file())
        with suppress(OSError):
            each.unlink() if each.is_file() else folders.remove_tree(each)
    return freed


def input_files(runner: Runner) -> list[tuple[Path, Path]]:
    """What a build reads: place in the build, file. Raises UserError for one that is missing. What
    Python compiled beside its sources is none: it differs from one installation to the next.
    """
    files: list[Path] = []
    for name in runner.file.build.inputs:
        path = runner.folder / name
        if not path.exists():
            raise UserError(
                f"{runner.folder / 'runner.toml'}: build.inputs: no {name} in that folder; "
                "add it, or leave it out"
            )
        found = (each for each in (path, *path.rglob("*")) if each.is_file())
        files += [each for each in found if each.parent.name != _COMPILED]
    declared = [(path.relative_to(runner.folder), path) for path in files]
    return sorted([*declared, *own_files(runner)])


def place(path: Path) -> Path:
    """Where a file of the user's lies in a build."""
    return Path(_OWN, f"code{path.suffix}")


def own_files(runner: Runner) -> list[tuple[Path, Path]]:
    """The user's code, as in `input_files`. A file has the same name in every build, so that two
    versions are called by paths of the same length; a package has its own.
    """
    own = runner.own
    if own is None or own.path == runner.folder:
        return []
    if runner.glue:
        return [(Path(place), path) for place, path in runner.glue.copies]
    table = runner.file.own
    endings = tuple(table.modules) if table else ()
    if package := _package(runner):
        modules = [each for each in inside(package) if each.name.endswith(endings)]
        files = [*modules, *_named_in(modules, package, endings)]
        return [(_OWN / each.relative_to(package.parent), each) for each in files]
    if own.path.is_file():
        path = Path(os.path.abspath(own.path))
        named = _named_in([path], path, endings)
        near = [(_OWN / each.relative_to(path.parent), each) for each in named]
        first = place(path)
        return [(first, path), *(each for each in near if each[0] != first)]
    return [(_OWN / each.relative_to(own.path), each) for each in inside(own.path)]


def own_words(runner: Runner) -> dict[Path, bytes]:
    """What a build is told of the user's code besides its files: glue; or the function to measure;
    in a package the module that has it; and how a file is called, for functions that have no name.
    Versions that are to be compared have the same: they are told apart by labels.
    """
    if runner.glue:
        told = {**runner.glue.texts, **runner.glue.verbatim}
        return {Path(place): os.fsencode(text) for place, text in told.items()}
    own, package = runner.own, _package(runner)
    if own is None:
        return {}
    name = own.path.stem if own.path.is_file() and not own.label else ""
    words = {"function": own.function, "name": name}
    if package:
        path = Path(os.path.abspath(own.path)).relative_to(package.parent)
        parts = path.parts if own.path.is_dir() else path.with_suffix("").parts
        words["module"] = ".".join(each for each in parts if each != "__init__")
    return {Path(_OWN, f"{name}.txt"): os.fsencode(text) for name, text in words.items() if text}


def _package(runner: Runner) -> Path | None:
    """The outermost folder of the package that the user's code is, or is in; None if it is none."""
    own, table = runner.own, runner.file.own
    if own is None or table is None or table.packages is None:
        return None
    path, name = Path(os.path.abspath(own.path)), table.packages
    above = [path, *path.parents] if path.is_dir() else path.parents
    folders = list(takewhile(lambda each: (each / name).is_file(), above))
    return folders[-1] if folders else None


def _named_in(files: Sequence[Path], code: Path, endings: tuple[str, ...]) -> list[Path]:
    """The modules that lie beside this code and that its files name, and those that they name:
    files with these endings, and all such files of a folder. To copy one that it does not import
    does no harm.
    """
    if not endings:
        return []
    near = {each for each in code.parent.iterdir() if _has_modules(each, endings)} - {code}
    found, unread = [], [*files]
    while unread:
        words = set(_WORD.findall(_content(unread.pop()).decode("utf-8", errors="ignore")))
        named = {each for each in near if each.name.partition(".")[0] in words}
        near -= named
        files = [file for each in named for file in (inside(each) if each.is_dir() else [each])]
        new = [each for each in files if each.name.endswith(endings)]
        found += new
        unread += new
    return found


def _has_modules(path: Path, endings: tuple[str, ...]) -> bool:
    """Whether it is a module, or a folder with one at most a folder down: others may be large."""
    within = (each for depth in ("*", "*/*") for each in path.glob(depth))
    return any(each.is_file() and each.name.endswith(endings) for each in chain([path], within))


def inside(folder: Path) -> list[Path]:
    """The files of a folder and of those in it, but not of what is hidden or made by tools."""
    found = []
    for each in folder.rglob("*"):
        above = each.relative_to(folder).parts[:-1]
        if each.is_file() and not any(part in _LEFT_OUT or part[0] == "." for part in above):
            found.append(each)
    return found
