"""How the cached pages of a file lie together: in folios, each of which the kernel maps, counts and
frees as one. Their sizes decide what a mapping of the file costs. Linux.

Three ways tell them. `kpageflags`: the kernel's own table of pages, for root. `referenced`: the
kernel notes that a folio was used, not which of its pages. So all notes are cleared, one page is
used, and the kernel tells how many bytes count as used: that is the folio (/proc/self/clear_refs
and smaps, for everybody). `mapped pass`: faults and the time of munmap(2), compared with those of
files of our own (folio_pass.py), where the system has none of these files.

Each way looks at what is cached and brings in nothing; at most at 64 MiB of a file, in pieces of 4
MiB that are evenly spread. The kernel takes the pages for used ones afterwards.
"""

from __future__ import annotations

import array
import os
import random
import re
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from iogauge.host import folio_pass, mapped
from iogauge.host.files import opened
from iogauge.host.kernel import mount_of
from iogauge.host.mapped import PAGE, Window
from iogauge.model.units import size as readable

Kind: TypeAlias = Literal["large", "middle", "small"]
Way: TypeAlias = Literal["kpageflags", "referenced", "mapped pass"]

WAYS: tuple[Way, ...] = ("kpageflags", "referenced", "mapped pass")
LARGE, SMALL = 256 << 10, 16 << 10
"""Bytes: folios of at least and of at most this size."""

_LONGEST = 2 << 20  # bytes: `referenced` tells no larger folio
_ENOUGH, _MOST_ROUNDS = 128, 6  # pages of a file that are used to tell, one in each window at once
_PRESENT, _FRAME = 1 << 63, (1 << 55) - 1  # of an entry of pagemap
_HEAD, _TAIL, _ZERO = 1 << 15, 1 << 16, 1 << 24  # of an entry of kpageflags
_NEAR = 32  # frames: a gap that is cheaper to read than to leave out
_USED = re.compile(rb"^([0-9a-f]+)-[0-9a-f]+ |^Referenced: +(\d+) kB", re.M)
_MADE, _PIECES = 4 << 20, (1 << 20, 8000)  # bytes of a file that tries a file system; of a write
_READ = 128 << 10
_AT_ONCE = 16 << 10  # bytes of smaps
_KEEPS, _HOWEVER = "keeps what is cached in folios of", "however it came into the cache"
_draw = random.Random()
_one_at_a_time = threading.Lock()  # the notes are those of the whole process


class _Untold(Exception):
    """This way tells nothing on this system."""


@dataclass(frozen=True)
class Seen:
    """How a file is cached. `bytes_by_folio` are the bytes looked at, by the size of their folio in
    bytes; half of them lie in folios of `folio_bytes` or smaller. A mapped pass adds its minor
    faults and the time of munmap(2), and tells no folio larger than 256 KiB.
    """

    folio_bytes: int
    kind: Kind
    by: Way
    bytes_by_folio: Mapping[int, int] = field(default_factory=dict)
    faults_per_mib: float | None = None
    unmap_us_per_mib: float | None = None


def median(sizes: Mapping[int, int]) -> int:
    """The size of folios that half of the bytes lie in or below."""
    total, below = sum(sizes.values()), 0
    for each in sorted(sizes):
        below += sizes[each]
        if 2 * below >= total:
            return each
    raise ValueError("no folios")


def kind(sizes: Mapping[int, int]) -> Kind:
    """`large`: half of the bytes or more in folios of 256 KiB and more. `small`: half or more in
    ones of 16 KiB and less. `middle`: else.
    """
    total = sum(sizes.values())
    if 2 * sum(count for each, count in sizes.items() if each >= LARGE) >= total:
        return "large"
    if 2 * sum(count for each, count in sizes.items() if each <= SMALL) >= total:
        return "small"
    return "middle"


