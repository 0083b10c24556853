"""Which other tool wrote a file: told by what is in it, whatever its name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pydantic import ValidationError

from iogauge.host.files import read_at
from iogauge.model.errors import UserError, first_problem
from iogauge.model.units import size
from iogauge.runfile import header
from iogauge.runfile.imports import gobench, hyperfine, jmh
from iogauge.runfile.imports.making import Read, Unfit, run_of, unfit
from iogauge.runfile.run import Run

LARGEST = 64 << 20
"""Bytes: files of others are read whole."""
_HEAD = 1 << 20  # bytes that tell the format


class _Format(NamedTuple):
    name: str
    looks_like: Callable[[bytes], bool]
    read: Callable[[bytes], Read]


_FORMATS = (
    _Format(jmh.FORMAT, jmh.looks_like, jmh.read),
    _Format(hyperfine.FORMAT, hyperfine.looks_like, hyperfine.read),
    _Format(gobench.FORMAT, gobench.looks_like, gobench.read),
)
NAMES = tuple(each.name for each in _FORMATS)


def format_of(file: BinaryIO) -> str | None:
    """The name of the format in which another tool wrote this file; None if no tool that is known
    here did.
    """
    found = _format_of(read_at(file.fileno(), _HEAD, 0))
    return found.name if found else None


def read(path: Path, file: BinaryIO) -> Run | None:
    """The run of another tool's file; None if it is none. Raises UserError for one that is damaged,
    or too large.
    """
    found = _format_of(read_at(file.fileno(), _HEAD, 0))
    if found is None:
        return None
    length = os.fstat(file.fileno()).st_size
    if length > LARGEST:
        raise UserError(
            f"{path}: {found.name} of {size(length)}; at most {size(LARGEST)} are read; "
            "give a smaller one"
        )
    content = read_at(file.fileno(), length, 0)
    try:
        made = found.read(content)
    except ValidationError as error:
        raise unfit(path, found.name, first_problem(error)) from None
    except UnicodeDecodeError:
        raise unfit(path, found.name, "it is not UTF-8") from None
    except Unfit as error:
        raise unfit(path, found.name, error) from None
    return run_of(path, made, content)


def _format_of(head: bytes) -> _Format | None:
    if head.startswith(header.BEGINNING):
        return None
    return next((each for each in _FORMATS if each.looks_like(head)), None)
