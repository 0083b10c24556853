"""What must be the same where a run is gone on with, or its cases are carried out once more."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from iogauge import __version__
from iogauge.model.errors import UserError
from iogauge.model.strategy import Runtime
from iogauge.runfile.pooling import Place, pool_key
from iogauge.runfile.run import Run
from iogauge.runners import finding, manifest, preparing
from iogauge.runners.finding import Choice, Choices
from iogauge.runners.preparing import Ready
from iogauge.study import loading

Say = Callable[[str], None]


def same_place(run: Run, facts: dict[str, Any], path: Path) -> None:
    """Raises UserError where a run was measured on another host or file system."""
    there = pool_key(run.header).place
    host = run.header.host
    was = {"kernel": host["kernel"], **there._asdict()}
    here = Place(facts["identity"], facts["file_system"])
    now = {"kernel": facts["kernel"], **here._asdict()}
    for limit in ("usable_cores", "memory_limit_bytes"):  # the identity says only that they differ
        was[limit], now[limit] = host.get(limit), facts[limit] if limit in host else None
    for key in ("usable_cores", "memory_limit_bytes", "identity", "kernel", "file_system"):
        if now[key] != was[key]:
            raise UserError(
                f"{path}: cannot be resumed here: host.{key} was {was[key]}, is {now[key]}; "
                "measure anew"
            )


def same_study(run: Run, name: str | None, path: Path) -> None:
    """Raises UserError for a run of another study, or of another version of it or of iogauge."""
    name = name or (run.plan.study if run.plan.study in loading.built_in_ids() else None)
    if name and (study := loading.load(name)).id != run.plan.study:
        raise UserError(f"{path}: is a run of the study {run.plan.study}; leave {name} out")
    if name and study.source_text != run.header.study_source:
        changed = f"the study {name} has changed since; measure anew"
        raise UserError(f"{path}: cannot be resumed: {changed}")
    if run.header.iogauge != __version__:
        raise UserError(
            f"{path}: cannot be resumed: measured by iogauge {run.header.iogauge},"
            f" this is {__version__}; measure anew"
        )


def no_commands(run: Run, path: Path, what: str) -> None:
    """Raises UserError for a run of whole commands: what a file names does not run."""
    declared = (one for each in run.header.runtimes for one in each.strategies.values())
    if any(each.command for each in declared):
        instead = (
            "give them to iogauge command again, with --resume"
            if what == "resumed"
            else "strace -c -f COMMAND counts the calls of one"
        )
        raise UserError(
            f"{path}: cannot be {what} so: its commands run only where you name them yourself; "
            f"{instead}"
        )


def same_commands(run: Run, words: Sequence[str], ready: Ready, path: Path) -> Ready:
    """The runner of whole commands, where the `words` of the user name those of the run. Raises
    UserError.
    """
    for known in run.header.runtimes:
        theirs = {name: each.command for name, each in known.strategies.items()}
        ours = {name: each.command for name, each in ready.runtime.strategies.items()}
        if known.runner != ready.runtime.runner:
            raise UserError(f"{path}: is no run of whole commands; use iogauge run --resume")
        if theirs != ours or run.header.options.get("command") != [*words]:
            raise UserError(
                f"{path}: is a run of other commands, or with other options; give its own again"
            )
        if known.build != ready.runtime.build:
            raise UserError(f"{path}: cannot be resumed: iogauge has changed since; measure anew")
    return ready


def same_runtimes(
    run: Run, needed: set[str], chosen: Choices, path: Path, say: Say, what: str
) -> list[Ready]:
    """Runtimes of the run, found again: same names, same builds of their runners. Raises
    UserError."""
    wanted = {each.name: each for each in run.header.runtimes if each.name in needed}
    no_commands(run, path, what)
    builds = pool_key(run.header).builds
    names = {each.runner for each in wanted.values()}
    available: list[Ready] = []
    broken: dict[str, str] = {}
    for runner in (each for each in manifest.all_runners() if each.name in names):
        if runner.name not in chosen and (shipped := _prebuilt(runner, wanted, builds)):
            available += shipped
            continue
        choices = chosen.get(runner.name) or _likely(
            runner, {each.version for each in wanted.values()}
        )
        given = {runner.name: choices} if choices else {}
        ready, missing = preparing.prepare(given, say, [runner])
        available += ready
        broken |= {each.name: each.why for each in missing if each.broken}
    found = {each.runtime.name: each for each in available}
    for name, known in wanted.items():
        if name not in found and known.runner in broken:
            raise UserError(f"{path}: cannot be {what}: {broken[known.runner]}")
        if name not in found:
            where = f"; say where with --runtime {known.chosen_as}=PATH"
            raise UserError(f"{path}: cannot be {what}: {name} is not found here any more{where}")
        if found[name].runtime.build != builds[name]:
            changed = f"the {known.runner} runner has changed since; measure anew"
            raise UserError(f"{path}: cannot be {what}: {changed}")
    return [found[name] for name in wanted]


def _prebuilt(
    runner: manifest.Runner, wanted: Mapping[str, Runtime], builds: Mapping[str, str]
) -> list[Ready]:
    """What a prebuilt runner gives of the wanted runtimes, where it is what all of this runner were
    measured with: a toolchain that was found since is not asked then.
    """
    due = {each.name for each in wanted.values() if each.runner == runner.name}
    found = [each for each in preparing.prebuilt_of(runner) if each.runtime.name in due]
    same = {each.runtime.name for each in found if each.runtime.build == builds[each.runtime.name]}
    return found if same == due else []


def _likely(runner: manifest.Runner, versions: set[str]) -> list[Choice]:
    """The executables of the runtimes found here that have one of these versions, or of all where
    none has. Of several of one version it is the first, which a run would have measured.
    """
    first: dict[str, finding.Installed] = {}
    for each in finding.installed(runner):
        first.setdefault(each.version, each)
    same = [each for version, each in first.items() if version in versions] or first.values()
    return [Choice(str(each.executable)) for each in same]
