"""This machine: limits of its control groups, its counters, memory, page cache and file systems."""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import tempfile
import time
from collections import namedtuple
from dataclasses import astuple
from pathlib import Path

import psutil
import pytest

from iogauge.commands import machine as doctor
from iogauge.commands.statuses import JUDGE
from iogauge.host import (
    capacity,
    description,
    device,
    kernel,
    memory,
    opens,
    pagecache,
    provable,
    read_calls,
)
from iogauge.host.capacity import Cores, GroupMemory, Throttling
from iogauge.host.evidence import TICK_NS, MachineCounters
from iogauge.host.provable import Extent, Layout, of_extents
from iogauge.measuring import session
from iogauge.model.units import cores_of
from iogauge.planning import plan
from iogauge.runners import manifest
from iogauge.runners.runtimes import Runtimes
from iogauge.study.loading import load

GIB = 1 << 30


def refuse(*arguments):
    raise FileNotFoundError


UNLIMITED = (1 << 63) - 4096


@pytest.fixture
def tree(tmp_path):
    """A root folder with such groups of this process, mounts, and files of groups, by folder."""

    def make(groups, mounts, files, below="sys/fs/cgroup"):
        (tmp_path / "proc/self").mkdir(parents=True)
        (tmp_path / "proc/self/cgroup").write_text(groups)
        (tmp_path / "proc/self/mountinfo").write_text(
            "22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n" + mounts
        )
        for folder, texts in files.items():
            (tmp_path / below / folder).mkdir(parents=True, exist_ok=True)
            for name, text in texts.items():
                (tmp_path / below / folder / name).write_text(f"{text}\n")
        return tmp_path

    return make


SECOND = "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
FIRST = (
    "31 22 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    "32 22 0:28 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory\n"
    "33 22 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
)
OF_SECOND = {
    "user.slice/session.scope": {
        **{"memory.max": "max", "memory.high": "max", "memory.current": 1000},
        **{"cpu.max": "max 100000"},
    },
    "user.slice": {
        **{"memory.max": 8 * GIB, "memory.high": 4 * GIB, "memory.current": GIB},
        **{"memory.stat": "anon 5\ninactive_file 500\nactive_file 7"},
        **{"cpu.max": "150000 100000"},
        **{"cpu.stat": "usage_usec 9\nnr_periods 20\nnr_throttled 3\nthrottled_usec 250000"},
    },
}
STAT = "cache 900\nrss 5\ninactive_file 1\nactive_file 2\ntotal_inactive_file 300\ntotal_active_file 40"
OF_FIRST = {
    "memory/docker/x": {"memory.limit_in_bytes": UNLIMITED, "memory.usage_in_bytes": 20},
    "memory/docker": {
        **{"memory.limit_in_bytes": GIB, "memory.usage_in_bytes": 1000, "memory.stat": STAT}
    },
    "cpu,cpuacct/docker/x": {"cpu.cfs_quota_us": -1, "cpu.cfs_period_us": 100000},
    "cpu,cpuacct/docker": {
        **{"cpu.cfs_quota_us": 25000, "cpu.cfs_period_us": 50000},
        **{"cpu.stat": "nr_periods 9\nnr_throttled 4\nthrottled_time 1500000000"},
    },
}


@pytest.mark.parametrize(
    "groups, mounts, files, memories, quota, throttled",
    [
        (
            *("0::/user.slice/session.scope\n", SECOND, OF_SECOND),
            *([GroupMemory(4 * GIB, GIB, 507)], 1.5, Throttling(3, 0.25)),
        ),
        (
            *("5:memory:/docker/x\n3:cpu,cpuacct:/docker/x\n0::/\n", FIRST, OF_FIRST),
            *(
                [GroupMemory(UNLIMITED, 20, 0), GroupMemory(GIB, 1000, 340)],
                0.5,
                Throttling(4, 1.5),
            ),
        ),
    ],
    ids=["version 2", "version 1"],
)
def test_limits_at_any_level(tree, groups, mounts, files, memories, quota, throttled):
    root = tree(groups, mounts, files)
    assert capacity.memory_groups(root) == memories
    assert memories[-1].available == memories[-1].limit - memories[-1].used + memories[-1].cached
    assert capacity.cpu_quota(root) == quota
    assert capacity.throttling(root) == throttled


@pytest.mark.parametrize(
    ("group", "of_mount"),
    [
        ("/docker/x", "/docker/x"),
        ("/docker/x", "/elsewhere"),
        ("/../other", "/"),
        ("/", "/../../x"),
    ],
    ids=["own group mounted", "another mounted", "outside of the namespace", "mounted outside"],
)
def test_in_a_container_the_mounted_folder_is_its_own_group(tree, group, of_mount):
    root = tree(
        f"0::{group}\n",
        f"30 22 0:26 {of_mount} /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n",
        {"": {"memory.max": 77, "memory.current": 7}},
    )
    assert capacity.memory_groups(root) == [GroupMemory(77, 7, 0)]


