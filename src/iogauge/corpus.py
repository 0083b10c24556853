"""Data files: deterministic, made quickly, verified by their manifest, kept in a directory of ours.

A file's content follows from its kind and size alone, so every host and every run reads the same bytes:

- `bytes`: 64-bit words of a PCG64 stream (NumPy guarantees the raw stream), little-endian;
- `text`: printable ASCII in lines of 20 to 120 characters, `\\n` at the ends (the last line too, unless cut);
- `sparse`: zeros that occupy no disk space, for sizes that matter only as a limit.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ValidationError

from iogauge.model import Consume, Content, UserError
from iogauge.units import size

_MARK = "iogauge-data-directory"  # a directory without this file is not ours, and clean leaves it alone
_TILE = 4 << 20  # made, summed and written in tiles of 4 MiB (a multiple of the 64 bytes of `touch`)
_SEED = 20240229
_NAME = re.compile(r"(bytes|text|sparse)-\d+-(warm|cold|as-left)")
_DATA, _PARTIAL = ".data", ".partial"
LOGS = "logs-"  # folders of a run's own; what a killed one left is removed by the next
KEEP_BYTES = 1 << 30  # more than this does not stay behind after a run


class Manifest(BaseModel):
    """What a data file holds. Sums are of unsigned values and do not wrap.

    `touch_sum` is over the bytes at offsets divisible by 64; `lines` and `line_bytes` (without terminators) are null for other than text.
    `mtime_ns` and `inode` tell whether somebody changed the file since.
    """

    content: Content
    size: int
    byte_sum: int
    touch_sum: int
    lines: int | None = None
    line_bytes: int | None = None
    mtime_ns: int
    inode: int

    def expected_sum(self, consume: Consume) -> int | None:
        return {"none": None, "touch": self.touch_sum, "sum": self.byte_sum}[consume]


class Corpus:
    """The data files of one directory. One process at a time: opening it takes a lock.

    `parent` must exist and be writable; the files live in its subfolder `iogauge-data`.
    Raises UserError when it cannot be used.
    """

    def __init__(self, parent: Path):
        self.directory = parent / "iogauge-data"
        try:
            self.directory.mkdir(exist_ok=True)
            if not (self.directory / _MARK).exists() and any(self.directory.iterdir()):
                raise UserError(f"{self.directory} holds files that are not iogauge's; give another --dir")
            if self.directory.stat().st_uid != os.geteuid():
                raise UserError(f"{self.directory} belongs to another user; give another --dir")
            (self.directory / _MARK).touch()
            self._lock = os.open(self.directory / _MARK, os.O_RDWR)
        except OSError as error:
            raise UserError(f"--dir {parent}: {error.strerror}; a writable directory is needed") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            raise UserError(f"{self.directory} is in use by another iogauge; wait for it or give another --dir") from None
        for left in _ours(self.directory, _PARTIAL):
            left.unlink()
        for left in self.directory.glob(f"{LOGS}*"):
            shutil.rmtree(left, ignore_errors=True)

    def close(self) -> None:
        """Give the directory back; the mark of ours goes when nothing of ours is left, the directory when it is empty."""
        if not _ours(self.directory, _DATA):
            (self.directory / _MARK).unlink()
            if not any(self.directory.iterdir()):
                self.directory.rmdir()
        os.close(self._lock)

    def path(self, content: Content, length: int, use: str) -> Path:
        """Where the file lies. `use` keeps files apart that must not share cached pages (cold and warm)."""
        return self.directory / f"{content}-{length}-{use}.data"

    def provide(self, content: Content, length: int, use: str) -> Manifest:
        """Make the file unless it is there and intact; returns its manifest. Raises UserError when there is no room."""
        path = self.path(content, length, use)
        known = self._intact(path, content, length)
        if known:
            return known
        path.unlink(missing_ok=True)
        self.check_room([(content, length, use)])
        sums = _Sums(content)
        with _new_file(path) as fd:
            if content == "sparse":
                os.truncate(fd, length)
            else:
                for tile in _tiles(content, length):
                    sums.add(tile)
                    _write_all(fd, tile)
                os.fsync(fd)
        found = path.stat()
        manifest = Manifest(
            content=content,
            size=length,
            byte_sum=sums.byte_sum,
            touch_sum=sums.touch_sum,
            lines=sums.lines,
            line_bytes=sums.line_bytes,
            mtime_ns=found.st_mtime_ns,
            inode=found.st_ino,
        )
        _manifest_path(path).write_text(manifest.model_dump_json())
        return manifest

    def check_room(self, files: list[tuple[Content, int, str]]) -> None:
        """Raises UserError unless the files that are not there yet fit on the disk, with some to spare."""
        missing = {spec for spec in files if spec[0] != "sparse" and not self._intact(self.path(*spec), *spec[:2])}
        needed = sum(length for _, length, _ in missing)
        free = shutil.disk_usage(self.directory).free
        if needed and needed + (64 << 20) > free:
            raise UserError(
                f"--dir {self.directory.parent}: {size(needed)} of data files needed, {size(free)} free (64 MiB stay so); "
                "give another --dir or a smaller --max-size"
            )

    def trim(self) -> None:
        """Remove the largest files until no more than KEEP_BYTES stay behind for the next run."""
        files = sorted(_ours(self.directory, _DATA), key=lambda path: path.stat().st_size)
        kept = sum(path.stat().st_blocks * 512 for path in files)
        while kept > KEEP_BYTES:
            largest = files.pop()
            kept -= largest.stat().st_blocks * 512
            _manifest_path(largest).unlink(missing_ok=True)
            largest.unlink()

    def _intact(self, path: Path, content: Content, length: int) -> Manifest | None:
        try:
            manifest = Manifest.model_validate_json(_manifest_path(path).read_text())
            found = path.stat()
        except (OSError, ValidationError):
            return None
        same = (manifest.content, manifest.size, manifest.mtime_ns, manifest.inode) == (
            content,
            length,
            found.st_mtime_ns,
            found.st_ino,
        )
        holes = content != "sparse" and found.st_blocks * 512 < length
        return manifest if same and found.st_size == length and not holes else None


def clean(parent: Path) -> int:
    """Empty and remove our data directory below `parent`; returns the bytes freed. Touches nothing that is not ours."""
    directory = parent / "iogauge-data"
    if not (directory / _MARK).exists():
        return 0
    corpus = Corpus(parent)  # takes the lock: not under a run
    try:
        freed = 0
        for path in [*_ours(directory, _DATA), *_ours(directory, ".json")]:
            freed += path.stat().st_blocks * 512
            path.unlink()
        return freed
    finally:
        corpus.close()


def held(parent: Path) -> int:
    """Bytes that our data files below `parent` take on the disk."""
    return sum(path.stat().st_blocks * 512 for path in _ours(parent / "iogauge-data", _DATA))


def _ours(directory: Path, suffix: str) -> list[Path]:
    """Files with names that only we give: anything else in there is the user's."""
    return [path for path in directory.glob(f"*{suffix}") if _NAME.fullmatch(path.stem)]


