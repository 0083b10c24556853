"""Whether a file is opened meanwhile, by whomever (Linux: inotify)."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_OPENED = 0x20  # IN_OPEN
_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)  # as inotify_init1 has them
_MOST = 1 << 16  # bytes of what happened: equal events that follow one another are one


@contextmanager
def watched(path: Path) -> Iterator[Callable[[], bool | None]]:
    """Gives a function that tells whether the file was opened since. None where nobody can tell."""
    events = _events(path)
    try:
        yield lambda: None if events is None else _any(events)
    finally:
        if events is not None:
            os.close(events)


def _events(path: Path) -> int | None:
    """A descriptor from which it can be read that the file is opened."""
    try:
        libc = ctypes.CDLL(None)
        descriptor: int = libc.inotify_init1(_AT_ONCE)
        if descriptor < 0:
            return None
        if libc.inotify_add_watch(descriptor, os.fsencode(path), _OPENED) < 0:
            os.close(descriptor)
            return None
    except (AttributeError, OSError, TypeError):  # not Linux
        return None
    return descriptor


def _any(events: int) -> bool:
    with suppress(BlockingIOError):
        return bool(os.read(events, _MOST))
    return False
