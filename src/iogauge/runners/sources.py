"""The sources of a runner, and what a build of them is known by."""

from __future__ import annotations

import hashlib
import json
import re
from itertools import chain
from pathlib import Path

from iogauge.model.errors import UserError
from iogauge.runners.manifest import Runner

_OWN = "own"  # the folder of the user's code in a build
_LEFT_OUT = {"__pycache__", "node_modules", "site-packages", "target", "build"}
_WORD = re.compile(r"[\w-]+")


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
        table = runner.file.own
        files = _named_in(own.path, tuple(table.modules)) if table else []
        first, folder = place(own.path), own.path.parent
        near = [(_OWN / each.relative_to(folder), each) for each in files]
        return [(first, own.path), *(each for each in near if each[0] != first)]
    return [(_OWN / each.relative_to(own.path), each) for each in _inside(own.path)]


def _named_in(code: Path, endings: tuple[str, ...]) -> list[Path]:
    """The modules that lie beside this code and that it names, and those that they name: files with
    these endings, and all such files of a folder. To copy one that it does not import does no harm.
    """
    if not endings:
        return []
    near = {each for each in code.parent.iterdir() if _has_modules(each, endings)}
    found, unread = [], [code]
    near.discard(code)
    while unread:
        words = set(_WORD.findall(unread.pop().read_text("utf-8", errors="ignore")))
        named = {each for each in near if each.name.partition(".")[0] in words}
        near -= named
        files = [file for each in named for file in (_inside(each) if each.is_dir() else [each])]
        new = [each for each in files if each.name.endswith(endings)]
        found += new
        unread += new
    return found


def _has_modules(path: Path, endings: tuple[str, ...]) -> bool:
    """Whether it is a module, or a folder with one in it or one folder further down: a folder of
    data that the code names, too, may be large.
    """
    inside = (each for depth in ("*", "*/*") for each in path.glob(depth))
    return any(each.is_file() and each.name.endswith(endings) for each in chain([path], inside))


def _inside(folder: Path) -> list[Path]:
    """The files of a folder and of those in it, but not of what is hidden or made by tools."""
    return [
        each
        for each in folder.rglob("*")
        if each.is_file()
        and not any(
            part in _LEFT_OUT or part.startswith(".")
            for part in each.relative_to(folder).parts[:-1]
        )
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
