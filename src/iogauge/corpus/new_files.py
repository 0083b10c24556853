"""Files that appear under their name only when they are complete."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from iogauge.host.files import appearing
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
        with appearing(path, path.with_suffix(PARTIAL)) as fd:
            yield fd
    except OSError as error:
        raise UserError(
            f"{path}: {error.strerror}; make room or mend its rights, or give another --dir"
        ) from None
