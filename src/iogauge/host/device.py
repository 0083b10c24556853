"""The block device below a directory: its counters, waiting until it is idle, and the flag that
makes writes to a file synchronous. Linux, without root.
"""

from __future__ import annotations

import array
import os
import stat
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from iogauge.host import calls, files, kernel
from iogauge.host.counting import gained, numbered, value
from iogauge.host.mounts import mount_of
from iogauge.host.probing import probe
from iogauge.model.figures import counters

_COUNTERS = counters("device")
_IN_FLIGHT = 8  # fields of the device's `stat` before this one
_GETFLAGS = 0x80086601  # FS_IOC_GETFLAGS, where a long has 64 bits
_SETFLAGS = 0x40086602  # FS_IOC_SETFLAGS
SYNCHRONOUS = 0x00000008
"""FS_SYNC_FL, as set by `chattr +S`: every write to the file waits for the device."""
IMMUTABLE = 0x00000010
"""FS_IMMUTABLE_FL, as set by `chattr +i`."""
_BLOCK = "/sys/dev/block"
_PROBES, _PROBE_BYTES = 3, 64 << 10


@dataclass(frozen=True)
class Activity:
    """What a whole device has done for all processes since the machine started.

    `counts` are by the names in model/figures.py; None for what the kernel does not count.
    `in_flight` is no sum: it is how many requests the device works on now.
    """

    counts: dict[str, int | None]
    in_flight: int

    def since(self, before: Activity) -> dict[str, int | None]:
        """The differences to an earlier look, by name."""
        return gained(_COUNTERS, self.counts, before.counts)


class Device:
    """The device that holds a directory. `number` is as the kernel shows it (`8:1`); None where no
    block device is known. Close it when done.
    """

    def __init__(self, directory: Path):
        self.number = _number(directory)
        self._directory = self._stat = None
        with suppress(OSError):  # Windows opens no folders
            self._directory = os.open(directory, os.O_RDONLY)
        with suppress(OSError):  # memory and networks have no such device
            self._stat = os.open(f"{_BLOCK}/{self.number}/stat", os.O_RDONLY)

    def close(self) -> None:
        for fd in (self._directory, self._stat):
            if fd is not None:
                os.close(fd)

    def look(self) -> Activity | None:
        """The counters now; None if there is no device with counters."""
        if self._stat is None:
            return None
        fields = os.pread(self._stat, 512, 0).decode("ascii").split()
        told = numbered(fields)
        return Activity(
            {each.name: value(each, told) for each in _COUNTERS}, int(fields[_IN_FLIGHT])
        )

    def settle(self, patience: float = 2.0) -> bool:
        """Write back all dirty data of the file system, then wait until the device is idle.

        Returns False if the device is still busy after `patience` seconds.
        """
        files.sync_all(self._directory)
        deadline = time.monotonic() + patience
        while (seen := self.look()) is not None and seen.in_flight:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.001)
        return True


def _number(directory: Path) -> str | None:
    """The device that a file system says it is on, or else the one that is seen to write."""
    mount = mount_of(directory)
    told = kernel.device_number(os.stat(directory).st_dev)
    if _is_block(told):
        return told
    with suppress(OSError):  # a file system may be on several devices; it is mounted by one
        source = os.stat(mount.source)
        if stat.S_ISBLK(source.st_mode):
            return kernel.device_number(source.st_rdev)
    if mount.in_memory or mount.volatile:
        return None
    with suppress(OSError):
        return seen_to_write(directory)
    return None


def seen_to_write(directory: Path) -> str | None:
    """The device that writes when a file of this directory is synced; None if none is seen to. It
    is looked for once, because that writes and syncs. Raises OSError.
    """
    return _seen_to_write(directory.resolve(), os.stat(directory).st_dev)


@cache
def _seen_to_write(directory: Path, file_system: int) -> str | None:
    with probe(directory) as (fd, _):
        return written_meanwhile(fd)


def written_meanwhile(fd: int) -> str | None:
    """The device that writes when something is written to this file and synced; None if there is
    none. Of several devices (one may lie over another) it is the one that wrote least beside that.
    Raises OSError.

    Others may write at the same time. So each probe is compared with one in which we write into
    memory only: an fsync that does nothing takes no longer, and sees no more of what others write.
    Three more of the probes must tell that a device wrote than tell that none did, or the other way
    round.
    """
    most: dict[str, int] = {}
    balance = number = 0
    while abs(balance) < _PROBES:
        data, before = os.urandom(_PROBE_BYTES), _written()
        if not before:  # the system does not tell
            return None
        bytearray(data)
        between = _written()
        os.pwrite(fd, data, number % _PROBES * _PROBE_BYTES)
        os.fsync(fd)
        others, gains = _gains(before, between), _gains(between, _written())
        least = max(_PROBE_BYTES, sum(others.values()) + _PROBE_BYTES // 2)
        seen = sum(gains.values()) >= least
        balance += 1 if seen else -1
        number += 1
        for each, gain in gains.items() if seen else ():
            most[each] = max(most.get(each, 0), gain)
    if balance < 0:
        return None
    # Where a file is spread over several devices, none of them writes all of it.
    whole = [each for each in most if most[each] >= _PROBE_BYTES]
    return min(whole, key=most.__getitem__) if whole else max(most, key=most.__getitem__)


def _written() -> dict[str, int]:
    """The bytes that each block device has written so far, by its number."""
    lines = (kernel.text("/proc/diskstats") or "").splitlines()
    return {f"{line[0]}:{line[1]}": int(line[9]) * 512 for line in map(str.split, lines)}


def _gains(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    return {each: now - before.get(each, now) for each, now in after.items()}


def _is_block(number: str) -> bool:
    return os.path.exists(f"{_BLOCK}/{number}")


def has_counters(directory: Path) -> bool:
    """Whether the device of a directory has counters."""
    device = Device(directory)
    try:
        return device.look() is not None
    finally:
        device.close()


def has_flag(path: Path, flag: int) -> bool:
    """Whether a file or folder has this flag. False if its file system has no flags.

    New files inherit some flags of their folder.
    """
    try:
        fd = os.open(path, os.O_RDONLY)
    except PermissionError:  # Windows opens no folders
        return False
    try:
        flags = array.array("L", [0])
        calls.ioctl(fd, _GETFLAGS, flags)
        return bool(flags[0] & flag)
    except OSError:
        return False
    finally:
        os.close(fd)


def set_flag(path: Path, flag: int, on: bool = True) -> bool:
    """Set or clear a flag of a file, and read it back. Returns whether it is now as asked.

    Raises OSError if the file system refuses.
    """
    fd = os.open(path, os.O_RDONLY)
    try:
        flags = array.array("L", [0])
        calls.ioctl(fd, _GETFLAGS, flags)
        flags[0] = flags[0] | flag if on else flags[0] & ~flag
        calls.ioctl(fd, _SETFLAGS, flags)
        calls.ioctl(fd, _GETFLAGS, flags)
        return bool(flags[0] & flag) == on
    finally:
        os.close(fd)
