"""The sources of a runner, and what a build of them is known by."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from iogauge.model.errors import UserError
from iogauge.runners.manifest import Runner

_OWN = "own"  # the folder of the user's code in a build
_LEFT_OUT = {"__pycache__", "node_modules", "target", "build"}


def input_files(runner: Runner) -> list[tuple[Path, Path]]:
    """What a build reads: each file, after its place in the build. Raises UserError for one that is
    not there.
    """
    declared = [(path.relative_to(runner.folder), path) for path in _declared(runner)]
    return sorted([*declared, *own_files(runner)])


def place(path: Path) -> Path:
    """Where a file of the user's lies in a build."""
    return Path(_OWN, f"code{path.suffix}")


def own_files(runner: Runner) -> list[tuple[Path, Path]]:
    """The user's code, as in `input_files`. A file has the same name in every build, so that two
    versions are called by paths of the same length.
    """
    own = runner.own
    if own is None or own.path == runner.folder:
        return []
    if own.path.is_file():
        return [(place(own.path), own.path)]
    inside = [each.relative_to(own.path) for each in own.path.rglob("*") if each.is_file()]
    return [
        (_OWN / each, own.path / each)
        for each in inside
        if not any(part in _LEFT_OUT or part.startswith(".") for part in each.parts[:-1])
    ]


def _declared(runner: Runner) -> list[Path]:
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
    return files


def identity(runner: Runner, compiler: str) -> str:
    """A hash of a runner's sources, the version of the compiler and all that it is told. It is the
    same on every host, wherever the compiler is installed.
    """
    digest = hashlib.sha256()
    digest.update(runner.file.build.model_dump_json(exclude={"layouts", "seconds"}).encode())
    digest.update(json.dumps(runner.file.environment).encode())
    digest.update(compiler.encode())
    for place, path in input_files(runner):
        digest.update(str(place).encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]
