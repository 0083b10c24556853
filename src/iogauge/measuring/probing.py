"""Probes: a runner makes many calls of one kind on a file of ours, again and again in rounds, with
all kinds and sizes interleaved, while the host looks for what disturbs.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from iogauge.host import device, folios, pagecache, provable
from iogauge.host.device import Device
from iogauge.host.evidence import MachineCounters, undisturbed
from iogauge.host.pauses import RUNNING
from iogauge.measuring.constant_checks import Series, Value
from iogauge.model.errors import UserError
from iogauge.model.units import size
from iogauge.model.watched import ConstantName, PathName
from iogauge.runners import wire
from iogauge.runners.fork import Fork
from iogauge.runners.wire import Refusal

SIZES = (1, 16, 100, 512, 4096, 8192, 10240, 32768, 65536, 131072, 1 << 20)
_SPAN = 7e5  # ns: short, so that nothing interrupts most of them, and far above the clock's own
_SYNCED = 6  # calls that wait for the device in a span
_MOST_CALLS = 50_000
_FILE = 64 << 20  # bytes: more than processors cache, so that reads come from memory
_WRITTEN = 16 << 20  # bytes that are made durable at once
_LARGE, _PIECE = 1 << 20, 256 << 10  # bytes of a call on the device, and in the cache
_MOST_NEW = 8 << 20  # bytes that a span of writes puts into the cache
_SPARE = 64 << 20  # bytes that stay free
_STEP = 5 << 20  # bytes: reading begins elsewhere in each round
_MAPPED = 32 << 20  # bytes of a file that is mapped
_MOST_MAPPED = 64 << 20  # bytes that a span of mappings has
_DEVICE_ROUNDS = 3  # a look at the device in one of so many rounds
_ENOUGH, _ENOUGH_WAITING = 16, 10  # undisturbed values
_PACE = 1.15  # times: fixed work takes so much longer in a round that is disturbed
_STOLEN = 0.02  # of the time of a round
_BUSY = 0.05  # of the time in which nothing of ours waits for the device
_INTERRUPTED = 0.95  # of the time of a span: with less of a processor it was interrupted
_PATIENCE = 60.0  # s, for one answer

_KEYS = {
    **dict.fromkeys(("read", "pread", "cached-read", "device-read"), "syscr"),
    **dict.fromkeys(("write", "null-write", "pipe-write", "cache-write"), "syscw"),
    **dict.fromkeys(("fsync", "fdatasync", "device-write"), "syscw"),
}
"""By names, what the kernel counts of these calls. A request is one read, and a reply one write."""
_RECORD = 100
_OF_A_NAME: dict[ConstantName, tuple[int | None, ...]] = {
    **dict.fromkeys(("read", "pread", "write"), SIZES),
    "null-write": (16, 65536),
    "pipe-write": (1, 16, 100, 512, 4096, 8192, 32768, 65536),
    **dict.fromkeys(("open-close", "stat", "seek"), (None,)),
    **dict.fromkeys(("fsync", "fdatasync"), (_RECORD,)),
    **dict.fromkeys(("mapped-small", "mapped-large"), (1 << 20, 4 << 20)),
}
_WRITTEN_BY: dict[str, tuple[int, folios.Kind]] = {
    "mapped-small": (8000, "small"),
    "mapped-large": (1 << 20, "large"),
}
"""By names of what is mapped: bytes of the writes that make its file, and which folios follow."""
NAMES = tuple(_OF_A_NAME)
_PATHS: dict[str, tuple[str, tuple[int, ...], int]] = {
    "cached-read": ("pread", (_PIECE, 2 * _LARGE), _FILE // 8),
    "cache-write": ("write", (_PIECE, 2 * _LARGE), _MOST_NEW),
    "device-read": ("read", (_LARGE,), _FILE),
    "device-write": ("write-synced", (_LARGE,), _WRITTEN),
}
"""By paths, the call of the probe, sizes of it that no constant has, and the bytes of a span."""
_NEEDED: dict[ConstantName, PathName] = {
    "read": "cached-read",
    "pread": "cached-read",
    "write": "cache-write",
}
"""By names, the path whose bandwidth theirs is checked against."""


@dataclass(frozen=True)
class Probed:
    """All series, and which share of the rounds was disturbed."""

    calls: list[Series]
    paths: list[Series]
    disturbed: float


@dataclass
class _Rounds:
    """For each round whether the machine was slow, and whether others kept the device busy."""

    slow: list[bool] = field(default_factory=list)
    busy: list[bool] = field(default_factory=list)

    def disturbed(self, series: Series, value: Value) -> bool:
        return self.slow[value.round] or (series.waits and self.busy[value.round])


class Probing:
    """The rounds of one measurement in a folder of its own. Raises UserError where there is no
    room, WireError when the runner breaks off.
    """

    def __init__(self, fork: Fork, folder: Path, names: Collection[ConstantName] | None):
        self._fork, self._folder = fork, folder
        self._file = folder / "file"
        wanted = [each for each in NAMES if names is None or each in names]
        self.calls = [
            Series(name, each, waits=name.endswith("sync"))
            for name in wanted
            for each in _OF_A_NAME[name]
        ]
        paths = (
            [*_PATHS] if names is None else [_NEEDED[each] for each in wanted if each in _NEEDED]
        )
        self.paths = [
            Series(cast(PathName, name), each, name.startswith("device"), _PATHS[name][2])
            for name in dict.fromkeys(paths)
            for each in _PATHS[name][1]
        ]
        self._length: dict[int, int] = {}  # calls of a span, by the series
        self._number = 0

    def rounds(self, ends: float, show: Callable[[int], None]) -> Probed:
        """Measure until there is enough, or the clock RUNNING says `ends`."""
        self._prepare()
        looks: list[dict[str, int]] = []
        stolen: list[bool] = []
        rounds = _Rounds()
        with closing(MachineCounters()) as machine, closing(Device(self._folder)) as disk:
            while not looks or (RUNNING() < ends and not self._enough(rounds)):
                began, before = RUNNING(), machine.read()
                looks.append(machine.canary())
                self._measure_all(True, disk, ends)
                rounds.busy.append(self._measure_all(False, disk, ends) > _BUSY)
                gone = machine.since(before) or {}
                stolen.append((gone.get("steal_ns") or 0) > _STOLEN * 1e9 * (RUNNING() - began))
                rounds.slow = _slow(looks, stolen)
                self._number += 1
                show(self._number)
        self._look_at_folios()  # pages that were lost came back in others
        for series in self.every:
            series.values = [
                replace(each, disturbed=each.disturbed or rounds.disturbed(series, each))
                for each in series.values
            ]
        return Probed(self.calls, self.paths, sum(rounds.slow) / len(rounds.slow))

    @property
    def every(self) -> list[Series]:
        return [*self.calls, *self.paths]

    def _enough(self, rounds: _Rounds) -> bool:
        return all(
            each.failed
            or sum(not rounds.disturbed(each, value) for value in each.good)
            >= (_ENOUGH_WAITING if each.waits else _ENOUGH)
            for each in self.every
        )

    def _prepare(self) -> None:
        """Make the file that is read, and note what cannot be measured here."""
        free, needed = shutil.disk_usage(self._folder).free, _FILE + _WRITTEN + 4 * _MOST_NEW
        needed += _MAPPED * len(self._mapped)
        if free < needed + _SPARE:
            parent = self._folder.parents[1]
            raise UserError(
                f"--dir {parent}: {size(needed)} needed for data, {size(free)} free "
                f"({size(_SPARE)} must stay free); give another --dir"
            )
        with self._file.open("xb") as file:
            for _ in range(_FILE // _LARGE):
                file.write(os.urandom(_LARGE))
            file.flush()
            os.fsync(file.fileno())
        reasons = {
            "device-read": provable.why_not_cold_in(self._folder),
            **dict.fromkeys(
                ("fsync", "fdatasync", "device-write"),
                device.why_not_durable("fsync", self._folder),
            ),
        }
        for series in self.every:
            series.failed = reasons.get(series.name)
        self._make_mapped()
        self._cache()

    @property
    def _mapped(self) -> list[str]:
        """The names of what is mapped, each of a file of its own."""
        return [*dict.fromkeys(each.name for each in self.calls if each.name in _WRITTEN_BY)]

    def _make_mapped(self) -> None:
        """Make the files that are mapped, by writes of the size that leaves such folios."""
        for name in self._mapped:
            piece, _ = _WRITTEN_BY[name]
            with (self._folder / name).open("xb", buffering=0) as file:
                for at in range(0, _MAPPED, piece):
                    file.write(os.urandom(min(piece, _MAPPED - at)))
                os.fsync(file.fileno())
        self._look_at_folios()

    def _look_at_folios(self) -> None:
        """A number is that of such folios only where its file is seen to lie in them."""
        with folios.Looker(self._folder) as looker:
            for name in self._mapped:
                seen = looker.seen(self._folder / name)
                if seen is None:
                    reason = "nobody can tell how its file is cached"
                elif seen.kind != _WRITTEN_BY[name][1]:
                    reason = f"its file is cached in folios of {size(seen.folio_bytes)}"
                else:
                    continue
                for series in self.calls:
                    if series.name == name:
                        series.failed = reason

    def _cache(self) -> None:
        """Have the whole file in the page cache: as it is after it was read from the device."""
        if pagecache.WHY_NOT or pagecache.observe(self._file).share < 1:
            pagecache.cache(self._file)

    def _measure_all(self, waiting: bool, disk: Device, ends: float) -> float:
        """One value of each series that waits for the device, or of each other one; and the share
        of the time in which the device was busy. Paths to the device, which take long and wear it,
        are not in each round. All have another order each time.
        """
        if not waiting:
            self._cache()
            disk.settle()
        skips = self._number % _DEVICE_ROUNDS > 0
        some = [each for each in self.every if each.waits is waiting]
        some = [each for each in some if not (waiting and each.moves and skips)]
        began, before = RUNNING(), disk.busy()
        for series in random.Random(self._number).sample(some, len(some)):
            if RUNNING() > ends:
                break
            self._measure(series, disk)
        after = disk.busy()
        if before is None or after is None or not some:
            return 0.0
        return (after - before) / max(1e-3, RUNNING() - began)

    def _measure(self, series: Series, disk: Device) -> None:
        if series.failed:
            return
        try:
            if id(series) not in self._length:
                self._length[id(series)] = self._sized(series)
            series.values.append(self._value(series, disk))
        except Refusal as error:  # it names the file, which says nothing to anybody
            series.failed = str(error).rpartition(": ")[2]

    def _sized(self, series: Series) -> int:
        """How many calls a span has, after as many as warm up."""
        bytes_each = _call_of(series)[1]
        if series.moves:
            return series.moves // bytes_each
        calls = _SYNCED if series.waits else 8
        for _ in range(1 if series.waits else 4):
            took, _ = self._asked(series, calls)
            if not series.waits:
                calls = round(min(8 * calls, _SPAN / max(1.0, took.ns / calls)))
                most = _MOST_NEW if series.name == "write" else _FILE // 4
                most = _MOST_MAPPED if series.name in _WRITTEN_BY else most
                calls = max(1, min(calls, _MOST_CALLS, most // max(1, bytes_each)))
        return calls

    def _value(self, series: Series, disk: Device) -> Value:
        calls = self._length[id(series)]
        doubled = not series.moves and bool(self._number % 2)
        calls *= 2 if doubled else 1
        stays = 0
        if series.name == "device-read":
            stays = pagecache.evict(self._file).pages
        before = disk.read() if series.name == "device-write" else None
        took, counted = self._asked(series, calls)
        from_device = counted.get("read_bytes") or 0
        moved = None
        if series.name == "device-read" and counted.get("read_bytes") is not None:
            moved = from_device / series.moves
        elif series.name == "device-write" and (gained := disk.since(before)):
            moved = (gained["written_bytes"] or 0) / series.moves
        interrupted = not series.waits and took.processor_ns < _INTERRUPTED * took.ns
        not_as_meant = stays or (series.name != "device-read" and from_device)
        key = _KEYS.get(series.name, "")
        count = counted.get(key)
        return Value(
            ns=took.ns / (1 if series.moves else calls),
            round=self._number,
            processor=took.processor_ns / max(1, took.ns),
            doubled=doubled,
            disturbed=bool(interrupted or not_as_meant),
            calls=calls + _untimed(series, calls),
            counted=None if count is None else count - 1,
            moved=moved,
        )

    def _asked(self, series: Series, calls: int) -> tuple[wire.Probed, dict[str, int | None]]:
        """So many calls by the runner, and what the kernel counted of it meanwhile."""
        call, bytes_each = _call_of(series)
        path = self._file
        if call in ("write", "write-synced", "fsync", "fdatasync"):
            path = self._folder / call
        elif series.name in _WRITTEN_BY:
            path = self._folder / series.name
        reads = call in ("read", "pread") and series.name != "device-read"
        request = wire.probe(
            call,
            str(path),
            bytes_each,
            calls,
            untimed=_untimed(series, calls),
            offset=self._number * _STEP % (_FILE // 2) if reads else 0,
        )
        before = self._fork.counters.read()
        reply: wire.Probed = self._fork.ask(request, _PATIENCE)
        return reply, self._fork.counters.since(before)


def _call_of(series: Series) -> tuple[str, int]:
    """The call of the probe, and its bytes."""
    name: str = "mapped" if series.name in _WRITTEN_BY else series.name
    return _PATHS[name][0] if name in _PATHS else name, series.size or 0


def _slow(looks: Sequence[dict[str, int]], stolen: Sequence[bool]) -> list[bool]:
    """For each round whether the machine was slower in it than usual."""
    pace = {kind: undisturbed(each[kind] for each in looks) for kind in looks[0]}
    return [
        gone or any(look[kind] > _PACE * usual for kind, usual in pace.items())
        for look, gone in zip(looks, stolen, strict=True)
    ]


def _untimed(series: Series, calls: int) -> int:
    """Calls before the timed ones: processor and caches come from other work."""
    if series.name.startswith("device"):
        return 0
    return 1 if series.waits else max(1, calls // 4)
