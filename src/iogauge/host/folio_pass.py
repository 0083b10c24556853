"""What a mapped pass over cached pages costs, and which folio sizes that fits: where the kernel has
no table and no notes to ask (folios.py). Linux with pages of 4 KiB.

Faults and the time of munmap(2) (here of MADV_DONTNEED, which does the same to the pages and keeps
the mapping) are costs of each folio and each page, so that a part that holds a mixture costs what
lies between. Both move with the machine and the kernel. So files of our own, written in pieces of
known sizes, are mapped in turns with the file in question, and each of its parts gets the size of
those that cost the most alike.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import NamedTuple

from iogauge.host import mapped
from iogauge.host.mapped import PAGE, Window

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

PIECES = {8000: 4096} | {size << 10: size << 10 for size in (8, 16, 32, 64, 128, 256)}
"""Bytes of a write call, and of the folios that it leaves where there are large ones."""

WINDOW = 256 << 10
_MADE = 4 << 20  # bytes of a file of our own
_GROUP, _GROUPS = 2 << 20, 16  # bytes: no folio is larger; and how many are looked at
_PASSES, _EVERY = 5, 4  # over a group; own files are passed over beside each fourth group
_LEAST_NS = 20
_MIB = 1 << 20
_APART = 1.3  # costs of two sizes that are told from each other differ by this factor
_FAULTS_WEIGH = 2.0  # they are counted, not timed


class Cost(NamedTuple):
    """Minor faults, and ns to take the pages out of the page table; both of 256 KiB."""

    faults: float
    unmap_ns: float


@dataclass(frozen=True)
class Measured:
    """Bytes by folio size, and what the parts cost, per MiB. The time is that of what munmap(2)
    does to pages, without what a call takes by itself.
    """

    sizes: Mapping[int, int]
    faults_per_mib: float
    unmap_us_per_mib: float


def distance(one: Cost, other: Cost) -> float:
    """How unlike two costs are; 0 where they are the same."""
    return _FAULTS_WEIGH * abs(log(max(1, one.faults) / max(1, other.faults))) + abs(
        log(max(_LEAST_NS, one.unmap_ns) / max(_LEAST_NS, other.unmap_ns))
    )


def nearest(cost: Cost, known: Mapping[int, Cost]) -> int:
    """The folio size in bytes whose cost is the most like this."""
    return min(known, key=lambda size: distance(cost, known[size]))


def alike(known: Mapping[int, Cost]) -> bool:
    """Whether the smallest and the largest size cost the same: so there are not two."""
    return distance(known[min(known)], known[max(known)]) < log(_APART)


class Part(NamedTuple):
    """Cached pages of a file: an address of the mapping, and a length in bytes."""

    address: int
    length: int


class MappedPass:
    """Compares files with ones of its own in a directory, made at the first look."""

    def __init__(self, directory: Path):
        self._directory = directory
        self._open = ExitStack()
        self._made: list[tuple[int, int]] = []  # folio size in bytes, descriptor
        self.alike: bool | None = None
        """Whether all files of our own cost the same; None before the first look."""

    def close(self) -> None:
        self._open.close()
        self._made = []

    def look(self, fd: int, *, whole: bool = False) -> Measured | None:
        """None where nothing is cached in windows of 256 KiB (or the whole of a shorter file), or
        sizes cannot be told from each other here. Raises OSError.
        """
        if PAGE != 4096 or resource is None or not hasattr(resource, "RUSAGE_THREAD"):
            return None
        with ExitStack() as views:
            asked = _parts(views.enter_context(_view(fd, whole)))
            known = self._known(views) if asked else {}
            if not known:
                return None
            costs, of_known = _measured(asked, known)
        self.alike = alike(of_known)
        if self.alike:
            return None
        sizes: Counter[int] = Counter()
        for length, cost in costs:
            sizes[nearest(cost, of_known)] += length
        return Measured(
            dict(sizes),
            statistics.fmean(each.faults for _, each in costs) * _MIB / WINDOW,
            statistics.fmean(each.unmap_ns for _, each in costs) * _MIB / WINDOW / 1000,
        )

    def _known(self, views: ExitStack) -> dict[int, list[Part]]:
        """Parts of files of our own, by folio size; none where these files do not stay cached."""
        for _ in range(2):
            self._make()
            found = {size: _parts(views.enter_context(_view(fd))) for size, fd in self._made}
            if all(sum(each.length for each in parts) == _MADE for parts in found.values()):
                return found
            self.close()  # some of it was evicted, and would come back in other folios
        return {}

    def _make(self) -> None:
        if self._made:
            return
        content = os.urandom(_MADE)
        for piece, folio in PIECES.items():
            made = tempfile.TemporaryFile(dir=self._directory, buffering=0)  # noqa: SIM115
            file = self._open.enter_context(made)
            for at in range(0, _MADE, piece):
                file.write(content[at : at + piece])
            self._made.append((folio, file.fileno()))


def _view(fd: int, whole: bool = False) -> AbstractContextManager[list[Window]]:
    return mapped.view(fd, mapped.PIECE, whole=whole, populated=False)


def _parts(windows: Sequence[Window]) -> list[Part]:
    """Parts of 256 KiB that are cached as a whole; shorter ones only where there are none. Of a
    large file, those in some groups of 2 MiB, evenly spread.
    """
    found: list[Part] = []
    for each in windows:
        for at in range(0, each.length, WINDOW):
            length = min(WINDOW, each.length - at)
            pages = each.cached[at // PAGE : -(-(at + length) // PAGE)]
            if all(pages):
                found.append(Part(each.address + at, len(pages) * PAGE))
    full = [each for each in found if each.length == WINDOW]
    return full or found


def _groups(parts: Sequence[Part]) -> list[list[int]]:
    """The indices of parts that can lie in one folio, of some groups that are evenly spread."""
    groups: dict[int, list[int]] = {}
    for index, part in enumerate(parts):
        groups.setdefault(part.address // _GROUP, []).append(index)
    found = list(groups.values())
    step = -(-len(found) // _GROUPS)
    return found[step // 2 :: step]


def _measured(
    asked: Sequence[Part], known: Mapping[int, Sequence[Part]]
) -> tuple[list[tuple[int, Cost]], dict[int, Cost]]:
    """Costs of parts of the file, with the length of each, and of folio sizes. Passes over files
    of our own come in between, because the machine may change its pace.
    """
    costs: dict[int, list[Cost]] = {}
    of_known: dict[int, dict[int, list[Cost]]] = {size: {} for size in known}
    groups = _groups(asked)
    for _ in range(_PASSES):  # the passes over one part are far apart: no slow moment has all
        for number, group in enumerate(groups):
            _pass(asked, group, costs)
            if number % _EVERY == 0:
                for size, parts in known.items():
                    _pass(parts, _groups(parts)[0], of_known[size])
    return (
        [(asked[index].length, _middle(found)) for index, found in costs.items()],
        {
            size: _middle([_middle(each) for each in found.values()])
            for size, found in of_known.items()
        },
    )


def _pass(parts: Sequence[Part], group: Sequence[int], costs: dict[int, list[Cost]]) -> None:
    """Map the pages of each part, and then take those of each out. A folio that goes beyond its
    part is mapped as a whole: its faults are those of its first part.
    """
    faults = []
    for index in group:
        before = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt
        with suppress(OSError):  # cut off meanwhile
            mapped.populate(*parts[index])
        faults.append(resource.getrusage(resource.RUSAGE_THREAD).ru_minflt - before)
    for index, faulted in zip(group, faults, strict=True):
        address, length = parts[index]
        # Each call flushes the TLB, which takes longer while another processor knows this process.
        # So the first page goes alone, and what that took counts as what a call takes by itself.
        itself = _dropped(address, PAGE)
        took = _dropped(address + PAGE, length - PAGE) - itself if length > PAGE else 0
        scale = WINDOW / length
        costs.setdefault(index, []).append(Cost(faulted * scale, took * scale))


def _dropped(address: int, length: int) -> int:
    """The ns that it takes to take these pages out of the page table."""
    start = time.perf_counter_ns()
    mapped.drop(address, length)
    return time.perf_counter_ns() - start


def _middle(costs: Sequence[Cost]) -> Cost:
    return Cost(
        statistics.median(each.faults for each in costs),
        statistics.median(each.unmap_ns for each in costs),
    )
