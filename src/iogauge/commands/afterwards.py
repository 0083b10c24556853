"""What is printed of a run that was measured or looked at: the answers, then the next commands."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from iogauge.analysis.groupreport import GroupReport
from iogauge.commands import streams
from iogauge.commands.saying import WIDTH, say
from iogauge.model import folders
from iogauge.model.status import DONE, SOMETHING_FAILED
from iogauge.model.text import shell_path, shell_word, visible
from iogauge.outputs.document import Document

if TYPE_CHECKING:
    from iogauge.measuring.session import Prepared
    from iogauge.runfile.run import Run


def program() -> str:
    """How the user started iogauge, so that the next command can be copied."""
    started = Path(sys.argv[0])
    if started.name == "__main__.py" and started.parent.name == "iogauge":
        return "python -m iogauge"
    if not started.name.startswith("iogauge"):  # it is used in another program
        return "iogauge"
    found = shutil.which("iogauge")
    if found and os.path.realpath(found) == os.path.realpath(started):
        return "iogauge"
    here = os.path.relpath(started) if started.is_absolute() else sys.argv[0]
    return shell_word(sys.argv[0] if here.startswith("..") else here)


def status_of(prepared: Prepared, language: str | None) -> int:
    """The exit status of what was measured: whether it lacks a language that was asked for (None:
    all that are here), because its runner cannot be built.
    """
    lacks = any(language in (None, *each.languages) for each in prepared.broken)
    return SOMETHING_FAILED if lacks else DONE


NEWEST = "newest"
"""What `--resume` takes for the run that was last written to."""


def run_file(path: Path) -> str:
    """Where a run is; other programs look for this line."""
    return f"run file: {visible(str(path))}"


def print_run_file(path: Path) -> bool:
    """The last line of a run: where it is. Whether all was printed; else the line is on standard
    error.
    """
    print(run_file(path))
    if streams.lost():
        say(run_file(path))
        return False
    return True


def go_on_with(path: Path, run: Run) -> str:
    """The command that goes on with a run. Empty of a run that cannot be gone on with: of a file of
    the user's, or of parts of a study.
    """
    given, name = run.header.options, _named(path) or NEWEST
    of_own = any(group.workload.content == "own" for group in run.plan.groups)
    if of_own or {"advise", "file"} & {*given}:
        return ""
    if "command" in given:
        words = map(shell_word, given["command"])
        return " ".join([program(), "command", *words, "--resume", name])
    return f"{program()} run --resume {name}"


def _named(path: Path) -> str:
    """How a command names a run; empty for the newest, which is meant where none is named."""
    newest = folders.newest_run()
    return "" if newest and newest.resolve() == path.resolve() else shell_path(path)


def _is_advised(group: GroupReport) -> bool:
    """Whether there is code to copy for what a group asks."""
    whole_commands = any(each.strategy.command for each in group.cases)
    return group.workload.content != "own" and not whole_commands


def print_next(document: Document, path: Path) -> None:
    """The commands that look further, on this run."""
    from iogauge.outputs.terminal import warnings

    report, start = document.report, program()
    run = f" {name}" if (name := _named(path)) else ""
    count = warnings(report)
    says = f", {count} warning{'' if count == 1 else 's'}" if count else ""
    rows = []
    if report.run.plan.published:
        rows.append((f"{start} claims{run}", "verdicts on what was published"))
    elif any(each.sets and _is_advised(each) for each in report.groups):
        rows.append((f"{start} advise{run}", "code to copy"))
    rows += [
        (f"{start} explain{run}", "why: calls, processor time"),
        (f"{start} report{run}", "charts, for a browser"),
        (f"{start} show --details{run}", f"all ways and figures{says}"),
    ]
    width = max(len(command) for command, _ in rows)
    print()
    for command, text in rows:
        line = f"{command:<{width}}  # {text}"
        print(line if len(line) <= WIDTH else command)  # a command that is cut cannot be copied
