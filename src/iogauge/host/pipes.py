"""What other processes say through pipes: read as it comes, without waiting for it, and waiting for
several of them at once.

Windows can do neither with a pipe: there a thread reads ahead for each.
"""

from __future__ import annotations

import os
import select
import selectors
import threading
from types import TracebackType
from typing import IO, Generic, Protocol, Self, TypeVar, cast

_AT_ONCE = 1 << 20
_POLLED = hasattr(select, "poll")
_Key = TypeVar("_Key")


class Pipe(Protocol):
    """The end of a pipe that is read."""

    def read(self, most: int) -> bytes | None:
        """So many bytes of what is there; None where nothing is, b"" at its end. Raises OSError."""

    def close(self) -> None: ...


def opened(file: IO[bytes]) -> Pipe:
    """The pipe that a process was started with. It is closed with what is returned."""
    return _Polled(file) if _POLLED else _ReadAhead(file)


class _Polled:
    def __init__(self, file: IO[bytes]):
        self._file = file
        os.set_blocking(file.fileno(), False)

    def fileno(self) -> int:
        return self._file.fileno()

    def read(self, most: int) -> bytes | None:
        return self._file.read(most)

    def close(self) -> None:
        self._file.close()


class _ReadAhead:
    changed = threading.Condition()  # of any of them: who waits, waits for several

    def __init__(self, file: IO[bytes]):
        self._file = file
        self._received, self._ended = bytearray(), False
        threading.Thread(target=self._read_on, daemon=True).start()

    def _read_on(self) -> None:
        while True:
            try:
                chunk = os.read(self._file.fileno(), _AT_ONCE)
            except (OSError, ValueError):  # closed
                chunk = b""
            with self.changed:
                self._received += chunk
                self._ended = not chunk
                self.changed.notify_all()
            if not chunk:
                self._file.close()
                return

    @property
    def ready(self) -> bool:
        return bool(self._received) or self._ended

    def read(self, most: int) -> bytes | None:
        with self.changed:
            if not self.ready:
                return None
            chunk = bytes(self._received[:most])
            del self._received[:most]
            return chunk

    def close(self) -> None:
        """Nothing: its thread closes it at its end. Until then nobody else may."""


class Waiting(Generic[_Key]):
    """Waits for several pipes, each known by a key."""

    def __init__(self) -> None:
        self._pipes: dict[_Key, Pipe] = {}
        self._selector = selectors.DefaultSelector() if _POLLED else None

    def add(self, key: _Key, pipe: Pipe) -> None:
        self._pipes[key] = pipe
        if self._selector:
            self._selector.register(cast(_Polled, pipe), selectors.EVENT_READ, key)

    def remove(self, key: _Key) -> None:
        pipe = self._pipes.pop(key)
        if self._selector:
            self._selector.unregister(cast(_Polled, pipe))

    def wait(self, seconds: float) -> list[_Key]:
        """The keys of the pipes that have something to read, or have ended."""
        if self._selector:
            return [key.data for key, _ in self._selector.select(seconds)]
        with _ReadAhead.changed:
            _ReadAhead.changed.wait_for(self._ready, seconds)
            return self._ready()

    def _ready(self) -> list[_Key]:
        return [key for key, pipe in self._pipes.items() if cast(_ReadAhead, pipe).ready]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._selector:
            self._selector.close()
