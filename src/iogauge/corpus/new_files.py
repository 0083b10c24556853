"""Files that appear under their name only when they are complete."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from iogauge.model.errors import UserError

PARTIAL = ".partial"
"""Suffix of an incomplete file, on file systems that have no files without a name."""


def write_all(fd: int, data: np.ndarray) -> None:
    """Write all bytes of an array (uint8)."""
    view = data.data
    while view:
        view = view[os.write(fd, view) :]


@contextmanager
def new_file(path: Path) -> Iterator[int]:
    """A new file, as a descriptor to write to. It appears at `path` when the block ends.

    Nothing incomplete stays behind, not even after kill -9: the next Corpus removes it. Raises
    UserError.
    """
    try:
        with _nameless(path) as fd:
            yield fd
    except OSError as error:
        raise UserError(
            f"{path}: {error.strerror}; make room or mend its rights, or give another --dir"
        ) from None


@contextmanager
def _nameless(path: Path) -> Iterator[int]:
    try:
        fd = os.open(path.parent, os.O_TMPFILE | os.O_RDWR, 0o644)
        partial = None
    except OSError:  # the file system has no O_TMPFILE
        partial = path.with_suffix(PARTIAL)
        fd = os.open(partial, os.O_CREAT | os.O_TRUNC | os.O_RDWR, 0o644)
    try:
        yield fd
        if partial:
            partial.rename(path)
        else:
            # A directory descriptor makes Python call linkat, the only call that follows the link
            # in /proc.
            os.link(f"/proc/self/fd/{fd}", path, src_dir_fd=fd, follow_symlinks=True)
    finally:
        os.close(fd)
        if partial:
            partial.unlink(missing_ok=True)
