"""`iogauge atlas`: a folder of runs as pages that others can cite."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from iogauge.commands import arguments as arg
from iogauge.commands.exits import DONE
from iogauge.commands.history import folder_of_runs
from iogauge.commands.output import say
from iogauge.model.errors import UserError
from iogauge.model.text import visible
from iogauge.model.units import counted

if TYPE_CHECKING:
    from iogauge.history.choosing import Chosen, Key
    from iogauge.outputs.html.atlas import Question

MARK = ".iogauge-atlas"
"""The file in the folder of an atlas that says which others are pages of it."""
_PAGE = re.compile(r"[a-z0-9.-]+\.html")


def atlas(given: arg.Atlas) -> int:
    from iogauge.history import choosing, indexing
    from iogauge.history.history import History
    from iogauge.outputs import history as shown
    from iogauge.outputs.html import atlas as drawn

    folder, out = folder_of_runs(given.folder), given.out
    before = _pages_in(out)
    index = indexing.up_to_date(folder, say).index
    for line in shown.problems(History(index, (), 0).problems):
        say(line)
    found = _questions(folder, choosing.newest(index))
    if not found:
        raise UserError(
            f"{folder}: no run in it that an atlas can show: it takes runs of studies by iogauge's "
            "own protocol, not of your own files, code or commands; measure with iogauge run"
        )
    _write(out, drawn.pages(found), before)
    say(f"{out / drawn.INDEX}: {counted(len(found) + 1, 'page')}; open it in a browser")
    return DONE


def _pages_in(out: Path) -> set[str]:
    """The pages of an earlier atlas in the folder. Raises UserError where it has anything else."""
    if not out.exists():
        return set()
    try:
        there = {entry.name: entry.is_file(follow_symlinks=False) for entry in os.scandir(out)}
    except OSError as error:
        raise UserError(f"--out {out}: {error.strerror}; give a folder") from None
    ours: set[str] = set()
    if there.pop(MARK, False):
        try:
            listed = json.loads((out / MARK).read_text("utf-8"))
            ours = {each for each in listed if _PAGE.fullmatch(each)}
        except (OSError, ValueError, TypeError):
            pass
    for name, is_file in sorted(there.items()):
        if not (is_file and name in ours):
            raise UserError(
                f"--out {out}: has {visible(name)}, which is no page of an atlas; give an empty "
                "folder, or another --out"
            )
    return {*there}


def _questions(folder: Path, chosen: Chosen) -> list[Question]:
    """The pages, run by run, each read once."""
    from iogauge.commands.looking import read
    from iogauge.outputs.document import Document, Source
    from iogauge.outputs.html import atlas as drawn
    from iogauge.runfile.reading import no_collector

    by_file: dict[str, list[Key]] = defaultdict(list)
    for key, name in chosen.files.items():
        by_file[name].append(key)
    found: list[Question] = []
    for name, keys in by_file.items():
        path = folder / name
        try:
            with no_collector():
                run = read(path)
                export = Document(run).export
        except UserError as error:  # it was changed since it was indexed
            say(f"skipped {error}")
            continue
        with path.open("rb") as file:
            source = Source(export, None, hashlib.file_digest(file, "sha256").hexdigest())
        places = reversed([*enumerate(export.groups)])  # of each question the first one stays
        order = {group.question: place for place, group in places}
        for key in sorted(keys, key=lambda each: (order.get(each.question, 0), each.runtime)):
            page = drawn.question(key, source, chosen.older[key], run.header.iogauge)
            if page:
                found.append(page)
    return found


def _write(out: Path, pages: dict[str, bytes], before: set[str]) -> None:
    """The list of pages comes first: what is written then is known to be ours, whatever happens."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        (out / MARK).write_text(json.dumps(sorted({*pages, *before})), "utf-8")
        for name, content in pages.items():
            (out / name).write_bytes(content)
        for name in before - pages.keys():
            (out / name).unlink()
        (out / MARK).write_text(json.dumps(sorted(pages)), "utf-8")
    except OSError as error:
        raise UserError(f"--out {out}: {error.strerror}; give another --out") from None
