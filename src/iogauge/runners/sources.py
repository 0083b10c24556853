"""The sources of a runner, and what a build of them is known by."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from iogauge.model.errors import UserError
from iogauge.runners.manifest import Runner


def input_files(runner: Runner) -> list[Path]:
    """What a build reads. Raises UserError for a file that is not there."""
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


def identity(runner: Runner, compiler: str) -> str:
    """A hash of a runner's sources, the version of the compiler and all that it is told. It is the
    same on every host, wherever the compiler is installed.
    """
    digest = hashlib.sha256()
    digest.update(runner.file.build.model_dump_json(exclude={"layouts", "seconds"}).encode())
    digest.update(json.dumps(runner.file.environment).encode())
    digest.update(compiler.encode())
    for path in input_files(runner):
        digest.update(str(path.relative_to(runner.folder)).encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]