class _Sums:
    def __init__(self, content: Content):
        self.byte_sum = self.touch_sum = 0
        self.lines = self.line_bytes = 0 if content == "text" else None

    def add(self, tile: np.ndarray) -> None:
        self.byte_sum += int(tile.sum(dtype=np.uint64))
        self.touch_sum += int(tile[::64].sum(dtype=np.uint64))
        if self.lines is not None:
            ends = int(np.count_nonzero(tile == 0x0A))
            self.lines += ends
            self.line_bytes += len(tile) - ends


def _tiles(content: Content, length: int) -> Iterator[np.ndarray]:
    """The file's content, tile after tile (uint8); all but the last are whole."""
    stream = np.random.PCG64(_SEED)
    text = _text_tile() if content == "text" else None
    for start in range(0, length, _TILE):
        count = min(_TILE, length - start)
        if text is not None:
            yield text[:count]
        else:
            yield stream.random_raw(-(-count // 8)).astype("<u8", copy=False).view(np.uint8)[:count]


def _text_tile() -> np.ndarray:
    """4 MiB of lines, ending with a line end, so that tiles can follow one another."""
    stream = np.random.PCG64(_SEED)
    letters = (0x21 + stream.random_raw(_TILE) % 94).astype(np.uint8)
    lengths = 20 + (stream.random_raw(_TILE // 20) % 101).astype(np.int64)
    ends = np.cumsum(lengths + 1) - 1
    letters[ends[ends < _TILE]] = 0x0A
    letters[-1] = 0x0A
    return letters


def _write_all(fd: int, data: np.ndarray) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


@contextmanager
def _new_file(path: Path) -> Iterator[int]:
    """A file that appears under its name only when it is whole: nothing half-made is left, not even by kill -9."""
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
        partial = path.with_suffix(_PARTIAL)
        fd = os.open(partial, os.O_CREAT | os.O_TRUNC | os.O_RDWR, 0o644)
    try:
        yield fd
        if partial:
            partial.rename(path)
        else:  # a directory descriptor makes Python call linkat, the only call that follows /proc's link
            os.link(f"/proc/self/fd/{fd}", path, src_dir_fd=fd, follow_symlinks=True)
    finally:
        os.close(fd)
        if partial:
            partial.unlink(missing_ok=True)


def _manifest_path(path: Path) -> Path:
    return path.with_suffix(".json")
