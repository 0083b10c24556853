"""Runtimes on this host that a runner can use. Knows no language by name."""

from __future__ import annotations

import glob
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from iogauge.model.errors import UserError
from iogauge.model.strategy import chosen_as
from iogauge.model.text import visible
from iogauge.runners import programs
from iogauge.runners.manifest import Runner, RuntimeTable
from iogauge.runners.programs import environment

_VERSION_SECONDS = 15  # for a runtime to tell its version; all are asked side by side
_LONGEST_LINE = 200  # characters that are quoted of what another program printed


@dataclass(frozen=True)
class Choice:
    """A runtime that the user chose by its path: its home folder or its executable. With a `label`
    of theirs, two builds of one version can be told apart.
    """

    path: str
    label: str = ""

    def given(self, runner: Runner) -> str:
        """As the command line has it."""
        return f"--runtime {chosen_as(runner.name, self.label)}={self.path}"


Choices = Mapping[str, Sequence[Choice]]
"""The chosen runtimes by the name of their runner."""


@dataclass(frozen=True)
class Installed:
    """A runtime found on this host: its executable, home folder, version, and the label under which
    it was chosen. The `kind` tells runtimes of one runner and version apart: `gcc`, `clang`.

    A runner that was built elsewhere, `prebuilt` in that folder, stands in the place of the runtime
    that builds it. Where the language's runtime is compiled into the runner, it is the runtime as
    well, in the version of the compiler. `identity` is that of the build.
    """

    executable: Path
    home: Path
    version: str
    label: str = ""
    kind: str = ""
    prebuilt: Path | None = None
    identity: str = ""

    def name(self, runner: Runner) -> str:
        """What the runtime is called in a run: `jvm-17.0.15`, `c-gcc-12.2.0`, or `jvm-new`."""
        own = runner.own.label if runner.own else ""
        return f"{runner.name}-{self.label or own or self.release}"

    @property
    def release(self) -> str:
        """The version; behind the kind, where that tells it from others."""
        return f"{self.kind}-{self.version}" if self.kind else self.version


def installed(runner: Runner, chosen: Sequence[Choice] = ()) -> list[Installed]:
    """Runtimes on this host that the runner can use, in the order of its candidates; or the chosen
    ones alone, in their order.

    Raises UserError for a path that cannot be used.
    """
    return look(runner, chosen)[0]


def look(runner: Runner, chosen: Sequence[Choice] = ()) -> tuple[list[Installed], str | None]:
    """What `installed` gives, and where that is nothing, why: a part of a sentence.

    An executable is called by the name under which it is found, never by what this links to: a
    launcher that stands for many programs knows from its name what to launch. Raises UserError for
    a path that cannot be used.
    """
    table = runner.file.runtime
    paths = [_chosen(runner, each) for each in chosen] or _found(table)
    asked = programs.side_by_side(partial(_version, path, runner) for path in paths)
    usable: dict[object, Installed] = {}
    silent: list[str] = []
    for number, (path, answer) in enumerate(zip(paths, asked, strict=True)):
        choice = chosen[number] if chosen else None
        version, said = answer.result()
        if version and version_key(version) >= version_key(table.minimum):
            label = choice.label if choice else _label(table, path, version)
            found = _described(path, version, said or "", label, runner)
            # One that is found through two launchers, or two links, is one.
            same = number if choice else (found.home.resolve(), found.version, found.kind)
            usable.setdefault(same, found)
            continue
        problem = f"is version {version}; at least {table.minimum} is needed"
        if version is None:
            problem = _no_version(table, said)
            silent.append(f"{path} {problem}")
        if choice:
            given = Choice(str(path), choice.label).given(runner)
            raise UserError(f"{given}: {problem}; iogauge list runtimes shows what is here")
    if usable:
        return list(usable.values()), None
    none = f"no {Path(table.executable).name} {table.minimum} or newer"
    return [], f"{none} ({silent[0]})" if silent else none


