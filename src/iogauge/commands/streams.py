"""The standard streams as they are: closed, broken, full, or in an encoding without our characters.

What cannot be written ends nothing: a measurement is not lost because the screen is gone.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import select
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_SHOWN = "iogauge.shown"  # the name of how characters are replaced
_ALIKE = {
    **dict.fromkeys("µμ", "u"),
    **dict.fromkeys("×✕", "x"),
    **dict.fromkeys("‐‑–—−⁻", "-"),
    **dict.fromkeys("‘’", "'"),
    **dict.fromkeys("“”", '"'),
    **dict.fromkeys("█▉▊▋▌▍▎▏", "#"),
    "…": "...",
    "±": "+/-",
    "≥": ">=",
    "≤": "<=",
    "≈": "~",
    "→": "->",
    "·": ".",
}


class _Patient(io.FileIO):
    """A file that takes everything. Once something could not be written, `lost` says why, and what
    follows goes nowhere.
    """

    lost: OSError | None = None

    def write(self, data: bytes) -> int:  # type: ignore[override]
        while self.lost is None:
            try:
                done: int | None = super().write(data)
                if done is not None:
                    return done
                select.select([], [self], [])  # a pipe that another program made non-blocking
            except OSError as error:
                self.lost = error
        return len(data)


@contextmanager
def tolerant_streams() -> Iterator[None]:
    """Standard streams that can be written to, whatever they are."""
    codecs.register_error(_SHOWN, _alike)
    before = sys.stdout, sys.stderr
    _open_missing()
    sys.stdout, sys.stderr = (
        _made(stream, number) for number, stream in enumerate(before, start=1)
    )
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        sys.stdout, sys.stderr = before


def lost() -> str | None:
    """Why not all output could be written; None where it could, or where its reader is gone."""
    sys.stdout.flush()
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    error = raw.lost if isinstance(raw, _Patient) else None
    if error is None or error.errno == errno.EPIPE:
        return None
    return "it is closed" if error.errno == errno.EBADF else error.strerror or str(error)


def _open_missing() -> None:
    """Streams that are closed become the null device: the next file that is opened would have the
    number of one, and what is written to it. The output is opened for reading, so that writing
    still fails.
    """
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, mode), True)


def _made(stream: TextIO | None, number: int) -> TextIO:
    """A stream to where this one goes; the same one where that is no file."""
    encoding, at_once = getattr(stream, "encoding", None) or "utf-8", number == 2
    try:
        descriptor = number if stream is None else stream.fileno()
        if stream is not None:
            stream.flush()
    except (OSError, ValueError, AttributeError):
        return stream or sys.stdout
    if os.name != "posix":  # a console there is more than a file
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_SHOWN)
        return stream or sys.stdout
    raw = _Patient(descriptor, "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw),  # type: ignore[type-var]
        encoding,
        _SHOWN,
        line_buffering=at_once or raw.isatty(),
    )


def _alike(error: UnicodeError) -> tuple[str | bytes, int]:
    """What is shown in the place of characters that an encoding lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    part = error.object[error.start : error.end]
    if all("\udc80" <= each <= "\udcff" for each in part):  # of a path: the bytes that it has
        return part.encode("ascii", "surrogateescape"), error.end
    return "".join(map(_shown, part)), error.end


def _shown(character: str) -> str:
    if character in _ALIKE:
        return _ALIKE[character]
    plain = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return plain or "?"
