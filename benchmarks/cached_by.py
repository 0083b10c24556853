"""What does it decide how a file came into the page cache?

    python benchmarks/cached_by.py [--dir DIR] [--loop ext4,xfs,btrfs,tmpfs,overlay] [--times 3]
                                   [--beside]

A file of 16 MiB comes into the cache in each of many ways: by our own calls, or by programs that
everybody uses. For each way and file system it prints, as Markdown, in which folios the file lies
then, and what one pass over it takes in C, looking at one byte in 64: through a mapping, and by
reads of 128 KiB. A time is the lowest quartile of many passes, in the median over the times that
the file was brought in anew.

With --beside it prints what a pass through a mapping takes while nobody else maps the file, and
while another process does: the kernel then has less to count at each folio.

With --loop it makes small file systems of its own in files (overlay: on ext4), and removes them,
also after Ctrl-C; that needs root. It measures, so nothing else may run meanwhile.
"""

from __future__ import annotations

import argparse
import mmap
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from effects.shared import cached, warmed_up
from ledger import scratch
from peers.works import Work

from iogauge.host import bringing_in, pagecache
from iogauge.host.folios import Looker, median
from iogauge.host.kernel import mount_of, text
from iogauge.model.ratios import times
from iogauge.model.units import duration, size
from iogauge.runners.fork import Fork
from iogauge.runners.live_fork import LiveFork

SIZE = 16 << 20
PASSES = 100  # over the file, each time that it was brought in
IMAGE = 1 << 30  # bytes of a file system of our own, hardly any of which are written
SYSTEMS = ("ext4", "xfs", "btrfs", "tmpfs", "overlay")
HEADINGS = {"tmpfs": "tmpfs", "overlay": "overlay on ext4, in a file"}
HARDLY_ANY = 0.02  # of a file's bytes: folios that hold less are not named
WAYS: tuple[tuple[str, dict[str, int]], ...] = (
    ("c/mmap", {}),
    ("c/read-aligned", {"block": 128 << 10}),
)
LINE = 100  # bytes that Python writes at a time
NOT_CACHED = "nothing is cached: it shares the blocks of its source"

Way = Callable[[Path, Path], None]
"""Brings a new file into the cache. It is given its path, and a file with the bytes."""


def written(piece: int) -> Way:
    def way(path: Path, source: Path) -> None:
        data = memoryview(source.read_bytes())
        with open(path, "wb", buffering=0) as file:
            for at in range(0, len(data), piece):
                file.write(data[at : at + piece])

    return way


def read(bring_in: Callable[[Path], None]) -> Way:
    """A way that reads a file which is on the disk, and not in the cache."""

    def way(path: Path, source: Path) -> None:
        written(1 << 20)(path, source)
        if pagecache.evict(path).pages:
            raise NotPossible("–: nothing can be put out of the cache")
        bring_in(path)

    return way


def in_order(block: int) -> Way:
    def bring_in(path: Path) -> None:
        with open(path, "rb", buffering=0) as file:
            while file.read(block):
                pass

    return read(bring_in)


def through_a_mapping(path: Path) -> None:
    with mapped(path):
        pass


