"""Records of watches, in a folder of their own: each stays until it is deleted."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from iogauge.model import folders
from iogauge.model.errors import UserError, first_problem
from iogauge.model.watched import Watched

ENDING = ".watch.json"


def keep(watched: Watched) -> Path:
    """Write a record into our folder; its path."""
    folder = folders.watches()
    folder.mkdir(parents=True, exist_ok=True)
    when = watched.started[:19].replace(":", "").replace("-", "")
    name = "".join(c if c.isalnum() else "-" for c in watched.name.lower())[:40].strip("-")
    for number in range(1, 1000):
        path = folder / f"{when}-{name}{'' if number == 1 else f'-{number}'}{ENDING}"
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(watched.model_dump_json() + "\n")
            return path
        except FileExistsError:
            continue
    raise UserError(f"{folder}: a thousand records of this second; delete some")


def is_one(path: Path) -> bool:
    """Whether a file is the record of a watch, by its name."""
    return path.name.endswith(ENDING)


def read(path: Path) -> Watched:
    """A record. Raises UserError, OSError."""
    try:
        return Watched.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise UserError(f"{path}: no record of a watch: {first_problem(error)}") from None
