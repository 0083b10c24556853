"""Commands that look at runs: they measure nothing, and load nothing that does unless they are
asked to trace.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from iogauge.commands.options import chosen_runtimes
from iogauge.commands.saying import console, say
from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.model.status import DONE
from iogauge.model.units import size
from iogauge.runfile import reading
from iogauge.runfile.large import no_collector
from iogauge.runfile.run import Run

T = TypeVar("T")
_LOOKED_THROUGH = 4  # newest runs, for one that has an answer: reading a large one takes its time
NOTHING_YET = """iogauge measures how languages read and write files, and says which way to use here.
Nothing was measured yet. The first answer takes a minute and a half:

    iogauge run

All commands: iogauge --help. What there is to measure: iogauge list studies."""


def home() -> int:
    """The last answer, or how to get one."""
    paths = folders.runs_by_age()
    if not paths:
        print(NOTHING_YET)
        return DONE
    from iogauge.analysis import report
    from iogauge.outputs import terminal

    path = paths[0]
    try:
        made = made_of(path, report.make, read(path))
        if not made.run.replicates:  # stopped too soon: the answer is that of the run before
            path, made = _with_an_answer(paths[1:_LOOKED_THROUGH]) or (path, made)
    except UserError as error:  # of another version, or damaged: no reason to show nothing
        print(f"{error}\n\n{NOTHING_YET.partition('Nothing')[2].partition(chr(10))[2]}")
        return DONE
    if path != paths[0]:
        print(
            f"The newest run has no complete replicate; to go on with it:\niogauge run --resume {paths[0]}\nThe answer of the run before it:\n"
        )
    console().print(terminal.render_answers(made))
    if made.run.plan.published:
        print("\nMeasured as published; the verdicts: iogauge claims.")
    if not made.run.complete and made.run.replicates and "advise" not in made.run.header.options:
        print(f"\nTo go on with it:\niogauge run --resume {path}")
    print(
        f"\nThe tables: iogauge show. Why: iogauge explain. To look at: iogauge report.\nAnew: iogauge run. All commands: iogauge --help.\nrun file: {path}"
    )
    return DONE


def _with_an_answer(paths: list[Path]) -> tuple[Path, Any] | None:
    """The first of these runs that has a replicate, and its report."""
    from iogauge.analysis import report

    for path in paths:
        with suppress(UserError):  # of another version, or damaged
            made = made_of(path, report.make, read(path))
            if made.run.replicates:
                return path, made
    return None


def newest(given: Path | None) -> Path:
    """The run file that is meant: the one given, else the newest of the runs folder. Raises
    UserError without any.
    """
    path = given or folders.newest_run()
    if path is None:
        raise UserError(
            "RUN: nothing was measured yet; name a run file, or measure with iogauge run"
        )
    return path


def show(given: Path | None, everything: bool) -> int:
    from iogauge.analysis import accounting, report
    from iogauge.outputs import terminal

    path = newest(given)
    with no_collector():
        run = read(path)
        console().print(terminal.render(made_of(path, report.make, run)))
        if everything:
            console().print("")
            console().print(terminal.render_account(made_of(path, accounting.make, run)))
    return DONE


def explain(
    given: Path | None, trace: bool, directory: Path | None, runtime: list[str] | None
) -> int:
    from iogauge.analysis import report
    from iogauge.outputs import explanation

    path = newest(given)
    run = read(path)
    made = made_of(path, report.make, run)
    traces = {}
    if trace:
        from iogauge.measuring import session

        traces = session.trace(
            run, path, chosen_runtimes(runtime), session.data_folder(directory), say
        )
    console().print(explanation.render(made, traces))
    return DONE


def claims(given: Path | None, by: str | None) -> int:
    """The scoreboard of a run's claims, with the published numbers beside those measured."""
    from iogauge.claims import claims as judging
    from iogauge.outputs import scoreboard
    from iogauge.study import study

    path = newest(given)
    version = study.load(by) if by else None
    scored = made_of(path, lambda run: judging.score(run, version), read(path))
    if not scored.study.claim and not scored.study.published:
        raise UserError(
            f"{path}: the study {scored.study.id} has neither claims nor published numbers"
        )
    console().print(scoreboard.render(scored))
    return DONE


