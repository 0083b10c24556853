"""Records of watches, in a folder of their own: each stays until it is deleted."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from iogauge.model import folders
from iogauge.model.errors import UserError, first_problem
from iogauge.model.folders import WATCH
from iogauge.model.text import visible
from iogauge.model.watched import Watched

VERSION = 1
_LONGEST_NAME = 30  # so that a command with the name of a record fits in a line


def keep(watched: Watched) -> Path:
    """Write a record into our folder; its path."""
    folder = folders.watches()
    folder.mkdir(parents=True, exist_ok=True)
    when = watched.started[:19].replace(":", "").replace("-", "")
    letters = "".join(c if c.isascii() and c.isalnum() else "-" for c in watched.name.lower())
    name = re.sub("-+", "-", letters)[:_LONGEST_NAME].strip("-") or "watch"
    for number in range(1, 1000):
        path = folder / f"{when}-{name}{'' if number == 1 else f'-{number}'}{WATCH}"
        try:
            file = path.open("x", encoding="utf-8")
        except FileExistsError:
            continue
        try:
            with file:
                file.write(watched.model_dump_json() + "\n")
        except OSError:  # a torn record would stay in lists
            path.unlink(missing_ok=True)
            raise
        return path
    raise UserError(f"{folder}: a thousand records of this second; delete some")


def storable(watched: Watched) -> Watched:
    """The same, with bytes of names that are no UTF-8 as escapes: JSON has no others."""
    try:
        watched.model_dump_json()
    except PydanticSerializationError:
        return Watched.model_validate(_escaped(watched.model_dump()))
    return watched


def _escaped(value: Any) -> Any:
    if isinstance(value, str):
        return value if _is_utf8(value) else visible(value)
    if isinstance(value, dict):
        return {key: _escaped(each) for key, each in value.items()}
    return [_escaped(each) for each in value] if isinstance(value, list | tuple) else value


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def read(path: Path) -> Watched:
    """A record. Raises UserError for what is none, is torn, or is of another version."""
    try:
        found = json.loads(path.read_bytes(), parse_constant=_finite, parse_float=_finite)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; iogauge list watches has the records") from None
    except (ValueError, RecursionError):
        raise UserError(
            f"{path}: the record of this watch is torn or damaged; watch anew"
        ) from None
    if not isinstance(found, dict) or found.get("kind") != "watch":
        raise UserError(f"{path}: no record of a watch; iogauge list watches has the records")
    if found.get("iogauge") != VERSION:
        raise UserError(
            f"{path}: the record of a watch, version {found.get('iogauge')}; this iogauge reads "
            f"version {VERSION}; use the iogauge that wrote it"
        )
    return _valid(path, found)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def _valid(path: Path, found: dict[str, Any]) -> Watched:
    try:
        watched = Watched.model_validate(found)
    except ValidationError as error:
        says = f"{path}: the record of a watch: {first_problem(error)}"
        raise UserError(f"{says}; use the iogauge that wrote it, or watch anew") from None
    named = [
        *(each.program for each in watched.findings),
        *(each.program for each in watched.calls),
        *(each.program for each in watched.waits),
    ]
    if any(not 0 <= number < len(watched.programs) for number in named):
        raise UserError(f"{path}: the record of a watch names a program that it lacks; watch anew")
    return watched