def sizes(path: Path, *, whole: bool = False) -> dict[int, int] | None:
    """Bytes of a file by the size of their folio in bytes, from /proc/kpageflags. At most 64 MiB
    are looked at, in pieces of 4 MiB that are evenly spread.

    None where this may not be read (root may), or nothing is cached. `whole`: the caller knows that
    all of it is cached, which the kernel tells only to who may write to it. Raises OSError.
    """
    if mapped.why_not():
        return None
    with opened(path) as fd, suppress(_Untold):
        return _by_flags(fd, whole) or None
    return None


def of_frames(
    frames: Sequence[int], flags: Mapping[int, int], tails_after: Callable[[int], int]
) -> Counter[int]:
    """Bytes by the size of their folio: of cached pages in these page frames, one after the other
    in the file, with what kpageflags says of each frame.

    The last folio may have more pages than the file, or than were looked at: `tails_after(frame)`
    says how many follow.
    """
    folios: list[int] = []  # pages of each
    last = -1
    for frame in frames:
        if folios and flags[frame] & _TAIL and frame == last + 1:
            folios[-1] += 1
        elif not flags[frame] & _ZERO:
            folios.append(1)
        last = frame
    found: Counter[int] = Counter()
    for number, pages in enumerate(folios, 1):
        more = 0
        if number == len(folios) and flags[last] & (_HEAD | _TAIL):
            more = tails_after(last)
        found[_power_of_two(pages + more) * PAGE] += pages * PAGE
    return found


def _power_of_two(count: int) -> int:
    """The smallest one that is not below `count`."""
    return 1 << (count - 1).bit_length()


def _by_flags(fd: int, whole: bool) -> Counter[int]:
    with ExitStack() as tables:
        try:
            frames_of, flags_of = (
                tables.enter_context(opened(Path(name)))
                for name in ("/proc/self/pagemap", "/proc/kpageflags")
            )
        except OSError as error:
            raise _Untold from error
        with mapped.view(fd, mapped.PIECE, whole=whole) as windows:
            found: Counter[int] = Counter()
            for each in windows:
                for frames in _frames(frames_of, each):
                    flags = _flags(flags_of, frames)
                    found += of_frames(frames, flags, lambda last: _tails_after(flags_of, last))
            return found


