"""Commands that show stored runs. They measure nothing, and load nothing that does, unless they are
to trace.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from iogauge import outputs
from iogauge.commands import arguments as arg
from iogauge.commands.exits import DONE
from iogauge.commands.output import (
    console,
    print_exported,
    print_next,
    program,
    resume_command,
    run_file,
    say,
    write_out,
)
from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.model.text import shell_path
from iogauge.model.units import size
from iogauge.outputs.document import Document
from iogauge.runfile import reading
from iogauge.runfile.reading import no_collector
from iogauge.runfile.run import Run

if TYPE_CHECKING:
    from iogauge.measuring.trace import Trace
    from iogauge.outputs.document import Source
    from iogauge.outputs.hosts import OverHostsDocument

_LOOKED_THROUGH = 4  # newest runs, for one that has an answer: reading a large one takes its time
_NOTHING_YET = """\
iogauge measures how languages read and write files, and says which way to use here.
Nothing was measured yet. The first answer takes a minute:
"""
_HOW_TO_BEGIN = """
    {program} run

All commands: {program} --help. What there is to measure: {program} list studies."""


def home() -> int:
    """The last answer, or how to get one."""
    paths = folders.runs_by_age()
    if not paths:
        print(_NOTHING_YET + _HOW_TO_BEGIN.format(program=program()))
        return DONE
    path = paths[0]
    try:
        document = newest = _document(path)
        if not document.run.replicates:  # stopped too soon: the answer is that of the run before
            path, document = _with_an_answer(paths[1:_LOOKED_THROUGH]) or (path, document)
        text = outputs.renderer("answers")(document)
    except UserError as error:  # of another version, or damaged: no reason to show nothing
        print(f"{error}\n\n{_HOW_TO_BEGIN.format(program=program())}")
        return DONE
    if path != paths[0]:
        how = f"; to resume it:\n{newest.go_on}" if newest.go_on else "."
        print(f"The newest run has no complete replicate{how}\nThe answer of the run before it:\n")
    console().print(text)
    if not document.run.complete and document.run.replicates and document.go_on:
        print(f"\nTo resume it:\n{document.go_on}")
    print_next(document, path)
    print(run_file(path))
    return DONE


def _document(path: Path) -> Document:
    """A run to look at, with the command that resumes it."""
    run = read(path)
    return Document(run, go_on=resume_command(path, run))


def _with_an_answer(paths: list[Path]) -> tuple[Path, Document] | None:
    """The first of these runs that has a replicate and can be read."""
    for path in paths:
        with suppress(UserError):  # of another version, or damaged
            document = _document(path)
            if document.run.replicates:
                return path, document
    return None


def newest(given: Path | None) -> Path:
    """The run file that is given, else the newest. Raises UserError without any."""
    path = given or folders.newest_run()
    if path is None:
        raise UserError(
            "RUN: nothing was measured yet; name a run file, or measure with iogauge run"
        )
    return path


def show(given: arg.Show) -> int:
    """The answers of a run at a glance; with `details` all tables, and what was not used; with
    `profile` what its time went into.
    """
    named = given.runs or _newest_fleet()
    if len(named) == 1 and (record := folders.watch(named[0])):
        return _show_watch(record, given)
    if over := _over_hosts(named):
        for option in ("details", "profile"):
            if getattr(given, option):
                raise UserError(f"--{option} is for one run; give the run file of a host")
        if given.as_json:
            print_exported(outputs.renderer("hosts-json")(over))
        else:
            console().print(outputs.renderer("hosts")(over))
        return DONE
    only = _one(named)
    if given.as_json:
        return export(arg.Export(run=only))
    path = newest(only)
    with no_collector():
        document = _document(path)
        if given.profile:
            _must_be_measured(document.run, path, "--profile: what its time went into")
        if given.details or given.profile:
            view = "profile" if given.profile else "details"
            console().print(outputs.renderer(view)(document))
            return DONE
        console().print(outputs.renderer("answers")(document))
        print_next(document, path)
    return DONE


def _over_hosts(given: list[Path]) -> OverHostsDocument | None:
    """What is known over hosts, where runs of several are given."""
    if not _of_hosts(given):
        return None
    from iogauge.commands import over_hosts

    return over_hosts.document(given)


def _of_hosts(given: list[Path]) -> bool:
    """Whether these may be runs of several hosts: what knows of them takes time to load."""
    return len(given) > 1 or any(map(folders.fleet_run, given))


def _newest_fleet() -> list[Path]:
    """The fleet run that was last written to, where no other run was later."""
    found = folders.newest()
    return [found] if found and found.is_dir() else []


def _one(given: list[Path]) -> Path | None:
    """The run that is given, if one is. Raises UserError for several."""
    if len(given) > 1:
        raise UserError("RUN: run files of one host; give one, or those of hosts that have names")
    return given[0] if given else None


def _show_watch(path: Path, given: arg.Show) -> int:
    """The page of a watch, as it was shown when the watch ended."""
    from iogauge.outputs import watched
    from iogauge.watching import watches

    for option in ("details", "profile"):
        if getattr(given, option):
            raise UserError(f"--{option} is for a run; {path} is of a watch: leave it out")
    record = watches.read(path)
    if given.as_json:
        print_exported(record.model_dump_json(indent=1))
    else:
        print_exported(watched.page(record, record=_as_named(path)).rstrip("\n"))
    return DONE


def _as_named(path: Path) -> str:
    """A record of our folder by its name alone, another as a shell takes it."""
    return path.name if path.parent == folders.watches() else shell_path(path)


def explain(given: arg.Explain) -> int:
    if not given.trace:
        _must_not_be_for_trace(given)
    path = newest(given.run)
    document = Document(read(path))
    _must_be_measured(document.run, path, "explain: why")
    if given.trace:
        document = replace(document, traces=_traced(document.run, path, given))
    console().print(outputs.renderer("explanation")(document))
    return DONE


def _must_be_measured(run: Run, path: Path, what: str) -> None:
    """Raises UserError for what another tool measured, of which nothing but times is known."""
    if run.header.imported:
        raise UserError(
            f"{path}: {what} is not known of {run.header.imported}; look at it with iogauge show "
            "or iogauge report"
        )


def _must_not_be_for_trace(given: arg.Explain) -> None:
    """Raises UserError for what would do nothing without --trace."""
    told = {"--file": given.file, "--own": given.own}
    told |= {"--own-flags": given.own_flags, "--own-path": given.own_path}
    for option in (name for name, value in told.items() if value):
        raise UserError(f"{option} is for --trace; give both")


def _traced(run: Run, path: Path, given: arg.Explain) -> dict[str, Trace]:
    """The calls of an operation of each case. What is the user's own they name again: no run file
    says where it is. Raises UserError.
    """
    from iogauge.commands.options import chosen_runtimes, own_runners
    from iogauge.corpus.own_file import OwnFile
    from iogauge.measuring import session

    chosen, folder = chosen_runtimes(given.runtime), session.data_folder(given.directory)
    session.no_commands(run, path, "traced")
    theirs = own_runners(given)
    session.must_be_named(run, path, file=given.file is not None, code=bool(theirs))
    file = OwnFile(given.file, unpacked=not theirs) if given.file else None
    return session.trace(run, path, chosen, folder, say, file, theirs)


def claims(given: arg.Claims) -> int:
    """The verdicts on a run's claims, and published numbers next to measured ones."""
    from iogauge.commands import over_hosts
    from iogauge.study import loading

    named = given.runs or _newest_fleet()
    by = loading.load(given.study) if given.study else None
    if _of_hosts(named) and (over := over_hosts.claims(named, by)):
        console().print(outputs.renderer("claims-over-hosts")(over))
        return DONE
    path = newest(_one(named))
    document = _judged(path, given.study)
    of = document.scored.study
    if not of.claim and not of.published:
        raise UserError(
            f"{path}: the study {of.id} has neither claims nor published numbers; "
            "iogauge show has its answers"
        )
    console().print(outputs.renderer("scoreboard")(document))
    return DONE