def test_folders_with_spaces_are_found(tree):
    mounts = r"30 22 0:26 / /my\040groups rw - cgroup2 cgroup2 rw" + "\n"
    root = tree("0::/\n", mounts, {"": {"cpu.max": "50000 100000"}}, "my groups")
    assert capacity.cpu_quota(root) == 0.5


@pytest.mark.parametrize("files", [{}, {"": {"cpu.max": "what 7"}}])
def test_without_limits_there_are_none(tree, files):
    root = tree("0::/a\n", SECOND, files)
    assert capacity.memory_groups(root) == []
    assert capacity.cpu_quota(root) is None and capacity.throttling(root) is None
    assert capacity.memory_groups(root / "nowhere") == []


def test_what_the_quota_stopped_is_told():
    told = capacity.stopped_caveat(Throttling(3, 1.0), Throttling(12, 3.5))
    assert "stopped the processes of iogauge's control group 9 times, for 2.50 s in all" in told
    assert capacity.stopped_caveat(Throttling(3, 1.0), Throttling(3, 1.0)) is None
    assert capacity.stopped_caveat(None, None) is None


@pytest.mark.parametrize(
    ("allowed", "quota", "found", "says"),
    [
        ({0, 1, 2, 3}, None, Cores(4, 4, None), "4 cores"),
        ({2}, None, Cores(4, 1, "affinity"), "1 of 4 cores (affinity)"),
        ({0, 1}, 1.5, Cores(4, 1.5, "CPU quota"), "1.5 of 4 cores (CPU quota)"),
        ({0, 1}, 3.0, Cores(4, 2, "affinity"), "2 of 4 cores (affinity)"),
        ({0, 1, 2, 3}, 8.0, Cores(4, 4, None), "4 cores"),
    ],
)
def test_the_least_of_all_limits_is_what_cores_means(monkeypatch, allowed, quota, found, says):
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: allowed)
    monkeypatch.setattr(capacity, "cpu_quota", lambda: quota)
    assert capacity.cores() == found
    facts = dict(zip(("cores", "usable_cores", "cores_limited_by"), astuple(found), strict=True))
    assert cores_of(facts) == says
    assert cores_of({"cores": 1}) == "1 core", "a run file that does not tell what could be used"
    assert capacity.usable_cores() == max(1, int(found.usable))


def test_less_than_a_core_is_told_in_plain_words(monkeypatch, tmp_path):
    monkeypatch.setattr(capacity, "cpu_quota", lambda: 0.5)
    facts = description.facts(tmp_path)
    said = [each for each in description.disturbances(facts) if "the CPU quota is 0.5 of" in each]
    caveats = description.run_caveats(facts, reads_files=False)
    assert said == [each.text for each in caveats if each.kind == "cpu-quota"] and len(said) == 1


def test_the_memory_of_the_smallest_group_is_what_is_available(monkeypatch):
    whole = psutil.virtual_memory().total
    groups = [GroupMemory(UNLIMITED, 5, 0), GroupMemory(64 << 20, 48 << 20, 16 << 20)]
    monkeypatch.setattr(capacity, "memory_groups", lambda: groups)
    assert capacity.available_memory() == 32 << 20 and capacity.memory_limit() == 64 << 20
    monkeypatch.setattr(capacity, "memory_groups", lambda: [GroupMemory(whole * 2, 5, 0)])
    assert capacity.memory_limit() is None


def test_a_host_with_a_limit_is_another_one(monkeypatch):
    whole = description.identity()
    monkeypatch.setattr(capacity, "memory_groups", lambda: [GroupMemory(64 << 20, 1, 0)])
    limited = description.identity()
    monkeypatch.setattr(capacity, "cpu_quota", lambda: 0.25)
    assert len({whole, limited, description.identity()}) == 3


@pytest.fixture
def counters():
    found = MachineCounters()
    yield found
    found.close()


def test_what_happened_between_two_looks(counters, monkeypatch):
    before = {"busy_ns": 50, "steal_ns": 10, "own_ns": 5, "running": 3}
    after = {"busy_ns": 70, "steal_ns": 10, "own_ns": 9, "running": 1}
    monkeypatch.setattr(counters, "read", lambda: after)
    assert counters.since(before) == {"busy_ns": 16, "steal_ns": 0, "running": 2}
    assert counters.since({**before, "running": 0})["running"] == 0
    assert counters.since(None) is None
    monkeypatch.setattr(counters, "read", lambda: None)
    assert counters.since(before) is None


