"""`iogauge command`: whole commands as black boxes, compared like anything else."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from iogauge import outputs
from iogauge.commands import measuring
from iogauge.commands.arguments import CommandOptions
from iogauge.commands.exits import DONE, INTERRUPTED, SOMETHING_FAILED
from iogauge.commands.options import command_caches, command_lines, one_of, planned, recorded, sizes
from iogauge.commands.output import (
    console,
    measurable,
    print_next,
    print_run_file,
    resume_command,
    say,
    say_skipped,
)
from iogauge.corpus.own_file import OwnFile
from iogauge.measuring import session
from iogauge.measuring.session import Prepared
from iogauge.model.errors import BrokenOff, UserError
from iogauge.model.strategy import Strategy
from iogauge.model.text import shell_path
from iogauge.model.workload import Cache, Content
from iogauge.outputs.document import Document
from iogauge.planning import plan
from iogauge.runfile.run import Run
from iogauge.runners import commands as whole
from iogauge.runners.preparing import Ready
from iogauge.study.groups import Cases, GroupTable, Rounds
from iogauge.study.loading import problems_of
from iogauge.study.schema import Study

_NAME = "the commands"  # what messages call the study
_SIZE, _BUDGET = "16M", 30.0  # of the file that is made; seconds


def command(
    commands: Sequence[str],
    given: CommandOptions,
    directory: Path | None,
    out: Path | None,
    resume: Path | None,
) -> int:
    """Measure whole commands: all of them on each file, one file after another."""
    paths = given.file or []
    if paths and given.size:
        raise UserError("--size makes a file; leave it out, or --file")
    if out and len(paths) > 1:
        raise UserError("--out names one run file; give one --file with it")
    if out and (out.exists() or not out.parent.is_dir()):
        raise UserError(f"--out {out}: exists already, or its folder does not; give another")
    one_of("--content", given.content, ("bytes", "text"))
    lines, caches = command_lines(commands, given), command_caches(given)
    strategies, words = whole.strategies(lines), given.words(commands)
    if resume:
        return _resumed(resume, given, strategies, words, session.data_folder(directory), out)
    lengths, folder = sizes("--size", given.size or _SIZE), session.data_folder(directory)
    files = [OwnFile(each) for each in paths]
    by_shell = [repr(each.title) for each in strategies if each.command and each.command.run.shell]
    if by_shell:
        say(f"run by sh, whose start is in the time: {', '.join(by_shell)}")
    worst = DONE
    each_file: Sequence[OwnFile | None] = files or [None]
    for own in each_file:
        able = measurable(caches, own.size if own else max(lengths), own)
        if not able:
            raise UserError("nothing is left to measure; give another file, or another --cache")
        content = "own" if own else cast(Content, given.content)
        made = _study(strategies, lines, content, [own.size] if own else lengths, able)
        prepared = _prepared(made, strategies, given)
        say_skipped(prepared.plan)
        status = _measured(
            prepared, folder, out, {"command": words, **recorded(given.planned)}, own
        )
        if status == INTERRUPTED:
            return status
        worst = max(worst, status)
    return worst


def _study(
    strategies: Sequence[Strategy],
    lines: whole.Given,
    content: Content,
    lengths: Sequence[int],
    caches: Sequence[Cache],
) -> Study:
    """One group, which compares all commands with all values of their parameters."""
    values = lines.parameters
    cases = [
        Cases.of(each.name, {name: values[name] for name in each.parameters}) for each in strategies
    ]
    with problems_of(_NAME):
        group = GroupTable(
            id="commands",
            question="Which command is fastest?",
            size=list(lengths),
            content=[content],
            cache=list(caches),
            consume=["none"],
            case=cases,
        )
        rounds = Rounds(warm=5, cold=3)
        return Study(id="commands", title="Whole commands", rounds=rounds, group=[group])


def _prepared(study: Study, strategies: Sequence[Strategy], given: CommandOptions) -> Prepared:
    ready, options = whole.ready(strategies), planned(given.planned)
    if options.budget is None:
        options = replace(options, budget=_BUDGET)
    made = plan.make(study, _NAME, session.machine([ready.runtime], []), options)
    return Prepared(study, made, [ready])


def _measured(
    prepared: Prepared, folder: Path, out: Path | None, kept: dict[str, Any], own: OwnFile | None
) -> int:
    with _file_may_be_gone(own):
        run, path, reason = measuring.measured(prepared, folder, kept, out=out, own=own)
    if own:
        print(f"{shell_path(own.given)}:")
    return _finished(run, path, reason)


def _resumed(
    resume: Path,
    given: CommandOptions,
    strategies: Sequence[Strategy],
    words: list[str],
    folder: Path,
    out: Path | None,
) -> int:
    """Resume a run of these commands, which the user names again: what a file names never runs."""
    if given.file:
        raise UserError(
            "--resume: a run of a file of yours cannot be resumed, because its path is not on "
            "record; measure anew"
        )
    if out:
        raise UserError("--resume writes into the run that it resumes; leave out --out")
    kept, ready = recorded(given.planned), whole.ready(strategies)
    options = measuring.header_of(resume).options
    for name in ("precision", "tolerance"):
        if kept[name] not in (None, options.get(name)):
            raise UserError(f"--{name}: --resume takes that of the run; leave it out")

    def same(run: Run, path: Path) -> list[Ready]:
        return [session.same_commands(run, words, ready, path)]

    with _file_may_be_gone(None):
        done = measuring.resumed(resume, same, folder, planned(given.planned).budget)
    return _finished(*done)


@contextlib.contextmanager
def _file_may_be_gone(own: OwnFile | None) -> Iterator[None]:
    """Say that a command removed the file, where that is why measuring ended."""
    try:
        yield
    except (OSError, UserError) as error:
        cause = error.__context__ if isinstance(error, UserError) else error
        if not isinstance(cause, FileNotFoundError):
            raise
        if own and own.path.exists():
            raise
        raise BrokenOff(
            "a command removed the file that it was to read, so nothing else can be measured; "
            "leave that command out, or have it work on a copy"
        ) from None


def _finished(run: Run, path: Path, reason: str) -> int:
    """Print the answers, the next commands and the run file; the exit status of a run."""
    document = Document(run, go_on=resume_command(path, run))
    console().print(outputs.renderer("answers")(document))
    print_next(document, path)
    printed = print_run_file(path)
    if reason == "interrupted":
        go_on = resume_command(path, run)
        say(f"interrupted; resume with:\n{go_on}" if go_on else "interrupted")
        return INTERRUPTED
    return SOMETHING_FAILED if document.report.failures or not printed else DONE
