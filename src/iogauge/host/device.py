"""The block device below a directory, and what makes files durable there: counters, settling, the
synchronous flag. Linux, without root.
"""

from __future__ import annotations

import array
import ctypes
import fcntl
import os
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from iogauge.model.workload import Durability

_SECTOR = 512
_GETFLAGS, _SETFLAGS = (
    0x80086601,
    0x40086602,
)  # FS_IOC_GETFLAGS and FS_IOC_SETFLAGS with 64-bit long
SYNCHRONOUS = (
    0x00000008  # FS_SYNC_FL, what `chattr +S` sets: every write to the file waits for the device
)
IMMUTABLE = 0x00000010  # FS_IMMUTABLE_FL: what `chattr +i` sets
_IN_MEMORY = ("tmpfs", "ramfs")
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Activity:
    """What a whole device has done since the machine started, for everybody. `flushes` is None on
    kernels that do not count them.

    `in_flight` is a level: requests that it works on now.
    """

    writes: int
    written_bytes: int
    flushes: int | None
    in_flight: int

    def since(self, before: Activity) -> dict[str, int | None]:
        return {
            "writes": self.writes - before.writes,
            "written_bytes": self.written_bytes - before.written_bytes,
            "flushes": None
            if self.flushes is None or before.flushes is None
            else self.flushes - before.flushes,
        }


class Device:
    """The device that holds a directory. Close it when done."""

    def __init__(self, directory: Path):
        number = os.stat(directory).st_dev
        self._directory = os.open(directory, os.O_RDONLY)
        try:
            self._stat = os.open(
                f"/sys/dev/block/{os.major(number)}:{os.minor(number)}/stat", os.O_RDONLY
            )
        except OSError:  # memory, a network, an overlay: no device of this number
            self._stat = None

    def close(self) -> None:
        for fd in (self._directory, self._stat):
            if fd is not None:
                os.close(fd)

    def look(self) -> Activity | None:
        """The counters now; None where there is no device that counts."""
        if self._stat is None:
            return None
        fields = [int(field) for field in os.pread(self._stat, 512, 0).split()]
        return Activity(
            fields[4], fields[6] * _SECTOR, fields[15] if len(fields) > 15 else None, fields[8]
        )

    def settle(self, patience: float = 2.0) -> bool:
        """Have everything written that waits for it, and wait until the device is idle; whether it
        became so within `patience` seconds.
        """
        _libc.syncfs(self._directory)
        deadline = time.monotonic() + patience
        while (seen := self.look()) is not None and seen.in_flight:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.001)
        return True


def has_counters(directory: Path) -> bool:
    device = Device(directory)
    try:
        return device.look() is not None
    finally:
        device.close()


def has_flag(path: Path, flag: int) -> bool:
    """Whether a file or folder has this flag; not, where its file system has no flags. What is made
    in a folder inherits some of its own.
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
    """Set or clear a flag of a file's inode, and read it back: whether it is now as asked. Raises
    OSError where it is refused.
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
    """Why this durability cannot be had in this directory, or None."""
    kind, options = mount_of(directory)
    if durability == "sync-mount" and "sync" not in options:
        return "the directory is not on a file system that is mounted with the option sync (--dir)"
    if durability != "none" and kind in _IN_MEMORY:
        return f"{kind} keeps its files in memory, nothing there is durable"
    if durability == "sync-inode":
        probe = directory / f".iogauge-probe-{os.getpid()}"
        try:
            probe.touch()
            if not set_flag(probe, SYNCHRONOUS):
                return "the file system takes the synchronous flag of a file, and drops it"
        except OSError as error:
            return f"the file system refuses the synchronous flag of a file: {error.strerror}"
        finally:
            probe.unlink(missing_ok=True)
    return None


def mount_of(directory: Path) -> tuple[str | None, frozenset[str]]:
    """Type and mount options of the file system that holds the directory."""
    longest, found = -1, (None, frozenset())
    resolved = str(directory.resolve())
    for mount in psutil.disk_partitions(all=True):
        point = mount.mountpoint.rstrip("/")
        if (resolved == point or resolved.startswith(point + "/")) and len(point) >= longest:
            longest, found = len(point), (mount.fstype, frozenset(mount.opts.split(",")))
    return found
