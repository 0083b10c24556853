"""What is kept of a file of a folder, before it becomes rows of columns."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

Row = dict[str, Any]


class Stamp(NamedTuple):
    """By what a file is known to be the one that was read."""

    size: int
    mtime: int  # ns
    inode: int


class Entry(NamedTuple):
    """What is kept of a file: a row of `runs`, and rows of `groups` and of `cases`. A file that is
    no run has a `problem` in its row, one line for people, and no other rows.
    """

    run: Row
    groups: tuple[Row, ...] = ()
    cases: tuple[Row, ...] = ()


def stamp(found: os.stat_result) -> Stamp:
    return Stamp(found.st_size, found.st_mtime_ns, found.st_ino)
