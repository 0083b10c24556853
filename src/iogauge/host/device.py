"""The block device below a directory: its counters, waiting until it is idle, and the flag that
makes writes to a file synchronous. Linux, without root.
"""

from __future__ import annotations

import array
import ctypes
import fcntl
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from iogauge.host.counting import gained, numbered, value
from iogauge.model.figures import counters
from iogauge.model.workload import Durability

_COUNTERS = counters("device")
_IN_FLIGHT = 8  # fields of the device's `stat` before this one
_GETFLAGS = 0x80086601  # FS_IOC_GETFLAGS, where a long has 64 bits
_SETFLAGS = 0x40086602  # FS_IOC_SETFLAGS
SYNCHRONOUS = 0x00000008
"""FS_SYNC_FL, as set by `chattr +S`: every write to the file waits for the device."""
IMMUTABLE = 0x00000010
"""FS_IMMUTABLE_FL, as set by `chattr +i`."""
_IN_MEMORY = ("tmpfs", "ramfs")
_libc = ctypes.CDLL(None, use_errno=True)


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
    """The device that holds a directory. Close it when done."""

    def __init__(self, directory: Path):
        number = os.stat(directory).st_dev
        self._directory = os.open(directory, os.O_RDONLY)
        self._stat: int | None = None
        stat = f"/sys/dev/block/{os.major(number)}:{os.minor(number)}/stat"
        with suppress(OSError):  # memory, a network or an overlay has no such device
            self._stat = os.open(stat, os.O_RDONLY)

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
        _libc.syncfs(self._directory)
        deadline = time.monotonic() + patience
        while (seen := self.look()) is not None and seen.in_flight:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.001)
        return True


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
    fd = os.open(path, os.O_RDONLY)
    try:
        flags = array.array("L", [0])
        fcntl.ioctl(fd, _GETFLAGS, flags)
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
        fcntl.ioctl(fd, _GETFLAGS, flags)
        flags[0] = flags[0] | flag if on else flags[0] & ~flag
        fcntl.ioctl(fd, _SETFLAGS, flags)
        fcntl.ioctl(fd, _GETFLAGS, flags)
        return bool(flags[0] & flag) == on
    finally:
        os.close(fd)


def mounted_sync(directory: Path) -> bool:
    """Whether the directory's file system is mounted with the option `sync`."""
    return "sync" in mount_of(directory)[1]


def why_not(durability: Durability, directory: Path) -> str | None:
    """The reason why this durability is not possible in this directory; None if it is."""
    kind, options = mount_of(directory)
    if durability == "sync-mount" and "sync" not in options:
        return (
            "the directory is not on a file system that is mounted with the option sync; give --dir"
            " one that is"
        )
    if durability != "none" and kind in _IN_MEMORY:
        return f"{kind} keeps its files in memory, so nothing there is durable"
    if durability == "sync-inode":
        probe = directory / f".iogauge-probe-{os.getpid()}"
        try:
            probe.touch()
            if not set_flag(probe, SYNCHRONOUS):
                return (
                    "the file system accepts the synchronous flag of a file, but does not keep it"
                )
        except OSError as error:
            return f"the file system refuses the synchronous flag of a file: {error.strerror}"
        finally:
            probe.unlink(missing_ok=True)
    return None


def mount_of(directory: Path) -> tuple[str | None, frozenset[str]]:
    """Type and mount options of the file system that holds the directory."""
    longest = -1
    found: tuple[str | None, frozenset[str]] = (None, frozenset())
    resolved = str(directory.resolve())
    for mount in psutil.disk_partitions(all=True):
        point = mount.mountpoint.rstrip("/")
        if (resolved == point or resolved.startswith(point + "/")) and len(point) >= longest:
            longest, found = len(point), (mount.fstype, frozenset(mount.opts.split(",")))
    return found
