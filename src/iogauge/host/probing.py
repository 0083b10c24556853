"""A temporary file to try things on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from iogauge.host import files
from iogauge.host.calls import BINARY


@contextmanager
def probe(directory: Path) -> Iterator[tuple[int, Path]]:
    """A temporary file and its path. It has no name if the file system allows that."""
    with files.nameless(directory, 0o600) as made:
        if made:
            yield made
            return
    path = directory / f".iogauge-probe-{os.getpid()}"
    fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | BINARY, 0o600)
    try:
        yield fd, path
    finally:
        os.close(fd)
        path.unlink()
