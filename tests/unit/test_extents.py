"""What a file system tells about how a file is stored, and how it is mounted."""

from __future__ import annotations

from collections import namedtuple
from pathlib import Path

import psutil
import pytest

from iogauge.host import device, kernel
from iogauge.host.provable import Extent, Layout, of_extents

MIB = 1 << 20
LAST, ENCODED, INLINE, UNWRITTEN = 0x1, 0x8, 0x200, 0x800


@pytest.mark.parametrize(
    ("extents", "layout"),
    [
        ([], Layout(MIB, holes=MIB, begins=None)),
        ([Extent(0, MIB, LAST)], Layout(MIB)),
        ([Extent(0, 2 * MIB, LAST)], Layout(MIB)),  # the last block is longer than the file
        ([Extent(0, MIB, UNWRITTEN | LAST)], Layout(MIB, holes=MIB, begins=None)),
        (
            [Extent(4096, 4096), Extent(16384, 8192, UNWRITTEN), Extent(65536, 4096, LAST)],
            Layout(MIB, holes=MIB - 8192, begins=4096),
        ),
        ([Extent(0, 4096, INLINE | LAST)], Layout(MIB, MIB - 4096, 4096, begins=None)),
        ([Extent(0, MIB, ENCODED | LAST)], Layout(MIB, encoded=True)),
    ],
)
def test_what_is_stored(extents, layout):
    assert of_extents(MIB, extents) == layout
    assert layout.stored + layout.holes + layout.inline == MIB


def mounted(monkeypatch, *found):
    each = namedtuple("each", "device mountpoint fstype opts")
    listed = [each(*one) for one in found]
    monkeypatch.setattr(psutil, "disk_partitions", lambda all: listed)
    return kernel.mount_of(Path("/data/here"))


def test_the_last_mount_at_the_longest_point_counts(monkeypatch):
    found = mounted(
        monkeypatch,
        ("/dev/sda1", "/", "ext4", "rw"),
        ("/dev/sdb1", "/data", "xfs", "rw"),
        ("overlay", "/data", "overlay", "rw,upperdir=/up,fsync=volatile"),
        ("tmpfs", "/dat", "tmpfs", "rw"),
    )
    assert (found.kind, found.source) == ("overlay", "overlay")
    assert found.volatile and not found.sync and not found.in_memory and not found.unflushed


@pytest.mark.parametrize("options", ["rw,volatile", "rw,fsync=volatile"])
def test_a_volatile_overlay_in_the_words_of_old_and_new_kernels(monkeypatch, options):
    assert mounted(monkeypatch, ("overlay", "/", "overlay", options)).volatile


@pytest.mark.parametrize("options", ["rw,nobarrier", "rw,barrier=0", "rw,fsync_mode=nobarrier"])
def test_a_mount_that_never_flushes(monkeypatch, options):
    assert mounted(monkeypatch, ("/dev/sda", "/", "ext4", options)).unflushed


@pytest.mark.parametrize(
    ("gains", "seen"),
    [
        ({"8:0": 70_000}, "8:0"),
        ({"8:0": 90_000, "7:1": 70_000}, "7:1"),  # one lies over the other
        ({"8:0": 40_000, "8:16": 40_000}, "8:0"),  # a file on two devices
        ({"8:0": 4096}, None),
        ({}, None),
    ],
)
def test_the_device_that_is_seen_to_write(monkeypatch, tmp_path, gains, seen):
    looks = iter(range(100))

    def written():
        probes = (next(looks) + 1) // 3  # a look before, one between, and one after an fsync
        return {each: probes * gain for each, gain in gains.items()}

    monkeypatch.setattr(device, "_written", written)
    with (tmp_path / "file").open("wb") as file:
        assert device.written_meanwhile(file.fileno()) == seen


def test_what_others_write_is_not_taken_for_ours(monkeypatch, tmp_path):
    """A disk that is written to all the time, and an fsync that writes nothing."""
    looks = iter(range(100))
    monkeypatch.setattr(device, "_written", lambda: {"8:0": next(looks) << 20})
    with (tmp_path / "file").open("wb") as file:
        assert device.written_meanwhile(file.fileno()) is None


def test_the_device_is_looked_for_once_for_each_folder(monkeypatch, tmp_path):
    looked: list[int] = []
    monkeypatch.setattr(device, "written_meanwhile", lambda fd: looked.append(fd) or "8:0")
    folders = [tmp_path, tmp_path / "other", tmp_path]
    folders[1].mkdir()
    assert [device.seen_to_write(each) for each in folders] == ["8:0"] * 3
    assert len(looked) == 2