def test_looks_only_grow(counters):
    first = counters.read()
    assert all(ns > 1000 for ns in counters.canary().values())
    sum(range(3_000_000))
    second = counters.read()
    assert second["busy_ns"] >= first["busy_ns"] > 0 and second["running"] >= 1
    assert second["steal_ns"] >= first["steal_ns"] >= 0


def test_the_columns_of_the_kernel(counters, monkeypatch):
    for text in (b"", b"cpu  1 2 3\n", b"cpu  1 2 3 4 5 6 7 8 9 10\nintr 5\n"):
        monkeypatch.setattr(os, "pread", lambda *arguments, text=text: text)
        assert counters.read() is None
    text = b"cpu  1 2 3 400 500 6 7 8 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\nprocs_running 4\nprocs_blocked 0\n"
    monkeypatch.setattr(os, "pread", lambda *arguments: text)
    found = counters.read()
    del found["own_ns"]
    busy, stolen = (1 + 2 + 3 + 6 + 7) * TICK_NS, 8 * TICK_NS
    assert found == {"busy_ns": busy, "steal_ns": stolen, "running": 4}


def test_without_the_file_nothing_is_known(monkeypatch):
    monkeypatch.setattr(os, "open", refuse)
    blind = MachineCounters()
    assert blind.read() is None
    blind.close()


FAKE = Path(__file__).parents[1] / "runners" / "fake"


def test_a_place_in_a_page_that_is_slow_is_found(monkeypatch):
    """Of each place the fastest counts, but not the first ones, which touch the memory."""
    now, calls = 0, []

    def read(file, targets, offset):
        nonlocal now
        place = ctypes.addressof(ctypes.c_char.from_buffer(targets[0])) % 4096
        again = calls.count(place)
        calls.append(place)
        now += 1 if again == 0 else (650 if place else 100) + 1000 * (again % 3 == 1)
        return len(targets[0])

    monkeypatch.setattr(os, "preadv", read)
    monkeypatch.setattr(time, "perf_counter_ns", lambda: now)
    assert memory.misplaced_read() == 6.5
    assert set(calls) == {0, 16}


def test_where_it_cannot_be_measured_it_is_not_known(monkeypatch):
    found = memory.misplaced_read()
    assert found is None or 0.2 < found < 100
    monkeypatch.setattr(os, "preadv", refuse)
    assert memory.misplaced_read() is None
    monkeypatch.delattr(os, "memfd_create")
    assert memory.misplaced_read() is None


@pytest.mark.parametrize(("ratio", "told"), [(6.5, True), (1.1, False), (None, False)])
def test_it_is_told_where_it_matters(monkeypatch, tmp_path, ratio, told):
    monkeypatch.setattr(memory, "misplaced_read", lambda: ratio)
    says = " ".join(description.disturbances(description.facts(tmp_path)))
    assert ("6.5 times as long to read into memory" in says) == told


@pytest.mark.parametrize(
    ("strategy", "more", "told"),
    [
        ("steady", 'cache = "warm"', True),
        ("memory", 'medium = "memory"', False),
        ("writing", 'operation = "write"', False),
    ],
)
def test_a_run_that_reads_files_says_it(monkeypatch, fake, tmp_path, strategy, more, told):
    monkeypatch.setattr(memory, "misplaced_read", lambda: 6.5)
    study = tmp_path / "study.toml"
    study.write_text(
        f'id = "placed"\ntitle = "Placed"\nrounds = {{ warm = 2, write = 2, memory = 2 }}\n[[group]]\nid = "g"\nquestion = "?"\nsize = "64K"\n{more}\n[[group.case]]\nstrategy = "fake/{strategy}"\n'
    )
    here = Runtimes({}, print, [manifest.load(FAKE)])
    prepared = session.planned(
        lambda: load(str(study)), str(study), here, plan.Options(seed=1, budget=0.1)
    )
    run, _, _ = session.measure(
        prepared, tmp_path, tmp_path / "run.jsonl", {}, lambda progress: None, JUDGE
    )
    assert run.samples and run.header.host["misplaced_read"] == 6.5
    assert (
        any(each.kind == "slow-alignment" and each.about == "run" for each in run.caveats) == told
    )


def test_little_memory_is_not_used_up_to_measure_its_first_touch(monkeypatch):
    asked = []

    def run(command, **options):
        asked.append(int(command[-1]))
        raise OSError

    monkeypatch.setattr(memory.subprocess, "run", run)
    monkeypatch.setattr(memory.capacity, "available_memory", lambda: (33 << 20) + 5)
    assert memory.first_touch() is None
    monkeypatch.setattr(memory.capacity, "available_memory", lambda: 4 << 30)
    assert memory.first_touch() is None
    assert asked == [16 << 20, 128 << 20]


