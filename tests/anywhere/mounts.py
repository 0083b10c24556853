"""File systems to try iogauge on, mounted for one test: each is gone after it, whatever happened.

Each skips the test, with one line that says why, where the host cannot have it.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.anywhere.conditions import need, need_root

_IMAGE = "400M"  # sparse; xfs takes no smaller one


@contextlib.contextmanager
def mounted(kind: str, folder: Path) -> Iterator[Path]:
    """A new file system of this kind (see KINDS), its mount point below `folder`, which is on a
    disk. Gives the mount point.
    """
    need_root()
    below = folder / f"mounts-{kind.replace(' ', '-')}"
    below.mkdir()
    with contextlib.ExitStack() as after:
        after.callback(shutil.rmtree, below)
        yield KINDS[kind](below, after)


def _ext4(below: Path, after: contextlib.ExitStack, *, make: str = "", mount: str = "") -> Path:
    return _loop(below, after, f"mkfs.ext4 -q -F {make}", mount)


def _xfs(below: Path, after: contextlib.ExitStack) -> Path:
    return _loop(below, after, "mkfs.xfs -q -f", "")


def _btrfs(below: Path, after: contextlib.ExitStack) -> Path:
    return _loop(below, after, "mkfs.btrfs -q -f", ",compress=zstd")


def _tmpfs(below: Path, after: contextlib.ExitStack) -> Path:
    return _at(below, after, "mount", "-t", "tmpfs", "-o", f"size={_IMAGE}", "tmpfs")


def _overlay(below: Path, after: contextlib.ExitStack, *, more: str = "") -> Path:
    below = _ext4(below, after)  # a device of its own, which others leave idle
    for name in ("lower", "upper", "work"):
        (below / name).mkdir()
    options = f"lowerdir={below}/lower,upperdir={below}/upper,workdir={below}/work{more}"
    return _at(below, after, "mount", "-t", "overlay", "-o", options, "overlay")


def _bindfs(below: Path, after: contextlib.ExitStack) -> Path:
    need("bindfs")
    below = _ext4(below, after)
    (below / "source").mkdir()
    return _at(below, after, "bindfs", below / "source")


def _in_tmpfs(below: Path, after: contextlib.ExitStack) -> Path:
    memory = _tmpfs(below, after)
    inner = memory / "inner"
    inner.mkdir()
    return _loop(inner, after, "mkfs.ext4 -q -F", "")


KINDS = {
    "ext4": _ext4,
    "ext4 without barriers": lambda *where: _ext4(*where, mount=",barrier=0"),
    "ext4 with inline data": lambda *where: _ext4(*where, make="-O inline_data -I 256"),
    "ext4 on a device in memory": _in_tmpfs,
    "xfs": _xfs,
    "btrfs with compression": _btrfs,
    "tmpfs": _tmpfs,
    "overlay": _overlay,
    "overlay mounted volatile": lambda *where: _overlay(*where, more=",volatile"),
    "FUSE (bindfs)": _bindfs,
}


def _loop(below: Path, after: contextlib.ExitStack, make: str, options: str) -> Path:
    """A file with a file system in it."""
    program, *words = make.split()
    need(program)
    image = below / "image"
    subprocess.run(["truncate", "-s", _IMAGE, image], check=True)
    _must([program, *words, image])
    return _at(below, after, "mount", "-o", f"loop{options}", image)


def _at(below: Path, after: contextlib.ExitStack, *command: object) -> Path:
    """The mount point of what this command mounts; unmounting detaches a loop device."""
    point = below / "mounted"
    point.mkdir()
    _must([*command, point])
    after.callback(_unmount, point)
    return point


def _unmount(point: Path) -> None:
    if subprocess.run(["umount", point], capture_output=True, check=False).returncode:
        subprocess.run(["umount", "--lazy", point], check=True)  # something failed in there


def _must(command: list[object]) -> None:
    words = list(map(str, command))
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        says = (done.stderr or done.stdout).strip().splitlines() or ["it failed"]
        pytest.skip(f"no {' '.join(words[:3])} here: {says[0][:120]}")