def _frames(table: int, window: Window) -> Iterator[list[int]]:
    """The page frames of each run of cached pages. Raises _Untold where they are kept secret."""
    read = os.pread(table, 8 * len(window.cached), window.address // PAGE * 8)
    entries = array.array("Q", read)
    for present, run in groupby(entries, lambda entry: entry & _PRESENT):
        if present:
            frames = [entry & _FRAME for entry in run]
            if not all(frames):
                raise _Untold
            yield frames


def _flags(table: int, frames: Sequence[int]) -> dict[int, int]:
    """What kpageflags says of frames, read by runs of neighbours."""
    found: dict[int, int] = {}
    ordered = sorted(frames)
    start = 0
    for number in range(1, len(ordered) + 1):
        if number < len(ordered) and ordered[number] - ordered[number - 1] <= _NEAR:
            continue
        first, last = ordered[start], ordered[number - 1]
        read = array.array("Q", os.pread(table, 8 * (last - first + 1), 8 * first))
        found.update((frame, read[frame - first]) for frame in ordered[start:number])
        start = number
    return found


def _tails_after(table: int, frame: int) -> int:
    read = array.array("Q", os.pread(table, 8 * (_LONGEST // PAGE), 8 * (frame + 1)))
    return next((number for number, flags in enumerate(read) if not flags & _TAIL), len(read))


class _Notes:
    """What of this process's mapped files was used since the notes were cleared."""

    def __init__(self) -> None:
        try:
            self._clear = os.open("/proc/self/clear_refs", os.O_WRONLY)
        except OSError as error:
            raise _Untold from error
        try:
            self._tell = os.open("/proc/self/smaps", os.O_RDONLY)
        except OSError as error:
            os.close(self._clear)
            raise _Untold from error

    def close(self) -> None:
        os.close(self._clear)
        os.close(self._tell)

    def clear(self) -> None:
        os.write(self._clear, b"3")  # of mapped files

    def used(self, windows: Sequence[Window]) -> list[int]:
        """Bytes of each window that count as used."""
        os.lseek(self._tell, 0, os.SEEK_SET)
        # Areas are told by their addresses. The windows are neighbours, and the first one has the
        # highest address: what lies behind it need not be counted.
        text, at, end = bytearray(), -1, -1
        while end < 0 and (more := os.read(self._tell, _AT_ONCE)):
            text += more
            at = text.find(b"\n%x-" % windows[0].address, max(0, at))
            end = text.find(b"\nVmFlags", at) if at >= 0 else -1
        start = text.find(b"\n%x-" % windows[-1].address) + 1
        found: dict[int, int] = {}
        area = 0
        for line in _USED.finditer(text, start):
            if line[1]:
                area = int(line[1], 16)
            else:
                found[area] = int(line[2]) << 10
        return [found.get(each.address, 0) for each in windows]


def _by_notes(fd: int, whole: bool) -> Counter[int]:
    with _one_at_a_time, mapped.view(fd, LARGE, whole=whole) as windows:
        if not windows:
            return Counter()
        notes = _Notes()
        try:
            return _told(windows, notes)
        except OSError as error:
            raise _Untold from error
        finally:
            notes.close()


def _told(windows: Sequence[Window], notes: _Notes) -> Counter[int]:
    notes.clear()
    # Another process may be using the file just now.
    free = [not used for used in notes.used(windows)]
    rounds = min(_MOST_ROUNDS, -(-_ENOUGH // len(windows)))
    found: Counter[int] = Counter()
    whole: Counter[int] = Counter()  # bytes of windows that were used as a whole
    for number in range(rounds):
        if number:
            notes.clear()
        for each in windows:
            _use(each)
        for index, used in enumerate(notes.used(windows)):
            if not used or not free[index]:
                continue
            if used >= windows[index].cached_bytes:
                whole[index] += windows[index].cached_bytes
            else:
                found[_power_of_two(used // PAGE) * PAGE] += windows[index].cached_bytes
    if not found and not whole:
        raise _Untold
    larger = _larger(windows, set(whole), notes)
    for index, count in whole.items():
        found[larger[index]] += count
    return Counter({each: -(-count // rounds) for each, count in found.items()})


def _larger(windows: Sequence[Window], whole: set[int], notes: _Notes) -> dict[int, int]:
    """The folio sizes at windows that were used as a whole by a use of one page: a folio is aligned
    to its own size, so that in each 2 MiB one window is used, and all are asked.
    """
    groups: dict[int, list[int]] = {}
    for index, each in enumerate(windows):
        groups.setdefault(each.offset // _LONGEST, []).append(index)
    asked = {key: chosen for key, group in groups.items() if (chosen := whole & set(group))}
    if not asked:
        return {}
    notes.clear()
    for candidates in asked.values():
        _use(windows[_draw.choice(sorted(candidates))])
    used = notes.used(windows)
    found = {}
    for key, candidates in asked.items():
        pages = sum(used[index] for index in groups[key]) // PAGE
        found.update(dict.fromkeys(candidates, _power_of_two(max(1, pages)) * PAGE))
    return found


def _use(window: Window) -> None:
    page = _draw.randrange(len(window.cached))
    if not window.cached[page]:
        page = _draw.choice([k for k, cached in enumerate(window.cached) if cached])
    with suppress(OSError):  # cut off meanwhile
        mapped.populate(window.address + page * PAGE, PAGE)


class Looker:
    """Looks at how files are cached. Files of its own, where it needs some to compare with, are in
    `directory`, which should be on the file system of the files that are asked about. It makes them
    when they are needed first, and `close` deletes them.
    """

    def __init__(self, directory: Path, ways: Iterable[Way] = WAYS):
        self._ways = list(ways)
        self._pass = folio_pass.MappedPass(directory)

    def __enter__(self) -> Looker:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        self._pass.close()

    @property
    def alike(self) -> bool:
        """Whether a mapped pass cost the same over all files of its own, so that it tells none."""
        return bool(self._pass.alike)

    def seen(self, path: Path, *, whole: bool = False) -> Seen | None:
        """How this file is cached, by the first way that tells. None where none does, the file is
        empty, or nothing of it is cached.

        `whole`: the caller knows that all of it is cached, which the kernel tells only to who may
        write to it. Raises OSError.
        """
        if mapped.why_not():
            return None
        with opened(path) as fd:
            for way in self._ways:
                with suppress(_Untold):
                    return self._by(way, fd, whole)
        return None

    def folio_bytes(self, path: Path) -> int | None:
        """How large the folios are in which a file is cached, all of which is; None where that is
        not seen.
        """
        with suppress(OSError):
            if seen := self.seen(path, whole=True):
                return seen.folio_bytes
        return None

    def _by(self, way: Way, fd: int, whole: bool) -> Seen | None:
        if way == "mapped pass":
            measured = self._pass.look(fd, whole=whole)
            if measured is None:
                return None
            found: Mapping[int, int] = measured.sizes
            costs = (measured.faults_per_mib, measured.unmap_us_per_mib)
            return Seen(median(found), kind(found), way, found, *costs)
        found = dict((_by_flags if way == "kpageflags" else _by_notes)(fd, whole))
        return Seen(median(found), kind(found), way, found) if found else None


class OneSize(NamedTuple):
    """`why` files are cached in one way only, however they came into the cache; or, unless that is
    `known`, why nobody can tell.
    """

    why: str
    known: bool = True


def only_one_size(directory: Path, ways: Sequence[Way] = WAYS) -> OneSize | None:
    """Whether files in this directory are cached in one way only; None where it depends on how they
    came into the cache.

    Writes two files of 4 MiB, which have no name where that is possible, and reads them again where
    they lie in folios of one size. Raises OSError.
    """
    if unseen := mapped.why_not():
        return OneSize(unseen, known=False)
    with (
        tempfile.TemporaryFile(dir=directory, buffering=0) as large,
        tempfile.TemporaryFile(dir=directory, buffering=0) as small,
        Looker(directory, ways) as looker,
    ):
        content = os.urandom(_MADE)
        for file, piece in zip((large, small), _PIECES, strict=True):
            for at in range(0, _MADE, piece):
                file.write(content[at : at + piece])
        name = mount_of(directory).kind or "the file system"
        try:
            states = [
                looker.seen(Path(f"/proc/self/fd/{each.fileno()}")) for each in (large, small)
            ]
            if states[0] and states[1] and states[0].folio_bytes == states[1].folio_bytes:
                _read_anew(large.fileno())
                states.append(looker.seen(Path(f"/proc/self/fd/{large.fileno()}")))
        except OSError as error:
            why = f"files of {name} cannot be mapped here: {error.strerror}"
            return OneSize(why, known=False)
    found = {each.folio_bytes if each else None for each in states}
    if len(found) > 1:
        return None
    if None in found:
        if looker.alike:
            return OneSize(f"{name} {_KEEPS} one size, {_HOWEVER}")
        why = f"{name} does not show how the pages of a cached file lie together"
        return OneSize(why, known=False)
    return OneSize(f"{name} {_KEEPS} {readable(found.pop() or PAGE)}, {_HOWEVER}")


def _read_anew(file: int) -> None:
    """From the disk, in order, with read-ahead; from the cache where nothing can be evicted."""
    os.fdatasync(file)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    with opened(Path(f"/proc/self/fd/{file}")) as fd:
        while os.read(fd, _READ):
            pass