def test_doctor_says_that_a_read_came_from_the_device_only_where_that_was_seen(monkeypatch):
    for counted, seen in ((4096, True), (None, False)):
        monkeypatch.setattr(provable, "_read_bytes", lambda counted=counted: counted)
        says = doctor._cold(None)
        assert ("read from the device, just now" in says) == seen, says


SIZE = 1 << 20
PAGES = SIZE // mmap.PAGESIZE


@pytest.fixture
def path(disk_folder):
    made = disk_folder / "cached"
    made.write_bytes(os.urandom(SIZE))
    yield made
    made.unlink()


@pytest.fixture(params=["cachestat", "mincore"])
def observing(request, monkeypatch):
    """Both ways of observing: a kernel with cachestat, and one without."""
    if request.param == "mincore":

        def absent(fd, pages):
            raise OSError(errno.ENOSYS, "Function not implemented")

        monkeypatch.setattr(pagecache, "_cachestat", absent)
    return request.param


def test_cache_evict_observe(path, observing):
    path.write_bytes(bytes(SIZE))
    assert pagecache.evict(path).pages == 0, "dirty pages are written first"
    assert not pagecache.observe(path).dirty
    assert pagecache.observe(path).share == 0
    pagecache.cache(path)
    found = pagecache.observe(path)
    assert (found.pages, found.of, found.share) == (PAGES, PAGES, 1)


def test_both_ways_agree_on_a_part_of_a_file(path):
    pagecache.evict(path)
    with path.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
        for offset in range(0, SIZE, SIZE // 8):
            os.pread(file.fileno(), 4096, offset)
        by_mincore = pagecache._mincore(file.fileno(), SIZE, PAGES)
        assert pagecache._cachestat(file.fileno(), PAGES).pages == by_mincore
        assert 0 < by_mincore < PAGES


def test_an_eviction_that_a_mapping_prevents_is_seen(path, observing):
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapping:
        assert sum(mapping[::4096]) >= 0
        assert pagecache.evict(path, patience=0.02).pages > 0
    assert pagecache.evict(path).pages == 0


def test_an_empty_file_is_wholly_resident(disk_folder, observing):
    empty = disk_folder / "empty"
    empty.touch()
    assert pagecache.observe(empty).share == 1
    assert pagecache.evict(empty).pages == 0


def test_where_files_can_be_evicted_and_where_not(disk_folder):
    shared_memory = Path("/dev/shm")
    if shared_memory.is_dir():
        # In a folder of its own: other processes make semaphores beside it meanwhile.
        with tempfile.TemporaryDirectory(dir=shared_memory) as folder:
            assert "in memory" in provable.why_not_cold_in(Path(folder))
            assert os.listdir(folder) == []
    assert provable.why_not_cold_in(disk_folder) is None
    assert pagecache.observer(disk_folder).startswith(("cachestat", "mincore"))


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


def test_options_of_mounts_in_the_words_of_old_and_new_kernels(monkeypatch):
    for options in ("rw,volatile", "rw,fsync=volatile"):
        assert mounted(monkeypatch, ("overlay", "/", "overlay", options)).volatile
    for options in ("rw,nobarrier", "rw,barrier=0", "rw,fsync_mode=nobarrier"):
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
    looked = list[int]()
    monkeypatch.setattr(device, "written_meanwhile", lambda fd: looked.append(fd) or "8:0")
    folders = [tmp_path, tmp_path / "other", tmp_path]
    folders[1].mkdir()
    assert [device.seen_to_write(each) for each in folders] == ["8:0"] * 3
    assert len(looked) == 2


def test_what_a_read_call_costs_is_measured_on_a_file_and_leaves_none(tmp_path):
    found = read_calls.in_folder(tmp_path)
    assert found is not None and not os.listdir(tmp_path)
    assert 0 < found.ns < 1e6 and 0 <= found.ns_per_byte < 1e3
    (tmp_path / "small").write_text("one")
    small = read_calls.of_file(tmp_path / "small")
    assert small is not None and small.ns > 0 and small.ns_per_byte == 0
    assert read_calls.of_file(tmp_path / "none") is None
    assert read_calls.in_folder(tmp_path / "none") is None


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux")
def test_it_is_seen_that_a_file_is_opened(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("one")
    with opens.watched(file) as was_opened:
        file.stat()
        assert was_opened() is False
        file.read_text()
        assert was_opened() is True
    with opens.watched(tmp_path / "none") as was_opened:
        assert was_opened() is None
    monkeypatch.setattr(opens.ctypes, "CDLL", lambda _: object())  # no such calls
    with opens.watched(file) as was_opened:
        assert was_opened() is None