def export(given: arg.Export) -> int:
    if given.output_format not in outputs.FORMATS:
        allowed = ", ".join(outputs.FORMATS)
        raise UserError(f"--format {given.output_format}: unknown; allowed: {allowed}")
    if given.out is None and given.output_format in outputs.BINARY:
        raise UserError(f"--format {given.output_format}: is not text; give -o FILE")
    document = _judged(newest(given.run), given.study)
    made = outputs.renderer(given.output_format)(document)
    for each in outputs.left_out(given.output_format, document):
        say(each)
    if isinstance(made, bytes):
        assert given.out is not None
        return write_out(given.out, made)
    if given.out is None:
        print_exported(made)
        return DONE
    return write_out(given.out, (made + "\n").encode())


def _judged(path: Path, by: str | None) -> Document:
    from iogauge.study import loading

    return Document(read(path), loading.load(by) if by else None)


def report(given: arg.Report) -> int:
    """One page of one or several runs, or of a watch."""
    from iogauge.outputs import html
    from iogauge.outputs.document import Page

    out = given.out
    if out.suffix not in (".html", ".htm"):
        raise UserError(f"--out {out}: allowed: a name that ends in .html")
    if records := list(filter(None, map(folders.watch, given.runs or []))):
        return _report_watch(records[0], out, alone=len(given.runs or []) == 1)
    if over := _over_hosts(given.runs or _newest_fleet()):
        from iogauge.outputs.html import hosts

        status = write_out(out, hosts.render(over).encode())
        say(f"{out}: open it in a browser")
        return status
    paths = given.runs or [newest(None)]
    if len(paths) > html.MOST_RUNS:
        raise UserError(
            f"RUN: {len(paths)} run files; at most {html.MOST_RUNS} stand side by side; name fewer"
        )
    sources: list[Source] = []
    with no_collector():
        for path in paths:
            source = _source(path)
            if source.sha256 in [each.sha256 for each in sources]:
                say(f"{path}: the same run once more; it is on the page once")
            else:
                sources.append(source)
        page = html.render(Page(tuple(sources)))
    status = write_out(out, page.encode())
    say(f"{out}: open it in a browser")
    return status


