"""Commands that measure studies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from iogauge import outputs
from iogauge.commands import looking
from iogauge.commands.arguments import RunOptions
from iogauge.commands.exits import DONE, INTERRUPTED, SOMETHING_FAILED
from iogauge.commands.options import changes_a_run, chosen_runtimes, planned, recorded
from iogauge.commands.output import (
    NEWEST,
    console,
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
from iogauge.model.errors import UserError
from iogauge.model.text import shell_path
from iogauge.model.units import size
from iogauge.runfile import header as headers
from iogauge.runfile import writing
from iogauge.runfile.run import Run
from iogauge.runners import manifest
from iogauge.runners import own as own_code
from iogauge.runners.preparing import Ready
from iogauge.study import loading


def run(studies: list[str], options: RunOptions, directory: Path | None, out: Path | None) -> int:
    if out and len(studies) > 1:
        raise UserError("--out names one run file; give one study with it")
    if out and out.exists():
        raise UserError(f"--out {out}: exists already; give another name, or --resume it")
    if out and not out.parent.is_dir():
        raise UserError(f"--out {out}: {out.parent} is not a folder; give another")
    if twice := [name for name in dict.fromkeys(studies) if studies.count(name) > 1]:
        raise UserError(
            f"{twice[0]} is named twice; to measure it for longer, give a larger --budget"
        )
    folder = session.data_folder(directory)
    # A mistake in any study is reported before anything is looked for, or measured.
    for name in studies:
        loading.load(name)
    runners = own_code.beside(own_code.runners(options.own or ()), manifest.all_runners())
    here = session.found_here(chosen_runtimes(options.runtime), say, runners)
    prepared = [session.prepare(name, here, planned(options)) for name in studies]
    worst, paths = DONE, []
    for each in prepared:
        say_skipped(each.plan)
        fresh = options.fresh_limits
        done, path, reason = measured(each, folder, recorded(options), out=out, fresh_limits=fresh)
        status = finish(done, path, reason, options.runtime or ())
        if status == INTERRUPTED:
            return status
        worst = max(worst, status, SOMETHING_FAILED if each.lacks_cases else DONE)
        paths.append(path)
    del done
    say_built(here)
    seal(paths)
    if directory and (kept := store.held(folder)):
        say(
            f"data files are kept for the next run, {size(kept)} in {folder}; remove them with:\n"
            f"{program()} clean --dir {shell_path(folder)}"
        )
    return worst


def resume(path: Path, studies: list[str], options: RunOptions, directory: Path | None) -> int:
    if len(studies) > 1:
        raise UserError("--resume takes one run; give at most one study with it")
    if changes_a_run(options):
        raise UserError(
            "--resume takes the options of the run, except --budget; leave out --only and the like"
        )
    if options.own:
        raise UserError("--own: a run of code of yours cannot be resumed; measure anew")
    chosen, study = chosen_runtimes(options.runtime), studies[0] if studies else None

    def same(run: Run, path: Path) -> list[Ready]:
        names = {each.name for each in run.header.runtimes}
        return session.same_runtimes(run, names, chosen, path, say, "resumed")

    folder, budget = session.data_folder(directory), planned(options).budget
    done, path, reason = resumed(path, same, folder, budget, study)
    status = finish(done, path, reason, options.runtime or ())
    del done
    if status != INTERRUPTED:
        seal([path])
    return status


def measured(
    prepared: session.Prepared,
    folder: Path,
    kept: dict[str, Any],
    *,
    out: Path | None = None,
    own: OwnFile | None = None,
    fresh_limits: bool = False,
) -> tuple[Run, Path, str]:
    """A run of what is planned, with a display; its file, and why it ended. `kept` are the options
    that the file keeps.
    """
    from iogauge.outputs.progress import Display

    with Display(prepared.plan, [each.runtime for each in prepared.ready]) as display:
        return session.measure(
            prepared, folder, out, kept, display, JUDGE, own, fresh_limits=fresh_limits
        )


def resumed(
    resume: Path,
    same: Callable[[Run, Path], list[Ready]],
    folder: Path,
    budget: float | None,
    study: str | None = None,
) -> tuple[Run, Path, str]:
    """The same of a run that is resumed; `same` gives the runtimes that it was measured with."""
    from iogauge.outputs.progress import Display

    path = _resumable(resume)
    header = headers.read_header(path)
    with Display(header.plan, header.runtimes) as display:
        run, path, reason = session.resume(
            path, study, lambda run: same(run, path), folder, display, JUDGE, budget
        )
    if reason == "decided":
        say("there is nothing left to measure in this run")
    return run, path, reason


def header_of(resume: Path) -> headers.Header:
    """The header of the run that is to be resumed."""
    return headers.read_header(_resumable(resume))


def _resumable(resume: Path) -> Path:
    return looking.newest(None) if str(resume) == NEWEST else resume


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


def finish(run: Run, path: Path, reason: str, runtimes: Sequence[str] = ()) -> int:
    """Print the answers, the next commands, and where the run file is; the exit status of a run.
    `runtimes` are the `--runtime` options that were given.
    """
    from iogauge.outputs.document import Document

    document = Document(run, go_on=resume_command(path, run, runtimes))
    console().print(outputs.renderer("answers")(document))
    if builds := outputs.renderer("builds")(document):
        console().print(builds, soft_wrap=True)  # a line that is pasted is not broken
    if reason == "interrupted":
        say(f"\ninterrupted; resume with:\n{resume_command(path, run, runtimes)}")
        return INTERRUPTED
    print_next(document, path)
    printed = print_run_file(path)
    if failures := document.report.failures:
        say(f"{failures} case{'s' if failures > 1 else ''} failed; show --details says why")
        return SOMETHING_FAILED
    return DONE if printed else SOMETHING_FAILED
