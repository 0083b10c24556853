"""Reading a run file. docs/run-file.md describes its records."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from iogauge.model.errors import UserError
from iogauge.runfile import header, large
from iogauge.runfile.adding import add_lines
from iogauge.runfile.checking import check
from iogauge.runfile.run import Run

LARGE = 64 << 20  # bytes: of a larger file, only the columns of the samples are kept


def read(path: Path, *, decoding: Callable[[int], None] = lambda length: None) -> Run:
    """The run of a file. Half lines (of a run that was killed) are skipped. `decoding` is told the
    bytes of a large file that has no seal, because reading it takes a while. Raises UserError for
    what is no run file, or is damaged.
    """
    try:
        with path.open("rb") as file:
            first = header.of_line(path, file.readline())
            if os.fstat(file.fileno()).st_size > LARGE:
                run = large.read(path, first, file, decoding)
            else:
                run = Run(first)
                add_lines(path, run, file.read().split(b"\n"))
    except OSError as error:
        raise UserError(
            f"{path}: {error.strerror}; name a run file, or none for the newest"
        ) from None
    check(path, run)
    return run