def export(given: Path | None, output_format: str, by: str | None, out: Path | None) -> int:
    from iogauge.claims import claims as judging
    from iogauge.outputs import csv, json, markdown
    from iogauge.study import study

    formats = {"json": json.render, "csv": csv.render, "markdown": markdown.render}
    if output_format not in formats:
        raise UserError(f"--format {output_format}: unknown; allowed: {', '.join(formats)}")
    path = newest(given)
    version = study.load(by) if by else None
    text = formats[output_format](
        made_of(path, lambda run: judging.score(run, version), read(path))
    )
    if out is None:
        print(text)
        return DONE
    return _written(out, (text + "\n").encode())


def report(given: list[Path], out: Path) -> int:
    """One page of one or several runs."""
    from iogauge.outputs import html

    paths = given or [newest(None)]
    if len(paths) > html.MOST_RUNS:
        raise UserError(f"RUN: {len(paths)} run files; at most {html.MOST_RUNS} stand side by side")
    sources: list[Any] = []
    with no_collector():
        for path in paths:
            source = _source(path)
            if source.sha256 in [each.sha256 for each in sources]:
                say(f"{path}: the same run once more; it is on the page once")
            else:
                sources.append(source)
        page = made_of(paths[0], lambda _: html.render(sources), None)
    status = _written(out, page.encode())
    say(f"{out}: open it in a browser")
    return status


def chart(given: Path | None, kind: str, number: int, out: Path) -> int:
    """One picture of a run."""
    from iogauge.outputs.html import figures, picture

    draw = {".svg": picture.svg, ".png": picture.png}.get(out.suffix)
    if draw is None:
        raise UserError(f"--out {out}: allowed: a name that ends in .svg or .png")
    if kind not in figures.KINDS:
        raise UserError(f"--kind {kind}: unknown; allowed: {', '.join(figures.KINDS)}")
    source = _source(newest(given))
    found = [each for each in figures.all_of(source.document, source.run) if each.kind == kind]
    if not found:
        raise UserError(
            f"--kind {kind}: this run has nothing to draw so: it takes {figures.KINDS[kind]}"
        )
    if not 1 <= number <= len(found):
        raise UserError(
            f"--number {number}: this run has {len(found)} such chart{'s' if len(found) > 1 else ''}"
        )
    status = _written(out, draw(found[number - 1]))
    say(
        f"{out}: {found[number - 1].title}"
        + (f" (--number {number} of {len(found)})" if len(found) > 1 else "")
    )
    return status


def _source(path: Path) -> Any:
    """A run for the page: its export, itself, and the hash of its file."""
    from concurrent.futures import ThreadPoolExecutor

    from iogauge.claims import claims as judging
    from iogauge.outputs import html

    with ThreadPoolExecutor(1) as beside:
        digest = beside.submit(_sha256, path)
        scored = made_of(path, judging.score, read(path))
        return html.source(scored, digest.result())


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _written(out: Path, content: bytes) -> int:
    try:
        out.write_bytes(content)
    except OSError as error:
        raise UserError(f"--out {out}: {error.strerror}") from None
    return DONE


def read(path: Path) -> Run:
    """The run of a file, with a word to the person where that takes a while. Raises UserError."""
    return reading.read(path, decoding=lambda length: say(f"decoding {size(length)} of {path}"))


def made_of(path: Path, make: Callable[[Any], T], run: Run | None) -> T:
    """What `make` makes of a run; of one that was damaged or edited a UserError, whatever it makes
    stumble.
    """
    try:
        return make(run)
    except (
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        ArithmeticError,
        RuntimeError,
    ) as error:
        raise UserError(
            f"{path}: damaged: its records do not fit together ({type(error).__name__}: {error})"
        ) from None
