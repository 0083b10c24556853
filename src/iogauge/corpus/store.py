"""The directory of data files: made when needed, checked by manifests, removed when too large."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from iogauge.corpus import content
from iogauge.corpus.data_files import DataSpec, Manifest, framed, manifest_of
from iogauge.corpus.own_file import OwnFile
from iogauge.host import files
from iogauge.host.kernel import lock
from iogauge.model import folders
from iogauge.model.errors import UserError
from iogauge.model.text import visible
from iogauge.model.units import size
from iogauge.model.workload import WRITTEN

_MARK = "iogauge-data-directory"  # a directory without this file is not ours: clean leaves it alone
_SEED = 20240301
_NAME = re.compile(
    r"(bytes|text(-crlf|-unicode|-json|-log|-one-line)?|sparse|own)-\d+"
    r"-(warm|cold|as-left|payload|read-sequential|read-random|write-large|write-small)"
    r"(-java-object-stream|-gzip)?(-copy-\d+)?|offsets-\d+-\d+-\d+"
)
_DATA, _PARTIAL = ".data", ".partial"
_COPY = "own-"  # begins the name of a copy of the user's file, or of its head
_COPIED = ("payload", *WRITTEN)
"""The uses of a file for which the user's own is copied."""
_RUN_FOLDERS = ("written-", "logs-")  # of a run that was killed, perhaps by an older iogauge

_MADE, _IN_USE = "iogauge-compare-", "in-use"
KEEP_BYTES = 1 << 30
"""Data files that take more than this are removed after a run, the largest first."""


