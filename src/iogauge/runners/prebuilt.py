"""Runners that were built elsewhere and lie in the folder `prebuilt` beside their manifest: a wheel
has them inside. They are used where no toolchain is found.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ValidationError

from iogauge.model import folders
from iogauge.runners.building import Candidate, identity
from iogauge.runners.finding import Choice, Installed, installed
from iogauge.runners.manifest import Runner

FOLDER, ABOUT = "prebuilt", "prebuilt.json"
ANY = "any"  # machine


class About(BaseModel):
    """A `prebuilt.json`: kind of machine, version of the compiler, identity of the build."""

    machine: str
    compiler: str
    identity: str


def candidates(runner: Runner, chosen: Sequence[Choice] = ()) -> list[Candidate]:
    """What can be used where a runner cannot be built: the prebuilt one, with each runtime that
    runs it. A chosen toolchain cannot be replaced. Raises UserError for a chosen runtime that
    cannot be used.
    """
    built = _shipped(runner)
    if not built:
        return []
    if runner.file.build.builder == "newest":
        runtimes = installed(runner, chosen)
    else:
        runtimes = [] if chosen else [built]
    return [Candidate(_with_layouts(runner), each, built) for each in runtimes]


def to_install(runner: Runner) -> str:
    """What to install where a runner cannot be used: for a prebuilt one, what runs it."""
    runs = runner.file.prebuilt and runner.file.prebuilt.install
    return runs if runs and _shipped(runner) else runner.file.install


def as_prebuilt(runner: Runner) -> Runner:
    """The runner as it is built for a wheel: without what only makes a compiler work for another
    machine, because that changes nothing of the result.
    """
    commands = runner.file.prebuilt and runner.file.prebuilt.commands
    return runner if commands is None else runner.with_build(commands=commands)


def for_machine(runner: Runner, machine: str) -> Runner:
    """The runner as this host builds it for a kind of machine."""
    own, table = _with_layouts(as_prebuilt(runner)), runner.file.prebuilt
    more = table.machines.get(machine, {}) if table else {}
    return own.with_build(environment={**own.file.build.environment, **more})


def _shipped(runner: Runner) -> Installed | None:
    """The prebuilt runner, if it is for this machine and of these sources."""
    table, folder = runner.file.prebuilt, runner.folder / FOLDER
    try:
        about = About.model_validate_json((folder / ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValidationError):
        return None
    if not table or about.machine not in (ANY, platform.machine()):
        return None
    if about.identity != identity(as_prebuilt(runner), about.compiler):
        return None
    linked = _linked(runner, folder, about)
    files = [path for name in table.files for path in sorted(linked.glob(name))]
    if not files:
        return None
    return Installed(files[0], linked, about.compiler, prebuilt=linked, identity=about.identity)


def _linked(runner: Runner, folder: Path, about: About) -> Path:
    """A folder among our builds with links to the files. What is learnt of a build is kept beside
    it, which must not be among the files of an installation. Where links cannot be made, the folder
    itself.
    """
    files = sorted(each.name for each in folder.iterdir())  # of another wheel perhaps more
    place = hashlib.sha256(f"{folder}: {files}".encode()).hexdigest()[:6]
    target = folders.cache() / "runners" / f"{runner.name}-{about.identity}-{place}"
    if target.is_dir():
        return target
    with contextlib.suppress(OSError):
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(suffix=".partial", dir=target.parent))
        try:
            for name in files:
                os.symlink(folder / name, scratch / name)
            scratch.rename(target)  # fails where another iogauge was quicker
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return target if target.is_dir() else folder


def _with_layouts(runner: Runner) -> Runner:
    """The runner with as many layouts as a wheel has."""
    table = runner.file.prebuilt
    return runner.with_build(layouts=table.layouts) if table and table.layouts else runner
