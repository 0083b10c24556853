"""What control groups limit, from folders as kernels of both versions show them."""

from __future__ import annotations

import os

import psutil
import pytest

from iogauge.host import capacity, description
from iogauge.host.capacity import Cores, GroupMemory, Throttling
from iogauge.model.units import cores_of

GIB = 1 << 30
UNLIMITED = (1 << 63) - 4096


@pytest.fixture
def tree(tmp_path):
    """A root folder with such groups of this process, mounts and files."""

    def make(groups, mounts, files):
        (tmp_path / "proc/self").mkdir(parents=True)
        (tmp_path / "proc/self/cgroup").write_text(groups)
        (tmp_path / "proc/self/mountinfo").write_text(
            "22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n" + mounts
        )
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{text}\n")
        return tmp_path

    return make


SECOND = "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
FIRST = (
    "31 22 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    "32 22 0:28 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory\n"
    "33 22 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
)
STAT = "cache 900\nrss 5\ninactive_file 1\nactive_file 2\ntotal_inactive_file 300\ntotal_active_file 40"


def test_version_2_limits_at_any_level(tree):
    root = tree(
        "0::/user.slice/session.scope\n",
        SECOND,
        {
            "sys/fs/cgroup/user.slice/session.scope/memory.max": "max",
            "sys/fs/cgroup/user.slice/session.scope/memory.high": "max",
            "sys/fs/cgroup/user.slice/session.scope/memory.current": 1000,
            "sys/fs/cgroup/user.slice/session.scope/cpu.max": "max 100000",
            "sys/fs/cgroup/user.slice/memory.max": 8 * GIB,
            "sys/fs/cgroup/user.slice/memory.high": 4 * GIB,
            "sys/fs/cgroup/user.slice/memory.current": GIB,
            "sys/fs/cgroup/user.slice/memory.stat": f"anon 5\ninactive_file {GIB // 2}\nactive_file 7",
            "sys/fs/cgroup/user.slice/cpu.max": "150000 100000",
            "sys/fs/cgroup/user.slice/cpu.stat": "usage_usec 9\nnr_periods 20\nnr_throttled 3\nthrottled_usec 250000",
        },
    )
    (found,) = capacity.memory_groups(root)
    assert found == GroupMemory(4 * GIB, GIB, GIB // 2 + 7)
    assert found.available == 4 * GIB - GIB // 2 + 7
    assert capacity.cpu_quota(root) == 1.5
    assert capacity.throttling(root) == Throttling(3, 0.25)


def test_version_1_limits_at_any_level(tree):
    root = tree(
        "5:memory:/docker/x\n3:cpu,cpuacct:/docker/x\n0::/\n",
        FIRST,
        {
            "sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes": UNLIMITED,
            "sys/fs/cgroup/memory/docker/x/memory.usage_in_bytes": 20,
            "sys/fs/cgroup/memory/docker/memory.limit_in_bytes": GIB,
            "sys/fs/cgroup/memory/docker/memory.usage_in_bytes": 1000,
            "sys/fs/cgroup/memory/docker/memory.stat": STAT,
            "sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_quota_us": -1,
            "sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_period_us": 100000,
            "sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_quota_us": 25000,
            "sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_period_us": 50000,
            "sys/fs/cgroup/cpu,cpuacct/docker/cpu.stat": "nr_periods 9\nnr_throttled 4\nthrottled_time 1500000000",
        },
    )
    inner, outer = capacity.memory_groups(root)
    assert inner.limit == UNLIMITED and outer == GroupMemory(GIB, 1000, 340)
    assert outer.available == GIB - 660
    assert capacity.cpu_quota(root) == 0.5
    assert capacity.throttling(root) == Throttling(4, 1.5)


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
        {"sys/fs/cgroup/memory.max": 77, "sys/fs/cgroup/memory.current": 7},
    )
    assert capacity.memory_groups(root) == [GroupMemory(77, 7, 0)]


def test_folders_with_spaces_are_found(tree):
    root = tree(
        "0::/\n",
        r"30 22 0:26 / /my\040groups rw - cgroup2 cgroup2 rw" + "\n",
        {"my groups/cpu.max": "50000 100000"},
    )
    assert capacity.cpu_quota(root) == 0.5


@pytest.mark.parametrize("files", [{}, {"sys/fs/cgroup/cpu.max": "what 7"}])
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
    facts = {
        "cores": found.of_machine,
        "usable_cores": found.usable,
        "cores_limited_by": found.limited_by,
    }
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
