"""Ways to bring a file into the page cache.

The kernel keeps a cached file in folios of 4 KiB to 2 MiB, and how the file came in decides their
size: a write call makes folios of its own size where it is aligned to it, read-ahead makes ever
larger ones, and a single read at random makes the smallest. A mapping of large folios is several
times as fast as one of small ones (docs/methodology.md, "Warm"). So a file always comes in as it is
asked for, in one of these ways.
"""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from iogauge.host import pagecache
from iogauge.host.files import opened, read_at, sync_data, without_read_ahead
from iogauge.model.workload import CachedBy

LARGE, SMALL = 1 << 20, 8000
"""Bytes of a call that writes: what copies a file whole, and what a program leaves that writes
through a buffer of 8 KiB, which seldom ends at one.
"""
_IN_ORDER = 128 << 10  # bytes of a read: what most programs use, at most
_AT_RANDOM = 4 << 10  # bytes of a read at random
_AT_ONCE = 4  # reads at random: a device answers several at a time
_SEED = 20240301
_TOGETHER = 1 << 20  # bytes that are read from the source at a time, about


def bring_in(path: Path, state: CachedBy | None, source: Path | None = None) -> None:
    """Bring a file that is not cached into the page cache, in one of the ways. Raises OSError.

    `source` is another file with the same bytes: from it the file is written anew, and is not dirty
    afterwards. Its time of change stays. Without a state it comes in as older versions did it.
    """
    match state:
        case "read-sequential":
            _read_in_order(path)
        case "read-random":
            _read_at_random(path)
        case "write-large" | "write-small":
            if source is None:
                raise ValueError(f"{path}: there is nothing to write it from")
            _write_anew(path, source, LARGE if state == "write-large" else SMALL)
        case None:
            pagecache.cache(path)


def write_back(path: Path) -> None:
    """Have what was written to the file on the device; it stays cached as it is. Raises OSError."""
    with opened(path) as fd:
        sync_data(fd)


def _read_in_order(path: Path) -> None:
    """With the read-ahead that every file has that is opened and read."""
    buffer = bytearray(_IN_ORDER)
    with path.open("rb", buffering=0) as file:
        while file.readinto(buffer):
            pass


def _read_at_random(path: Path) -> None:
    """All of it, block by block: without read-ahead, which would find neighbours that are there."""
    with opened(path) as fd:
        without_read_ahead(fd)
        blocks = -(-os.fstat(fd).st_size // _AT_RANDOM)
        order = np.random.Generator(np.random.PCG64(_SEED)).permutation(blocks)

        stopped = threading.Event()

        def read(some: np.ndarray) -> None:
            for block in some.tolist():
                if stopped.is_set():
                    return
                read_at(fd, _AT_RANDOM, block * _AT_RANDOM)

        with ThreadPoolExecutor(_AT_ONCE) as threads:
            try:
                list(threads.map(read, np.array_split(order, _AT_ONCE)))
            finally:  # an interruption waits for no thread
                stopped.set()


def _write_anew(path: Path, source: Path, piece: int) -> None:
    known, together = path.stat(), _TOGETHER // piece * piece
    buffer = memoryview(bytearray(together))
    with (
        source.open("rb", buffering=0) as data,
        opened(path, os.O_WRONLY | os.O_TRUNC) as fd,
    ):
        while length := data.readinto(buffer):
            for start in range(0, length, piece):
                left = buffer[start : min(start + piece, length)]
                while left:
                    left = left[os.write(fd, left) :]
        sync_data(fd)
    os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))
