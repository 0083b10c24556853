"""Real runners write: what the kernel and the device count, per JDK. No times are asserted, but
ratios with wide margins.
"""

from __future__ import annotations

import glob
import os
import statistics
import subprocess
from pathlib import Path

import pytest

from iogauge.analysis import report
from iogauge.analysis.evidence import CaseEvidence
from iogauge.commands.statuses import JUDGE
from iogauge.host import device
from iogauge.host.kernel import mount_of
from iogauge.measuring import session
from iogauge.planning import plan
from iogauge.runfile.run import Run
from iogauge.runners.runtimes import Runtimes
from tests.real import measured

pytestmark = pytest.mark.real
alone = pytest.mark.alone  # the device, or times, are judged; calls are the same in any case
MIB = 1 << 20


@pytest.fixture(scope="module")
def jdks() -> list[str]:
    """Home folders of JDKs to choose from, one per version."""
    found = {}
    for home in [*glob.glob("/usr/lib/jvm/*"), *glob.glob("/opt/*")]:
        release = Path(home, "release")
        if release.exists() and Path(home, "bin", "java").exists():
            text = release.read_text(encoding="utf-8")
            lines = dict(line.partition("=")[::2] for line in text.splitlines())
            version = lines.get("JAVA_VERSION", "").strip('"')
            if version and int(version.partition(".")[0]) >= 17:
                found.setdefault(version, home)
    return list(found.values())


def writes(identifier: str, size: int | str, cases: str, more: str = "") -> str:
    return f'[[group]]\nid = "{identifier}"\nquestion = "?"\noperation = "write"\nsize = "{size}"\n{more}\n{cases}\n'


def case(*strategies: str, **parameters: object) -> str:
    values = ", ".join(f'{name} = "{value}"' for name, value in parameters.items())
    return f"[[group.case]]\nstrategy = {list(strategies)}\nparameters = {{ {values} }}\n"


def evidence(run: Run) -> dict[tuple[str, str], CaseEvidence]:
    """By group and variant (with its runtime)."""
    made = report.make(run)
    cases = [(group.id, each) for group in made.groups for each in group.cases]
    assert made.failures == 0, [each.failure for _, each in cases if each.failure]
    return {(of, f"{each.case.variant} @{each.case.runtime}"): each.evidence for of, each in cases}


def calls(run: Run) -> dict[str, float]:
    found = {variant.partition(" @")[0]: each for (_, variant), each in evidence(run).items()}
    return {variant: each.write_calls_per_op for variant, each in found.items()}


