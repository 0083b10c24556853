"""Run files as results."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

from iogauge.api.results import Results
from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.outputs.document import Document
from iogauge.runfile import reading

Given = str | os.PathLike[str]


def load(paths: Given | Iterable[Given] | None = None) -> Results:
    """The results of run files: of one, of several, of all in a folder, or of the newest run
    where nothing is given. A file in a folder that is no run file is left out with a warning.

    Raises UserError for a path that is missing, or names no run file.
    """
    if paths is None:
        newest = folders.newest_run()
        if newest is None:
            raise UserError("load(): nothing was measured yet; give a run file, or measure")
        paths = newest
    every = [paths] if isinstance(paths, (str, os.PathLike)) else [*paths]
    found = [each for one in every for each in _read(Path(one))]
    if not found:
        raise UserError("load([]): no run file is given")
    return Results(tuple(path for path, _ in found), tuple(document for _, document in found))


def _read(path: Path) -> Iterator[tuple[Path, Document]]:
    if not path.is_dir():
        yield path, Document(reading.read(path))
        return
    files = sorted(path.glob("*.jsonl"))
    read = 0
    for each in files:
        try:
            yield each, Document(reading.read(each))
            read += 1
        except UserError as error:
            warnings.warn(f"left out: {error}", stacklevel=4)
    if not read:
        raise UserError(f"{path}: no run files in this folder; their names end in .jsonl")
