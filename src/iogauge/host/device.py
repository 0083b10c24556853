"""The block device below a directory: its counters, waiting until it is idle, the flags of files,
and whether what is written there becomes durable. Linux, without root.
"""

from __future__ import annotations

import array
import os
import stat
import time
from contextlib import closing, suppress
from functools import cache
from pathlib import Path

from iogauge.host import files, kernel
from iogauge.host.evidence import gained, numbered, value
from iogauge.host.kernel import Mount, mount_of
from iogauge.model.figures import counters
from iogauge.model.workload import Durability

_COUNTERS = counters("device")
_IN_FLIGHT, _BUSY = 8, 9  # fields of the device's `stat` before this one
_GETFLAGS = 0x80086601  # FS_IOC_GETFLAGS, where a long has 64 bits
_SETFLAGS = 0x40086602  # FS_IOC_SETFLAGS
SYNCHRONOUS = 0x00000008
"""FS_SYNC_FL, as set by `chattr +S`: every write to the file waits for the device."""
IMMUTABLE = 0x00000010
"""FS_IMMUTABLE_FL, as set by `chattr +i`."""
_BLOCK = Path("/sys/dev/block")
_PROBES, _PROBE_BYTES = 3, 64 << 10
_IN_MEMORY = ("ram", "zram", "nullb")  # begin the names of devices that lose all with the power


class Device:
    """The device of a directory, with what it has done for all processes since the machine started.
    `number` is the kernel's (`8:1`); None if unknown. Close it.
    """

    def __init__(self, directory: Path):
        self.number = _number(directory)
        self._directory = self._stat = None
        with suppress(OSError):  # Windows opens no folders
            self._directory = os.open(directory, os.O_RDONLY)
        with suppress(OSError):  # memory and networks have no such device
            self._stat = os.open(_BLOCK / f"{self.number}/stat", os.O_RDONLY)

    def close(self) -> None:
        for fd in (self._directory, self._stat):
            if fd is not None:
                os.close(fd)

    def read(self) -> dict[str, int | None] | None:
        """The counters now, by the names in model/figures.py, and `in_flight`: how many requests it
        works on now. None if there is no device with counters.
        """
        if self._stat is None:
            return None
        fields = os.pread(self._stat, 512, 0).decode("ascii").split()
        named = numbered(fields)
        counts = {each.name: value(each, named) for each in _COUNTERS}
        return {**counts, "in_flight": int(fields[_IN_FLIGHT])}

    def since(self, before: dict[str, int | None] | None) -> dict[str, int | None] | None:
        """What the counters gained since an earlier look; None if there is no such device."""
        now = self.read()
        return gained(_COUNTERS, now, before) if now and before else None

    def busy(self) -> float | None:
        """Seconds so far in which it worked, for whomever. None if there is no such device."""
        if self._stat is None:
            return None
        return int(os.pread(self._stat, 512, 0).split()[_BUSY]) / 1000

    def settle(self, patience: float = 2.0) -> bool:
        """Write back all dirty data of the file system, then wait until the device is idle.

        Returns False if the device is still busy after `patience` seconds.
        """
        files.sync_all(self._directory)
        deadline = time.monotonic() + patience
        while (seen := self.read()) is not None and seen["in_flight"]:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.001)
        return True


def has_counters(directory: Path) -> bool:
    """Whether the device of a directory has counters."""
    with closing(Device(directory)) as device:
        return device.read() is not None


def _number(directory: Path) -> str | None:
    """The device that a file system says it is on, or else the one that is seen to write."""
    mount = mount_of(directory)
    number = kernel.device_number(os.stat(directory).st_dev)
    if (_BLOCK / number).exists():
        return number
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
    with files.probe(directory) as (fd, _):
        return written_meanwhile(fd)