def _report_watch(path: Path, out: Path, *, alone: bool) -> int:
    from iogauge.outputs.html import watch
    from iogauge.watching import watches

    if not alone:
        raise UserError(f"{path}: the record of a watch has a page of its own; give it alone")
    status = write_out(out, watch.render(watches.read(path)).encode())
    say(f"{out}: open it in a browser")
    return status


def chart(given: arg.Chart) -> int:
    """One picture of a run."""
    from iogauge.outputs.html import figures, vega

    kind, number, out = given.kind, given.number, given.out
    draw = {".svg": vega.svg, ".png": vega.png}.get(out.suffix)
    if draw is None:
        raise UserError(f"--out {out}: allowed: a name that ends in .svg or .png")
    if kind not in figures.KINDS:
        raise UserError(f"--kind {kind}: unknown; allowed: {', '.join(figures.KINDS)}")
    source = _source(newest(given.run))
    found = [each for each in figures.all_of(source.export, source.run) if each.kind == kind]
    if not found:
        raise UserError(
            f"--kind {kind}: this run has no data for it; it takes {figures.KINDS[kind]}; "
            "give another --kind"
        )
    several = len(found) > 1
    if not 1 <= number <= len(found):
        raise UserError(
            f"--number {number}: this run has {len(found)} such chart{'s' if several else ''}; "
            "leave out --number for the first"
        )
    status = write_out(out, draw(found[number - 1]))
    which = f" (--number {number} of {len(found)})" if several else ""
    say(f"{out}: {found[number - 1].title}{which}")
    return status


def _source(path: Path) -> Source:
    """A run for the page: its export, itself, and the hash of its file."""
    from concurrent.futures import ThreadPoolExecutor

    from iogauge.outputs.document import Source

    with ThreadPoolExecutor(1) as thread:
        digest = thread.submit(_sha256, path)
        run = read(path)
        return Source(Document(run).export, run, digest.result())


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read(path: Path) -> Run:
    """The run of a file, with a line for the user where that takes a while. Raises UserError."""
    if fleet := folders.fleet_run(path):
        example = next(iter(sorted(fleet.glob("*.jsonl"))), None)
        name = f", e.g. {shell_path(example)}" if example else ""
        raise UserError(f"{path}: is a fleet run; name the run file of a host{name}")
    return reading.read(path, decoding=lambda length: say(f"decoding {size(length)} of {path}"))
