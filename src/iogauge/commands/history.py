"""`iogauge history`: what changed over the runs of a folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from iogauge.commands import arguments as arg
from iogauge.commands.exits import DONE
from iogauge.commands.output import (
    WIDTH,
    console,
    print_exported,
    print_json,
    program,
    say,
    write_out,
)
from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.model.text import shell_path

if TYPE_CHECKING:
    from iogauge.history.database import Database
    from iogauge.history.history import History

FORMATS = ("csv", "otava")


def history(given: arg.History) -> int:
    folder = folder_of_runs(given.folder)
    _must_fit(given)
    found, database = _known(folder, given)
    if given.sql is not None:
        return _ask(database, given)
    if given.as_json:
        from iogauge.outputs import history_formats

        # In one line, as Python takes several times as long to indent tens of thousands of points.
        print_exported(
            json.dumps(history_formats.as_json(found), ensure_ascii=False, allow_nan=False)
        )
        return DONE
    if given.output_format:
        return _write(found, given)
    from iogauge.outputs import history as shown

    for line in shown.problems(found.problems):
        say(line)
    if not found.runs:
        raise UserError(f"{folder}: no run file in it; measure with iogauge run, or name another")
    if given.runs:
        console().print(shown.runs(found.runs))
        return DONE
    can = _can_encode(shown.BARS)
    bars = shown.BARS if can else shown.DIGITS
    console().print(shown.screen(found, bars=bars, chosen=bool(given.case or given.study)))
    name = f" {shell_path(given.folder)}" if given.folder else ""
    command = f"{program()} history{name} --runs"
    line = f"{command}  # what was measured when"
    print(f"\n{line if len(line) <= WIDTH else command}")
    return DONE


def folder_of_runs(given: Path | None) -> Path:
    folder = given or folders.runs()
    if not folder.is_dir():
        why = "no such folder" if not folder.exists() else "not a folder"
        if given is None:
            raise UserError("nothing was measured yet; measure with iogauge run, or name a folder")
        raise UserError(f"{folder}: {why}; name a folder of run files")
    return folder


def _must_fit(given: arg.History) -> None:
    """Raises UserError for options that do not go together."""
    if given.output_format is not None and given.output_format not in FORMATS:
        allowed = ", ".join(FORMATS)
        raise UserError(f"--format {given.output_format}: unknown; allowed: {allowed}")
    if given.as_json and given.output_format:
        raise UserError("--format: give it or --json, not both")
    if given.sql is not None and (given.case or given.study or given.runs):
        raise UserError("--sql: leave out --case, --study and --runs; say it in the SELECT")
    if given.runs and (given.case or given.study or given.as_json or given.output_format):
        raise UserError("--runs: give it alone; --json and --sql have the runs, too")
    if given.sql is not None and given.output_format == "otava":
        raise UserError("--format otava: not for --sql; allowed there: csv")
    if given.output_format == "otava" and given.out is None:
        raise UserError("--format otava: give --out FOLDER, as it takes several files")
    if given.out is not None and not given.output_format:
        raise UserError("--out: give --format too, or leave it out")


def _known(folder: Path, given: arg.History) -> tuple[History, Database]:
    try:
        from iogauge.history.database import Database
    except ImportError:
        raise UserError("history needs DuckDB: pip install 'iogauge[large]'") from None
    from iogauge.history import indexing
    from iogauge.history.history import History

    index = indexing.up_to_date(folder, say).index
    database = Database(index)
    if given.sql is not None:
        return History(index, (), 0), database
    series = database.series(given.case or "", given.study or "")
    return History(index, series, database.copies), database


def _ask(database: Database, given: arg.History) -> int:
    from iogauge.outputs import history_formats

    answer = database.ask(given.sql or "")
    if given.as_json:
        print_json(history_formats.answer_as_json(answer))
    elif given.output_format:
        return _print(history_formats.answer_as_csv(answer), given.out)
    else:
        console().print(history_formats.answer_as_table(answer))
    return DONE


def _write(found: History, given: arg.History) -> int:
    from iogauge.outputs import history_formats

    if given.output_format == "csv":
        return _print(history_formats.as_csv(found), given.out)
    assert given.out is not None
    files = history_formats.otava(found, given.out)
    try:
        given.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"--out {given.out}: {error.strerror}; give another --out") from None
    for name, text in files.items():
        write_out(given.out / name, text.encode())
    config = given.out / history_formats.OTAVA_CONFIG
    say(f"{config}: look with OTAVA_CONFIG={shell_path(config)} otava list-tests")
    return DONE


def _print(text: str, out: Path | None) -> int:
    if out is None:
        print_exported(text)
        return DONE
    return write_out(out, (text + "\n").encode())


def _can_encode(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True
