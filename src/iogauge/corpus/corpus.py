"""Data files: made quickly from what content.py says, verified by their manifest, kept in a
directory of ours.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pydantic import BaseModel, ValidationError

from iogauge.corpus import content
from iogauge.corpus.formats import framed
from iogauge.host import pagecache
from iogauge.model.errors import UserError
from iogauge.model.strategy import Format, Sums
from iogauge.model.text import visible
from iogauge.model.units import size
from iogauge.model.workload import Consume, Content

_MARK = (
    "iogauge-data-directory"  # a directory without this file is not ours, and clean leaves it alone
)
_SEED = 20240301
_NAME = re.compile(
    r"(bytes|text(-crlf|-unicode|-one-line)?|sparse|own)-\d+-(warm|cold|as-left|payload)(-java-object-stream)?(-copy-\d+)?|offsets-\d+-\d+-\d+"
)
_DATA, _PARTIAL = ".data", ".partial"
_HEAD = "own-"  # a copy of the head of the user's file
_RUN_FOLDERS = (
    "logs-",
    "written-",
)  # folders of a run's own; what a killed one left is removed by the next
KEEP_BYTES = 1 << 30  # more than this does not stay behind after a run


class DataSpec(NamedTuple):
    """Which data file. `use` keeps files apart that must not share cached pages: a cache state, or
    `payload` (data to write); `copy` files that are alike but for that.
    """

    content: Content
    size: int
    use: str
    format: Format = "plain"
    copy: int = 0

    @property
    def stem(self) -> str:
        framed_as = "" if self.format == "plain" else f"-{self.format}"
        return f"{self.content}-{self.size}-{self.use}{framed_as}" + (
            f"-copy-{self.copy}" if self.copy else ""
        )


class Manifest(BaseModel):
    """What a data file holds: `size` bytes of data, in `file_size` bytes (more where its format
    adds some).

    `counts`, `sums` and `touch_sum` are those of content.Tally. `mtime_ns` and `inode` tell whether
    somebody changed the file since.
    """

    content: Content
    size: int
    format: Format
    file_size: int
    counts: dict[Sums, int]
    sums: dict[Sums, int]
    touch_sum: int
    mtime_ns: int
    inode: int

    def due(self, consume: Consume, sums: Sums) -> tuple[int | None, int | None]:
        """Count and sum that one operation on the whole file reports; no count where the content
        has none of this kind.
        """
        return self.counts.get(sums), content.due(consume, sums, self.sums, self.touch_sum)


class OwnFile:
    """A file of the user's, to be read and never changed. Raises UserError where it cannot be
    measured. Its bytes are looked at when something is asked of them.
    """

    def __init__(self, path: Path):
        self.given, self.path = path, Path(os.path.realpath(path))
        try:
            str(self.path).encode()
            self._known = self.path.stat()
            if not stat.S_ISREG(self._known.st_mode):
                raise UserError(f"--file {path}: not a regular file")
            with self.path.open("rb"):
                pass
        except UnicodeEncodeError:
            raise UserError("--file: runners cannot be told of a path that is not UTF-8") from None
        except OSError as error:
            raise UserError(f"--file {path}: {error.strerror}") from None
        self.size = self._known.st_size
        if not self.size:
            raise UserError(f"--file {path}: is empty")

    @cached_property
    def _tally(self) -> content.Tally:
        return self._added(text=True) or self._added(text=False)

    @property
    def is_text(self) -> bool:
        """Whether it is valid UTF-8."""
        return self._tally.text

    @property
    def observable(self) -> bool:
        """Whether the kernel tells us what of it is in the cache (pagecache.observe)."""
        return os.geteuid() in (0, self._known.st_uid) or os.access(self.path, os.W_OK)

    @property
    def lone_returns(self) -> int:
        """Carriage returns that no line feed follows: some languages end a line there."""
        return self._tally.lone_returns

    def manifest(self) -> Manifest:
        """Raises UserError where the file has changed since it was looked at."""
        tally, found = self._tally, self.path.stat()
        if (found.st_size, found.st_mtime_ns, found.st_ino) != (
            self.size,
            self._known.st_mtime_ns,
            self._known.st_ino,
        ):
            raise UserError(f"--file {self.given}: has changed meanwhile")
        return _manifest(DataSpec("own", self.size, "own"), tally, found)

    def _added(self, *, text: bool) -> content.Tally | None:
        """Its counts and sums; None where it was to be text and is not."""
        tally, rest = content.Tally(text=text), b""
        with self.path.open("rb") as file:
            while data := file.read(content.TILE):
                try:
                    whole, rest = _cut(rest + data) if text else (data, b"")
                    if whole:
                        tally.add(np.frombuffer(whole, np.uint8))
                except UnicodeDecodeError:
                    return None
        return None if rest else tally


def _cut(data: bytes) -> tuple[bytes, bytes]:
    """Into whole characters of UTF-8, and the beginning of one that goes on."""
    for length in range(1, min(4, len(data) + 1)):
        if data[-length] & 0xC0 != 0x80:  # the first byte of a character
            needed = 1 + (data[-length] >= 0xC0) + (data[-length] >= 0xE0) + (data[-length] >= 0xF0)
            return (data[:-length], data[-length:]) if needed > length else (data, b"")
    return data, b""


def _manifest(spec: DataSpec, tally: content.Tally, found: os.stat_result) -> Manifest:
    return Manifest(
        content=spec.content,
        size=spec.size,
        format=spec.format,
        file_size=found.st_size,
        counts=tally.counts,
        sums=tally.sums,
        touch_sum=tally.touch_sum,
        mtime_ns=found.st_mtime_ns,
        inode=found.st_ino,
    )


class Corpus:
    """The data files of one directory. One process at a time: opening it takes a lock.

    `parent` must exist and be writable; the files live in its subfolder `iogauge-data`. `own` is
    the file that the content `own` stands for: the user's, which is only ever read. Raises
    UserError when it cannot be used.
    """

    def __init__(self, parent: Path, own: OwnFile | None = None):
        self.own = own
        self.directory = parent / "iogauge-data"
        try:
            self.directory.mkdir(exist_ok=True)
            if not (self.directory / _MARK).exists() and any(self.directory.iterdir()):
                raise UserError(
                    f"{self.directory} holds files that are not iogauge's; give another --dir"
                )
            if self.directory.stat().st_uid != os.geteuid():
                raise UserError(f"{self.directory} belongs to another user; give another --dir")
            (self.directory / _MARK).touch()
            self._lock = os.open(self.directory / _MARK, os.O_RDWR)
        except OSError as error:
            raise UserError(
                f"--dir {parent}: {error.strerror}; a writable directory is needed"
            ) from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            raise UserError(
                f"{self.directory} is in use by another iogauge; wait for it or give another --dir"
            ) from None
        for left in (*_ours(self.directory, _PARTIAL), *self._heads()):
            left.unlink()
        for prefix in _RUN_FOLDERS:
            for left in self.directory.glob(f"{prefix}*"):
                shutil.rmtree(left, ignore_errors=True)

    def close(self) -> None:
        """Give the directory back; the mark of ours goes when nothing of ours is left, the
        directory when it is empty. Nothing of the user's data stays.
        """
        for left in self._heads():
            left.unlink()
        if not _ours(self.directory, _DATA):
            (self.directory / _MARK).unlink()
            if not any(self.directory.iterdir()):
                self.directory.rmdir()
        os.close(self._lock)

    @contextmanager
    def run_folders(self) -> Iterator[tuple[Path, Path]]:
        """Folders of a run's own, gone when it ends: for logs, and for files that are written."""
        with ExitStack() as stack:
            logs, written = (
                Path(
                    stack.enter_context(
                        tempfile.TemporaryDirectory(prefix=each, dir=self.directory)
                    )
                )
                for each in _RUN_FOLDERS
            )
            yield logs, written

    def path(self, spec: DataSpec) -> Path:
        if self.own and spec.content == "own" and spec.use != "payload":
            return self.own.path
        return self.directory / f"{spec.stem}{_DATA}"

    def nameless(self, text: str) -> str:
        """The text without the paths of data files: a run file holds no path of its host."""
        text = text.replace(f"{self.directory}/", "")
        for path in (self.own.path, Path(os.path.abspath(self.own.given))) if self.own else ():
            for shown in (str(path), visible(str(path))):
                text = text.replace(shown, "the file")
            text = text.replace(f"{path.parent}/", "")  # where a long reason was cut
        return text

    def why_not_cold(self) -> str | None:
        """None where the files can be put out of the cache, else the reason."""
        if self.own is None:
            return pagecache.can_evict(self.directory)
        left = pagecache.evict(self.own.path)
        return (
            f"{left.pages} of {left.of} pages of the file stay in the cache: somebody maps it, or its file system keeps its files in memory"
            if left.pages
            else None
        )

    def provide(self, spec: DataSpec) -> Manifest:
        """Make the file unless it is there and intact; returns its manifest. Raises UserError when
        there is no room.
        """
        if spec.content == "own":
            return self._own(spec)
        path = self.path(spec)
        known = self._intact(spec)
        if known:
            return known
        path.unlink(missing_ok=True)
        self.check_room([spec])
        tally = content.Tally(text=content.is_text(spec.content))
        with _new_file(path) as fd:
            if spec.content == "sparse":
                os.truncate(fd, spec.size)
                tally.add_zeros(spec.size)
            else:
                for part in framed(_tallied(spec, tally), spec.format):
                    _write_all(fd, part)
                os.fsync(fd)
        manifest = _manifest(spec, tally, path.stat())
        _manifest_path(path).write_text(manifest.model_dump_json())
        return manifest

    def _own(self, spec: DataSpec) -> Manifest:
        """That of the user's file, or of a copy of its head to be worked on in memory, which goes
        when the directory is given back.
        """
        if self.own is None:
            raise UserError(
                "content = 'own' is a file of the user's; iogauge advise --file PATH --run measures one"
            )
        whole = self.own.manifest()
        if spec.use != "payload":
            return whole
        path = self.path(spec)
        with self.own.path.open("rb") as file:
            data = content.whole_characters(np.frombuffer(file.read(spec.size), np.uint8))
        tally = content.Tally(text=self.own.is_text)
        tally.add(data)
        path.unlink(missing_ok=True)
        with _new_file(path) as fd:
            os.fchmod(fd, 0o600)
            _write_all(fd, data)
        return _manifest(spec, tally, path.stat())

    def _heads(self) -> list[Path]:
        """Copies of heads of users' files that were left."""
        return [path for path in _ours(self.directory, _DATA) if path.name.startswith(_HEAD)]

    def offsets(self, size: int, block: int, accesses: int) -> Path:
        """A file of `accesses` different multiples of `block` within `size` bytes, in random order,
        always the same.

        Little-endian 64-bit. There must be so many whole blocks.
        """
        path = self.directory / f"offsets-{size}-{block}-{accesses}{_DATA}"
        if not path.exists():
            order = np.random.Generator(np.random.PCG64(_SEED)).choice(
                size // block, accesses, replace=False
            )
            with _new_file(path) as fd:
                _write_all(fd, (order * block).astype("<i8").view(np.uint8))
                os.fsync(fd)
        return path

    def check_room(self, specs: list[DataSpec], written: int = 0) -> None:
        """Raises UserError unless the files that are not there yet, and so many bytes that cases
        write at a time, fit on the disk, with some to spare.
        """
        missing = {
            spec
            for spec in specs
            if spec.content not in ("sparse", "own") and not self._intact(spec)
        }
        needed = written + sum(spec.size for spec in missing)
        free = shutil.disk_usage(self.directory).free
        if needed and needed + (64 << 20) > free:
            raise UserError(
                f"--dir {self.directory.parent}: {size(needed)} needed for data, {size(free)} free (64 MiB stay so); "
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

    def _intact(self, spec: DataSpec) -> Manifest | None:
        path = self.path(spec)
        try:
            manifest = Manifest.model_validate_json(_manifest_path(path).read_text())
            found = path.stat()
        except (OSError, ValidationError):
            return None
        known = (
            manifest.content,
            manifest.size,
            manifest.format,
            manifest.file_size,
            manifest.mtime_ns,
            manifest.inode,
        )
        seen = (
            spec.content,
            spec.size,
            spec.format,
            found.st_size,
            found.st_mtime_ns,
            found.st_ino,
        )
        holes = spec.content != "sparse" and found.st_blocks * 512 < found.st_size
        return manifest if known == seen and not holes else None


def random_sums(path: Path, offsets: Path, block: int) -> tuple[int, int]:
    """Sum of all bytes, and of those at file offsets divisible by 64, that random access to a data
    file consumes.
    """
    data = np.memmap(path, np.uint8, mode="r")
    total = touched = 0
    for start in np.fromfile(offsets, "<i8"):
        part = data[start : start + block]
        total += int(part.sum(dtype=np.uint64))
        touched += int(part[-start % 64 :: 64].sum(dtype=np.uint64))
    return total, touched


def clean(parent: Path) -> int:
    """Empty and remove our data directory below `parent`; returns the bytes freed. Touches nothing
    that is not ours.
    """
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


def _tallied(spec: DataSpec, tally: content.Tally) -> Iterator[np.ndarray]:
    for tile in content.tiles(spec.content, spec.size):
        tally.add(tile)
        yield tile


def _write_all(fd: int, data: np.ndarray) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


@contextmanager
def _new_file(path: Path) -> Iterator[int]:
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
        partial = path.with_suffix(_PARTIAL)
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


def _manifest_path(path: Path) -> Path:
    return path.with_suffix(".json")
