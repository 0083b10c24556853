"""Commands that measure studies, and whole commands as black boxes, compared like anything else."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from iogauge import outputs
from iogauge.commands import arguments as arg
from iogauge.commands import gating, looking
from iogauge.commands.exits import DONE, INTERRUPTED, SOMETHING_FAILED
from iogauge.commands.options import (
    beside,
    cache_states,
    caches_of,
    changes_a_run,
    chosen_runtimes,
    command_lines,
    one_of,
    own_runners,
    planned,
    recorded,
    sizes,
    states_of_own,
)
from iogauge.commands.output import (
    NEWEST,
    console,
    measurable,
    print_next,
    print_run_file,
    program,
    resume_command,
    say,
    say_built,
    say_skipped,
)
from iogauge.commands.statuses import JUDGE
from iogauge.corpus import store
from iogauge.corpus.own_file import OwnFile
from iogauge.measuring import session
from iogauge.measuring.session import Prepared
from iogauge.model import folders
from iogauge.model.errors import BrokenOff, BuildFailed, UserError
from iogauge.model.strategy import Strategy
from iogauge.model.text import shell_path
from iogauge.model.units import size
from iogauge.model.workload import USUAL, Cache, CachedBy
from iogauge.outputs.document import Document
from iogauge.planning import plan
from iogauge.runfile import header as headers
from iogauge.runfile import writing
from iogauge.runfile.imports import recognising
from iogauge.runfile.run import Run
from iogauge.runners import commands as whole
from iogauge.runners import manifest
from iogauge.runners import own as own_code
from iogauge.runners.preparing import Ready
from iogauge.runners.runtimes import Runtimes
from iogauge.study import loading
from iogauge.study.schema import Study

_ALLOWED_BEFORE = "--max-slowdown: --resume takes that of the run; leave it out"
_COMMANDS = "the commands"  # what messages call their study
_SIZE, _BUDGET = "16M", 30.0  # of the file that is made for commands; seconds


def run(given: arg.Run) -> int:
    """Measure studies, or resume a run."""
    if given.resume:
        return _resume(given, given.resume)
    gate = gating.asked(given)
    try:
        return _run(given, gate)
    except BuildFailed as error:
        return gating.finish_unbuilt(error, gate, given.own or ())


def _run(given: arg.Run, gate: gating.Gate) -> int:
    out, folder = given.out, session.data_folder(given.directory)
    if out and len(given.asked) > 1:
        raise UserError("--out names one run file; give one study with it")
    must_be_new(out, resumes=True)
    here, prepared = prepare(given, gate, folder)
    statuses, paths = [DONE], list[Path]()
    for each in prepared:
        say_skipped(each.plan)
        fresh, extends = given.fresh_limits, given.budget is None
        done = measured(each, folder, recorded(given), out=out, fresh_limits=fresh, extends=extends)
        status = _finish(*done, given, gate)
        if status == INTERRUPTED:
            return status
        statuses += [status, SOMETHING_FAILED if each.lacks_cases else DONE]
        paths.append(done[1])
    del done
    say_built(here)
    seal(paths)
    if given.directory and (kept := store.held(folder)):
        say(
            f"data files are kept for the next run, {size(kept)} in {folder}; remove them with:\n"
            f"{program()} clean --dir {shell_path(folder)}"
        )
    return gating.worst(statuses)


def must_be_possible(given: arg.Run, gate: gating.Gate) -> list[Study]:
    """The studies that are to be measured. A mistake in any of them, or in what is asked, is
    reported before anything is looked for: raises UserError.
    """
    studies = given.asked
    if gate.max_slowdown is not None and given.protocol == "published":
        raise UserError(
            "--max-slowdown: a published procedure has no control, which tells noise from a "
            "slow-down; leave out --protocol published"
        )
    if twice := [name for name in dict.fromkeys(studies) if studies.count(name) > 1]:
        raise UserError(
            f"{twice[0]} is named twice; to measure it for longer, give a larger --budget"
        )
    return [loading.load(name) for name in studies]


def prepare(given: arg.Run, gate: gating.Gate, folder: Path) -> tuple[Runtimes, list[Prepared]]:
    """The runtimes of this machine, and the plan of each study with data files in the folder.
    Raises UserError.
    """
    must_be_possible(given, gate)
    theirs = own_runners(given)
    runners = own_code.beside(theirs, manifest.all_runners())
    chosen = chosen_runtimes(given.runtime)
    gating.must_have_two(gate, own_code.labels(theirs), chosen)
    here = session.found_here(chosen, say, runners)
    versions = gating.versions(gate, own_code.labels(theirs), chosen, here.runtimes)
    options = planned(given)
    if not options.as_published:  # such a run has no control, so versions are not its question
        options = replace(options, versions=versions)
    return here, [session.prepare(name, here, options, folder) for name in given.asked]


def must_be_new(out: Path | None, *, resumes: bool = False) -> None:
    """Raises UserError for a run file that is there, or whose folder is not."""
    if out and out.exists():
        instead = ", or --resume it" if resumes else ""
        raise UserError(f"--out {out}: exists already; give another name{instead}")
    if out and not out.parent.is_dir():
        raise UserError(f"--out {out}: {out.parent} is not a folder; give another")


def _resume(given: arg.Run, resume: Path) -> int:
    studies = given.studies or []
    if len(studies) > 1:
        raise UserError("--resume takes one run; give at most one study with it")
    if changes_a_run(given):
        raise UserError(
            "--resume takes the options of the run, except --budget; leave out --only and the like"
        )
    if given.own or given.limit:
        option = "--own" if given.own else "--limit"
        raise UserError(f"{option}: a run of code of yours cannot be resumed; measure anew")
    if given.max_slowdown:
        raise UserError(_ALLOWED_BEFORE)
    gate = gating.asked(given, resume)
    if found := folders.fleet_run(resume):
        raise UserError(
            f"--resume {resume}: a run of a fleet; add --on with its scheduler, or name one of the "
            f"run files in {shell_path(found)}"
        )
    path, same = _resumable(resume), same_runtimes(resume, given.runtime)
    folder, budget = session.data_folder(given.directory), planned(given).budget
    done = _resumed(path, same, folder, budget, next(iter(studies), None))
    status = _finish(*done, given, gate)
    del done
    if status != INTERRUPTED:
        seal([path])
    return status


def same_runtimes(path: Path, chosen: list[str] | None) -> Callable[[Run], list[Ready]]:
    """Finds the runtimes again with which a run was measured. Raises UserError."""
    choices = chosen_runtimes(chosen)

    def same(run: Run) -> list[Ready]:
        names = {each.name for each in run.header.runtimes}
        return session.same_runtimes(run, names, choices, path, say, "resumed")

    return same


def measured(
    prepared: Prepared,
    folder: Path,
    kept: dict[str, Any],
    *,
    out: Path | None = None,
    own: OwnFile | None = None,
    fresh_limits: bool = False,
    extends: bool = False,
) -> tuple[Run, Path, str]:
    """A run of what is planned, with `kept` options; its file, and why it ended. See
    session.measure.
    """
    from iogauge.outputs.progress import Display

    with Display(prepared.plan, [each.runtime for each in prepared.ready]) as display:
        return session.measure(
            prepared,
            folder,
            out,
            kept,
            display,
            JUDGE,
            own,
            fresh_limits=fresh_limits,
            extends=extends,
        )


def _resumed(
    path: Path,
    same: Callable[[Run], list[Ready]],
    folder: Path,
    budget: float | None,
    study: str | None = None,
) -> tuple[Run, Path, str]:
    """The same of a run that is resumed; `same` gives the runtimes that it was measured with."""
    from iogauge.outputs.progress import Display

    header = headers.read_header(path)
    with Display(header.plan, header.runtimes) as display:
        run, path, reason = session.resume(path, study, same, folder, display, JUDGE, budget)
    if reason == "decided":
        say("there is nothing left to measure in this run")
    return run, path, reason


def _resumable(resume: Path) -> Path:
    path = looking.newest(None) if str(resume) == NEWEST else resume
    with headers.opened(path) as file:
        if form := recognising.format_of(file):
            raise UserError(
                f"--resume {path}: {form}, which another tool measured; go on with that tool"
            )
    return path


def seal(paths: list[Path]) -> None:
    """Seal large run files whose runs have ended, so that they open quickly. This waits until
    everything is measured, as it takes both cores and the disk.
    """
    for path in paths:
        try:
            writing.seal(
                path,
                lambda length: say(
                    f"sealing {size(length)}, so that it opens quickly from here on (Ctrl-C "
                    "leaves it as it is)"
                ),
            )
        except KeyboardInterrupt:
            return
        except (OSError, UserError):  # the answers are there; without a seal it can be read, too
            continue


def _answers(run: Run, path: Path, gate: gating.Gate, runtimes: Sequence[str] = ()) -> Document:
    """Print the answers of a run."""
    go_on = resume_command(path, run, runtimes)
    document = Document(run, go_on=" ".join([go_on, *gating.words(gate)]) if go_on else "")
    console().print(outputs.renderer("answers")(document))
    return document


def _finish(run: Run, path: Path, reason: str, given: arg.Run, gate: gating.Gate) -> int:
    """Print answers, next commands and the run file; the exit status of a run."""
    document = _answers(run, path, gate, given.runtime or ())
    if given.profile:
        console().print(outputs.renderer("profile")(document))
        console().print("")
    if builds := outputs.renderer("builds")(document):
        console().print(builds, soft_wrap=True)  # a line that is pasted is not broken
    if reason == "interrupted":
        say(f"\ninterrupted; resume with:\n{document.go_on}")
        return INTERRUPTED
    print_next(document, path)
    printed = print_run_file(path)
    status = DONE if printed else SOMETHING_FAILED
    if failures := document.report.failures:
        say(f"{failures} case{'s' if failures > 1 else ''} failed; show --details says why")
        status = SOMETHING_FAILED if gating.failures(document) else status
    return gating.finish(gating.of_document(document), gate, status)


def command(given: arg.Command) -> int:
    """Measure whole commands: all of them on each file, one file after another."""
    paths, out = given.file or [], given.out
    if paths and given.size:
        raise UserError("--size makes a file; leave it out, or --file")
    if out and len(paths) > 1:
        raise UserError("--out names one run file; give one --file with it")
    must_be_new(out)
    one_of("--content", given.content, ("bytes", "text"))
    gate = gating.asked(given, given.resume)
    lines, caches = command_lines(given), caches_of(given)
    strategies, folder = whole.strategies(lines), session.data_folder(given.directory)
    if given.resume:
        return _resume_commands(given, given.resume, strategies, folder, gate)
    lengths = sizes("--size", given.size or _SIZE)
    files = [OwnFile(each) for each in paths]
    by_shell = [repr(each.title) for each in strategies if each.command and each.command.run.shell]
    if by_shell:
        say(f"run by sh, whose start is in the time: {', '.join(by_shell)}")
    for each in strategies:
        if why := whole.in_background(each):
            say(f"{each.title!r}: {why}")
    versions = gating.of_commands(gate, given.name or (), strategies)
    sides = (strategies[0].name, strategies[-1].name) if versions else None
    statuses, ready = [DONE], whole.ready(strategies)
    states = cache_states(given.cached_by) or USUAL
    if "as-left" in states and not files:
        raise UserError("--cached-by as-left is for a file of yours: give it with --file")
    kept = {"command": given.recorded, **recorded(given.planned)}
    each_file: Sequence[OwnFile | None] = files or [None]
    for known in each_file:
        own = OwnFile(known.given) if known else None  # measuring others may have moved its pages
        by = states_of_own(given.cached_by, own, folder) if own and given.cached_by else states
        untouched = "as-left" in by
        able = measurable(caches, own.size if own else max(lengths), own, untouched=untouched)
        if not able:
            raise UserError("nothing is left to measure; give another file, or another --cache")
        study = _study(
            strategies,
            lines,
            "own" if own else given.content,
            own.size if own else lengths,
            able,
            by,
        )
        options = planned(given.planned)
        budget = options.budget or (gating.SECONDS if versions else _BUDGET)
        options = replace(options, budget=budget, versions=versions, sides=sides)
        one = session.one_state(study, options, beside(own, folder) if own else folder)
        made = plan.make(study, _COMMANDS, session.machine([ready.runtime], [], one), options)
        say_skipped(made)
        with _file_may_be_gone(own):
            prepared, extends = Prepared(study, made, [ready]), given.budget is None
            done = measured(prepared, folder, kept, out=out, own=own, extends=extends)
        if own:
            print(f"{shell_path(own.given)}:")
        statuses.append(_finish_commands(*done, gate))
        if statuses[-1] == INTERRUPTED:
            break
    return gating.worst(statuses)


def _study(
    strategies: Sequence[Strategy],
    lines: whole.Given,
    content: str,
    length: int | Sequence[int],
    caches: Sequence[Cache],
    cached_by: Sequence[CachedBy],
) -> Study:
    """One group, which compares all commands with all values of their parameters."""
    cases = [
        {
            "strategy": each.name,
            "parameters": {name: list(lines.parameters[name]) for name in each.parameters},
        }
        for each in strategies
    ]
    group = {
        "id": "commands",
        "question": "Which command is fastest?",
        "size": length,
        "content": content,
        "cache": list(caches),
        **({"cached_by": list(cached_by)} if "warm" in caches else {}),
        "consume": "none",
        "case": cases,
    }
    about = {"id": "commands", "title": "Whole commands", "rounds": {"warm": 5, "cold": 3}}
    return loading.made(_COMMANDS, about, group)


def _resume_commands(
    given: arg.Command,
    resume: Path,
    strategies: Sequence[Strategy],
    folder: Path,
    gate: gating.Gate,
) -> int:
    """Resume a run of these commands, which the user names again: what a file names never runs."""
    if given.file:
        raise UserError(
            "--resume: a run of a file of yours cannot be resumed, because its path is not on "
            "record; measure anew"
        )
    if given.out:
        raise UserError("--resume writes into the run that it resumes; leave out --out")
    if given.max_slowdown:
        raise UserError(_ALLOWED_BEFORE)
    path, ready = _resumable(resume), whole.ready(strategies)
    options = headers.read_header(path).options
    for name, value in (("precision", given.precision), ("tolerance", given.tolerance)):
        if value not in (None, options.get(name)):
            raise UserError(f"--{name}: --resume takes that of the run; leave it out")

    def same(run: Run) -> list[Ready]:
        return [session.same_commands(run, given.recorded, ready, path)]

    with _file_may_be_gone(None):
        done = _resumed(path, same, folder, planned(given.planned).budget)
    return _finish_commands(*done, gate)


@contextlib.contextmanager
def _file_may_be_gone(own: OwnFile | None) -> Iterator[None]:
    """Say that a command removed the file, where that is why measuring ended."""
    try:
        yield
    except (OSError, UserError) as error:
        cause = error.__context__ if isinstance(error, UserError) else error
        if not isinstance(cause, FileNotFoundError) or (own and own.path.exists()):
            raise
        raise BrokenOff(
            "a command removed the file that it was to read, so nothing else can be measured; "
            "leave that command out, or have it work on a copy"
        ) from None


def _finish_commands(run: Run, path: Path, reason: str, gate: gating.Gate) -> int:
    """Print the answers, the next commands and the run file; the exit status of a run."""
    document = _answers(run, path, gate)
    print_next(document, path)
    printed = print_run_file(path)
    if reason == "interrupted":
        go_on = document.go_on
        say(f"interrupted; resume with:\n{go_on}" if go_on else "interrupted")
        return INTERRUPTED
    status = SOMETHING_FAILED if gating.failures(document) or not printed else DONE
    return gating.finish(gating.of_document(document), gate, status)