@contextmanager
def mapped(path: Path) -> Iterator[None]:
    """Meanwhile we map the file, and have used each page."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapping:
        for at in range(0, len(mapping), mmap.PAGESIZE):
            mapping[at]
        yield


def program(*words: str, before: tuple[tuple[str, ...], ...] = ()) -> Way:
    """A command, after others. `{source}`, `{path}` and `{aside}` (a new folder) are filled in."""

    def way(path: Path, source: Path) -> None:
        if not shutil.which(words[0]):
            raise NotPossible("–: not installed")
        with tempfile.TemporaryDirectory(dir=path.parent) as aside:
            names = {"source": source, "path": path, "aside": aside, "name": path.name}
            for each in (*before, words):
                asked = [word.format(**names) for word in each]
                subprocess.run(asked, check=True, capture_output=True, env=QUIET)

    return way


QUIET = os.environ | {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
_IN_GIT = ("git", "-C", "{aside}")
_COMMITTED = (
    ("git", "init", "-q", "{aside}"),
    ("cp", "{source}", "{aside}/{name}"),
    (*_IN_GIT, "add", "{name}"),
    ("rm", "{aside}/{name}"),
)


def by_lines(path: Path, source: Path) -> None:
    data = source.read_bytes()
    with path.open("wb") as file:
        for at in range(0, len(data), LINE):
            file.write(data[at : at + LINE])


def sent(path: Path, source: Path) -> None:
    shutil.copyfile(source, path)


CALLS: dict[str, Way] = {
    "write, 1 MiB (`write-large`)": written(1 << 20),
    "write, 64 KiB": written(64 << 10),
    "write, 16 KiB": written(16 << 10),
    "write, 8 KiB": written(8 << 10),
    "write, 8 000 bytes (`write-small`)": written(8000),
    "write, 4 KiB": written(4 << 10),
    "read in order, 4 KiB": in_order(4 << 10),
    "read in order, 128 KiB (`read-sequential`)": in_order(128 << 10),
    "read in order, 1 MiB": in_order(1 << 20),
    "read through a mapping": read(through_a_mapping),
    "read at random, 4 KiB (`read-random`)": read(
        lambda path: bringing_in.bring_in(path, "read-random")
    ),
}
PROGRAMS: dict[str, Way] = {
    "`cp`": program("cp", "{source}", "{path}"),
    "`cp --reflink=never`": program("cp", "--reflink=never", "{source}", "{path}"),
    "`cat a > b`": program("sh", "-c", "cat '{source}' > '{path}'"),
    "`dd bs=16K`": program("dd", "if={source}", "of={path}", "bs=16K"),
    "`dd bs=1M`": program("dd", "if={source}", "of={path}", "bs=1M"),
    "`tar -x`": program(
        *("tar", "-xf", "{aside}/packed", "-C", "{aside}/..", "{name}"),
        before=(
            ("cp", "--reflink=never", "{source}", "{aside}/{name}"),
            ("tar", "-cf", "{aside}/packed", "-C", "{aside}", "{name}"),
        ),
    ),
    "`gzip -dc > b`": program(
        *("sh", "-c", "gzip -dc '{aside}/packed' > '{path}'"),
        before=(("sh", "-c", "gzip -1 -c '{source}' > '{aside}/packed'"),),
    ),
    "`git checkout`": program(
        *("mv", "{aside}/{name}", "{path}"),
        before=(*_COMMITTED, (*_IN_GIT, "checkout", "-q", "--", "{name}")),
    ),
    "`rsync`": program("rsync", "{source}", "{path}"),
    f"Python, `write` of {LINE} bytes at a time": by_lines,
    "Python, `write` of the whole file": written(SIZE),
    "Python, `shutil.copyfile`": sent,
}


class NotPossible(Exception):
    """A way cannot be had here; it says why."""


@dataclass
class Found:
    """What was seen of a way: bytes by folio size, and seconds of a pass by strategy."""

    folios: Counter[int] = field(default_factory=Counter)
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def row(self, name: str) -> str:
        mapped, plain = (statistics.median(self.seconds[strategy]) for strategy, _ in WAYS)
        cells = (duration(mapped), duration(plain), times(mapped / plain))
        return f"| {name} | {shown(self.folios)} | {' | '.join(cells)} |"


def shown(folios: Mapping[int, int]) -> str:
    """`4 KiB`, or `4 KiB to 1 MiB, half in 64 KiB or less`."""
    if not folios:
        return "not seen"
    total = sum(folios.values())
    named = sorted(each for each, of in folios.items() if of >= HARDLY_ANY * total)
    if len(named) == 1:
        return size(named[0])
    return f"{size(named[0])} to {size(named[-1])}, half in {size(median(folios))} or less"


class Place:
    """A folder in which files are brought into the cache, with a fork of each strategy."""

    def __init__(self, folder: Path, stack: ExitStack):
        self.folder = folder
        self.works = [cached(name, SIZE, folder, parameters=more) for name, more in WAYS]
        path = self.works[0].task.path
        assert path is not None  # both read a file
        self.source = path
        self.looker = stack.enter_context(Looker(folder))
        self.forks = [self._started(work, stack) for work in self.works]

    @staticmethod
    def _started(work: Work, stack: ExitStack) -> LiveFork:
        fork = Fork(work.found.ready.launch, work.heap_mib)
        stack.callback(fork.kill)
        return warmed_up(fork, work)

    def tried(self, way: Way, most: int, beside: bool = False) -> Found:
        """`beside`: while we map it, too. Raises NotPossible."""
        found = Found(seconds={name: [] for name, _ in WAYS})
        path = self.folder / "file"
        for _ in range(most):
            try:
                way(path, self.source)
                with open(path, "rb") as file:
                    os.fdatasync(file.fileno())
                if pagecache.observe(path).share < 1:
                    raise NotPossible(NOT_CACHED)
                if seen := self.looker.seen(path, whole=True):
                    found.folios.update(seen.bytes_by_folio)
                with mapped(path) if beside else nullcontext():
                    self._passes(path, found)
            finally:
                path.unlink(missing_ok=True)
        return found

    def _passes(self, path: Path, found: Found) -> None:
        for work, fork in zip(self.works, self.forks, strict=True):
            spans = fork.work(replace(work.task, path=path), None, 1, PASSES).ns
            fork.release()
            seconds = float(np.percentile(spans, 25)) / 1e9
            found.seconds[work.task.strategy.name].append(seconds)


def table(folder: Path, most: int, heading: str) -> None:
    with ExitStack() as stack:
        place = Place(folder, stack)
        ahead = read_ahead(folder)
        print(f"\n### {heading}{f', read_ahead_kb {ahead}' if ahead else ''}\n")
        print("| brought in by | folios | mapped | read by 128 KiB | mapped / read |")
        print("|---|---|---|---|---|", flush=True)
        for name, way in (CALLS | PROGRAMS).items():
            try:
                print(place.tried(way, most).row(name), flush=True)
            except NotPossible as error:
                print(f"| {name} | {error} | | | |", flush=True)


def table_beside(folder: Path, most: int, heading: str) -> None:
    """What a pass through a mapping takes alone, and while another process maps the file, too."""
    name = WAYS[0][0]
    with ExitStack() as stack:
        place = Place(folder, stack)
        print(f"\n### {heading}\n")
        print("| brought in by | folios | mapped | while another process maps it | times |")
        print("|---|---|---|---|---|", flush=True)
        for label, way in CALLS.items():
            try:
                found = [place.tried(way, most, each) for each in (False, True)]
            except NotPossible:
                continue
            alone, beside = (statistics.median(each.seconds[name]) for each in found)
            cells = (duration(alone), duration(beside), times(beside / alone))
            print(f"| {label} | {shown(found[0].folios)} | {' | '.join(cells)} |", flush=True)


def read_ahead(folder: Path) -> str | None:
    """In KiB, of the device of a folder; None where it has none."""
    source = mount_of(folder).source
    if not source.startswith("/dev/"):
        return None
    found = os.stat(source).st_rdev
    return text(f"/sys/class/bdi/{os.major(found)}:{os.minor(found)}/read_ahead_kb")


def done(*words: str | Path) -> None:
    """Raises SystemExit, with what the command says."""
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    if ended.returncode:
        sys.exit(f"{' '.join(map(str, words))}: {ended.stderr.strip()}")


@contextmanager
def mounted(at: Path, *words: str | Path) -> Iterator[Path]:
    """A file system, until the end; a second Ctrl-C does not keep it from being unmounted."""
    at.mkdir()
    done("mount", *words, at)
    try:
        yield at
    finally:
        known = signal.signal(signal.SIGINT, signal.SIG_IGN)
        subprocess.run(["umount", at], check=False)
        if os.path.ismount(at):
            subprocess.run(["umount", "--lazy", at], check=False)
        signal.signal(signal.SIGINT, known)


@contextmanager
def made(kind: str, folder: Path) -> Iterator[Path]:
    """A folder on a new file system of this kind, which lies in a file in `folder`."""
    with ExitStack() as stack:
        at = folder / kind
        if kind == "tmpfs":
            yield stack.enter_context(mounted(at, "-t", kind, "-o", f"size={IMAGE}", "tmpfs"))
            return
        below = "ext4" if kind == "overlay" else kind
        image = folder / f"{kind}.img"
        stack.callback(image.unlink, missing_ok=True)
        with open(image, "wb") as file:
            file.truncate(IMAGE)
        done(f"mkfs.{below}", "-q", image)
        base = folder / f"{kind}-below" if kind == "overlay" else at
        stack.enter_context(mounted(base, "-o", "loop", image))
        if kind == "overlay":
            parts = {each: base / each for each in ("lowerdir", "upperdir", "workdir")}
            for each in parts.values():
                each.mkdir()
            options = ",".join(f"{name}={path}" for name, path in parts.items())
            stack.enter_context(mounted(at, "-t", kind, "-o", options, kind))
        yield at


def interrupted(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dir", type=Path, help="a folder on the file system in question")
    parser.add_argument("--loop", help=f"several of {','.join(SYSTEMS)}")
    parser.add_argument("--times", type=int, default=3, help="that each file is brought in")
    parser.add_argument("--beside", action="store_true", help="beside another process's mapping")
    chosen = parser.parse_args()
    show = table_beside if chosen.beside else table
    kinds = chosen.loop.split(",") if chosen.loop else []
    if unknown := set(kinds) - set(SYSTEMS):
        parser.error(f"--loop {','.join(sorted(unknown))}: there are {','.join(SYSTEMS)}")
    signal.signal(signal.SIGTERM, interrupted)
    print(f"Linux {os.uname().release.partition('-')[0]}, a file of {size(SIZE)}")
    if chosen.dir or not kinds:
        with tempfile.TemporaryDirectory(dir=chosen.dir or "/var/tmp") as name:
            folder = Path(name)
            show(folder, chosen.times, mount_of(folder).kind or "unknown")
    for kind in kinds:
        with scratch() as folder, made(kind, folder) as at:
            show(at, chosen.times, HEADINGS.get(kind, f"{kind}, in a file"))


if __name__ == "__main__":
    main()