@pytest.mark.long
def test_write_calls_are_exact(languages, disk_folder):
    large, small, exact = "", "", {}
    if "java" in languages:
        channels = "java/file-channel-write-heap", "java/file-channel-write-direct"
        large += case("java/file-output-stream", *channels, block="8K")
        large += case("java/file-channel-write-mapped")
        large += case("java/buffered-output-stream-byte", buffer="1K")
        large += case("java/buffered-output-stream", buffer="8K", block=100)
        small += case("java/file-output-stream-byte", "java/random-access-file-write-byte")
        exact |= {
            "java/file-output-stream(block=8192)": 128,
            "java/file-channel-write-heap(block=8192)": 128,
            "java/file-channel-write-direct(block=8192)": 128,
            "java/buffered-output-stream-byte(buffer=1024)": 1024,
            # Pieces that do not fit start a new buffer.
            "java/buffered-output-stream(block=100,buffer=8192)": -(-MIB // 8100),
            # The kernel does not count what is written into a mapping.
            "java/file-channel-write-mapped": None,
            "java/file-output-stream-byte": 4097,
            "java/random-access-file-write-byte": 4097,
        }
    if "go" in languages:
        large += case("go/file-write", block="64K") + case("go/write-file")
        large += case("go/bufio-write-byte", buffer="4K")
        small += case("go/file-write", block=1)
        exact |= {"go/file-write(block=65536)": 16, "go/bufio-write-byte(buffer=4096)": 256}
        exact |= {"go/write-file": 1, "go/file-write(block=1)": 4097}
    text = writes("large", "1M", large) + writes("small", 4097, small)
    found = calls(measured(text, disk_folder, "write-calls"))
    assert {variant: found[variant] for variant in exact} == exact


@pytest.mark.long  # on every JDK
def test_text_writers_call_as_their_jdk_buffers(languages, jdks, disk_folder):
    """FileWriter's encoder collects 8192 bytes on JDK 17, and 512 to begin with on newer ones: the
    calls tell.
    """
    if "java" not in languages:
        pytest.skip("no JDK with Maven")
    cases = case("java/file-writer", "java/buffered-writer", block=20)
    text = writes("text", 2_000_000, cases, 'content = "text"')
    found = evidence(measured(text, disk_folder, "writers", homes=jdks or None))
    seen = {variant: round(each.write_calls_per_op) for (_, variant), each in found.items()}
    assert seen
    for variant, count in seen.items():
        major = int(variant.partition("@jvm-")[2].partition(".")[0])
        if variant.startswith("java/file-writer") and major in (17, 18):
            assert count in (244, 245), variant  # 2 000 000 / 8192
        elif variant.startswith("java/file-writer") and major >= 21:
            assert 3906 <= count <= 3908, variant  # 2 000 000 / 512
        elif variant.startswith("java/buffered-writer"):
            assert 244 <= count <= 246, variant


@alone
def test_synchronous_files_reach_the_device_with_every_write(languages, disk_folder):
    """Ten calls per operation: with sync-inode each of them waits, with fsync only the end does."""
    reason = device.why_not_durable("sync-inode", disk_folder)
    if reason:
        pytest.skip(reason)
    name = "java/file-output-stream" if "java" in languages else "go/file-write"
    durable_as = 'durability = ["none", "fsync", "sync-inode"]'
    text = writes("ten", 40960, case(name, block="4K"), durable_as)
    run = measured(text, disk_folder, "synchronous", in_full=True)
    found = {group: seen.device_writes_per_op for (group, _), seen in evidence(run).items()}
    assert None not in found.values()
    assert found["ten-sync-inode"] >= 10
    assert found["ten-fsync"] >= 1
    assert found["ten-none"] < 1 < found["ten-fsync"] < found["ten-sync-inode"]
    assert not [each.void for each in run.samples if each.void]
    for fork in (each for each in run.forks if each.fork in set(run.columns.fork)):
        waiting = [shape for shape in fork.alone if "sync-inode" in shape]
        assert len(fork.warm_up) == len(fork.alone) + len(waiting)
        for shape in waiting:
            synchronous, curve = fork.warm_up[shape], fork.warm_up[f"{shape}, not synchronous"]
            assert len(curve) > len(synchronous) == 1 and 2 * curve[-1] < synchronous[0]


def prepared_in(study: Path, text: str, place: Path) -> Run:
    """A run in this place of a study in this file."""
    study.write_text(f'id = "s"\ntitle = "T"\nrounds = {{ write = 2 }}\n{text}', "utf-8")
    prepared = session.prepare(str(study), Runtimes({}, print), plan.Options(seed=1, budget=1.0))
    out = study.with_suffix(".jsonl")
    return session.measure(prepared, place, out, {}, lambda progress: None, JUDGE)[0]


def test_what_is_in_memory_is_not_durable(languages, tmp_path):
    memory = Path("/dev/shm")
    if not memory.is_dir() or not os.access(memory, os.W_OK):
        pytest.skip("no /dev/shm")
    name = "go/file-write" if "go" in languages else "java/file-output-stream"
    text = writes("a", 4096, case(name), 'durability = ["none", "sync-inode"]')
    run = prepared_in(tmp_path / "s.toml", text, memory)
    failed = {run.plan.cases[case].conditions.durability for case in run.failed()}
    assert failed == {"sync-inode"}
    why = "not testable here: tmpfs keeps its files in memory"
    assert all(reason.startswith(why) for reason in run.failed().values())
    assert not list((memory / "iogauge-data").glob("written-*"))


@alone
def test_a_sync_mount_is_detected_and_its_writes_are_seen(languages, disk_folder):
    """A small ext4 in a file, mounted with the option sync: as its author's machine was. Needs root
    and loop devices.
    """
    image, mount = disk_folder / "sync.img", disk_folder / "sync"
    mount.mkdir()
    with image.open("wb") as file:
        file.truncate(256 * MIB)
    if subprocess.run(["mkfs.ext4", "-q", image], capture_output=True, check=False).returncode:
        pytest.skip("mkfs.ext4 does not work here")
    command = ["mount", "-o", "loop,sync", image, mount]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("loop mounts need root")
    try:
        assert mount_of(mount).sync and not mount_of(disk_folder).sync
        name = "java/file-output-stream" if "java" in languages else "go/file-write"
        text = writes("ten", 40960, case(name, block="4K"), 'durability = ["none", "sync-mount"]')
        run = prepared_in(disk_folder / "mounted.toml", text, mount)
        assert min(seen.device_writes_per_op for seen in evidence(run).values()) >= 10
        assert any("mounted sync" in each.text for each in run.caveats)
    finally:
        subprocess.run(["umount", mount], check=True)


@alone
def test_nothing_is_dirty_when_the_next_sample_begins(languages, disk_folder):
    """Reads and writes, durable and not, in one run."""
    reader, writer = "go/file-read", "go/file-write"
    if "java" in languages:
        reader, writer = "java/file-input-stream", "java/file-output-stream"
    grows = 'durability = ["none", "fsync"]\nmode = "append"\nlifetime = "fork"'
    text = writes("w", "1M", case(writer), grows)
    text += f'[[group]]\nid = "r"\nquestion = "?"\nsize = "1M"\ncache = ["warm", "cold"]\n{case(reader)}'
    run = measured(text, disk_folder, "dirty")
    assert not run.failures
    assert {each.group for each in run.samples} == {0, 1, 2, 3}
    assert {each.dirty_before for each in run.samples} <= {0, None}
    busy = [each.in_flight_before for each in run.samples if each.in_flight_before]
    assert len(busy) <= 0.1 * len(run.samples)  # others may use the device
    grown = [each for each in run.samples if each.file_before]
    assert grown and all(each.file_before % MIB == 0 and each.bytes % MIB == 0 for each in grown)


@alone
@pytest.mark.long
def test_work_of_microseconds_is_far_above_the_clock(languages, disk_folder):
    """42 kB into memory takes some 2 µs: a sample spans so many that the clock's two readings are
    below 0.5 % of it.
    """
    if "java" not in languages:
        pytest.skip("no JDK with Maven")
    more = 'medium = "memory"\ncontent = "text-one-line"'
    text = writes("m", 42000, case("java/memory-byte-stream-write"), more)
    run = measured(text, disk_folder, "memory", budget=6, in_full=True)
    assert not run.failures
    resolution = max(runtime.clock_resolution_ns for runtime in run.header.runtimes)
    for sample in run.samples:
        assert 2 * resolution < 0.005 * sample.ns[0]
        assert sample.operations[0] > 100
    by_fork: dict[int, list[float]] = {}
    for sample in run.samples:
        by_fork.setdefault(sample.fork, []).append(sample.ns[0] / sample.operations[0])
    levels = [statistics.median(values) for values in by_fork.values()]
    # Without a heap whose memory is in place it flips by 50 times.
    assert max(levels) < 4 * min(levels)
