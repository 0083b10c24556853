"""The file system that holds a path, as it is mounted."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import psutil

_IN_MEMORY = ("tmpfs", "ramfs")


class Mount(NamedTuple):
    """Type, options and source of a mounted file system. The source may be a device."""

    kind: str | None = None
    options: frozenset[str] = frozenset()
    source: str = ""

    @property
    def in_memory(self) -> bool:
        return self.kind in _IN_MEMORY

    @property
    def sync(self) -> bool:
        """Whether every write waits for the device."""
        return "sync" in self.options

    @property
    def volatile(self) -> bool:
        """Whether it makes nothing durable: an overlay may be mounted so. Kernels since 6.10 say
        it in other words.
        """
        return not self.options.isdisjoint({"volatile", "fsync=volatile"})

    @property
    def unflushed(self) -> bool:
        """Whether it never tells the device to write its cache to the medium."""
        return not self.options.isdisjoint({"nobarrier", "barrier=0", "fsync_mode=nobarrier"})

    def option(self, name: str) -> str | None:
        """The value of an option; None if it is not there."""
        found = (each.partition("=") for each in self.options)
        return next((value for key, _, value in found if key == name), None)


def mount_of(path: Path) -> Mount:
    """The file system that holds a file or a folder."""
    longest, found = -1, Mount()
    resolved = str(path.resolve())
    for mount in psutil.disk_partitions(all=True):
        point = mount.mountpoint.rstrip("/")
        if (resolved == point or resolved.startswith(point + "/")) and len(point) >= longest:
            options = frozenset(mount.opts.split(","))
            longest, found = len(point), Mount(mount.fstype, options, mount.device)
    return found


def noexec(path: Path) -> bool:
    """Whether no program starts on the file system that holds a path. No where nobody can tell."""
    return hasattr(os, "statvfs") and bool(os.statvfs(path).f_flag & getattr(os, "ST_NOEXEC", 0))
