"""What commands print: results on standard output, everything else on standard error."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from rich.console import Console, ConsoleDimensions
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from iogauge.commands import streams
from iogauge.commands.exits import DONE, SOMETHING_FAILED
from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.model.plan import Plan
from iogauge.model.text import for_people, for_stream, shell_path, shell_word, visible
from iogauge.model.units import duration, size
from iogauge.model.workload import Cache
from iogauge.outputs import skipped

if TYPE_CHECKING:
    from iogauge.analysis.groupreport import GroupReport
    from iogauge.corpus.own_file import OwnFile
    from iogauge.measuring.session import Prepared
    from iogauge.outputs.document import Document
    from iogauge.runfile.run import Run
    from iogauge.runners.runtimes import Runtimes

WIDTH = 80
_WORTH_TELLING = 1.0  # seconds, of building
_BLANKS = re.compile(r"[ ]+(?=\n)")
_BYTES = re.compile("[\ud800-\udfff]")


def say(text: str) -> None:
    """Say something to the person. It is not part of the result."""
    shown = for_people(text, sys.argv[1:])
    print(for_stream(shown, sys.stderr), file=sys.stderr, flush=True)


def say_skipped(made: Plan) -> None:
    """What a run leaves out, and why: a line for each reason."""
    for each in skipped.lines(made.skipped):
        say(each)


def say_left_out(prepared: Prepared) -> None:
    """The same of a study made for the languages that are here: it names no other."""
    say_skipped(prepared.plan)
    said = {each.why for each in prepared.plan.skipped}
    for broken in prepared.broken:
        if broken.why not in said:
            say(f"not measured: {', '.join(broken.languages)}: {broken.why}")


def measurable(
    caches: Sequence[Cache], length: int, own: OwnFile | None, *, untouched: bool = False
) -> list[Cache]:
    """The states of the cache in which a file of `length` bytes can be measured, perhaps the user's
    `own`, which is to be left `untouched` in the cache; a line for each other one.
    """
    from iogauge.host import capacity

    memory, found = capacity.available_memory() // 2, list(dict.fromkeys(caches))
    if "warm" in found and length > memory:
        found.remove("warm")
        say(
            f"not measured: cached: the file, {size(length)}, is larger than half of the memory "
            f"that is available, {size(memory)}"
        )
    if own and "cold" in found and (why := own.why_not_cold(untouched=untouched)):
        found.remove("cold")
        say(f"not measured: from disk: {why}")
    return found


def say_built(here: Runtimes) -> None:
    """How much of the time until now went into building runners, where any did."""
    if here.building_seconds >= _WORTH_TELLING:
        all_in_all, building = duration(here.seconds), duration(here.building_seconds)
        say(f"took {all_in_all} in all, of which {building} building runners, once")


def console() -> Console:
    """Standard output, as wide as the terminal but never wider than the tables are made for."""
    # The user's older setting; Rich knows NO_COLOR and FORCE_COLOR itself.
    without_colour = os.environ.get("CLICOLOR") == "0" and not os.environ.get("FORCE_COLOR")
    made = _Console(
        file=None if sys.stdout.isatty() else cast(IO[str], _Trimmed()),
        highlight=False,
        soft_wrap=False,
        markup=False,
        emoji=False,
        no_color=without_colour or None,
    )
    width = min(shutil.get_terminal_size().columns, WIDTH) if sys.stdout.isatty() else WIDTH
    made.size = ConsoleDimensions(width, made.height)  # Rich asks no dumb terminal for its width
    return made


class _Console(Console):
    def print(self, *objects: Any, crop: bool = False, **options: Any) -> None:
        """Nothing is cut off: what is longer than a line is broken by the terminal."""
        super().print(*objects, crop=crop, **options)


class _Trimmed(io.TextIOBase):
    """Standard output without the blanks that tables put at the ends of lines."""

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return sys.stdout.encoding

    def write(self, text: str) -> int:
        sys.stdout.write(_BLANKS.sub("", text))
        return len(text)

    def flush(self) -> None:
        sys.stdout.flush()


def indented(text: Text, by: int = 2) -> Padding:
    """The text with every line indented."""
    return Padding(text, (0, 0, 0, by))


def print_json(value: object) -> None:
    print_exported(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False))


def print_exported(text: str) -> None:
    """Print for programs: always in UTF-8; other bytes of a path are shown as escapes."""
    if isinstance(sys.stdout, io.TextIOWrapper) and not sys.stdout.isatty():
        sys.stdout.reconfigure(encoding="utf-8")
    known = text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    print(_BYTES.sub(lambda found: f"\\u{ord(found[0]):04x}", known))


def write_out(out: Path, content: bytes) -> int:
    """Write the file that --out names. Raises UserError."""
    try:
        out.write_bytes(content)
    except OSError as error:
        there = out.parent.is_dir()
        why = error.strerror if there else f"{out.parent} is not a folder"
        raise UserError(f"--out {out}: {why}; give another --out") from None
    return DONE


def print_rows(rows: Iterable[tuple[str, str]]) -> None:
    """Two columns; on a narrow screen the second is below the first."""
    out, rows = console(), list(rows)
    first = max((len(name) for name, _ in rows), default=0)
    if out.width < WIDTH and 2 * first > out.width:
        for name, text in rows:
            out.print(Text(name))
            out.print(indented(Text(text, style="dim")))
        return
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold", style="dim")
    for row in rows:
        table.add_row(*map(Text, row))
    out.print(table)


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


def status_of(prepared: Prepared, languages: Collection[str]) -> int:
    """The exit status: whether one of these languages (without any, of all) is lacking, as its
    runner cannot be built.
    """
    lacks = any(not languages or {*languages} & {*each.languages} for each in prepared.broken)
    return SOMETHING_FAILED if lacks else DONE


NEWEST = "newest"
"""What `--resume` takes for the run that was last written to."""


def run_file(path: Path) -> str:
    """Where a run is; other programs look for this line."""
    return f"run file: {visible(str(path))}"


def print_run_file(path: Path) -> bool:
    """Print where the run is, on standard error if output is lost; whether all was printed."""
    print(run_file(path))
    if streams.lost():
        say(run_file(path))
        return False
    return True


def resume_command(path: Path, run: Run, runtimes: Sequence[str] = ()) -> str:
    """The command that resumes a run, with the `--runtime` options that it needs: as they were
    given, or with a place for the path, which is not on record. Empty for a run that cannot be
    resumed: of the user's own file, or of parts of a study.
    """
    given, name = run.header.options, named(path) or NEWEST
    of_own = any(group.workload.content == "own" for group in run.plan.groups)
    if of_own or {"advise", "file"} & {*given}:
        return ""
    if "command" in given:
        words = map(shell_word, given["command"])
        return " ".join([program(), "command", *words, "--resume", name])
    labeled = [
        f"{each.runner}:{each.label}=PATH"
        for each in run.header.runtimes
        if each.label and each.version not in each.label  # which iogauge chose: `gcc-12.2.0`
    ]
    options = "".join(f" --runtime {shell_word(each)}" for each in runtimes or labeled)
    return f"{program()} run{options} --resume {name}"


def named(path: Path) -> str:
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
    run = f" {name}" if (name := named(path)) else ""
    count = warnings(report)
    says = f", {count} warning{'' if count == 1 else 's'}" if count else ""
    rows = []
    if report.run.plan.published:
        rows.append((f"{start} claims{run}", "verdicts on what was published"))
    elif report.run.header.imported:
        pass  # there is no code of it, and nothing that explains it
    elif any(each.sets and _is_advised(each) for each in report.groups):
        rows.append((f"{start} advise{run}", "code to copy"))
    if not report.run.header.imported:
        rows.append((f"{start} explain{run}", "why: calls, processor time"))
    rows += [
        (f"{start} report{run}", "charts, for a browser"),
        (f"{start} show --details{run}", f"all ways and figures{says}"),
    ]
    width = max(len(command) for command, _ in rows)
    print()
    for command, text in rows:
        line = f"{command:<{width}}  # {text}"
        print(line if len(line) <= WIDTH else command)  # a command that is cut cannot be copied