def written_meanwhile(fd: int) -> str | None:
    """The device that writes when something is written to this file and synced; None if there is
    none. Of several devices (one may lie over another) it is the one that wrote least besides.
    Raises OSError.

    Others may write at the same time. So each probe is compared with one in which we write into
    memory only: an fsync that does nothing takes no longer, and sees no more of what others write.
    Three more of the probes must show that a device wrote than show that none did, or the other way
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
    lines = map(str.split, kernel.lines("/proc/diskstats"))
    return {f"{line[0]}:{line[1]}": int(line[9]) * 512 for line in lines}


def _gains(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    return {each: now - before.get(each, now) for each, now in after.items()}


def _flags(fd: int) -> array.array[int]:
    flags = array.array("L", [0])
    kernel.ioctl(fd, _GETFLAGS, flags)
    return flags


def has_flag(path: Path, flag: int) -> bool:
    """Whether a file or folder has this flag. False if its file system has no flags.

    New files inherit some flags of their folder.
    """
    with suppress(OSError), files.opened(path) as fd:
        return bool(_flags(fd)[0] & flag)
    return False


def set_flag(path: Path, flag: int, on: bool = True) -> bool:
    """Set or clear a flag of a file, and read it back. Returns whether it has that value now.

    Raises OSError if the file system refuses.
    """
    with files.opened(path) as fd:
        flags = _flags(fd)
        flags[0] = flags[0] | flag if on else flags[0] & ~flag
        kernel.ioctl(fd, _SETFLAGS, flags)
        return bool(_flags(fd)[0] & flag) == on


def why_not_durable(durability: Durability, directory: Path) -> str | None:
    """The reason why this durability is not possible in this directory; None if it is."""
    if durability == "none":
        return None
    mount = mount_of(directory)
    if durability == "sync-mount" and not mount.sync:
        return (
            "the directory is not on a file system that is mounted with the option sync; give --dir"
            " one that is"
        )
    if mount.in_memory:
        return f"{mount.kind} keeps its files in memory, so nothing there is durable"
    if durability == "sync-inode" and (refused := _why_no_flag(directory)):
        return refused
    if mount.volatile:
        return "the overlay is mounted volatile: fsync writes nothing there"
    return _why_not_seen(mount, directory)


def _why_no_flag(directory: Path) -> str | None:
    path = directory / f".iogauge-probe-{os.getpid()}"
    try:
        path.touch()
        if not set_flag(path, SYNCHRONOUS):
            return "the file system accepts the synchronous flag of a file, but does not keep it"
    except OSError as error:
        return f"the file system refuses the synchronous flag of a file: {error.strerror}"
    finally:
        path.unlink(missing_ok=True)
    return None


def _why_not_seen(mount: Mount, directory: Path) -> str | None:
    """A file is written and synced several times; a device must be seen to write then."""
    try:
        if seen_to_write(directory) is None:
            preloaded = os.environ.get("LD_PRELOAD")
            about = f"LD_PRELOAD is {preloaded}" if preloaded else mount.kind
            return f"no device of this machine was seen to write within an fsync ({about})"
    except OSError as error:
        return f"a file there cannot be synced: {error.strerror}"
    with closing(Device(directory)) as device:
        if device.read() is None:
            return "the device below the directory has no counters that tell what it wrote"
        return _why_forgetful(device.number or "", mount)


def _why_forgetful(number: str, mount: Mount) -> str | None:
    """Why what a device wrote may be lost all the same."""
    folder = (_BLOCK / number).resolve()
    name = folder.name
    if name.startswith(_IN_MEMORY):
        return f"the device, {name}, is in memory"
    behind = kernel.text(folder / "loop/backing_file")
    if behind and (below := mount_of(Path(behind))).in_memory:
        return f"the device, {name}, is a file in {below.kind}, so in memory"
    own, of_partition = folder / "queue/write_cache", folder.parent / "queue/write_cache"
    cache = kernel.text(own) or kernel.text(of_partition)
    if mount.unflushed and cache == "write back":
        return (
            "the file system is mounted without barriers: what the device has in its own cache is"
            " lost with the power"
        )
    return None
