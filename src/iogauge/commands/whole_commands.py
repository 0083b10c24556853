"""`iogauge command`: whole commands as black boxes, compared like anything else."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from iogauge import outputs
from iogauge.commands import looking
from iogauge.commands.exits import DONE, INTERRUPTED, SOMETHING_FAILED
from iogauge.commands.options import CommandOptions, one_of, sizes
from iogauge.commands.output import (
    NEWEST,
    console,
    go_on_with,
    print_next,
    print_run_file,
    say,
    say_skipped,
)
from iogauge.commands.statuses import JUDGE
from iogauge.corpus.own_file import OwnFile
from iogauge.host import capacity
from iogauge.measuring import sameness, session
from iogauge.measuring.session import Prepared
from iogauge.model.errors import BrokenOff, UserError
from iogauge.model.strategy import Strategy
from iogauge.model.text import shell_path
from iogauge.model.units import size
from iogauge.model.workload import Cache, Content
from iogauge.outputs.document import Document
from iogauge.planning import plan
from iogauge.runfile import header as headers
from iogauge.runfile.run import Run
from iogauge.runners import commands as whole
from iogauge.study.groups import Cases, GroupTable, Rounds
from iogauge.study.loading import problems_of
from iogauge.study.schema import Study

_SIZE, _BUDGET = "16M", 30.0  # of the file that is made; seconds
_CONTENTS = ("bytes", "text")


def command(asked: CommandOptions, directory: Path | None, out: Path | None) -> int:
    """Measure whole commands: all of them on each file, one file after another."""
    if asked.files and asked.size:
        raise UserError("--size makes a file; leave it out, or --file")
    if out and len(asked.files) > 1:
        raise UserError("--out names one run file; give one --file with it")
    if out and (out.exists() or not out.parent.is_dir()):
        raise UserError(f"--out {out}: exists already, or its folder does not; give another")
    one_of("--content", asked.content, _CONTENTS)
    strategies, caches = whole.strategies(asked.lines()), asked.caches()
    if asked.resume:
        return _resumed(asked, strategies, session.data_folder(directory), out)
    lengths, folder = sizes("--size", asked.size or _SIZE), session.data_folder(directory)
    files = [OwnFile(each) for each in asked.files]
    by_shell = [repr(each.title) for each in strategies if each.command and each.command.run.shell]
    if by_shell:
        say(f"run by sh, whose start is in the time: {', '.join(by_shell)}")
    worst = DONE
    each_file: Sequence[OwnFile | None] = files or [None]
    for own in each_file:
        measurable = _measurable(own, caches, lengths)
        prepared = _prepared(strategies, asked, own, measurable, lengths)
        say_skipped(prepared.plan)
        recorded = {"command": asked.words(), **asked.run.recorded()}
        status = _measured(prepared, folder, out, recorded, own)
        if status == INTERRUPTED:
            return status
        worst = max(worst, status)
    return worst


def _measured(
    prepared: Prepared,
    folder: Path,
    out: Path | None,
    recorded: dict[str, Any],
    own: OwnFile | None,
) -> int:
    from iogauge.outputs.progress import Display

    shown = Display(prepared.plan, [each.runtime for each in prepared.ready])
    with shown as display, _file_may_be_gone(own):
        run, path, reason = session.measure(prepared, folder, out, recorded, display, JUDGE, own)
    if own:
        print(f"{shell_path(own.given)}:")
    return _finished(run, path, reason)


def _resumed(
    asked: CommandOptions, strategies: Sequence[Strategy], folder: Path, out: Path | None
) -> int:
    """Go on with a run of these commands, which the user names again: what a file names never
    runs.
    """
    from iogauge.outputs.progress import Display

    assert asked.resume
    if asked.files or out:
        raise UserError(
            "--resume: a run of a file of yours cannot be resumed, because its path is not on "
            "record; measure anew"
            if asked.files
            else "--resume writes into the run that it goes on with; leave out --out"
        )
    path = looking.newest(None) if str(asked.resume) == NEWEST else asked.resume
    ready, header = whole.ready(strategies), headers.read_header(path)
    budget, recorded = asked.run.parsed().budget, asked.run.recorded()
    for name in ("precision", "tolerance"):
        if recorded[name] not in (None, header.options.get(name)):
            raise UserError(f"--{name}: --resume takes that of the run; leave it out")
    with Display(header.plan, header.runtimes) as display, _file_may_be_gone(None):
        run, path, reason = session.resume(
            path,
            None,
            lambda run: [sameness.same_commands(run, asked.words(), ready, path)],
            folder,
            display,
            JUDGE,
            budget,
        )
    if reason == "decided":
        say("there is nothing left to measure in this run")
    return _finished(run, path, reason)


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
    document = Document(run, go_on=go_on_with(path, run))
    console().print(outputs.renderer("answers")(document))
    print_next(document, path)
    told = print_run_file(path)
    if reason == "interrupted":
        go_on = go_on_with(path, run)
        say(f"interrupted; resume with:\n{go_on}" if go_on else "interrupted")
        return INTERRUPTED
    return SOMETHING_FAILED if document.report.failures or not told else DONE


def _prepared(
    strategies: Sequence[Strategy],
    asked: CommandOptions,
    own: OwnFile | None,
    caches: Sequence[Cache],
    lengths: Sequence[int],
) -> Prepared:
    """The study of these commands on one file, planned."""
    ready = whole.ready(strategies)
    values = asked.lines().parameters
    with problems_of("the commands"):
        group = GroupTable(
            id="commands",
            question="Which command is fastest?",
            size=[own.size] if own else list(lengths),
            content=["own" if own else cast(Content, asked.content)],
            cache=list(caches),
            consume=["none"],
            case=[
                Cases.of(each.name, {name: values[name] for name in each.parameters})
                for each in strategies
            ],
        )
        rounds = Rounds(warm=5, cold=3)
        study = Study(id="commands", title="Whole commands", rounds=rounds, group=[group])
    options = asked.run.parsed()
    if options.budget is None:
        options = replace(options, budget=_BUDGET)
    made = plan.make(study, "the commands", session.machine([ready.runtime], []), options)
    return Prepared(study, made, [ready])


def _measurable(
    own: OwnFile | None, caches: Sequence[Cache], lengths: Sequence[int]
) -> Sequence[Cache]:
    """The states of the cache in which the file can be measured; a line for each other one."""
    memory, largest = capacity.available_memory() // 2, own.size if own else max(lengths)
    left = list(dict.fromkeys(caches))
    if "warm" in left and largest > memory:
        left.remove("warm")
        say(
            f"not measured: cached: the file, {size(largest)}, is larger than half of the memory "
            f"that is available, {size(memory)}"
        )
    if own and "cold" in left and (why := own.why_not_cold()):
        left.remove("cold")
        say(f"not measured: from disk: {why}")
    if not left:
        raise UserError("nothing is left to measure; give another file, or another --cache")
    return left
