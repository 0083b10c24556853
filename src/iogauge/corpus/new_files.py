"""TODO"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from iogauge.model.errors import UserError

PARTIAL = ".partial"


def write_all(fd: int, data: np.ndarray) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


@contextmanager
def new_file(path: Path) -> Iterator[int]:
    """A file that appears under its name only when it is whole: nothing half-made is left, not even
    by kill -9.
    """
    try:
        with _nameless(path) as fd:
            yield fd
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None


@contextmanager
def _nameless(path: Path) -> Iterator[int]:
    try:
        fd = os.open(path.parent, os.O_TMPFILE | os.O_RDWR, 0o644)
        partial = None
    except OSError:  # a file system without O_TMPFILE: `Corpus` removes what a killed process left
        partial = path.with_suffix(PARTIAL)
        fd = os.open(partial, os.O_CREAT | os.O_TRUNC | os.O_RDWR, 0o644)
    try:
        yield fd
        if partial:
            partial.rename(path)
        # a directory descriptor makes Python call linkat, the only call that follows /proc's link
        else:
            os.link(f"/proc/self/fd/{fd}", path, src_dir_fd=fd, follow_symlinks=True)
    finally:
        os.close(fd)
        if partial:
            partial.unlink(missing_ok=True)
