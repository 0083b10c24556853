"""Processes of one program that take turns: each works beside the others, and now and then one
works alone. The kernel ends the turn of a process that ends.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class Turns:
    """Files in a folder, which all processes name, say whose turn it is. Whoever wants to be alone
    closes the door, so that no one else begins, and waits until the room is empty.
    """

    able = fcntl is not None

    def __init__(self, folder: Path):
        self._room = os.open(folder / "room", os.O_RDWR | os.O_CREAT, 0o600)
        self._door = os.open(folder / "door", os.O_RDWR | os.O_CREAT, 0o600)

    @contextmanager
    def beside(self) -> Iterator[None]:
        """Work beside others. It waits while one is alone, or is about to be."""
        self._enter(fcntl.LOCK_SH)
        try:
            yield
        finally:
            fcntl.flock(self._room, fcntl.LOCK_UN)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Work alone, in the midst of work beside others. What others have begun is awaited."""
        fcntl.flock(self._room, fcntl.LOCK_UN)
        self._enter(fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._room, fcntl.LOCK_SH)

    def close(self) -> None:
        os.close(self._room)
        os.close(self._door)

    def _enter(self, how: int) -> None:
        fcntl.flock(self._door, fcntl.LOCK_EX)
        try:
            fcntl.flock(self._room, how)
        finally:
            fcntl.flock(self._door, fcntl.LOCK_UN)
