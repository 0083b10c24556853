"""A temporary file to try things on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def probe(directory: Path) -> Iterator[tuple[int, Path]]:
    """A temporary file and its path. It has no name if the file system allows that."""
    try:
        fd, path = os.open(directory, os.O_TMPFILE | os.O_RDWR, 0o600), None
    except OSError:
        path = directory / f".iogauge-probe-{os.getpid()}"
        fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    try:
        yield fd, path or Path(f"/proc/self/fd/{fd}")
    finally:
        os.close(fd)
        if path:
            path.unlink()
