"""What the kernel shows of its settings, its devices and the mounted file systems."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import psutil

_IN_MEMORY = ("tmpfs", "ramfs")


def chosen(path: str) -> str | None:
    """The chosen word of a setting such as `always [madvise] never`; None if there is none."""
    words = (text(path) or "").split()
    return next((word.strip("[]") for word in words if word.startswith("[")), None)


def text(path: str | Path) -> str | None:
    """The text of a file without white space around it; None if it cannot be read."""
    try:
        return Path(path).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None


def lines(path: str | Path) -> list[str]:
    """The lines of a file; none if it cannot be read."""
    return (text(path) or "").splitlines()


def device_number(device: int) -> str:
    """The number of a device as the names of files show it: `8:1`."""
    if not hasattr(os, "major"):  # Windows
        return str(device)
    return f"{os.major(device)}:{os.minor(device)}"


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
        """Whether it makes nothing durable, as an overlay can. Linux 6.10 renamed the option."""
        return not self.options.isdisjoint({"volatile", "fsync=volatile"})

    @property
    def unflushed(self) -> bool:
        """Whether it never tells the device to write its cache to the medium."""
        return not self.options.isdisjoint({"nobarrier", "barrier=0", "fsync_mode=nobarrier"})


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
    """Whether no program starts on the file system of a path. False where nobody can tell."""
    return hasattr(os, "statvfs") and bool(os.statvfs(path).f_flag & getattr(os, "ST_NOEXEC", 0))
