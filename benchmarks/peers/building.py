"""Builds in iogauge's cache folder, one per state of their inputs. The source tree stays clean."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from iogauge.model import folders
from iogauge.runners.programs import Variables, environment

from .running import run

HERE = Path(__file__).parent
Sources = Mapping[str, Path]  # a file's name in the build, and where it is now


def folder_files(folder: Path, names: Iterable[str] = (".",), below: str = "") -> dict[str, Path]:
    """The files of a folder, or of the files and folders in it that are named, as sources that lie
    in the build's folder `below`.
    """
    found = {}
    for name in names:
        path = folder / name
        for each in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if each.is_file():
                found[os.path.join(below, each.relative_to(folder))] = each
    return found


def built(
    name: str,
    sources: Sources,
    commands: Sequence[Sequence[str]] = (),
    variables: Variables | None = None,
    made_with: str = "",
) -> Path:
    """The folder that holds the sources and what the commands, run in it, make of them; made unless
    it is there.

    `made_with` says what else decides the result. Raises UserError.
    """
    variables = variables or {}
    target = folders.cache() / "peers" / f"{name}-{_state(sources, commands, variables, made_with)}"
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f"{name}-", suffix=".partial", dir=target.parent))
    try:
        for place, path in sources.items():
            copy = scratch / place
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        for command in commands:
            run(f"building {name}", command, environment(variables), scratch)
        try:
            scratch.rename(target)
        except OSError:
            if not target.is_dir():  # else another process was quicker, with the same result
                raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return target


def _state(
    sources: Sources,
    commands: Sequence[Sequence[str]],
    variables: Variables,
    made_with: str,
) -> str:
    digest = hashlib.sha256(
        repr((list(map(list, commands)), sorted(variables.items()), made_with)).encode()
    )
    for place, path in sorted(sources.items()):
        digest.update(place.encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]