def _found(table: RuntimeTable) -> list[Path]:
    """The executables that the candidates name, each file once for each of its names."""
    found: dict[tuple[Path, str], Path] = {}
    for candidate in table.candidates:
        for path in _matches(candidate):
            found.setdefault((path.resolve(), path.name), path.absolute())
    if packaged := _packaged(table):
        found.setdefault((packaged.resolve(), packaged.name), packaged)
    return list(found.values())


def _packaged(table: RuntimeTable) -> Path | None:
    """The executable of the runtime that a Python package has inside."""
    package, _, home = (table.package or "").partition("/")
    found = find_spec(package) if package else None
    if not found or not found.origin:
        return None
    path = Path(found.origin).parent / home / table.executable
    return path if path.is_file() else None


def _label(table: RuntimeTable, path: Path, version: str) -> str:
    """That of a runtime in a Python package has the name of the package; others have none."""
    package = (table.package or "").partition("/")[0]
    return f"{package}-{version}" if package and path == _packaged(table) else ""


def _described(path: Path, version: str, said: str, label: str, runner: Runner) -> Installed:
    """The runtime that was found as `path` and said this. Behind a launcher, which may choose
    another one in another folder, its own executable is started, if that works alone.
    """
    table = runner.file.runtime
    kind = re.search(table.kind, said, re.MULTILINE) if table.kind else None
    home = _home(path, table, said)
    own = home / table.executable
    if own.exists() and not own.samefile(path) and _version(own, runner)[0] == version:
        path = own
    return Installed(path, home, version, label, kind[1] if kind else "")


def _home(path: Path, table: RuntimeTable, said: str) -> Path:
    """The home folder as the runtime tells it, because that of a launcher is not to be seen from
    its path; or from its path, all links followed unless they lead to a launcher.
    """
    match = table.home and re.search(table.home, said, re.MULTILINE)
    if match and ((home := Path(match[1].strip())) / table.executable).exists():
        return home.resolve()
    for each in (path.resolve(), path):
        if str(each).endswith(f"/{table.executable}"):
            return Path(str(each).removesuffix(table.executable))
    return path.resolve().parent


def _no_version(table: RuntimeTable, said: str | None) -> str:
    """Ends a sentence with what was said instead: launchers say here that nothing is installed."""
    asked = " ".join(table.version)
    if said is None:
        return f"does not answer {asked!r} within {_VERSION_SECONDS} s"
    first = visible(next((line.strip() for line in said.splitlines() if line.strip()), ""))
    return f"does not say its version to {asked!r}" + (
        f", but: {shortened(first)}" if first else ""
    )


def shortened(line: str) -> str:
    """A line of another program's output, cut where it is long."""
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…"


def version_key(version: str) -> tuple[int, ...]:
    """The numbers of a version, to compare it with others: `17.0.15` → (17, 0, 15)."""
    return tuple(int(number) for number in re.findall(r"\d+", version))


def _chosen(runner: Runner, choice: Choice) -> Path:
    given = Path(choice.path).expanduser().absolute()
    executable = given / runner.file.runtime.executable if given.is_dir() else given
    if not (executable.is_file() and os.access(executable, os.X_OK)):
        raise UserError(
            f"{choice.given(runner)}: no {runner.file.runtime.executable} there; give the home "
            "folder of the runtime, or its executable"
        )
    return executable


def _matches(candidate: str) -> Iterable[Path]:
    """The executables on this host that a candidate of runner.toml names."""
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


def _version(path: Path, runner: Runner) -> tuple[str | None, str | None]:
    """The version of an executable, or None, and all that it said, or None where it did not answer
    in time.
    """
    table = runner.file.runtime
    variables = environment(runner.file.environment, table.environment)
    command, merged = [str(path), *table.version], subprocess.STDOUT
    try:
        # Some launchers choose a version by the files of the current folder.
        status, said = programs.output(
            command, _VERSION_SECONDS, env=variables, cwd="/", stderr=merged
        )
    except OSError:  # not for this machine, or no program at all
        return None, ""
    match = None if status is None else re.search(table.pattern, said)
    return (match[1] if match else None), (None if status is None else said)