class Corpus:
    """The data files of one directory. One process at a time: opening it takes a lock.

    `parent` must exist and be writable; the files are in its subfolder `iogauge-data`. `own` is the
    user's file, which the content `own` stands for. Raises UserError if the directory cannot be
    used.
    """

    def __init__(self, parent: Path, own: OwnFile | None = None):
        self.own, self._copied = own, set[Path]()
        self.directory = parent / "iogauge-data"
        if not folders.is_utf8(parent.absolute()):
            raise UserError("--dir: its path is not UTF-8, and runners take no other; give another")
        try:
            self.directory.mkdir(exist_ok=True)
            if not (self.directory / _MARK).exists() and any(self.directory.iterdir()):
                raise UserError(
                    f"{self.directory} holds files that are not iogauge's; give another --dir"
                )
            if files.owned_by_another(self.directory.stat()):
                raise UserError(f"{self.directory} belongs to another user; give another --dir")
            (self.directory / _MARK).touch()
            self._lock = os.open(self.directory / _MARK, os.O_RDWR)
        except OSError as error:
            raise UserError(
                f"--dir {parent}: {error.strerror}; a writable directory is needed"
            ) from None
        try:
            lock(self._lock)
        except OSError:
            os.close(self._lock)
            raise UserError(
                f"{self.directory} is in use by another iogauge; wait for it or give another --dir"
            ) from None
        for left in (*_ours(self.directory, _PARTIAL), *self._copies()):
            left.unlink()
        for prefix in _RUN_FOLDERS:
            for left in self.directory.glob(f"{prefix}*"):
                shutil.rmtree(left, ignore_errors=True)

    def close(self) -> None:
        """Release the directory. It is removed if it is empty. No copy of the user's data stays."""
        for left in self._copies():
            left.unlink()
        if not _ours(self.directory, _DATA):
            (self.directory / _MARK).unlink()
            if not any(self.directory.iterdir()):
                self.directory.rmdir()
        os.close(self._lock)

    @contextmanager
    def run_folder(self) -> Iterator[Path]:
        """A folder for one run, removed at its end: for files that cases write."""
        with tempfile.TemporaryDirectory(prefix=_RUN_FOLDERS[0], dir=self.directory) as folder:
            yield Path(folder)

    def path(self, spec: DataSpec) -> Path:
        """Where the data file is, or would be."""
        if self.own and spec.content == "own" and spec.use not in _COPIED:
            return self.own.path
        return self.directory / f"{spec.stem}{_DATA}"

    def nameless(self, text: str) -> str:
        """The text without paths of data files, because a run file holds no path of its host."""
        text = text.replace(f"{self.directory}/", "")
        for path in (self.own.path, Path(os.path.abspath(self.own.given))) if self.own else ():
            for shown in (str(path), visible(str(path))):
                text = text.replace(shown, "the file")
            text = text.replace(f"{path.parent}/", "")  # where a long reason was cut
        return text

    def provide(self, spec: DataSpec) -> Manifest:
        """The manifest of the data file, made unless it is intact. Raises UserError if no room."""
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
                os.ftruncate(fd, spec.size)
                tally.add_zeros(spec.size)
            else:
                tiles = map(tally.add, content.tiles(spec.content, spec.size))
                for part in framed(tiles, spec.format):
                    _write_all(fd, part)
                os.fsync(fd)
        manifest = manifest_of(spec, tally, path.stat())
        _manifest_path(path).write_text(manifest.model_dump_json(), "utf-8")
        return manifest

    def _own(self, spec: DataSpec) -> Manifest:
        """The manifest of the user's file or, for a `payload`, of a copy of its head; for what is
        to be written, of a copy of all of it.

        The copy is removed on close.
        """
        if self.own is None:
            raise UserError(
                "content = 'own' is the user's own file: iogauge advise --file PATH --run"
                " measures one"
            )
        whole, path = self.own.manifest(), self.path(spec)
        if spec.use not in _COPIED:
            return whole
        if spec.use != "payload":
            if path not in self._copied:  # now, and not by an earlier run
                path.unlink(missing_ok=True)
                with _new_file(path) as fd, self.own.path.open("rb") as file:
                    files.make_private(fd)
                    while piece := file.read(content.TILE):
                        _write_all(fd, np.frombuffer(piece, np.uint8))
                self._copied.add(path)
            return whole
        data = content.whole_characters(np.frombuffer(self.own.head(spec.size), np.uint8))
        tally = content.Tally(text=self.own.is_text)
        tally.add(data)
        path.unlink(missing_ok=True)
        with _new_file(path) as fd:
            files.make_private(fd)
            _write_all(fd, data)
        return manifest_of(spec, tally, path.stat())

    def _copies(self) -> list[Path]:
        """Copies of users' files and of their heads."""
        return [path for path in _ours(self.directory, _DATA) if path.name.startswith(_COPY)]

    def offsets(self, size: int, block: int, accesses: int) -> Path:
        """A file of offsets for random access: `accesses` different multiples of `block` within
        `size` bytes.

        They are little-endian 64-bit numbers, in a random order that is always the same. `size`
        must hold at least `accesses` whole blocks.
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
        """Raise UserError unless the missing files fit on the disk, with 64 MiB to spare.

        `written` is how many bytes cases write at a time.
        """
        stored = {spec for spec in specs if spec.content not in ("sparse", "own")}
        needed = written + sum(spec.size for spec in stored if not self._intact(spec))
        copies = {spec for spec in specs if spec.content == "own" and spec.use in WRITTEN}
        needed += len(copies) * self.own.file_size if self.own else 0
        free = shutil.disk_usage(self.directory).free
        if needed and needed + (64 << 20) > free:
            raise UserError(
                f"--dir {self.directory.parent}: {size(needed)} needed for data, {size(free)} free"
                " (64 MiB must stay free); give another --dir or a smaller --max-size"
            )

    def trim(self) -> None:
        """Remove the largest files until the others take at most KEEP_BYTES."""
        files = sorted(_ours(self.directory, _DATA), key=lambda path: path.stat().st_size)
        kept = sum(folders.occupied(path.stat()) for path in files)
        while kept > KEEP_BYTES:
            largest = files.pop()
            kept -= folders.occupied(largest.stat())
            _manifest_path(largest).unlink(missing_ok=True)
            largest.unlink()

    def _intact(self, spec: DataSpec) -> Manifest | None:
        path = self.path(spec)
        try:
            manifest = Manifest.model_validate_json(_manifest_path(path).read_text("utf-8"))
            found = path.stat()
        except (OSError, ValidationError):
            return None
        known = manifest.content, manifest.size, manifest.format
        same = known == (spec.content, spec.size, spec.format) and manifest.describes(found)
        holes = spec.content != "sparse" and folders.occupied(found) < found.st_size
        return manifest if same and not holes else None


@contextmanager
def made_folder(parent: Path) -> Iterator[Path]:
    """A folder in `parent` for files that are made to be read, removed at the end. What a process
    leaves that is killed is removed by the next one.
    """
    _remove_made(parent)
    with tempfile.TemporaryDirectory(prefix=_MADE, dir=parent) as folder:
        fd = os.open(Path(folder, _IN_USE), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            lock(fd)
            yield Path(folder)
        finally:
            os.close(fd)


def _remove_made(parent: Path) -> int:
    """Remove such folders that no process uses; the bytes freed."""
    freed = 0
    for left in parent.glob(f"{_MADE}*"):
        try:
            fd = os.open(left / _IN_USE, os.O_RDWR)
        except OSError:  # no folder of ours, or one that is just begun
            continue
        try:
            lock(fd)
            freed += sum(folders.occupied(each.stat()) for each in left.iterdir())
            shutil.rmtree(left, ignore_errors=True)
        except OSError:  # in use
            continue
        finally:
            os.close(fd)
    return freed


def clean(parent: Path) -> int:
    """Remove our data directory below `parent`, and return the bytes that this frees.

    It touches nothing that is not ours. Raises UserError while a run uses the directory.
    """
    return _remove_made(parent) + _clean_data(parent)


def _clean_data(parent: Path) -> int:
    directory = parent / "iogauge-data"
    if not (directory / _MARK).exists():
        return 0
    before = held(parent)
    corpus = Corpus(parent)  # for its lock; it removes copies that a killed run left
    try:
        freed = before - held(parent)
        for path in [*_ours(directory, _DATA), *_ours(directory, ".json")]:
            freed += folders.occupied(path.stat())
            path.unlink()
        return freed
    finally:
        corpus.close()


def held(parent: Path) -> int:
    """Bytes that the data files below `parent` take on the disk."""
    return sum(folders.occupied(path.stat()) for path in _ours(parent / "iogauge-data", _DATA))


def _ours(directory: Path, suffix: str) -> list[Path]:
    """Files with names that only we give. Every other file there is the user's."""
    return [path for path in directory.glob(f"*{suffix}") if _NAME.fullmatch(path.stem)]


def _write_all(fd: int, data: np.ndarray) -> None:
    """Write all bytes of an array (uint8)."""
    view = data.data
    while view:
        view = view[os.write(fd, view) :]


@contextmanager
def _new_file(path: Path) -> Iterator[int]:
    """A new file, as a descriptor to write to. It appears at `path` when the block ends.

    Nothing incomplete stays behind, not even after kill -9: the next Corpus removes it. Raises
    UserError.
    """
    try:
        with files.appearing(path, path.with_suffix(_PARTIAL)) as fd:
            yield fd
    except OSError as error:
        raise UserError(
            f"{path}: {error.strerror}; make room or mend its rights, or give another --dir"
        ) from None


def _manifest_path(path: Path) -> Path:
    return path.with_suffix(".json")
