"""Whether what is written in a directory can be made durable: a probe writes there, syncs, and
looks whether a device wrote.
"""

from __future__ import annotations

import os
from pathlib import Path

from iogauge.host import kernel
from iogauge.host.device import SYNCHRONOUS, Device, seen_to_write, set_flag
from iogauge.host.mounts import Mount, mount_of
from iogauge.model.workload import Durability

_IN_MEMORY = ("ram", "zram", "nullb")  # begin the names of devices that lose all with the power


def why_not(durability: Durability, directory: Path) -> str | None:
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
            return "no device of this machine was seen to write within an fsync" + (
                f" (LD_PRELOAD is {preloaded})" if preloaded else f" ({mount.kind})"
            )
    except OSError as error:
        return f"a file there cannot be synced: {error.strerror}"
    device = Device(directory)
    try:
        if device.look() is None:
            return "the device below the directory has no counters that tell what it wrote"
        return _why_forgetful(device.number or "", mount)
    finally:
        device.close()


def _why_forgetful(number: str, mount: Mount) -> str | None:
    """Why what a device wrote may be lost all the same."""
    folder = Path("/sys/dev/block") / number
    name = folder.resolve().name
    if name.startswith(_IN_MEMORY):
        return f"the device, {name}, is in memory"
    behind = kernel.text(str(folder / "loop/backing_file"))
    if behind and (below := mount_of(Path(behind))).in_memory:
        return f"the device, {name}, is a file in {below.kind}, so in memory"
    of_partition = folder.resolve().parent / "queue/write_cache"
    cache = kernel.text(str(folder / "queue/write_cache")) or kernel.text(str(of_partition))
    if mount.unflushed and cache == "write back":
        return (
            "the file system is mounted without barriers: what the device has in its own cache is"
            " lost with the power"
        )
    return None
