"""Runtimes on this host that a runner can use. Knows no language by name."""

from __future__ import annotations

import glob
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from iogauge.model.errors import UserError
from iogauge.model.strategy import chosen_as
from iogauge.model.text import visible
from iogauge.runners.manifest import Runner, RuntimeTable

_MOST_SAID = 200  # characters, of what a runtime says instead of its version


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
    it was chosen.
    """

    executable: Path
    home: Path
    version: str
    label: str = ""

    def name(self, runner: Runner) -> str:
        """What the runtime is called in a run: `jvm-17.0.15`, or `jvm-new`."""
        return f"{runner.name}-{self.label or self.version}"


def installed(runner: Runner, chosen: Sequence[Choice] = ()) -> list[Installed]:
    """Runtimes on this host that the runner can use, in the order of its candidates; or the chosen
    ones alone, in their order.

    Raises UserError for a path that cannot be used.
    """
    table = runner.file.runtime
    if chosen:
        paths = [_chosen(runner, each) for each in chosen]
    else:
        paths = list(
            dict.fromkeys(found.resolve() for each in table.candidates for found in _matches(each))
        )
    usable = []
    for number, (version, said) in enumerate(_versions(paths, table)):
        path, choice = paths[number], chosen[number] if chosen else None
        if version is None:
            problem = _no_version(table, said)
        elif version_key(version) < version_key(table.minimum):
            problem = f"is version {version}; at least {table.minimum} is needed"
        else:
            label = choice.label if choice else ""
            usable.append(Installed(path, _home(path.resolve(), table), version, label))
            continue
        if choice:
            given = Choice(str(path), choice.label).given(runner)
            raise UserError(f"{given}: {problem}; iogauge list runtimes shows what is here")
    return usable


def _home(real: Path, table: RuntimeTable) -> Path:
    """The home folder of a runtime with this executable, all links of its path followed."""
    inside = str(real).endswith(table.executable)
    return Path(str(real).removesuffix(table.executable)) if inside else real.parent


def _no_version(table: RuntimeTable, said: str) -> str:
    """A sentence's end that quotes what was said instead. Launchers that choose among installations
    say here that there is none.
    """
    first = visible(next((line.strip() for line in said.splitlines() if line.strip()), ""))
    first = first if len(first) <= _MOST_SAID else f"{first[:_MOST_SAID]}…"
    return f"does not say its version to {' '.join(table.version)!r}" + (
        f", but: {first}" if first else ""
    )


def why_none(runner: Runner) -> str:
    """Why no runtime here can be used. Each is started by the name by which it was found, because
    a launcher knows from its name what to launch.
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


def _versions(paths: list[Path], table: RuntimeTable) -> list[tuple[str | None, str]]:
    """Per executable its version, or None, and all that it said. All are started before the first
    is waited for, because some take a while.
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
            encoding="utf-8",
            errors="replace",
            cwd="/",  # some launchers choose a version by the files of the current folder
        )
    except OSError:  # not for this machine, or no program at all
        return None
